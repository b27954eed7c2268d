//! The motion of a case between its instants.

use serde_json::{Value, json};

use super::Suite;
use crate::support::Glb;

const CASE: &str = "[[case]]\nname = \"a\"\nfile = \"creature.glb\"\nclip = \"Walk\"\ntimes = [0.0]\nexpect = [\"pose\"]\n";

/// What moves in a clip of a rig: places of a joint along X at times, and whether a mesh is shown.
struct Take<'a> {
    hand: &'a [[f32; 2]],
    socket: &'a [[f32; 2]],
    sword: &'a [(f32, bool)],
}

const STILL: Take = Take { hand: &[[0.0, 0.0]], socket: &[[0.0, 0.0]], sword: &[(0.0, true)] };

/// Returns a rig of a joint "hand" with all vertices, below it a joint "socket" without any, and a mesh "sword".
fn rig(vertices: usize, end_secs: f32, take: &Take) -> Glb {
    let nodes = json!([{"name": "body", "mesh": 0, "skin": 0}, {"name": "hand", "children": [2]}, {"name": "socket"},
        {"name": "sword", "mesh": 1, "extensions": {"KHR_node_visibility": {"visible": true}}}]);
    let mut glb = Glb {
        json: json!({"asset": {"version": "2.0"}, "extensionsUsed": ["KHR_node_visibility", "KHR_animation_pointer"],
            "scene": 0, "scenes": [{"nodes": [0, 1, 3]}], "nodes": nodes, "skins": [{"joints": [1, 2]}]}),
        bin: Vec::new(),
    };
    let places: Vec<f32> = (0..3 * vertices).map(|i| (i % 1009) as f32 * 1e-3).collect();
    let positions = glb.put_floats("VEC3", &places);
    let ids = json!({"componentType": 5121, "type": "VEC4", "count": vertices});
    let joints = glb.put(ids, &vec![0; 4 * vertices]);
    let weights = glb.put_floats("VEC4", &[1.0, 0.0, 0.0, 0.0].repeat(vertices));
    let bare = glb.put_floats("VEC3", &places[..9]);
    let attributes = json!({"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights});
    glb.json["meshes"] = json!([{"primitives": [{"attributes": attributes, "mode": 0}]},
        {"primitives": [{"attributes": {"POSITION": bare}}]}]);
    let mut clip = json!({"name": "Walk", "channels": [], "samplers": []});
    let mut add = |target: Value, input: usize, output: usize| {
        let samplers = clip["samplers"].as_array_mut().unwrap();
        let way = if target["path"] == "pointer" { "STEP" } else { "LINEAR" };
        samplers.push(json!({"input": input, "output": output, "interpolation": way}));
        let channel = json!({"sampler": samplers.len() - 1, "target": target});
        clip["channels"].as_array_mut().unwrap().push(channel);
    };
    for (node, keys) in [(1, take.hand), (2, take.socket)] {
        let keys = [keys, &[[end_secs, 0.0]]].concat();
        let input = glb.put_floats("SCALAR", &keys.iter().map(|key| key[0]).collect::<Vec<_>>());
        let places: Vec<f32> = keys.iter().flat_map(|key| [key[1], 0.0, 0.0]).collect();
        let output = glb.put_floats("VEC3", &places);
        add(json!({"node": node, "path": "translation"}), input, output);
    }
    let times: Vec<f32> = take.sword.iter().map(|key| key.0).collect();
    let shown: Vec<u8> = take.sword.iter().map(|key| key.1.into()).collect();
    let input = glb.put_floats("SCALAR", &times);
    let output =
        glb.put(json!({"componentType": 5121, "type": "SCALAR", "count": shown.len()}), &shown);
    let pointer = json!({"KHR_animation_pointer": {"pointer": "/nodes/3/extensions/KHR_node_visibility/visible"}});
    add(json!({"path": "pointer", "extensions": pointer}), input, output);
    glb.json["animations"] = json!([clip]);
    glb
}

/// Blesses a still rig, and returns what is said about another take of it.
fn said(vertices: usize, end_secs: f32, take: &Take) -> String {
    let suite = Suite::new(CASE);
    let file = suite.path("creature.glb");
    rig(vertices, end_secs, &STILL).write(&file);
    suite.test(&["--bless"]).done();
    suite.test(&[]).done();
    rig(vertices, end_secs, take).write(&file);
    suite.test(&[]).failed(1).text().to_owned()
}

/// 20,000 vertices at 1,201 frames.
#[test]
fn one_frame_of_a_large_mesh_is_found() {
    let frame = |number: f32| number / 30.0;
    let hand = [[0.0, 0.0], [frame(600.0), 0.0], [frame(601.0), 0.5], [frame(602.0), 0.0]];
    let said = said(20_000, 40.0, &Take { hand: &hand, ..STILL });
    assert!(said.contains("pose at 20.03"), "{said}");
    assert!(said.contains("off by 499.9") && said.contains("\"hand\""), "{said}");
}

#[test]
fn a_joint_without_vertices_is_compared() {
    let socket = [[0.0, 0.0], [0.4, 0.0], [0.5, 2.0], [0.6, 0.0]];
    let said = said(3, 1.0, &Take { socket: &socket, ..STILL });
    assert!(said.contains("off by 2000.000 mm") && said.contains("\"socket\""), "{said}");
}

#[test]
fn a_mesh_that_is_hidden_for_a_while_is_found() {
    let sword = [(0.0, true), (0.2, false), (0.4, true)];
    let said = said(3, 1.0, &Take { sword: &sword, ..STILL });
    assert!(said.contains("the mesh of \"sword\" is hidden at 0.2"), "{said}");
}
