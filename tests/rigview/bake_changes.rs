//! `bake`: clips that are cut, reversed, mirrored, closed, reduced, blended, split and merged, and poses.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rigview::anim::Clip;
use rigview::compare::models;
use rigview::import::{ImageDecoding, ImportOptions, load};
use rigview::model::{Model, Stage, three_digits};
use serde_json::{Value, json};

use crate::support::{Glb, Joints, Run, rigview};

fn creature() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/creature.glb")
}

pub fn read(file: &Path) -> Model {
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    load(file, &options).unwrap_or_else(|e| panic!("{}: {e}", file.display())).model
}

/// A folder for the results.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn run(&self, input: &Path, output: &str, more: &[&str]) -> Run {
        let mut args: Vec<OsString> = vec!["bake".into(), input.into()];
        args.extend(["-o".into(), self.path(output).into_os_string()]);
        args.extend(more.iter().map(Into::into));
        rigview(args)
    }

    /// Bakes the built-in rig, and reads the result.
    fn bake(&self, more: &[&str]) -> Model {
        self.run(&creature(), "out.glb", more).done();
        read(&self.path("out.glb"))
    }
}

fn clip<'a>(model: &'a Model, name: &str) -> &'a Clip {
    let found = model.clips.iter().find(|clip| clip.name() == Some(name));
    found.unwrap_or_else(|| panic!("no clip {name}"))
}

pub fn node(model: &Model, name: &str) -> usize {
    model.nodes.iter().position(|node| node.name.as_deref() == Some(name)).unwrap()
}

/// Returns the largest distance between the places of all nodes of two files.
fn apart(a: (&Model, &Clip, f64), b: (&Model, &Clip, f64)) -> f32 {
    let posed = |(model, clip, time): (&Model, &Clip, f64)| {
        let mut stage = Stage::new(model, 0);
        stage.pose(model, Some(clip), time);
        (0..model.nodes.len()).map(|node| stage.position(node)).collect::<Vec<_>>()
    };
    let pairs = posed(a).into_iter().zip(posed(b));
    pairs.map(|(a, b)| a.distance(b)).fold(0.0, f32::max)
}

const SAME: f32 = 1e-5;

#[test]
fn a_part_begins_at_zero_and_keeps_its_keys() {
    let (folder, before) = (Folder::new(), read(&creature()));
    for (name, from, to) in [("Idle", 0.7, 2.9), ("Walk", 0.25, 0.8), ("Hop", 0.31, 9.0)] {
        let (start, end) = (from.to_string(), to.to_string());
        let range = ["--clip", name, "--from", &start, "--to", &end];
        let source = clip(&before, name);
        let to = f64::min(to, f64::from(source.duration_secs()));
        for rate in [&["--rate", "keep"][..], &["--rate", "120"]] {
            let after = folder.bake(&[&range, rate].concat());
            let part = &after.clips[0];
            assert!((f64::from(part.duration_secs()) - (to - from)).abs() < 1e-6, "{name}");
            // Sampled curves are only the same at their samples.
            let steps = if rate[1] == "keep" { 23 } else { (120.0 * (to - from)) as usize };
            for step in 0..steps {
                let time = match rate[1] {
                    "keep" => (to - from) * step as f64 / 23.0,
                    _ => step as f64 / 120.0,
                };
                let off = apart((&after, part, time), (&before, source, from + time));
                assert!(off < 1e-4, "{name} {rate:?} at {time}: {off} m");
            }
        }
    }
    let late = folder.run(&creature(), "no.glb", &["--clip", "Walk", "--from", "3"]).failed(2);
    assert!(late.stderr.contains("Walk") && !folder.path("no.glb").exists(), "{}", late.stderr);
}

