//! Files besides the model: poses, environments and scripts. Only regular files of a limited size are read, and a
//! printed pose gives the same picture as its clip and time.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{SmallModel, checkout, rigview, screenshots, shared};

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[test]
fn a_printed_pose_gives_the_picture_of_its_clip_and_time() {
    let creature = checkout().join("assets/creature.glb");
    let no_look: &[&str] = &[];
    let time: &[&str] = &["--time", "0.37"];
    let mut cases: Vec<(PathBuf, &[&str], &[&str])> = vec![
        (creature.clone(), time, no_look),
        (creature.clone(), &["--clip", "1", "--time", "0.61"], no_look),
        (creature.clone(), &["--all-clips", "--time", "0.5"], no_look),
        (creature.clone(), &["--rest"], no_look),
        (creature, time, &["--orbit", "200,40", "--grid", "--bounds"]),
    ];
    if let Some(shared) = shared("a_printed_pose_gives_the_picture_of_its_clip_and_time") {
        let [fox, man] = ["Fox", "CesiumMan"]
            .map(|name| shared.join(format!("models/{name}/glTF-Binary/{name}.glb")));
        cases.extend([(fox.clone(), time, no_look), (man, time, no_look)]);
        cases.push((fox, &["--clip", "Run", "--time", "0.41"], &["--skeleton"]));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |i: usize, name: &str| text(&folder.path().join(format!("{i}-{name}")));
    let mut pictures: Vec<Vec<String>> = Vec::new();
    for (i, (file, clip, look)) in cases.iter().enumerate() {
        let (file, pose) = (&text(file), &path(i, "pose.json"));
        let printed = rigview([&["pose", file, "--json"], *clip].concat()).done();
        std::fs::write(pose, printed.stdout).unwrap();
        for (name, source) in [("clip.png", *clip), ("pose.png", &["--pose", pose])] {
            let out = &path(i, name);
            let args = [&[file, "-o", out, "--size", "160x120"], source, *look].concat();
            pictures.push(args.into_iter().map(str::to_owned).collect());
        }
    }
    screenshots(&pictures).done();
    for (i, case) in cases.iter().enumerate() {
        let [by_clip, by_pose] =
            ["clip.png", "pose.png"].map(|name| std::fs::read(path(i, name)).unwrap());
        assert!(by_clip == by_pose, "{case:?}: the pictures differ");
    }
}

/// A pose that is read and printed again is the same, bit for bit.
#[test]
fn a_pose_comes_back_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let pose = text(&folder.path().join("pose.json"));
    let mut files = vec![checkout().join("assets/creature.glb")];
    if let Some(shared) = shared("a_pose_comes_back_to_the_bit") {
        let names = ["Fox", "CesiumMan", "RecursiveSkeletons", "RiggedFigure"];
        files.extend(names.map(|n| shared.join(format!("models/{n}/glTF-Binary/{n}.glb"))));
    }
    for file in files {
        for time in ["0", "0.123", "0.37", "0.61"] {
            let file = text(&file);
            let nodes = |args: &[&str]| -> Value {
                let run = rigview([&["pose", &file, "--json"], args].concat()).done();
                let line = run.json();
                std::fs::write(&pose, run.stdout).unwrap();
                line["nodes"].clone()
            };
            let first = nodes(&["--time", time]);
            assert!(nodes(&["--pose", &pose]) == first, "{file} at {time}");
        }
    }
}

/// Each option with a fitting file name.
fn side_files(folder: &Path) -> [(&'static str, PathBuf); 2] {
    [("--pose", folder.join("pose.json")), ("--environment", folder.join("sky.hdr"))]
}

#[test]
#[cfg(unix)]
fn devices_and_fifos_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let script = ("--script", folder.path().join("script"));
    for (option, file) in side_files(folder.path()).into_iter().chain([script]) {
        let make: [&dyn Fn(); 3] = [
            &|| std::os::unix::fs::symlink("/dev/zero", &file).unwrap(),
            &|| {
                let made = std::process::Command::new("mkfifo").arg(&file).status().unwrap();
                assert!(made.success());
            },
            &|| std::fs::create_dir(&file).unwrap(),
        ];
        for make in make {
            make();
            let command: &[&str] = match option {
                "--script" => &[],
                _ => &["screenshot", "-o", "-"],
            };
            let file_text = text(&file);
            let run = rigview([command, &[option, &file_text]].concat()).failed(3);
            assert!(run.stderr.contains("not a regular file"), "{option}: {}", run.stderr);
            assert!(run.stderr.contains(&file_text), "{option}: {}", run.stderr);
            let _ = std::fs::remove_file(&file).or_else(|_| std::fs::remove_dir(&file));
        }
    }
}

