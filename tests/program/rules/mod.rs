//! `check`: each rule on a small rig with the defect, and on one that just has it not.

mod contracts;
mod fit;
mod harmless;
mod units;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{accessor, floats, push, rigview};

/// The joints: name, parent, place in relation to it.
const JOINTS: [(&str, Option<usize>, [f32; 3]); 7] = [
    ("Hips", None, [0.0, 1.0, 0.0]),
    ("Head", Some(0), [0.0, 0.6, 0.0]),
    ("LeftArm", Some(0), [0.3, 0.4, 0.0]),
    ("LeftHand", Some(2), [0.4, 0.0, 0.0]),
    ("RightArm", Some(0), [-0.3, 0.4, 0.0]),
    ("RightHand", Some(4), [-0.4, 0.0, 0.0]),
    ("Tail", Some(0), [0.0, -0.6, 0.0]),
];
const HIPS: usize = 0;
const HEAD: usize = 1;
const LEFT_ARM: usize = 2;
const LEFT_HAND: usize = 3;
const RIGHT_HAND: usize = 5;
const TAIL: usize = 6;

/// A figure of a box of 10 cm around each of seven joints, which looks along +Z.
struct Rig {
    json: Value,
    positions: Vec<[f32; 3]>,
    /// One per vertex, or none at all.
    normals: Vec<[f32; 3]>,
    /// The joint of each vertex, with all of its weight.
    joints: Vec<u8>,
    triangles: Vec<[u16; 3]>,
    inverse_binds: Vec<[f32; 16]>,
}

/// A channel: joint, path, interpolation, times and values.
type Track<'a> = (usize, &'a str, &'a str, Vec<f32>, Vec<f32>);

impl Rig {
    fn new() -> Self {
        let mut places: Vec<[f32; 3]> = Vec::new();
        for (_, parent, at) in JOINTS {
            let above = parent.map_or([0.0; 3], |parent: usize| places[parent]);
            places.push([0, 1, 2].map(|i| above[i] + at[i]));
        }
        let mut rig = Self {
            json: json!({"asset": {"version": "2.0"}, "scene": 0}),
            positions: Vec::new(),
            normals: Vec::new(),
            joints: Vec::new(),
            triangles: Vec::new(),
            inverse_binds: Vec::new(),
        };
        for (joint, at) in places.iter().enumerate() {
            rig.add_box(*at, joint as u8);
            let [x, y, z] = at.map(|x| -x);
            rig.inverse_binds.push([1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., x, y, z, 1.]);
        }
        let nodes = JOINTS.iter().enumerate().map(|(i, (name, _, at))| {
            let below = JOINTS.iter().enumerate().filter(|(_, (_, parent, _))| *parent == Some(i));
            let below: Vec<usize> = below.map(|(child, _)| child).collect();
            let mut node = json!({"name": name, "translation": at});
            if !below.is_empty() {
                node["children"] = json!(below);
            }
            node
        });
        let mut nodes: Vec<Value> = nodes.collect();
        nodes.push(json!({"name": "Body", "mesh": 0, "skin": 0}));
        rig.json["nodes"] = json!(nodes);
        rig.json["scenes"] = json!([{"nodes": [0, 7]}]);
        rig
    }

