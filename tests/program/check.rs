//! `check`: the rules on small files with one defect each, contracts, and the forms of output.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Glb, Joints, Run, SmallModel, checkout, rigview};

fn creature() -> PathBuf {
    checkout().join("assets/creature.glb")
}

fn check(args: &[&str]) -> Run {
    rigview([&["check"], args].concat())
}

/// Returns the findings of one file.
fn findings(file: &Path, args: &[&str]) -> Vec<Value> {
    let run = check(&[&[file.to_str().unwrap(), "--json"], args].concat());
    assert!(matches!(run.code, Some(0 | 1)), "{}", run.ended());
    let report = run.json();
    let findings = report["files"][0]["findings"].as_array().unwrap().clone();
    let failed = findings.iter().any(|finding| finding["level"] == "error");
    assert_eq!(run.code, Some(i32::from(failed)), "{}", run.ended());
    findings
}

fn of_code<'a>(findings: &'a [Value], code: &str) -> Vec<&'a Value> {
    findings.iter().filter(|finding| finding["code"] == code).collect()
}

/// Writes a copy of the built-in rig whose document is changed.
fn changed(folder: &Path, change: impl FnOnce(&mut Value)) -> PathBuf {
    let mut glb = Glb::read(&creature());
    change(&mut glb.json);
    let file = folder.join("changed.glb");
    glb.write(&file);
    file
}

fn contract(folder: &Path, text: &str) -> String {
    let file = folder.join("rig.toml");
    std::fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

/// The page says why the built-in model has each of its warnings.
#[test]
fn the_warnings_about_the_built_in_model_are_explained() {
    let page = std::fs::read_to_string(checkout().join("docs/check.md")).unwrap();
    let (_, section) = page.split_once("## The built-in model").expect("a section about it");
    let section = section.split("\n## ").next().unwrap();
    let found = findings(&creature(), &["--min-level", "warning"]);
    for finding in &found {
        let [code, object] = ["code", "object"].map(|key| finding[key].as_str().unwrap());
        let line = section.lines().find(|line| line.contains(code) && line.contains(object));
        assert!(line.is_some(), "{code} of {object} is not explained");
    }
}

#[test]
fn findings_have_all_keys_and_are_sorted_by_place() {
    let found = findings(&creature(), &[]);
    assert!(found.len() > 1, "the built-in rig squashes joints and has spare keys: {found:?}");
    for finding in &found {
        assert_ne!(finding["level"], "error", "{finding}");
        let keys: Vec<_> = finding.as_object().unwrap().keys().collect();
        assert_eq!(keys, {
            [
                "file", "code", "level", "pointer", "object", "clip", "time", "value", "limit",
                "unit", "message",
            ]
        });
        assert_eq!(finding["file"], creature().to_str().unwrap());
    }
    let clips = found.iter().filter_map(|f| f["pointer"].as_str()?.strip_prefix("/animations/"));
    let clips: Vec<u32> = clips.filter_map(|rest| rest.split('/').next()?.parse().ok()).collect();
    assert!(clips.is_sorted(), "{clips:?}");
}

#[test]
fn two_clips_of_one_name_and_content_are_named_once_each() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("twice.gltf");
    SmallModel::new().clip("Turn").clip("Turn").write_gltf(&file);
    let found = findings(&file, &[]);
    for code in ["NAME_TWICE", "CLIP_TWIN"] {
        let [one] = of_code(&found, code)[..] else { panic!("{code}: {found:?}") };
        assert_eq!((&one["pointer"], &one["clip"]), (&json!("/animations/1"), &json!("Turn")));
    }
}

