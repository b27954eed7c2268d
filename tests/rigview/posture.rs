//! The detection of models that lie on their back, and the command that stands them up.

use std::path::Path;

use rigview::import::{ImageDecoding, ImportOptions, load, load_bytes};
use rigview::model::{Model, Stage};
use rigview::report::lies_on_its_back;
use serde_json::{Value, json};

use crate::support::{Glb, checkout, for_each, models_below, shared};

fn options() -> ImportOptions<'static> {
    ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() }
}

fn lies(model: &Model) -> bool {
    lies_on_its_back(model, &Stage::new(model, model.default_scene))
}

/// Puts a file's scene under a node that turns it on its back, as files of Z-up programs are.
fn laid_down(file: &Path) -> Model {
    let mut glb = Glb::read(file);
    let roots = glb.json["scenes"][0]["nodes"].clone();
    let half = 0.5f32.sqrt();
    let nodes = glb.json["nodes"].as_array_mut().unwrap();
    nodes.push(json!({"children": roots, "rotation": [half, 0.0, 0.0, half]}));
    let root = nodes.len() - 1;
    glb.json["scenes"][0]["nodes"] = json!([root]);
    load_bytes(glb.to_bytes(), &options()).unwrap().model
}

/// A rig of a Z-up program is detected by its joints' names, for two and for four legs.
#[test]
fn rigs_that_lie_are_told() {
    assert!(lies(&laid_down(&checkout().join("assets/creature.glb"))));
    let Some(shared) = shared("rigs_that_lie_are_told") else { return };
    for name in ["CesiumMan", "Fox", "RiggedFigure"] {
        let file = shared.join(format!("models/{name}/glTF-Binary/{name}.glb"));
        assert!(lies(&laid_down(&file)), "{name}");
    }
    // Their root nodes have the rotation from Z up to Y up. Without it they lie on their back.
    for name in ["CesiumMan", "RiggedFigure"] {
        let mut glb = Glb::read(&shared.join(format!("models/{name}/glTF-Binary/{name}.glb")));
        let turn: &mut Value = glb.node("Z_UP");
        turn.as_object_mut().unwrap().remove("matrix");
        assert!(lies(&load_bytes(glb.to_bytes(), &options()).unwrap().model), "{name}");
    }
}

/// A model without joints is detected by the plane that it stands on.
#[test]
fn things_that_lie_are_told() {
    let Some(shared) = shared("things_that_lie_are_told") else { return };
    for name in ["ClearCoatCarPaint", "ClearcoatWicker", "GlassBrokenWindow"] {
        let file = shared.join(format!("models/{name}/glTF-Binary/{name}.glb"));
        assert!(lies(&laid_down(&file)), "{name}");
    }
}

/// All shared models are Y up, as the specification requires.
#[test]
fn no_model_that_stands_is_told_to_lie() {
    let creature = load(&checkout().join("assets/creature.glb"), &options()).unwrap().model;
    assert!(!lies(&creature));
    let Some(shared) = shared("no_model_that_stands_is_told_to_lie") else { return };
    let files = models_below(&shared.join("models"));
    let found = for_each(&files, |file| Some(lies(&load(file, &options()).ok()?.model)));
    assert!(found.iter().flatten().count() > 350, "{} models", found.iter().flatten().count());
    let told: Vec<_> = files.iter().zip(&found).filter(|(_, lies)| **lies == Some(true)).collect();
    assert!(told.is_empty(), "{told:?}");
}

/// Standing a model up moves every node to its position in the Y-up file, even far from the origin.
#[test]
fn what_is_stood_up_is_where_a_y_up_file_has_it() {
    let file = checkout().join("assets/creature.glb");
    let standing = load(&file, &options()).unwrap().model;
    let lying = laid_down(&file);
    let upright = Stage::new(&standing, standing.default_scene);
    let mut stage = Stage::new(&lying, lying.default_scene);
    let before = stage.clone();
    stage.stand_up(&lying, true);
    let clip = Some(&lying.clips[0]);
    stage.pose(&lying, clip, 0.4);
    let mut upright = upright;
    upright.pose(&standing, Some(&standing.clips[0]), 0.4);
    for node in 0..standing.nodes.len() {
        let [a, b] = [&stage, &upright].map(|s| s.scene_from_node(node));
        assert!(a.abs_diff_eq(b, 1e-5), "node {node}: {a} for {b}");
    }
    stage.stand_up(&lying, false);
    stage.pose(&lying, None, 0.0);
    assert_eq!(stage.world, before.world);
    assert_eq!(stage.origin, before.origin);
}
