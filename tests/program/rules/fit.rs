//! `check`: meshes that do not fit their skeleton.

use serde_json::{Value, json};

use super::{HIPS, LEFT_ARM, LEFT_HAND, RIGHT_HAND, Rig, TAIL, objects};

/// Returns the pointers of the findings of a code.
fn places(found: &[Value], code: &str) -> Vec<String> {
    let of_code = found.iter().filter(|finding| finding["code"] == code);
    of_code.map(|finding| finding["pointer"].as_str().unwrap().to_owned()).collect()
}

/// Moves the vertices of the figure.
fn moved(change: impl Fn([f32; 3]) -> [f32; 3]) -> Rig {
    Rig::new().edit(|rig| rig.positions.iter_mut().for_each(|at| *at = change(*at)))
}

#[test]
fn a_mesh_in_other_units_than_its_joints_is_found() {
    let of = |factor: f32| {
        let found = moved(|at| at.map(|x| factor * x)).check(&[]);
        objects(&found, "SKIN_UNITS")
    };
    assert_eq!(of(100.0), ["Figure"]);
    assert_eq!(of(0.01), ["Figure"]);
    assert_eq!(of(10.0), ["Figure"], "millimetres for centimetres");
    assert_eq!(of(0.1), ["Figure"]);
    assert!(of(1.5).is_empty() && of(0.6).is_empty(), "a shape of its own");
}

#[test]
fn bones_in_other_units_than_the_bind_pose_are_found() {
    let of = |factor: f64| {
        let rig = Rig::new().edit(|rig| {
            for node in rig.json["nodes"].as_array_mut().unwrap() {
                let Some(at) = node["translation"].as_array() else { continue };
                node["translation"] = at.iter().map(|x| factor * x.as_f64().unwrap()).collect();
            }
        });
        places(&rig.check(&[]), "SKIN_UNITS")
    };
    assert_eq!(of(100.0), ["/skins/0"]);
    assert_eq!(of(0.01), ["/skins/0"]);
    assert_eq!([of(10.0), of(0.1)], [["/skins/0"]; 2]);
    assert!(of(1.5).is_empty(), "a larger character on the same skeleton");
}

#[test]
fn a_mesh_on_other_axes_than_its_joints_is_found() {
    let of = |change: fn([f32; 3]) -> [f32; 3]| {
        let found = moved(change).check(&[]);
        let turned = found.iter().find(|finding| finding["code"] == "SKIN_TURNED");
        turned.map(|finding| finding["message"].as_str().unwrap().to_owned())
    };
    let up_z = of(|[x, y, z]| [x, -z, y]).unwrap();
    assert!(up_z.contains("mesh \"Figure\" lies as if it was turned by 90 degrees about +X"));
    let back = of(|[x, y, z]| [-x, y, -z]).unwrap();
    assert!(back.contains("by 180 degrees about +Y"), "{back}");
    let leaning = |[x, y, z]: [f32; 3]| [x, 0.87 * y - 0.5 * z, 0.5 * y + 0.87 * z];
    assert_eq!(of(leaning), None);
}

#[test]
fn missing_bind_matrices_are_found_if_the_mesh_lies_around_the_joints() {
    let without_bind = |mut rig: Rig| {
        for matrix in &mut rig.inverse_binds {
            matrix[12..15].fill(0.0);
        }
        places(&rig.check(&[]), "BIND_IDENTITY")
    };
    assert_eq!(without_bind(Rig::new()), ["/skins/0"]);
    let in_space_of_joints = Rig::new().edit(|rig| {
        let places: Vec<[f32; 3]> =
            rig.inverse_binds.iter().map(|m| [m[12], m[13], m[14]]).collect();
        for (at, joint) in rig.positions.iter_mut().zip(&rig.joints) {
            let place = places[usize::from(*joint)];
            *at = [0, 1, 2].map(|i| at[i] + place[i]);
        }
    });
    assert!(without_bind(in_space_of_joints).is_empty());
}