#[test]
fn scales_of_joints_are_judged_by_their_axes() {
    let folder = tempfile::tempdir().unwrap();
    let mut names = Vec::new();
    let file = changed(folder.path(), |json| {
        let joints = json["skins"][0]["joints"].as_array().unwrap().clone();
        for (joint, scale) in joints.iter().rev().zip([[1.0, 1.5, 1.0], [1.0, 1.0, -1.0]]) {
            let node = &mut json["nodes"][joint.as_u64().unwrap() as usize];
            node["scale"] = json!(scale);
            names.push(node["name"].clone());
        }
    });
    let mut found = findings(&file, &[]);
    // Clips of the rig squash other joints.
    found.retain(|finding| finding["clip"].is_null());
    let [uneven] = of_code(&found, "SCALE_UNEVEN")[..] else { panic!("{found:?}") };
    assert_eq!((&uneven["object"], &uneven["value"]), (&names[0], &json!(1.5)));
    let [negative] = of_code(&found, "SCALE_NEGATIVE")[..] else { panic!("{found:?}") };
    assert_eq!((&negative["object"], &negative["value"]), (&names[1], &json!(-1.0)));
}

#[test]
fn a_renamed_joint_is_one_finding_with_its_old_name() {
    let folder = tempfile::tempdir().unwrap();
    let mut old = Value::Null;
    let file = changed(folder.path(), |json| {
        let joint = json["skins"][0]["joints"][2].as_u64().unwrap() as usize;
        old = json["nodes"][joint]["name"].take();
        json["nodes"][joint]["name"] = json!("renamed");
    });
    let reference = creature();
    let found = findings(&file, &["--skeleton", reference.to_str().unwrap()]);
    let [one] = of_code(&found, "SKELETON_DIFFERS")[..] else { panic!("{found:?}") };
    assert_eq!((&one["object"], &one["level"]), (&json!("renamed"), &json!("error")));
    assert!(one["message"].as_str().unwrap().contains(old.as_str().unwrap()), "{one}");
    // The contract names the reference relative to itself.
    std::fs::copy(&reference, folder.path().join("ref.glb")).unwrap();
    let rules = contract(folder.path(), "[skeleton]\nreference = \"ref.glb\"\n");
    assert_eq!(of_code(&findings(&file, &["--contract", &rules]), "SKELETON_DIFFERS").len(), 1);
    assert!(of_code(&findings(&reference, &["--contract", &rules]), "SKELETON_DIFFERS").is_empty());
}

#[test]
fn a_rig_without_names_is_that_of_itself() {
    let folder = tempfile::tempdir().unwrap();
    let nameless = |name: &str, moved: bool| {
        let file = changed(folder.path(), |json| {
            for node in json["nodes"].as_array_mut().unwrap() {
                node.as_object_mut().unwrap().remove("name");
            }
            if moved {
                let joint = json["skins"][0]["joints"][2].as_u64().unwrap() as usize;
                json["nodes"][joint]["name"] = json!("new");
            }
        });
        let to = folder.path().join(name);
        std::fs::rename(file, &to).unwrap();
        to
    };
    let [file, other] = [nameless("a.glb", false), nameless("b.glb", true)];
    let differs = |other: &Path| {
        let found = findings(&file, &["--skeleton", other.to_str().unwrap()]);
        of_code(&found, "SKELETON_DIFFERS").len()
    };
    assert_eq!([differs(&file), differs(&other)], [0, 1]);
}

#[test]
fn a_contract_limits_numbers_and_declares_clips_and_joints() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[limits]\njoints = 1\nclips = 3\nfile_bytes = 10\n[skeleton]\nrequired = [\"Tail9\"]\n\
                profile = \"mixamo\"\n[clips.Fly]\nloop = true\n[clips.\"W*\"]\nduration = [90, 91]\n";
    let rules = contract(folder.path(), text);
    let found = findings(&creature(), &["--contract", &rules]);
    let limits: Vec<_> = of_code(&found, "LIMIT").iter().map(|f| f["object"].clone()).collect();
    assert_eq!(limits, ["joints", "file_bytes"]);
    let bytes = std::fs::metadata(creature()).unwrap().len();
    assert_eq!(of_code(&found, "LIMIT")[1]["value"], bytes as f64);
    let broken = of_code(&found, "CONTRACT");
    let has = |key: &str, value: &str| broken.iter().any(|f| f[key] == value);
    assert!(has("clip", "Fly") && has("clip", "Walk"), "{broken:?}");
    assert!(has("object", "Tail9") && has("object", "mixamo"), "{broken:?}");
}

