//! `rigview test`: goldens and what differs from them.

mod faults;
mod instances;
mod motion;
mod parts;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Glb, Run, SmallModel, checkout, command, is_control, rigview, run};

/// A folder with a manifest and a model.
struct Suite {
    folder: tempfile::TempDir,
}

/// Two cases of the built-in rig.
const CASES: &str = r#"
[defaults]
size = "96x64"
args = ["--orbit", "20,10"]
[[case]]
name = "creature/walk"
file = "creature.glb"
clip = "Walk"
times = [0.0, 0.25]
expect = ["picture", "pose"]
[[case]]
name = "creature/rest"
file = "creature.glb"
clip = 0
args = ["--pass", "mask"]
"#;

impl Suite {
    fn new(manifest: &str) -> Self {
        let suite = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::copy(checkout().join("assets/creature.glb"), suite.path("creature.glb")).unwrap();
        suite.write(manifest);
        suite
    }

    fn blessed(manifest: &str) -> Self {
        let suite = Self::new(manifest);
        suite.test(&["--bless"]).done();
        suite
    }

    fn write(&self, manifest: &str) {
        std::fs::write(self.path("suite.toml"), manifest).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.read(name)).unwrap()
    }

    /// `rigview test suite.toml` in the folder.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = command();
        for variable in ["SLURM_ARRAY_TASK_ID", "CI_NODE_INDEX", "JOB_COMPLETION_INDEX"] {
            command.env_remove(variable);
        }
        command.current_dir(self.folder.path()).args(["test", "suite.toml"]).args(args);
        command
    }

    fn test(&self, args: &[&str]) -> Run {
        run(&mut self.command(args))
    }

    fn goldens(&self) -> Vec<String> {
        let mut names = Vec::new();
        collect(&self.path("goldens"), "", &mut names);
        names.sort_unstable();
        names
    }
}

fn collect(folder: &Path, prefix: &str, names: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => collect(&entry.path(), &format!("{name}/"), names),
            false => names.push(name),
        }
    }
}

fn last_line(run: &Run) -> String {
    run.text().lines().last().unwrap_or_default().to_owned()
}

/// Turns the key at 0.25 s of a joint's rotation in the clip "Walk" by one degree.
fn turn_a_key(file: &Path, joint: &str) {
    let mut glb = Glb::read(file);
    let nodes = glb.json["nodes"].as_array().unwrap();
    let node = nodes.iter().position(|node| node["name"] == joint).unwrap();
    let clips = glb.json["animations"].as_array().unwrap();
    let clip = clips.iter().find(|clip| clip["name"] == "Walk").unwrap();
    let is_it = |c: &&Value| c["target"]["node"] == node && c["target"]["path"] == "rotation";
    let channel = clip["channels"].as_array().unwrap().iter().find(is_it).unwrap();
    let sampler = &clip["samplers"][channel["sampler"].as_u64().unwrap() as usize];
    let accessor = &glb.json["accessors"][sampler["output"].as_u64().unwrap() as usize];
    assert_eq!((&accessor["type"], &accessor["componentType"]), (&"VEC4".into(), &5126.into()));
    let keys = glb.place(&sampler["output"]);
    let key = keys.start + keys.len() / 64 * 16;
    let q = glam::Quat::from_slice(&bytemuck::pod_collect_to_vec(&glb.bin[key..key + 16]));
    let turned = q * glam::Quat::from_rotation_x(1f32.to_radians());
    glb.bin[key..key + 16].copy_from_slice(bytemuck::bytes_of(&turned.to_array()));
    glb.write(file);
}