#[test]
fn a_clip_plays_backwards_and_with_its_sides_exchanged() {
    let (folder, before) = (Folder::new(), read(&creature()));
    let walk = clip(&before, "Walk");
    let back = folder.bake(&["--clip", "Walk", "--reverse", "--rate", "keep"]);
    let twice = folder.bake(&["--clip", "Walk", "--mirror", "--rate", "keep"]);
    let mut stages = [&before, &twice].map(|model| Stage::new(model, 0));
    for step in 0..20 {
        let time = f64::from(step) / 19.0;
        let off = apart((&back, &back.clips[0], time), (&before, walk, 1.0 - time));
        assert!(off < SAME, "{time}: {off}");
        stages[0].pose(&before, Some(walk), time);
        stages[1].pose(&twice, Some(&twice.clips[0]), time);
        for (left, right) in [("foot.L", "foot.R"), ("hand.R", "hand.L"), ("head", "head")] {
            let mut place = stages[0].position(node(&before, left));
            place.x = -place.x;
            let mirrored = stages[1].position(node(&twice, right));
            assert!(place.distance(mirrored) < 1e-4, "{left} {time}: {place} {mirrored}");
        }
    }
    // The two feet do not do the same.
    assert!(apart((&twice, &twice.clips[0], 0.3), (&before, walk, 0.3)) > 0.01);
}

/// A copy of the built-in rig whose clip "Walk" travels two metres, and ends a little off its start.
fn travelling(folder: &Folder) -> PathBuf {
    let mut glb = Glb::read(&creature());
    let root = glb.json["nodes"].as_array().unwrap().iter().position(|n| n["name"] == "root");
    let input = glb.put_floats("SCALAR", &[0.0, 0.5, 1.0]);
    let output = glb.put_floats("VEC3", &[0.0, 0.0, 0.0, 0.4, 0.1, 1.1, 0.0, 0.02, 2.0]);
    let walk = &mut glb.json["animations"][1];
    assert_eq!(walk["name"], "Walk");
    let samplers = walk["samplers"].as_array_mut().unwrap();
    samplers.push(json!({ "input": input, "output": output }));
    let sampler = samplers.len() - 1;
    let channels = walk["channels"].as_array_mut().unwrap();
    channels
        .retain(|c| c["target"]["node"] != root.unwrap() || c["target"]["path"] != "translation");
    channels.push(json!({
        "sampler": sampler, "target": { "node": root.unwrap(), "path": "translation" },
    }));
    let path = folder.path("travelling.glb");
    glb.write(&path);
    path
}

#[test]
fn a_loop_is_closed_within_a_bound_and_a_way_taken_off() {
    let folder = Folder::new();
    let input = travelling(&folder);
    let root = |model: &Model, time: f64| {
        let mut stage = Stage::new(model, 0);
        stage.pose(model, model.clips.first(), time);
        stage.position(node(model, "root"))
    };
    let walk = ["--clip", "Walk", "--rate", "keep"];
    folder.run(&input, "place.glb", &[&walk[..], &["--in-place"]].concat()).done();
    let placed = read(&folder.path("place.glb"));
    let (start, end) = (root(&placed, 0.0), root(&placed, 1.0));
    assert!((end - start).distance(glam::Vec3::new(0.0, 0.02, 0.0)) < 1e-5, "{start} {end}");
    // The height of the way, and what is left of it in the middle, stay.
    assert!(root(&placed, 0.5).distance(glam::Vec3::new(0.4, 0.1, 0.1) + start) < 1e-5);

    let far = [&walk[..], &["--in-place", "--loop"]].concat();
    let refused = folder.run(&input, "loop.glb", &far).failed(1);
    assert!(refused.stderr.contains("not closed"), "{}", refused.stderr);
    assert!(!folder.path("loop.glb").exists());
    let wide = [&far[..], &["--bound", "60"]].concat();
    folder.run(&input, "loop.glb", &wide).done();
    let closed = read(&folder.path("loop.glb"));
    let clip = &closed.clips[0];
    assert!(apart((&closed, clip, 0.0), (&closed, clip, 1.0)) < SAME);
    // A clip that travels keeps its way.
    let travels = [&walk[..], &["--loop", "--bound", "60"]].concat();
    folder.run(&input, "travels.glb", &travels).done();
    let travels = read(&folder.path("travels.glb"));
    let way = root(&travels, 1.0) - root(&travels, 0.0);
    assert!((way.z - 2.0).abs() < 1e-5, "{way}");
}

#[test]
fn a_loop_is_closed_in_all_scenes() {
    let folder = Folder::new();
    let mut glb = Glb::read(&travelling(&folder));
    let prop = glb.json["nodes"].as_array().unwrap().len();
    glb.json["nodes"].as_array_mut().unwrap().push(json!({ "name": "prop", "mesh": 0 }));
    glb.json["scenes"].as_array_mut().unwrap().push(json!({ "nodes": [prop] }));
    glb.json["scene"] = json!(1);
    let input = folder.path("scenes.glb");
    glb.write(&input);
    let close = ["--clip", "Walk", "--rate", "keep", "--in-place", "--loop", "--bound", "60"];
    folder.run(&input, "loop.glb", &close).done();
    let closed = read(&folder.path("loop.glb"));
    let clip = &closed.clips[0];
    let gap = apart((&closed, clip, 0.0), (&closed, clip, 1.0));
    assert!(gap < SAME, "the other scene's rig has a gap of {gap} m");
}

