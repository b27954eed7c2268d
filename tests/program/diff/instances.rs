//! Instances of meshes (EXT_mesh_gpu_instancing): they are measured where the scene has them, whatever their order.

use serde_json::{Value, json};

use super::{Models, distance, floats, keys, kinds};

/// Draws the square, scaled by `size`, once at each of these places of its node, scaled by `scales`.
fn instanced(json: &mut Value, size: f32, places: &[[f32; 3]], scales: f32) {
    let corners = [[-1., -1.], [1., -1.], [1., 1.], [-1., 1.]];
    let corners = corners.map(|[x, y]: [f32; 2]| [size * x, size * y, 0.]);
    let position = floats(json, "VEC3", corners.as_flattened());
    json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(position);
    let translation = floats(json, "VEC3", places.as_flattened());
    let scale = floats(json, "VEC3", &vec![scales; 3 * places.len()]);
    json["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing"]);
    let attributes = json!({"TRANSLATION": translation, "SCALE": scale});
    json["nodes"][0]["extensions"] = json!({"EXT_mesh_gpu_instancing": {"attributes": attributes}});
}

/// The node is a thousand times as large as its contents: 0.05 mm in it are 50 mm in the scene.
#[test]
fn a_moved_instance_is_measured_in_the_scene() {
    let models = Models::new();
    let with = |name: &str, second: f32| {
        models.write(name, &[], |json| {
            instanced(json, 0.001, &[[0.; 3], [second, 0., 0.], [0., 0.01, 0.]], 1.0);
            json["nodes"][0]["scale"] = json!([1000, 1000, 1000]);
        });
    };
    with("a.gltf", 0.003);
    with("b.gltf", 0.00305);
    for (a, b) in [("a.gltf", "b.gltf"), ("b.gltf", "a.gltf")] {
        let got = models.json(a, b, 1);
        assert!((distance(&got["rest"]) - 0.05).abs() < 1e-5, "{got}");
        assert_eq!(kinds(&got).len(), 0, "{got}");
        models.diff(a, b, &["--tolerance", "0.0501"]).done();
    }
    with("c.gltf", 0.003_000_05);
    models.json("a.gltf", "c.gltf", 0);
}

/// The node in the second file is a thousand times as small, and its instances as much larger: the scene is the same.
#[test]
fn the_unit_and_the_order_of_instances_are_no_difference() {
    let models = Models::new();
    models.write("a.gltf", &["Turn"], |json| {
        instanced(json, 1.0, &[[0.; 3], [3., 0., 0.], [0., 7., 0.], [3., 0., 0.]], 1.0);
    });
    models.write("b.gltf", &["Turn"], |json| {
        // The mesh is half as large, as quantization has it, and each instance twice as large.
        instanced(json, 0.5, &[[3., 0., 0.], [0., 7., 0.], [3., 0., 0.], [0.; 3]], 2.0);
    });
    for (a, b) in [("a.gltf", "b.gltf"), ("b.gltf", "a.gltf")] {
        let got = models.json(a, b, 0);
        assert!(distance(&got["rest"]) < 1e-6 && distance(&got["clips"][0]) < 1e-6, "{got}");
        assert_eq!(kinds(&got).len(), 0, "{got}");
    }
    models.write("moved.gltf", &["Turn"], |json| {
        instanced(json, 0.5, &[[3., 0., 0.], [0., 7., 0.02], [3., 0., 0.], [0.; 3]], 2.0);
    });
    let got = models.json("a.gltf", "moved.gltf", 1);
    assert!((distance(&got["rest"]) - 0.02).abs() < 1e-5, "{got}");
}

/// A turn by a tenth of a degree more moves what is 100 m away by 175 mm, and a corner of the square by 2.5 mm.
#[test]
fn a_clip_is_measured_at_the_farthest_instance() {
    let models = Models::new();
    let with = |name: &str, degrees: f32| {
        models.write(name, &["Turn"], |json| {
            instanced(json, 1.0, &[[0.; 3], [100., 0., 0.], [50., 0., 0.]], 1.0);
            let half = 0.5 * degrees.to_radians();
            let turned = [0., 0., half.sin(), half.cos()];
            keys(json, "rotation", "LINEAR", &[0., 1.], &[[0., 0., 0., 1.], turned].concat());
        });
    };
    with("a.gltf", 90.0);
    with("b.gltf", 90.1);
    let got = models.json("a.gltf", "b.gltf", 1);
    let clip = &got["clips"][0];
    assert!((distance(clip) - 0.176).abs() < 2e-3, "{got}");
    assert_eq!((&clip["joint"], distance(&got["rest"])), (&json!("square"), 0.0), "{got}");
    assert_eq!(kinds(&got).len(), 0, "{got}");
}

/// All instances are moved by 10 mm, and are in another order.
#[test]
fn moved_instances_in_another_order_are_measured_from_the_nearest_ones() {
    let models = Models::new();
    let with = |name: &str, places: [[f32; 3]; 3]| {
        models.write(name, &[], |json| instanced(json, 1.0, &places, 1.0));
    };
    with("a.gltf", [[0.; 3], [3., 0., 0.], [0., 7., 0.]]);
    with("b.gltf", [[0., 7., 0.01], [0., 0., 0.01], [3., 0., 0.01]]);
    let got = models.json("a.gltf", "b.gltf", 1);
    assert!((distance(&got["rest"]) - 0.01).abs() < 1e-5, "{got}");
}

/// Most instances of a row that was moved along itself are near where another one was; those at its ends are not.
#[test]
fn a_row_that_was_moved_along_itself_is_measured_at_its_ends() {
    let models = Models::new();
    let with = |name: &str, start: f32| {
        let places: Vec<[f32; 3]> = (0..20).map(|i| [start + 3. * i as f32, 0., 0.]).collect();
        models.write(name, &[], |json| instanced(json, 1.0, &places, 1.0));
    };
    with("a.gltf", 0.);
    with("b.gltf", -12.1);
    let got = models.json("a.gltf", "b.gltf", 1);
    assert!((distance(&got["rest"]) - 12.1).abs() < 1e-4, "{got}");
}
