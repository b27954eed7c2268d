//! `check`: clips in other units than the rig, nodes above the joints, seams of loops, and morph targets.

use serde_json::{Value, json};

use super::{
    HEAD, HIPS, JOINTS, LEFT_ARM, LEFT_HAND, Rig, TAIL, Track, checked_document, frames, has,
    objects, turning, turns, wave,
};
use crate::support::floats;

fn keyed(path: &'static str, node: usize, value: impl Fn(usize) -> [f32; 3]) -> Track<'static> {
    (node, path, "LINEAR", frames(), (0..31).flat_map(value).collect())
}

fn in_other_units(tracks: Vec<Track<'_>>) -> Vec<String> {
    objects(&Rig::new().clip("Move", tracks).check(&[]), "CLIP_UNITS")
}

/// Returns the place of a joint at rest, times a factor.
fn times_rest(joint: usize, factor: f32) -> [f32; 3] {
    JOINTS[joint].2.map(|x| factor * x)
}

#[test]
fn a_body_that_lies_has_its_hips_near_the_ground() {
    let lies = keyed("translation", HIPS, |_| times_rest(HIPS, 0.1));
    let of = |name: &str, tracks: Vec<Track<'_>>| {
        objects(&Rig::new().clip(name, tracks).check(&[]), "CLIP_UNITS")
    };
    assert_eq!(of("Sleeping", vec![lies.clone()]), [""; 0]);
    assert_eq!(of("Walk", vec![lies.clone()]), ["Hips"]);
    let head = keyed("translation", HEAD, |_| times_rest(HEAD, 0.1));
    assert_eq!(of("Sleeping", vec![lies, head]), ["Hips"], "decimetres");
}

#[test]
fn a_prop_may_be_hidden_by_its_scale_and_a_figure_may_not() {
    for scale in [0.1, 0.01, 0.001] {
        assert_eq!(in_other_units(vec![keyed("scale", LEFT_HAND, |_| [scale; 3])]), [""; 0]);
        assert_eq!(in_other_units(vec![keyed("scale", HIPS, |_| [scale; 3])]), ["Hips"]);
    }
}

#[test]
fn a_clip_that_travels_has_a_unit_too() {
    let run = |factor: f32| {
        let [_, y, _] = JOINTS[HIPS].2;
        let at = |i: usize| [0.0, y, 0.1 * i as f32].map(|x| factor * x);
        in_other_units(vec![keyed("translation", HIPS, at)])
    };
    for factor in [100.0, 39.37, 30.48, 0.01] {
        assert_eq!(run(factor), ["Hips"], "{factor}");
    }
    assert_eq!(run(1.0), [""; 0]);
}

/// A file of the joints and clips only.
fn without_mesh(tracks: Vec<Track<'_>>) -> Vec<Value> {
    let mut json = Rig::new().clip("Move", tracks).document();
    json.as_object_mut().unwrap().remove("meshes");
    let body = json["nodes"][JOINTS.len()].as_object_mut().unwrap();
    body.remove("mesh");
    body.remove("skin");
    checked_document(&json, &[])
}

#[test]
fn without_a_mesh_lengths_are_judged_by_the_box_of_the_joints() {
    let of = |way: fn(usize) -> f32, factor: f32| {
        let track = keyed("translation", HIPS, |i| [way(i), factor, 0.0]);
        let found = without_mesh(vec![track]);
        ["POP", "CLIP_UNITS", "BOUNDS_GROW"].map(|code| has(&found, code))
    };
    assert_eq!(of(|i| 0.01 * i as f32, 1.0), [false; 3]);
    assert_eq!(of(|i| if i == 12 { 1.0 } else { 0.0 }, 1.0), [true, false, false]);
    assert_eq!(of(|i| 0.01 * i as f32, 100.0), [false, true, false]);
}

const ARMATURE: usize = JOINTS.len() + 1;

/// A figure below a node of a scale, as Blender exports it.
fn below_an_armature(scale: [f32; 3]) -> Rig {
    Rig::new().edit(|rig| {
        let nodes = rig.json["nodes"].as_array_mut().unwrap();
        nodes.push(json!({"name": "Armature", "scale": scale, "children": [HIPS, JOINTS.len()]}));
        rig.json["scenes"] = json!([{"nodes": [ARMATURE]}]);
    })
}

