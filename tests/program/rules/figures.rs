//! `check`: several figures in a file, and rigid parts that belong to a figure or to a machine.

use std::path::Path;

use serde_json::{Value, json};

use super::{
    HEAD, HIPS, JOINTS, LEFT_HAND, RIGHT_HAND, Rig, TAIL, Track, checked, frames, has, objects,
    turning, turns, wave,
};
use crate::support::{floats, push};

/// The nodes of an actor of a crowd: its joints and its mesh.
const ACTOR: usize = JOINTS.len() + 1;

/// Writes a rig after changing its document.
fn write(rig: Rig, folder: &Path, name: &str, edit: impl FnOnce(&mut Value)) -> std::path::PathBuf {
    let file = rig.write(folder, name);
    let mut json: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    edit(&mut json);
    std::fs::write(&file, json.to_string()).unwrap();
    file
}

/// Returns the findings of a document against a contract.
fn check(rig: Rig, edit: impl FnOnce(&mut Value), contract: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("rig.toml");
    std::fs::write(&rules, contract).unwrap();
    let file = write(rig, folder.path(), "rig.gltf", edit);
    checked(&file, &["--contract", rules.to_str().unwrap()])
}

/// Makes a figure three that stand apart, each below a node of its own, and all below one.
fn crowd(json: &mut Value, apart: f32) {
    let nodes = json["nodes"].as_array().unwrap().clone();
    let skin = json["skins"][0].clone();
    for actor in 1..3 {
        let moved = |of: &Value| json!(of.as_u64().unwrap() as usize + actor * ACTOR);
        let all = |list: &Value| list.as_array().unwrap().iter().map(moved).collect::<Vec<_>>();
        for node in &nodes {
            let mut node = node.clone();
            if node.get("children").is_some() {
                node["children"] = json!(all(&node["children"]));
            }
            if node.get("skin").is_some() {
                node["skin"] = json!(actor);
            }
            push(json, "nodes", node);
        }
        let mut skin = skin.clone();
        skin["joints"] = json!(all(&skin["joints"]));
        push(json, "skins", skin);
    }
    let actors = (0..3).map(|actor| {
        let below = [actor * ACTOR, actor * ACTOR + JOINTS.len()];
        let at = [apart * actor as f32, 0.0, 0.0];
        push(json, "nodes", json!({"name": "Actor", "translation": at, "children": below}))
    });
    let actors: Vec<usize> = actors.collect();
    let scene = push(json, "nodes", json!({"name": "Scene", "children": actors}));
    json["scenes"] = json!([{"nodes": [scene]}]);
}

/// Returns the findings of a code in a crowd.
fn in_crowd(code: &str, clip: &str, tracks: Vec<Track<'_>>, contract: &str) -> Vec<String> {
    objects(&check(Rig::new().clip(clip, tracks), |json| crowd(json, 30.0), contract), code)
}

