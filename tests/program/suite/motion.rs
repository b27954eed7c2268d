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
    assert!(said.contains("off by 500.0") && said.contains("\"hand\""), "{said}");
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

/// A mesh that grows from nothing: at rest, all its points are at one place. The many points beside it decide how the place is
/// looked for.
#[test]
fn a_mesh_that_is_nothing_at_rest_is_found_again() {
    for beside in [0, 3000] {
        let suite = Suite::new(CASE);
        let mut glb = Glb {
            json: json!({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
                "nodes": [{"name": "pop", "mesh": 0, "scale": [0, 0, 0]}, {"name": "body"}]}),
            bin: Vec::new(),
        };
        let places = |count: usize| {
            let share = |i: usize, of: usize| (i * of % count) as f32 / count as f32;
            (0..count).flat_map(|i| [share(i, 1), share(i, 7), share(i, 31)]).collect::<Vec<f32>>()
        };
        let positions = [1000, 3000].map(|count| glb.put_floats("VEC3", &places(count)));
        let mesh = |at: usize| json!({"primitives": [{"attributes": {"POSITION": at}, "mode": 0}]});
        glb.json["meshes"] = positions.map(mesh).as_slice().into();
        if beside > 0 {
            glb.json["nodes"][1]["mesh"] = 1.into();
        }
        let input = glb.put_floats("SCALAR", &[0.0, 1.0]);
        let output = glb.put_floats("VEC3", &[0.5, 0.5, 0.5, 1.0, 1.0, 1.0]);
        glb.json["animations"] = json!([{"name": "Walk", "samplers": [{"input": input, "output": output}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "scale"}}]}]);
        glb.write(&suite.path("creature.glb"));
        suite.test(&["--bless"]).done();
        suite.test(&[]).done();
    }
}

