//! `bake`: loads the written file and compares its poses with those of the original at every baked time.

use std::path::{Path, PathBuf};

use rigview::anim::Clip;
use rigview::import::{ImageDecoding, ImportOptions, load};
use rigview::model::{Model, Stage};
use serde_json::{Value, json};

use crate::support::{Glb, SmallModel, for_each, rigview, say_at_the_end, shared};

/// Maximum difference between poses, relative to the larger number if that is above 1.
const TOLERANCE: f32 = 1e-4;

/// Files with clips of all kinds: skins, morph targets, all interpolations, odd keys, nodes with matrices,
/// glTF 1.0, compressed geometry and animations, animation pointers.
const FILES: [&str; 20] = [
    "CesiumMan/glTF-Binary/CesiumMan.glb",
    "CesiumMan/glTF/CesiumMan.gltf",
    "CesiumMan/glTF-Draco/CesiumMan.gltf",
    "Fox/glTF-Binary/Fox.glb",
    "Fox/glTF/Fox.gltf",
    "InterpolationTest/glTF-Binary/InterpolationTest.glb",
    "BoxAnimated/glTF-Embedded/BoxAnimated.gltf",
    "AnimatedMorphCube/glTF/AnimatedMorphCube.gltf",
    "AnimatedMorphCube/glTF-Quantized/AnimatedMorphCube.gltf",
    "PipelineBoxMorph/box-morph.gltf",
    "RecursiveSkeletons/glTF-Binary/RecursiveSkeletons.glb",
    "CesiumMilkTruck/glTF-Binary/CesiumMilkTruck.glb",
    "BlenderIO/24_animation_pointer/24_animation_pointer.gltf",
    "Meshopt/Fox-cc.glb",
    "Meshopt/AnimatedMorphCube-cc.glb",
    "Meshopt/RecursiveSkeletons-cc.glb",
    "1.0/CesiumMan/glTF/CesiumMan.gltf",
    "1.0/BoxAnimated/glTF-Binary/BoxAnimated.glb",
    "SimpleMorph/glTF/SimpleMorph.gltf",
    "SimpleSkin/glTF/SimpleSkin.gltf",
];

fn read(file: &Path) -> Model {
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    load(file, &options).unwrap_or_else(|e| panic!("{}: {e}", file.display())).model
}

fn bake(file: &Path, out: &Path, more: &[&str]) -> crate::support::Run {
    let mut args: Vec<&std::ffi::OsStr> = vec!["bake".as_ref(), file.as_ref(), "-o".as_ref()];
    args.push(out.as_ref());
    args.extend(more.iter().map(<_ as AsRef<std::ffi::OsStr>>::as_ref));
    rigview(args)
}

/// Returns the largest differences between two files' poses at the baked times: of local transforms, of
/// world transforms and of morph weights.
fn apart(before: &Model, clip: &Clip, after: &Model) -> f32 {
    let baked = &after.clips[0];
    assert_eq!(baked.duration_secs(), clip.duration_secs());
    let mut times: Vec<f32> = baked.channels().iter().flat_map(|c| c.times()).copied().collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    let (mut a, mut b) = (Stage::new(before, 0), Stage::new(after, 0));
    let mut worst = 0.0f32;
    let mut see = |x: f32, y: f32| {
        let off = (x - y).abs() / x.abs().max(1.0);
        worst = worst.max(if off.is_nan() { f32::INFINITY } else { off });
    };
    for time in &times {
        a.pose(before, Some(clip), f64::from(*time));
        b.pose(after, Some(baked), f64::from(*time));
        for node in 0..before.nodes.len() {
            let (x, y) = (a.local.transform(node), b.local.transform(node));
            let side = if x.rotation.dot(y.rotation) < 0.0 { -1.0 } else { 1.0 };
            let pairs = |x: &[f32], y: &[f32], see: &mut dyn FnMut(f32, f32)| {
                x.iter().zip(y).for_each(|(x, y)| see(*x, *y));
            };
            pairs(&x.translation.to_array(), &y.translation.to_array(), &mut see);
            pairs(&x.rotation.to_array(), &(y.rotation * side).to_array(), &mut see);
            pairs(&x.scale.to_array(), &y.scale.to_array(), &mut see);
            pairs(a.local.weights(node), b.local.weights(node), &mut see);
            let (x, y) = (a.scene_from_node(node), b.scene_from_node(node));
            pairs(&x.to_cols_array(), &y.to_cols_array(), &mut see);
        }
    }
    assert!(times.len() > 1 || clip.duration_secs() == 0.0);
    worst
}

