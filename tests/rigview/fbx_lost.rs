//! What of FBX files is left out, shown in another way or kept for other programs, and what is said about it.

use rigview::import::{ImportOptions, Loaded, load, load_bytes};

use crate::fbx::{assert_near, facts, read, world};
use crate::support::{Curve, Fbx, rigview};

/// Layers add 1 and 10 m; the first one is the base.
#[test]
fn muted_layers_and_those_beside_a_soloed_one_do_not_move_anything() {
    for (property, wanted) in [("", 11.0), ("Mute", 1.0), ("Solo", 10.0)] {
        let mut file = Fbx::new();
        let a = file.node("a", "Null", 0, &[]);
        let base = file.take("Move", 0.0, 1.0);
        let set = format!("\"{property}\", \"bool\", \"\", \"\",1");
        let over = file.layer("Over", if property.is_empty() { "" } else { &set });
        for (layer, x) in [(base, 100.0), (over, 1000.0)] {
            let keys = [[0.0, x], [1.0, x + 100.0]];
            file.animate(layer, a, ["Lcl Translation", "d|X"], Curve::Linear, &keys);
        }
        let model = read(&file).model;
        assert_near(world(&model, "a", Some(0.0)).translation.into(), [wanted, 0.0, 0.0]);
        let said = facts(&model).join("\n");
        assert_eq!(said.contains("1 of 2 layers muted"), !property.is_empty(), "{said}");
    }
}

/// A take all of whose layers are muted is one without keys.
#[test]
fn a_take_whose_only_layer_is_muted_is_left_out() {
    let mut file = Fbx::new();
    let a = file.node("a", "Null", 0, &[]);
    let layer = file.take("Still", 0.0, 1.0);
    let keys = [[0.0, 0.0], [1.0, 100.0]];
    file.animate(layer, a, ["Lcl Translation", "d|X"], Curve::Linear, &keys);
    let base = "\"AnimLayer::BaseLayer\", \"\" {";
    let muted = format!("{base}\nProperties70:  {{\nP: \"Mute\", \"bool\", \"\", \"\",1\n}}");
    let text = file.text().replace(base, &muted);
    let model = load_bytes(text.into_bytes(), &ImportOptions::default()).unwrap().model;
    assert!(model.clips.is_empty());
    let said = facts(&model).join("; ");
    assert!(said.contains("not shown: 1 muted layer of a take, 1 take without keys"), "{said}");
}

/// What is animated and does not move, or is no mesh, is named, also as not carried over by `convert`.
#[test]
fn what_is_not_shown_is_said_by_convert_too() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = Fbx::new();
    let bone = file.node("bone", "LimbNode", 0, &[]);
    let attribute = |file: &mut Fbx, class: &str, node: u64| {
        let content = format!("TypeFlags: \"{class}\"");
        let attribute = file.object("NodeAttribute", "NodeAttribute::", class, &content);
        file.connect(attribute, node);
        attribute
    };
    let node = file.node("camera", "Camera", 0, &[]);
    let camera = attribute(&mut file, "Camera", node);
    let node = file.node("light", "Light", 0, &[]);
    let light = attribute(&mut file, "Light", node);
    let node = file.node("levels", "LodGroup", 0, &[]);
    attribute(&mut file, "LodGroup", node);
    let take = file.take("Dim", 0.0, 1.0);
    let (steady, rising) = ([[0.0, 40.0], [1.0, 40.0]], [[0.0, 40.0], [1.0, 60.0]]);
    file.animate(take, bone, ["Lcl Translation", "d|X"], Curve::Linear, &rising);
    file.animate(take, camera, ["FieldOfView", "d|FieldOfView"], Curve::Linear, &rising);
    file.animate(take, light, ["Intensity", "d|Intensity"], Curve::Linear, &steady);
    let path = folder.path().join("a.fbx");
    std::fs::write(&path, file.bytes()).unwrap();
    let out = folder.path().join("a.glb");
    let (path, out) = (path.to_str().unwrap(), out.to_str().unwrap());
    let run = rigview(["convert", "--json", path, "-o", out]).done();
    let said = run.json();
    let lost = [
        "the animation of cameras is not shown: \"FieldOfView\"",
        "1 level of detail group (all levels are drawn)",
    ];
    assert_eq!(said["not_carried_over"], serde_json::json!(lost));
}
