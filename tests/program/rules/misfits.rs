//! `check`: meshes that lie elsewhere than their joints, those that a joint carries as a whole, and joints of another scale.

use glam::{Mat4, Vec3};
use serde_json::{Value, json};

use super::{HEAD, HIPS, JOINTS, LEFT_ARM, LEFT_HAND, RIGHT_HAND, Rig, checked, objects};
use crate::support::push;

/// Returns the findings of a check of a document.
pub(super) fn checked_document(json: &Value, args: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rig.gltf");
    std::fs::write(&file, json.to_string()).unwrap();
    checked(&file, args)
}

/// Returns a rig without vertices.
fn bare() -> Rig {
    Rig::new().edit(|rig| {
        (rig.positions, rig.normals, rig.joints, rig.triangles) = Default::default();
    })
}

/// Adds the mesh of another rig to a document, in a skin of its own if its matrices are turned.
fn add_mesh(json: &mut Value, name: &str, rig: &Rig, own_skin: bool) {
    let primitive = rig.primitive(json);
    let mesh = push(json, "meshes", json!({"name": name, "primitives": [primitive]}));
    let skin = if own_skin { rig.skin(json) } else { 0 };
    let node = push(json, "nodes", json!({"name": name, "mesh": mesh, "skin": skin}));
    json["scenes"][0]["nodes"].as_array_mut().unwrap().push(node.into());
}

/// Returns the objects of the warnings that a document has of some codes.
fn warned(json: &Value, codes: &[&str]) -> Vec<(String, String)> {
    let found = checked_document(json, &["--min-level", "warning"]);
    let of = |it: &Value, key: &str| it[key].as_str().unwrap_or_default().to_owned();
    let found = found.iter().map(|it| (of(it, "code"), of(it, "object")));
    found.filter(|(code, _)| codes.contains(&code.as_str())).collect()
}

/// The codes of a mesh that lies elsewhere.
const ELSEWHERE: [&str; 3] = ["SKIN_TURNED", "SKIN_UNITS", "WEIGHT_FAR"];

fn pairs(found: &[(&str, &str)]) -> Vec<(String, String)> {
    found.iter().map(|(code, object)| ((*code).to_owned(), (*object).to_owned())).collect()
}

/// Most of the shape of a figure with wide arms is along them.
#[test]
fn a_mesh_that_is_turned_about_its_wide_arms_is_found_once() {
    let of = |change: fn([f32; 3]) -> [f32; 3]| {
        let rig = Rig::new().edit(|rig| {
            let wide = |at: &mut f32| *at *= 1.8;
            rig.positions.iter_mut().for_each(|at| wide(&mut at[0]));
            rig.inverse_binds.iter_mut().for_each(|matrix| wide(&mut matrix[12]));
            for (joint, (_, _, [x, y, z])) in JOINTS.iter().enumerate() {
                rig.json["nodes"][joint]["translation"] = json!([1.8 * x, y, z]);
            }
            rig.positions.iter_mut().for_each(|at| *at = change(*at));
        });
        warned(&rig.document(), &ELSEWHERE)
    };
    let turned = pairs(&[("SKIN_TURNED", "Figure")]);
    assert_eq!(of(|[x, y, z]| [x, -z, y]), turned);
    assert_eq!(of(|[x, y, z]| [-x, y, -z]), turned);
    assert_eq!(of(|at| at), []);
}

#[test]
fn a_mesh_of_few_joints_is_turned_if_another_one_of_its_skin_is() {
    let of = |change: fn([f32; 3]) -> [f32; 3]| {
        let turn = |rig: &mut Rig| rig.positions.iter_mut().for_each(|at| *at = change(*at));
        let mut json = Rig::new().edit(turn).document();
        let mut face = bare();
        face.add_box([0.0, 1.6, 0.1], HEAD as u8);
        turn(&mut face);
        add_mesh(&mut json, "Face", &face, false);
        warned(&json, &ELSEWHERE)
    };
    let found = of(|[x, y, z]| [x, -z, y]);
    assert_eq!(found, pairs(&[("SKIN_TURNED", "Figure"), ("SKIN_TURNED", "Face")]));
    assert_eq!(of(|at| at), []);
}

/// A body in two meshes, whose skins share the skeleton.
#[test]
fn a_part_whose_skin_is_turned_against_that_of_the_others_is_found() {
    let of = |turn: Mat4, stored: Mat4| {
        let mut part = bare();
        for (joint, at) in [(HEAD, [0.0, 1.6, 0.0]), (LEFT_HAND, [0.7, 1.4, 0.0])] {
            part.add_box(at, joint as u8);
        }
        for at in &mut part.positions {
            *at = stored.transform_point3(Vec3::from(*at)).to_array();
        }
        for matrix in &mut part.inverse_binds {
            *matrix = (Mat4::from_cols_array(matrix) * turn).to_cols_array();
        }
        let mut json = Rig::new().document();
        add_mesh(&mut json, "Part", &part, true);
        warned(&json, &ELSEWHERE)
    };
    let half = std::f32::consts::FRAC_PI_2;
    let turned = pairs(&[("SKIN_TURNED", "Part")]);
    assert_eq!(of(Mat4::from_rotation_x(half), Mat4::IDENTITY), turned);
    assert_eq!(of(Mat4::from_rotation_y(2.0 * half), Mat4::IDENTITY), turned);
    assert_eq!(of(Mat4::IDENTITY, Mat4::IDENTITY), []);
    // A mesh that is stored on other axes.
    assert_eq!(of(Mat4::from_rotation_x(half), Mat4::from_rotation_x(-half)), []);
}