fn keyed(path: &'static str, node: usize, value: impl Fn(usize) -> [f32; 3]) -> Track<'static> {
    (node, path, "LINEAR", frames(), (0..31).flat_map(value).collect())
}

#[test]
fn the_size_of_an_actor_is_not_that_of_the_crowd() {
    // The clip moves all skins.
    let others = || [0, 2].map(|actor| turning(actor * ACTOR + HEAD, |_, time| wave(time, 10.0)));
    let pops = |jump: f32, node: usize| {
        let at = move |i| [if i == 12 { jump } else { 0.0 }, 1.0, 0.0];
        let track = keyed("translation", node, at);
        in_crowd("POP", "Walk", [vec![track], others().to_vec()].concat(), "")
    };
    // A figure has a diagonal of 2.0 m.
    assert_eq!(pops(0.3, ACTOR + HIPS), ["Hips"]);
    assert_eq!(pops(0.15, ACTOR + HIPS), [""; 0]);
    assert_eq!(pops(0.3, 3 * ACTOR + 3), [""; 0], "all of them");
    let units = |factor: f32| {
        let track = keyed("translation", ACTOR + HIPS, |_| [0.0, factor, 0.0]);
        let head = keyed("translation", ACTOR + HEAD, |_| [0.0, 0.6 * factor, 0.0]);
        in_crowd("CLIP_UNITS", "Walk", [vec![track, head], others().to_vec()].concat(), "")
    };
    assert_eq!(units(0.01), ["Hips"]);
    assert_eq!(units(1.0), [""; 0]);
    let lie = |actor: usize| keyed("translation", actor * ACTOR + HIPS, |_| [0.0, 0.1, 0.0]);
    assert_eq!(in_crowd("CLIP_UNITS", "Sleep", vec![lie(0), lie(2)], ""), [""; 0]);
}

#[test]
fn the_scale_of_an_actor_has_a_unit_and_that_of_a_prop_has_none() {
    // A banner of three joints, with a skin of its own, stands beside the crowd.
    let banner = |json: &mut Value| {
        crowd(json, 30.0);
        let scene = json["nodes"].as_array().unwrap().len() - 1;
        let first = scene + 1;
        push(json, "nodes", json!({"name": "Pole", "children": [first + 1]}));
        push(json, "nodes", json!({"name": "Bar", "children": [first + 2]}));
        push(json, "nodes", json!({"name": "Cloth"}));
        push(json, "skins", json!({"joints": [first, first + 1, first + 2]}));
        json["nodes"][scene]["children"].as_array_mut().unwrap().push(json!(first));
    };
    let of = |node: usize| {
        let rig = Rig::new().clip("Walk", vec![keyed("scale", node, |_| [0.01; 3])]);
        objects(&check(rig, banner, ""), "CLIP_UNITS")
    };
    assert_eq!(of(ACTOR + HIPS), ["Hips"]);
    assert_eq!(of(3 * ACTOR + 1), ["Actor"]);
    assert_eq!(of(3 * ACTOR + 3), ["Scene"]);
    assert_eq!(of(ACTOR + LEFT_HAND), [""; 0]);
    assert_eq!(of(3 * ACTOR + 4), [""; 0], "the pole");
}

#[test]
fn the_other_side_is_that_of_the_same_figure() {
    for actor in 0..3 {
        let far = |swapped: bool| {
            let mut binds = Rig::new().inverse_binds;
            binds.swap(LEFT_HAND, RIGHT_HAND);
            let found = check(
                Rig::new(),
                |json| {
                    crowd(json, 30.0);
                    if swapped {
                        let binds = floats(json, "MAT4", binds.as_flattened());
                        let skin = &mut json["skins"][actor];
                        skin["inverseBindMatrices"] = json!(binds);
                        skin["joints"].as_array_mut().unwrap().swap(LEFT_HAND, RIGHT_HAND);
                    }
                },
                "",
            );
            objects(&found, "WEIGHT_FAR")
        };
        assert_eq!(far(true).len(), 2, "actor {actor}");
        assert_eq!(far(false), [""; 0]);
        let bounce = |phase: f32| {
            move |_: usize, time: f32| 30.0 * (std::f32::consts::PI * (time + phase)).sin().abs()
        };
        let left = turning(actor * ACTOR + LEFT_HAND, bounce(0.0));
        let right = |actor: usize| turning(actor * ACTOR + RIGHT_HAND, bounce(0.5));
        let kinks = |tracks| in_crowd("LOOP_KINK", "Walk", tracks, "");
        assert_eq!(kinks(vec![left.clone(), right(actor)]), [""; 0]);
        assert_eq!(kinks(vec![left, right((actor + 1) % 3)]), ["LeftHand"]);
    }
}

#[test]
fn joints_of_a_crowd_are_compared_with_those_of_the_same_actor() {
    let folder = tempfile::tempdir().unwrap();
    write(Rig::new(), folder.path(), "reference.gltf", |json| crowd(json, 30.0));
    let rules = folder.path().join("rig.toml");
    std::fs::write(&rules, "[skeleton]\nreference = \"reference.gltf\"\n").unwrap();
    for actor in 0..3 {
        let file = write(Rig::new(), folder.path(), "rig.gltf", |json| {
            crowd(json, 30.0);
            let first = actor * ACTOR;
            let hips = json["nodes"][first]["children"].as_array_mut().unwrap();
            hips.retain(|child| *child != json!(first + TAIL));
            json["nodes"][first + HEAD]["children"] = json!([first + TAIL]);
        });
        let found = checked(&file, &["--contract", rules.to_str().unwrap()]);
        let found: Vec<&Value> =
            found.iter().filter(|it| it["code"] == "SKELETON_DIFFERS").collect();
        let [found] = found[..] else { panic!("actor {actor}: {found:?}") };
        assert_eq!(found["pointer"], format!("/nodes/{}", actor * ACTOR + TAIL));
    }
}

#[test]
fn a_contract_judges_each_actor() {
    let walk = |speed: [f32; 3]| {
        let hips = (0..3).map(|actor| {
            let at = move |i| [0.0, 1.0 + 0.01 * (i % 2) as f32, speed[actor] * i as f32 / 30.0];
            keyed("translation", actor * ACTOR + HIPS, at)
        });
        hips.collect::<Vec<_>>()
    };
    let in_place = "[clips.Walk]\nin_place = true\n";
    assert_eq!(in_crowd("ROOT_MOVES", "Walk", walk([0.0, 0.0, 0.5]), in_place), ["Hips"]);
    assert_eq!(in_crowd("ROOT_MOVES", "Walk", walk([0.0; 3]), in_place), [""; 0]);
    let rigid = "[clips.Walk]\nrigid = true\n";
    assert_eq!(in_crowd("CONTRACT", "Walk", walk([0.0, 1.0, 2.0]), rigid), [""; 0]);
    let feet = "[clips.Walk]\nfeet = [\"Tail\"]\n";
    assert_eq!(in_crowd("FOOT_SLIDES", "Walk", walk([0.0, 0.5, 0.0]), feet), ["Tail"]);
    assert_eq!(in_crowd("FOOT_SLIDES", "Walk", walk([0.0; 3]), feet), [""; 0]);
}

/// Hangs boxes without a skin on nodes.
fn add_boxes(json: &mut Value, nodes: &[usize]) {
    let side = [-0.05f32, 0.05];
    let corners =
        side.iter().flat_map(|x| side.iter().flat_map(move |y| side.map(|z| [*x, *y, z])));
    let corners: Vec<[f32; 3]> = corners.collect();
    let position = floats(json, "VEC3", corners.as_flattened());
    let primitive = json!({"attributes": {"POSITION": position}, "mode": 0});
    let mesh = push(json, "meshes", json!({"name": "Box", "primitives": [primitive]}));
    nodes.iter().for_each(|node| json["nodes"][*node]["mesh"] = json!(mesh));
}

/// The thigh, the shin and the foot of a robot, which hang on the hips of a skinned body and are no joints.
const THIGH: usize = ACTOR;
const SHIN: usize = ACTOR + 1;
const FOOT: usize = ACTOR + 2;

fn robot(json: &mut Value) {
    for (name, child) in [("Thigh", Some(SHIN)), ("Shin", Some(FOOT)), ("Foot", None)] {
        let below = child.map_or(json!({}), |child| json!({"children": [child]}));
        let mut node = json!({"name": name, "translation": [0.0, -0.4, 0.0]});
        node.as_object_mut().unwrap().extend(below.as_object().unwrap().clone());
        push(json, "nodes", node);
    }
    json["nodes"][HIPS]["children"].as_array_mut().unwrap().push(json!(THIGH));
    add_boxes(json, &[THIGH, SHIN, FOOT]);
}

/// A machine of seven boxes, without any skin.
fn machine(json: &mut Value) {
    json.as_object_mut().unwrap().remove("skins");
    let body = json["nodes"][JOINTS.len()].as_object_mut().unwrap();
    body.remove("mesh");
    body.remove("skin");
    add_boxes(json, &[0, 1, 2, 3, 4, 5, 6]);
}

fn swing(node: usize) -> Track<'static> {
    turning(node, move |_, time| 40.0 + wave(time + 0.1 * node as f32, 10.0))
}

