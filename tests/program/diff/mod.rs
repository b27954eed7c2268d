//! `diff`: models with known differences, distances worked out by hand, pairing, and the picture.

mod attributes;
mod cut;
mod instances;
mod limits;
mod motion;
mod order;
mod overlooked;
mod painted;
mod reordered;
mod rewritten;
mod seams;
mod shuffled;
mod spaces;
mod unseen;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Run, SmallModel, floats, rigview, shared};

/// A folder with generated models.
struct Models {
    folder: tempfile::TempDir,
}

impl Models {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a square with clips, changed by `edit`.
    fn write(&self, name: &str, clips: &[&str], edit: impl FnOnce(&mut Value)) {
        let square = clips.iter().fold(SmallModel::new(), |model, clip| model.clip(clip));
        square.edit(edit).write_gltf(&self.path(name));
    }

    fn diff(&self, a: &str, b: &str, more: &[&str]) -> Run {
        let [a, b] = [a, b].map(|name| self.path(name));
        rigview([&["diff", text(&a), text(&b)], more].concat())
    }

    fn json(&self, a: &str, b: &str, code: i32) -> Value {
        let run = self.diff(a, b, &["--json"]);
        assert_eq!(run.code, Some(code), "{}", run.ended());
        serde_json::from_str(run.text()).unwrap()
    }
}

/// Replaces the keys of the first clip.
fn keys(json: &mut Value, path: &str, interpolation: &str, times: &[f32], values: &[f32]) {
    let width = if path == "rotation" { "VEC4" } else { "VEC3" };
    let (input, output) = (floats(json, "SCALAR", times), floats(json, width, values));
    let clip = &mut json["animations"][0];
    clip["samplers"][0] = json!({"input": input, "output": output, "interpolation": interpolation});
    clip["channels"][0]["target"]["path"] = json!(path);
}

