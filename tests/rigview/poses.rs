//! `pose` compared with numeric oracles: world matrices, joint matrices, morph weights, and vertices as
//! computed by the CPU and by the GPU.

use crate::support::{Run, for_each, out_of_scope, rigview, say_at_the_end, shared};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Number of vertices that an oracle has per primitive.
const VERTICES: &str = "24";

#[test]
fn poses_agree_with_the_oracles() {
    let Some(shared) = shared("poses_agree_with_the_oracles") else { return };
    compare_all(&shared, false);
}

#[test]
fn poses_of_the_gpu_agree_with_the_oracles() {
    let Some(shared) = shared("poses_of_the_gpu_agree_with_the_oracles") else { return };
    compare_all(&shared, true);
}

/// The result for one oracle.
enum Verdict {
    Agrees(Difference),
    Differs(String),
    /// The program does not support the model yet.
    OutOfScope(String),
}

fn compare_all(shared: &Path, gpu: bool) {
    let mut oracles: Vec<PathBuf> = std::fs::read_dir(shared.join("oracle"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".json.gz"))
        .collect();
    oracles.sort();
    let verdicts = for_each(&oracles, |oracle| compare(&read(oracle), shared, gpu));

    let (mut worst, mut agree) = (Difference::default(), 0);
    let (mut differ, mut left_out) = (Vec::new(), Vec::new());
    for (oracle, verdict) in oracles.iter().zip(verdicts) {
        let name = oracle.file_name().unwrap().to_string_lossy().replace(".json.gz", "");
        match verdict {
            Verdict::Agrees(difference) => {
                agree += 1;
                worst.see(difference.value, || format!("{name}, {}", difference.place));
            }
            Verdict::Differs(how) => differ.push(format!("{name}: {how}")),
            Verdict::OutOfScope(what) => left_out.push(format!("{name} ({what})")),
        }
    }
    let what = if gpu { "poses of the GPU" } else { "poses" };
    let left_out = if left_out.is_empty() { "none".to_owned() } else { left_out.join(", ") };
    say_at_the_end(format!(
        "{agree} of {} {what} agree, worst {:.1e} at {}; out of scope: {left_out}",
        oracles.len(),
        worst.value,
        worst.place
    ));
    assert!(differ.is_empty(), "{} poses differ:\n{}", differ.len(), differ.join("\n"));
    assert!(agree > 0, "nothing was compared");
}

fn read(oracle: &Path) -> Value {
    let file = std::fs::File::open(oracle).unwrap();
    serde_json::from_reader(std::io::BufReader::new(GzDecoder::new(file))).unwrap()
}

fn compare(oracle: &Value, shared: &Path, gpu: bool) -> Verdict {
    let model = shared.join("models").join(oracle["model"].as_str().unwrap());
    let tolerance = oracle["tolerance_rel"].as_f64().unwrap_or(1e-4);
    let rest = list(&oracle["rest"]["world"]).iter().enumerate().collect();
    let same_order = oracle.get("verts_source").is_none();
    let mut worst = Difference::default();
    let rest_pose = (None, std::slice::from_ref(&oracle["rest"]));
    let clips = list(&oracle["clips"]).iter();
    let clips = clips.map(|clip| (Some(clip["index"].to_string()), list(&clip["frames"])));
    for (clip, frames) in std::iter::once(rest_pose).chain(clips) {
        let run = pose(&model, clip.as_deref(), frames, gpu);
        if run.code != Some(0) {
            return out_of_scope(&model, &run)
                .map_or_else(|| Verdict::Differs(run.ended()), Verdict::OutOfScope);
        }
        let lines: Vec<Value> = match run.text().lines().map(serde_json::from_str).collect() {
            Ok(lines) => lines,
            Err(error) => return Verdict::Differs(format!("a line is no JSON: {error}")),
        };
        if lines.len() != frames.len() {
            return Verdict::Differs(format!("{} lines for {} times", lines.len(), frames.len()));
        }
        for (frame, got) in frames.iter().zip(&lines) {
            let mut difference = Difference::default();
            if gpu {
                difference.see(exact(got["gpu"].is_object()), || "no adapter named".to_owned());
            } else {
                compare_nodes(frame, got, &rest, &mut difference);
            }
            if same_order {
                compare_vertices(frame, got, &mut difference);
            }
            let clip = clip.as_deref().unwrap_or("none");
            worst.see(difference.value, || {
                format!("clip {clip}, {} s, {}", frame["t"], difference.place)
            });
        }
        if worst.value > tolerance {
            let how = format!("{:.1e} over {tolerance:.0e} at {}", worst.value, worst.place);
            return out_of_scope(&model, &run)
                .map_or_else(|| Verdict::Differs(how), Verdict::OutOfScope);
        }
    }
    Verdict::Agrees(worst)
}