#[test]
fn a_wrong_contract_is_2_with_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    for (text, at, says) in [
        ("[limits]\njionts = 3\n", "line 2, column 1", "unknown key `jionts`"),
        ("allow = [\"POPP\"]\n", "line 1, column 10", "did you mean POP?"),
        ("[skeleton]\nprofile = \"mixxamo\"\n", "line 2, column 11", "mixamo"),
        ("[clips.Walk]\nloop = \"yes\"\n", "line 2, column 8", "boolean"),
    ] {
        let rules = contract(folder.path(), text);
        let creature = creature();
        let run = check(&[creature.to_str().unwrap(), "--contract", &rules]).failed(2);
        for part in ["rig.toml", at, says] {
            assert!(run.stderr.contains(part), "{part} in {}", run.stderr);
        }
    }
    let creature = creature();
    let run = check(&[creature.to_str().unwrap(), "--deny", "LOOP_GAPS"]).failed(2);
    assert!(run.stderr.contains("did you mean LOOP_GAP?"), "{}", run.stderr);
}

#[test]
fn codes_are_denied_and_allowed_and_the_command_line_wins() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("twice.gltf");
    SmallModel::new().clip("Turn").clip("Turn").write_gltf(&file);
    let rules = contract(folder.path(), "allow = [\"CLIP_TWIN\"]\ndeny = [\"NAME_TWICE\"]\n");
    let levels = |args: &[&str]| {
        let found = findings(&file, &[&["--contract", &rules], args].concat());
        ["CLIP_TWIN", "NAME_TWICE"].map(|code| {
            of_code(&found, code).first().map(|f| f["level"].as_str().unwrap().to_owned())
        })
    };
    assert_eq!(levels(&[]), [None, Some("error".into())]);
    assert_eq!(levels(&["--allow", "NAME_*"]), [None, None]);
    assert_eq!(levels(&["--deny", "CLIP_TWIN"]), [Some("error".into()), Some("error".into())]);
}

#[test]
fn warnings_of_the_import_are_findings_under_their_codes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("odd.gltf");
    let model = SmallModel::new().clip("Turn").edit(|json| {
        json["animations"][0]["samplers"][0]["interpolation"] = json!(0);
    });
    model.write_gltf(&file);
    let found = findings(&file, &[]);
    let [one] = of_code(&found, "INTERPOLATION_UNKNOWN")[..] else { panic!("{found:?}") };
    assert_eq!(one["level"], "warning");
    assert_eq!(one["pointer"], "/animations/0/channels/0");
    assert!(
        of_code(&findings(&file, &["--allow", "INTERPOLATION_UNKNOWN"]), "INTERPOLATION_UNKNOWN")
            .is_empty()
    );
}

#[test]
fn a_file_that_cannot_be_loaded_does_not_stop_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let creature = creature();
    let missing = folder.path().join("missing.glb");
    let files = [missing.to_str().unwrap(), creature.to_str().unwrap()];
    let run = check(&[&files[..], &["--json"]].concat()).failed(3);
    assert!(run.stderr.contains("missing.glb: not found"), "{}", run.stderr);
    let report = run.json();
    assert_eq!(report["files"][0]["error"], "not found");
    assert_eq!(report["files"][0]["findings"], json!([]));
    assert_eq!(report["files"][1]["file"], files[1]);
    let sarif = check(&[&files[..], &["--sarif"]].concat()).failed(3);
    let sarif = sarif.json();
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn sarif_markdown_junit_and_text_hold_the_same_findings() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a b|c.gltf");
    SmallModel::new().clip("Turn").clip("Turn").write_gltf(&file);
    let file = file.to_str().unwrap();
    let found = findings(Path::new(file), &["--deny", "CLIP_TWIN"]);
    let print = |format: &[&str]| {
        let run = check(&[&[file, "--deny", "CLIP_TWIN"], format].concat()).failed(1);
        run.text().to_owned()
    };
    let sarif: Value = serde_json::from_str(&print(&["--sarif"])).unwrap();
    let run = &sarif["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), found.len());
    for (result, finding) in results.iter().zip(&found) {
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!((&rule["id"], &result["ruleId"]), (&finding["code"], &finding["code"]));
        assert_eq!(result["level"], finding["level"]);
        let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert!(uri.as_str().unwrap().ends_with("/a%20b%7Cc.gltf"), "{uri}");
    }
    let (markdown, junit, text) = (print(&["--markdown"]), print(&["--junit"]), print(&[]));
    for finding in &found {
        let code = finding["code"].as_str().unwrap();
        for output in [&markdown, &junit, &text] {
            assert!(output.contains(code), "{code} in {output}");
        }
    }
    assert!(markdown.contains("a b\\|c.gltf"), "{markdown}");
    assert!(junit.contains("failures=\"1\"") && junit.contains("type=\"CLIP_TWIN\""), "{junit}");
    assert!(!text.contains('\u{1b}'), "no colours in a pipe");
    assert!(text.trim_end().lines().last().unwrap().starts_with("1 error, "), "{text}");
}