/// A gap to the side is no way of a clip that ends near its start, and a way over the ground keeps its height.
#[test]
fn a_loop_that_stays_open_is_refused() {
    let folder = Folder::new();
    let input = folder.path("in.glb");
    let write = |end: [f32; 3]| {
        let keys = [[0.0, 1.0, 0.0], [0.0, 1.2, 0.5], end];
        let joints = Joints::chain(&[Some("hips"), Some("head")]).clip("Walk");
        joints.channel(0, "translation", &[0.0, 0.5, 1.0], &keys).0.write(&input);
    };
    let end = |model: &Model| {
        let mut stage = Stage::new(model, 0);
        stage.pose(model, model.clips.first(), 1.0);
        stage.position(0)
    };
    let close = ["--rate", "keep", "--loop", "--bound"];
    write([0.005, 1.0, 0.0]);
    let refused = folder.run(&input, "out.glb", &[&close[..], &["0.1"]].concat()).failed(1);
    assert!(refused.stderr.contains("not closed"), "{}", refused.stderr);
    assert!(refused.stderr.contains("; `--bound 5"), "{}", refused.stderr);
    assert!(!folder.path("out.glb").exists());
    folder.run(&input, "out.glb", &[&close[..], &["6"]].concat()).done();
    assert!(end(&read(&folder.path("out.glb"))).distance(glam::Vec3::Y) < 1e-6);
    // What is closed already needs no change.
    std::fs::rename(folder.path("out.glb"), &input).unwrap();
    folder.run(&input, "out.glb", &[&close[..], &["0.1"]].concat()).done();

    write([0.0, 1.02, 1.0]);
    folder.run(&input, "travels.glb", &[&close[..], &["0.1"]].concat()).failed(1);
    folder.run(&input, "travels.glb", &[&close[..], &["30"]].concat()).done();
    let way = end(&read(&folder.path("travels.glb")));
    assert!(way.distance(glam::Vec3::new(0.0, 1.0, 1.0)) < 1e-6, "{way}");
}

/// What another scene than the default one draws is measured too.
#[test]
fn the_bound_holds_in_all_scenes() {
    let folder = Folder::new();
    let mut glb = Glb::read(&creature());
    let mut said = Vec::new();
    for scene in [0, 1] {
        glb.json["scenes"] = json!([glb.json["scenes"][0], {"name": "empty"}]);
        glb.json["scene"] = json!(scene);
        let input = folder.path("scenes.glb");
        glb.write(&input);
        let reduce = ["--clip", "Walk", "--form", "reduced", "--bound", "1", "--rate", "keep"];
        let run = folder.run(&input, "few.glb", &reduce);
        assert_eq!(run.code, Some(0), "{}", run.ended());
        said.push(run.text().to_owned() + &run.stderr);
    }
    assert!(said[0].contains(" mm at the skin") && !said[0].contains(" 0 mm"), "{}", said[0]);
    assert_eq!(said[0], said[1]);
}

/// The bound is that to the clip itself: samples are off by themselves between frames.
#[test]
fn reduced_keys_stay_within_the_bound() {
    let (folder, before) = (Folder::new(), read(&creature()));
    let whole = folder.bake(&["--clip", "Walk"]);
    let keys = |model: &Model| -> usize {
        model.clips[0].channels().iter().map(|channel| channel.times().len()).sum()
    };
    let reduced = |bound: &str| {
        let args = ["--clip", "Walk", "--form", "reduced", "--bound", bound];
        let run = folder.run(&creature(), "out.glb", &args).done();
        let after = read(&folder.path("out.glb"));
        let distance = 1e3 * models(&before, &after).unwrap().clips[0].distance.unwrap();
        assert!(distance <= bound.parse().unwrap(), "{bound}: {distance} mm");
        let said = format!("clip \"Walk\": {} mm at the skin", three_digits(distance, 4));
        assert!(run.text().contains(&said), "{said}: {}", run.text());
        (after, run)
    };
    let mut last = keys(&whole);
    // Sixty frames per second by themselves are 4 mm off.
    for (bound, takes_own) in [("0.1", true), ("2", true), ("10", false)] {
        let (after, run) = reduced(bound);
        assert!(keys(&after) < last, "{bound}: {} of {last} keys", keys(&after));
        assert_eq!(run.stderr.contains("its own keys are reduced"), takes_own, "{}", run.stderr);
        last = keys(&after);
    }
}