fn pose(model: &Path, clip: Option<&str>, frames: &[Value], gpu: bool) -> Run {
    let mut args = vec!["pose".to_owned(), model.to_string_lossy().into_owned()];
    args.extend(["--json", "--vertices", VERTICES].map(str::to_owned));
    match clip {
        Some(clip) => args.extend(["--clip".to_owned(), clip.to_owned()]),
        None => args.push("--rest".to_owned()),
    }
    for frame in frames {
        args.extend(["--time".to_owned(), frame["t"].to_string()]);
    }
    args.extend(gpu.then(|| "--gpu".to_owned()));
    rigview(args)
}

fn compare_nodes(
    want: &Value,
    got: &Value,
    rest: &HashMap<usize, &Value>,
    difference: &mut Difference,
) {
    // A frame lists only nodes that differ from the rest pose; the rest pose lists all.
    let mut worlds = rest.clone();
    if let Value::Object(moved) = &want["world"] {
        worlds.extend(moved.iter().map(|(node, world)| (node.parse().unwrap(), world)));
    }
    let nodes = by_index(&got["nodes"]);
    let nothing = Value::Null;
    for (node, world) in worlds {
        let found = nodes.get(&node).map_or(&nothing, |node| &node["world"]);
        difference.see(relative(world, found), || format!("world of node {node}"));
    }
    let skins = by_index(&got["skins"]);
    for (skin, matrices) in entries(&want["skins"]) {
        let found = skins.get(&skin).map_or(&nothing, |skin| &skin["joint_matrices"]);
        let same_size = list(matrices).len() == list(found).len();
        difference.see(exact(same_size), || format!("joints of skin {skin}"));
        for (joint, (a, b)) in list(matrices).iter().zip(list(found)).enumerate() {
            difference.see(relative(a, b), || format!("skin {skin}, joint {joint}"));
        }
    }
    for (node, weights) in entries(&want["weights"]) {
        let zeros = Value::from(vec![0.0; list(weights).len()]);
        let found = nodes.get(&node).and_then(|node| node.get("weights")).unwrap_or(&zeros);
        difference.see(relative(weights, found), || format!("weights of node {node}"));
    }
}

fn compare_vertices(want: &Value, got: &Value, difference: &mut Difference) {
    for vertices in list(&want["verts"]) {
        let (node, primitive) = (&vertices["node"], &vertices["prim"]);
        let place = || format!("node {node}, primitive {primitive}");
        let mut all = list(&got["vertices"]).iter();
        let found = all.find(|v| v["node"] == *node && v["primitive"] == *primitive);
        let Some(found) = found.filter(|found| found["index"] == vertices["idx"]) else {
            difference.see(f64::INFINITY, || format!("{}: no such vertices", place()));
            continue;
        };
        let wanted = list(vertices.get("pos_norm").unwrap_or(&vertices["pos"]));
        let numbers = wanted.iter().flat_map(list).filter_map(Value::as_f64);
        let scale = numbers.fold(1.0, |scale: f64, number| scale.max(number.abs()));
        for (at, want) in wanted.iter().enumerate().filter(|(_, want)| !want.is_null()) {
            let off = largest(want, &found["position"][at], |a, b| (a - b).abs() / scale);
            difference.see(off, || format!("{}, vertex {}", place(), vertices["idx"][at]));
        }
    }
}

/// The largest difference so far, and its place.
struct Difference {
    value: f64,
    place: String,
}

impl Default for Difference {
    fn default() -> Self {
        Self { value: 0.0, place: "nothing differs".to_owned() }
    }
}

impl Difference {
    fn see(&mut self, value: f64, place: impl FnOnce() -> String) {
        if value > self.value {
            *self = Self { value, place: place() };
        }
    }
}

fn relative(a: &Value, b: &Value) -> f64 {
    largest(a, b, |a, b| (a - b).abs() / a.abs().max(b.abs()).max(1.0))
}

/// The largest difference; infinite if the lists differ in length or contain something else than numbers.
fn largest(a: &Value, b: &Value, distance: impl Fn(f64, f64) -> f64) -> f64 {
    let (a, b) = (list(a), list(b));
    let number = |value: &Value| value.as_f64().unwrap_or(f64::INFINITY);
    let pairs = a.iter().zip(b).map(|(a, b)| distance(number(a), number(b)));
    // A difference of NaN must not count as a small one.
    let worst = pairs.map(|d| if d.is_nan() { f64::INFINITY } else { d }).fold(0.0, f64::max);
    worst.max(exact(a.len() == b.len()))
}

fn exact(equal: bool) -> f64 {
    if equal { 0.0 } else { f64::INFINITY }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn by_index(values: &Value) -> HashMap<usize, &Value> {
    let index = |value: &Value| usize::try_from(value["index"].as_u64()?).ok();
    list(values).iter().filter_map(|value| Some((index(value)?, value))).collect()
}

/// An object whose keys are indices.
fn entries(values: &Value) -> impl Iterator<Item = (usize, &Value)> {
    values.as_object().into_iter().flatten().map(|(key, value)| (key.parse().unwrap(), value))
}
