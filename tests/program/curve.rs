//! `rigview curve`: the tracks of a node as plots and as numbers.

use crate::support::{SmallModel, floats, rigview};
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
        run.json()
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
fn the_index_is_that_of_the_clip_in_the_file() {
    let folder = Folder::new();
    for (more, clip) in [
        (&["--form", "reduced"][..], Value::from(0)),
        (&["--form", "sampled"], 0.into()),
        (&["--all-clips"], Value::Null),
    ] {
        assert_eq!(folder.json(more)["clip"], clip, "{more:?}");
    }
    let svg = folder.path("c.svg");
    let plot = ["curve", &folder.path("model.gltf"), "--node", "0", "-o", &svg, "--all-clips"];
    rigview(plot).done();
    let title = "in clip &quot;All clips&quot;";
    let text = std::fs::read_to_string(&svg).unwrap();
    assert!(text.contains(title) || text.contains(&title.replace("&quot;", "\"")));
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

/// A node that turns by 700 degrees about Z with a key each 100 degrees, the last one a second before the end.
fn spinning(folder: &Folder) -> String {
    let path = folder.path("spinning-with-a-name-that-is-longer-than-a-title-has-room-for.gltf");
    let turn = |i: usize| {
        let (sin, cos) = (0.5 * (100.0 * i as f64).to_radians()).sin_cos();
        [0.0, 0.0, sin as f32, cos as f32]
    };
    let times: Vec<f32> = (0..8).map(|i| i as f32 * 0.5).collect();
    let mut file = serde_json::json!({
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "square"}],
        "animations": [{"channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}},
                {"sampler": 1, "target": {"node": 0, "path": "scale"}}],
            "samplers": [{"input": 0, "output": 1}, {"input": 2, "output": 3}]}],
    });
    floats(&mut file, "SCALAR", &times);
    floats(&mut file, "VEC4", &(0..8).flat_map(turn).collect::<Vec<_>>());
    floats(&mut file, "SCALAR", &[0.0, 4.5]);
    floats(&mut file, "VEC3", &[1.0, 1.0, 1.0, 2.0, 2.0, 0.001]);
    std::fs::write(&path, file.to_string()).unwrap();
    path
}

#[test]
fn rotations_are_shown_in_degrees_without_jumps() {
    let folder = Folder::new();
    let model = spinning(&folder);
    let run =
        rigview(["curve", &model, "--node", "0", "-o", "-", "--euler", "zyx", "--time", "3.5"])
            .done();
    let curves = run.json();
    let track = &curves["tracks"][0];
    assert_eq!(
        (&track["unit"], &track["components"]),
        (&"degrees".into(), &serde_json::json!(["x", "y", "z"]))
    );
    let numbers = |value: &Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    for (i, key) in track["keys"].as_array().unwrap().iter().enumerate() {
        let [x, y, z] = numbers(&key["value"])[..] else { panic!("{key}") };
        assert!(x.abs() < 0.1 && y.abs() < 0.1 && (z - 100.0 * i as f64).abs() < 0.1, "{key}");
    }
    let z: Vec<f64> =
        track["curve"].as_array().unwrap().iter().map(|p| numbers(&p["value"])[2]).collect();
    assert!(z.windows(2).all(|pair| (-0.01..40.0).contains(&(pair[1] - pair[0]))), "{z:?}");
    assert!((numbers(&track["at"][0]["value"])[2] - 700.0).abs() < 0.1);
    assert!(curves["tracks"][1].get("unit").is_none());
    for words in [["--euler", "xyx"], ["--euler=xyz", "--lab"]] {
        rigview([&["curve", &model, "--node", "0", "-o", "-"], &words[..]].concat()).failed(2);
    }
}

