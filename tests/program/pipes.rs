//! Commands that read standard input and write standard output, so that they can be joined by pipes.

use serde_json::Value;

use crate::support::{SmallModel, checkout, rigview, rigview_reading};

fn creature() -> Vec<u8> {
    std::fs::read(checkout().join("assets/creature.glb")).unwrap()
}

fn creature_file() -> String {
    format!("{}/assets/creature.glb", checkout().display())
}

#[test]
fn commands_that_print_numbers_read_standard_input() {
    let file = creature_file();
    for args in [
        &["info", "--json"][..],
        &["pose", "--json", "--clip", "Walk", "--time", "0.5", "--vertices", "5"],
        &["check", "--json"],
    ] {
        let piped = rigview_reading([args, &["-"]].concat(), creature()).done();
        let named = rigview([args, &[file.as_str()]].concat()).done();
        let text = |run: &crate::support::Run, name: &str| run.text().replace(name, "FILE");
        assert_eq!(text(&piped, "\"-\""), text(&named, &format!("\"{file}\"")), "{args:?}");
    }
    let both = rigview_reading(["diff", "--json", "-", file.as_str()], creature()).done();
    let answer = both.json();
    assert_eq!((&answer["equal"], &answer["bytes"]["a"]), (&true.into(), &answer["bytes"]["b"]));
}

#[test]
fn pictures_are_drawn_from_standard_input() {
    let options = ["--size", "64x64", "--lights", "none", "-o", "-"];
    let piped = rigview_reading([&["screenshot", "-"], &options[..]].concat(), creature()).done();
    let named = rigview([&["screenshot", &creature_file()], &options[..]].concat()).done();
    assert!(piped.stdout == named.stdout && piped.stdout.starts_with(b"\x89PNG"));
}

#[test]
fn a_repair_goes_from_pipe_to_pipe() {
    // Nothing to mend: the same bytes come out, and what is said goes to standard error.
    let run = rigview_reading(["fix", "-", "-o", "-"], creature()).done();
    assert!(run.stdout == creature());
    assert!(run.stderr.contains("nothing to fix"), "{}", run.stderr);
    let more = ["fix", "-", "-o", "-", "--also", "KEYS_STILL", "--bound", "0.5", "--json"];
    let piped = rigview_reading(more, creature()).done();
    let answer: Value = serde_json::from_str(&piped.stderr).unwrap();
    assert_eq!((&answer["file"], &answer["output"]), (&"-".into(), &"-".into()));
    let checked = rigview_reading(["check", "-"], piped.stdout);
    assert_ne!(checked.code, Some(3), "{}", checked.stderr);
    let in_place = rigview_reading(["fix", "-", "--in-place"], creature()).failed(2);
    assert!(in_place.stderr.contains("standard input"), "{}", in_place.stderr);
}

#[test]
fn conversions_and_clips_go_from_pipe_to_pipe() {
    const BVH: &str = "HIERARCHY\nROOT Hips { OFFSET 0 0 0 CHANNELS 3 Xposition Yposition \
        Zposition End Site { OFFSET 0 1 0 } }\nMOTION Frames: 2 Frame Time: .25 0 0 0 1 0 0\n";
    let glb = rigview_reading(["convert", "-", "-o", "-", "--json"], BVH).done();
    let answer: Value = serde_json::from_str(&glb.stderr).unwrap();
    assert_eq!((&answer["largest_mm"], &answer["bytes"]), (&0.0.into(), &glb.stdout.len().into()));
    let baked = rigview_reading(["bake", "-", "-o", "-", "--fps", "8"], glb.stdout).done();
    let info = rigview_reading(["info", "--json", "-"], baked.stdout).done();
    let info = info.json();
    assert_eq!(info["animations"][0]["duration"], 0.25);
}

#[test]
fn what_can_not_be_read_from_a_pipe_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.gltf");
    SmallModel::new().write_gltf(&file);
    let mut json: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    json["buffers"][0]["uri"] = "model.bin".into();
    let text = serde_json::to_vec(&json).unwrap();
    let beside = rigview_reading(["info", "-"], text).failed(3);
    assert!(beside.stderr.contains("standard input: "), "{}", beside.stderr);
    assert!(beside.stderr.contains("not in a folder"), "{}", beside.stderr);
    let empty = rigview_reading(["info", "-"], "").failed(3);
    assert!(empty.stderr.contains("empty"), "{}", empty.stderr);
    let twice = rigview_reading(["diff", "-", "-"], "").failed(2);
    assert!(
        twice.stderr.contains("only one of both files can be standard input"),
        "{}",
        twice.stderr
    );
    // An endless stream that is no model is not read to its end.
    let zeros = rigview_reading(["info", "-"], vec![0; 1 << 20]).failed(3);
    assert!(zeros.stderr.contains("not a glTF file"), "{}", zeros.stderr);
}

#[test]
fn pictures_are_compared_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png").to_str().unwrap().to_owned();
    rigview(["screenshot", &creature_file(), "--size", "32x32", "-o", &path]).done();
    let bytes = std::fs::read(&path).unwrap();
    for args in [["compare", path.as_str(), "-"], ["compare", "-", path.as_str()]] {
        rigview_reading(args, bytes.clone()).done();
    }
    let refused = rigview_reading(["test", "-"], "").failed(2);
    assert!(refused.stderr.contains("can't be standard input"), "{}", refused.stderr);
}