#[test]
fn joints_that_are_off_by_one_are_found() {
    let of = |change: fn(u8) -> u8| {
        let rig =
            Rig::new().edit(|rig| rig.joints.iter_mut().for_each(|joint| *joint = change(*joint)));
        places(&rig.check(&[]), "WEIGHT_FAR").contains(&"/meshes/0".to_owned())
    };
    assert!(of(|joint| (joint + 1) % 7));
    assert!(of(|joint| (joint + 6) % 7));
    assert!(!of(|joint| joint));
    let swapped = |joint: u8| match usize::from(joint) {
        LEFT_HAND => RIGHT_HAND as u8,
        RIGHT_HAND => LEFT_HAND as u8,
        _ => joint,
    };
    assert!(!of(swapped), "two joints are not all");
}

#[test]
fn vertices_of_a_ring_may_lie_at_the_next_joint() {
    // Six joints of a skirt around the hips, each of which holds a part that lies at the joint after it. If one
    // of them hangs elsewhere, they are no ring.
    let of = |is_ring: bool| {
        let place = |i: usize| {
            let (sin, cos) = (i as f32).sin_cos();
            [0.3 * cos, 1.0, 0.3 * sin]
        };
        let rig = Rig::new().edit(|rig| {
            let nodes = &mut rig.json["nodes"];
            for i in 1..7 {
                let [x, _, z] = place(i);
                nodes[i] = json!({"name": format!("Skirt {i}"), "translation": [x, 0, z]});
                rig.inverse_binds[i][12..15].copy_from_slice(&[-x, -1.0, -z]);
            }
            let children = if is_ring { vec![1, 2, 3, 4, 5, 6] } else { vec![1, 2, 3, 4, 5] };
            nodes[0]["children"] = json!(children);
            if !is_ring {
                let ([x, _, z], [a, _, b]) = (place(6), place(1));
                nodes[1]["children"] = json!([6]);
                nodes[6]["translation"] = json!([x - a, 0, z - b]);
            }
            (rig.positions, rig.normals, rig.joints, rig.triangles) = Default::default();
            rig.add_box([0.0, 1.0, 0.0], 0);
            for i in 1..7 {
                rig.add_box(place(i + 1), i as u8);
            }
        });
        places(&rig.check(&[]), "WEIGHT_FAR").contains(&"/meshes/0".to_owned())
    };
    assert!(!of(true), "a ring");
    assert!(of(false), "not siblings");
}

#[test]
fn a_joint_may_be_far_from_the_part_that_it_controls_alone() {
    // A card of four corners at the left hand.
    let of = |joint_of: fn(usize) -> usize| {
        let rig = Rig::new().edit(|rig| {
            let tail = TAIL as u8;
            rig.joints.iter_mut().filter(|joint| **joint == tail).for_each(|joint| *joint = 0);
            let first = rig.positions.len();
            for (i, [x, y]) in [[0.0, 0.0], [0.1, 0.0], [0.1, 0.1], [0.0, 0.1]].iter().enumerate() {
                rig.positions.push([0.7 + x, 1.4 + y, 0.1]);
                rig.normals.push([0.0, 0.0, 1.0]);
                rig.joints.push(joint_of(i) as u8);
            }
            let corner = |i: usize| (first + i) as u16;
            rig.triangles.push([corner(0), corner(1), corner(2)]);
            rig.triangles.push([corner(0), corner(2), corner(3)]);
        });
        objects(&rig.check(&[]), "WEIGHT_FAR")
    };
    assert_eq!(of(|_| TAIL), [""; 0]);
    assert_eq!(of(|i| if i == 0 { LEFT_HAND } else { TAIL }), ["Tail"], "a corner is torn out");
}

#[test]
fn a_joint_that_holds_only_stray_vertices_is_found() {
    let of = |strays: usize| {
        let rig = Rig::new().edit(|rig| {
            let tail = TAIL as u8;
            rig.joints.iter_mut().filter(|joint| **joint == tail).for_each(|joint| *joint = 0);
            let hand = rig.joints.iter_mut().filter(|joint| usize::from(**joint) == LEFT_HAND);
            hand.take(strays).for_each(|joint| *joint = tail);
        });
        objects(&rig.check(&[]), "WEIGHT_FAR")
    };
    assert_eq!(of(3), ["Tail"]);
    assert_eq!(of(0), [""; 0]);
    assert_eq!(of(12), [""; 0], "a part of the mesh that hangs from there");
}

