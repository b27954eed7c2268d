//! The shared FBX and BVH files: nodes and vertices in all poses of their oracles, and broken files, which are read
//! or refused as their list says.

use std::path::Path;

use glam::{Mat4, Vec3};
use rigview::import::{ImageDecoding, ImportOptions, load};
use rigview::model::{DrawnPrimitive, Model, Stage};
use serde_json::Value;

use crate::support::{for_each, shared};

const HEADERS: ImportOptions =
    ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::DEFAULT };

/// The allowed difference, relative to the scene's size, and in metres.
const RELATIVE: f32 = 1e-4;
const ABSOLUTE: f32 = 1e-5;

#[test]
fn all_poses_agree_with_the_oracles() {
    let Some(shared) = shared("the characters") else { return };
    let folder = shared.join("characters");
    let mut oracles: Vec<_> = std::fs::read_dir(folder.join("oracle"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.to_string_lossy().contains(".vrm"))
        .collect();
    oracles.sort();
    assert!(oracles.len() > 30, "{}", oracles.len());
    let faults = for_each(&oracles, |path| {
        let oracle: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let (kind, file) = (&oracle["format"], &oracle["file"]);
        let file = folder.join(kind.as_str().unwrap()).join(file.as_str().unwrap());
        fault(&file, &oracle).map(|fault| format!("{}: {fault}", file.display()))
    });
    let faults: Vec<_> = faults.into_iter().flatten().collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn fault(file: &Path, oracle: &Value) -> Option<String> {
    let model = match load(file, &HEADERS) {
        Ok(loaded) => loaded.model,
        Err(error) => return Some(error.to_string()),
    };
    let scale = match oracle["format"].as_str() {
        Some("bvh") => unit(&model, &oracle["poses"][0]),
        _ => 1.0,
    };
    let poses = oracle["poses"].as_array().unwrap();
    poses.iter().find_map(|pose| pose_fault(&model, oracle, pose, scale))
}

/// Returns the metres per unit of a BVH file, from the rest pose.
fn unit(model: &Model, rest: &Value) -> f32 {
    let mut stage = Stage::new(model, 0);
    stage.pose(model, None, 0.0);
    let size = |places: &[Vec3]| {
        let mean = places.iter().sum::<Vec3>() / places.len() as f32;
        places.iter().map(|at| at.distance_squared(mean)).sum::<f32>().sqrt()
    };
    let is_unique = |name: &str| joints(rest).filter(|(other, _)| *other == name).count() == 1;
    let unique: Vec<_> = joints(rest).filter(|(name, _)| is_unique(name)).collect();
    let wanted: Vec<_> = unique.iter().map(|(_, at)| *at).collect();
    let found: Vec<_> =
        unique.iter().map(|(name, at)| nearest(model, &stage, name, *at).0).collect();
    if size(&wanted) > 0.0 { size(&found) / size(&wanted) } else { 1.0 }
}

/// Returns name and place of the nodes of a pose.
fn joints(pose: &Value) -> impl Iterator<Item = (&str, Vec3)> {
    let nodes = pose["nodes"].as_array().unwrap().iter().filter(|n| n["kind"] != "end");
    nodes
        .filter_map(|node| Some((node["name"].as_str()?, numbers::<16>(&node["world"])?)))
        .map(|(name, world)| (name, Mat4::from_cols_array(&world).w_axis.truncate()))
}

fn numbers<const N: usize>(list: &Value) -> Option<[f32; N]> {
    let list: Option<Vec<f32>> =
        list.as_array()?.iter().map(|x| x.as_f64().map(|x| x as f32)).collect();
    list?.try_into().ok()
}

/// Returns the place of the node of this name that is nearest to a place, and the distance.
fn nearest(model: &Model, stage: &Stage, name: &str, at: Vec3) -> (Vec3, f32) {
    let named = (0..model.nodes.len()).filter(|i| model.nodes[*i].name.as_deref() == Some(name));
    let places = named.map(|i| Vec3::from(stage.scene_from_node(i).translation));
    let all = places.map(|place| (place, place.distance(at)));
    all.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((Vec3::ZERO, f32::INFINITY))
}

fn pose_fault(model: &Model, oracle: &Value, pose: &Value, scale: f32) -> Option<String> {
    let clip = match pose["take"].as_u64() {
        None => None,
        Some(take) => {
            let name = oracle["facts"]["takes"][take as usize]["name"].as_str();
            let named = |clip: &&rigview::anim::Clip| clip.name() == name;
            let only = || model.clips.first().filter(|_| model.clips.len() == 1);
            match model.clips.iter().find(named).or_else(only) {
                Some(clip) => Some(clip),
                None => return Some(format!("no clip {name:?}")),
            }
        }
    };
    let time = pose["time"].as_f64().unwrap_or(0.0);
    let mut stage = Stage::new(model, 0);
    stage.pose(model, clip, time.min(clip.map_or(0.0, |clip| f64::from(clip.duration_secs()))));
    let places: Vec<Vec3> = joints(pose).map(|(_, at)| at).chain(corners(pose)).collect();
    let lo = places.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let hi = places.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    let size = if places.is_empty() { 0.0 } else { (hi - lo).max_element() };
    // Between two frames of a BVH file, rotations are not interpolated as angles.
    let slack = pose["slack"].as_f64().unwrap_or(0.0) as f32;
    let slack = if pose["between_frames"] == true { 2.0 * slack } else { 0.0 };
    let most = scale * (RELATIVE * size + slack) + ABSOLUTE;
    let at = format!("take {} at {time} s", pose["take"]);
    for (name, place) in joints(pose) {
        let off = nearest(model, &stage, name, place * scale).1;
        if off > most {
            return Some(format!("{at}: node {name:?} is {off} m off, {most} allowed"));
        }
    }
    let vertices = vertices(model, &stage);
    for mesh in pose["meshes"].as_array().into_iter().flatten().filter(|m| m["visible"] == true) {
        let linear = mesh.get("linear").unwrap_or(mesh);
        for sample in linear["samples"].as_array().unwrap() {
            let sample = Vec3::from(numbers::<3>(sample)?);
            let off = vertices.iter().map(|v| v.distance(sample)).fold(f32::INFINITY, f32::min);
            if off > most {
                return Some(format!(
                    "{at}: no vertex of {} within {off} m, {most} allowed",
                    mesh["node"]
                ));
            }
        }
    }
    None
}

/// Returns the corners of the box of the visible vertices.
fn corners(pose: &Value) -> impl Iterator<Item = Vec3> {
    let of = |key: &str| numbers::<3>(&pose["visible_vertices"][key]).map(Vec3::from);
    [of("min"), of("max")].into_iter().flatten()
}

fn vertices(model: &Model, stage: &Stage) -> Vec<Vec3> {
    let mut all = Vec::new();
    for node in 0..model.nodes.len() {
        let Some(mesh) = model.nodes[node].mesh else { continue };
        for (primitive, data) in model.meshes[mesh].primitives.iter().enumerate() {
            let which: Vec<u32> = (0..data.vertices.len() as u32).collect();
            let posed = stage.deformed_at(model, DrawnPrimitive { node, primitive }, &which);
            all.extend(posed.unwrap_or_default());
        }
    }
    all
}

#[test]
fn broken_files_are_read_or_refused_as_listed() {
    let Some(shared) = shared("the broken characters") else { return };
    let folder = shared.join("characters/broken");
    let index = std::fs::read_to_string(folder.join("INDEX.tsv")).unwrap();
    let lines: Vec<_> = index.lines().filter(|line| !line.starts_with('#')).collect();
    let faults = for_each(&lines, |line| {
        let mut words = line.split('\t');
        let (file, wanted) = (words.next()?, words.next()?);
        let result = load(&folder.join(file), &HEADERS);
        if let Err(error) = &result {
            let text = error.to_string();
            let is_line = !text.is_empty() && !text.contains(char::is_control);
            assert!(is_line, "{file}: {text:?}");
        }
        let expected = match wanted {
            "read" => result.is_ok(),
            "refuse" => result.is_err(),
            _ => true,
        };
        (!expected).then(|| format!("{file}: {wanted}: {:?}", result.map(|_| ())))
    });
    let faults: Vec<_> = faults.into_iter().flatten().collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