#[test]
fn two_findings_about_one_thing_have_two_fingerprints() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.gltf");
    SmallModel::new().clip("Turn").clip("Turn").clip("Turn").write_gltf(&file);
    let sarif = check(&[file.to_str().unwrap(), "--sarif"]).done().json();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let told = results.iter().filter(|result| result["ruleId"] == "CLIP_TWIN");
    let mut told: Vec<_> =
        told.map(|result| result["partialFingerprints"]["rigview/v1"].as_str().unwrap()).collect();
    let count = told.len();
    told.sort();
    told.dedup();
    assert_eq!((told.len(), count), (2, 2), "{told:?}");
}

#[test]
fn every_code_is_explained() {
    let all = check(&["--explain"]).done();
    for code in ["JOINT_UNUSED", "FOOT_SLIDES", "CONTRACT", "WEIGHTS_SUM"] {
        assert!(all.text().lines().any(|line| line.starts_with(code)), "{code}");
        let one = check(&["--explain", code]).done();
        assert!(one.text().starts_with(code) && one.text().contains("Remedy: "), "{}", one.text());
    }
    let run = check(&["--explain", "LOOP_GAPP"]).failed(2);
    let near = "did you mean LOOP_GAP? `rigview check --explain` lists the codes";
    assert!(run.stderr.contains(near), "{}", run.stderr);
}

/// Writes a model with a clip of the name and the content of another, which are warnings, and one without a name, which is
/// a note.
fn with_warnings(file: &Path) {
    SmallModel::new().clip("Turn").clip("Turn").clip("").write_gltf(file);
}

#[test]
fn warnings_become_errors_and_lower_levels_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("twice.gltf");
    with_warnings(&file);
    let file = file.to_str().unwrap();
    check(&[file]).done();
    check(&[file, "--deny-warnings"]).failed(1);
    let silent = ["--allow", "CLIP_TWIN", "--allow", "NAME_TWICE"];
    check(&[&[file, "--deny-warnings"][..], &silent].concat()).done();
    let levels = |args: &[&str]| {
        let found = findings(Path::new(file), args);
        let mut levels: Vec<_> =
            found.iter().map(|f| f["level"].as_str().unwrap().to_owned()).collect();
        levels.sort();
        levels.dedup();
        levels
    };
    assert_eq!(levels(&["--min-level", "warning"]), ["warning"]);
    assert_eq!(levels(&["--min-level", "error"]), [""; 0]);
    assert_eq!(levels(&["--deny-warnings", "--min-level", "error"]), ["error"]);
    check(&[file, "--min-level", "fatal"]).failed(2);
}