/// Returns the codes of rules of single joints that a clip of some nodes breaks, each with what it is said of.
fn broken(edit: fn(&mut Value), tracks: Vec<Track<'_>>) -> Vec<String> {
    const RULES: [&str; 4] = ["POP", "INTERPOLATION_ODD", "CLIP_REST_KEY", "CLIP_UNITS"];
    let found = check(Rig::new().clip("Work", tracks), edit, "");
    let found = found.iter().filter(|it| RULES.iter().any(|code| it["code"] == *code));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    found.map(|it| format!("{} {}", text(&it["code"]), text(&it["object"]))).collect()
}

/// What a clip may do wrong at a limb, and its code.
fn faults(limbs: [usize; 3]) -> Vec<(&'static str, Vec<Track<'static>>)> {
    let all = || limbs.map(swing).to_vec();
    let with = |track: Track<'static>| {
        let mut tracks = all();
        tracks.retain(|(node, path, ..)| (*node, *path) != (track.0, track.1));
        tracks.push(track);
        tracks
    };
    let spiked = |i: usize, time: f32| 40.0 + wave(time, 10.0) + if i == 12 { 80.0 } else { 0.0 };
    let mut steps = swing(limbs[1]);
    steps.2 = "STEP";
    // Four others interpolate.
    let stepping = [with(steps), vec![swing(TAIL), swing(RIGHT_HAND)]].concat();
    let rests = limbs.map(|node| {
        turning(node, move |i, time| if i == 0 { 0.0 } else { 40.0 + wave(time, 10.0) })
    });
    vec![
        ("POP", with(turning(limbs[1], spiked))),
        ("INTERPOLATION_ODD", stepping),
        ("CLIP_REST_KEY", rests.to_vec()),
    ]
}

