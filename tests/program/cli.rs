//! The contract of the command line: exit codes, messages, and which files are written.

use crate::support::{Run, SmallModel, command, is_control, rigview, run};
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// A folder that contains a model with two clips.
struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        let folder = Self { folder: tempfile::tempdir().unwrap() };
        SmallModel::new().clip("Turn").clip("Slow turn").write_gltf(&folder.path("model.gltf"));
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn model(&self) -> String {
        self.text("model.gltf")
    }

    /// Returns a path in the folder as an argument.
    fn text(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    /// Draws the model with this size and background and reads the picture.
    fn picture(&self, size: &str, background: &str) -> image::RgbaImage {
        let (model, out) = (self.model(), self.text("picture.png"));
        let options = ["--size", size, "--background", background];
        rigview([&["screenshot", &model, "-o", &out], &options[..]].concat()).done();
        image::open(&out).unwrap().into_rgba8()
    }

    /// Lists everything in the folder except the model, including temporary files.
    fn written(&self) -> Vec<String> {
        let entries = self.folder.path().read_dir().unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        names.filter(|name| name != "model.gltf").collect()
    }
}

fn screenshot(model: &str, out: &str) -> Run {
    rigview(["screenshot", model, "-o", out, "--size", "64x48"])
}

#[test]
fn a_missing_file_is_3_and_leaves_no_picture() {
    let folder = Folder::new();
    let run = screenshot(&folder.text("no-such-file.glb"), &folder.text("x.png")).failed(3);
    assert!(run.stderr.contains("no-such-file.glb"), "{}", run.stderr);
    assert_eq!(folder.written(), [""; 0]);
}

#[test]
fn a_truncated_file_is_3_and_leaves_no_picture() {
    let folder = Folder::new();
    let glb = SmallModel::new().glb();
    std::fs::write(folder.path("whole.glb"), &glb).unwrap();
    screenshot(&folder.text("whole.glb"), &folder.text("whole.png")).done();
    for length in [0, 4, 12, 20, glb.len() / 2, glb.len() - 1] {
        std::fs::write(folder.path("cut.glb"), &glb[..length]).unwrap();
        let run = screenshot(&folder.text("cut.glb"), &folder.text("cut.png")).failed(3);
        assert!(run.stderr.contains("cut.glb"), "{length} bytes: {}", run.stderr);
        assert!(!folder.path("cut.png").exists(), "{length} bytes");
    }
}

#[test]
fn pose_and_info_refuse_a_missing_file_too() {
    for command in ["pose", "info"] {
        let run = rigview([command, "no-such-file.glb"]).failed(3);
        assert_eq!(run.text(), "", "{command}");
    }
}

#[test]
fn an_unknown_clip_is_2_and_names_those_there_are() {
    let folder = Folder::new();
    let (model, out) = (folder.model(), folder.text("x.png"));
    for args in [
        vec!["screenshot", &model, "-o", &out, "--clip", "Jump"],
        vec!["screenshot", &model, "-o", &out, "--clip", "2"],
        vec!["pose", &model, "--json", "--clip", "Jump"],
    ] {
        let run = rigview(&args);
        assert_eq!(run.code, Some(2), "{args:?}: {}", run.ended());
        for name in ["Turn", "Slow turn"] {
            assert!(run.stderr.contains(name), "{args:?} lists {name}: {}", run.stderr);
        }
        assert_eq!(run.text(), "", "{args:?}");
    }
    assert_eq!(folder.written(), [""; 0]);
}

#[test]
fn a_clip_goes_by_name_and_by_number() {
    let folder = Folder::new();
    for (clip, index) in [("Slow turn", 1), ("1", 1), ("Turn", 0)] {
        let run = rigview(["pose", &folder.model(), "--json", "--clip", clip]).done();
        let line = run.json();
        assert_eq!(line["clip"], index, "{clip}");
    }
}

