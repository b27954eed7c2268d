//! `convert`: files of all kinds written as glTF, and what it prints.

use std::ffi::OsStr;
use std::path::Path;

use rigview::compare::models;
use rigview::import::{ImportOptions, load};
use serde_json::Value;

use crate::support::{SmallModel, rigview};

const BVH: &str = "HIERARCHY\nROOT Hips { OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition\n\
    JOINT Head { OFFSET 0 1 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0 .5 0 } } }\n\
    MOTION Frames: 3 Frame Time: .25 0 0 0 0 0 0 1 0 0 0 90 0 2 0 1 0 90 45\n";

fn convert(args: &[&OsStr]) -> Vec<Value> {
    let all = ["convert", "--json"].map(OsStr::new);
    let run = rigview(all.into_iter().chain(args.iter().copied())).done();
    run.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn same(a: &Path, b: &Path) {
    let [a, b] = [a, b].map(|path| load(path, &ImportOptions::default()).unwrap().model);
    let difference = models(&a, &b).unwrap();
    assert!(difference.is_equal(1e-9), "{difference:?}");
    assert_eq!(a.clips.len(), b.clips.len());
}

#[test]
fn a_motion_is_written_as_both_kinds_of_gltf() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("walk.bvh");
    std::fs::write(&input, BVH).unwrap();
    for ending in ["glb", "gltf"] {
        let out = folder.path().join("walk").with_extension(ending);
        let said = convert(&[input.as_os_str(), "-o".as_ref(), out.as_os_str()]);
        assert_eq!(said[0]["format"], "BVH");
        assert_eq!(said[0]["clips"][0]["name"], "motion");
        assert_eq!(said[0]["largest_mm"], 0.0);
        assert_eq!(said[0]["not_carried_over"], serde_json::json!([]));
        same(&input, &out);
        let bytes = std::fs::read(&out).unwrap().len() as u64;
        assert!(said[0]["bytes"].as_u64().unwrap() >= bytes);
    }
    assert!(folder.path().join("walk.bin").exists());
}

#[test]
fn many_files_are_written_at_once_with_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("a.bvh"), BVH).unwrap();
    SmallModel::new().clip("Turn").write_gltf(&at("b.gltf"));
    let (a, b) = (at("a.bvh"), at("b.gltf"));
    let args = ["convert".as_ref(), a.as_os_str(), b.as_os_str(), "-o".as_ref()];
    let one = at("one.glb");
    let run = rigview(args.into_iter().chain([one.as_os_str()])).failed(2);
    assert!(!one.exists(), "{}", run.ended());
    let pattern = at("{name}.glb");
    rigview(args.into_iter().chain([pattern.as_os_str()])).done();
    same(&a, &at("a.glb"));
    same(&b, &at("b.glb"));
}

/// Clips that are chosen, or from another file, are written with their own keys.
#[test]
fn chosen_clips_and_those_of_other_files_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    SmallModel::new().clip("Turn").clip("Rest").write_gltf(&at("rig.gltf"));
    let (rig, out) = (at("rig.gltf"), at("out.glb"));
    let turn = ["--clip", "Turn", "-o"].map(OsStr::new);
    let said = convert(&[&[rig.as_os_str()], &turn[..], &[out.as_os_str()]].concat());
    assert_eq!(said[0]["largest_mm"], 0.0);
    let model = load(&out, &ImportOptions::default()).unwrap().model;
    let names: Vec<_> = model.clips.iter().map(|clip| clip.name().unwrap()).collect();
    assert_eq!(names, ["Turn"]);
    let original = load(&rig, &ImportOptions::default()).unwrap().model;
    assert_eq!(model.clips[0].channels(), original.clips[0].channels());
    let borrowed = at("borrowed.glb");
    let from = ["--clips-from".as_ref(), out.as_os_str(), "-o".as_ref(), borrowed.as_os_str()];
    convert(&[&[rig.as_os_str()], &from[..]].concat());
    assert_eq!(load(&borrowed, &ImportOptions::default()).unwrap().model.clips.len(), 1);
    let exact = ["--map", "exact"].map(OsStr::new);
    let before = std::fs::read(&borrowed).unwrap();
    convert(&[&[rig.as_os_str()], &from[..], &exact[..]].concat());
    assert_eq!(std::fs::read(&borrowed).unwrap(), before);
}

/// What was read from an FBX file is keys already, so how far these are from its curves is said beside the distance.
#[cfg(feature = "fbx")]
#[test]
fn how_far_keys_are_from_the_curves_of_the_source_is_said() {
    use crate::support::{Curve, Fbx};
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (folder.path().join("turn.fbx"), folder.path().join("turn.glb"));
    let mut file = Fbx::new();
    let bone = file.node("bone", "LimbNode", 0, &[]);
    let take = file.take("Turn", 0.0, 2.0);
    file.animate(take, bone, ["Lcl Rotation", "d|X"], Curve::Cubic, &[[0.0, 0.0], [2.0, 90.0]]);
    std::fs::write(&input, file.bytes()).unwrap();
    let said = convert(&[input.as_os_str(), "-o".as_ref(), out.as_os_str()]);
    assert_eq!(said[0]["curves_mm"], 0.01, "{}", said[0]);
    // The result has keys itself.
    let again = folder.path().join("again.glb");
    let said = convert(&[out.as_os_str(), "-o".as_ref(), again.as_os_str()]);
    assert_eq!(said[0]["curves_mm"], Value::Null, "{}", said[0]);
}