#[test]
fn folders_and_globs_name_files_once_each() {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("below");
    std::fs::create_dir(&below).unwrap();
    for name in ["b.gltf", "a.gltf", "below/c.gltf"] {
        SmallModel::new().write_gltf(&folder.path().join(name));
    }
    std::fs::write(folder.path().join("notes.txt"), "").unwrap();
    let names = |args: &[&str]| -> Vec<String> {
        let args: Vec<String> =
            args.iter().map(|arg| folder.path().join(arg).to_str().unwrap().to_owned()).collect();
        let run = rigview(["check".to_owned(), "--json".into()].into_iter().chain(args)).done();
        let report = run.json();
        let files = report["files"].as_array().unwrap().iter();
        let name = |file: &Value| {
            let path = Path::new(file["file"].as_str().unwrap());
            path.strip_prefix(folder.path()).unwrap().to_str().unwrap().to_owned()
        };
        files.map(name).collect()
    };
    assert_eq!(names(&["."]), ["a.gltf", "b.gltf", "below/c.gltf"]);
    assert_eq!(names(&["*.gltf"]), ["a.gltf", "b.gltf"]);
    assert_eq!(names(&["**/*.gltf", "a.gltf"]), ["a.gltf", "b.gltf", "below/c.gltf"]);
    assert_eq!(names(&["below", "{a,c}.gltf"]), ["below/c.gltf", "a.gltf"]);
    for none in ["*.glb", "nothing/*.glb"] {
        let none = folder.path().join(none);
        let run = check(&[none.to_str().unwrap()]).failed(2);
        assert!(run.stderr.contains("no file matches"), "{}", run.stderr);
    }
    let run = check(&[folder.path().join("empty*").to_str().unwrap()]).failed(2);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    // Models of other formats are no less models.
    let bvh = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nEnd Site\n{\n\
        OFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n";
    std::fs::write(below.join("d.BVH"), bvh).unwrap();
    assert_eq!(names(&["below"]), ["below/c.gltf", "below/d.BVH"]);
}

/// A link to nothing stands for a file that was not fetched.
#[cfg(unix)]
#[test]
fn links_are_not_passed_over_in_silence() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::create_dir_all(folder.path().join("all/real")).unwrap();
    std::fs::create_dir(folder.path().join("other")).unwrap();
    SmallModel::new().write_gltf(&folder.path().join("all/real/a.gltf"));
    SmallModel::new().write_gltf(&folder.path().join("other/b.gltf"));
    symlink("../../other/b.gltf", path("all/real/b.gltf")).unwrap();
    symlink("../other", path("all/other")).unwrap();
    let run = check(&[&path("all"), "--json"]).done();
    assert_eq!(run.json()["files"].as_array().unwrap().len(), 2);
    assert!(
        run.stderr.contains("1 link to folders not followed") && run.stderr.contains("all/other")
    );
    symlink("gone.gltf", path("all/real/c.gltf")).unwrap();
    let run = check(&[&path("all/real")]).failed(3);
    assert!(run.stderr.contains("c.gltf: not found"), "{}", run.ended());
}

/// The first spelling is the one that is printed.
#[test]
fn a_file_that_is_named_in_several_ways_is_checked_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    SmallModel::new().write_gltf(&folder.path().join("b.gltf"));
    SmallModel::new().write_gltf(&folder.path().join("c.gltf"));
    let files = |args: &[&str]| -> Vec<String> {
        let run = check(&[args, &["--json"]].concat()).done();
        let files = run.json()["files"].as_array().unwrap().clone();
        files.iter().map(|file| file["file"].as_str().unwrap().to_owned()).collect()
    };
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let spelled = [path("./b.gltf"), path("sub/../b.gltf"), path(""), path("*.gltf")];
    let spelled: Vec<&str> = spelled.iter().map(String::as_str).collect();
    assert_eq!(files(&spelled), [path("./b.gltf"), path("c.gltf")]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("c.gltf", path("a.gltf")).unwrap();
        // Equal files may be links to one.
        let all = [path("c.gltf"), path("a.gltf"), path("b.gltf")];
        assert_eq!(files(&[&path("c.gltf"), &path("")]), all);
    }
}

#[test]
fn junit_has_warnings_and_errors_and_no_notes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("twice.gltf");
    with_warnings(&file);
    let file = file.to_str().unwrap();
    let junit =
        |args: &[&str]| check(&[&[file, "--junit"], args].concat()).done().text().to_owned();
    let notes = findings(Path::new(file), &[]);
    let note = notes.iter().find(|f| f["level"] == "note").expect("a note");
    let code = note["code"].as_str().unwrap();
    assert!(!junit(&[]).contains(code) && junit(&[]).contains("CLIP_TWIN"), "{}", junit(&[]));
    assert!(junit(&["--min-level", "note"]).contains(code));
    assert!(!junit(&["--min-level", "error"]).contains("CLIP_TWIN"));
}