fn kinds(got: &Value) -> Vec<&str> {
    got["structure"].as_array().unwrap().iter().map(|c| c["kind"].as_str().unwrap()).collect()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn distance(value: &Value) -> f64 {
    value["distance"].as_f64().unwrap()
}

#[test]
fn a_model_equals_itself() {
    let models = Models::new();
    models.write("a.gltf", &["Turn"], |_| ());
    let got = models.json("a.gltf", "a.gltf", 0);
    let bytes = std::fs::metadata(models.path("a.gltf")).unwrap().len();
    assert_eq!(got["equal"], json!(true));
    assert_eq!(got["bytes"], json!({"a": bytes, "b": bytes}));
    assert_eq!(got["rest"], json!({"distance": 0.0, "node": null}));
    assert_eq!((&got["structure"], &got["materials"]), (&json!([]), &json!([])));
    let clip = &got["clips"][0];
    assert_eq!((&clip["a"], &clip["paired_by"]), (&json!("Turn"), &json!("name")));
    assert_eq!((distance(clip), &clip["joint"]), (0.0, &json!(null)));
    let said = models.diff("a.gltf", "a.gltf", &[]).done();
    assert!(said.text().contains("equal within 0.1 mm"), "{}", said.text());
}

/// The corners of the square are sqrt(2) from its centre, about which the clip turns it. The second file moves the
/// square by 3 mm along X.
#[test]
fn a_moved_node_is_named_with_its_distance() {
    let models = Models::new();
    models.write("a.gltf", &["Turn"], |_| ());
    models
        .write("b.gltf", &["Turn"], |json| json["nodes"][0]["translation"] = json!([0.003, 0, 0]));
    let got = models.json("a.gltf", "b.gltf", 1);
    assert!((distance(&got["rest"]) - 0.003).abs() < 1e-6);
    assert_eq!(got["rest"]["node"], json!("square"));
    let clip = &got["clips"][0];
    assert!((distance(clip) - 0.003).abs() < 1e-6);
    assert_eq!((&clip["joint"], &clip["vertex_node"]), (&json!("square"), &json!("square")));
    assert!(clip["angle"].as_f64().unwrap() < 1e-3);
    assert_eq!(got["structure"], json!([]));
    models.diff("a.gltf", "b.gltf", &["--tolerance", "0.0031"]).done();
    let run = models.diff("a.gltf", "b.gltf", &["--tolerance", "0.0029"]).failed(1);
    assert!(run.stderr.contains("3 mm"), "{}", run.stderr);
}

/// One clip turns the square by half a turn in two seconds, the other one in one second, and then holds.
#[test]
fn the_shorter_clip_holds_its_last_pose() {
    let models = Models::new();
    models.write("a.gltf", &["Turn"], |_| ());
    models.write("b.gltf", &["Turn"], |json| {
        // Keys at 0 and 1 s: the positions' second and third number are -1 and 0.
        json["accessors"][2] = json!({"bufferView": 4, "componentType": 5126, "count": 2,
            "type": "SCALAR", "min": [0], "max": [1]});
        let views = json["bufferViews"].as_array_mut().unwrap();
        views.push(json!({"buffer": 0, "byteOffset": 8, "byteLength": 8}));
    });
    let got = models.json("a.gltf", "b.gltf", 1);
    let clip = &got["clips"][0];
    // After a second, a is at 90 degrees and b at 180.
    assert!((distance(clip) - 2.0).abs() < 1e-4, "{clip}");
    assert!((clip["time"].as_f64().unwrap() - 1.0).abs() < 0.02, "{clip}");
    assert!((clip["angle"].as_f64().unwrap() - 90.0).abs() < 0.1, "{clip}");
    assert_eq!(clip["joint"], json!("square"));
}

#[test]
fn clips_are_paired_by_name_then_by_content() {
    let models = Models::new();
    models.write("a.gltf", &["Turn", "Still"], |json| {
        json["animations"][1]["samplers"][0]["input"] = json!(2);
        json["animations"][1]["channels"] = json!([]);
    });
    models.write("b.gltf", &["Spin", "New"], |json| {
        json["animations"][1]["samplers"][0]["interpolation"] = json!("STEP");
        json["animations"][1]["channels"][0]["target"]["path"] = json!("rotation");
    });
    let got = models.json("a.gltf", "b.gltf", 1);
    let pairs: Vec<_> =
        got["clips"].as_array().unwrap().iter().map(|c| [&c["a"], &c["b"]]).collect();
    assert_eq!(pairs, [[&json!("Turn"), &json!("Spin")]]);
    assert_eq!(got["clips"][0]["paired_by"], json!("content"));
    let changes: Vec<_> = got["structure"].as_array().unwrap().iter().collect();
    let has = |name: &str, change: &str| {
        changes.iter().any(|c| (&c["name"], &c["change"]) == (&json!(name), &json!(change)))
    };
    assert!(
        has("Turn", "changed") && has("Still", "removed") && has("New", "added"),
        "{changes:?}"
    );
}

#[test]
fn structure_and_materials() {
    let models = Models::new();
    models.write("a.gltf", &[], |json| {
        json["materials"] = json!([{"name": "Skin"}]);
        json["meshes"][0]["primitives"][0]["material"] = json!(0);
    });
    models.write("b.gltf", &[], |json| {
        json["materials"] = json!([{"name": "Skin", "doubleSided": true}]);
        json["meshes"][0]["primitives"][0]["material"] = json!(0);
        json["nodes"] = json!([{"name": "quad", "mesh": 0, "children": [1]}, {"name": "hat"}]);
    });
    let got = models.json("a.gltf", "b.gltf", 1);
    let renamed = json!({"kind": "node", "name": "square", "change": "changed",
        "what": "renamed to \"quad\""});
    let added = json!({"kind": "node", "name": "hat", "change": "added", "what": ""});
    assert_eq!(got["structure"], json!([renamed, added]));
    assert_eq!(
        got["materials"],
        json!([{"kind": "material", "name": "Skin", "change": "changed",
        "what": "doubleSided false -> true"}])
    );
    let markdown = models.diff("a.gltf", "b.gltf", &["--markdown"]).failed(1);
    assert!(markdown.text().contains("| rest pose | 0 mm |"), "{}", markdown.text());
    assert!(markdown.text().contains("doubleSided false -> true"), "{}", markdown.text());
}

#[test]
fn the_picture_is_red_where_the_distance_is_largest() {
    let models = Models::new();
    models.write("a.gltf", &[], |_| ());
    models.write("b.gltf", &[], |json| json["nodes"][0]["translation"] = json!([0, 0, 0.5]));
    let out = models.path("heat.png");
    let more = ["-o", text(&out), "--size", "200x160"];
    models.diff("a.gltf", "b.gltf", &more).failed(1);
    let reader = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&out).unwrap()));
    let mut reader = reader.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.width, info.height), (200, 160));
    let channels = info.color_type.samples();
    let red = |p: &&[u8]| p[0] > 120 && p[1] < 60 && p[2] < 60;
    let red = bytes.chunks_exact(channels).filter(red).count();
    assert!(red > 1500, "{red} red pixels");
}

