//! `check`: the ends of clips, which do not depend on how dense the keys are.

use super::{
    HEAD, LEFT_ARM, LEFT_HAND, RIGHT_HAND, Rig, Track, first, has, objects, turning, turns, wave,
};

/// Returns a channel of keys at a rate, on the lines between the values at each 1/30 s of a second.
fn resampled(joint: usize, rate: usize, degrees: impl Fn(usize) -> f32) -> Track<'static> {
    let times: Vec<f32> = (0..=rate).map(|key| key as f32 / rate as f32).collect();
    let values = turns(&times, |_, time| {
        let (frame, part) = ((30.0 * time) as usize, (30.0 * time).fract());
        (1.0 - part) * degrees(frame) + part * degrees((frame + 1).min(30))
    });
    (joint, "rotation", "LINEAR", times, values)
}

#[test]
fn a_bad_key_at_the_seam_kinks_however_dense_the_keys_are() {
    let of = |rate: usize, off: f32| {
        let degrees = |frame: usize| {
            wave(frame as f32 / 30.0, 10.0) + if frame.is_multiple_of(30) { off } else { 0.0 }
        };
        let rig = Rig::new().clip("Walk", vec![resampled(HEAD, rate, degrees)]);
        objects(&rig.check(&[]), "LOOP_KINK")
    };
    for rate in [30, 60, 90, 120] {
        assert_eq!(of(rate, 8.0), ["Head"], "{rate} keys per second");
        assert_eq!(of(rate, 0.0), [""; 0], "{rate} keys per second");
    }
}

/// The bend where the last frame begins is that of the same bad key, and no usual movement.
#[test]
fn a_bad_last_key_of_a_loop_kinks_however_dense_the_keys_are() {
    let of = |rate: usize, off: f32| {
        let degrees =
            |frame: usize| wave(frame as f32 / 30.0, 10.0) + if frame == 30 { off } else { 0.0 };
        let rig = Rig::new().clip("Walk", vec![resampled(HEAD, rate, degrees)]);
        objects(&rig.check_with("[clips.Walk]\nloop = true\n", None), "LOOP_KINK")
    };
    for rate in [30, 60, 90, 120] {
        assert_eq!(of(rate, 6.0), ["Head"], "{rate} keys per second");
        assert_eq!(of(rate, 0.0), [""; 0], "{rate} keys per second");
    }
}

/// Whatever its name is, a clip that starts fast and comes to rest where it started is played once.
#[test]
fn a_clip_that_comes_to_rest_in_its_first_pose_has_no_kink() {
    let of = |name: &str, degrees: fn(f32) -> f32, contract: &str| {
        let rig = Rig::new().clip(name, vec![turning(LEFT_ARM, |_, time| degrees(time))]);
        has(&rig.check_with(contract, None), "LOOP_KINK")
    };
    let strike = |time: f32| 300.0 * time * (1.0 - time).powi(3);
    let backwards = |time: f32| 300.0 * (1.0 - time) * time.powi(3);
    for name in ["Stab", "Salute", "Equip"] {
        assert!(!of(name, strike, "") && !of(name, backwards, ""), "{name}");
    }
    assert!(of("Stab", strike, "[clips.Stab]\nloop = true"));
    assert!(of("Stab", |time| 100.0 * time * (1.0 - time), ""), "it moves on both sides");
}

#[test]
fn a_rest_pose_at_an_end_of_a_clip_is_found() {
    fn guard(time: f32) -> f32 {
        40.0 + wave(time, 5.0)
    }
    let of = |degrees: fn(usize, f32) -> f32, joints: &[usize]| {
        let tracks = joints.iter().map(|joint| turning(*joint, degrees)).collect();
        let found = Rig::new().clip("Guard", tracks).check(&[]);
        first(&found, "CLIP_REST_KEY").map(|found| found["time"].as_f64().unwrap())
    };
    let arms = [HEAD, LEFT_ARM, LEFT_HAND, RIGHT_HAND];
    assert_eq!(of(|i, time| if i == 0 { 0.0 } else { guard(time) }, &arms), Some(0.0));
    assert_eq!(of(|i, time| if i == 30 { 0.0 } else { guard(time) }, &arms), Some(1.0));
    assert_eq!(of(|_, time| guard(time), &arms), None);
    assert_eq!(of(|_, time| wave(time, 40.0), &arms), None, "it starts at rest, and goes on");
    let recoil = |i: usize, time: f32| if i == 0 { 0.0 } else { 40.0 * (1.0 - time) };
    assert_eq!(of(recoil, &arms), None, "from rest to rest");
    let jump = |i: usize, _: f32| if i == 0 { 0.0 } else { 40.0 };
    assert_eq!(of(jump, &[HEAD]), None, "one joint may start at once");
}

#[test]
fn a_rest_pose_may_be_held_and_resampled() {
    let of = |rate: usize, held: usize| {
        let degrees = |frame: usize| match frame {
            frame if frame < held => 0.0,
            frame => 40.0 + wave(frame as f32 / 30.0, 5.0),
        };
        let joints = [HEAD, LEFT_ARM, LEFT_HAND, RIGHT_HAND];
        let tracks = joints.map(|joint| resampled(joint, rate, degrees)).into();
        first(&Rig::new().clip("Guard", tracks).check(&[]), "CLIP_REST_KEY").is_some()
    };
    for rate in [30, 60, 120] {
        assert_eq!([0, 1, 2, 3].map(|held| of(rate, held)), [false, true, true, true], "{rate}");
    }
    assert!(!of(30, 15), "a pose that is held");
}

#[test]
fn a_fast_start_from_the_rest_pose_is_no_key_of_it() {
    let times: Vec<f32> = (0..=60).map(|key| key as f32 / 60.0).collect();
    let tracks = [HEAD, LEFT_ARM, LEFT_HAND, RIGHT_HAND].map(|joint| {
        let values = turns(&times, |_, time| 60.0 * (1.0 - (-time / 0.04).exp()));
        (joint, "rotation", "LINEAR", times.clone(), values)
    });
    let rig = Rig::new().clip("Flinch", tracks.into());
    assert!(!has(&rig.check(&[]), "CLIP_REST_KEY"));
}