#[test]
fn a_node_above_the_joints_pops_if_it_jumps_and_returns() {
    let of = |track: Track<'_>| {
        let found = below_an_armature([1.0; 3]).clip("Walk", vec![track]).check(&[]);
        objects(&found, "POP")
    };
    let moved = |way: fn(usize) -> f32| of(keyed("translation", ARMATURE, |i| [0.0, 0.0, way(i)]));
    assert_eq!(moved(|i| if i == 12 { -3.0 } else { 0.03 * i as f32 }), ["Armature"]);
    assert!(moved(|i| 0.03 * i as f32).is_empty());
    assert!(moved(|i| if i < 12 { 0.0 } else { 3.0 }).is_empty(), "it is put elsewhere");
    assert_eq!(of(turning(ARMATURE, |i, _| if i == 12 { 170.0 } else { 0.0 })), ["Armature"]);
}

#[test]
fn a_node_above_the_joints_keeps_its_unit_and_its_side() {
    let of = |rest: [f32; 3], scale: [f32; 3], contract: &str| {
        let nod = turning(HEAD, |_, time| wave(time, 10.0));
        let track = keyed("scale", ARMATURE, |_| scale);
        let rig = below_an_armature(rest).clip("Walk", vec![nod, track]);
        let found = rig.check_with(contract, None);
        ["CLIP_UNITS", "SCALE_NEGATIVE", "CONTRACT"].map(|code| has(&found, code))
    };
    let rigid = "[clips.Walk]\nrigid = true\n";
    let mirrored = [-1.0, 1.0, 1.0];
    assert_eq!(of([1.0; 3], [100.0; 3], rigid), [true, false, true]);
    assert_eq!(of([0.01; 3], [0.01; 3], rigid), [false; 3]);
    assert_eq!(of([1.0; 3], mirrored, ""), [false, true, false]);
    assert_eq!(of(mirrored, mirrored, rigid), [false; 3]);
}

#[test]
fn a_bind_matrix_without_an_inverse_is_found() {
    let of = |change: fn(&mut Rig)| objects(&Rig::new().edit(change).check(&[]), "BIND_SINGULAR");
    assert!(of(|_| ()).is_empty());
    assert_eq!(of(|rig| rig.inverse_binds[TAIL] = [0.0; 16]), ["Tail"]);
    let unused = of(|rig| {
        rig.inverse_binds[TAIL] = [0.0; 16];
        rig.joints.iter_mut().filter(|joint| **joint == 6).for_each(|joint| *joint = 0);
    });
    assert!(unused.is_empty(), "it moves no vertex");
}

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
fn names_of_morph_targets_are_there_once_and_as_many_as_the_targets() {
    let of = |names: &[&str]| {
        let rig = Rig::new();
        let mut json = rig.document();
        let mut deltas = vec![[0.0f32; 3]; rig.positions.len()];
        deltas[5] = [0.0, 0.0, 0.1];
        let deltas = floats(&mut json, "VEC3", deltas.as_flattened());
        let mesh = &mut json["meshes"][0];
        mesh["primitives"][0]["targets"] = json!([{"POSITION": deltas}, {"POSITION": deltas}]);
        mesh["extras"] = json!({"targetNames": names});
        let found = checked_document(&json, &[]);
        ["NAME_TWICE", "NAME_MISSING", "TARGET_NAMES_MANY"].map(|code| objects(&found, code))
    };
    assert_eq!(of(&["a", "b"]), [vec![""; 0], vec![], vec![]]);
    assert_eq!(of(&["a", "a"]), [vec!["a"], vec![], vec![]]);
    assert_eq!(of(&["a"]), [vec![], vec!["Figure"], vec![]]);
    assert_eq!(of(&["a", "b", "c"])[2].len(), 1);
    assert_eq!(of(&[]), [vec![""; 0], vec![], vec![]], "a file without names of targets");
}
