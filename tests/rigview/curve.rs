//! `rigview curve`: the tracks of a node as plots and as numbers.

use crate::support::{SmallModel, rigview};
use serde_json::Value;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        SmallModel::new().clip("Turn").write_gltf(&folder.0.path().join("model.gltf"));
        SmallModel::new().write_gltf(&folder.0.path().join("still.gltf"));
        folder
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    fn json(&self, more: &[&str]) -> Value {
        let model = self.path("model.gltf");
        let args = ["curve", &model, "--node", "square", "-o", "-"];
        let run = rigview([&args[..], more].concat()).done();
        serde_json::from_str(run.text()).unwrap()
    }
}

#[test]
fn a_track_comes_out_in_numbers() {
    let folder = Folder::new();
    let curves = folder.json(&["--time", "1", "--time", "9"]);
    assert_eq!((&curves["node"], &curves["clip_name"]), (&0.into(), &"Turn".into()));
    let track = &curves["tracks"][0];
    assert_eq!((&track["path"], &track["interpolation"]), (&"rotation".into(), &"LINEAR".into()));
    assert_eq!(track["components"], serde_json::json!(["x", "y", "z", "w"]));
    assert_eq!(track["keys"][1], serde_json::json!({"time": 2.0, "value": [0.0, 0.0, 1.0, 0.0]}));
    // Halfway through a rotation by 180 degrees about Z.
    let half = &track["at"][0]["value"];
    let half: Vec<f64> = half.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!((half[2] - 0.5f64.sqrt()).abs() < 1e-6 && (half[3] - 0.5f64.sqrt()).abs() < 1e-6);
    assert_eq!(track["at"][1]["time"], 2.0);
    assert!(track["curve"].as_array().unwrap().len() > 10);
    assert!(track.get("lab").is_none());
}

#[test]
fn a_lab_says_how_far_interpolations_are_apart() {
    let folder = Folder::new();
    let lab = &folder.json(&["--lab"])["tracks"][0]["lab"];
    assert_eq!(lab["unit"], "degrees");
    let largest = |a: &str, b: &str| {
        let list = lab["deviations"].as_array().unwrap();
        let named = |d: &&Value| d["between"] == serde_json::json!([a, b]);
        list.iter().find(named).unwrap()["largest"].as_f64().unwrap()
    };
    // For a rotation by 180 degrees, STEP is off by up to 180 degrees, and NLERP by the known 8.1.
    assert!((largest("STEP", "LINEAR") - 180.0).abs() < 0.01);
    assert!((largest("LINEAR", "NLERP") - 8.1).abs() < 0.1, "{}", largest("LINEAR", "NLERP"));
}

#[test]
fn pictures_are_drawn_in_colours_on_white() {
    let folder = Folder::new();
    let (model, png, svg) = (folder.path("model.gltf"), folder.path("c.png"), folder.path("c.svg"));
    for more in [&[][..], &["--lab"]] {
        for out in [&png, &svg] {
            let args = ["curve", &model, "--node", "0", "-o", out];
            rigview([&args[..], more].concat()).done();
        }
        let picture = image::open(&png).unwrap().into_rgb8();
        assert_eq!(picture[(2, 2)].0, [255; 3]);
        let close = |a: [u8; 3], b: [u8; 3]| a.iter().zip(b).all(|(a, b)| a.abs_diff(b) < 12);
        // The curves of y, z and w; the curve of x is hidden by that of y.
        for colour in [[0x2a, 0x8f, 0x3e], [0x1f, 0x63, 0xc8], [0x8a, 0x46, 0xb3]] {
            let there = picture.pixels().filter(|p| close(p.0, colour)).count();
            assert!(there > 500, "{colour:?}: {there} pixels");
        }
        let text = std::fs::read_to_string(&svg).unwrap();
        assert!(text.contains("rotation") && text.contains("square") && text.contains("</svg>"));
        let height = picture.height();
        assert_eq!(height > 500, !more.is_empty(), "a lab has more rows: {height}");
    }
}

#[test]
fn what_can_not_be_drawn_is_2_and_says_what_there_is() {
    let folder = Folder::new();
    let (model, still) = (folder.path("model.gltf"), folder.path("still.gltf"));
    let (png, gif) = (folder.path("c.png"), folder.path("c.gif"));
    for (args, said) in [
        (["curve", &model, "--node", "tail", "-o", &png], "square"),
        (["curve", &model, "--node", "7", "-o", &png], "square"),
        (["curve", &model, "--node", "0", "-o", &gif], ".svg"),
        (["curve", &still, "--node", "0", "-o", &png], "no clips"),
    ] {
        let run = rigview(args).failed(2);
        assert!(run.stderr.contains(said), "{args:?}: {}", run.stderr);
    }
    let rest = ["curve", &model, "--node", "0", "-o", &png, "--rest"];
    rigview(rest).failed(2);
    rigview(["curve", &model, "--node", "0", "-o", &png, "--clip", "Jump"]).failed(2);
    assert!(!std::path::Path::new(&png).exists());
}
