//! What of FBX files is left out, shown in another way or kept for other programs, and what is said about it.

use rigview::import::{ImportOptions, Loaded, load, load_bytes};
use rigview::model::{Model, Stage};
use rigview::rig::{RetargetOptions, borrowed_clips};
use serde_json::json;

use crate::fbx::{assert_near, facts, read, world};
use crate::support::{Curve, Fbx, SmallModel, floats, rigview};

/// Layers add 1, 10 and 100 m. The first one is the base, which the others are added to.
#[test]
fn muted_layers_and_those_beside_a_soloed_one_do_not_move_anything() {
    for (property, wanted) in [("", 111.0), ("Mute", 101.0), ("Solo", 11.0)] {
        let mut file = Fbx::new();
        let a = file.node("a", "Null", 0, &[]);
        let base = file.take("Move", 0.0, 1.0);
        let set = format!("\"{property}\", \"bool\", \"\", \"\",1");
        let over = file.layer("Over", if property.is_empty() { "" } else { &set });
        let more = file.layer("More", "");
        for (layer, x) in [(base, 1e2), (over, 1e3), (more, 1e4)] {
            let keys = [[0.0, x], [1.0, x + 100.0]];
            file.animate(layer, a, ["Lcl Translation", "d|X"], Curve::Linear, &keys);
        }
        let model = read(&file).model;
        assert_near(world(&model, "a", Some(0.0)).translation.into(), [wanted, 0.0, 0.0]);
        let said = facts(&model).join("\n");
        assert_eq!(said.contains("1 of 3 layers muted"), !property.is_empty(), "{said}");
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

/// A light of intensity 0 would take the place of the viewer's own light.
#[test]
fn lights_that_are_switched_off_are_left_out() {
    let mut file = Fbx::new();
    for (name, property) in [("on", ""), ("off", "P: \"CastLight\", \"bool\", \"\", \"\",0")] {
        let node = file.node(name, "Light", 0, &[]);
        let content = format!("Properties70:  {{\n{property}\n}}");
        let light = file.object("NodeAttribute", "NodeAttribute::", "Light", &content);
        file.connect(light, node);
    }
    let Loaded { model, warnings, .. } = read(&file);
    assert_eq!(model.lights.len(), 1);
    let said: Vec<_> = warnings.iter().map(|warning| &*warning.message).collect();
    assert_eq!(said, ["light \"off\" is switched off in the file: it is left out"]);
}

/// The parent is turned by 90 degrees around Y and may be mirrored, and the target is above and in front of the camera.
#[test]
fn cameras_and_lights_are_aimed_at_their_targets() {
    for (class, side, takes) in
        [("Camera", 1, false), ("Light", 1, false), ("Camera", 1, true), ("Camera", -1, false)]
    {
        let mut file = Fbx::new();
        let turn = "\"Lcl Rotation\", \"Lcl Rotation\", \"\", \"A\",0,90,0";
        let size = format!("\"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",{side},1,1");
        let parent = file.node("parent", "Null", 0, &[turn, &size]);
        let at = "\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,0,100";
        let aimed = "\"LookAtProperty\", \"object\", \"\", \"\"";
        let node_id = file.node("eye", class, parent, &[at, aimed]);
        let attribute = file.object("NodeAttribute", "NodeAttribute::", class, "");
        file.connect(attribute, node_id);
        let at = "\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",100,300,-400";
        let target = file.node("target", "Null", 0, &[at]);
        file.connect_property(target, node_id, "LookAtProperty");
        if takes {
            let layer = file.take("Move", 0.0, 1.0);
            let keys = [[0.0, 100.0], [1.0, 200.0]];
            file.animate(layer, target, ["Lcl Translation", "d|X"], Curve::Linear, &keys);
        }
        let Loaded { model, warnings, .. } = read(&file);
        let found = world(&model, &format!("eye ({})", class.to_lowercase()), None);
        // The eye is at X = 1 m.
        assert_near(found.translation.into(), [1.0, 0.0, 0.0]);
        assert_near((-found.z_axis).into(), [0.0, 0.6, -0.8]);
        assert_near(found.y_axis.into(), [0.0, 0.8, 0.6]);
        let said: Vec<_> = warnings.iter().map(|warning| &*warning.message).collect();
        let wanted = "camera \"eye\" is aimed at its target \"target\" in the rest pose only: takes do not aim it";
        assert_eq!(said, if takes { vec![wanted] } else { vec![] });
    }
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

/// `convert` writes what users added to objects, and names what it leaves out.
#[test]
fn user_properties_are_written_and_what_is_lost_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = Fbx::new();
    let properties = [
        "\"Step\", \"Number\", \"\", \"A+U\",0.5",
        "\"asset\", \"KString\", \"\", \"U\", \"hero_42\"",
        "\"lead\", \"bool\", \"\", \"U\",1",
        "\"tint\", \"Color\", \"\", \"U\",0.25,0.5,1",
        "\"count\", \"int\", \"Integer\", \"U\",7",
        "\"group\", \"Compound\", \"\", \"U\"",
        "\"internal\", \"int\", \"Integer\", \"UH\",1",
        "\"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,100,0",
    ];
    let a = file.node("a", "LimbNode", 0, &properties);
    let camera = file.node("eye", "Camera", 0, &[]);
    let content = "Properties70:  {\nP: \"lens\", \"KString\", \"\", \"U\", \"50 mm\"\n}";
    let attribute = file.object("NodeAttribute", "NodeAttribute::", "Camera", content);
    file.connect(attribute, camera);
    let mesh = file.node("mesh", "Mesh", 0, &[]);
    let color = |index: usize| {
        format!(
            "LayerElementColor: {index} {{\nVersion: 101\nName: \"set{index}\"\n\
             MappingInformationType: \"AllSame\"\nReferenceInformationType: \"Direct\"\n\
             Colors: *4 {{\na: 0.5,{index},0,1\n}}\n}}\n\
             Layer: {index} {{\nVersion: 100\nLayerElement:  {{\nType: \"LayerElementColor\"\n\
             TypedIndex: {index}\n}}\n}}\n"
        )
    };
    let content = format!(
        "Vertices: *9 {{\na: 0,0,0,100,0,0,0,100,0\n}}\nPolygonVertexIndex: *3 {{\na: 0,1,-3\n}}\n\
         GeometryVersion: 124\n{}{}",
        color(0),
        color(1)
    );
    let geometry = file.object("Geometry", "Geometry::skin", "Mesh", &content);
    file.connect(geometry, mesh);
    file.take("Empty", 0.0, 1.0);
    let take = file.take("Walk", 0.0, 1.0);
    let keys = [[0.0, 0.0], [1.0, 1.0]];
    file.animate(take, a, ["Step", "d|Step"], Curve::Linear, &keys);
    file.animate(take, a, ["Lcl Translation", "d|X"], Curve::Linear, &keys);
    let path = folder.path().join("a.fbx");
    std::fs::write(&path, file.bytes()).unwrap();
    let out = folder.path().join("a.glb");
    let (path, to) = (path.to_str().unwrap(), out.to_str().unwrap());
    let said = rigview(["convert", "--json", path, "-o", to]).done().json();
    let lost = [
        "mesh \"skin\" keeps 1 of 2 sets of colours",
        "the animation of further properties of nodes is not shown: \"Step\"",
        "1 take without keys",
    ];
    assert_eq!(said["not_carried_over"], serde_json::json!(lost));
    let source = load(&out, &ImportOptions::default()).unwrap().model.source;
    let extras = |pointer: &str| source.extras_of(pointer).map(str::to_owned);
    let wanted = r#"{"Step":0.5,"asset":"hero_42","lead":true,"tint":[0.25,0.5,1.0],"count":7}"#;
    let found: serde_json::Value = serde_json::from_str(&extras("/nodes/0").unwrap()).unwrap();
    assert_eq!(found, serde_json::from_str::<serde_json::Value>(wanted).unwrap());
    assert_eq!(extras("/cameras/0").as_deref(), Some(r#"{"lens":"50 mm"}"#));
}

/// Keys beyond the span that a take states are not played; those that change nothing are not missed.
#[test]
fn keys_outside_of_a_takes_span_are_said() {
    let said = |keys: &[[f64; 2]]| {
        let mut file = Fbx::new();
        let a = file.node("a", "Null", 0, &[]);
        let layer = file.take("Move", 0.0, 1.0);
        file.animate(layer, a, ["Lcl Translation", "d|X"], Curve::Linear, keys);
        let Loaded { model, warnings, .. } = read(&file);
        assert_eq!(model.clips[0].duration_secs(), 1.0);
        warnings.into_iter().map(|warning| warning.message).collect::<Vec<_>>()
    };
    let outside = "outside of its span of 0.000 s to 1.000 s: the clip has the span only";
    let more = [[-1.0, 0.0], [0.0, 1.0], [1.0, 2.0], [2.0, 3.0]];
    assert_eq!(said(&more), [format!("take \"Move\": 2 keys from -1.000 s to 2.000 s {outside}")]);
    assert_eq!(said(&more[1..]), [format!("take \"Move\": 1 key at 2.000 s {outside}")]);
    assert_eq!(
        said(&[[10.0, 0.0], [12.0, 5.0]]),
        [format!("take \"Move\": 2 keys from 10.000 s to 12.000 s {outside}")]
    );
    assert_eq!(said(&more[1..3]), [""; 0]);
    assert_eq!(said(&[[-1.0, 4.0], [2.0, 4.0]]), [""; 0]);
}

/// Sums other than 1 are what FBX divides by; weights below 0 mean nothing.
#[test]
fn negative_weights_are_said() {
    let said = |weight: f64| {
        let mut file = Fbx::new();
        let [a, b] = ["a", "b"].map(|name| file.node(name, "LimbNode", 0, &[]));
        let mesh = file.node("mesh", "Mesh", 0, &[]);
        let geometry = file.polygon(mesh, &[[0.0; 3], [100.0, 0.0, 0.0], [0.0, 100.0, 0.0]]);
        let whole = [(0, 1.5), (1, 0.5), (2, 1.0)];
        file.skin(geometry, &[(a, [0.0; 3], &whole), (b, [0.0; 3], &[(0, weight)])]);
        let warnings = read(&file).warnings.into_iter();
        warnings.map(|warning| (warning.code.as_str(), warning.message)).collect::<Vec<_>>()
    };
    let wanted = "mesh \"\": 1 of 3 control points have weights that are negative, NaN or infinite: read as 0";
    assert_eq!(said(-0.5), [("WEIGHTS_ODD", wanted.to_owned())]);
    assert_eq!(said(0.0), []);
}

/// Of 20 bones that move each vertex, four have weights too small to be kept; one more has no weight at all.
#[test]
fn bones_whose_weights_are_too_small_to_be_kept_are_not_unused() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = Fbx::new();
    let root = file.node("root", "LimbNode", 0, &[]);
    let mesh = file.node("mesh", "Mesh", 0, &[]);
    let geometry = file.polygon(mesh, &[[0.0; 3], [100.0, 0.0, 0.0], [0.0, 100.0, 0.0]]);
    let held: Vec<[(u32, f64); 3]> = (0..20)
        .map(|bone| [0, 1, 2].map(|point| (point, 0.06 - 0.001 * f64::from(bone))))
        .collect();
    let mut clusters = Vec::new();
    for (bone, weights) in held.iter().enumerate() {
        let node = file.node(&format!("bone{bone}"), "LimbNode", root, &[]);
        clusters.push((node, [0.0; 3], weights.as_slice()));
    }
    clusters.push((file.node("spare", "LimbNode", root, &[]), [0.0; 3], &[][..]));
    file.skin(geometry, &clusters);
    let path = folder.path().join("many.fbx");
    std::fs::write(&path, file.bytes()).unwrap();
    let run = rigview(["check", "--json", path.to_str().unwrap()]).done();
    let text = run.text();
    assert!(text.contains("INFLUENCES_CUT"), "{text}");
    assert_eq!(text.matches("JOINT_UNUSED").count(), 1, "{text}");
    assert!(text.contains("joint \\\"spare\\\" moves no vertex"), "{text}");
}

#[test]
fn frame_rates_are_those_that_the_file_states() {
    let rate = |mode: u32, own: Option<&str>| {
        let mut file = Fbx::new().setting(&format!("\"TimeMode\", \"enum\", \"\", \"\",{mode}"));
        if let Some(own) = own {
            let own = format!("\"CustomFrameRate\", \"double\", \"Number\", \"\",{own}");
            file = file.setting(&own);
        }
        file.node("a", "Null", 0, &[]);
        let source = read(&file).model.source;
        let all = &source.metadata[0].entries;
        let (_, said) = all.iter().find(|(name, _)| name == "frames per second").unwrap();
        (said.clone(), source.frame_rate.is_some())
    };
    assert_eq!(rate(14, Some("-1")), ("unstated".to_owned(), false));
    assert_eq!(rate(14, Some("12.5")), ("12.5".to_owned(), true));
    assert_eq!(rate(13, None), ("23.976".to_owned(), true));
    assert_eq!(rate(6, Some("-1")), ("30".to_owned(), true));
}

/// On a rig without in-betweens, a target has the weight of the channel.
#[test]
fn in_betweens_add_to_the_target_of_a_rig_that_has_none() {
    let face = |shapes: &[(f64, u32, [f64; 3])]| {
        let mut file = Fbx::new();
        let mesh = file.node("face", "Mesh", 0, &[]);
        let geometry = file.polygon(mesh, &[[0.0; 3], [100.0, 0.0, 0.0], [0.0, 100.0, 0.0]]);
        let channel = file.channel(geometry, "smile", shapes);
        let take = file.take("Smile", 0.0, 1.0);
        let percent = [[0.0, 0.0], [1.0, 100.0]];
        file.animate(take, channel, ["DeformPercent", "d|DeformPercent"], Curve::Linear, &percent);
        read(&file).model
    };
    let [early, half, full] =
        [(25.0, 1, [0.0, 0.0, 9.0]), (50.0, 1, [0.0, 0.0, 5.0]), (100.0, 1, [1.0, 0.0, 0.0])];
    let (rig, source) = (face(&[full]), face(&[early, half, full]));
    let taken = borrowed_clips(&rig, &source, &RetargetOptions::default()).unwrap();
    let node = rig.nodes.iter().position(|node| node.mesh.is_some()).unwrap();
    let mut stage = Stage::new(&rig, 0);
    for time in [0.1, 0.25, 0.375, 0.5, 0.8, 1.0] {
        stage.pose(&rig, Some(&taken.clips[0]), time);
        let [found] = stage.local.weights(node) else { panic!("one target") };
        assert!((f64::from(*found) - time).abs() < 1e-5, "{time}: {found}");
    }
}

/// KHR_animation_pointer drives single weights, each by a track of its own.
#[test]
fn in_betweens_that_pointers_drive_add_to_the_target_too() {
    let pointer = |weight: usize, sampler: usize| {
        let pointer = json!({"pointer": format!("/nodes/0/weights/{weight}")});
        let target = json!({"path": "pointer", "extensions": {"KHR_animation_pointer": pointer}});
        json!({"sampler": sampler, "target": target})
    };
    let face = |names: &[&str], interpolation: &str, keys: &[(&[f32], &[f32])]| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("face.gltf");
        let model = SmallModel::new().node_name("face").edit(|json| {
            let away = floats(json, "VEC3", &[0.0, 0.0, 1.0].repeat(4));
            json["meshes"][0]["primitives"][0]["targets"] =
                vec![json!({"POSITION": away}); names.len()].into();
            json["meshes"][0]["extras"] = json!({"targetNames": names});
            json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
            let samplers = keys.iter().map(|(times, values)| {
                let [input, output] = [times, values].map(|list| floats(json, "SCALAR", list));
                json!({"input": input, "output": output, "interpolation": interpolation})
            });
            let samplers: Vec<_> = samplers.collect();
            let channels: Vec<_> = (0..keys.len()).map(|i| pointer(i, i)).collect();
            json["animations"] = json!([{"samplers": samplers, "channels": channels}]);
        });
        model.write_gltf(&file);
        load(&file, &ImportOptions::default()).unwrap().model
    };
    let rig = face(&["smile"], "LINEAR", &[(&[0.0], &[0.0])]);
    let keys: [(&[f32], &[f32]); 2] =
        [(&[0.0, 1.0, 2.0], &[0.0, 1.0, 0.0]), (&[1.0, 2.0], &[0.0, 1.0])];
    let shown = |source: &Model, time: f64| {
        let taken = borrowed_clips(&rig, source, &RetargetOptions::default()).unwrap();
        let mut stage = Stage::new(&rig, 0);
        stage.pose(&rig, Some(&taken.clips[0]), time);
        stage.local.weights(0)[0]
    };
    let source = face(&["smile 50 %", "smile"], "LINEAR", &keys);
    for time in [0.0, 0.5, 1.0, 1.5, 2.0] {
        let found = f64::from(shown(&source, time));
        assert!((found - time / 2.0).abs() < 1e-5, "{time}: {found}");
    }
    // Nothing drives the target itself.
    let alone = |interpolation, keys| {
        let source = face(&["smile 50 %", "smile"], interpolation, &[keys]);
        [0.5, 1.0].map(|time| shown(&source, time))
    };
    assert_eq!(alone("LINEAR", keys[0]), [0.25, 0.5]);
    assert_eq!(alone("STEP", keys[0]), [0.0, 0.5]);
    // With flat tangents, a quarter of the time is 0.15625 of the way.
    let spline = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    assert_eq!(alone("CUBICSPLINE", (&[0.0, 2.0], &spline)), [0.078125, 0.25]);
}