#[test]
fn layers_are_blended_as_their_weights_say() {
    let (folder, before) = (Folder::new(), read(&creature()));
    let walk = clip(&before, "Walk");
    let alone = folder.bake(&["--layers", "Walk=1"]);
    assert!(apart((&alone, &alone.clips[0], 0.4), (&before, walk, 0.4)) < SAME);
    let refused = folder.run(&creature(), "word.glb", &["--layers", "Walk=much"]).failed(2);
    assert!(refused.stderr.contains("is a number, not \"much\""), "{}", refused.stderr);
    let silent = folder.run(&creature(), "silent.glb", &["--layers", "Walk=0; Idle=0"]);
    assert_eq!(silent.code, Some(0), "{}", silent.ended());
    let said = "--layers has no effect: the weight of every layer is 0";
    assert!(silent.stderr.contains(said), "{}", silent.stderr);
    let mixed = folder.bake(&["--layers", "Walk=0.5; Idle=0.5"]);
    assert_eq!(mixed.clips[0].name(), Some("Walk + Idle"));
    assert_eq!(mixed.clips[0].duration_secs(), 1.0);
    // Half way between both: neither the one nor the other.
    let at =
        |name: &str| apart((&mixed, &mixed.clips[0], 0.4), (&before, clip(&before, name), 0.4));
    let whole = apart((&before, walk, 0.4), (&before, clip(&before, "Idle"), 0.4));
    for name in ["Walk", "Idle"] {
        assert!(at(name) > 0.2 * whole && at(name) < 0.8 * whole, "{name}: {} {whole}", at(name));
    }
    // A mean has no share of the rest pose, whatever the weights sum to.
    let faint = folder.bake(&["--layers", "Walk=0.05; Idle=0.05"]);
    let off =
        crate::bake_changes::apart((&mixed, &mixed.clips[0], 0.4), (&faint, &faint.clips[0], 0.4));
    assert!(off < SAME, "{off}");
    let arm = folder.bake(&["--layers", "Idle; Walk@arm.L=1000"]);
    let mut stages = [&arm, &before].map(|model| Stage::new(model, 0));
    stages[0].pose(&arm, arm.clips.first(), 0.4);
    stages[1].pose(&before, Some(walk), 0.4);
    let turn = |stage: &Stage, name: &str| stage.local.transform(node(&before, name)).rotation;
    let apart = |name: &str| turn(&stages[0], name).angle_between(turn(&stages[1], name));
    assert!(
        apart("arm.L") < 0.01 && apart("leg.L") > 0.05,
        "{} {}",
        apart("arm.L"),
        apart("leg.L")
    );
    let added = folder.bake(&["--layers", "Idle; +Walk=0"]);
    let idle = clip(&before, "Idle");
    assert!(
        crate::bake_changes::apart((&added, &added.clips[0], 1.0), (&before, idle, 1.0)) < SAME
    );
    for (layers, says) in [("Jump", "Walk"), ("Walk@wing", "tail.1"), ("; ;", "no layer")] {
        let wrong = folder.run(&creature(), "no.glb", &["--layers", layers]).failed(2);
        assert!(wrong.stderr.contains(says), "{layers}: {}", wrong.stderr);
    }
}

/// Returns a node's translation along X and Y in the first clip.
fn place(model: &Model, name: &str, time: f64) -> [f32; 2] {
    let mut stage = Stage::new(model, 0);
    stage.pose(model, model.clips.first(), time);
    let place = stage.local.transform(node(model, name)).translation;
    [place.x, place.y]
}

