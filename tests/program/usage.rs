//! Mistyped commands and options: one line, exit code 2, and suggestions.

use std::path::Path;

use crate::support::{SmallModel, rigview};

#[test]
fn an_unknown_command_is_2_and_names_the_nearest() {
    for (args, says) in [
        (&["posee", "a.glb"][..], "\"pose\""),
        (&["screenshoot", "a.glb", "-o", "a.png"], "\"screenshot\""),
        (&["gpu"], "\"gpus\""),
        (&["compair", "a.png", "b.png", "--tolerance", "0.1"], "compare"),
        (&["chek", "a.glb", "--json"], "\"check\""),
        (&["-v", "inof", "a.glb"], "\"info\""),
        (&["--log-level", "info", "frobnicate"], "bench"),
        (&["--clip", "Run", "frobnicate"], "bench"),
        (&["help", "tst"], "similar command is test"),
        (&["a\u{1b}[31m"], "\\u001b"),
    ] {
        let run = rigview(args).failed(2);
        let says = says.trim_matches('"');
        assert!(run.stderr.contains("no command"), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(says), "{args:?} names {says}: {}", run.stderr);
        assert!(run.stderr.contains("--help"), "{args:?}: {}", run.stderr);
        assert_eq!(run.text(), "", "{args:?}");
    }
}

/// A word with a separator or an extension, or that exists, is a file. Without a display the error is then the
/// missing display and not an unknown command.
#[test]
fn a_file_is_never_taken_for_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    SmallModel::new().write_gltf(folder.path().join("posee").as_path());
    for file in [path("posee"), path("no-such-file"), "no-such-file.glb".into()] {
        let mut command = crate::support::command();
        command.current_dir(folder.path()).arg(&file);
        let run = crate::support::run(&mut command);
        assert!(!run.stderr.contains("no command"), "{file}: {}", run.stderr);
    }
    let mut command = crate::support::command();
    let run = crate::support::run(command.current_dir(folder.path()).arg("posee"));
    assert!(!run.stderr.contains("no command"), "{}", run.stderr);
}

#[test]
fn usage_errors_are_one_line_with_the_help_of_their_command() {
    for (args, says) in [
        (&["pose", "a.glb", "--no-such-flag"][..], "--no-such-flag"),
        (&["pose", "a.glb", "--jsn"], "--json"),
        (&["screenshot", "a.glb"], "--output"),
        (&["screenshot", "-o", "a.png", "--size", "0x10"], "--size"),
        (&["bench", "--mode", "sideways"], "forward, scrub"),
        (&["pose", "a.glb", "--clip", "1", "--all-clips"], "--all-clips"),
        (&["pose", "--clip", "1", "--animation-indices", "0"], "--animation-indices"),
    ] {
        let run = rigview(args).failed(2);
        assert!(run.stderr.contains(says), "{args:?} says {says}: {}", run.stderr);
        let help = format!("`rigview {} --help`", args[0]);
        assert!(run.stderr.contains(&help), "{args:?} points to {help}: {}", run.stderr);
    }
    let eye = ["screenshot", "-o", "a.png", "--eye", "0,1,9", "--target", "0,1,0"];
    let run = rigview([&eye[..], &["--near", "5", "--far", "5"]].concat()).failed(2);
    assert!(run.stderr.contains("--far 5: the far plane must be behind"), "{}", run.stderr);
    let run = rigview(["--clip", "Run", "pose", "a.glb"]).failed(2);
    assert!(run.stderr.contains("`--clip` must come after"), "{}", run.stderr);
}

#[test]
fn wrong_values_are_told_with_those_that_are_allowed() {
    let whole = "must be a whole number";
    for (args, says) in [
        (&["record", "-o", "a.gif", "--repeat", "1.5"][..], format!("{whole} from 1 to 1000;")),
        (&["pose", "--vertices", "1"], format!("{whole} from 2;")),
        (&["sheet", "a.glb", "-o", "a.png", "--columns", "0"], format!("{whole} from 1 to 10000;")),
        (&["pose", "--animation-indices", "1.5"], format!("{whole};")),
        (&["pose", "--log-level", "foo"], "expected off, error, warn".into()),
        (&["screenshot", "-o", "a.png", "--onion-skin", "8,1e9"], "at most 1000000".into()),
        (
            &["screenshot", "-o", "a.png", "--light", "1,0,0,1e39"],
            "LUX must be at most 1e18".into(),
        ),
        (&["screenshot", "-o", "a.png", "--exposure", "128"], "must be from -126 to 126".into()),
        (&["pose", "--map", "exact"], "not provided: --clips-from <FILE>;".into()),
    ] {
        let run = rigview(args).failed(2);
        assert!(run.stderr.contains(&says), "{args:?} says {says}: {}", run.stderr);
    }
}