#[test]
fn goldens_are_made_on_request_and_then_pass() {
    let suite = Suite::new(CASES);
    let first = suite.test(&[]);
    assert_eq!(first.code, Some(1), "{}", first.ended());
    assert_eq!(last_line(&first), "0 passed, 2 failed");
    let advice = "no golden goldens/creature/walk@0.25.png; make it with: rigview test suite.toml --bless creature/walk";
    assert!(first.text().contains(advice), "{}", first.text());
    assert!(suite.goldens().is_empty(), "a run without --bless wrote goldens");

    let some = suite.test(&["--bless", "creature/w*"]);
    assert_eq!((some.code, last_line(&some).as_str()), (Some(1), "1 passed, 1 failed"));
    assert!(some.text().contains("blessed goldens/creature/walk.glb: was missing"));
    suite.test(&["--bless"]).done();
    assert_eq!(
        suite.goldens(),
        [
            "creature/rest@0.0.png",
            "creature/walk.glb",
            "creature/walk@0.0.png",
            "creature/walk@0.25.png",
        ]
    );
    let before = suite.read("goldens/creature/walk@0.25.png");
    let again = suite.test(&["--bless"]).done();
    assert_eq!(again.text(), "2 passed, 0 failed\n");
    assert_eq!(suite.read("goldens/creature/walk@0.25.png"), before);

    // The golden is the picture of `screenshot`.
    let args =
        ["screenshot", "creature.glb", "--clip", "Walk", "--time", "0.25", "--orbit", "20,10"];
    let mut screenshot = command();
    screenshot.current_dir(suite.folder.path()).args(args).args(["--size", "96x64", "-o", "a.png"]);
    run(&mut screenshot).done();
    let pixels = |bytes: &[u8]| image::load_from_memory(bytes).unwrap().into_rgba8();
    assert!(pixels(&before) == pixels(&suite.read("a.png")), "another picture than screenshot's");
    // That of the pose is a model with the clip alone.
    let golden = Glb::read(&suite.path("goldens/creature/walk.glb"));
    let clips = golden.json["animations"].as_array().unwrap();
    assert_eq!((clips.len(), &clips[0]["name"]), (1, &"Walk".into()));
}

/// Moves everything: a node above the rig of the creature.
fn move_all(file: &Path, by: [f32; 3]) {
    let mut glb = Glb::read(file);
    let roots = glb.json["scenes"][0]["nodes"].clone();
    let nodes = glb.json["nodes"].as_array_mut().unwrap();
    nodes.push(serde_json::json!({"translation": by, "children": roots}));
    glb.json["scenes"][0]["nodes"] = serde_json::json!([nodes.len() - 1]);
    glb.write(file);
}

/// Automatic framing would show the moved model at the same place. A model that leaves the picture is named as such, and
/// framed again when it is approved.
#[test]
fn goldens_keep_their_camera() {
    let case =
        "[[case]]\nname = \"a\"\nfile = \"creature.glb\"\nclip = \"Walk\"\nsize = \"64x64\"\n";
    let suite = Suite::blessed(case);
    move_all(&suite.path("creature.glb"), [0.02, 0.0, 0.0]);
    let moved = suite.test(&[]);
    assert_eq!(moved.code, Some(1), "{}", moved.ended());
    assert!(moved.text().contains("% of the pixels differ visibly"), "{}", moved.text());
    suite.test(&["--bless"]).done();
    suite.test(&[]).done();
    move_all(&suite.path("creature.glb"), [9.0, 0.0, 0.0]);
    let gone = suite.test(&[]);
    assert!(gone.text().contains("the model leaves the frame of the golden"), "{}", gone.text());
    suite.test(&["--bless"]).done();
    let seen = suite.test(&["--json", "out.json"]).done();
    assert_eq!(last_line(&seen), "1 passed, 0 failed");
    assert_eq!(suite.json("out.json")["format"], 1);
    // Another direction in the manifest is another picture, not another model.
    suite.write(&format!("{case}args = [\"--orbit\", \"90,0\"]\n"));
    let turned = suite.test(&[]);
    assert!(turned.text().contains("% of the pixels differ visibly"), "{}", turned.text());
}

#[test]
fn an_instant_after_the_clip_is_refused() {
    let case =
        "[[case]]\nname = \"a\"\nfile = \"creature.glb\"\nclip = \"Walk\"\nexpect = [\"pose\"]\n";
    let suite = Suite::new(&format!("{case}times = [0.0, 50.0]\n"));
    let refused = suite.test(&["--bless"]);
    assert_eq!(refused.code, Some(1), "{}", refused.ended());
    let says = "instant 50.0 (50.000 s) of the case at line 1 is after the end of clip \"Walk\"";
    assert!(refused.text().contains(says), "{}", refused.text());
    assert!(suite.goldens().is_empty());
}