#[test]
fn an_instant_that_the_clip_does_not_have_and_drawings_without_a_clip_are_warned_of() {
    let folder = Folder::new();
    let (model, out) = (folder.model(), folder.text("x.png"));
    let draw = ["screenshot", &model, "-o", &out, "--size", "64x48"];
    let end = "after the end of the clip \"Turn\", which lasts 2 s";
    let (pose, still) = (folder.text("pose.json"), folder.text("still.gltf"));
    std::fs::write(&pose, rigview(["pose", &model, "--json"]).done().text()).unwrap();
    SmallModel::new().write_gltf(&folder.path("still.gltf"));
    let no_clip = |option: &str, shown: &str| {
        Some(format!("--{option} has no effect: --{shown} shows no clip"))
    };
    let numbers = ["pose", &model, "--json"];
    for (arguments, warning) in [
        (vec!["pose", &model, "--json", "--time", "9"], Some(format!("--time: 9 s is {end}"))),
        (vec!["pose", &model, "--json", "--frame", "90"], Some(format!("--frame: 3 s is {end}"))),
        (vec!["pose", &model, "--json", "--time", "-1"], Some("-1 s is before the start".into())),
        (vec!["pose", &model, "--json", "--time", "2"], None),
        ([&draw[..], &["--time", "9"]].concat(), Some(end.into())),
        (
            [&draw[..], &["--rest", "--onion-skin", "2"]].concat(),
            Some("--onion-skin has no effect: --rest shows no clip".into()),
        ),
        ([&draw[..], &["--onion-skin", "2"]].concat(), None),
        ([&draw[..], &["--rest", "--time", "5"]].concat(), no_clip("time", "rest")),
        ([&draw[..], &["--rest", "--frame", "5"]].concat(), no_clip("frame", "rest")),
        ([&numbers[..], &["--rest", "--time", "5"]].concat(), no_clip("time", "rest")),
        ([&numbers[..], &["--rest", "--form", "reduced"]].concat(), no_clip("form", "rest")),
        ([&numbers[..], &["--pose", &pose, "--frame", "5"]].concat(), no_clip("frame", "pose")),
        (vec!["pose", &still, "--json", "--form", "packed"], Some("the file has no clips".into())),
    ] {
        let run = rigview(&arguments).done();
        let lines: Vec<_> = run.stderr.lines().collect();
        match &warning {
            Some(warning) => {
                let [line] = lines[..] else { panic!("{arguments:?}: {lines:?}") };
                assert!(line.contains(warning), "{arguments:?}: {line}");
            }
            None => assert_eq!(run.stderr, "", "{arguments:?}"),
        }
    }
}

