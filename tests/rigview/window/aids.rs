//! What is drawn in the view to judge a rig: measuring, onion skin, boxes, the weights of a joint.

use rigview::import::load_bytes;
use rigview::model::{FileVertex, Stage};
use serde_json::{Value, json};

use super::session::number;
use super::shell::Shell;

const CREATURE: &[u8] = include_bytes!("../../../assets/creature.glb");

/// Opens the built-in rig in the middle of a hop, without panels.
fn opened(size: &str) -> Shell {
    let mut window = Shell::open_quick(&["--clip", "Hop", "--time", "0.5", "--size", size]);
    window.keys(&["U"]);
    window
}

/// Returns the distance between two points of the state, vertices of the rig, at a time of the hop.
fn distance(points: &[Value], time: f64) -> f64 {
    let model = load_bytes(CREATURE.to_vec(), &Default::default()).unwrap().model;
    let clip = model.clips.iter().find(|clip| clip.name() == Some("Hop")).unwrap();
    let mut stage = Stage::new(&model, model.default_scene);
    stage.pose(&model, Some(clip), time);
    let place = |point: &Value| {
        let [node, primitive, index] =
            ["node", "primitive", "index"].map(|key| number(point, key) as usize);
        let vertex = FileVertex::new(node, primitive, index as u32);
        stage.vertex_position(&model, vertex).unwrap()
    };
    place(&points[0]).distance(place(&points[1]))
}

#[test]
fn two_clicks_measure_the_distance_of_vertices_and_it_follows_the_motion() {
    let mut window = opened("800x600");
    window.keys(&["L"]);
    for at in [[400, 260], [400, 380]] {
        window.step(json!({"pick": at}));
    }
    let state = window.state();
    assert_eq!(state["selection"], Value::Null, "a click marks a point instead of selecting");
    let points = state["measured_points"].as_array().unwrap().clone();
    assert_eq!(points.len(), 2, "{state}");
    assert!((number(&state, "measured") - distance(&points, 0.5)).abs() < 1e-6, "{state}");
    assert!(number(&state, "measured") > 0.01, "{state}");
    window.keys(&["Home"]);
    let later = window.state();
    assert_eq!(number(&later, "time"), 0.0);
    assert!((number(&later, "measured") - distance(&points, 0.0)).abs() < 1e-6, "{later}");
    window.keys(&["Escape"]);
    assert_eq!(window.state()["measuring"], false);
    window.close();
}

#[test]
fn keys_show_ghosts_boxes_and_the_weights_of_the_selected_joint() {
    let mut window = opened("320x240");
    let plain = window.picture();
    window.keys(&["Shift+M"]);
    assert_eq!(window.state()["onion_skin"], 3);
    assert_ne!(window.picture(), plain);
    window.keys(&["Shift+M", "B"]);
    let state = window.state();
    let boxes = state["boxes"].as_array().unwrap();
    assert!(boxes.iter().all(|size| size[1].as_f64().unwrap() > 0.1), "{state}");
    window.keys(&["B"]);
    window.step(json!({"select": "head"}));
    window.keys(&["J"]);
    let state = window.state();
    assert_eq!(state["pass"], "weights");
    assert!(number(&state["joint_weights"], "vertices") > 10.0, "{state}");
    assert!(number(&state["joint_weights"], "largest") > 0.9, "{state}");
    window.keys(&["J"]);
    assert_eq!(window.state()["pass"], "shaded");
    window.close();
}
