//! `check`: morph targets, their names and their weights.

use serde_json::{Value, json};

use super::{Rig, checked, frames, objects};
use crate::support::{floats, push};

/// Returns the findings of a figure with two morph targets, the first of which moves a vertex by some metres, and a clip of
/// that one's weight.
fn found(names: &[&str], metres: f32, weight: impl Fn(usize) -> f32) -> Vec<Value> {
    found_at(7, names, &[(5, metres)], weight)
}

/// The same of a mesh at another node, whose first target moves several vertices.
fn found_at(
    node: usize,
    names: &[&str],
    moved: &[(usize, f32)],
    weight: impl Fn(usize) -> f32,
) -> Vec<Value> {
    let moved: Vec<_> = moved.iter().map(|(vertex, metres)| (*vertex, [0., 0., *metres])).collect();
    found_of_deltas(node, names, &moved, weight)
}

/// The same, with vectors.
fn found_of_deltas(
    node: usize,
    names: &[&str],
    moved: &[(usize, [f32; 3])],
    weight: impl Fn(usize) -> f32,
) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let file = Rig::new().write(folder.path(), "face.gltf");
    let mut json: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let targets = [moved, &[(5, [0.0, 0.0, 0.01])]].map(|moved| {
        let mut deltas = vec![[0.0f32; 3]; Rig::new().positions.len()];
        moved.iter().for_each(|(vertex, delta)| deltas[*vertex] = *delta);
        json!({"POSITION": floats(&mut json, "VEC3", deltas.as_flattened())})
    });
    json["meshes"][0]["primitives"][0]["targets"] = json!(targets);
    json["meshes"][0]["extras"] = json!({"targetNames": names});
    let weights: Vec<f32> = (0..31).flat_map(|i| [weight(i), 0.0]).collect();
    let [input, output] = [frames(), weights].map(|list| floats(&mut json, "SCALAR", &list));
    json["nodes"][node]["mesh"] = json!(0);
    let channel = json!({"sampler": 0, "target": {"node": node, "path": "weights"}});
    let samplers = json!([{"input": input, "output": output}]);
    push(
        &mut json,
        "animations",
        json!({"name": "Talk", "samplers": samplers, "channels": [channel]}),
    );
    std::fs::write(&file, json.to_string()).unwrap();
    checked(&file, &[])
}

fn slow(i: usize) -> f32 {
    (0.2 * i as f32).sin()
}

#[test]
fn a_morph_weight_that_jumps_far_and_back_pops() {
    let of = |weight: fn(usize) -> f32| objects(&found(&["a", "b"], 0.05, weight), "POP");
    assert_eq!(of(|i| if i == 12 { 50.0 } else { slow(i) }), ["Body"]);
    assert!(of(slow).is_empty());
    assert!(of(|i| if i == 12 { 1.0 } else { 0.0 }).is_empty(), "a blink");
    assert!(of(|i| if i < 12 { 0.0 } else { 50.0 }).is_empty(), "it stays");
}

#[test]
fn a_morph_target_that_moves_a_vertex_out_of_the_model_is_found() {
    // The figure has a diagonal of 2.0 m.
    assert_eq!(objects(&found(&[], 1000.0, slow), "VERTEX_FAR"), ["Figure"]);
    assert!(objects(&found(&[], 1.0, slow), "VERTEX_FAR").is_empty());
}

#[test]
fn a_weight_that_spikes_beside_a_larger_jump_pops() {
    // The mesh is at a joint, which may jump and stay.
    let weight = |i: usize| match i {
        12 => 50.0,
        20.. => 100.0,
        _ => 0.0,
    };
    let found = found_at(1, &["a", "b"], &[(5, 0.05)], weight);
    let pops: Vec<&Value> = found.iter().filter(|finding| finding["code"] == "POP").collect();
    assert!(matches!(pops[..], [pop] if pop["object"] == "Head"), "{pops:?}");
    let time = pops[0]["time"].as_f64().unwrap();
    assert!((time - 0.4).abs() < 0.05, "{time}");
}

#[test]
fn a_morph_target_in_other_units_than_the_mesh_is_found() {
    // Eight corners of a box of 10 cm.
    let of = |metres: fn(usize) -> f32| {
        let moved: Vec<(usize, f32)> = (0..8).map(|i| (i, metres(i))).collect();
        objects(&found_at(7, &["a", "b"], &moved, slow), "VERTEX_FAR")
    };
    assert_eq!(of(|i| 0.125 * (i + 1) as f32), ["Figure"]);
    assert!(of(|i| 0.00125 * (i + 1) as f32).is_empty());
    assert!(of(|_| 1.0).is_empty(), "a part that is moved away");
}

#[test]
fn a_part_that_a_target_collapses_is_hidden() {
    // A box of 10 cm, which is drawn in towards a place 72 cm from its middle.
    let of = |left: f32| {
        let corners = Rig::new().positions[..24].to_vec();
        let middle = [0, 1, 2].map(|axis| corners.iter().map(|at| at[axis]).sum::<f32>() / 24.0);
        let to = |at: [f32; 3]| [0, 1, 2].map(|axis| (left - 1.0) * (at[axis] - middle[axis]));
        let away = |[x, y, z]: [f32; 3]| [x, y, z + 0.72];
        let moved: Vec<_> =
            corners.iter().enumerate().map(|(vertex, at)| (vertex, away(to(*at)))).collect();
        objects(&found_of_deltas(7, &["a", "b"], &moved, slow), "VERTEX_FAR")
    };
    assert_eq!(of(0.01), [""; 0]);
    assert_eq!(of(0.15), ["Figure"], "some of it is left");
}

#[test]
fn more_names_than_morph_targets_are_said() {
    let of = |names: &[&str]| objects(&found(names, 0.1, slow), "TARGET_NAMES_MANY").len();
    assert_eq!([of(&["a", "b", "c"]), of(&["a", "b"]), of(&["a"])], [1, 0, 0]);
}

#[test]
fn names_of_morph_targets_are_there_once() {
    let of = |names: &[&str]| {
        let found = found(names, 0.1, slow);
        ["NAME_TWICE", "NAME_MISSING"].map(|code| objects(&found, code))
    };
    assert_eq!(of(&["a", "b"]), [vec![""; 0], vec![]]);
    assert_eq!(of(&["a", "a"]), [vec!["a"], vec![]]);
    assert_eq!(of(&["a"]), [vec![], vec!["Figure"]]);
    assert_eq!(of(&[]), [vec![""; 0], vec![]], "a file without names of targets");
}

#[test]
fn weights_in_percent_are_in_another_unit() {
    let of = |factor: f32| objects(&found(&["a", "b"], 0.01, |i| factor * slow(i)), "CLIP_UNITS");
    assert_eq!(of(100.0), ["Body"]);
    assert_eq!(of(3.0), [""; 0], "exaggerated");
}