/// A file with clips is drawn at rest, as `screenshot --rest` does.
#[test]
fn a_case_can_show_the_rest_pose() {
    let case =
        "[[case]]\nname = \"rest\"\nfile = \"creature.glb\"\nrest = true\nsize = \"48x48\"\n";
    let suite = Suite::new(&format!("{case}expect = [\"picture\", \"pose\"]\n"));
    let missing = suite.test(&["--report", "report"]);
    assert_eq!(missing.code, Some(1), "{}", missing.ended());
    let case = &suite.json("report/results.json")["cases"][0];
    assert_eq!(case["clip"], Value::Null);
    let draw = case["commands"]["draw"].as_str().unwrap();
    assert!(draw.contains(" --rest ") && !draw.contains("--time"), "{draw}");
    suite.test(&["--bless"]).done();
    let [file, golden] =
        ["creature.glb", "goldens/rest@0.0.png"].map(|name| suite.path(name).display().to_string());
    let same = ["screenshot", &file, "--size", "48x48", "--reference", &golden];
    rigview([&same[..], &["--rest"]].concat()).done();
    assert_eq!(rigview(same).code, Some(1), "its first clip stands otherwise");
}

#[test]
fn a_glob_of_hundreds_of_signs_is_refused_in_a_short_line() {
    let suite = Suite::new(CASES);
    for option in ["--only", "--bless"] {
        let run = suite.test(&[option, &"{".repeat(400)]).failed(2);
        assert!(run.stderr.contains("too long") && run.stderr.len() < 400, "{}", run.stderr);
    }
}

/// Names of a file are shown on pages of other programs: with `--markdown` as well as on the terminal.
#[test]
fn control_characters_of_names_are_not_printed() {
    let name = "a\u{1b}[31m\u{7}\u{85}\u{202e}b\nc";
    let model = || SmallModel::new().node_name(name).clip(name);
    let case = "[[case]]\nname = \"a\"\nfile = \"names.gltf\"\nclip = 0\ntimes = [1.0]\n";
    let suite = Suite::new(&format!("{case}expect = [\"pose\"]\n"));
    let step =
        |json: &mut Value| json["animations"][0]["samplers"][0]["interpolation"] = "STEP".into();
    model().write_gltf(&suite.path("names.gltf"));
    suite.test(&["--bless"]).done();
    model().edit(step).write_gltf(&suite.path("names.gltf"));
    let found = suite.test(&["--markdown", "out.md"]);
    assert_eq!(found.code, Some(1), "{}", found.ended());
    let page = String::from_utf8(suite.read("out.md")).unwrap();
    for printed in [page.as_str(), found.text(), &found.stderr] {
        let raw = printed.chars().find(|&c| c != '\n' && is_control(c));
        assert_eq!(raw, None, "{printed:?}");
        assert!(
            !printed.lines().any(|line| line.starts_with('c')),
            "a name breaks a line: {printed:?}"
        );
    }
    assert!(page.contains("u001b") && page.contains("[31m"), "{page}");
}

