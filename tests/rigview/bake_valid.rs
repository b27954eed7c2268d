//! What `bake` writes follows glTF, and plays as its source, where that has nodes with matrices or drives a property twice.

use rigview::import::{ImportOptions, load_bytes};
use rigview::model::{Model, Stage};
use serde_json::{Value, json};

use crate::support::{Glb, SmallModel, rigview};

/// A matrix that no translation, rotation and scale express, far from the origin.
const SHEARED: [f32; 16] = [1., 0., 0., 0., 0.4, 1., 0., 0., 0., 0., 1., 0., 10_000., 0., 0., 1.];

/// Writes a file with the keys of its clips, and returns what is said and the result.
fn baked(source: &Glb) -> (String, Glb) {
    let folder = tempfile::tempdir().unwrap();
    let [input, out] = ["in.glb", "out.glb"].map(|name| folder.path().join(name));
    source.write(&input);
    let names = [&input, &out].map(|path| path.to_str().unwrap());
    let run = rigview(["bake", names[0], "--rate", "keep", "-o", names[1]]).done();
    (run.stderr, Glb::read(&out))
}

fn read(glb: &Glb) -> Model {
    load_bytes(glb.to_bytes(), &ImportOptions::default()).unwrap().model
}

/// Asserts that the first clips of two files pose all nodes alike.
#[track_caller]
fn assert_alike(a: &Glb, b: &Glb) {
    let models = [a, b].map(read);
    for time in [0.0, 0.5, 1.0, 2.0] {
        let [a, b] = models.each_ref().map(|model| {
            let mut stage = Stage::new(model, 0);
            stage.pose(model, model.clips.first(), time);
            (0..model.nodes.len()).map(|node| stage.scene_from_node(node)).collect::<Vec<_>>()
        });
        assert!(a.iter().zip(&b).all(|(a, b)| a.abs_diff_eq(*b, 1e-4)), "{time}: {a:?} {b:?}");
    }
}

fn targets(glb: &Glb) -> Vec<Value> {
    let animations = glb.json["animations"].as_array().into_iter().flatten();
    let channels = animations.flat_map(|animation| animation["channels"].as_array().unwrap());
    channels.map(|channel| channel["target"].clone()).collect()
}

/// The import reads the last row as 0 0 0 1, so this is a matrix that can be animated.
#[test]
fn a_node_with_a_projective_matrix_keeps_its_clip() {
    let mut matrix = [0.0f32; 16];
    (matrix[0], matrix[5], matrix[10]) = (1.0, 1.0, 1.0);
    (matrix[13], matrix[15]) = (1.0, 0.5);
    let model =
        SmallModel::new().clip("Turn").edit(|json| json["nodes"][0]["matrix"] = json!(matrix));
    let source = Glb::of(&model.glb());
    let (_, written) = baked(&source);
    assert_eq!(targets(&written), [json!({"node": 0, "path": "rotation"})]);
    assert_alike(&source, &written);
}

/// The translation is no measure for how sheared a matrix is.
#[test]
fn a_sheared_matrix_stays_however_far_it_is_from_the_origin() {
    let model = SmallModel::new().clip("Turn").edit(|json| {
        json["nodes"] = json!([{"matrix": SHEARED, "children": [1]}, {"mesh": 0}]);
        let channel =
            |node: usize| json!({"sampler": 0, "target": {"node": node, "path": "rotation"}});
        json["animations"][0]["channels"] = json!([channel(0), channel(1)]);
    });
    let source = Glb::of(&model.glb());
    let (_, written) = baked(&source);
    assert_eq!(written.json["nodes"][0], source.json["nodes"][0]);
    assert_eq!(targets(&written), [json!({"node": 1, "path": "rotation"})]);
    assert_alike(&source, &written);
}

/// A matrix is no reason to leave out the morph weights of its node, nor do they need another form of it.
#[test]
fn morph_weights_play_on_nodes_whose_matrix_stays() {
    let model = SmallModel::new().clip("Smile").edit(|json| {
        json["nodes"][0]["matrix"] = json!(SHEARED);
        json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": 0}]);
        json["animations"][0] = json!({
            "name": "Smile",
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
            "samplers": [{"input": 2, "output": 2}],
        });
    });
    let source = Glb::of(&model.glb());
    let (said, written) = baked(&source);
    assert!(!said.contains("is not animated"), "{said}");
    assert_eq!(targets(&written), [json!({"node": 0, "path": "weights"})]);
    assert_eq!(written.json["nodes"][0]["matrix"], source.json["nodes"][0]["matrix"]);
}

/// glTF allows one channel per property of a node; the last one plays.
#[test]
fn of_two_channels_for_one_property_the_last_one_is_written() {
    let mut source = Glb::of(&SmallModel::new().clip("Turn").glb());
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let keys = source.put_floats("VEC4", &[0., 0., 0., 1., half, 0., 0., half]);
    let animation = &mut source.json["animations"][0];
    let target = animation["channels"][0]["target"].clone();
    animation["channels"] = json!([
        {"sampler": 0, "target": target}, {"sampler": 1, "target": target},
    ]);
    animation["samplers"] = json!([{"input": 2, "output": 3}, {"input": 2, "output": keys}]);
    let (_, written) = baked(&source);
    assert_eq!(targets(&written), [json!({"node": 0, "path": "rotation"})]);
    assert_alike(&source, &written);
}