/// The import lists the first eight of a code for people.
#[test]
fn every_warning_of_the_import_is_a_finding_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("odd.gltf");
    let model = SmallModel::new().edit(|json| {
        let nodes: Vec<Value> =
            (0..30).map(|_| json!({"rotation": [0.0, 0.0, 0.0, 2.0]})).collect();
        json["nodes"].as_array_mut().unwrap().extend(nodes);
    });
    model.write_gltf(&file);
    let found = findings(&file, &[]);
    let of_code = of_code(&found, "ROTATION_NOT_UNIT");
    assert_eq!(of_code.len(), 30, "{of_code:?}");
    assert!(of_code.iter().all(|f| f["pointer"].is_string() && f["level"] == "error"));
}

#[test]
fn limits_of_the_viewer_are_notes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("extension.gltf");
    let model = SmallModel::new().edit(|json| json["extensionsUsed"] = json!(["ACME_unknown"]));
    model.write_gltf(&file);
    let found = findings(&file, &[]);
    assert_eq!(of_code(&found, "EXTENSION_IGNORED")[0]["level"], "note");
}

#[test]
fn long_names_and_globs_end_in_short_lines() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.gltf");
    let name = "x".repeat(100_000);
    SmallModel::new().clip(&name).clip(&name).write_gltf(&file);
    let file = file.to_str().unwrap();
    for args in [&["--json"][..], &[]] {
        let run = check(&[&[file], args].concat()).done();
        assert!(run.text().len() < 20_000, "{}", run.text().len());
    }
    let glob = "{".repeat(400);
    let rules = contract(folder.path(), &format!("[clips.\"{glob}\"]\nloop = true\n"));
    let stars = "*".repeat(500);
    for args in [
        [file, "--allow", &glob],
        [file, "--deny", &stars],
        [file, "--contract", &rules],
        [&glob, "--min-level", "note"],
        [&stars, "--min-level", "note"],
    ] {
        let run = check(&args).failed(2);
        assert!(run.stderr.lines().count() == 1 && run.stderr.len() < 400, "{}", run.stderr);
        assert!(run.stderr.contains("too long"), "{}", run.stderr);
    }
}

#[test]
fn of_many_findings_of_one_code_the_first_are_listed_and_the_rest_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("nameless.gltf");
    let nameless = |json: &mut Value| {
        let clip = json["animations"][0].clone();
        json["animations"] = json!(vec![clip; 50]);
        for clip in json["animations"].as_array_mut().unwrap() {
            clip.as_object_mut().unwrap().remove("name");
        }
    };
    SmallModel::new().clip("A").edit(nameless).write_gltf(&file);
    let run = check(&[file.to_str().unwrap()]).done();
    let listed = run.text().lines().filter(|line| line.contains("has no name")).count();
    assert_eq!(listed, 4, "{}", run.text());
    assert!(run.text().contains("and 46 more notes NAME_MISSING"), "{}", run.text());
}

/// A clip that goes round by its name is judged although it rests at both ends.
#[test]
fn names_say_which_clips_go_round() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("clip.glb");
    let times: Vec<f32> = (0..=16).map(|i| i as f32 / 16.0).collect();
    let height = |time: f32| 0.5 * (std::f32::consts::PI * time).sin().powi(2);
    let keys: Vec<[f32; 3]> = times
        .iter()
        .map(|time| [0.0, 0.005 * time * time * (3.0 - 2.0 * time), height(*time)])
        .collect();
    for (name, loops) in
        [("Take 001", false), ("Bow", false), ("Bow_Walk_Forward", true), ("Jump_Loop", true)]
    {
        let joints = Joints::chain(&[Some("a"), Some("b")]).clip(name);
        joints.channel(0, "translation", &times, &keys).0.write(&file);
        let run = check(&[file.to_str().unwrap()]).done();
        assert_eq!(run.text().contains("LOOP_GAP"), loops, "{name}: {}", run.text());
    }
}