#[test]
fn a_joint_of_another_scale_at_rest_is_named_and_not_what_hangs_on_it() {
    let of = |joint: usize, scale: f32| {
        let rig = Rig::new().edit(|rig| {
            rig.json["nodes"][joint]["scale"] = json!([scale, scale, scale]);
            // The head is above its joint.
            for (at, joint) in rig.positions.iter_mut().zip(&rig.joints) {
                at[1] += if usize::from(*joint) == HEAD { 0.2 } else { 0.0 };
            }
        });
        let found = rig.check(&["--min-level", "warning"]);
        objects(&found, "REST_NOT_BIND")
    };
    assert_eq!(of(LEFT_ARM, 100.0), ["LeftArm"]);
    assert_eq!(of(LEFT_ARM, 0.01), ["LeftArm"]);
    assert_eq!(of(HEAD, 100.0), ["Head"], "no joint hangs on it");
    assert_eq!(of(HEAD, 0.01), [""; 0], "a prop that is hidden");
    assert_eq!(of(LEFT_ARM, 0.0), [""; 0], "hidden");
    assert_eq!(of(HEAD, 2.0), [""; 0], "a big head");
    assert_eq!(of(HIPS, 100.0), [""; 0], "the whole figure");
    assert_eq!(of(LEFT_ARM, 1.0), [""; 0]);
}

#[test]
fn a_mesh_that_a_hand_carries_may_lie_at_the_other_hand_but_a_glove_may_not() {
    let of = |places: &[f32]| {
        let mut prop = bare();
        places.iter().for_each(|x| prop.add_box([*x, 1.4, 0.0], RIGHT_HAND as u8));
        let mut json = Rig::new().document();
        add_mesh(&mut json, "Prop", &prop, false);
        let rig = Rig::new().edit(|rig| {
            places.iter().for_each(|x| rig.add_box([*x, 1.4, 0.0], RIGHT_HAND as u8));
        });
        [json, rig.document()].map(|json| warned(&json, &["WEIGHT_FAR"]))
    };
    let far = pairs(&[("WEIGHT_FAR", "RightHand")]);
    let parts: Vec<f32> = (0..9).map(|i| -0.7 + 0.175 * i as f32).collect();
    assert_eq!(of(&parts), [vec![], vec![]], "a rifle in parts");
    assert_eq!(of(&[0.7]), [far.clone(), far], "a glove");
}

#[test]
fn a_flag_may_be_far_from_the_hand_that_carries_its_pole() {
    let of = |has_pole: bool| {
        let mut json = Rig::new().document();
        let (mut pole, mut flag) = (bare(), bare());
        pole.add_box([-0.7, 1.4, 0.0], RIGHT_HAND as u8);
        pole.positions.iter_mut().filter(|at| at[1] > 1.4).for_each(|at| at[1] = 4.0);
        flag.add_box([-0.8, 3.9, 0.0], RIGHT_HAND as u8);
        if has_pole {
            add_mesh(&mut json, "Pole", &pole, false);
        }
        add_mesh(&mut json, "Flag", &flag, false);
        warned(&json, &ELSEWHERE)
    };
    assert_eq!(of(true), []);
    assert_eq!(of(false), pairs(&[("SKIN_UNITS", "Flag")]), "nothing connects it");
}

#[test]
fn leaves_that_are_seen_from_both_sides_may_have_the_normals_of_their_crown() {
    let of = |double_sided: bool, normal: [f32; 3]| {
        let mut leaf = bare();
        for [x, y] in [[-0.1, 0.0], [0.1, 0.0], [0.1, 0.2], [-0.1, 0.2]] {
            leaf.positions.push([x, 1.6 + y, 0.0]);
            leaf.normals.push(normal);
            leaf.joints.push(HEAD as u8);
        }
        leaf.triangles = vec![[0, 1, 2], [0, 2, 3]];
        let mut json = Rig::new().document();
        add_mesh(&mut json, "Leaf", &leaf, false);
        json["materials"] = json!([{"doubleSided": double_sided}]);
        json["meshes"][1]["primitives"][0]["material"] = json!(0);
        warned(&json, &["WINDING_ODD"])
    };
    let odd = pairs(&[("WINDING_ODD", "Leaf")]);
    assert_eq!(of(true, [0.0, 0.6, -0.8]), []);
    assert_eq!(of(false, [0.0, 0.6, -0.8]), odd);
    assert_eq!(of(true, [0.0, 0.0, -1.0]), odd, "a sheet that is turned");
}

/// A clip that drives three nodes on which nothing hangs.
#[test]
fn a_clip_of_attachments_of_the_shown_skeleton_is_not_still() {
    let of = |is_attached: bool| {
        let nodes = [8, 9, 10].map(|node| {
            let turn = vec![0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0];
            (node, "rotation", "LINEAR", vec![0.0, 1.0], turn)
        });
        let rig = Rig::new().edit(|rig| {
            for i in 0..3 {
                push(&mut rig.json, "nodes", json!({"name": format!("Socket {i}")}));
            }
            match is_attached {
                true => rig.json["nodes"][LEFT_HAND]["children"] = json!([8, 9, 10]),
                false => rig.json["scenes"][0]["nodes"] = json!([0, 7, 8, 9, 10]),
            }
        });
        let rig = rig.clip("Sheathe", nodes.to_vec());
        warned(&rig.document(), &["CLIP_STILL"]).len()
    };
    assert_eq!(of(true), 0);
    assert_eq!(of(false), 1, "another skeleton");
}