#[test]
fn one_key_turned_by_a_degree_is_found() {
    let suite = Suite::blessed(CASES);
    let joint = "leg.L";
    turn_a_key(&suite.path("creature.glb"), joint);
    let found = suite.test(&["--json", "out.json", "--markdown", "out.md", "--report", "report"]);
    assert_eq!(found.code, Some(1), "{}", found.ended());
    let results = suite.json("out.json");
    assert_eq!((&results["passed"], &results["failed"]), (&1.into(), &1.into()));
    let walk = &results["cases"][0];
    assert_eq!((&walk["name"], &walk["status"]), (&"creature/walk".into(), &"failed".into()));
    let checks = walk["checks"].as_array().unwrap();
    let pose = checks.iter().find(|c| c["kind"] == "pose" && c["time"] == 0.25).unwrap();
    assert_eq!(pose["pose"]["node"], joint, "{pose}");
    let angle = pose["pose"]["angle"].as_f64().unwrap();
    assert!((angle - 1.0).abs() < 0.01, "{angle}");
    let distance = pose["pose"]["distance"].as_f64().unwrap();
    assert!((1e-3..0.02).contains(&distance), "{distance}");
    let message = pose["message"].as_str().unwrap();
    assert!(message.contains("mm") && message.contains(joint), "{message}");
    assert!(String::from_utf8(suite.read("out.md")).unwrap().contains("leg.L"));
    for kind in ["", ".reference", ".difference"] {
        let name = format!("report/pictures/creature/walk@0.25{kind}.png");
        image::load_from_memory(&suite.read(&name)).unwrap();
    }
    // A picture that did not change is its own reference, in one file.
    let all =
        results["cases"].as_array().unwrap().iter().flat_map(|c| c["checks"].as_array().unwrap());
    let same: Vec<_> = all.map(|check| &check["picture"]).filter(|p| p["max"] == 0.0).collect();
    assert!(!same.is_empty(), "{results}");
    for picture in same {
        assert_eq!(picture["reference"], picture["result"]);
        image::load_from_memory(
            &suite.read(&format!("report/{}", picture["result"].as_str().unwrap())),
        )
        .unwrap();
    }
    let page = String::from_utf8(suite.read("report/index.html")).unwrap();
    assert!(page.contains("creature/walk") && !page.contains("://"), "no page by itself");
    for name in ["motions/creature/walk.js", "motions/creature/walk@reference.js"] {
        let script = suite.read(&format!("report/{name}"));
        assert!(script.starts_with(b"rigview_motion("), "{name}");
    }
    // What to run next is told of what failed; what passed shows its motion too, without a second one to compare.
    let commands = &walk["commands"];
    assert!(commands["bless"].as_str().unwrap().ends_with(" --bless creature/walk"), "{commands}");
    let draw = commands["draw"].as_str().unwrap();
    assert!(draw.starts_with("rigview screenshot ") && draw.contains("--time=0"), "{draw}");
    let passed = &results["cases"][1];
    assert_eq!(passed["commands"], Value::Null);
    assert_eq!(passed["motion"]["reference"], Value::Null);
    let script = suite.read(&format!("report/{}", passed["motion"]["result"].as_str().unwrap()));
    assert!(script.starts_with(b"rigview_motion("));
    // Only what differs is blessed.
    let blessed = suite.test(&["--bless"]).done();
    let lines = blessed.text().lines().filter(|line| line.starts_with("blessed ")).count();
    assert_eq!(lines, 2, "picture and pose: {}", blessed.text());
}

#[test]
fn a_change_between_the_instants_is_found() {
    let case =
        "[[case]]\nname = \"a\"\nfile = \"creature.glb\"\nclip = \"Walk\"\nexpect = [\"pose\"]\n";
    let suite = Suite::blessed(&format!("{case}times = [0.0, 0.75]\n"));
    turn_a_key(&suite.path("creature.glb"), "tail.1");
    let failed = suite.test(&["--json", "out.json"]);
    assert_eq!(failed.code, Some(1), "{}", failed.ended());
    let checks = suite.json("out.json")["cases"][0]["checks"].clone();
    let bad: Vec<&Value> =
        checks.as_array().unwrap().iter().filter(|check| check["status"] == "failed").collect();
    assert_eq!(bad.len(), 1, "{checks}");
    // The key is at 0.25 s, and frames are a thirtieth apart.
    let time = bad[0]["time"].as_f64().unwrap();
    assert!((time - 0.25).abs() < 1.0 / 30.0, "{time}");
    assert_eq!(bad[0]["pose"]["node"], "tail.1");
    assert_eq!(suite.test(&["--bless"]).done().text().lines().count(), 2);
    suite.test(&[]).done();
    // A golden that is broken is a failure in words.
    std::fs::write(suite.path("goldens/a.glb"), "not a model").unwrap();
    let failed = suite.test(&[]).failed(1);
    assert!(failed.text().contains("goldens/a.glb: "), "{}", failed.text());
    assert!(failed.text().contains("rigview test suite.toml --bless a"), "{}", failed.text());
}

#[test]
fn two_runs_write_the_same_bytes() {
    let suite = Suite::blessed(CASES);
    turn_a_key(&suite.path("creature.glb"), "leg.L");
    let run = |n: u32| {
        let [json, junit, report] = ["json", "xml", "report"].map(|what| format!("{n}.{what}"));
        let args = ["--json", &json, "--junit", &junit, "--report", &report, "--jobs", "2"];
        assert_eq!(suite.test(&args).code, Some(1));
        let mut files = Vec::new();
        collect(&suite.path(&report), "", &mut files);
        files.sort_unstable();
        let report: Vec<(String, Vec<u8>)> = files
            .into_iter()
            .map(|name| (name.clone(), suite.read(&format!("{report}/{name}"))))
            .collect();
        let junit = String::from_utf8(suite.read(&junit)).unwrap();
        assert!(junit.contains("<failure message=\"pose at 0.25 s"), "{junit}");
        let untimed: Vec<String> = junit
            .split(" time=\"")
            .enumerate()
            .map(|(i, part)| match i {
                0 => part.to_owned(),
                _ => part.split_once('"').unwrap().1.to_owned(),
            })
            .collect();
        assert!(untimed.len() > 2, "no times: {junit}");
        (suite.read(&json), untimed, report)
    };
    let (first, second) = (run(1), run(2));
    assert!(first.2.len() > 3, "{:?}", first.2.iter().map(|(name, _)| name).collect::<Vec<_>>());
    assert!(first == second, "two runs differ");
}