#[test]
fn each_component_has_its_own_panel_on_request() {
    let folder = Folder::new();
    let (model, svg) = (spinning(&folder), folder.path("c.svg"));
    let plot = |more: &[&str]| {
        rigview([&["curve", &model, "--node", "0", "-o", &svg], more].concat()).done();
        std::fs::read_to_string(&svg).unwrap()
    };
    let (whole, split) = (plot(&["--euler", "xyz"]), plot(&["--split", "--euler", "xyz"]));
    let height = |text: &str| {
        let size = text.split("height=\"").nth(1).unwrap().split('"').next().unwrap();
        size.parse::<u32>().unwrap()
    };
    assert_eq!((height(&whole), height(&split)), (46 + 2 * 300, 46 + 6 * 170));
    for caption in ["rotation x  ", "rotation z  ", "scale z  "] {
        assert!(split.contains(caption) && !whole.contains(caption), "{caption}");
    }
    // Degrees on the axis, the start of the file's name in the title, and places between whole points.
    assert!(whole.contains("\u{b0}") && whole.contains("spinning-with-a-name"));
    assert!(!whole.contains("title-has-room"));
    let units = whole.split("viewBox=\"0 0 ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(units.parse::<u32>().unwrap() >= 10 * 1200, "{units}");
}

#[test]
fn lines_that_coincide_and_values_that_are_held_are_dashed() {
    let folder = Folder::new();
    let (model, png) = (spinning(&folder), folder.path("c.png"));
    rigview(["curve", &model, "--node", "0", "-o", &png]).done();
    let picture = image::open(&png).unwrap().into_rgb8();
    let close = |a: [u8; 3], b: [u8; 3]| a.iter().zip(b).all(|(a, b)| a.abs_diff(b) < 40);
    let [red, green, purple] = [[0xd0, 0x2f, 0x3c], [0x2a, 0x8f, 0x3e], [0x8a, 0x46, 0xb3]];
    // The lower panel: the scales of x and y grow together from 1 to 2, in turns of red and green.
    let lower = |colour: [u8; 3]| {
        let all = picture.enumerate_pixels().filter(|(x, y, _)| (70..1180).contains(x) && *y > 380);
        all.filter(|(_, _, p)| close(p.0, colour)).count()
    };
    let (x, y) = (lower(red), lower(green));
    assert!(x > 500 && y > 500 && x.abs_diff(y) < x / 4, "{x} red, {y} green");
    // The upper panel: after the last key at 3.5 s of 4.5 s, w is held.
    let columns = |range: std::ops::Range<u32>| {
        let has = |x: u32| (80..340).any(|y| close(picture[(x, y)].0, purple));
        range.clone().filter(|x| has(*x)).count() as f64 / range.len() as f64
    };
    let (keyed, held) = (columns(100..900), columns(950..1170));
    assert!(keyed > 0.97 && (0.35..0.7).contains(&held), "{keyed:.2} {held:.2}");
}

/// Below an armature of another scale, numbers of translations are no metres.
#[test]
fn translations_are_in_metres_only_where_the_parents_are_not_scaled() {
    let folder = Folder::new();
    let model = spinning(&folder);
    let text = std::fs::read_to_string(&model).unwrap();
    for (scale, unit) in [(1.0, "metres"), (0.01, "units")] {
        let mut json: Value = serde_json::from_str(&text).unwrap();
        json["animations"][0]["channels"][1]["target"]["path"] = "translation".into();
        let parent = serde_json::json!({"scale": [scale, scale, scale], "children": [0]});
        json["nodes"].as_array_mut().unwrap().push(parent);
        json["scenes"][0]["nodes"] = serde_json::json!([1]);
        std::fs::write(&model, json.to_string()).unwrap();
        let run = rigview(["curve", &model, "--node", "0", "-o", "-"]).done();
        let curves = run.json();
        let moves = curves["tracks"].as_array().unwrap().iter();
        let units: Vec<&Value> = moves.map(|track| &track["unit"]).collect();
        assert!(units.contains(&&Value::from(unit)), "{scale}: {units:?}");
    }
}

/// A constraint turns its node whatever a clip says, so keys of its rotation are not what a pose shows.
#[test]
fn nodes_that_constraints_turn_are_named_with_what_they_follow() {
    let folder = Folder::new();
    let extension = |source: usize| {
        serde_json::json!({"VRMC_node_constraint": {"specVersion": "1.0",
        "constraint": {"rotation": {"source": source}}}})
    };
    let model = SmallModel::new().clip("Turn").edit(|json| {
        json["extensionsUsed"] = serde_json::json!(["VRMC_node_constraint"]);
        let nodes = json["nodes"].as_array_mut().unwrap();
        let next = nodes.len();
        nodes[0]["extensions"] = extension(next);
        nodes.push(serde_json::json!({"name": "lead"}));
        nodes.push(serde_json::json!({"name": "twist", "extensions": extension(next)}));
        json["scenes"][0]["nodes"] = serde_json::json!([0, next, next + 1]);
    });
    let file = folder.path("constrained.gltf");
    model.write_gltf(file.as_ref());
    let curve = |node: &str| rigview(["curve", &file, "--node", node, "-o", "-"]);
    let keyed = curve("square").done();
    assert_eq!(keyed.json()["tracks"][0]["path"], "rotation");
    let warned = "node 0 \"square\": a constraint (rotation) makes its rotation follow node";
    assert!(keyed.stderr.contains(warned), "{}", keyed.stderr);
    let turned = curve("twist").failed(2).stderr;
    let says = "a constraint (rotation) makes its rotation follow node";
    assert!(turned.contains(says) && turned.contains("\"lead\""), "{turned}");
    assert_eq!(turned.lines().count(), 1, "{turned}");
}
