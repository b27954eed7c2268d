//! `sheet`: the pictures, places and names of its cells, and files that can't be loaded.

use std::path::PathBuf;

use image::RgbaImage;
use serde_json::{Value, json};

use crate::support::{Run, SmallModel, checkout, rigview};

struct Folder(tempfile::TempDir);

const CELL: [&str; 2] = ["--size", "48x32"];

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    /// Runs `sheet` on these files and writes its JSON too.
    fn run(&self, files: &[&str], args: &[&str]) -> Run {
        let files: Vec<String> = files.iter().map(|name| self.text(name)).collect();
        let (out, json) = (self.text("sheet.png"), self.text("sheet.json"));
        let fixed = ["-o", &out, "--json", &json];
        let files = files.iter().map(String::as_str);
        rigview(["sheet"].into_iter().chain(files).chain(fixed).chain(CELL).chain(args.to_vec()))
    }

    fn sheet(&self, files: &[&str], args: &[&str]) -> (RgbaImage, Value) {
        self.run(files, args).done();
        self.result()
    }

    fn result(&self) -> (RgbaImage, Value) {
        let picture = image::open(self.path("sheet.png")).unwrap().to_rgba8();
        let text = std::fs::read_to_string(self.path("sheet.json")).unwrap();
        let listing: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(listing["size"], json!([picture.width(), picture.height()]));
        (picture, listing["cells"].clone())
    }

    fn screenshot(&self, file: &str, args: &[&str]) -> RgbaImage {
        let fixed = ["screenshot", &self.text(file), "-o", "-"];
        let run = rigview([&fixed[..], &CELL, args].concat()).done();
        image::load_from_memory(&run.stdout).unwrap().to_rgba8()
    }
}

fn cut(sheet: &RgbaImage, cell: &Value) -> RgbaImage {
    let [x, y, w, h] = [0, 1, 2, 3].map(|i| cell["rect"][i].as_u64().unwrap() as u32);
    image::imageops::crop_imm(sheet, x, y, w, h).to_image()
}

#[test]
fn several_files_have_one_cell_each_like_their_screenshots() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("models")).unwrap();
    SmallModel::new().clip("Turn").write_gltf(&folder.path("models/a.gltf"));
    SmallModel::new().write_gltf(&folder.path("models/b.gltf"));
    SmallModel::new().clip("Turn").write_gltf(&folder.path("c.gltf"));
    // A folder stands for its models.
    let (sheet, cells) = folder.sheet(&["models", "c.gltf"], &[]);
    assert_eq!(cells.as_array().unwrap().len(), 3);
    for (cell, file) in
        cells.as_array().unwrap().iter().zip(["models/a.gltf", "models/b.gltf", "c.gltf"])
    {
        assert_eq!(cell["file"], folder.text(file));
        assert!(cut(&sheet, cell) == folder.screenshot(file, &[]), "{file}");
    }
    assert_eq!((&cells[0]["clip"], &cells[0]["clip_name"]), (&json!(0), &json!("Turn")));
    assert_eq!(cells[1]["clip"], Value::Null);
    // Names are drawn below the pictures, so the gap is not empty.
    let bottom = (cells[0]["rect"][1].as_u64().unwrap() + 32) as u32;
    let ink = (0..sheet.width()).flat_map(|x| (bottom..bottom + 11).map(move |y| (x, y)));
    assert!(ink.filter(|(x, y)| sheet.get_pixel(*x, *y).0 != [0x2b, 0x2f, 0x36, 255]).count() > 20);
}