#[test]
fn a_pose_that_can_not_be_compared_does_not_pass() {
    const CASE: &str = "[[case]]\nname = \"a\"\nfile = \"creature.glb\"\nclip = \"Walk\"\ntimes = [0]\n\
                        expect = [\"pose\"]\n";
    let suite = Suite::blessed(CASE);
    suite.test(&[]).done();
    std::fs::remove_file(suite.path("goldens/a.glb")).unwrap();
    let missing = suite.test(&[]).failed(1);
    assert!(missing.text().contains("no golden goldens/a.glb"), "{}", missing.ended());
    // The golden of another rig.
    let other = Suite::new(&CASE.replace("creature.glb", "other.gltf").replace("\"Walk\"", "0"));
    SmallModel::new().clip("Turn").write_gltf(&other.path("other.gltf"));
    other.test(&["--bless"]).done();
    std::fs::copy(other.path("goldens/a.glb"), suite.path("goldens/a.glb")).unwrap();
    let differs = suite.test(&[]).failed(1);
    assert!(differs.text().contains("goldens/a.glb: "), "{}", differs.ended());
    // That of the rest pose.
    suite.write(&CASE.replace("clip = \"Walk\"\ntimes = [0]", "rest = true"));
    suite.test(&["--bless"]).done();
    suite.write(CASE);
    let rest = suite.test(&[]).failed(1);
    assert!(
        rest.text().contains("goldens/a.glb: the golden is of the rest pose"),
        "{}",
        rest.text()
    );
    suite.test(&["--bless"]).done();
    suite.test(&[]).done();
}

/// Poses had goldens of their own per instant, and one of the motion.
#[test]
fn goldens_of_an_older_kind_are_named_with_the_command_that_makes_new_ones() {
    let case =
        "[[case]]\nname = \"a\"\nfile = \"creature.glb\"\nclip = \"Walk\"\nexpect = [\"pose\"]\n";
    let suite = Suite::new(case);
    std::fs::create_dir(suite.path("goldens")).unwrap();
    std::fs::write(suite.path("goldens/a@0.0.json"), "{\"format\":1}").unwrap();
    std::fs::write(suite.path("goldens/a.motion"), "rigview motion 3\n{}\n").unwrap();
    let failed = suite.test(&[]).failed(1);
    let says = "goldens/a@0.0.json is a golden of an older kind; no golden goldens/a.glb; make it with: \
                rigview test suite.toml --bless a\n";
    assert!(failed.text().contains(says), "{}", failed.text());
    for older in ["a.motion", "a@0.0.json"] {
        let line = format!("golden of no case (--prune removes it): {older}\n");
        assert!(failed.text().contains(&line), "{}", failed.text());
    }
    suite.test(&["--bless", "--prune"]).done();
    assert_eq!(suite.goldens(), ["a.glb"]);
    assert_eq!(suite.test(&[]).done().text(), "1 passed, 0 failed\n");
}

/// A model that lies beside the goldens is none.
#[test]
fn a_golden_has_no_pictures_and_a_model_is_no_golden() {
    let case =
        "[[case]]\nname = \"a\"\nfile = \"creature.glb\"\nclip = \"Walk\"\nexpect = [\"pose\"]\n";
    let suite = Suite::new(case);
    let mut glb = Glb::read(&suite.path("creature.glb"));
    let view = glb.put_view(&[7; 100_000]);
    glb.json["images"] = serde_json::json!([{"bufferView": view, "mimeType": "image/png"}]);
    glb.json["textures"] = serde_json::json!([{"source": 0}]);
    glb.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] =
        serde_json::json!({"index": 0});
    glb.write(&suite.path("creature.glb"));
    suite.test(&["--bless"]).done();
    suite.test(&[]).done();
    let golden = suite.read("goldens/a.glb");
    assert!(!golden.windows(64).any(|bytes| bytes == [7; 64]), "the picture is in it");
    std::fs::copy(suite.path("creature.glb"), suite.path("goldens/model.glb")).unwrap();
    std::fs::copy(suite.path("goldens/a.glb"), suite.path("goldens/old.glb")).unwrap();
    suite.test(&["--prune"]).done();
    assert_eq!(suite.goldens(), ["a.glb", "model.glb"]);
}

