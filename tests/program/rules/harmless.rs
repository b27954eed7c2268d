//! What looks like a defect and is none, beside the defect that it looks like.

use super::*;
use crate::support::{Curve, Fbx};

#[test]
fn a_foot_that_rolls_or_swings_past_stands_most_of_the_time() {
    let of = |x: &dyn Fn(usize) -> f32| {
        let [_, y, z] = JOINTS[TAIL].2;
        let values: Vec<f32> = (0..31).flat_map(|i| [x(i), y, z]).collect();
        let rig = Rig::new().clip("Run", vec![(TAIL, "translation", "LINEAR", frames(), values)]);
        first(&rig.check_with("[clips.Run]\nfeet = [\"Tail\"]\n", None), "FOOT_SLIDES")
    };
    // Two metres a second for six frames of the thirty.
    assert_eq!(of(&|i| i.saturating_sub(24) as f32 / 15.0), None);
    let slides = of(&|i| i as f32 / 150.0).unwrap();
    assert!((slides["value"].as_f64().unwrap() - 0.2).abs() < 1e-3, "{slides}");
}

/// Files at 24 frames a second have keys a few microseconds beside the frames of 30.
#[test]
fn a_foot_has_no_speed_between_a_frame_and_a_key_beside_it() {
    let [_, y, z] = JOINTS[TAIL].2;
    let (times, x) = ([0.0, 0.2, 0.4, 0.5, 0.500_008, 1.0], [0.0, 0.08, 0.12, 0.14, 0.141, 0.241]);
    let values: Vec<f32> = x.iter().flat_map(|x| [*x, y, z]).collect();
    let rig = Rig::new().clip("Run", vec![(TAIL, "translation", "LINEAR", times.to_vec(), values)]);
    let slides =
        first(&rig.check_with("[clips.Run]\nfeet = [\"Tail\"]\n", None), "FOOT_SLIDES").unwrap();
    assert!(slides["time"].as_f64().unwrap() < 0.2, "{slides}");
}

#[test]
fn a_kink_inside_a_clip_is_measured_at_its_key_as_at_the_seam() {
    // The top lies between two frames of 30 a second.
    let times: Vec<f32> = (0..=22).map(|frame| frame as f32 / 24.0).collect();
    let values = turns(&times, |i, _| 4.0 * (11 - i.abs_diff(11)) as f32);
    let rig = Rig::new().clip("Walk", vec![(HEAD, "rotation", "LINEAR", times, values)]);
    assert!(!has(&rig.check(&[]), "LOOP_KINK"));
}

#[test]
fn a_fast_start_is_no_pop_and_a_bad_first_key_is_one() {
    let of = |times: Vec<f32>, degrees: &dyn Fn(f32) -> f32| {
        let values = turns(&times, |_, time| degrees(time));
        let rig = Rig::new().clip("Hit", vec![(HEAD, "rotation", "LINEAR", times, values)]);
        objects(&rig.check(&[]), "POP")
    };
    // 120 degrees in two frames of 24 a second, which ease in and out.
    let ease = |time: f32| {
        let u = (12.0 * time).min(1.0);
        120.0 * u * u * (3.0 - 2.0 * u)
    };
    let dense: Vec<f32> = (0..=240).map(|i| i as f32 / 240.0).collect();
    assert_eq!(of(dense, &ease), [""; 0]);
    assert_eq!(of(frames(), &|time| if time < 0.01 { 70.0 } else { wave(time, 5.0) }), ["Head"]);
}

#[test]
fn sides_of_the_body_are_known_although_every_node_has_a_number() {
    let rig = Rig::new().edit(|rig| {
        for (node, name) in [(LEFT_HAND, "b_LeftHand_011"), (RIGHT_HAND, "b_RightHand_08")] {
            rig.json["nodes"][node]["name"] = json!(name);
        }
        let left = rig.joints.iter_mut().filter(|joint| **joint == LEFT_HAND as u8);
        left.for_each(|joint| *joint = RIGHT_HAND as u8);
    });
    let found = first(&rig.check(&[]), "WEIGHT_FAR").unwrap();
    let text = found["message"].as_str().unwrap();
    assert!(text.contains("lie at \"b_LeftHand_011\", on the other side"), "{text}");
}

