//! Vertices in another order, and those without a partner.

use base64::Engine as _;
use serde_json::{Value, json};

use super::{Models, distance, floats};

/// A sheet of 5 x 5 vertices in the order of `order`.
fn sheet(json: &mut Value, order: impl Fn(usize) -> usize) {
    let mut places = [0.0; 75];
    let mut corners = Vec::new();
    for i in 0..25 {
        let (x, y) = ((i % 5) as f32, (i / 5) as f32);
        places[3 * order(i)..3 * order(i) + 3].copy_from_slice(&[x, y, 0.1 * x * y]);
        if i % 5 < 4 && i < 20 {
            corners.extend([i, i + 1, i + 6, i, i + 6, i + 5].map(&order));
        }
    }
    // Without indices, an index says nothing of a vertex.
    let places: Vec<f32> = corners.iter().flat_map(|i| places[3 * i..3 * i + 3].to_vec()).collect();
    let position = floats(json, "VEC3", &places);
    json["meshes"][0]["primitives"][0] = json!({"attributes": {"POSITION": position}});
}

#[test]
fn vertices_in_another_order_are_paired_by_place() {
    let models = Models::new();
    models.write("a.gltf", &["Turn"], |json| sheet(json, |i| i));
    models.write("b.gltf", &["Turn"], |json| {
        sheet(json, |i| i);
        // The first and the last triangle are exchanged; all others keep their index.
        let count = json["accessors"].as_array().unwrap().len();
        let uri = json["buffers"][1]["uri"].as_str().unwrap().to_owned();
        let data = base64::engine::general_purpose::STANDARD;
        let mut bytes = data.decode(uri.split_once(',').unwrap().1).unwrap();
        let last = bytes.len() - 36;
        let first: Vec<u8> = bytes[..36].to_vec();
        bytes.copy_within(last.., 0);
        bytes[last..].copy_from_slice(&first);
        json["buffers"][1]["uri"] = json!(format!("data:;base64,{}", data.encode(&bytes)));
        assert_eq!(count, 5);
    });
    let got = models.json("a.gltf", "b.gltf", 0);
    assert_eq!((distance(&got["rest"]), distance(&got["clips"][0])), (0.0, 0.0));
    assert_eq!((&got["paired"], &got["structure"]), (&json!("place"), &json!([])));
}

/// A vertex of A lies in the middle of a triangle's edge of B, 3 mm below it.
#[test]
fn a_vertex_without_a_partner_is_measured_from_the_surface() {
    let models = Models::new();
    let quad = |json: &mut Value, places: &[f32]| {
        let position = floats(json, "VEC3", places);
        json["meshes"][0]["primitives"][0] = json!({"attributes": {"POSITION": position}});
    };
    let corners = [[0., 0., 0.], [2., 0., 0.], [2., 2., 0.], [0., 2., 0.]];
    let fan = |middle: [f32; 3]| -> Vec<f32> {
        (0..4).flat_map(|i| [corners[i], corners[(i + 1) % 4], middle].concat()).collect()
    };
    models.write("a.gltf", &[], |json| quad(json, &fan([1.0, 1.0, -0.003])));
    let half = [0, 1, 2, 0, 2, 3].map(|i: usize| corners[i]).concat();
    models.write("b.gltf", &[], |json| quad(json, &half));
    let got = models.json("a.gltf", "b.gltf", 1);
    assert_eq!(got["paired"], "surface");
    assert!((distance(&got["rest"]) - 0.003).abs() < 1e-6, "{got}");
}
