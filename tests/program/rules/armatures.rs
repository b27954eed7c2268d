//! `check`: nodes above the joints, and what hides a skin or takes it apart.

use serde_json::json;

use super::{HEAD, HIPS, JOINTS, Rig, TAIL, Track, first, frames, has, objects, turning, wave};

const ARMATURE: usize = JOINTS.len() + 1;

/// A figure below a node of a scale, as Blender exports it.
fn below_an_armature(scale: [f32; 3]) -> Rig {
    Rig::new().edit(|rig| {
        let nodes = rig.json["nodes"].as_array_mut().unwrap();
        nodes.push(json!({"name": "Armature", "scale": scale, "children": [HIPS, JOINTS.len()]}));
        rig.json["scenes"] = json!([{"nodes": [ARMATURE]}]);
    })
}

fn keyed(path: &'static str, node: usize, value: impl Fn(usize) -> [f32; 3]) -> Track<'static> {
    let values = (0..31).flat_map(value).collect();
    (node, path, "LINEAR", frames(), values)
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

#[test]
fn a_skin_that_is_scaled_to_nothing_is_found() {
    let of = |rest: f32, joint: usize, keys: Option<fn(usize) -> f32>| {
        let rig =
            Rig::new().edit(|rig| rig.json["nodes"][joint]["scale"] = json!([rest, rest, rest]));
        let nod = turning(HEAD, |_, time| wave(time, 10.0));
        let scale = keys.map(|keys| keyed("scale", joint, |i| [keys(i); 3]));
        let found = rig.clip("Nod", [Some(nod), scale].into_iter().flatten().collect()).check(&[]);
        first(&found, "SKIN_HIDDEN").map(|found| found["clip"].clone())
    };
    assert_eq!(of(0.0, HIPS, None), Some(json!(null)));
    assert_eq!(of(1.0, HIPS, Some(|_| 0.0)), Some(json!("Nod")));
    assert_eq!(of(1.0, HIPS, None), None);
    assert_eq!(of(0.0, TAIL, None), None, "a part that is hidden on purpose");
    assert_eq!(of(0.0, HIPS, Some(|i| i as f32)), None, "it appears");
}

#[test]
fn a_joint_that_is_gone_for_a_key_pops() {
    let of = |gone: std::ops::Range<usize>| {
        let track = keyed("scale", HEAD, |i| [if gone.contains(&i) { 0.0 } else { 1.0 }; 3]);
        objects(&Rig::new().clip("Nod", vec![track]).check(&[]), "POP")
    };
    assert_eq!(of(12..13), ["Head"]);
    assert!(of(12..15).is_empty(), "hidden on purpose");
    assert!(of(28..31).is_empty());
}

#[test]
fn a_scale_that_pops_says_which_way_it_goes() {
    fn flat(is_flat: bool) -> [f32; 3] {
        if is_flat { [1.0, 0.0, 1.0] } else { [1.0; 3] }
    }
    let of = |scale: fn(usize) -> [f32; 3]| {
        let rig = Rig::new().clip("Grow", vec![keyed("scale", HEAD, scale)]);
        let found = first(&rig.check(&[]), "POP").unwrap();
        found["message"].as_str().unwrap().to_owned()
    };
    assert!(of(|i| flat(i < 12)).contains("\"Head\" grows out of nothing"));
    assert!(of(|i| flat(i >= 12)).contains("\"Head\" is scaled to nothing"));
    assert!(of(|i| flat(i == 12)).contains("\"Head\" is scaled to nothing"), "a single key");
}