    fn add_box(&mut self, at: [f32; 3], joint: u8) {
        for axis in 0..3 {
            for side in [-1.0, 1.0f32] {
                let first = self.positions.len() as u16;
                for (u, v) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0f32)] {
                    let mut place = at;
                    place[axis] += 0.05 * side;
                    place[(axis + 1) % 3] += 0.05 * u * side;
                    place[(axis + 2) % 3] += 0.05 * v;
                    self.positions.push(place);
                    self.normals.push([0, 1, 2].map(|i| if i == axis { side } else { 0.0 }));
                    self.joints.push(joint);
                }
                self.triangles.push([first, first + 1, first + 2]);
                self.triangles.push([first, first + 2, first + 3]);
            }
        }
    }

    /// Adds a clip.
    fn clip(mut self, name: &str, tracks: Vec<Track<'_>>) -> Self {
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for (joint, path, interpolation, times, values) in tracks {
            let kind = match path {
                "rotation" => "VEC4",
                "weights" => "SCALAR",
                _ => "VEC3",
            };
            let json = &mut self.json;
            let (input, output) = (floats(json, "SCALAR", &times), floats(json, kind, &values));
            samplers
                .push(json!({"input": input, "output": output, "interpolation": interpolation}));
            let target = json!({"node": joint, "path": path});
            channels.push(json!({"sampler": samplers.len() - 1, "target": target}));
        }
        let clip = json!({"name": name, "samplers": samplers, "channels": channels});
        push(&mut self.json, "animations", clip);
        self
    }

    fn edit(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Adds the vertices and triangles to a document.
    fn primitive(&self, json: &mut Value) -> Value {
        let position = floats(json, "VEC3", self.positions.as_flattened());
        let normals = self.normals.as_flattened();
        let normal = (!normals.is_empty()).then(|| floats(json, "VEC3", normals));
        let joints: Vec<u8> = self.joints.iter().flat_map(|joint| [*joint, 0, 0, 0]).collect();
        let weights: Vec<u8> = self.joints.iter().flat_map(|_| [255, 0, 0, 0]).collect();
        let (vertices, indices) = (self.joints.len(), self.triangles.concat());
        let joints = accessor(json, 5121, "VEC4", vertices, &joints);
        let weights = accessor(json, 5121, "VEC4", vertices, &weights);
        json["accessors"][weights]["normalized"] = json!(true);
        let bytes = bytemuck::cast_slice(&indices);
        let index = accessor(json, 5123, "SCALAR", indices.len(), bytes);
        let mut attributes =
            json!({"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights});
        if let Some(normal) = normal {
            attributes["NORMAL"] = json!(normal);
        }
        json!({"attributes": attributes, "indices": index})
    }

    /// Adds the inverse bind matrices to a document, and a skin with them.
    fn skin(&self, json: &mut Value) -> usize {
        let binds = floats(json, "MAT4", self.inverse_binds.as_flattened());
        let list: Vec<usize> = (0..JOINTS.len()).collect();
        push(json, "skins", json!({"joints": list, "inverseBindMatrices": binds}))
    }

    /// Returns the document with the mesh and its skin.
    fn document(&self) -> Value {
        let mut json = self.json.clone();
        let primitive = self.primitive(&mut json);
        json["meshes"] = json!([{"name": "Figure", "primitives": [primitive]}]);
        self.skin(&mut json);
        json
    }

    fn write(self, folder: &Path, name: &str) -> PathBuf {
        let file = folder.join(name);
        std::fs::write(&file, self.document().to_string()).unwrap();
        file
    }

    /// Returns the findings of a check with these arguments.
    fn check(self, args: &[&str]) -> Vec<Value> {
        let folder = tempfile::tempdir().unwrap();
        let file = self.write(folder.path(), "rig.gltf");
        checked(&file, args)
    }

    /// Returns the findings of a check against a contract, whose reference may be `reference`.
    fn check_with(self, contract: &str, reference: Option<Rig>) -> Vec<Value> {
        let folder = tempfile::tempdir().unwrap();
        if let Some(reference) = reference {
            reference.write(folder.path(), "reference.gltf");
        }
        let rules = folder.path().join("rig.toml");
        std::fs::write(&rules, contract).unwrap();
        let file = self.write(folder.path(), "rig.gltf");
        checked(&file, &["--contract", rules.to_str().unwrap()])
    }
}

fn checked(file: &Path, args: &[&str]) -> Vec<Value> {
    let run = rigview([&["check", file.to_str().unwrap(), "--json"], args].concat());
    assert!(matches!(run.code, Some(0 | 1)), "{}", run.ended());
    let report = run.json();
    report["files"][0]["findings"].as_array().unwrap().clone()
}

/// Returns the findings of a check of a document.
fn checked_document(json: &Value, args: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rig.gltf");
    std::fs::write(&file, json.to_string()).unwrap();
    checked(&file, args)
}

/// Returns the objects of the findings of a code.
fn objects(found: &[Value], code: &str) -> Vec<String> {
    let of_code = found.iter().filter(|finding| finding["code"] == code);
    of_code.map(|finding| finding["object"].as_str().unwrap_or_default().to_owned()).collect()
}

fn has(found: &[Value], code: &str) -> bool {
    found.iter().any(|finding| finding["code"] == code)
}

/// Thirty frames of a second and their end.
fn frames() -> Vec<f32> {
    (0..=30).map(|frame| frame as f32 / 30.0).collect()
}

/// Returns rotations about +Z by an angle in degrees at each time.
fn turns(times: &[f32], degrees: impl Fn(usize, f32) -> f32) -> Vec<f32> {
    let half = times.iter().enumerate().map(|(i, time)| degrees(i, *time).to_radians() / 2.0);
    half.flat_map(|half| [0.0, 0.0, half.sin(), half.cos()]).collect()
}

/// Returns a wave that begins and ends alike, in degrees.
fn wave(time: f32, height: f32) -> f32 {
    height * (std::f32::consts::TAU * time).sin()
}

/// A channel that turns a joint.
fn turning(joint: usize, degrees: impl Fn(usize, f32) -> f32) -> Track<'static> {
    let times = frames();
    let values = turns(&times, degrees);
    (joint, "rotation", "LINEAR", times, values)
}

/// Returns the first finding of a code.
fn first(found: &[Value], code: &str) -> Option<Value> {
    found.iter().find(|finding| finding["code"] == code).cloned()
}

#[test]
fn the_rig_of_these_tests_is_clean() {
    let found = Rig::new().clip("Nod", vec![turning(HEAD, |_, time| wave(time, 10.0))]).check(&[]);
    // The middle of the wave is straight.
    assert!(found.iter().all(|finding| finding["code"] == "KEYS_SPARE"), "{found:?}");
}

#[test]
fn one_bad_key_is_a_pop_of_rotation_translation_or_scale() {
    let spike = |height: f32| {
        let rig = Rig::new();
        let key = move |i, time| wave(time, 5.0) + if i == 12 { height } else { 0.0 };
        objects(&rig.clip("Nod", vec![turning(HEAD, key)]).check(&[]), "POP")
    };
    assert_eq!(spike(70.0), ["Head"]);
    assert!(spike(40.0).is_empty());
    // Half a circle there and half a circle on is as far back.
    assert_eq!(spike(180.0), ["Head"]);
    assert_eq!(spike(-178.0), ["Head"]);
    // A frame of 24 per second is longer than the step that is looked at.
    let film: Vec<f32> = (0..25).map(|i| i as f32 / 24.0).collect();
    let turn = turns(&film, |i, time| wave(time, 5.0) + if i == 12 { 180.0 } else { 0.0 });
    let rig = Rig::new().clip("Nod", vec![(HEAD, "rotation", "LINEAR", film, turn)]);
    assert_eq!(objects(&rig.check(&[]), "POP"), ["Head"]);
    let (times, at) = (frames(), JOINTS[HEAD].2);
    let moved = |jump: f32| {
        let values: Vec<f32> = (0..31)
            .flat_map(|i| [at[0] + if i == 12 { jump } else { 0.0 }, at[1], at[2]])
            .collect();
        let rig =
            Rig::new().clip("Slide", vec![(HEAD, "translation", "LINEAR", times.clone(), values)]);
        objects(&rig.check(&[]), "POP")
    };
    // The box of the figure has a diagonal of 2.0 m.
    assert_eq!(moved(0.3), ["Head"]);
    assert!(moved(0.15).is_empty());
    let scaled = |factor: f32| {
        let values: Vec<f32> =
            (0..31).flat_map(|i| [if i == 12 { factor } else { 1.0 }; 3]).collect();
        let rig = Rig::new().clip("Grow", vec![(HEAD, "scale", "LINEAR", times.clone(), values)]);
        objects(&rig.check(&[]), "POP")
    };
    assert_eq!(scaled(1.8), ["Head"]);
    assert!(scaled(1.4).is_empty());
}

#[test]
fn fast_movement_hidden_joints_and_steps_are_no_pops() {
    let punch = |i: usize, _| [0.0, 0.0, 0.0, 0.0, 5.0, 40.0, 87.0, 101.0, 105.0][i.min(8)];
    let steady = |_: usize, time: f32| 1500.0 * time;
    let jump = |i: usize, _: f32| if i < 15 { 0.0 } else { 90.0 };
    let times = frames();
    let hidden: Vec<f32> = (0..31).flat_map(|i| [if i < 20 { 0.0 } else { 1.0 }; 3]).collect();
    let step: Track<'_> = (TAIL, "rotation", "STEP", times.clone(), turns(&times, jump));
    let hide: Track<'_> = (LEFT_HAND, "scale", "STEP", times.clone(), hidden);
    let rig = Rig::new().clip(
        "Punch",
        vec![
            turning(HEAD, punch),
            turning(RIGHT_HAND, steady),
            turning(LEFT_HAND, jump),
            step,
            hide,
        ],
    );
    assert_eq!(objects(&rig.check(&[]), "POP"), [""; 0]);
}

#[test]
fn a_kink_counts_only_in_clips_that_loop_and_if_it_stands_out() {
    let half_wave = |_: usize, time: f32| 30.0 * (std::f32::consts::PI * time).sin();
    let of = |name: &str, contract: &str| {
        let rig = Rig::new().clip(name, vec![turning(HEAD, half_wave)]);
        has(&rig.check_with(contract, None), "LOOP_KINK")
    };
    assert!(of("Nod", ""));
    assert!(!of("Nod", "[clips.Nod]\nloop = false"));
    assert!(!of("Nod", "[thresholds]\nLOOP_KINK = 200"));
    // A zigzag turns back as sharply inside.
    let zigzag = |i: usize, _: f32| 6.0 * [0.0, 1.0, 2.0, 1.0, 0.0, -1.0, -2.0, -1.0][i % 8];
    let rig = Rig::new().clip("Shake", vec![turning(HEAD, zigzag)]);
    assert!(!has(&rig.check(&[]), "LOOP_KINK"));
}

#[test]
fn a_kink_that_the_other_side_has_inside_the_clip_is_a_step_of_the_walk() {
    let bounce = |phase: f32| {
        move |_: usize, time: f32| 30.0 * (std::f32::consts::PI * (time + phase)).sin().abs()
    };
    let (left, right) = (turning(LEFT_HAND, bounce(0.0)), turning(RIGHT_HAND, bounce(0.5)));
    let alone = Rig::new().clip("Walk", vec![left.clone(), turning(HEAD, bounce(0.5))]);
    assert_eq!(objects(&alone.check(&[]), "LOOP_KINK"), ["LeftHand"]);
    let both = Rig::new().clip("Walk", vec![left, right]);
    assert_eq!(objects(&both.check(&[]), "LOOP_KINK"), [""; 0]);
}

#[test]
fn a_clip_that_moves_nothing_is_found_and_a_pose_is_noted() {
    let level = |times: Vec<f32>, height: f32| {
        let values = turns(&times, |_, time| 5.0 + wave(time, height));
        let rig = Rig::new().clip("Held", vec![(HEAD, "rotation", "LINEAR", times, values)]);
        let found = rig.check(&[]);
        found.iter().find(|f| f["code"] == "CLIP_STILL").map(|f| f["level"].clone())
    };
    assert_eq!(level(frames(), 0.0), Some(json!("warning")));
    for instant in [0.0, 1.0] {
        assert_eq!(level(vec![instant], 0.0), Some(json!("note")));
    }
    assert_eq!(level(frames(), 0.1), None);
}

#[test]
fn a_clip_in_other_units_is_found() {
    let of = |factor: f32, path: &'static str| {
        let rest = if path == "scale" { [1.0; 3] } else { JOINTS[HIPS].2 };
        let values: Vec<f32> = frames()
            .iter()
            .flat_map(|time| rest.map(|x| factor * x * (1.0 + 0.02 * wave(*time, 1.0))))
            .collect();
        let rig = Rig::new().clip("Bob", vec![(HIPS, path, "LINEAR", frames(), values)]);
        objects(&rig.check(&[]), "CLIP_UNITS")
    };
    assert_eq!(of(0.01, "translation"), ["Hips"]);
    assert_eq!(of(100.0, "translation"), ["Hips"]);
    assert_eq!(of(0.01, "scale"), ["Hips"]);
    for path in ["translation", "scale"] {
        assert_eq!(of(1.0, path), [""; 0]);
        assert_eq!(of(0.4, path), [""; 0], "a crouch, or a smaller character");
    }
}