/// A sparse file that takes no space on disk and would take a terabyte of memory.
#[test]
fn larger_files_than_any_pose_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let script = ("--script", folder.path().join("script"));
    for (option, file) in side_files(folder.path()).into_iter().chain([script]) {
        std::fs::File::create(&file).unwrap().set_len(1 << 40).unwrap();
        let command: &[&str] = match option {
            "--script" => &[],
            _ => &["screenshot", "-o", "-"],
        };
        let run = rigview([command, &[option, &text(&file)]].concat()).failed(3);
        assert!(run.stderr.contains("too many"), "{option}: {}", run.stderr);
    }
}

#[test]
fn more_vertices_than_memory_holds_are_2() {
    for count in ["4294967295", "100000000"] {
        let run = rigview(["pose", "--json", "--vertices", count]).failed(2);
        assert!(run.stderr.contains("--vertices"), "{}", run.stderr);
    }
    rigview(["pose", "--json", "--vertices", "1000"]).done();
}

/// Standard error stays short for any number of defects.
#[test]
fn warnings_are_capped_per_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| text(&folder.path().join(name));
    let long = "x".repeat(300);
    let node = |i: usize| {
        json!({"index": 90_000 + i, "name": format!("{long}{i}"), "translation": [0, 0, 0],
        "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]})
    };
    let nodes: Vec<Value> = (0..5_000).map(node).collect();
    std::fs::write(path("pose.json"), json!({"nodes": nodes}).to_string()).unwrap();
    let control = "\u{1b}".repeat(400);
    let broken = |json: &mut Value| {
        json["extensionsUsed"] = (0..40).map(|i| json!(format!("{control}{i}"))).collect();
        for channel in 0..40 {
            let odd = json!({"sampler": 0, "target": {"node": 0, "path": format!("odd{channel}")}});
            json["animations"][0]["channels"].as_array_mut().unwrap().push(odd);
        }
    };
    SmallModel::new().clip("Turn").edit(broken).write_gltf(Path::new(&path("broken.gltf")));
    SmallModel::new().write_gltf(Path::new(&path("good.gltf")));
    for args in [
        vec!["pose", "good.gltf", "--pose", "pose.json"],
        vec!["-v", "pose", "good.gltf", "--pose", "pose.json"],
        vec!["pose", "broken.gltf"],
        vec!["-v", "pose", "broken.gltf"],
    ] {
        let args: Vec<String> = args
            .iter()
            .map(|arg| if arg.contains('.') { path(arg) } else { (*arg).to_owned() })
            .collect();
        let run = rigview(&args).done();
        let lines = run.stderr.lines().count();
        assert!((1..=12).contains(&lines), "{args:?}: {lines} lines");
        assert!(run.stderr.len() <= 4_000, "{args:?}: {} bytes", run.stderr.len());
        let counted = run.stderr.lines().last().unwrap().contains("more");
        assert!(counted || lines < 12, "{args:?}: {}", run.stderr);
    }
    let run = rigview(["pose", &path("good.gltf"), "--pose", &path("pose.json")]).done();
    assert!(run.stderr.contains("more for this file"), "{}", run.stderr);
    // Several files of one run share the limit.
    let (broken, picture, baked) = (path("broken.gltf"), path("sheet.png"), path("baked.glb"));
    for args in [
        vec!["diff", &broken, &broken],
        vec!["sheet", &broken, &broken, "--size", "64x64", "-o", &picture],
        vec!["bake", &broken, "--merge", &broken, "-o", &baked],
    ] {
        let run = rigview(&args);
        let lines = run.stderr.lines().count();
        assert!((1..=13).contains(&lines), "{args:?}: {lines} lines");
        assert!(run.stderr.len() <= 4_200, "{args:?}: {} bytes", run.stderr.len());
    }
}
