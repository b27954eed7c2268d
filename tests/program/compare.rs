//! `compare` and `screenshot --reference`: pictures with known differences, numbers worked out by hand, and
//! exit codes.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{SmallModel, rigview, shared};

/// Writes an RGB picture of eight bits.
fn write_rgb(file: &Path, size: [u32; 2], bytes: &[u8]) {
    let out = std::fs::File::create(file).unwrap();
    let mut encoder = png::Encoder::new(out, size[0], size[1]);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(bytes).unwrap();
}

fn size_of(file: &Path) -> [u32; 2] {
    let bytes = std::io::BufReader::new(std::fs::File::open(file).unwrap());
    let reader = png::Decoder::new(bytes).read_info().unwrap();
    [reader.info().width, reader.info().height]
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A folder with a grey picture of 10x8 pixels, one with a brighter pixel, and one of another size.
struct Pictures {
    folder: tempfile::TempDir,
}

impl Pictures {
    fn new() -> Self {
        let pictures = Self { folder: tempfile::tempdir().unwrap() };
        let mut bytes = vec![100; 10 * 8 * 3];
        write_rgb(&pictures.path("a.png"), [10, 8], &bytes);
        bytes[3 * 34] = 151;
        write_rgb(&pictures.path("b.png"), [10, 8], &bytes);
        write_rgb(&pictures.path("c.png"), [8, 10], &bytes);
        pictures
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn compare(&self, a: &str, b: &str, more: &[&str]) -> crate::support::Run {
        let [a, b] = [a, b].map(|name| self.path(name));
        rigview([&["compare", text(&a), text(&b)], more].concat())
    }
}

#[test]
fn shared_cases() {
    let Some(folder) = shared("compare::shared_cases").map(|s| s.join("compare")) else { return };
    let cases = std::fs::read_to_string(folder.join("expected.json")).unwrap();
    for case in serde_json::from_str::<Vec<Value>>(&cases).unwrap() {
        let file = |key: &str| folder.join(case[key].as_str().unwrap());
        let [a, b] = ["a", "b"].map(file);
        let mut args = vec!["compare", text(&a), text(&b), "--json"];
        args.extend(case["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()));
        let run = rigview(&args);
        let name = &case["case"];
        assert_eq!(run.code, Some(if case["equal"] == true { 0 } else { 1 }), "{name}");
        let got = run.json();
        assert_eq!(got["equal"], case["equal"], "{name}");
        if case.get("sizes").is_some() {
            assert_eq!(got["size"], case["sizes"], "{name}");
            continue;
        }
        assert_eq!(got["size"], case["size"], "{name}");
        for (key, tolerance) in [("max", 1e-9), ("mean", 1e-9), ("visible", 1e-9), ("flip", 2e-4)] {
            let [got, want] = [&got, &case].map(|numbers| numbers[key].as_f64().unwrap());
            assert!((got - want).abs() <= tolerance, "{name}: {key} {got}, expected {want}");
        }
    }
}

#[test]
fn one_pixel_decides() {
    let pictures = Pictures::new();
    let run = pictures.compare("a.png", "b.png", &["--json"]).failed(1);
    let got = run.json();
    assert_eq!((&got["equal"], &got["size"]), (&json!(false), &json!([10, 8])));
    assert_eq!(got["visible"], json!(1.0 / 80.0));
    assert_eq!(got["max"], json!(0.2));
    assert!((got["mean"].as_f64().unwrap() - 0.2 / 240.0).abs() < 1e-12);
    let flip = got["flip"].as_f64().unwrap();
    assert!(flip > 0.0 && flip < 0.1, "{flip}");

    let table = pictures.compare("a.png", "b.png", &[]).failed(1);
    let line = "visibly different   1.25 % of the pixels (1 of 80), all in 1x1 pixels at 4,3\n";
    assert!(table.text().contains(line), "{}", table.text());
    assert!(table.stderr.contains("1.25 % of the pixels visibly, 0 % allowed"), "{}", table.stderr);

    pictures.compare("a.png", "b.png", &["--tolerance", "0.0125"]).done();
    pictures.compare("a.png", "b.png", &["--tolerance", "0.0124"]).failed(1);
    let more = ["--tolerance", "1", "--flip", &(flip / 2.0).to_string()];
    let run = pictures.compare("a.png", "b.png", &more).failed(1);
    assert!(run.stderr.contains("FLIP"), "{}", run.stderr);
    pictures.compare("a.png", "b.png", &["--tolerance", "1", "--flip", &flip.to_string()]).done();
    pictures.compare("a.png", "a.png", &["--flip", "0"]).done();
}

#[test]
fn sizes_that_differ_are_named() {
    let pictures = Pictures::new();
    let run = pictures.compare("a.png", "c.png", &["--tolerance", "1"]).failed(1);
    assert!(run.stderr.contains("8x10") && run.stderr.contains("10x8"), "{}", run.stderr);
    let run = pictures.compare("a.png", "c.png", &["--json"]).failed(1);
    let want = json!({"equal": false, "size": [[10, 8], [8, 10]], "max": null, "mean": null,
        "visible": null, "flip": null});
    assert_eq!(run.json(), want);
}

#[test]
fn the_difference_is_drawn() {
    let pictures = Pictures::new();
    let out = pictures.path("d.png");
    pictures.compare("a.png", "b.png", &["--diff", text(&out)]).failed(1);
    assert_eq!(size_of(&out), [38, 8]);
    pictures.compare("a.png", "c.png", &["--diff", text(&out)]).failed(1);
    assert_eq!(size_of(&out), [22, 10]);
    let before = std::fs::read(pictures.path("a.png")).unwrap();
    pictures.compare("a.png", "b.png", &["--diff", text(&pictures.path("a.png"))]).failed(2);
    assert_eq!(std::fs::read(pictures.path("a.png")).unwrap(), before);
}

#[test]
fn what_is_no_picture_is_refused() {
    let pictures = Pictures::new();
    std::fs::write(pictures.path("cut.png"), &std::fs::read(pictures.path("a.png")).unwrap()[..60])
        .unwrap();
    std::fs::write(pictures.path("text.png"), "not a picture").unwrap();
    for file in ["cut.png", "text.png", "missing.png"] {
        for (a, b) in [("a.png", file), (file, "a.png")] {
            let run = pictures.compare(a, b, &["--json"]).failed(3);
            assert!(run.stderr.contains(file), "{}", run.stderr);
            assert!(run.stdout.is_empty());
        }
    }
    for wrong in ["1.5", "-0.1", "nan", "x"] {
        pictures.compare("a.png", "a.png", &[&format!("--tolerance={wrong}")]).failed(2);
        pictures.compare("a.png", "a.png", &[&format!("--flip={wrong}")]).failed(2);
    }
}

/// Takes a picture of a square that turns, with these further arguments.
fn screenshot(folder: &Path, time: &str, more: &[&str]) -> crate::support::Run {
    let file = folder.join("square.gltf");
    SmallModel::new().clip("Turn").write_gltf(&file);
    let args = ["screenshot", text(&file), "--size", "64x48", "--time", time];
    rigview([&args[..], more].concat())
}

#[test]
fn a_screenshot_is_compared_with_its_reference() {
    let folder = tempfile::tempdir().unwrap();
    let [golden, new, diff] = ["golden.png", "new.png", "d.png"].map(|n| folder.path().join(n));
    let reference = ["--reference", text(&golden)];
    let of = |time, more: &[&str]| screenshot(folder.path(), time, &[&reference, more].concat());

    let run = of("0.2", &["-o", text(&new)]).failed(3);
    assert!(run.stderr.contains("create it with"), "{}", run.stderr);
    assert!(new.exists() && !golden.exists());
    screenshot(folder.path(), "0.2", &["-o", text(&golden)]).done();

    let run = of("0.2", &[]).done();
    assert!(run.text().contains("same as"), "{}", run.text());
    let run = of("0.5", &["-o", text(&new), "--diff", text(&diff), "--json"]).failed(1);
    let got = run.json();
    assert_eq!(got["equal"], json!(false));
    assert_eq!(size_of(&diff), [64 * 3 + 8, 48]);

    // The written picture has the same difference as the one in memory.
    let run = rigview(["compare", text(&golden), text(&new), "--json"]).failed(1);
    assert_eq!(run.json(), got);
    let visible = got["visible"].as_f64().unwrap().to_string();
    of("0.5", &["--tolerance", &visible]).done();
}

#[test]
fn depth_is_compared_at_full_precision() {
    let folder = tempfile::tempdir().unwrap();
    let golden = folder.path().join("depth.png");
    let pass = ["--pass", "depth"];
    screenshot(folder.path(), "0", &[&pass[..], &["-o", text(&golden)]].concat()).done();
    let reference = [&pass[..], &["--reference", text(&golden), "--json"]].concat();
    let run = screenshot(folder.path(), "0", &reference).done();
    assert_eq!(run.json()["max"], json!(0.0));
}

#[test]
fn options_that_contradict_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let golden = folder.path().join("golden.png");
    let of = |more: &[&str]| screenshot(folder.path(), "0", more);
    of(&["-o", text(&golden)]).done();
    of(&[]).failed(2);
    of(&["-o", text(&golden), "--tolerance", "0.1"]).failed(2);
    of(&["-o", text(&golden), "--reference", text(&golden)]).failed(2);
    of(&["-o", "-", "--reference", text(&golden), "--json"]).failed(2);
    let run = of(&["-o", "-", "--reference", text(&golden)]).done();
    assert_eq!(run.stdout, std::fs::read(&golden).unwrap());
}

/// Standard input can't be both pictures, nor the reference of a picture that is drawn.
#[test]
fn standard_input_is_one_picture_only() {
    let said = rigview(["compare", "-", "-"]).failed(2).stderr;
    assert!(said.contains("- -: standard input is one picture"), "{said}");
    let said = rigview(["screenshot", "--reference", "-"]).failed(2).stderr;
    assert!(said.contains("--reference -: the reference can't be standard input"), "{said}");
}