#[test]
fn a_missing_frame_is_noted() {
    let of = |keep: fn(usize) -> bool| {
        let times: Vec<f32> =
            (0..=30).filter(|frame| keep(*frame)).map(|frame| frame as f32 / 30.0).collect();
        let values = turns(&times, |_, time| wave(time, 10.0));
        let rig = Rig::new().clip("Nod", vec![(HEAD, "rotation", "LINEAR", times, values)]);
        has(&rig.check(&[]), "KEYS_GAP")
    };
    assert!(of(|frame| frame != 13));
    assert!(!of(|_| true));
    assert!(!of(|frame| frame % 7 < 3), "keys that were reduced have no rhythm");
}

#[test]
fn a_channel_that_steps_among_others_that_interpolate_is_odd() {
    let of = |stepping: usize, move_it: bool| {
        let joints = [HEAD, LEFT_HAND, RIGHT_HAND, TAIL, HIPS];
        let tracks = joints.iter().enumerate().map(|(i, joint)| {
            let height = if i == 0 && !move_it { 0.0 } else { 10.0 };
            let (joint, path, _, times, values) =
                turning(*joint, move |_, time| wave(time, height));
            (joint, path, if i < stepping { "STEP" } else { "LINEAR" }, times, values)
        });
        objects(&Rig::new().clip("Move", tracks.collect()).check(&[]), "INTERPOLATION_ODD")
    };
    assert_eq!(of(1, true), ["Head"]);
    assert!(of(1, false).is_empty(), "it holds");
    assert!(of(0, true).is_empty());
    assert!(of(5, true).is_empty(), "stop motion");
}

