//! `--pass normal` compared with normals worked out by hand: scaled, mirrored, morphed, rigid and skinned, with
//! and without normals in the file.

use glam::{Mat4, Quat, Vec3};
use serde_json::{Value, json};

use crate::support::{accessor, floats, rigview};

/// A square about the origin that faces +Z, with the same normal at all vertices.
struct Square {
    name: &'static str,
    /// The normal in the file; `None` if the file has no normals.
    normal: Option<Vec3>,
    /// The node's matrix, or that of each of two joints with a weight of one half.
    matrices: Vec<Mat4>,
    skinned: bool,
    /// Position and normal deltas of a morph target with a weight of 0.5.
    morph: Option<[Vec3; 2]>,
}

const LEANING: Vec3 = Vec3::new(0.36, 0.48, 0.8);
const CORNERS: [Vec3; 4] = [
    Vec3::new(-1.0, -1.0, 0.0),
    Vec3::new(1.0, -1.0, 0.0),
    Vec3::new(1.0, 1.0, 0.0),
    Vec3::new(-1.0, 1.0, 0.0),
];

fn turned(scale: Vec3) -> Mat4 {
    let rotation = Quat::from_euler(glam::EulerRot::YXZ, 0.6, 0.4, 0.3);
    Mat4::from_scale_rotation_translation(scale, rotation, Vec3::new(0.3, -0.2, 0.5))
}

fn cases() -> Vec<Square> {
    let square = |name, normal, matrices: &[Mat4], skinned, morph| Square {
        name,
        normal,
        matrices: matrices.to_vec(),
        skinned,
        morph,
    };
    let squashed = turned(Vec3::new(1.0, 0.2, 1.0));
    let other = turned(Vec3::new(0.7, 1.1, 0.4));
    let mirrored = turned(Vec3::new(-1.0, 0.6, 0.9));
    // Of a nanometre, and of a billion kilometres.
    let sized = |size: f32| {
        Mat4::from_quat(Quat::from_rotation_x(0.7)) * Mat4::from_scale(Vec3::splat(size))
    };
    // Tilts the square about its X axis, and changes its normal in another direction.
    let morph = Some([Vec3::new(0.0, 0.0, 1.0), Vec3::new(-0.9, 0.2, 0.4)]);
    vec![
        square("rigid squashed", Some(LEANING), &[squashed], false, None),
        square("rigid mirrored", Some(LEANING), &[mirrored], false, None),
        square("rigid morphed", Some(LEANING), &[squashed], false, morph),
        square("rigid without normals", None, &[squashed], false, None),
        square("tiny without normals", None, &[sized(1e-9)], false, None),
        square("huge without normals", None, &[sized(1e12)], false, None),
        square("rigid morphed without normals", None, &[squashed], false, morph),
        square("skinned squashed", Some(LEANING), &[squashed, other], true, None),
        square("skinned mirrored", Some(LEANING), &[mirrored, mirrored], true, None),
        square("skinned morphed", Some(LEANING), &[squashed, other], true, morph),
        square("skinned morphed and mirrored", Some(LEANING), &[mirrored, mirrored], true, morph),
        square("skinned without normals", None, &[squashed, other], true, None),
        square("skinned mirrored without normals", None, &[mirrored, mirrored], true, None),
    ]
}

impl Square {
    /// The matrix of the pose.
    fn matrix(&self) -> Mat4 {
        self.matrices.iter().fold(Mat4::ZERO, |sum, m| sum + *m / self.matrices.len() as f32)
    }

    fn corners(&self) -> [Vec3; 4] {
        let [along, _] = self.morph.unwrap_or_default();
        // The target lifts only the upper corners; otherwise the square would move instead of tilt.
        CORNERS.map(|c| c + if c.y > 0.0 { 0.5 * along } else { Vec3::ZERO })
    }

    /// The expected normal, by the inverse transpose.
    fn expected(&self) -> Vec3 {
        let [a, b, _, d] = self.corners();
        let own = match (self.normal, self.morph) {
            (Some(n), Some([_, delta])) => n + 0.5 * delta,
            (Some(n), None) => n,
            (None, _) => (b - a).cross(d - a),
        };
        self.matrix().inverse().transpose().transform_vector3(own).normalize()
    }