#[test]
fn rigid_parts_of_a_figure_are_judged_like_its_joints() {
    let limbs = [THIGH, SHIN, FOOT];
    assert_eq!(broken(robot, limbs.map(swing).to_vec()), [""; 0]);
    for (code, tracks) in faults(limbs) {
        let found = broken(robot, tracks);
        assert!(!found.is_empty() && found.iter().all(|it| it.starts_with(code)), "{found:?}");
    }
    let of = |contract: &str, tracks: Vec<Track<'_>>| {
        let contract = format!("[clips.Work]\n{contract}\n");
        objects(&check(Rig::new().clip("Work", tracks), robot, &contract), "CONTRACT")
    };
    assert_eq!(of("moves = [\"Shin\"]", vec![swing(SHIN)]), [""; 0]);
    assert_eq!(of("moves = [\"Shin\"]", vec![swing(FOOT)]), ["Shin"]);
    assert_eq!(of("moves = [\"Sh*\", \"Head\"]", vec![swing(SHIN)]), ["Head"]);
    let long = |y: f32| vec![swing(HIPS), keyed("translation", SHIN, |_| [0.0, y, 0.0])];
    assert_eq!(of("rigid = true", long(-0.6)), ["Shin"]);
    assert_eq!(of("rigid = true", long(-0.4)), [""; 0]);
}

#[test]
fn parts_of_a_machine_are_judged_like_joints() {
    let limbs = [HEAD, LEFT_HAND - 1, LEFT_HAND];
    let work = |tracks: Vec<Track<'static>>| [vec![swing(HIPS)], tracks].concat();
    assert_eq!(broken(machine, work(limbs.map(swing).to_vec())), [""; 0]);
    for (code, tracks) in faults(limbs) {
        let found = broken(machine, work(tracks));
        assert!(!found.is_empty() && found.iter().all(|it| it.starts_with(code)), "{found:?}");
    }
    let at = |node: usize, factor: f32| {
        let [x, y, z] = JOINTS[node].2.map(|x| factor * x);
        broken(machine, work(vec![keyed("translation", node, |_| [x, y, z])]))
    };
    assert_eq!(at(LEFT_HAND, 100.0), ["CLIP_UNITS LeftHand"]);
    assert_eq!(at(HIPS, 10.0), [""; 0], "it hovers");
    let scaled = |node: usize| broken(machine, vec![keyed("scale", node, |_| [100.0; 3])]);
    assert_eq!(scaled(HIPS), [""; 0], "a thing of one driven part");
    let scaled = |node: usize| {
        let scale = keyed("scale", node, |_| [100.0; 3]);
        broken(machine, [work(limbs.map(swing).to_vec()), vec![scale]].concat())
    };
    assert_eq!(scaled(HIPS), ["CLIP_UNITS Hips"]);
    assert_eq!(scaled(LEFT_HAND), [""; 0], "what is not needed is hidden");
    let turned_over = keyed("scale", LEFT_HAND, |i| [1.0 - 0.07 * i as f32, 1.0, 1.0]);
    assert_eq!(broken(machine, vec![swing(HIPS), turned_over]), [""; 0]);
}