#[test]
fn cameras_without_a_direction_and_options_that_exclude_each_other_are_refused() {
    let eye = ["--eye", "0,1,9", "--target"];
    for (args, says) in [
        ([&eye[..], &["0,1,9"]].concat(), "--target: the camera of --eye stands there"),
        ([&eye[..], &["0,1,0", "--up", "0,0,0"]].concat(), "the direction must not be zero"),
        ([&eye[..], &["0,1,0", "--up", "0,0,-2"]].concat(), "choose one across it"),
    ] {
        let run = rigview([&["screenshot", "-o", "a.png"], &args[..]].concat()).failed(2);
        assert!(run.stderr.contains(says), "{args:?} says {says}: {}", run.stderr);
    }
}

#[test]
fn a_wrong_value_of_a_variable_is_not_told_as_an_option() {
    let says = |args: &[&str]| {
        let mut command = crate::support::command();
        command.env("RIGVIEW_BACKEND", "metl").args(["screenshot", "-o", "a.png"]);
        crate::support::run(command.args(args)).failed(2).stderr
    };
    let of_variable = says(&[]);
    assert!(of_variable.contains("'metl' for 'RIGVIEW_BACKEND'"), "{of_variable}");
    for args in [&["--backend", "metl"][..], &["--backend=metl"]] {
        assert!(says(args).contains("'metl' for '--backend <NAME>'"), "{args:?}: {}", says(args));
    }
}

/// Returns the headings of a help text with the options below each.
fn headings(help: &str) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for line in help.lines() {
        if let Some(heading) = line.strip_suffix(':').filter(|l| !l.starts_with(' ')) {
            found.push((heading.to_owned(), Vec::new()));
        }
        let option = line.split_whitespace().find(|word| word.starts_with("--"));
        if let (Some((_, options)), Some(option), true) =
            (found.last_mut(), option, line.trim_start().starts_with('-'))
        {
            options.push(option.trim_end_matches(['.', ',']).to_owned());
        }
    }
    found
}

#[test]
fn help_groups_options_by_subject() {
    let groups = [
        ("Clip", &["--clip", "--all-clips", "--clips-from", "--time", "--rest"][..]),
        ("Camera", &["--eye", "--orbit", "--camera"]),
        ("Look", &["--size", "--pass", "--background"]),
        ("GPU", &["--adapter", "--backend"]),
        ("Messages", &["--verbose", "--quiet", "--log-level"]),
    ];
    let commands = [
        "screenshot",
        "record",
        "sheet",
        "pose",
        "info",
        "check",
        "curve",
        "bench",
        "bake",
        "gpus",
    ];
    for command in [None].into_iter().chain(commands.map(Some)) {
        let args: Vec<&str> = ["help"].into_iter().chain(command).collect();
        let help = rigview(&args).done();
        for (heading, options) in headings(help.text()) {
            for option in options {
                let home = groups.iter().find(|(_, list)| list.contains(&option.as_str()));
                let bench_size = command == Some("bench") && option == "--size";
                let expected = if bench_size { "Options" } else { home.map_or("", |h| h.0) };
                if home.is_some() {
                    assert_eq!(heading, expected, "{command:?}: {option}");
                }
                let others = groups.iter().find(|(name, _)| *name == heading);
                let general = ["--json", "--output", "--vertices", "--no-render", "--script"];
                let strange = others.is_some() && general.contains(&option.as_str());
                assert!(!strange, "{command:?}: {option} is under {heading}");
            }
        }
    }
}

/// `rigview --help` fits a terminal of 24 lines, the prompt included, and 80 columns. `rigview help` has it all.
#[test]
fn the_help_of_the_program_is_one_screen_and_names_every_command() {
    let screen = rigview(["--help"]).done();
    assert_eq!(rigview(["-h"]).done().stdout, screen.stdout);
    let screen = screen.text();
    assert!(screen.lines().count() <= 23, "{screen}");
    assert!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
    let whole = rigview(["help"]).done();
    let listed = whole.text().split("\nCommands:\n").nth(1).unwrap();
    let listed = listed.split("\n\n").next().unwrap();
    let names = listed.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names: Vec<&str> = names.filter(|name| !name.is_empty() && *name != "help").collect();
    assert!(names.len() > 12, "{names:?}");
    for name in names {
        let mut words = screen.split(|c: char| !c.is_alphanumeric() && c != '-');
        assert!(words.any(|word| word == name), "{name}: {screen}");
    }
    assert!(whole.text().contains("--tone-map") && !screen.contains("--tone-map"));
    // Every example of the screen is a command line that is understood.
    for line in screen.lines().filter(|line| line.starts_with("  rigview ")) {
        let words: Vec<&str> = line.split("   ").next().unwrap().split_whitespace().collect();
        let line = &words[1..];
        if !line.contains(&"COMMAND") && line.len() > 1 {
            let code = rigview(line).code;
            assert_eq!(code, Some(3), "no file of that name is an error, usage is not: {line:?}");
        }
    }
}