#[test]
fn eyes_that_dart_step_at_keys_of_their_own() {
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
fn tangents_that_do_not_belong_to_the_keys_overshoot() {
    let of = |slope: fn(usize, f32) -> f32| {
        let times = frames();
        let values = turns(&times, |_, time| wave(time, 10.0));
        let all: Vec<f32> = values
            .chunks(4)
            .zip(&times)
            .enumerate()
            .flat_map(|(i, (key, time))| {
                let tangent = [0.0, 0.0, slope(i, *time), 0.0];
                [&tangent[..], key, &tangent].concat()
            })
            .collect();
        let rig = Rig::new().clip("Nod", vec![(HEAD, "rotation", "CUBICSPLINE", times, all)]);
        objects(&rig.check(&[]), "CURVE_OVERSHOOTS")
    };
    assert_eq!(of(|i, _| if i % 2 == 0 { 9.0 } else { -9.0 }), ["Head"]);
    // Half of 10 degrees, times the slope of the wave.
    assert!(
        of(|_, time| 0.0873 * std::f32::consts::TAU * (std::f32::consts::TAU * time).cos())
            .is_empty()
    );
}

#[test]
fn a_copy_with_few_changes_is_noted() {
    let of = |changed: usize| {
        let clip = |changed: usize| {
            let joints = [HEAD, LEFT_HAND, RIGHT_HAND, TAIL, HIPS];
            let tracks = joints.into_iter().enumerate().map(move |(i, joint)| {
                let height = if i < changed { 12.0 } else { 10.0 };
                turning(joint, move |_, time| wave(time, height))
            });
            tracks.collect::<Vec<_>>()
        };
        let rig = Rig::new().clip("Move", clip(0)).clip("Move_2", clip(changed));
        let found = rig.check(&[]);
        [has(&found, "CLIP_TWIN"), has(&found, "CLIP_NEAR_TWIN")]
    };
    assert_eq!(of(0), [true, false]);
    assert_eq!(of(1), [false, true]);
    assert_eq!(of(2), [false, false]);
}

/// What a clip does to materials is movement too.
#[test]
fn clips_that_differ_in_properties_are_no_near_twins() {
    let of = |lightest: f32| {
        let joints = [HEAD, LEFT_HAND, RIGHT_HAND, TAIL, HIPS];
        let tracks = |first: f32| {
            let turns = joints.map(|joint| turning(joint, |_, time| wave(time, 10.0)));
            let mut turns = turns.to_vec();
            turns[0] = turning(HEAD, move |_, time| wave(time, first));
            turns
        };
        let rig = Rig::new().clip("Move", tracks(10.0)).clip("Move_2", tracks(12.0));
        let rig = rig.edit(|rig| {
            let factors = json!({"metallicFactor": 1, "roughnessFactor": 1});
            rig.json["materials"] = json!([{"pbrMetallicRoughness": factors}]);
            rig.json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
            let pointers = ["metallicFactor", "roughnessFactor"];
            for (clip, last) in [(0, 0.2), (1, lightest)] {
                for name in pointers {
                    let json = &mut rig.json;
                    let input = floats(json, "SCALAR", &[0.0, 1.0]);
                    let output = floats(json, "SCALAR", &[0.0, last]);
                    let clip = &mut json["animations"][clip];
                    let samplers = clip["samplers"].as_array_mut().unwrap();
                    samplers.push(json!({"input": input, "output": output}));
                    let sampler = samplers.len() - 1;
                    let pointer = format!("/materials/0/pbrMetallicRoughness/{name}");
                    let extensions = json!({"KHR_animation_pointer": {"pointer": pointer}});
                    let target = json!({"path": "pointer", "extensions": extensions});
                    let channel = json!({"sampler": sampler, "target": target});
                    clip["channels"].as_array_mut().unwrap().push(channel);
                }
            }
        });
        has(&rig.check(&[]), "CLIP_NEAR_TWIN")
    };
    assert!(of(0.2));
    assert!(!of(0.9));
}

#[test]
fn a_stray_vertex_is_far() {
    let of = |place: f32| {
        let rig = Rig::new().edit(|rig| rig.positions[30] = [place; 3]);
        objects(&rig.check(&[]), "VERTEX_FAR")
    };
    assert_eq!(of(30.0), ["Figure"]);
    assert!(of(3.0).is_empty());
    // The same figure, stored in centimetres.
    let metres = |scale: f32| {
        let rig = Rig::new().edit(|rig| {
            rig.positions[30] = [30.0; 3];
            rig.positions.as_flattened_mut().iter_mut().for_each(|x| *x *= scale);
            for bind in &mut rig.inverse_binds {
                [0, 5, 10].iter().for_each(|i| bind[*i] /= scale);
            }
        });
        let found = rig.check(&[]);
        let far = found.iter().find(|finding| finding["code"] == "VERTEX_FAR").unwrap();
        ["value", "limit"].map(|key| far[key].as_f64().unwrap())
    };
    let (one, hundred) = (metres(1.0), metres(100.0));
    assert!((hundred[0] / one[0] - 1.0).abs() < 1e-3 && one[0] > 45.0, "{one:?} {hundred:?}");
    assert!((hundred[1] / one[1] - 1.0).abs() < 1e-3, "{one:?} {hundred:?}");
}

#[test]
fn triangles_with_normals_on_their_other_side_are_odd() {
    let wound = |triangles: usize| {
        let rig = Rig::new().edit(|rig| {
            rig.triangles[..triangles].iter_mut().for_each(|triangle| triangle.swap(0, 1));
        });
        objects(&rig.check(&[]), "WINDING_ODD")
    };
    // 84 triangles.
    assert_eq!(wound(1), ["Figure"]);
    assert!(wound(0).is_empty());
    assert!(wound(84).len() == 1);
    let normals = Rig::new().edit(|rig| {
        rig.normals[..8].iter_mut().for_each(|normal| *normal = normal.map(|x| -x));
    });
    assert_eq!(objects(&normals.check(&[]), "WINDING_ODD"), ["Figure"]);
}

#[test]
fn vertices_on_joints_that_are_far_away_are_found() {
    let bound = |from: usize, to: usize| {
        let rig = Rig::new().edit(|rig| {
            rig.joints
                .iter_mut()
                .filter(|joint| **joint == from as u8)
                .for_each(|joint| *joint = to as u8);
        });
        objects(&rig.check(&[]), "WEIGHT_FAR")
    };
    assert_eq!(bound(LEFT_HAND, RIGHT_HAND), ["RightHand"], "the other side");
    assert_eq!(bound(TAIL, LEFT_HAND), ["LeftHand"], "apart from the others");
    assert!(bound(HEAD, HIPS).is_empty(), "what hangs on a joint above it is rigid");
    assert!(bound(HEAD, HEAD).is_empty());
}

#[test]
fn a_few_vertices_on_the_other_side_are_found_among_many() {
    let few = |count: usize| {
        let rig = Rig::new().edit(|rig| {
            let hand = rig.joints.iter().position(|joint| *joint == RIGHT_HAND as u8).unwrap();
            let at = rig.positions[hand];
            for i in 0..24 {
                let apart = 0.0005 * i as f32;
                rig.add_box([at[0] + apart, at[1], at[2]], RIGHT_HAND as u8);
            }
            let left = rig.joints.iter_mut().filter(|joint| **joint == LEFT_HAND as u8);
            left.take(count).for_each(|joint| *joint = RIGHT_HAND as u8);
        });
        let found = first(&rig.check(&[]), "WEIGHT_FAR");
        found.map(|found| found["message"].as_str().unwrap().to_owned())
    };
    // Not "far away from it and from the others", which is said where no side is known.
    let text = few(8).unwrap();
    assert!(text.contains("8 of the 608 vertices") && text.contains("on the other side"), "{text}");
    assert_eq!(few(0), None);
}

#[test]
fn a_bind_matrix_that_is_turned_is_found() {
    let of = |degrees: f32| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let rig = Rig::new().edit(|rig| {
            let [x, y, z] = [12, 13, 14].map(|i| rig.inverse_binds[HEAD][i]);
            rig.inverse_binds[HEAD] = [
                cos,
                sin,
                0.,
                0.,
                -sin,
                cos,
                0.,
                0.,
                0.,
                0.,
                1.,
                0.,
                cos * x - sin * y,
                sin * x + cos * y,
                z,
                1.,
            ];
        });
        let found = rig.check(&[]);
        found
            .iter()
            .find(|f| f["code"] == "REST_NOT_BIND")
            .map(|f| (f["object"].clone(), f["unit"].clone()))
    };
    assert_eq!(of(5.0), Some((json!("Head"), json!("degrees"))));
    assert_eq!(of(0.5), None);
}