#[test]
fn a_single_file_has_its_clips_and_each_its_instants() {
    let folder = Folder::new();
    SmallModel::new().clip("Turn").clip("Again").write_gltf(&folder.path("a.gltf"));
    let (_, cells) = folder.sheet(&["a.gltf"], &[]);
    let names: Vec<_> = cells.as_array().unwrap().iter().map(|c| c["clip_name"].clone()).collect();
    assert_eq!(names, ["Turn", "Again"]);
    let (sheet, cells) = folder
        .sheet(&["a.gltf"], &["--per-clip", "4", "--no-labels", "--background", "transparent"]);
    assert_eq!((sheet.width(), sheet.height()), (4 * 48, 2 * 32));
    for (i, cell) in cells.as_array().unwrap().iter().enumerate() {
        let (clip, instant) = (i / 4, i % 4);
        let time = 0.5 * instant as f64;
        assert_eq!((&cell["clip"], &cell["time"]), (&json!(clip), &json!(time)), "{cell}");
        assert_eq!(cell["rect"], json!([48 * instant, 32 * clip, 48, 32]));
    }
    let args = ["--clip", "Again", "--time", "1.5", "--background", "transparent"];
    assert!(cut(&sheet, &cells[7]) == folder.screenshot("a.gltf", &args));
    let (sheet, cells) =
        folder.sheet(&["a.gltf"], &["--clip", "Again", "--time", "0.5", "--time", "1"]);
    let times: Vec<_> = cells.as_array().unwrap().iter().map(|c| c["time"].clone()).collect();
    assert_eq!(times, [json!(0.5), json!(1.0)]);
    assert!(
        cut(&sheet, &cells[1]) == folder.screenshot("a.gltf", &["--clip", "Again", "--time", "1"])
    );
}

#[test]
fn cells_whose_clips_lack_the_time_are_counted_in_one_warning() {
    let folder = Folder::new();
    SmallModel::new().clip("Turn").clip("Again").write_gltf(&folder.path("a.gltf"));
    let run = folder.run(&["a.gltf"], &["--time", "1.5", "--time", "9", "--time=-1"]).done();
    assert_eq!(run.stderr.matches("warn").count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("--time: 4 of 6 cells show the nearest pose"), "{}", run.stderr);
    let run = folder.run(&["a.gltf"], &["--time", "0", "--time", "1.5"]).done();
    assert_eq!(run.stderr, "");
}

#[test]
fn a_file_that_cannot_be_loaded_has_a_cell_and_the_exit_code_is_3() {
    let folder = Folder::new();
    SmallModel::new().write_gltf(&folder.path("a.gltf"));
    SmallModel::new().write_gltf(&folder.path("c.gltf"));
    std::fs::write(folder.path("b.glb"), "glTF\x02").unwrap();
    let run = folder.run(&["a.gltf", "b.glb", "c.gltf"], &["--columns", "3"]).failed(3);
    assert!(run.stderr.contains("b.glb"), "{}", run.stderr);
    let (sheet, cells) = folder.result();
    assert!(cells[1]["error"].as_str().unwrap().len() > 5, "{cells}");
    assert!(cells[0].get("error").is_none());
    for (cell, file) in [(&cells[0], "a.gltf"), (&cells[2], "c.gltf")] {
        assert!(cut(&sheet, cell) == folder.screenshot(file, &[]), "{file}");
    }
    // The message is text on a surface of another colour.
    let message = cut(&sheet, &cells[1]);
    let colors: std::collections::HashSet<_> = message.pixels().map(|p| p.0).collect();
    assert!(colors.len() > 5 && !colors.contains(&[0x2b, 0x2f, 0x36, 255]), "{}", colors.len());
    let run = folder.run(&["b.glb", "none.glb", "c.gltf"], &[]);
    assert_eq!(run.code, Some(3), "{}", run.ended());
    let last = run.stderr.lines().last().unwrap();
    assert!(last.contains("2 of 3 files") && last.contains("none.glb"), "{}", run.stderr);
}

/// A name that one of the files lacks is said with the file, whatever else fails.
#[test]
fn what_a_file_lacks_is_said_with_its_name() {
    let folder = Folder::new();
    SmallModel::new().clip("Turn").write_gltf(&folder.path("a.gltf"));
    SmallModel::new().clip("Walk").write_gltf(&folder.path("b.gltf"));
    std::fs::write(folder.path("c.glb"), "glTF\x02").unwrap();
    let run = folder.run(&["*.gltf"], &["--clip", "Turn"]).failed(2);
    assert!(run.stderr.contains("b.gltf: no clip \"Turn\""), "{}", run.stderr);
    let run = folder.run(&["a.gltf", "b.gltf", "c.glb"], &["--clip", "Turn"]);
    assert_eq!(run.code, Some(3), "{}", run.ended());
    let last = run.stderr.lines().last().unwrap();
    let [b, c] = ["b.gltf", "c.glb"].map(|name| folder.text(name));
    assert!(last.ends_with(&format!("2 of 3 files can't be shown: {b}, {c}")), "{last}");
}

