//! Poses of meshes with instances (EXT_mesh_gpu_instancing).

use serde_json::json;

use super::Suite;
use crate::support::Glb;

const CASE: &str = "[[case]]\nname = \"a\"\nfile = \"creature.glb\"\nexpect = [\"pose\"]\n";

/// Returns a file with one node that draws a mesh at each of these places. The mesh has `points` points within a metre.
fn instanced(points: usize, places: &[[f32; 3]]) -> Glb {
    let mut glb = scene();
    let translation = glb.put_floats("VEC3", places.as_flattened());
    add_mesh(&mut glb, points);
    let extension =
        json!({"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": translation}}});
    glb.json["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing"]);
    glb.json["nodes"] = json!([{"mesh": 0, "extensions": extension}]);
    glb.json["scenes"] = json!([{"nodes": [0]}]);
    glb
}

/// Returns what [`instanced`] does, with a node for each place instead of an instance.
fn repeated(points: usize, places: &[[f32; 3]]) -> Glb {
    let mut glb = scene();
    add_mesh(&mut glb, points);
    let nodes: Vec<_> = places.iter().map(|at| json!({"mesh": 0, "translation": at})).collect();
    glb.json["scenes"] = json!([{"nodes": (0..nodes.len()).collect::<Vec<usize>>()}]);
    glb.json["nodes"] = json!(nodes);
    glb
}

fn scene() -> Glb {
    Glb { json: json!({"asset": {"version": "2.0"}, "scene": 0}), bin: Vec::new() }
}

fn add_mesh(glb: &mut Glb, points: usize) {
    let share = |i: usize, of: usize| (i * of % points) as f32 / points as f32;
    let places: Vec<f32> =
        (0..points).flat_map(|i| [share(i, 1), share(i, 7), share(i, 31)]).collect();
    let positions = glb.put_floats("VEC3", &places);
    glb.json["meshes"] =
        json!([{"primitives": [{"attributes": {"POSITION": positions}, "mode": 0}]}]);
}

/// Blesses a file, and returns the suite to test others in its place.
fn blessed(glb: Glb) -> Suite {
    let suite = Suite::new(CASE);
    glb.write(&suite.path("creature.glb"));
    suite.test(&["--bless"]).done();
    suite.test(&[]).done();
    suite
}

const PLACES: [[f32; 3]; 3] = [[0.0; 3], [5.0, 0.0, 0.0], [0.0, 0.0, 7.0]];

#[test]
fn an_instance_that_moved_is_a_failure() {
    let suite = blessed(instanced(50, &PLACES));
    for by in [0.001, 1.0] {
        let mut moved = PLACES;
        moved[2][1] += by;
        instanced(50, &moved).write(&suite.path("creature.glb"));
        suite.test(&[]).failed(1);
    }
    instanced(50, &PLACES[..2]).write(&suite.path("creature.glb"));
    suite.test(&[]).failed(1);
}

#[test]
fn instances_in_another_order_or_as_nodes_are_the_same_pose() {
    let suite = blessed(instanced(50, &PLACES));
    let [a, b, c] = PLACES;
    instanced(50, &[c, a, b]).write(&suite.path("creature.glb"));
    suite.test(&[]).done();
    repeated(50, &PLACES).write(&suite.path("creature.glb"));
    suite.test(&[]).done();
}

/// 2,100 instances of 1,009 points.
#[test]
fn one_of_many_instances_that_moved_is_a_failure() {
    let mut places: Vec<[f32; 3]> = (0..2100u16).map(|i| [2.0 * f32::from(i), 0.0, 0.0]).collect();
    let suite = blessed(instanced(1009, &places));
    places.reverse();
    instanced(1009, &places).write(&suite.path("creature.glb"));
    suite.test(&[]).done();
    places[700][2] += 0.01;
    instanced(1009, &places).write(&suite.path("creature.glb"));
    suite.test(&[]).failed(1);
}