#[test]
fn a_joint_that_carries_a_mesh_is_used() {
    let of = |carries: bool| {
        let rig = Rig::new().edit(|rig| {
            rig.joints
                .iter_mut()
                .filter(|joint| **joint == TAIL as u8)
                .for_each(|joint| *joint = 0);
            let mut lamp = json!({"name": "Lamp"});
            if carries {
                lamp["camera"] = json!(0);
                rig.json["cameras"] =
                    json!([{"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1}}]);
            }
            rig.json["nodes"].as_array_mut().unwrap().push(lamp);
            rig.json["nodes"][TAIL]["children"] = json!([8]);
        });
        objects(&rig.check(&[]), "JOINT_UNUSED")
    };
    assert_eq!(of(false), ["Tail"]);
    assert!(of(true).is_empty());
}

#[test]
fn a_contract_declares_height_and_axes() {
    let objects_of = |contract: &str, turn: Option<[f32; 4]>| {
        let rig = Rig::new().edit(|rig| {
            if let Some(turn) = turn {
                let nodes = rig.json["nodes"].as_array_mut().unwrap();
                nodes.push(json!({"name": "Export", "rotation": turn, "children": [0, 7]}));
                rig.json["scenes"] = json!([{"nodes": [8]}]);
            }
        });
        objects(&rig.check_with(&format!("[model]\n{contract}"), None), "CONTRACT")
    };
    // From the tail at 0.4 m to the head at 1.6 m, with half a box at each end.
    assert_eq!(objects_of("height = [1.2, 1.4]", None), [""; 0]);
    assert_eq!(objects_of("height = [1.4, 1.6]", None), ["height"]);
    let right = "up = \"+Y\"\nfacing = \"+Z\"";
    assert_eq!(objects_of(right, None), [""; 0]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    assert_eq!(objects_of(right, Some([-half, 0.0, 0.0, half])), ["up axis", "facing"]);
    assert_eq!(objects_of(right, Some([0.0, 1.0, 0.0, 0.0])), ["facing"]);
    assert_eq!(objects_of("facing = \"-Z\"", Some([0.0, 1.0, 0.0, 0.0])), [""; 0]);
}

#[test]
fn thresholds_are_those_of_the_contract() {
    let of = |contract: &str| {
        let key = |i, time| wave(time, 5.0) + if i == 12 { 25.0 } else { 0.0 };
        let rig = Rig::new().clip("Nod", vec![turning(HEAD, key)]);
        has(&rig.check_with(contract, None), "POP")
    };
    assert!(!of(""));
    assert!(of("[thresholds]\nPOP = 15"));
    let folder = tempfile::tempdir().unwrap();
    let file = Rig::new().write(folder.path(), "rig.gltf");
    let rules = folder.path().join("rig.toml");
    for (text, says) in [
        ("[thresholds]\nPOPP = 1", "did you mean POP?"),
        ("[thresholds]\nNAME_TWICE = 1", "measures nothing"),
        ("[thresholds]\nPOP = -1", "number from 0"),
        ("[model]\nup = \"Y\"", "`+Y`"),
        ("[clips.Walk]\nfps = 0", "above 0"),
    ] {
        std::fs::write(&rules, text).unwrap();
        let args = ["check", file.to_str().unwrap(), "--contract", rules.to_str().unwrap()];
        let run = rigview(args).failed(2);
        assert!(run.stderr.contains(says) && run.stderr.contains("line "), "{}", run.stderr);
    }
}

#[test]
fn key_times_that_go_back_are_an_error() {
    let of = |times: Vec<f32>| {
        let values = turns(&times, |_, time| wave(time, 10.0));
        let found =
            Rig::new().clip("Nod", vec![(HEAD, "rotation", "LINEAR", times, values)]).check(&[]);
        let found = found.into_iter().find(|f| f["code"] == "CHANNEL_LEFT_OUT");
        found.map(|f| (f["level"].clone(), f["message"].as_str().unwrap().contains("stands still")))
    };
    for times in [vec![0.0, 0.2, 0.1], vec![0.0, 0.1, 0.1], vec![-0.1, 0.1, 0.2]] {
        assert_eq!(of(times), Some((json!("error"), true)));
    }
    assert_eq!(of(vec![0.0, 0.1, 0.2]), None);
}