/// The last key is one of a joint that the rig lacks, of a track that a later clip replaces, or of a property.
#[test]
fn clips_with_their_own_keys_keep_their_duration() {
    let folder = Folder::new();
    let (keys, last) = ([[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]], [[0.0, 1.0, 0.0], [0.0, 3.0, 0.0]]);
    let joints =
        |names: &[&str]| Joints::chain(&names.iter().copied().map(Some).collect::<Vec<_>>());
    joints(&["root", "arm"]).0.write(&folder.path("rig.glb"));
    let moved = || {
        joints(&["root", "arm", "tail"]).clip("Move").channel(1, "translation", &[0.0, 1.0], &keys)
    };
    let more = |node: usize| moved().channel(node, "translation", &[0.0, 3.0], &last);
    more(2).0.write(&folder.path("tail.glb"));
    let pointer =
        json!({"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/extras"}}});
    let driven = more(2).edit(|json| json["animations"][0]["channels"][1]["target"] = pointer);
    driven.0.write(&folder.path("driven.glb"));
    let long = joints(&["root", "arm"]).clip("Long").channel(1, "translation", &[0.0, 3.0], &last);
    let covered = long.clip("Short").channel(1, "translation", &[0.0, 1.0], &keys);
    covered.0.write(&folder.path("covered.glb"));
    let tail = folder.path("tail.glb").to_str().unwrap().to_owned();
    for (input, more) in [
        ("rig.glb", &["--clips-from", &tail][..]),
        ("driven.glb", &[]),
        ("covered.glb", &["--all-clips"]),
    ] {
        folder.run(&folder.path(input), "out.glb", &[&["--rate", "keep"], more].concat()).done();
        let out = read(&folder.path("out.glb"));
        assert_eq!(out.clips[0].duration_secs(), 3.0, "{input}");
        let places = [0.5, 1.0, 2.0].map(|time| place(&out, "arm", time)[0]);
        assert_eq!(places, [0.5, 1.0, 1.0], "{input}");
    }
}

#[test]
fn layers_are_a_mean_of_whole_poses_whatever_their_weights_sum_to() {
    let folder = Folder::new();
    let input = folder.path("in.glb");
    let still = [0.0, 1.0, 0.0];
    let to = |x: f32, y: f32| [still, [x, y, 0.0]];
    let joints = Joints::chain(&[Some("root"), Some("arm"), Some("hand")]);
    let walk = joints.clip("Walk").channel(0, "translation", &[0.0, 1.0], &to(1.0, 1.0));
    let run = walk.clip("Run").channel(0, "translation", &[0.0, 1.0], &to(2.0, 1.0));
    run.channel(1, "translation", &[0.0, 1.0], &to(0.0, 3.0)).0.write(&input);
    // Only Run drives the arm: the other shares are the rest pose's, 1 m.
    for (layers, x, y) in [
        ("Walk=0.7; Run=0.3", 1.3, 1.6),
        ("Walk=7; Run=3", 1.3, 1.6),
        ("Walk; Run", 1.5, 2.0),
        ("Walk=0.5; Run=0.5", 1.5, 2.0),
        ("Walk=1e-42; Run=1", 2.0, 3.0),
        ("Walk; Run@arm=3", 1.0, 2.5),
        ("Walk@root=0.1; Run@arm=0.3", 1.0, 2.5),
        ("Walk=0; Run=0.2", 2.0, 3.0),
        ("Walk=0", 0.0, 1.0),
    ] {
        folder.run(&input, "out.glb", &["--layers", layers]).done();
        let out = read(&folder.path("out.glb"));
        let (root, arm) = (place(&out, "root", 1.0), place(&out, "arm", 1.0));
        let off = (root[0] - x).abs().max((arm[1] - y).abs());
        assert!(off < 1e-5, "{layers}: {root:?} {arm:?}");
        let moves_hand = out.clips[0].channels().iter().any(|channel| channel.node() == 2);
        assert!(!moves_hand, "{layers}");
    }
}

#[test]
fn a_shorter_layer_ends_with_the_first_one() {
    let folder = Folder::new();
    let input = folder.path("in.glb");
    let (one, all) = ([[0.0; 3], [1.0, 0.0, 0.0]], [0.0, 0.7, 1.4, 2.1]);
    let joints = Joints::chain(&[Some("root"), Some("arm")]).clip("Long");
    let long = joints.channel(0, "translation", &[0.0, 2.1], &one);
    long.clip("Short").channel(1, "translation", &all[..2], &one).0.write(&input);
    folder.run(&input, "out.glb", &["--layers", "Long=0; Short", "--fps", "20"]).done();
    let out = read(&folder.path("out.glb"));
    let shown = [0.0, 0.35, 0.7, 1.05, 1.4, 1.75, 2.1].map(|time| place(&out, "arm", time)[0]);
    let wanted = [0.0, 0.5, 1.0, 0.5, 1.0, 0.5, 1.0];
    let off = shown.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(off < 1e-5, "{shown:?}");
}