#[test]
fn a_part_that_hangs_on_nothing_that_moves_may_go_elsewhere_at_once() {
    // The hand of a clock, which ticks.
    let tick = |i: usize, _: f32| if i < 15 { 0.0 } else { 60.0 };
    assert_eq!(broken(machine, vec![turning(HEAD, tick)]), [""; 0]);
    let found = broken(machine, vec![swing(HIPS), turning(HEAD, tick)]);
    assert_eq!(found, ["POP Head"], "the neck of a machine that moves");
    let spike = |i: usize, _: f32| if i == 15 { 60.0 } else { 0.0 };
    let found = broken(machine, vec![turning(HEAD, spike)]);
    assert_eq!(found, ["POP Head"]);
}

#[test]
fn eyes_blink_and_dart() {
    let close = |name: &str, keys: [f32; 5]| {
        let key = move |i: usize, _: f32| keys[i.saturating_sub(9).min(5) % 5];
        let rig = Rig::new().edit(|rig| rig.json["nodes"][HEAD]["name"] = json!(name));
        objects(&rig.clip("Idle", vec![turning(HEAD, key)]).check(&[]), "POP")
    };
    let blink = [0.0, 70.0, 90.0, 50.0, 10.0];
    for name in ["LeftEyelid", "eye_lid.L", "R_Lid_Upper", "Blink_L", "lefteyelid"] {
        assert_eq!(close(name, blink), [""; 0], "{name}");
    }
    assert_eq!(close("Chest_Lid", blink), ["Chest_Lid"]);
    assert_eq!(close("LeftEyelid", [0.0, 120.0, 0.0, 0.0, 0.0]), ["LeftEyelid"]);
    let darts = |times: Vec<f32>| {
        let values = turns(&times, |i, _| [0.0, 12.0, -8.0, 10.0, 3.0, -3.0][i % 6]);
        let others =
            [HIPS, TAIL, LEFT_HAND, RIGHT_HAND].map(|node| turning(node, |_, t| wave(t, 9.0)));
        let eye = (HEAD, "rotation", "STEP", times, values);
        let rig = Rig::new().clip("Look", [others.to_vec(), vec![eye]].concat());
        has(&rig.check(&[]), "INTERPOLATION_ODD")
    };
    assert!(!darts(vec![0.0, 0.2, 0.35, 0.6, 0.8, 1.0]));
    assert!(!darts((0..6).map(|i| i as f32 / 5.0).collect()), "frames of the others, but few");
    assert!(darts(frames()));
}

#[test]
fn a_blink_is_small_beside_the_whole_face() {
    // A lid of 3 cm, which closes by 2 cm, on a head of boxes up to 1 m away.
    let pops = |keys: [f32; 5], face: bool| {
        let edit = |json: &mut Value| {
            machine(json);
            let lid = [[0.0f32, 0.0, 0.0], [0.03, 0.0, 0.0], [0.0, 0.02, 0.0]];
            let down = [[0.0f32; 3], [0.0; 3], [0.0, -0.02, 0.0]];
            let [position, down] =
                [lid, down].map(|list| floats(json, "VEC3", list.as_flattened()));
            let primitive =
                json!({"attributes": {"POSITION": position}, "targets": [{"POSITION": down}]});
            let mesh = push(json, "meshes", json!({"name": "Lid", "primitives": [primitive]}));
            json["nodes"][JOINTS.len()]["mesh"] = json!(mesh);
            if !face {
                json["scenes"] = json!([{"nodes": [JOINTS.len()]}]);
            }
        };
        let weights: Vec<f32> =
            (0..31usize).map(|i| keys[i.saturating_sub(9).min(5) % 5]).collect();
        let rig =
            Rig::new().clip("Idle", vec![(JOINTS.len(), "weights", "LINEAR", frames(), weights)]);
        objects(&check(rig, edit, ""), "POP")
    };
    assert_eq!(pops([0.0, 0.6, 1.0, 0.5, 0.0], true), [""; 0]);
    assert_eq!(pops([0.0, 0.0, 1.0, 0.0, 0.0], true), [""; 0]);
    assert_eq!(pops([0.0, 0.0, 40.0, 0.0, 0.0], true), ["Body"]);
    assert_eq!(pops([0.0, 0.0, 1.0, 0.0, 0.0], false), ["Body"], "nothing else is there");
}
