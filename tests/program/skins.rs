//! Skins with numbers worked out by hand: a strip on two joints, written in all ways that glTF allows.

use glam::{Mat4, Quat, Vec3};
use serde_json::{Value, json};

use crate::support::{Run, accessor, floats, rigview};

/// The data of an accessor: component type, shape, count and bytes.
struct List {
    component: u32,
    shape: &'static str,
    normalized: bool,
    bytes: Vec<u8>,
}

/// Three vertices at heights of 0, 1 and 2 metres: on the lower joint, on both, on the upper one. The lower joint is
/// at the origin. The upper one, a metre above it, is rotated by 90 degrees about Z.
struct Strip {
    joints: List,
    weights: List,
    more: Vec<(String, List)>,
    inverse_binds: bool,
    names: [&'static str; 2],
    /// The transform of the mesh's node, which must be ignored.
    mesh_node: Value,
    /// The transform of the upper joint's node.
    upper: Value,
}

fn bytes_of<T: bytemuck::NoUninit>(list: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(list).to_vec()
}

const QUARTER: f32 = std::f32::consts::FRAC_1_SQRT_2;
const JOINTS: [[u8; 4]; 3] = [[0; 4], [0, 1, 0, 0], [1, 0, 0, 0]];
const WEIGHTS: [[f32; 4]; 3] = [[1., 0., 0., 0.], [0.5, 0.5, 0., 0.], [1., 0., 0., 0.]];
/// Expected positions: the rotation of the upper joint moves the tip to the left.
const POSED: [Vec3; 3] = [Vec3::ZERO, Vec3::Y, Vec3::new(-1.0, 1.0, 0.0)];

impl Strip {
    fn new() -> Self {
        Self {
            joints: List {
                component: 5121,
                shape: "VEC4",
                normalized: false,
                bytes: bytes_of(&JOINTS),
            },
            weights: List {
                component: 5126,
                shape: "VEC4",
                normalized: false,
                bytes: bytes_of(&WEIGHTS),
            },
            more: Vec::new(),
            inverse_binds: true,
            names: ["lower", "upper"],
            mesh_node: json!({}),
            upper: json!({"translation": [0, 1, 0], "rotation": [0, 0, QUARTER, QUARTER]}),
        }
    }

    /// The weights in another component type.
    fn weights(self, component: u32, list: Vec<u8>) -> Self {
        let normalized = component != 5126;
        Self { weights: List { component, shape: "VEC4", normalized, bytes: list }, ..self }
    }

    fn gltf(&self) -> Value {
        let mut json =
            json!({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0, 1]}], "scene": 0});
        let heights = [0., 0., 0., 0., 1., 0., 0., 2., 0.];
        let mut attributes = json!({"POSITION": floats(&mut json, "VEC3", &heights)});
        let more = self.more.iter().map(|(name, list)| (name.as_str(), list));
        for (name, list) in
            [("JOINTS_0", &self.joints), ("WEIGHTS_0", &self.weights)].into_iter().chain(more)
        {
            let at = accessor(&mut json, list.component, list.shape, 3, &list.bytes);
            json["accessors"][at]["normalized"] = json!(list.normalized);
            attributes[name] = json!(at);
        }
        let down = Mat4::from_translation(Vec3::NEG_Y);
        let binds = [Mat4::IDENTITY, down].map(|m| m.to_cols_array()).concat();
        let mut skin = json!({"joints": [1, 2]});
        if self.inverse_binds {
            let binds = accessor(&mut json, 5126, "MAT4", 2, bytemuck::cast_slice(&binds));
            skin["inverseBindMatrices"] = json!(binds);
        }
        let mut nodes = [self.mesh_node.clone(), json!({"children": [2]}), self.upper.clone()];
        (nodes[0]["mesh"], nodes[0]["skin"]) = (json!(0), json!(0));
        for (node, name) in nodes[1..].iter_mut().zip(self.names) {
            node["name"] = json!(name);
        }
        json["nodes"] = json!(nodes);
        json["skins"] = json!([skin]);
        json["meshes"] = json!([{"primitives": [{"mode": 0, "attributes": attributes}]}]);
        json
    }

    fn run(&self, args: &[&str]) -> Run {
        run(&self.gltf(), args)
    }

    /// Returns the posed vertices, computed by the CPU and by the GPU.
    #[track_caller]
    fn stands(&self, expected: [Vec3; 3]) -> String {
        let mut said = String::new();
        for more in [&[][..], &["--gpu"]] {
            let run = self.run(&[&["pose", "--json", "--vertices", "3"], more].concat()).done();
            let pose = run.json();
            let seen: Vec<[f32; 3]> =
                serde_json::from_value(pose["vertices"][0]["position"].clone()).unwrap();
            for (seen, wanted) in seen.into_iter().map(Vec3::from).zip(expected) {
                assert!((seen - wanted).length() < 1e-6, "{more:?}: {seen} is not {wanted}");
            }
            said = run.stderr;
        }
        said
    }
}

fn run(document: &Value, args: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("strip.gltf");
    std::fs::write(&file, document.to_string()).unwrap();
    rigview([&args[..1], &[file.to_str().unwrap()], &args[1..]].concat())
}

#[test]
fn a_strip_bends_where_it_was_worked_out_to() {
    assert_eq!(Strip::new().stands(POSED), "");
}