#[test]
fn clips_are_split_and_merged_again() {
    let (folder, before) = (Folder::new(), read(&creature()));
    let split = ["--every-clip", "--split", "--rate", "keep"];
    folder.run(&creature(), "one_{clip}.glb", &split).done();
    let parts = ["one_Idle.glb", "one_Walk.glb", "one_Hop.glb"].map(|name| folder.path(name));
    for (part, whole) in parts.iter().zip(&before.clips) {
        let part = read(part);
        assert_eq!(part.clips.len(), 1);
        assert_eq!(part.clips[0].channels(), whole.channels());
    }
    let pattern = folder.run(&creature(), "all.glb", &["--every-clip", "--split"]).failed(2);
    assert!(pattern.stderr.contains("{clip}"), "{}", pattern.stderr);
    let [_, walk, hop] = parts.each_ref().map(|path| path.to_str().unwrap());
    folder.run(&parts[0], "all.glb", &["--rate", "keep", "--merge", walk, hop, walk]).done();
    let merged = read(&folder.path("all.glb"));
    let names: Vec<_> = merged.clips.iter().map(|clip| clip.name().unwrap()).collect();
    assert_eq!(names, ["Idle", "Walk", "Hop", "one_Walk Walk"]);
    for (clip, whole) in merged.clips.iter().zip(&before.clips) {
        assert!(apart((&merged, clip, 0.6), (&before, whole, 0.6)) < SAME);
    }
    folder.run(&creature(), "two.glb", &["--clip", "Hop", "--with-clip", "Walk"]).done();
    let two = read(&folder.path("two.glb"));
    let names: Vec<_> = two.clips.iter().map(|clip| clip.name().unwrap()).collect();
    assert_eq!(names, ["Hop", "Walk"]);
    let twice = ["--clip", "Hop", "--with-clip", "2", "--with-clip", "Walk", "--with-clip", "Walk"];
    folder.run(&creature(), "twice.glb", &twice).done();
    assert_eq!(read(&folder.path("twice.glb")).clips.len(), 2);
    // The clips of a file on the rig of another one are those of --clips-from.
    let rig = creature();
    let retarget = ["--retarget", rig.to_str().unwrap()];
    folder.run(&parts[1], "a.glb", &retarget).done();
    folder.run(&rig, "b.glb", &["--clips-from", walk]).done();
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(bytes("a.glb") == bytes("b.glb"));
    // They are fitted with the same options.
    let fitted = ["--align-rest", "--pin-feet", "--map", "exact"];
    folder.run(&parts[1], "a.glb", &[&retarget[..], &fitted].concat()).done();
    folder.run(&rig, "b.glb", &[&["--clips-from", walk][..], &fitted].concat()).done();
    assert!(bytes("a.glb") == bytes("b.glb"));
    folder.run(&parts[0], "c.glb", &[&["--merge", walk][..], &fitted].concat()).done();
    let alone = folder.run(&rig, "c.glb", &["--align-rest"]).failed(2);
    assert!(alone.stderr.contains("--clips-from"), "{}", alone.stderr);
}

