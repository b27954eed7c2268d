//! `pose` compared with numeric oracles: world matrices, joint matrices, morph weights, and vertices as
//! computed by the CPU and by the GPU.

use crate::support::{Run, for_each, gpu, out_of_scope, rigview, say_at_the_end, shared};
use flate2::read::GzDecoder;
use rigview::glam::Vec3;
use rigview::import::{ImageDecoding, ImportOptions, load};
use rigview::model::{DrawnPrimitive, Stage};
use rigview::render::{Gpu, GpuModel, PosedPrimitive, Probe};
use rigview::report::{pose_report, sampled};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Number of vertices that an oracle has per primitive.
const VERTICES: usize = 24;

/// One in this many oracles is compared with the command too. A process per clip would spend most of its time on its start,
/// and the command prints what the library returns.
const COMMANDS: usize = 20;

#[test]
fn poses_agree_with_the_oracles() {
    let Some(shared) = shared("poses_agree_with_the_oracles") else { return };
    compare_all(&shared, "poses", None);
}

#[test]
fn poses_of_the_gpu_agree_with_the_oracles() {
    let Some(shared) = shared("poses_of_the_gpu_agree_with_the_oracles") else { return };
    let gpu = gpu();
    let probe = Mutex::new(Probe::new(&gpu));
    compare_all(&shared, "poses of the GPU", Some(OnGpu { gpu: &gpu, probe: &probe }));
}

/// The device that poses vertices.
#[derive(Clone, Copy)]
struct OnGpu<'a> {
    gpu: &'a Gpu,
    probe: &'a Mutex<Probe>,
}

/// The result for one oracle.
enum Verdict {
    Agrees(Difference),
    Differs(String),
    /// The program does not support the model yet.
    OutOfScope(String),
}

/// Compares all oracles with the numbers of the CPU, or with the vertices of the GPU.
fn compare_all(shared: &Path, what: &str, gpu: Option<OnGpu<'_>>) {
    let mut oracles: Vec<PathBuf> = std::fs::read_dir(shared.join("oracle"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".json.gz"))
        .collect();
    oracles.sort();
    let numbered: Vec<(usize, &PathBuf)> = oracles.iter().enumerate().collect();
    let verdicts = for_each(&numbered, |(number, oracle)| {
        let oracle = read(oracle);
        let model = shared.join("models").join(oracle["model"].as_str().unwrap());
        let posed = compare_posed(&oracle, &model, gpu);
        let differs = posed.as_ref().is_some_and(|posed| posed.value > tolerance(&oracle));
        match posed {
            Some(posed) if !differs && number % COMMANDS != 0 => Verdict::Agrees(posed),
            // The command says why a model is not loaded or posed, and whether that is expected.
            posed => match (compare(&oracle, &model, gpu.is_some()), posed) {
                (Verdict::Agrees(_), Some(posed)) if differs => {
                    Verdict::Differs(posed.beyond(tolerance(&oracle)))
                }
                (verdict, _) => verdict,
            },
        }
    });

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

/// Compares the numbers that the command prints.
fn compare(oracle: &Value, model: &Path, gpu: bool) -> Verdict {
    let tolerance = tolerance(oracle);
    let rest = list(&oracle["rest"]["world"]).iter().enumerate().collect();
    let mut worst = Difference::default();
    for (clip, frames) in clips(oracle) {
        let run = pose(model, clip, frames, gpu);
        if run.code != Some(0) {
            return out_of_scope(model, &run)
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
            compare_vertices(oracle, frame, got, &mut difference);
            worst.see_at(&difference, clip, frame);
        }
        if worst.value > tolerance {
            let how = worst.beyond(tolerance);
            return out_of_scope(model, &run)
                .map_or_else(|| Verdict::Differs(how), Verdict::OutOfScope);
        }
    }
    Verdict::Agrees(worst)
}

/// Compares what the library returns; `None` if it can't load the model.
fn compare_posed(oracle: &Value, file: &Path, gpu: Option<OnGpu<'_>>) -> Option<Difference> {
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    let model = &load(file, &options).ok()?.model;
    let gpu = gpu.map(|gpu| (GpuModel::new(gpu.gpu, model), gpu));
    let mut stage = Stage::new(model, model.default_scene);
    let rest = list(&oracle["rest"]["world"]).iter().enumerate().collect();
    let mut worst = Difference::default();
    for (index, frames) in clips(oracle) {
        let clip = index.map(|index| &model.clips[index]);
        let duration = clip.map_or(0.0, |clip| f64::from(clip.duration_secs()));
        for frame in frames {
            let time = frame["t"].as_f64().unwrap();
            stage.pose(model, clip, time.clamp(0.0, duration));
            let mut difference = Difference::default();
            let samples = match &gpu {
                Some((uploaded, OnGpu { gpu, probe })) => {
                    let posed = probe.lock().unwrap().positions(model, uploaded, &stage);
                    let posed = posed.unwrap().wait(gpu).unwrap();
                    sampled(model, &stage, VERTICES, |drawn, which| of_drawn(&posed, drawn, which))
                }
                None => {
                    let pose = serde_json::to_value(pose_report(model, &stage)).unwrap();
                    compare_nodes(frame, &pose, &rest, &mut difference);
                    sampled(model, &stage, VERTICES, |drawn, which| {
                        stage.deformed_at(model, drawn, which)
                    })
                }
            };
            compare_vertices(oracle, frame, &json!({"vertices": samples}), &mut difference);
            worst.see_at(&difference, index, frame);
        }
    }
    Some(worst)
}

/// The positions of some vertices of a primitive at a node.
fn of_drawn(posed: &[PosedPrimitive], drawn: DrawnPrimitive, which: &[u32]) -> Option<Vec<Vec3>> {
    let is_drawn = |p: &&PosedPrimitive| (p.node, p.primitive) == (drawn.node, drawn.primitive);
    let all = &posed.iter().find(is_drawn)?.positions;
    Some(which.iter().map(|i| Vec3::from(all[*i as usize])).collect())
}

fn tolerance(oracle: &Value) -> f64 {
    oracle["tolerance_rel"].as_f64().unwrap_or(1e-4)
}

/// The rest pose and the clips of an oracle: the index of the clip, and the frames.
fn clips(oracle: &Value) -> impl Iterator<Item = (Option<usize>, &[Value])> {
    let index = |clip: &Value| Some(clip["index"].as_u64().unwrap() as usize);
    let clips = list(&oracle["clips"]).iter();
    let clips = clips.map(move |clip| (index(clip), list(&clip["frames"])));
    std::iter::once((None, std::slice::from_ref(&oracle["rest"]))).chain(clips)
}
fn pose(model: &Path, clip: Option<usize>, frames: &[Value], gpu: bool) -> Run {
    let mut args = vec!["pose".to_owned(), model.to_string_lossy().into_owned()];
    args.extend(["--json", "--vertices", &VERTICES.to_string()].map(str::to_owned));
    match clip {
        Some(clip) => args.extend(["--clip".to_owned(), clip.to_string()]),
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

fn compare_vertices(oracle: &Value, want: &Value, got: &Value, difference: &mut Difference) {
    // The vertices of some files are listed in another order.
    if oracle.get("verts_source").is_some() {
        return;
    }
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

    fn see_at(&mut self, other: &Self, clip: Option<usize>, frame: &Value) {
        let clip = clip.map_or("none".to_owned(), |clip| clip.to_string());
        self.see(other.value, || format!("clip {clip}, {} s, {}", frame["t"], other.place));
    }

    fn beyond(&self, tolerance: f64) -> String {
        format!("{:.1e} over {tolerance:.0e} at {}", self.value, self.place)
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