#[test]
fn normals_along_the_surface_are_on_neither_side() {
    let rig = |behind: f32| {
        Rig::new().edit(|rig| {
            // The first side of the first box looks along -X.
            rig.normals[..4].fill([behind, 1.0, 0.0]);
        })
    };
    assert!(!has(&rig(1e-6).check(&[]), "WINDING_ODD"));
    assert!(has(&rig(0.5).check(&[]), "WINDING_ODD"));
}

#[test]
fn the_joint_that_is_off_its_bind_pose_is_named_and_not_the_others() {
    let of = |joint: usize| {
        let rig = Rig::new().edit(|rig| rig.inverse_binds[joint][13] += 0.05);
        let found = first(&rig.check(&[]), "REST_NOT_BIND").unwrap();
        assert!((found["value"].as_f64().unwrap() - 0.05).abs() < 1e-4, "{found}");
        found["object"].as_str().unwrap().to_owned()
    };
    assert_eq!(of(HIPS), "Hips");
    assert_eq!(of(TAIL), "Tail");
}

#[test]
fn keys_that_the_import_made_of_curves_are_not_judged() {
    let mut file = Fbx::new();
    let bone = file.node("Bone", "LimbNode", 0, &[]);
    let take = file.take("Nod", 0.0, 2.0);
    let keys = [[0.0, 0.0], [0.51, 80.0], [1.03, -20.0], [2.0, 0.0]];
    file.animate(take, bone, ["Lcl Rotation", "d|X"], Curve::Cubic, &keys);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nod.fbx");
    std::fs::write(&path, file.bytes()).unwrap();
    let found = checked(&path, &[]);
    let of_keys = |finding: &&Value| finding["code"].as_str().unwrap().starts_with("KEYS_");
    assert_eq!(found.iter().find(of_keys), None);
}

#[test]
fn a_loop_without_its_last_frame_has_a_gap() {
    // A wide movement of 12 frames, which goes far in each.
    let of = |last: usize, angle: fn(f32) -> f32| {
        let times: Vec<f32> = (0..=last).map(|frame| frame as f32 / 30.0).collect();
        let values = turns(&times, |i, _| angle(i as f32 / 12.0));
        let rig = Rig::new().clip("Motion", vec![(LEFT_ARM, "rotation", "LINEAR", times, values)]);
        rig.check(&[]).into_iter().find(|finding| finding["code"] == "LOOP_GAP")
    };
    let to_and_fro = |u: f32| 40.0 * (std::f32::consts::TAU * u).sin();
    let found = of(11, to_and_fro).unwrap();
    assert!(found["message"].as_str().unwrap().contains("the last one may be missing"), "{found}");
    assert_eq!(of(12, to_and_fro), None);
    assert_eq!(of(9, to_and_fro), None, "three frames are another pose");
    assert_eq!(of(11, |u| 40.0 * u), None, "it goes away");
}

#[test]
fn a_pose_that_is_held_with_keys_at_its_ends_only_lacks_no_frame() {
    let of = |held: bool| {
        let kept = (0..=60).filter(|frame| !(21..40).contains(frame));
        let times: Vec<f32> = kept.map(|frame| frame as f32 / 30.0).collect();
        let values = turns(&times, |_, time| match time {
            t if held && (0.6..1.4).contains(&t) => wave(0.7, 10.0),
            t => wave(t, 10.0),
        });
        let rig = Rig::new().clip("Nod", vec![(HEAD, "rotation", "LINEAR", times, values)]);
        has(&rig.check(&[]), "KEYS_GAP")
    };
    assert!(!of(true));
    assert!(of(false));
}

/// What is played once from one stance to another rests in both, whatever its name.
#[test]
fn a_clip_that_rests_where_it_starts_and_ends_is_played_once() {
    let of = |name: &str, degrees: fn(f32) -> f32| {
        let rig = Rig::new().clip(name, vec![turning(LEFT_ARM, |_, time| degrees(time))]);
        has(&rig.check(&[]), "LOOP_GAP")
    };
    let once = |time: f32| {
        let bow = (std::f32::consts::PI * time).sin();
        40.0 * bow * bow + 2.0 * time * time * (3.0 - 2.0 * time)
    };
    let moving = |time: f32| wave(time, 40.0) + time;
    for name in ["Salute", "Yes", "Clip_07", "Thrust"] {
        assert!(!of(name, once), "{name}");
    }
    for name in ["Idle", "Breathing", "Walk_InPlace", "Standing", "Running"] {
        assert!(of(name, once), "{name} goes on");
    }
    assert!(of("Clip_07", moving));
}