/// Options that could not have any effect are refused, or warned of.
#[test]
fn what_can_not_act_is_said() {
    let folder = Folder::new();
    let run = folder.run(&creature(), "a.glb", &["--expression", "happy"]).failed(2);
    assert!(run.stderr.contains("no expression"), "{}", run.stderr);
    let run = folder.run(&creature(), "a.glb", &["--bound", "9", "--springs", "on"]);
    assert_eq!(run.code, Some(0), "{}", run.ended());
    for said in ["--bound has no effect", "--springs on has no effect"] {
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
    let every = ["--every-clip"];
    let run = folder.run(&creature(), "a_{clip}.glb", &every).failed(2);
    assert!(run.stderr.contains("add --split"), "{}", run.stderr);
    let rigs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rigs");
    // The feet of the hop stand, those of the walk slide in place.
    for (clips, holds) in [("hop.bvh", true), ("walker.gltf", false)] {
        let clips = rigs.join(clips);
        let feet = ["--clips-from", clips.to_str().unwrap(), "--pin-feet"];
        let run = folder.run(&rigs.join("tall.gltf"), "a.glb", &feet);
        assert_eq!(run.code, Some(0), "{}", run.ended());
        assert_eq!(!run.stderr.contains("--pin-feet holds nothing"), holds, "{}", run.stderr);
    }
}

/// An extension that is not known may name clips by their index.
#[test]
fn indices_of_clips_that_change_are_warned_of() {
    let folder = Folder::new();
    let input = folder.path("in.glb");
    let ends = [[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]];
    let mut joints = Joints::chain(&[Some("a"), Some("b")]);
    for clip in ["One", "Two"] {
        joints = joints.clip(clip).channel(1, "translation", &[0.0, 1.0], &ends);
    }
    let joints = joints.edit(|json| {
        json["extensionsUsed"] = json!(["ACME_root"]);
        json["extensions"] = json!({"ACME_root": {"animation": 1}});
    });
    joints.0.write(&input);
    let warns = |more: &[&str]| {
        let name = if more.contains(&"--split") { "out_{clip}.glb" } else { "out.glb" };
        let run = folder.run(&input, name, more).done();
        run.stderr.contains("not carried over: indices of clips that \"ACME_root\" may have")
    };
    let from = ["--clips-from", input.to_str().unwrap()];
    for changing in [&["--clip", "Two"][..], &["--split"], &from] {
        assert!(warns(changing), "{changing:?}");
    }
    for keeping in [&["--clip", "One", "--with-clip", "Two"][..], &["--merge", from[1]]] {
        assert!(!warns(keeping), "{keeping:?}");
    }
}

#[test]
fn a_pose_becomes_a_clip_or_the_rest_pose() {
    let (folder, before) = (Folder::new(), read(&creature()));
    let file = creature();
    let printed = rigview(
        ["pose".as_ref(), file.as_os_str(), "--json".as_ref(), "--clip".as_ref(), "Hop".as_ref()]
            .into_iter()
            .chain(["--time", "0.5"].map(std::ffi::OsStr::new)),
    )
    .done();
    let pose = folder.path("pose.json");
    std::fs::write(&pose, printed.text()).unwrap();
    let pose = pose.to_str().unwrap();
    let hop = clip(&before, "Hop");
    let with_clip = folder.bake(&["--pose", pose, "--pose-name", "Crouch"]);
    assert_eq!(with_clip.clips.len(), 4);
    assert_eq!(with_clip.clips[3].name(), Some("Crouch"));
    assert_eq!(with_clip.clips[1].channels(), before.clips[1].channels());
    assert!(apart((&with_clip, &with_clip.clips[3], 0.0), (&before, hop, 0.5)) < SAME);

    let posed = folder.bake(&["--pose", pose, "--as-rest"]);
    let still = Clip::default();
    assert!(apart((&posed, &still, 0.0), (&before, hop, 0.5)) < SAME);
    assert_eq!(posed.clips.len(), 3);
    let json = Glb::read(&folder.path("out.glb")).json;
    let weights: Value = json["nodes"][node(&before, "body")]["weights"].clone();
    let of_clip: Vec<f32> = {
        let mut stage = Stage::new(&before, 0);
        stage.pose(&before, Some(hop), 0.5);
        stage.local.weights(node(&before, "body")).to_vec()
    };
    if of_clip.iter().any(|weight| *weight != 0.0) {
        assert_eq!(weights, json!(of_clip));
    }
    let both = folder.run(&creature(), "no.glb", &["--pose", pose, "--reverse"]);
    assert_eq!(both.code, Some(2), "{}", both.stderr);
}

#[test]
fn a_pose_of_another_rig_and_a_part_that_ends_before_it_starts_are_refused() {
    let folder = Folder::new();
    let pose = folder.path("pose.json");
    let nobody = json!({"index": 99, "name": "nobody", "translation": [0, 0, 0], "rotation": [0, 0, 0, 1],
        "scale": [1, 1, 1]});
    std::fs::write(&pose, json!({"nodes": [nobody]}).to_string()).unwrap();
    let pose = pose.to_str().unwrap();
    let run = folder.run(&creature(), "out.glb", &["--pose", pose]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("it has none of the nodes of "), "{}", run.stderr);
    let walk = ["--clip", "Walk", "--from"];
    for (part, says) in [
        (["0.5", "--to", "0.25"], "--from 0.5 is not before --to 0.25"),
        (["9", "--to", "10"], "--from 9 is not before the end of clip \"Walk\" at "),
        (["0.5", "--to", "0.5"], "--from 0.5 is not before --to 0.5"),
        (["1", "--to", "9"], "--from 1 is not before the end of clip \"Walk\" at 1 s"),
        (["-1", "--to", "10"], "invalid value '-1' for '--from <SECS>'"),
    ] {
        let run = folder.run(&creature(), "out.glb", &[&walk[..], &part].concat()).failed(2);
        assert!(run.stderr.contains(says), "{}", run.stderr);
    }
    assert!(!folder.path("out.glb").exists());
}

#[test]
fn joints_without_a_partner_and_ends_after_the_clip_are_warned_of() {
    let folder = Folder::new();
    let run = folder.run(&creature(), "out.glb", &["--clip", "Walk", "--mirror"]);
    assert!(!run.done().stderr.contains("not exchanged"));
    let mut rig = Glb::read(&creature());
    rig.node("foot.R")["name"] = "paw".into();
    rig.write(&folder.path("odd.glb"));
    let run = folder.run(&folder.path("odd.glb"), "out.glb", &["--clip", "Walk", "--mirror"]);
    let said = run.done().stderr.clone();
    assert!(said.contains("belongs to \"foot.L\": not exchanged"), "{said}");
    let end = clip(&read(&creature()), "Walk").duration_secs();
    let to = |secs: f32| {
        let secs = secs.to_string();
        folder.run(&creature(), "out.glb", &["--clip", "Walk", "--to", &secs]).done().stderr.clone()
    };
    assert!(!to(end).contains("after the end"));
    assert!(to(end + 1.0).contains("is after the end of clip \"Walk\""));
}

/// An ear on one side only turns in the mirrored clip as before.
#[test]
fn a_joint_without_a_partner_keeps_its_motion() {
    let folder = Folder::new();
    let mut rig = Glb::read(&creature());
    rig.node("foot.R")["name"] = "paw".into();
    rig.node("hand.R")["name"] = "claw".into();
    let odd = folder.path("odd.glb");
    rig.write(&odd);
    folder.run(&odd, "out.glb", &["--clip", "Walk", "--mirror", "--rate", "keep"]).done();
    let (before, after) = (read(&odd), read(&folder.path("out.glb")));
    let keys = |clip: &Clip, joint: usize| {
        let of_joint = clip.channels().iter().filter(|channel| channel.node() == joint);
        of_joint.cloned().collect::<Vec<_>>()
    };
    for name in ["foot.L", "hand.L"] {
        let own = keys(clip(&before, "Walk"), node(&before, name));
        let kept = keys(&after.clips[0], node(&after, name));
        assert_eq!(format!("{own:?}"), format!("{kept:?}"), "{name}");
    }
    assert!(!keys(clip(&before, "Walk"), node(&before, "foot.L")).is_empty());
}

/// The times of a part are rounded as those of its keys, so that its first key is the one written for its start.
#[test]
fn a_part_begins_with_the_key_at_its_start() {
    let folder = Folder::new();
    let input = folder.path("in.glb");
    let times: Vec<f32> = (0..31).map(|frame| (f64::from(frame) / 30.0) as f32).collect();
    let values: Vec<[f32; 3]> = (0..31).map(|frame| [frame as f32, 0.0, 0.0]).collect();
    let mut chain = Joints::chain(&[Some("hips")]).clip("Step");
    chain = chain.channel(0, "translation", &times, &values);
    chain.0.json["animations"][0]["samplers"][0]["interpolation"] = "STEP".into();
    chain.0.write(&input);
    for frame in 1..30_u8 {
        let [from, to] = [f64::from(frame) / 30.0, 1.0].map(|time| time.to_string());
        folder.run(&input, "out.glb", &["--from", &from, "--to", &to, "--rate", "keep"]).done();
        let model = read(&folder.path("out.glb"));
        let keys = model.clips[0].channels()[0].times();
        assert_eq!(keys.len(), 31 - usize::from(frame), "{frame}: {keys:?}");
        assert_eq!(place(&model, "hips", 0.0)[0], f32::from(frame));
    }
}
