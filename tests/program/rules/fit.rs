//! `check`: meshes that do not fit their skeleton, and joints of another scale at rest.

use serde_json::json;

use super::{HEAD, HIPS, JOINTS, LEFT_ARM, Rig, objects};

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
        let found = rig.check(&["--min-level", "warning"]);
        ["SKIN_TURNED", "SKIN_UNITS", "WEIGHT_FAR"].map(|code| objects(&found, code).len())
    };
    assert_eq!(of(|[x, y, z]| [x, -z, y]), [1, 0, 0]);
    assert_eq!(of(|[x, y, z]| [-x, y, -z]), [1, 0, 0]);
    assert_eq!(of(|at| at), [0; 3]);
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