/// Asserts that both files have the same meshes, materials and skins.
fn assert_kept(before: &Model, after: &Model, what: &str) {
    let counts = |m: &Model| {
        [
            m.nodes.len(),
            m.meshes.len(),
            m.skins.len(),
            m.materials.len(),
            m.textures.len(),
            m.images.len(),
            m.cameras.len(),
            m.lights.len(),
            m.scenes.len(),
            m.variants.len(),
        ]
    };
    assert_eq!(counts(before), counts(after), "{what}");
    assert_eq!(before.nodes, after.nodes, "{what}");
    // Material layers that get their strength only from an animation are removed with it.
    if before.slots.is_empty() {
        assert_eq!(before.materials, after.materials, "{what}");
    }
    for (a, b) in before.skins.iter().zip(&after.skins) {
        assert_eq!(a, b, "{what}");
    }
    for (a, b) in before.meshes.iter().zip(&after.meshes) {
        for (a, b) in a.primitives.iter().zip(&b.primitives) {
            assert_eq!(
                (&a.vertices, &a.indices, &a.targets),
                (&b.vertices, &b.indices, &b.targets),
                "{what}"
            );
        }
    }
    for (a, b) in before.images.iter().zip(&after.images) {
        assert_eq!((a.width, a.height, &a.mime), (b.width, b.height, &b.mime), "{what}");
    }
}

/// Asserts that a document has no empty lists and refers to no other file.
fn assert_well_formed(glb: &Glb, what: &str) {
    let json = &glb.json;
    assert!(json["asset"]["generator"].as_str().unwrap().starts_with("rigview "), "{what}");
    let list = |key: &str| json[key].as_array().cloned().unwrap_or_default();
    for (key, value) in json.as_object().unwrap() {
        assert_ne!(value, &json!([]), "{what}: {key} is empty");
    }
    for (i, buffer) in list("buffers").iter().enumerate() {
        assert_eq!(buffer.get("uri"), None, "{what}: buffer {i}");
    }
    assert_eq!(json["buffers"][0]["byteLength"], glb.bin.len(), "{what}");
    assert!(list("images").iter().all(|image| image.get("uri").is_none()), "{what}");
    let animations = list("animations");
    assert_eq!(animations.len(), 1, "{what}");
    let accessors = list("accessors");
    for sampler in animations[0]["samplers"].as_array().unwrap() {
        let input = &accessors[sampler["input"].as_u64().unwrap() as usize];
        let output = &accessors[sampler["output"].as_u64().unwrap() as usize];
        assert_eq!((&input["componentType"], &input["type"]), (&json!(5126), &json!("SCALAR")));
        assert!(input["min"][0].is_number() && input["max"][0].is_number(), "{what}");
        let (keys, values) = (input["count"].as_u64().unwrap(), output["count"].as_u64().unwrap());
        assert_eq!(values % keys, 0, "{what}");
    }
    for (i, view) in list("bufferViews").iter().enumerate() {
        let number = |key: &str| view[key].as_u64().unwrap_or(0);
        if view["buffer"] == 0 {
            let end = number("byteOffset") + number("byteLength");
            assert!(end <= glb.bin.len() as u64, "{what}: view {i}");
        }
    }
    for accessor in &accessors {
        let Some(view) = accessor["bufferView"].as_u64() else { continue };
        let offset = |value: &Value| value["byteOffset"].as_u64().unwrap_or(0);
        let size = match accessor["componentType"].as_u64().unwrap() {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        };
        assert_eq!(
            (offset(&list("bufferViews")[view as usize]) + offset(accessor)) % size,
            0,
            "{what}"
        );
    }
    let wants_pointers = list("extensionsUsed").contains(&json!("KHR_animation_pointer"));
    assert!(!wants_pointers, "{what}");
}