#[test]
fn variants_of_one_model_differ_by_what_their_codecs_lose() {
    let Some(folder) = shared("diff::variants_of_one_model_differ_by_what_their_codecs_lose")
    else {
        return;
    };
    let path = |name: &str| folder.join("models").join(name);
    let (glb, draco) =
        (path("CesiumMan/glTF-Binary/CesiumMan.glb"), path("CesiumMan/glTF-Draco/CesiumMan.gltf"));
    let run = rigview(["diff", text(&glb), text(&draco), "--json"]);
    let got: Value = serde_json::from_str(run.text()).unwrap();
    // 1.8 m in 11 to 14 bits.
    let clip = &got["clips"][0];
    assert!(distance(clip) < 0.01 && distance(clip) > 1e-6, "{clip}");
    assert_eq!(clip["joint"], json!(null));
}

#[test]
fn models_that_can_not_be_measured_are_said_with_the_way_out() {
    let models = Models::new();
    models.write("square.gltf", &["Turn"], |_| {});
    models.write("bare.gltf", &["Turn"], |json| {
        json.as_object_mut().unwrap().remove("meshes");
        json["nodes"][0].as_object_mut().unwrap().remove("mesh");
    });
    models.write("speck.gltf", &["Turn"], |json| {
        let far = [0.0, 0.0, 90.0, 0.0, 0.001, 90.0, 40.0, 0.0, 90.0];
        let at = floats(json, "VEC3", &far);
        json["meshes"][0]["primitives"][0] = json!({"attributes": {"POSITION": at}});
        json["nodes"] = json!([{"name": "root", "children": [1]}, {"name": "speck", "mesh": 0}]);
    });
    for (a, b, why) in [
        ("square.gltf", "bare.gltf", "B has no mesh"),
        ("bare.gltf", "square.gltf", "A has no mesh"),
        ("square.gltf", "speck.gltf", "no mesh of A has the shape of one of B"),
    ] {
        let run = models.diff(a, b, &[]);
        assert_eq!(run.code, Some(1), "{}", run.ended());
        let text = run.text();
        assert!(text.contains(&format!("rest pose: not measured, because {why}\n")), "{text}");
        assert!(text.contains("clip \"Turn\": not measured\n"), "{text}");
        let reason = format!("not measured, because {why}; give two versions of one model");
        assert!(run.stderr.contains(&reason), "{}", run.stderr);
    }
}

#[test]
fn wrong_use() {
    let models = Models::new();
    models.write("a.gltf", &[], |_| ());
    models.diff("a.gltf", "missing.gltf", &[]).failed(3);
    models.diff("a.gltf", "a.gltf", &["--tolerance", "-1"]).failed(2);
    models.diff("a.gltf", "a.gltf", &["--tolerance", "0"]).done();
    models.diff("a.gltf", "a.gltf", &["--size", "10x10"]).failed(2);
    models.diff("a.gltf", "a.gltf", &["--json", "--markdown"]).failed(2);
    let before = std::fs::read(models.path("a.gltf")).unwrap();
    models.diff("a.gltf", "a.gltf", &["-o", text(&models.path("a.gltf"))]).failed(2);
    assert_eq!(std::fs::read(models.path("a.gltf")).unwrap(), before);
}
