//! FBX files of all coordinate systems: right- and left-handed, with meshes, skins, cameras, lights and takes.

use glam::{Affine3A, Mat3, Quat, Vec3};
use rigview::model::Model;

use crate::fbx::{assert_near, read, vertices, world};
use crate::support::{Curve, Fbx};

/// An axis and its sign.
type Axis = (usize, i32);

/// Returns an empty file with these axes.
fn file(right: Axis, up: Axis, front: Axis) -> Fbx {
    let all = [("Coord", right), ("Up", up), ("Front", front)];
    all.into_iter().fold(Fbx::new(), |file, (name, (axis, sign))| {
        file.setting(&format!("\"{name}Axis\", \"int\", \"Integer\", \"\",{axis}"))
            .setting(&format!("\"{name}AxisSign\", \"int\", \"Integer\", \"\",{sign}"))
    })
}

/// The file of most left-handed programs: right +X, up +Y, front -Z.
fn left_handed() -> Fbx {
    file((0, 1), (1, 1), (2, -1))
}

fn lcl(name: &str, [x, y, z]: [f64; 3]) -> String {
    format!("\"Lcl {name}\", \"Lcl {name}\", \"\", \"A\",{x},{y},{z}")
}

#[test]
fn right_up_and_front_of_each_system_become_x_y_and_z() {
    let signs = [-1, 1];
    for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
        for [right, up, front] in signs
            .into_iter()
            .flat_map(|a| signs.into_iter().flat_map(move |b| signs.map(|c| [a, b, c])))
        {
            let axes = [(order[0], right), (order[1], up), (order[2], front)];
            let mut file = file(axes[0], axes[1], axes[2]);
            let top = file.node("top", "Mesh", 0, &[&lcl("Translation", [100.0, 200.0, 300.0])]);
            file.node("child", "Null", top, &[&lcl("Translation", [10.0, 20.0, 40.0])]);
            file.polygon(top, &[[0.0; 3], [100.0, 0.0, 0.0], [0.0, 200.0, 0.0]]);
            let model = read(&file).model;
            let of = |v: [f32; 3]| axes.map(|(axis, sign)| v[axis] * sign as f32);
            assert_near(world(&model, "top", None).translation.into(), of([1.0, 2.0, 3.0]));
            assert_near(world(&model, "child", None).translation.into(), of([1.1, 2.2, 3.4]));
            let found = vertices(&model, None);
            for corner in [[1.0, 2.0, 3.0], [2.0, 2.0, 3.0], [1.0, 4.0, 3.0]] {
                let wanted = Vec3::from(of(corner));
                assert!(found.iter().any(|v| v.distance(wanted) < 1e-5), "{axes:?}: {found:?}");
            }
        }
    }
}

/// A turn in the file about an axis, as it is in the mirrored scene: Z is the other way round.
fn mirrored(turn: Quat) -> Mat3 {
    let mirror = Mat3::from_diagonal(Vec3::new(1.0, 1.0, -1.0));
    mirror * Mat3::from_quat(turn) * mirror
}

#[test]
fn fronts_and_normals_of_a_left_handed_mesh_stay_those_of_the_file() {
    let mut file = left_handed();
    let mesh = file.node("mesh", "Mesh", 0, &[&lcl("Rotation", [30.0, 0.0, 0.0])]);
    file.polygon(mesh, &[[0.0; 3], [100.0, 0.0, 0.0], [0.0, 100.0, 0.0]]);
    let model = read(&file).model;
    let found = vertices(&model, None);
    let primitive = &model.meshes[0].primitives[0];
    // Of the file's +Z.
    let front = mirrored(Quat::from_rotation_x(30f32.to_radians())) * Vec3::NEG_Z;
    let [a, b, c] = [0, 1, 2].map(|i| found[primitive.indices[i] as usize]);
    assert_near((b - a).cross(c - a).normalize(), front.to_array());
    for vertex in &primitive.vertices {
        let turned = world(&model, "mesh", None).transform_vector3(vertex.normal.into());
        assert_near(turned, front.to_array());
    }
}

#[test]
fn left_handed_takes_and_skins_turn_the_other_way() {
    let mut file = left_handed();
    let mesh = file.node("mesh", "Mesh", 0, &[]);
    let bone = file.node("bone", "LimbNode", 0, &[&lcl("Translation", [0.0, 100.0, 200.0])]);
    let geometry = file.polygon(mesh, &[[0.0; 3], [100.0, 0.0, 0.0], [0.0, 100.0, 0.0]]);
    file.skin(geometry, &[(bone, [0.0, 100.0, 200.0], &[(0, 1.0), (1, 1.0), (2, 1.0)])]);
    let take = file.take("Turn", 0.0, 1.0);
    file.animate(take, bone, ["Lcl Rotation", "d|X"], Curve::Linear, &[[0.0, 0.0], [1.0, 90.0]]);
    let model = read(&file).model;
    let at = Vec3::new(0.0, 1.0, -2.0);
    for (time, degrees) in [(0.0, 0.0), (0.5, 45.0), (1.0, 90f32)] {
        assert_near(world(&model, "bone", Some(time)).translation.into(), at.to_array());
        let turn = mirrored(Quat::from_rotation_x(degrees.to_radians()));
        let found = vertices(&model, Some(time));
        for corner in [Vec3::ZERO, Vec3::X, Vec3::Y] {
            let wanted = at + turn * (corner - at);
            assert!(found.iter().any(|v| v.distance(wanted) < 1e-4), "at {time}: {found:?}");
        }
    }
}

/// Adds an attribute of a node: a camera or a light.
fn attribute(file: &mut Fbx, node: u64, class: &str) {
    let content = format!("TypeFlags: \"{class}\"\nVersion: 124");
    let attribute = file.object("NodeAttribute", "NodeAttribute::", class, &content);
    file.connect(attribute, node);
}

/// FBX's cameras look along their X axis, with Y up; its lights shine along -Y.
#[test]
fn left_handed_cameras_and_lights_keep_their_directions() {
    let mut file = left_handed();
    let turn = lcl("Rotation", [0.0, 30.0, 0.0]);
    let camera = file.node("camera", "Camera", 0, &[&turn]);
    attribute(&mut file, camera, "Camera");
    let light = file.node("light", "Light", 0, &[&turn]);
    attribute(&mut file, light, "Light");
    let model = read(&file).model;
    let turn = mirrored(Quat::from_rotation_y(30f32.to_radians()));
    let axes = |model: &Model, name: &str| -> Affine3A { world(model, name, None) };
    let camera = axes(&model, "camera (camera)");
    assert_near((-camera.z_axis).into(), (turn * Vec3::X).to_array());
    assert_near(camera.y_axis.into(), [0.0, 1.0, 0.0]);
    let light = axes(&model, "light (light)");
    assert_near((-light.z_axis).into(), [0.0, -1.0, 0.0]);
}