/// Two manifests of a folder have one folder of goldens.
#[test]
fn goldens_of_another_manifest_and_other_pictures_are_not_pruned() {
    let suite = Suite::blessed(CASES);
    let text = CASES.replace("creature/", "more/");
    std::fs::write(suite.path("more.toml"), text).unwrap();
    run(suite.command(&[]).arg("--bless").current_dir(suite.folder.path())).done();
    let mut more = command();
    more.args(["test", "more.toml", "--bless"]).current_dir(suite.folder.path());
    run(&mut more).done();
    let logo = suite.path("goldens/logo@2x.png");
    image::RgbImage::from_pixel(2, 2, image::Rgb([1, 2, 3])).save(&logo).unwrap();
    let goldens = || {
        let mut names: Vec<_> = std::fs::read_dir(suite.path("goldens/more"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    let before = goldens();
    assert!(!before.is_empty());
    let pruned = suite.test(&["--prune"]).done();
    assert_eq!(pruned.text(), "2 passed, 0 failed\n");
    assert!(goldens() == before && logo.exists());
}

#[test]
fn goldens_of_no_case_are_listed_and_removed_on_request() {
    let suite = Suite::blessed(CASES);
    std::fs::write(suite.path("goldens/old@0.0.png"), "").unwrap();
    std::fs::write(suite.path("goldens/README.md"), "").unwrap();
    let listed = suite.test(&[]).done();
    let line = "golden of no case (--prune removes it): old@0.0.png\n2 passed, 0 failed\n";
    assert_eq!(listed.text(), line);
    suite.test(&["--prune"]).done();
    assert!(!suite.path("goldens/old@0.0.png").exists());
    assert!(suite.path("goldens/README.md").exists());
    assert_eq!(suite.test(&[]).done().text(), "2 passed, 0 failed\n");
}

/// A typing error in the other manifest hides which goldens it uses.
#[test]
fn nothing_is_pruned_beside_a_manifest_that_can_not_be_read() {
    let suite = Suite::blessed(CASES);
    std::fs::write(suite.path("goldens/old@0.0.png"), "").unwrap();
    std::fs::write(suite.path("rig.toml"), "[limits]\njoints = 3\n").unwrap();
    std::fs::write(suite.path("more.toml"), format!("{CASES}tolerence = 3\n")).unwrap();
    assert_eq!(suite.test(&[]).done().text(), "2 passed, 0 failed\n");
    let refused = suite.test(&["--prune"]).failed(2).stderr;
    assert!(refused.contains("more.toml: ") && refused.contains("tolerence"), "{refused}");
    // Also one that has its cases in one line, and one that is not TOML at all.
    for text in [
        "case = [ {name = \"a\", file = \"creature.glb\", sizee = \"8x8\"} ]\n",
        "case = [ {name = \"a\", file = \"creature.glb\"}\n",
        "[defaults]\nsizee = \"8x8\"\n",
    ] {
        std::fs::write(suite.path("more.toml"), text).unwrap();
        let refused = suite.test(&["--prune"]).failed(2).stderr;
        assert!(refused.contains("more.toml: "), "{text}: {refused}");
    }
    assert!(suite.path("goldens/old@0.0.png").exists());
}

/// Nothing is removed by a command line that is not carried out.
#[test]
fn nothing_is_pruned_for_a_run_that_can_not_begin() {
    let suite = Suite::blessed(CASES);
    std::fs::write(suite.path("goldens/old@0.0.png"), "").unwrap();
    suite.test(&["--prune", "--junit", "nowhere/x.xml"]).failed(5);
    suite.test(&["--prune", "--report", "creature.glb/r"]).failed(5);
    assert!(suite.path("goldens/old@0.0.png").exists());
}

/// Two manifests of a folder may have a case of one name. If it is another case, one approval undoes the other.
#[test]
fn blessing_the_golden_of_another_manifest_is_told() {
    let suite = Suite::blessed(CASES);
    let other = CASES.replace("[0.0, 0.25]", "[0.0]");
    std::fs::write(suite.path("other.toml"), format!("\n{other}")).unwrap();
    let said = suite.test(&["--bless"]).done().stderr;
    let says = "--bless: other.toml has another case \"creature/walk\" with the same goldens";
    assert!(said.contains(says), "{said}");
    // The same case in two manifests has one golden by intent.
    assert!(!said.contains("creature/rest"), "{said}");
    // A case without goldens shares none.
    let check =
        "[[case]]\nname = \"creature/walk\"\nfile = \"creature.glb\"\nexpect = [\"check\"]\n";
    std::fs::write(suite.path("other.toml"), check).unwrap();
    assert_eq!(suite.test(&["--bless"]).done().stderr, "");
    assert_eq!(suite.test(&[]).done().stderr, "");
}

/// What the pointer stands for may be right.
#[test]
fn a_golden_that_was_not_fetched_is_not_blessed() {
    let suite = Suite::blessed(CASES);
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n";
    for golden in ["walk@0.0.png", "walk.glb"] {
        let golden = format!("goldens/creature/{golden}");
        let before = suite.read(&golden);
        std::fs::write(suite.path(&golden), pointer).unwrap();
        for args in [&[][..], &["--bless"]] {
            let said = suite.test(args).failed(1).text().to_owned();
            assert!(said.contains(&golden) && said.contains("git lfs pull"), "{said}");
        }
        assert_eq!(suite.read(&golden), pointer.as_bytes());
        std::fs::write(suite.path(&golden), before).unwrap();
    }
}

#[test]
fn a_case_to_bless_must_be_one_that_runs() {
    let suite = Suite::blessed(CASES);
    let run = suite.test(&["--bless", "creature/walk", "--only", "creature/rest"]).failed(2);
    assert!(run.stderr.contains("--bless creature/walk: --only leaves out"), "{}", run.stderr);
}

#[test]
fn standard_output_holds_only_what_was_asked_for() {
    let suite = Suite::blessed(CASES);
    let run = suite.test(&["--json", "-"]).done();
    assert_eq!(run.json()["passed"], 2);
    assert!(run.stderr.contains("2 passed, 0 failed"), "{}", run.stderr);
}

#[test]
fn a_golden_of_another_adapter_is_named() {
    let suite =
        Suite::blessed("[[case]]\nname = \"a\"\nfile = \"creature.glb\"\nsize = \"32x32\"\n");
    let file = std::fs::File::create(suite.path("goldens/a@0.0.png")).unwrap();
    let mut encoder = png::Encoder::new(file, 32, 32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.add_itxt_chunk("Adapter".into(), "Old Card (vulkan, driver 1)".into()).unwrap();
    encoder.write_header().unwrap().write_image_data(&[0; 32 * 32 * 3]).unwrap();
    let failed = suite.test(&[]);
    assert_eq!(failed.code, Some(1));
    let says = "the golden was made by Old Card (vulkan, driver 1), this picture by ";
    assert!(failed.text().contains(says), "{}", failed.text());
    assert!(failed.text().contains("% of the pixels differ visibly"), "{}", failed.text());
}

#[test]
fn findings_of_the_check_fail_a_case() {
    let case = "[[case]]\nname = \"a\"\nfile = \"creature.glb\"\nexpect = [\"check\"]\n";
    let suite = Suite::new(case);
    suite.test(&[]).done();
    suite.write(&format!("{case}contract = \"rig.toml\"\n"));
    std::fs::write(suite.path("rig.toml"), "[limits]\njoints = 3\n").unwrap();
    let failed = suite.test(&["--json", "out.json"]);
    assert_eq!(failed.code, Some(1), "{}", failed.ended());
    assert!(
        failed.text().starts_with("failed a: check: 1 error, first LIMIT: "),
        "{}",
        failed.text()
    );
    let check = &suite.json("out.json")["cases"][0]["checks"][0];
    let findings = check["findings"].as_array().unwrap();
    let limit = findings.iter().find(|finding| finding["code"] == "LIMIT").unwrap();
    assert_eq!((&limit["file"], &limit["object"]), (&"creature.glb".into(), &"joints".into()));
    std::fs::write(suite.path("rig.toml"), "\n[limits]\njoint = 3\n").unwrap();
    let failed = suite.test(&[]).failed(2);
    let line = &failed.stderr;
    assert!(line.contains("rig.toml") && line.contains("line 3, column 1"), "{line}");
}