#[test]
fn options_without_an_effect_are_warned_of() {
    let folder = Folder::new();
    let (model, out) = (folder.model(), folder.text("x.png"));
    let draw = ["screenshot", &model, "-o", &out, "--size", "64x48"];
    let light = ["--light", "0,-1,0"];
    let eye = ["--eye", "0,0,9", "--target", "0,0,0", "--orthographic", "3"];
    let numbered = folder.text("{frame}.png");
    for (arguments, options) in [
        ([&draw[..], &light, &["--environment-rotation", "9"]].concat(), "--environment-rotation"),
        (
            [&draw[..], &light, &["--environment-intensity", "2"]].concat(),
            "--environment-intensity",
        ),
        ([&draw[..], &light, &["--environment=studio", "--environment-intensity=2"]].concat(), ""),
        ([&draw[..], &eye, &["--fov-y", "20"]].concat(), "--fov-y"),
        ([&draw[..], &["--show-environment", "--background=#ff0000"]].concat(), "--background"),
        ([&draw[..], &["--show-environment", "--no-background"]].concat(), "--no-background"),
        (
            [&draw[..], &["--pass=normal", "--show-environment", "--background=#ff0000"]].concat(),
            "",
        ),
        (vec!["screenshot", "-o", &out, "--size", "64x48", "--joint", "head"], "--joint"),
        ([&draw[..], &["--pass=normal", "--exposure=1"]].concat(), "--exposure"),
        ([&draw[..], &["--pass=depth", "--tone-map=agx"]].concat(), "--tone-map"),
        (
            [&draw[..], &["--look=blueprint", "--ambient-occlusion=on"]].concat(),
            "--ambient-occlusion",
        ),
        ([&draw[..], &["--pass=clay", "--exposure=1", "--tone-map=agx"]].concat(), ""),
        ([&draw[..], &["--bvh-scale", "0.1"]].concat(), "--bvh-scale"),
        (vec!["info", &model, "--bvh-scale", "0.1"], "--bvh-scale"),
        ([&draw[..], &["--time=1", "--fps=24"]].concat(), "--fps"),
        ([&draw[..], &["--frame=1", "--fps=24"]].concat(), ""),
        ([&draw[..], &["--onion-skin=1,2f", "--fps=24"]].concat(), ""),
        (vec!["screenshot", &model, "-o", &numbered, "--size=64x48", "--fps=24"], ""),
        (vec!["pose", &model, "--fps", "24"], "--fps"),
        (vec!["pose", &model, "--fps", "24", "--form", "sampled"], ""),
    ] {
        let run = rigview(&arguments).done();
        match options {
            "" => assert_eq!(run.stderr, "", "{arguments:?}"),
            option => {
                let line = format!("rigview: warn: {option} has no effect: ");
                assert!(run.stderr.starts_with(&line), "{arguments:?}: {}", run.stderr);
                assert_eq!(run.stderr.lines().count(), 1, "{arguments:?}: {}", run.stderr);
            }
        }
    }
}

/// An elevation beyond the pole would turn the picture over.
#[test]
fn an_elevation_beyond_the_pole_is_that_of_the_pole() {
    let folder = Folder::new();
    let (model, out) = (folder.model(), folder.text("x.png"));
    let drawn = |orbit: &str| {
        let run =
            rigview(["screenshot", &model, "-o", &out, "--size", "64x48", "--orbit", orbit]).done();
        (std::fs::read(&out).unwrap(), run.stderr)
    };
    let ((pole, silent), (beyond, said)) = (drawn("30,90"), drawn("30,120"));
    assert!(pole == beyond && silent.is_empty(), "{silent}");
    let line =
        "rigview: warn: --orbit: the elevation of 120 degrees is beyond the pole; 90 is drawn\n";
    assert_eq!(said, line);
}

#[test]
fn a_picture_that_shows_nothing_is_said() {
    let folder = Folder::new();
    let out = folder.text("x.png");
    for nodes in ["", r#", "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "a"}]"#] {
        let file = folder.text("empty.gltf");
        std::fs::write(&file, format!(r#"{{"asset": {{"version": "2.0"}}{nodes}}}"#)).unwrap();
        let run = screenshot(&file, &out).done();
        assert_eq!(run.stderr, "rigview: warn: the scene has nothing to draw\n");
    }
    assert_eq!(screenshot(&folder.model(), &out).done().stderr, "");
    // Without a mesh, the bones are drawn.
    let bones = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1]}, {"translation": [0, 1, 0]}]}"#;
    let file = folder.text("bones.gltf");
    std::fs::write(&file, bones).unwrap();
    assert_eq!(screenshot(&file, &out).done().stderr, "");
}

#[test]
fn the_text_of_a_pose_names_the_time_with_the_digits_of_the_file() {
    let run = rigview(["pose", "--clip", "Hop", "--time", "9"]).done();
    assert_eq!(run.text().lines().next(), Some("creature: clip 2 \"Hop\" at 1.6 s"));
}

#[test]
fn the_text_of_a_pose_names_the_clips_that_play_at_once() {
    let folder = Folder::new();
    let model = folder.model();
    let first = |choice: &[&str]| {
        let args = [&["pose", &model, "--time", "1"][..], choice].concat();
        rigview(args).done().text().lines().next().unwrap().to_owned()
    };
    let several = first(&["--animation-indices", "0,1"]);
    assert!(several.ends_with(": clips \"Turn + Slow turn\" at 1 s"), "{several}");
    let all = first(&["--all-clips"]);
    assert!(all.ends_with(": all clips at 1 s"), "{all}");
}