#[test]
fn joints_and_weights_of_every_type_bend_it_alike() {
    let wide = bytes_of(&JOINTS.map(|j| j.map(u16::from)));
    let mut strip = Strip::new();
    strip.joints = List { component: 5123, shape: "VEC4", normalized: false, bytes: wide };
    assert_eq!(strip.stands(POSED), "");
    // 255 has no half, so exporters write 127 and 128, whose sum is 255.
    let middle = POSED[1];
    let bytes = [[255u8, 0, 0, 0], [127, 128, 0, 0], [255, 0, 0, 0]];
    assert_eq!(
        Strip::new().weights(5121, bytes_of(&bytes)).stands([POSED[0], middle, POSED[2]]),
        ""
    );
    let shorts = [[65535u16, 0, 0, 0], [32767, 32768, 0, 0], [65535, 0, 0, 0]];
    assert_eq!(Strip::new().weights(5123, bytes_of(&shorts)).stands(POSED), "");
}

#[test]
fn weights_that_do_not_sum_to_one_are_divided_by_their_sum_and_told() {
    let quarter = [[1., 0., 0., 0.], [0.25f32, 0.25, 0., 0.], [0.5, 0., 0., 0.]];
    let said = Strip::new().weights(5126, bytes_of(&quarter)).stands(POSED);
    assert!(said.contains("2 of 3") || said.contains("2 vertices"), "{said}");
}

#[test]
fn without_inverse_bind_matrices_they_are_the_identity() {
    let mut strip = Strip::new();
    strip.inverse_binds = false;
    // The upper joint rotates the vertex two metres above it, and moves it up by a metre.
    let tip = Vec3::new(-2.0, 1.0, 0.0);
    let middle = (Vec3::Y + Vec3::new(-1.0, 1.0, 0.0)) / 2.0;
    strip.stands([Vec3::ZERO, middle, tip]);
}

#[test]
fn the_node_of_the_mesh_does_not_count() {
    let mut strip = Strip::new();
    strip.mesh_node = json!({"translation": [5, 6, 7], "scale": [2, 3, 4]});
    let said = strip.stands(POSED);
    assert!(said.contains("glTF ignores its translation, scale"), "{said}");
    // An identity transform gives no warning, in whatever form it is written.
    for none in [
        json!({"translation": [0, 0, 0], "rotation": [0, 0, 0, -1], "scale": [1, 1, 1]}),
        json!({"matrix": Mat4::IDENTITY.to_cols_array(), "name": "mesh"}),
        json!({"translation": [1e-8, 0, 0]}),
    ] {
        strip.mesh_node = none;
        assert_eq!(strip.stands(POSED), "");
    }
}

#[test]
fn joints_of_one_name_are_two_joints() {
    let mut strip = Strip::new();
    strip.names = ["bone", "bone"];
    strip.stands(POSED);
}

#[test]
fn a_matrix_is_its_translation_rotation_and_scale() {
    let rotation = Quat::from_xyzw(0.0, 0.0, QUARTER, QUARTER);
    let upper = Mat4::from_scale_rotation_translation(Vec3::new(1.0, 2.0, 0.5), rotation, Vec3::Y);
    let mut strip = Strip::new();
    strip.upper = json!({"matrix": upper.to_cols_array()});
    // The scale is applied first, then the rotation, then the translation.
    strip.stands([POSED[0], POSED[1], Vec3::new(-2.0, 1.0, 0.0)]);
    let run = strip.run(&["pose", "--json"]).done();
    let pose = run.json();
    let scale: [f32; 3] = serde_json::from_value(pose["nodes"][2]["scale"].clone()).unwrap();
    assert!((Vec3::from(scale) - Vec3::new(1.0, 2.0, 0.5)).length() < 1e-6, "{scale:?}");
    let world: [f32; 16] = serde_json::from_value(pose["nodes"][2]["world"].clone()).unwrap();
    assert!(Mat4::from_cols_array(&world).abs_diff_eq(upper, 1e-6), "{world:?}");
}

#[test]
fn twelve_influences_all_count() {
    let mut strip = Strip::new();
    let joints = [[0u8; 4], [1, 0, 1, 0], [1; 4]];
    let set = |weight: [f32; 3]| weight.map(|w| [w; 4]);
    strip.joints.bytes = bytes_of(&joints);
    strip.weights.bytes = bytes_of(&set([1.0 / 12.0; 3]));
    for n in 1..3 {
        let joints =
            List { component: 5121, shape: "VEC4", normalized: false, bytes: bytes_of(&joints) };
        let weights = set([1.0 / 12.0; 3]);
        let weights =
            List { component: 5126, shape: "VEC4", normalized: false, bytes: bytes_of(&weights) };
        strip.more.push((format!("JOINTS_{n}"), joints));
        strip.more.push((format!("WEIGHTS_{n}"), weights));
    }
    strip.stands(POSED);
}

#[test]
fn a_chain_of_twenty_thousand_nodes_is_posed() {
    const NODES: usize = 20_000;
    let node = |i: usize| match i + 1 < NODES {
        true => json!({"translation": [0.5, 0, 0], "children": [i + 1]}),
        false => json!({"translation": [0.5, 0, 0]}),
    };
    let nodes: Vec<Value> = (0..NODES).map(node).collect();
    let document = json!({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": nodes});
    let pose = run(&document, &["pose", "--json"]).done().json();
    assert_eq!(pose["nodes"][NODES - 1]["world"][12], 0.5 * NODES as f64);
}