/// Houses within two kilometres, in another order.
#[test]
fn nodes_in_another_order_far_from_the_origin_are_at_the_same_places() {
    let suite = Suite::new(&CASE.replace("0.0", "0.5"));
    let street = |order: &[usize]| {
        let mut glb = Glb {
            json: json!({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": (0..40).collect::<Vec<_>>()}],
                "meshes": [{}]}),
            bin: Vec::new(),
        };
        let corners = [[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [0.0, 7.0, 3.0f32]];
        let positions = glb.put_floats("VEC3", corners.as_flattened());
        glb.json["meshes"] = json!([{"primitives": [{"attributes": {"POSITION": positions}}]}]);
        let house = |i: &usize| {
            let half = 0.3 * *i as f32;
            let at = [1000.0 * half.sin(), 0.1 * half, 1000.0 * (5.0 * half).cos()];
            json!({"name": format!("House{i}"), "mesh": 0, "translation": at,
                "rotation": [0.0, half.sin(), 0.0, half.cos()], "scale": [1.3, 1.3, 1.3]})
        };
        glb.json["nodes"] = order.iter().map(house).collect();
        let moved = order.iter().position(|i| *i == 7).unwrap();
        let input = glb.put_floats("SCALAR", &[0.0, 1.0]);
        let output = glb.put_floats("VEC3", &[900.0, 0.0, 0.0, 900.0, 5.0, 0.0]);
        glb.json["animations"] = json!([{"name": "Walk", "samplers": [{"input": input, "output": output}],
            "channels": [{"sampler": 0, "target": {"node": moved, "path": "translation"}}]}]);
        glb.write(&suite.path("creature.glb"));
    };
    let order: Vec<usize> = (0..40).collect();
    street(&order);
    suite.test(&["--bless"]).done();
    street(&order.into_iter().rev().collect::<Vec<_>>());
    suite.test(&[]).done();
}

#[test]
fn a_mesh_that_is_gone_is_a_failure() {
    let suite = Suite::new(CASE);
    let file = suite.path("creature.glb");
    let mut glb = rig(3, 1.0, &Take { socket: &[[0.0, 0.0], [0.5, 2.0]], ..STILL });
    glb.write(&file);
    suite.test(&["--bless"]).done();
    let nodes = glb.json["nodes"].as_array_mut().unwrap();
    nodes.iter_mut().for_each(|node| {
        node.as_object_mut().unwrap().retain(|key, _| key != "mesh" && key != "skin");
    });
    glb.write(&file);
    suite.test(&[]).failed(1);
    suite.test(&["--bless"]).done();
    suite.test(&[]).done();
}

/// Returns two joints that come apart over a second, and a square of which each weight is that of the first one. A morph target lifts
/// it by `lift` at the end.
fn stretched(weights: [f32; 4], lift: f32) -> Glb {
    let mut glb = Glb {
        json: json!({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1, 2]}],
            "nodes": [{"name": "left"}, {"name": "right"}, {"name": "skin", "mesh": 0, "skin": 0}],
            "skins": [{"joints": [0, 1]}]}),
        bin: Vec::new(),
    };
    let corners = [[0.0, 0.0, 0.0f32], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let positions = glb.put_floats("VEC3", corners.as_flattened());
    let ids = json!({"componentType": 5121, "type": "VEC4", "count": 4});
    let joints = glb.put(ids, &[0, 1, 0, 0].repeat(4));
    let shares: Vec<f32> = weights.iter().flat_map(|w| [*w, 1.0 - w, 0.0, 0.0]).collect();
    let weights = glb.put_floats("VEC4", &shares);
    let deltas = glb.put_floats("VEC3", &[0.0, 0.0, lift].repeat(4));
    glb.json["meshes"] = json!([{"weights": [0], "primitives": [{"mode": 6, "targets": [{"POSITION": deltas}],
        "attributes": {"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights}}]}]);
    let input = glb.put_floats("SCALAR", &[0.0, 1.0]);
    let moves = glb.put_floats("VEC3", &[0.0, 0.0, 0.0, -2.0, 0.0, 0.0]);
    let lifts = glb.put_floats("SCALAR", &[0.0, 1.0]);
    glb.json["animations"] = json!([{"name": "Walk",
        "samplers": [{"input": input, "output": moves}, {"input": input, "output": lifts}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}},
            {"sampler": 1, "target": {"node": 2, "path": "weights"}}]}]);
    glb
}

/// At the only instant of the case, the skin is as at rest.
#[test]
fn weights_and_morph_targets_count_between_the_instants() {
    let suite = Suite::new(CASE);
    let file = suite.path("creature.glb");
    let weights = [1.0, 0.0, 0.0, 1.0];
    stretched(weights, 0.5).write(&file);
    suite.test(&["--bless"]).done();
    suite.test(&[]).done();
    for (weights, lift, off) in [
        ([0.0, 1.0, 1.0, 0.0], 0.5, "2000.0"),
        (weights, 7.0, "6500.0"),
        ([0.9, 0.0, 0.0, 1.0], 0.5, "200.0"),
    ] {
        stretched(weights, lift).write(&file);
        let failed = suite.test(&[]).failed(1);
        let said = failed.text();
        assert!(said.contains("pose at 1 s") && said.contains(&format!("off by {off}")), "{said}");
    }
}

/// Returns rigid bodies that have a morph target each, with their names, where they stand, and how far their clip moves them and
/// opens the target.
fn bodies(bodies: &[(&str, f32, [f32; 2])], hidden: Option<usize>) -> Glb {
    let mut glb = Glb { json: json!({"asset": {"version": "2.0"}, "scene": 0}), bin: Vec::new() };
    let corners = [[0.0, 0.0, 0.0f32], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let positions = glb.put_floats("VEC3", corners.as_flattened());
    let deltas = glb.put_floats("VEC3", &[0.0, 0.0, 1.0].repeat(3));
    glb.json["meshes"] = json!([{"weights": [0], "primitives": [{"attributes": {"POSITION": positions},
        "targets": [{"POSITION": deltas}]}]}]);
    let node = |(i, (name, at, _)): (usize, &(&str, f32, [f32; 2]))| {
        let mut node = json!({"mesh": 0, "translation": [at, 0, 0]});
        if !name.is_empty() {
            node["name"] = json!(name);
        }
        if hidden == Some(i) {
            node["extensions"] = json!({"KHR_node_visibility": {"visible": false}});
        }
        node
    };
    glb.json["extensionsUsed"] = json!(["KHR_node_visibility"]);
    glb.json["nodes"] = bodies.iter().enumerate().map(node).collect();
    glb.json["scenes"] = json!([{"nodes": (0..bodies.len()).collect::<Vec<_>>()}]);
    let input = glb.put_floats("SCALAR", &[0.0, 1.0]);
    let mut clip = json!({"name": "Walk", "samplers": [], "channels": []});
    for (i, (_, at, [moves, opens])) in bodies.iter().enumerate() {
        let moves = glb.put_floats("VEC3", &[*at, 0.0, 0.0, *at, *moves, 0.0]);
        let opens = glb.put_floats("SCALAR", &[0.0, *opens]);
        for (k, (path, output)) in
            [("translation", moves), ("weights", opens)].into_iter().enumerate()
        {
            clip["samplers"]
                .as_array_mut()
                .unwrap()
                .push(json!({"input": input, "output": output}));
            let channel = json!({"sampler": 2 * i + k, "target": {"node": i, "path": path}});
            clip["channels"].as_array_mut().unwrap().push(channel);
        }
    }
    glb.json["animations"] = json!([clip]);
    glb
}

/// Nodes are known by their names, and by their places if they have none or share one.
#[test]
fn nodes_in_another_order_have_the_same_motion() {
    let suite = Suite::new(CASE);
    let file = suite.path("creature.glb");
    for names in [["a", "b", "c"], ["a", "", ""], ["a", "twin", "twin"], ["", "", ""]] {
        let list =
            [(names[0], 0.0, [1.0, 0.5]), (names[1], 5.0, [2.0, 0.0]), (names[2], 9.0, [0.0, 1.0])];
        bodies(&list, None).write(&file);
        suite.test(&["--bless"]).done();
        let [a, b, c] = list;
        bodies(&[c, a, b], None).write(&file);
        suite.test(&[]).done();
        // The motions of two of them are exchanged, in either order.
        let [b, c] = [(b.0, b.1, c.2), (c.0, c.1, b.2)];
        for list in [[a, b, c], [c, a, b]] {
            bodies(&list, None).write(&file);
            suite.test(&[]).failed(1);
        }
    }
}

/// Returns the square of [`stretched`] as one mesh, or as two halves, of which the second one is a node of its own.
fn halves(second: Option<bool>) -> Glb {
    let mut glb = stretched([1.0; 4], 0.0);
    glb.json["animations"][0]["channels"].as_array_mut().unwrap().pop();
    let attributes = glb.json["meshes"][0]["primitives"][0]["attributes"].clone();
    let mut mesh = |corners: &[u16]| {
        let list = json!({"componentType": 5123, "type": "SCALAR", "count": corners.len()});
        let indices = glb.put(list, bytemuck::cast_slice(corners));
        json!({"primitives": [{"attributes": attributes, "indices": indices}]})
    };
    let all = [0, 1, 2, 0, 2, 3];
    let meshes = match second {
        None => vec![mesh(&all)],
        Some(_) => vec![mesh(&all[..3]), mesh(&all[3..])],
    };
    glb.json["meshes"] = meshes.into();
    if let Some(visible) = second {
        glb.json["extensionsUsed"] = json!(["KHR_node_visibility"]);
        let half = json!({"name": "half", "mesh": 1, "skin": 0,
            "extensions": {"KHR_node_visibility": {"visible": visible}}});
        glb.json["nodes"].as_array_mut().unwrap().push(half);
        glb.json["scenes"][0]["nodes"].as_array_mut().unwrap().push(3.into());
    }
    glb
}

/// The second half of a model is a node of its own, and hidden.
#[test]
fn a_part_that_was_cut_off_and_hidden_is_found() {
    let suite = Suite::new(CASE);
    let file = suite.path("creature.glb");
    halves(None).write(&file);
    suite.test(&["--bless"]).done();
    halves(Some(true)).write(&file);
    suite.test(&[]).done();
    halves(Some(false)).write(&file);
    suite.test(&[]).failed(1);
}

/// A part without a name is hidden instead of another one.
#[test]
fn a_part_that_is_hidden_instead_of_another_one_is_found() {
    let suite = Suite::new(CASE);
    let file = suite.path("creature.glb");
    for names in [["a", "b", "c"], ["", "", ""]] {
        let list =
            [(names[0], 0.0, [1.0, 0.5]), (names[1], 5.0, [2.0, 0.0]), (names[2], 9.0, [0.0, 1.0])];
        bodies(&list, Some(1)).write(&file);
        suite.test(&["--bless"]).done();
        let [a, b, c] = list;
        bodies(&[c, a, b], Some(2)).write(&file);
        suite.test(&[]).done();
        bodies(&list, Some(2)).write(&file);
        suite.test(&[]).failed(1);
    }
}

/// Two meshes with equal skins, one of which is used by both.
#[test]
fn equal_skins_that_were_joined_have_the_same_motion() {
    let suite = Suite::new(CASE);
    let file = suite.path("creature.glb");
    let with = |skin: usize| {
        let mut glb = stretched([0.5; 4], 0.5);
        glb.json["skins"] = json!([{"joints": [0, 1]}, {"joints": [0, 1]}]);
        let nodes = glb.json["nodes"].as_array_mut().unwrap();
        nodes.push(json!({"name": "other", "mesh": 0, "skin": skin}));
        glb.json["scenes"][0]["nodes"] = json!([0, 1, 2, 3]);
        glb
    };
    with(1).write(&file);
    suite.test(&["--bless"]).done();
    with(0).write(&file);
    suite.test(&[]).done();
}