#[test]
fn a_baked_file_has_the_same_poses_and_everything_else() {
    let Some(shared) = shared("a_baked_file_has_the_same_poses_and_everything_else") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut files: Vec<PathBuf> = FILES.iter().map(|f| shared.join("models").join(f)).collect();
    files.extend(crate::support::models_below(&shared.join("models/Synth/SynthOddClips")));
    let numbered: Vec<(usize, &PathBuf)> = files.iter().enumerate().collect();
    let done = for_each(&numbered, |(i, file)| {
        let before = read(file);
        let mut worst = 0.0f32;
        for clip in 0..before.clips.len() {
            let what = format!("{}, clip {clip}", file.display());
            let out = folder.path().join(format!("{i}-{clip}.glb"));
            let run = bake(file, &out, &["--clip", &clip.to_string(), "--fps", "30"]);
            if before.clips[clip].channels().is_empty() {
                assert!(
                    run.code == Some(2) && run.stderr.contains("moves nothing"),
                    "{what}: {}",
                    run.ended()
                );
                continue;
            }
            run.done();
            let after = read(&out);
            let off = apart(&before, &before.clips[clip], &after);
            assert!(off <= TOLERANCE, "{what}: {off:e} apart");
            worst = worst.max(off);
            assert_kept(&before, &after, &what);
            assert_eq!(before.clips[clip].name(), after.clips[0].name(), "{what}");
            assert_well_formed(&Glb::read(&out), &what);
        }
        worst
    });
    let worst = done.into_iter().fold(0.0, f32::max);
    say_at_the_end(format!("{} files baked, poses at most {worst:.1e} apart", files.len()));
}

#[test]
fn all_clips_at_once_and_clips_of_another_file_are_baked_too() {
    let Some(shared) = shared("all_clips_at_once_and_clips_of_another_file_are_baked_too") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.glb");
    let fox = shared.join("models/Fox/glTF-Binary/Fox.glb");
    bake(&fox, &out, &["--all-clips"]).done();
    let (before, after) = (read(&fox), read(&out));
    let all = Clip::all_at_once(&before.clips);
    assert!(apart(&before, &all, &after) <= TOLERANCE);
    // 60 frames per second, and one at the end.
    let keys = after.clips[0].channels().iter().map(|c| c.times().len()).max();
    let is_before_the_end = |frame: &u32| ((f64::from(*frame) / 60.0) as f32) < all.duration_secs();
    assert_eq!(keys, Some((0..).take_while(is_before_the_end).count() + 1));

    let clips = fox.to_string_lossy().into_owned();
    bake(&fox, &out, &["--clips-from", &clips, "--clip", "Run", "--fps", "24"]).done();
    let after = read(&out);
    assert_eq!(after.clips[0].name(), Some("Run"));
    let run = before.clips.iter().find(|c| c.name() == Some("Run")).unwrap();
    assert!(apart(&before, run, &after) <= TOLERANCE);
    // The old keys are removed, so the file is smaller than before.
    let (old, new) = (Glb::read(&fox).bin.len(), Glb::read(&out).bin.len());
    assert!(new < old, "{new} bytes of {old}");
}

#[test]
fn what_can_not_be_baked_is_said_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let out = path("out.glb");
    SmallModel::new().write_gltf(&path("none.gltf"));
    SmallModel::new().clip("Turn").write_gltf(&path("turn.gltf"));
    std::fs::write(path("turn.glb"), SmallModel::new().clip("Empty").glb()).unwrap();
    let mut empty = Glb::read(&path("turn.glb"));
    empty.json["animations"][0]["channels"] = json!([]);
    empty.write(&path("empty.glb"));
    for (file, more, code, says) in [
        ("none.gltf", &[][..], 2, "the file has no clips"),
        ("turn.gltf", &["--clip", "Jump"], 2, "Turn"),
        ("turn.gltf", &["--fps", "1e12"], 2, "lower rate"),
        ("missing.glb", &[], 3, "missing.glb"),
    ] {
        let run = bake(&path(file), &out, more).failed(code);
        assert!(run.stderr.contains(says), "{file}: {}", run.stderr);
        assert!(!out.exists(), "{file}");
    }
    // A warning about the empty clip comes first.
    let run = bake(&path("empty.glb"), &out, &[]);
    assert_eq!(run.code, Some(2), "{}", run.ended());
    assert!(run.stderr.contains("clip \"Empty\" moves nothing to bake"), "{}", run.stderr);
    let run = bake(&path("turn.gltf"), &path("no/such/folder.glb"), &[]).failed(5);
    assert!(run.stderr.contains("can't be written"), "{}", run.stderr);
    bake(&path("turn.gltf"), &path("{model}-{clip}.glb"), &[]).done();
    assert!(path("turn-Turn.glb").exists());
}