#[test]
fn folders_without_a_model_and_globs_without_a_file_are_2() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("empty")).unwrap();
    let out = folder.text("out.glb");
    for (given, says) in [("empty", "has no model"), ("*.glb", "no file matches")] {
        let run = folder.run(&[given], &[]).failed(2);
        assert!(run.stderr.contains(says), "{}", run.stderr);
        let run = rigview(["convert", &folder.text(given), "-o", &out]).failed(2);
        assert!(run.stderr.contains(says), "{}", run.stderr);
    }
}

/// Names are cut in the middle and drawn in any script, so sheets of files that differ only there differ.
#[test]
fn long_names_and_odd_columns_fit() {
    let folder = Folder::new();
    let names: Vec<String> =
        (0..5).map(|i| format!("{}-{i}-{}.gltf", "長い名前".repeat(8), "z".repeat(60))).collect();
    for name in &names {
        SmallModel::new().write_gltf(&folder.path(name));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (sheet, cells) = folder.sheet(&names, &["--columns", "2"]);
    let rects: Vec<[u64; 4]> = cells
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| serde_json::from_value(cell["rect"].clone()).unwrap())
        .collect();
    assert_eq!(rects.len(), 5);
    for (i, a) in rects.iter().enumerate() {
        assert!(
            a[0] + a[2] <= u64::from(sheet.width()) && a[1] + a[3] <= u64::from(sheet.height())
        );
        for b in &rects[..i] {
            let apart = a[0] >= b[0] + b[2] || b[0] >= a[0] + a[2] || a[1] >= b[1] + b[3];
            assert!(apart, "{a:?} {b:?}");
        }
    }
    assert_eq!((rects[0][1], rects[1][1]), (rects[1][1], rects[0][1]));
    assert!(rects[2][1] > rects[1][1] && rects[2][0] == rects[0][0]);
}

#[test]
fn wrong_options_are_2_and_write_nothing() {
    let folder = Folder::new();
    SmallModel::new().clip("Turn").write_gltf(&folder.path("a.gltf"));
    folder.run(&["a.gltf"], &["--columns", "0"]).failed(2);
    let (text, out) = (folder.text("a.gltf"), folder.text("sheet.png"));
    let large = ["--per-clip", "10000", "--size", "1024x1024"];
    let run = rigview([&["sheet", &text, "-o", &out][..], &large].concat()).failed(2);
    assert!(run.stderr.contains("--per-clip"), "{}", run.stderr);
    rigview(["sheet", &text, "-o", "-", "--json", "-"]).failed(2);
    rigview(["sheet", &text, "-o", &text]).failed(2);
    rigview(["sheet", "-o", "x.png"]).failed(2);
    assert!(!folder.path("sheet.png").exists() && !folder.path("sheet.json").exists());
}

#[test]
fn a_scale_of_bvh_files_is_warned_of_once_and_only_if_no_file_is_one() {
    let folder = Folder::new();
    for name in ["a.gltf", "b.gltf"] {
        SmallModel::new().write_gltf(&folder.path(name));
    }
    let hop = checkout().join("docs/rigs/hop.bvh");
    std::fs::copy(hop, folder.path("hop.bvh")).unwrap();
    let warned = |files: &[&str]| {
        let said = folder.run(files, &["--bvh-scale", "0.5"]).done().stderr;
        said.lines().filter(|line| line.contains("--bvh-scale has no effect")).count()
    };
    assert_eq!(warned(&["a.gltf", "b.gltf"]), 1);
    assert_eq!(warned(&["a.gltf", "hop.bvh"]), 0);
}

#[test]
fn springs_that_no_file_has_are_warned_of_once() {
    let folder = Folder::new();
    for name in ["a.gltf", "b.gltf"] {
        SmallModel::new().write_gltf(&folder.path(name));
    }
    let said = folder.run(&["a.gltf", "b.gltf"], &["--springs", "on"]).done().stderr;
    assert_eq!(said.matches("--springs on has no effect").count(), 1, "{said}");
}
