//! EXT_mesh_gpu_instancing: the places where a mesh is drawn, and that the camera frames all of them.

use crate::import::{codes, loaded};
use crate::support::{SmallModel, floats, rigview};
use glam::Vec3;
use rigview::import::{ImportError, Loaded};
use rigview::model::{Stage, clip_hull};
use serde_json::{Value, json};

/// A triangle at a node one metre up, with two instances: one at the node, and one five metres along X, twice
/// as large and rotated by 180 degrees about Z. `skin` and `attributes` are added to the file.
fn two(skin: Option<usize>, attributes: Value) -> Result<Loaded, ImportError> {
    let positions = [[0f32, 0., 0.], [1., 0., 0.], [0., 1., 0.]];
    let translations = [[0f32, 0., 0.], [5., 0., 0.]];
    let rotations = [[0i16, 0, 0, i16::MAX], [0, 0, i16::MAX, 0]];
    let scales = [[1f32; 3], [2.; 3]];
    let joints = [[0u8; 4]; 3];
    let weights = [[255u8, 0, 0, 0]; 3];
    let mut node = json!({"mesh": 0, "translation": [0, 1, 0],
        "extensions": {"EXT_mesh_gpu_instancing": {"attributes": attributes}}});
    if let Some(skin) = skin {
        node["skin"] = json!(skin);
    }
    loaded(
        &[
            bytemuck::cast_slice(&positions),
            bytemuck::cast_slice(&translations),
            bytemuck::cast_slice(&rotations),
            bytemuck::cast_slice(&scales),
            joints.as_flattened(),
            weights.as_flattened(),
        ],
        json!({
            "extensionsRequired": ["EXT_mesh_gpu_instancing"],
            "scenes": [{"nodes": [0, 1]}],
            "nodes": [node, {}],
            "skins": [{"joints": [1]}],
            "meshes": [{"primitives": [{"attributes":
                {"POSITION": 0, "JOINTS_0": 4, "WEIGHTS_0": 5}}]}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                 "min": [0, 0, 0], "max": [1, 1, 0]},
                {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3"},
                {"bufferView": 2, "componentType": 5122, "count": 2, "type": "VEC4",
                 "normalized": true},
                {"bufferView": 3, "componentType": 5126, "count": 2, "type": "VEC3"},
                {"bufferView": 4, "componentType": 5121, "count": 3, "type": "VEC4"},
                {"bufferView": 5, "componentType": 5121, "count": 3, "type": "VEC4",
                 "normalized": true},
            ],
        }),
    )
}

fn all_three() -> Value {
    json!({"TRANSLATION": 1, "ROTATION": 2, "SCALE": 3, "_ID": 1})
}

#[test]
fn a_mesh_is_drawn_and_framed_at_all_its_instances() {
    let loaded = two(None, all_three()).unwrap();
    assert_eq!(codes(&loaded), ["SKIN_MISSING"]);
    let model = &loaded.model;
    let at = model.nodes[0].instances[1].transform_point3(Vec3::X);
    assert!(at.abs_diff_eq(Vec3::new(3., 0., 0.), 1e-3), "{at}");
    let mut stage = Stage::new(model, 0);
    let bounds = stage.bounds(model);
    assert!(bounds.min.abs_diff_eq(Vec3::new(0., -1., 0.), 1e-3), "{bounds:?}");
    assert!(bounds.max.abs_diff_eq(Vec3::new(5., 2., 0.), 1e-3), "{bounds:?}");
    let hull = clip_hull(model, &mut stage, None, None);
    for corner in [Vec3::new(5., -1., 0.), Vec3::new(0., 2., 0.)] {
        assert!(hull.iter().any(|p| p.abs_diff_eq(corner, 1e-3)), "{corner}: {hull:?}");
    }
    // Reported positions are those of the node, without its instances.
    let own = stage.deformed(model, 0, 0).unwrap();
    assert_eq!(own, [Vec3::Y, Vec3::new(1., 1., 0.), Vec3::new(0., 2., 0.)]);
}

#[test]
fn instances_of_a_skinned_mesh_are_drawn_once() {
    let loaded = two(Some(0), all_three()).unwrap();
    assert_eq!(codes(&loaded), ["SKIN_NODE_TRANSFORM", "INSTANCES_SKINNED"]);
    assert!(loaded.model.nodes[0].instances.is_empty());
}

#[test]
fn instances_that_nobody_counted_are_refused_or_none() {
    let error = two(None, json!({"TRANSLATION": 1, "_COLOR": 0})).unwrap_err();
    assert!(error.message().contains("\"_COLOR\" has 3 entries for 2 instances"), "{error}");
    assert_eq!(codes(&two(None, json!({})).unwrap()), ["SKIN_MISSING", "INSTANCES_NONE"]);
}

/// Each instance is red on one side and blue on the other, so that their order shows where they overlap.
#[test]
fn what_shows_through_an_instance_is_behind_it_whatever_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let drawn = |name: &str, places: [[f32; 3]; 2]| {
        let (file, out) = (folder.path().join(name), folder.path().join("out.png"));
        let model = SmallModel::new().edit(|json| {
            let (red, blue) = ([1.0, 0.0, 0.0, 0.5], [0.0, 0.0, 1.0, 0.5]);
            let colors = floats(json, "VEC4", [red, blue, blue, red].as_flattened());
            let translations = floats(json, "VEC3", places.as_flattened());
            let primitive = &mut json["meshes"][0]["primitives"][0];
            primitive["attributes"]["COLOR_0"] = json!(colors);
            primitive["material"] = json!(0);
            json["materials"] =
                json!([{"alphaMode": "BLEND", "extensions": {"KHR_materials_unlit": {}}}]);
            json["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing", "KHR_materials_unlit"]);
            json["nodes"][0]["extensions"] = json!({"EXT_mesh_gpu_instancing":
                {"attributes": {"TRANSLATION": translations}}});
        });
        model.write_gltf(&file);
        let view = ["--orbit", "0,0", "--orthographic", "4", "--size", "64x64"];
        let files = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        rigview([&files[..], &view].concat()).done();
        image::open(out).unwrap().into_rgb8()
    };
    let (near, far) = ([0.5, 0.0, 0.5], [-0.5, 0.0, -0.5]);
    let picture = drawn("near_first.gltf", [near, far]);
    assert!(picture == drawn("far_first.gltf", [far, near]));
    // In the middle, the red of the nearer one lies over the blue of the other one.
    let [red, _, blue] = picture.get_pixel(32, 32).0;
    assert!(red > blue, "{red} {blue}");
}