    /// The direction of the posed face's front side.
    fn front(&self) -> Vec3 {
        let [a, b, _, d] = self.corners();
        self.matrix().inverse().transpose().transform_vector3((b - a).cross(d - a)).normalize()
    }

    fn gltf(&self) -> Value {
        let mut gltf = json!({"asset": {"version": "2.0"}, "scene": 0, "materials": [{}]});
        // Two triangles without indices.
        let six = |list: [Vec3; 4]| [0, 1, 2, 0, 2, 3].map(|i: usize| list[i].to_array()).concat();
        let mut vectors = |list| floats(&mut gltf, "VEC3", &six(list));
        let mut attributes = json!({"POSITION": vectors(CORNERS)});
        if let Some(normal) = self.normal {
            attributes["NORMAL"] = json!(vectors([normal; 4]));
        }
        let mut targets = Vec::new();
        if let Some([lift, lean]) = self.morph {
            let lifted = CORNERS.map(|c| if c.y > 0.0 { lift } else { Vec3::ZERO });
            let mut target = json!({"POSITION": vectors(lifted)});
            if self.normal.is_some() {
                target["NORMAL"] = json!(vectors([lean; 4]));
            }
            targets.push(target);
        }
        let mut nodes = vec![json!({"mesh": 0})];
        let mut roots = vec![0];
        if self.skinned {
            let weights = [0.5f32, 0.5, 0.0, 0.0].repeat(6);
            let joints = accessor(&mut gltf, 5121, "VEC4", 6, &[0, 1, 0, 0].repeat(6));
            attributes["JOINTS_0"] = json!(joints);
            attributes["WEIGHTS_0"] = json!(floats(&mut gltf, "VEC4", &weights));
            for matrix in &self.matrices {
                roots.push(nodes.len());
                nodes.push(json!({"matrix": matrix.to_cols_array()}));
            }
            nodes[0]["skin"] = json!(0);
            gltf["skins"] = json!([{"joints": [1, 2]}]);
        } else {
            nodes[0]["matrix"] = json!(self.matrices[0].to_cols_array());
        }
        let mut primitive = json!({"attributes": attributes, "material": 0});
        if !targets.is_empty() {
            primitive["targets"] = json!(targets);
        }
        let mut mesh = json!({"primitives": [primitive]});
        if self.morph.is_some() {
            mesh["weights"] = json!([0.5]);
        }
        gltf["scenes"] = json!([{"nodes": roots}]);
        gltf["nodes"] = json!(nodes);
        gltf["meshes"] = json!([mesh]);
        gltf
    }
}

#[test]
fn normals_are_the_analytic_ones_under_squash_mirror_morph_and_skin() {
    let folder = tempfile::tempdir().unwrap();
    let xyz = |v: Vec3| format!("{},{},{}", v.x, v.y, v.z);
    for square in cases() {
        let file = folder.path().join("square.gltf");
        std::fs::write(&file, square.gltf().to_string()).unwrap();
        let out = folder.path().join("square.png");
        let corners = square.corners().map(|c| square.matrix().transform_point3(c));
        let center = corners.iter().sum::<Vec3>() / 4.0;
        let away = 2.0 * corners.iter().map(|c| c.distance(center)).fold(0.0, f32::max);
        rigview([
            "screenshot",
            file.to_str().unwrap(),
            "-o",
            out.to_str().unwrap(),
            "--size=65x65",
            "--pass=normal",
            &format!("--eye={}", xyz(center + away * square.front())),
            &format!("--target={}", xyz(center)),
        ])
        .done();
        let picture = image::open(&out).unwrap().to_rgb8();
        let want = 0.5 * square.expected() + 0.5;
        let got = Vec3::from(picture.get_pixel(32, 32).0.map(f32::from)) / 255.0;
        let off = (got - want).abs().max_element();
        assert!(off <= 1.0 / 255.0, "{}: {got} where {want} is right", square.name);
    }
}