#[test]
fn a_mesh_of_few_joints_is_judged_by_its_distance_from_them() {
    // Five joints say little of the size, and one says nothing.
    let of = |joints: u8, change: fn([f32; 3]) -> [f32; 3]| {
        let few = moved(change).edit(|rig| {
            rig.joints.iter_mut().for_each(|joint| *joint = (*joint).min(joints - 1));
        });
        objects(&few.check(&[]), "SKIN_UNITS")
    };
    for joints in [1, 5] {
        assert_eq!(of(joints, |at| at.map(|x| 100.0 * x)), ["Figure"]);
        assert_eq!(of(joints, |[x, y, z]| [x, z, y + 1.5]), ["Figure"], "Z up, and elsewhere");
        assert_eq!(of(joints, |at| at), [""; 0]);
        assert_eq!(of(joints, |at| at.map(|x| 1.3 * x)), [""; 0]);
    }
}

/// Returns the places of warnings of joints that are off their bind pose.
fn other_binds(change: impl FnOnce(&mut Rig)) -> Vec<(String, String)> {
    let found = Rig::new().edit(change).check(&[]);
    let found = found.iter().filter(|it| it["code"] == "REST_NOT_BIND" && it["level"] == "warning");
    let of = |it: &Value, key: &str| it[key].as_str().unwrap_or_default().to_owned();
    found.map(|it| (of(it, "object"), of(it, "pointer"))).collect()
}

#[test]
fn a_bind_matrix_of_another_joint_is_a_warning() {
    let at_arm = [("LeftArm".to_owned(), "/skins/0".to_owned())];
    let far =
        |rig: &mut Rig| rig.inverse_binds[LEFT_ARM][12..15].iter_mut().for_each(|x| *x *= 100.0);
    assert_eq!(other_binds(far), at_arm);
    assert_eq!(other_binds(|rig| rig.inverse_binds[LEFT_ARM][12..15].fill(0.0)), at_arm);
    let of_parent = |rig: &mut Rig| rig.inverse_binds[LEFT_ARM] = rig.inverse_binds[HIPS];
    assert_eq!(other_binds(of_parent), at_arm);
}

#[test]
fn a_joint_may_be_elsewhere_at_rest_with_what_hangs_on_it() {
    let translated = |joint: usize, at: [f32; 3]| {
        other_binds(|rig| rig.json["nodes"][joint]["translation"] = json!(at))
    };
    assert_eq!(translated(LEFT_ARM, [3.0, 0.4, 0.0]), []);
    assert_eq!(translated(TAIL, [0.0, -3.0, 0.0]), []);
    // An arm that slides together, as that of a crane.
    let drawn_in = |rig: &mut Rig| {
        rig.json["nodes"][LEFT_ARM]["translation"] = json!([0.05, 0.05, 0.0]);
        rig.json["nodes"][LEFT_HAND]["translation"] = json!([0.05, 0.0, 0.0]);
    };
    assert_eq!(other_binds(drawn_in), []);
    // A smaller figure on the same skeleton.
    let found = other_binds(|rig| rig.json["nodes"][HIPS]["scale"] = json!([0.2, 0.2, 0.2]));
    assert_eq!(found, []);
}

/// A staff that both hands hold in the bind pose is moved by one of them.
#[test]
fn a_part_that_begins_at_its_own_hand_may_reach_the_other() {
    let of = |from: f32| {
        let rig = Rig::new().edit(|rig| {
            let first = rig.positions.len();
            rig.add_box([0.7, 1.4, 0.0], RIGHT_HAND as u8);
            for at in rig.positions[first..].iter_mut().filter(|at| at[0] < 0.7) {
                at[0] = from;
            }
        });
        let found = rig.check(&[]);
        found.iter().any(|it| it["message"].as_str().unwrap().contains("on the other side"))
    };
    assert!(!of(-0.75));
    assert!(of(0.65), "a glove of the other hand");
}