#[test]
fn unknown_flags_and_commands_are_2() {
    let folder = Folder::new();
    let model = folder.model();
    for args in [
        vec!["pose", &model, "--no-such-flag"],
        vec!["screenshot", &model],
        vec!["screenshot", &model, "-o", "x.png", "--size", "0x10"],
        vec!["screenshot", &model, "-o", "x.png", "--size", "wide"],
        vec!["screenshot", &model, "-o", "x.png", "--pass", "no-such-pass"],
        vec!["pose", &model, "--time", "soon"],
    ] {
        let run = rigview(&args);
        assert_eq!(run.code, Some(2), "{args:?}: {}", run.ended());
        assert!(!run.stderr.is_empty(), "{args:?} says why");
        assert_eq!(run.text(), "", "{args:?}");
    }
}

#[test]
fn help_is_asked_for_and_so_goes_to_standard_output() {
    for args in [&["--help"][..], &["screenshot", "--help"], &["pose", "--help"]] {
        let run = rigview(args).done();
        assert!(run.text().contains("rigview"), "{args:?}");
        assert_eq!(run.stderr, "", "{args:?}");
    }
}

#[test]
fn an_output_that_can_not_be_written_is_5() {
    let folder = Folder::new();
    screenshot(&folder.model(), &folder.text("no/such/folder/x.png")).failed(5);
    std::fs::create_dir(folder.path("folder.png")).unwrap();
    screenshot(&folder.model(), &folder.text("folder.png")).failed(5);
    assert_eq!(folder.written(), ["folder.png"]);
}

#[test]
#[cfg(target_os = "linux")]
fn no_adapter_is_4_with_advice() {
    let folder = Folder::new();
    let (model, out) = (folder.model(), folder.text("x.png"));
    let mut command = command();
    command.env("VK_DRIVER_FILES", "/dev/null").env_remove("RIGVIEW_ADAPTER");
    let run = run(command.args(["screenshot", &model, "-o", &out, "--backend", "vulkan"]));
    assert_eq!(run.code, Some(4), "{}", run.ended());
    assert!(run.stderr.starts_with("rigview: "), "{}", run.stderr);
    assert!(run.stderr.contains("driver"), "what to do: {}", run.stderr);
    assert_eq!(folder.written(), [""; 0]);
}