/// `--animation-indices` as in F3D: one clip, several at once, or all.
#[test]
fn animation_indices_are_those_of_f3d() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("three.gltf");
    let three = |json: &mut serde_json::Value| {
        // Each clip drives another node.
        json["nodes"] = serde_json::json!([{"mesh": 0, "children": [1, 2]}, {}, {}]);
        for (i, clip) in json["animations"].as_array_mut().unwrap().iter_mut().enumerate() {
            clip["channels"][0]["target"]["node"] = i.into();
        }
    };
    // A number is no name, also of one clip alone.
    SmallModel::new().clip("A").clip("B").clip("1").edit(three).write_gltf(&file);
    let file = file.to_str().unwrap();
    let turned = |args: &[&str]| -> Vec<bool> {
        let run = rigview([&["pose", file, "--json", "--time", "1"], args].concat()).done();
        let line = run.json();
        let still = serde_json::json!([0.0, 0.0, 0.0, 1.0]);
        line["nodes"].as_array().unwrap().iter().map(|n| n["rotation"] != still).collect()
    };
    assert_eq!(turned(&["--animation-indices", "1"]), [false, true, false]);
    assert_eq!(turned(&["--animation-indices", "0,2"]), [true, false, true]);
    assert_eq!(turned(&["--animation-indices=2,1"]), [false, true, true]);
    assert_eq!(turned(&["--animation-indices", "-1"]), [true, true, true]);
    assert_eq!(turned(&["--all-clips"]), [true, true, true]);
    // Without a target that two of them drive, there is nothing to warn of.
    let quiet = rigview(["pose", file, "--all-clips"]).done();
    assert_eq!(quiet.stderr, "");
    for wrong in ["3", "0,3"] {
        let run = rigview(["pose", file, "--animation-indices", wrong]).failed(2);
        assert!(run.stderr.contains("\"3\"") && run.stderr.contains("\"B\""), "{}", run.stderr);
    }
    let picture = |args: &[&str]| {
        let out = folder.path().join("out.png");
        let fixed = ["screenshot", file, "-o", out.to_str().unwrap(), "--size", "64x48"];
        rigview([&fixed[..], &["--time", "0.7", "--orbit", "20,10"], args].concat()).done();
        std::fs::read(out).unwrap()
    };
    assert_eq!(picture(&["--animation-indices", "-1"]), picture(&["--all-clips"]));
    assert_eq!(picture(&["--animation-indices", "0,1,2"]), picture(&["--all-clips"]));
    assert_ne!(picture(&["--animation-indices", "1,2"]), picture(&["--all-clips"]));
}

#[test]
fn clips_at_once_that_drive_one_target_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("one.gltf");
    SmallModel::new().clip("A").clip("B").clip("C").write_gltf(&file);
    let file = file.to_str().unwrap();
    for (args, clips) in [
        (&["--all-clips"][..], "clips 0 \"A\" and 1 \"B\""),
        (&["--animation-indices", "2,1"], "clips 2 \"C\" and 1 \"B\""),
    ] {
        let run = rigview([&["pose", file], args].concat()).done();
        let line =
            format!("{clips} both drive the rotation of node 0 \"square\": the last clip wins");
        assert_eq!(run.stderr, format!("rigview: warn: {line}\n"), "{args:?}");
    }
    assert_eq!(rigview(["pose", file, "--animation-indices", "1"]).done().stderr, "");
}

#[test]
fn files_of_another_kind_name_the_command_that_takes_them() {
    let folder = tempfile::tempdir().unwrap();
    let [model, picture] = ["a.gltf", "a.png"].map(|name| folder.path().join(name));
    SmallModel::new().write_gltf(&model);
    image::RgbImage::new(2, 2).save(&picture).unwrap();
    let said = |command: &str, file: &Path, code: i32| {
        let twice = [command.as_ref(), file.as_os_str(), file.as_os_str()];
        rigview(if command == "test" { &twice[..2] } else { &twice }).failed(code).stderr
    };
    let compared = said("compare", &model, 3);
    assert!(compared.contains("not a PNG file; `rigview diff` compares models"), "{compared}");
    let differed = said("diff", &picture, 3);
    assert!(differed.contains("`rigview compare` compares pictures"), "{differed}");
    let tested = said("test", &picture, 2);
    assert!(tested.contains("a TOML file of test cases"), "{tested}");
}