#[test]
fn a_closed_standard_output_ends_the_program_quietly() {
    use std::io::Read;
    use std::process::Stdio;
    let folder = Folder::new();
    let mut command = command();
    command.args(["pose", &folder.model(), "--json", "--vertices", "4"]);
    // More than the capacity of a pipe, so that some output is written after the reader has closed it.
    for frame in 0..400 {
        command.args(["--time", &format!("{}", f64::from(frame) / 200.0)]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(stderr, "");
    assert!(matches!(status.code(), Some(0) | None), "{status}");
}

#[test]
fn the_same_command_gives_the_same_bytes() {
    let folder = Folder::new();
    let names = ["a.png", "b.png"];
    for name in names {
        let (model, out) = (folder.model(), folder.text(name));
        rigview(["screenshot", &model, "-o", &out, "--clip", "Turn", "--time", "0.7"]).done();
    }
    let [a, b] = names.map(|name| std::fs::read(folder.path(name)).unwrap());
    assert!(a == b, "{} and {} bytes", a.len(), b.len());
    assert_eq!(image::load_from_memory(&a).unwrap().into_rgba8().dimensions(), (1024, 768));
}

#[test]
fn a_picture_has_the_size_that_was_asked_for() {
    let folder = Folder::new();
    // A row of 333 pixels is not a multiple of the alignment of a read-back.
    assert_eq!(folder.picture("333x217", "#000000").dimensions(), (333, 217));
    assert_eq!(folder.picture("1x1", "#000000").dimensions(), (1, 1));
}

#[test]
fn the_background_is_exactly_the_bytes_that_were_asked_for() {
    let folder = Folder::new();
    for (colour, bytes) in [
        ("#336699", [0x33, 0x66, 0x99, 0xff]),
        ("#808080", [0x80, 0x80, 0x80, 0xff]),
        ("#010203", [1, 2, 3, 0xff]),
        ("#33669980", [0x33, 0x66, 0x99, 0x80]),
        ("transparent", [0, 0, 0, 0]),
    ] {
        let picture = folder.picture("64x48", colour);
        let (right, bottom) = (picture.width() - 1, picture.height() - 1);
        for (x, y) in [(0, 0), (right, 0), (0, bottom), (right, bottom)] {
            assert_eq!(picture[(x, y)].0, bytes, "{colour} at {x}, {y}");
        }
        let middle = picture[(picture.width() / 2, picture.height() / 2)];
        assert_eq!(middle[3], 255, "{colour}: the model itself is opaque");
    }
}

#[test]
fn a_dash_writes_the_picture_to_standard_output() {
    let folder = Folder::new();
    let run = screenshot(&folder.model(), "-").done();
    let mut reader = image::ImageReader::new(Cursor::new(&run.stdout));
    reader.set_format(image::ImageFormat::Png);
    let picture = reader.decode().unwrap().into_rgba8();
    assert_eq!(picture.dimensions(), (64, 48));
    let end = b"\0\0\0\0IEND\xae\x42\x60\x82";
    assert!(run.stdout.ends_with(end), "something follows the picture");
    let file = folder.path("same.png");
    screenshot(&folder.model(), &file.to_string_lossy()).done();
    assert_eq!(std::fs::read(file).unwrap(), run.stdout);
    assert!(!Path::new("-").exists());
}

#[test]
fn control_characters_of_a_file_never_reach_the_terminal() {
    let folder = Folder::new();
    let name = "a\u{1b}[31m\u{7}\u{7f}\u{85}\u{202e}\u{2066}b\nc";
    let model = folder.text("names.gltf");
    SmallModel::new().clip(name).node_name(name).write_gltf(Path::new(&model));
    let other = folder.text("other.gltf");
    let with_more = format!("{name}2");
    SmallModel::new().clip(&with_more).node_name(&with_more).write_gltf(Path::new(&other));
    for args in [
        vec!["info", &model],
        vec!["info", &model, "--json"],
        vec!["pose", &model],
        vec!["pose", &model, "--json"],
        vec!["pose", &model, "--clip", "Jump"],
        vec!["pose", "no\u{1b}[31m.glb"],
        vec!["diff", &model, &other, "--markdown"],
        vec!["diff", &model, &other, "--json"],
    ] {
        let run = rigview(&args);
        let printed = format!("{}{}", run.text(), run.stderr);
        let raw = printed.chars().find(|&c| c != '\n' && is_control(c));
        assert_eq!(raw, None, "{args:?} prints it raw: {printed:?}");
        let lines = printed.lines().filter(|line| line.starts_with('c')).count();
        assert_eq!(lines, 0, "{args:?} breaks a line in a name: {printed:?}");
    }
}

#[test]
fn names_come_back_whole_from_json() {
    let folder = Folder::new();
    let name = "a\u{1b}[31m\u{85}\u{202e}b\nc \u{2764} \"d\"";
    let model = folder.text("names.gltf");
    SmallModel::new().clip(name).node_name(name).write_gltf(Path::new(&model));
    let run = rigview(["pose", &model, "--json"]).done();
    let line = run.json();
    assert_eq!(line["clip_name"], name);
    assert_eq!(line["nodes"][0]["name"], name);
}

#[test]
fn bench_prints_the_contracts_keys_in_order() {
    let folder = Folder::new();
    let model = folder.text("turns.gltf");
    SmallModel::new().clip("Turn").write_gltf(Path::new(&model));
    let drawn = ["--size", "64x48"];
    for (mode, how) in
        [("forward", &["--no-render"][..]), ("scrub", &["--no-render"]), ("scrub", &drawn)]
    {
        let args = ["bench", &model, "--json", "--instances", "3", "--mode", mode];
        let run = rigview([&args[..], how].concat()).done();
        let line = run.json();
        let keys = |value: &serde_json::Value| -> Vec<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        let all = ["joints", "instances", "mode", "frames", "ns_per_joint", "frame_ms", "draws"];
        assert_eq!(keys(&line), [&all[..], &["triangles"]].concat());
        assert_eq!(keys(&line["ns_per_joint"]), ["sample", "resolve", "palette", "total"]);
        assert_eq!(keys(&line["frame_ms"]["cpu"]), ["median", "p95"]);
        assert_eq!((&line["instances"], &line["mode"]), (&3.into(), &mode.into()));
        assert!(line["ns_per_joint"]["total"].as_f64().unwrap() > 0.0);
        let is_drawn = how == drawn;
        assert_eq!(line["draws"].as_u64().unwrap() > 0, is_drawn);
        assert_eq!(line["triangles"].as_u64().unwrap() % 3, 0, "the same of each");
        let gpu = &line["frame_ms"]["gpu"];
        assert!(gpu.is_null() || is_drawn && gpu["passes"]["scene"].is_f64(), "{gpu}");
    }
    // For people, the times are rounded and say what took them.
    let run = rigview([&["bench", &model][..], &drawn].concat()).done();
    assert!(run.text().contains("  ms per frame on the CPU: median "), "{}", run.text());
    let digits = |word: &str| word.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let words = run.text().split([' ', ',', '(', ')', '\n']);
    assert!(words.map(digits).all(|digits| digits <= 4), "{}", run.text());
}

#[test]
fn a_bench_of_more_than_can_be_seen_is_2() {
    let folder = Folder::new();
    let args = ["bench", &folder.model(), "--instances", "9000", "--size", "64x48"];
    let run = rigview(args).failed(2);
    assert!(run.stderr.contains("--instances") && run.stderr.contains("--size"), "{}", run.stderr);
}

/// Compiled pipelines are cached in a file if the adapter supports it. Neither a broken file nor a folder that
/// can't be created prevents a picture.
#[test]
fn pipelines_are_kept_beside_other_caches_and_never_in_the_way() {
    let folder = Folder::new();
    let take = |caches: &Path, name: &str| {
        let out = folder.text(name);
        let mut screenshot = command();
        screenshot.args(["screenshot", &folder.model(), "-o", &out, "--size", "64x48"]);
        run(screenshot.env("XDG_CACHE_HOME", caches)).done();
        std::fs::read(out).unwrap()
    };
    let caches = folder.path("caches");
    let first = take(&caches, "first.png");
    for entry in caches.join("rigview").read_dir().into_iter().flatten() {
        let file = entry.unwrap().path();
        let mut bytes = std::fs::read(&file).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(&file, bytes).unwrap();
    }
    assert_eq!(take(&caches, "broken.png"), first);
    assert_eq!(take(&folder.path("model.gltf"), "no_folder.png"), first);
}

#[test]
fn a_clip_that_moves_nothing_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("still.gltf");
    let still = |json: &mut serde_json::Value| {
        json["animations"][0]["channels"][0]["target"] = serde_json::json!({"path": "rotation"});
    };
    SmallModel::new().clip("Nowhere").clip("Turn").edit(still).write_gltf(&file);
    let file = file.to_str().unwrap();
    let run = rigview(["pose", file, "--clip", "Nowhere", "--json"]).done();
    assert!(run.stderr.contains("clip \"Nowhere\" moves nothing"), "{}", run.stderr);
    assert_eq!(rigview(["pose", file, "--clip", "Turn", "--json"]).done().stderr, "");
}
