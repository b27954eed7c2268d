//! Motions of reports and their goldens as numbers.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use rigview::glam::Vec3;
use rigview::model::{Model, Stage};
use rigview::suite::{Poses, Results, motion_scripts, page};

use super::{browser, creature, golden, model};
use crate::support::{Browser, checkout, models_below, shared};

/// Models of every kind of motion: joints and their influences, rigid nodes, morph targets, quantized meshes,
/// instances.
const MODELS: [&str; 10] = [
    "CesiumMan/glTF-Binary/CesiumMan.glb",
    "Fox/glTF/Fox.gltf",
    "RiggedSimple/glTF-Binary/RiggedSimple.glb",
    "BoxAnimated/glTF-Binary/BoxAnimated.glb",
    "AnimatedMorphCube/glTF-Quantized/AnimatedMorphCube.gltf",
    "MorphStressTest/glTF-Binary/MorphStressTest.glb",
    "RecursiveSkeletons/glTF-Binary/RecursiveSkeletons.glb",
    "SimpleInstancing/glTF-Binary/SimpleInstancing.glb",
    "Synth/SynthRig143",
    "Synth/SynthThreeSets",
];

/// The player's vertices are where [`Stage::deformed`] puts them: those of its arithmetic, and those that its vertex
/// shader writes, of the result and of the reference.
#[test]
fn the_player_poses_every_vertex_where_the_program_does() {
    const TEST: &str = "the_player_poses_every_vertex_where_the_program_does";
    let Some(mut browser) = browser(TEST) else { return };
    let mut files = vec![checkout().join("assets/creature.glb")];
    if let Some(shared) = shared(TEST) {
        let path = |name: &str| shared.join("models").join(name);
        files.extend(MODELS.iter().map(|name| path(name)));
    }
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("index.html");
    std::fs::write(&index, page(&Results::default(), &BTreeMap::new())).unwrap();
    browser.open(&index, "");
    browser.run(include_str!("positions.js"));
    let mut compared = 0;
    for file in files {
        let file = match file.is_dir() {
            true => models_below(&file).remove(0),
            false => file,
        };
        compared += compare(&mut browser, &file);
    }
    assert!(compared > 10_000, "{compared} vertices");
    assert_eq!(browser.errors, Vec::<String>::new());
}

fn compare(browser: &mut Browser, file: &Path) -> usize {
    let model = model(file);
    let clip = model.clips.first();
    let mut stage = Stage::new(&model, model.default_scene);
    let (stored, _) = Poses::from_bytes(&golden(&model).to_bytes(&[])).unwrap();
    assert_eq!(stored, golden(&model), "{}", file.display());
    let scripts = motion_scripts(&model, &mut stage, clip, Some(&stored));
    let data = |script: &str| script.split('"').nth(1).unwrap().to_owned();
    let [result, reference] =
        [&scripts.result, scripts.reference.as_ref().unwrap()].map(|s| data(s));
    browser.run(&format!("loadMotionForTest('{result}', '{reference}')"));
    let number = |value: serde_json::Value| value.as_f64().unwrap();
    let frames = number(browser.run("view.motion.frames")) as usize;
    let size = stage.bounds(&model).size().length();
    let mut compared = 0;
    for frame in [frames / 3, frames - 1] {
        let time = number(browser.run(&format!("timeOf(view.motion, {frame})")));
        stage.pose(&model, clip, time);
        let expected = expected(&model, &stage);
        for side in ["result", "reference"] {
            for how in ["posedOnCpu", "posedOnGpu"] {
                let got = browser.run(&format!("{how}('{side}', {frame})"));
                let got = base64::engine::general_purpose::STANDARD
                    .decode(got.as_str().unwrap())
                    .unwrap();
                let got: &[[f32; 3]] = &bytemuck::pod_collect_to_vec::<u8, [f32; 3]>(&got);
                assert_eq!(got.len(), expected.len(), "{} {how}", file.display());
                for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
                    let off = Vec3::from(*got).distance(*expected);
                    let place = format!("{} {how} {side} frame {frame} vertex {i}", file.display());
                    assert!(off <= 1e-5 * size, "{place}: {got:?} and {expected}");
                }
                compared += expected.len();
            }
        }
    }
    compared
}

/// The posed vertices of all primitives of a scene, in the order of the player.
fn expected(model: &Model, stage: &Stage) -> Vec<Vec3> {
    let mut all = Vec::new();
    for &node in &stage.nodes {
        let Some(mesh) = model.nodes[node].mesh else { continue };
        for primitive in 0..model.meshes[mesh].primitives.len() {
            let at_node = stage.deformed(model, node, primitive).unwrap();
            let world = *stage.world.world_from_node(node);
            match model.nodes[node].instances.as_slice() {
                [] => all.extend(at_node),
                instances => all.extend(instances.iter().flat_map(|instance| {
                    let moved = world * *instance * world.inverse();
                    at_node.iter().map(move |at| moved.transform_point3(*at))
                })),
            }
        }
    }
    all
}

/// A golden that is cut, changed or made of other numbers is an error in words.
#[test]
fn a_broken_golden_motion_is_an_error_in_words() {
    let bytes = golden(&creature()).to_bytes(&["{}".to_owned()]);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let header = text.lines().nth(1).unwrap();
    let replaced = |from: &str, to: &str| {
        assert!(header.contains(from), "{header}");
        let line = bytes.windows(header.len()).position(|w| w == header.as_bytes()).unwrap();
        let mut out = bytes[..line].to_vec();
        out.extend(header.replace(from, to).bytes());
        out.extend(&bytes[line + header.len()..]);
        out
    };
    let broken = [
        (Vec::new(), "no motion of rigview"),
        (b"rigview motion 1\n{}".to_vec(), "another version"),
        (bytes[..40].to_vec(), "no header"),
        (bytes[..bytes.len() - 9].to_vec(), "broken"),
        ([bytes.clone(), vec![0]].concat(), "cut or changed"),
        (replaced("\"every\":1", "\"every\":0"), "times are out of range"),
        (replaced("\"frames\":", "\"frames\":9"), "times are out of range"),
        (replaced("\"weights\":[", "\"weights\":[99999999999,"), "other nodes"),
        (replaced("\"weights\":[", "\"weights\":[-1"), "its header"),
        (replaced("\"weights\":[", "\"weights\":[99999999999"), "too large"),
        (replaced("\"weights\":[", "\"weights\":[1"), "cut or changed"),
        (replaced("\"looks\":1", "\"looks\":2"), "broken"),
        (replaced("\"looks\":1", "\"looks\":99999999999"), "too few looks"),
        (replaced("\"every\"", "\"often\""), "unknown field"),
    ];
    for (bytes, words) in broken {
        let message = Poses::from_bytes(&bytes).unwrap_err().to_string();
        assert!(message.contains(words) && message.contains("--bless"), "{words}: {message}");
    }
    // Any other damage gives an error or other numbers, and no panic.
    for at in (0..bytes.len()).step_by(97) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x55;
        let _ = Poses::from_bytes(&bytes);
    }
}

/// The golden of another rig is left out, and the page gets a sentence that says why.
#[test]
fn a_reference_of_another_rig_is_left_out() {
    let (model, mut other) = (creature(), golden(&creature()));
    let stride = other.stride();
    other.movers.remove(0);
    other.values = other.values.chunks(stride).flat_map(|frame| frame[12..].to_vec()).collect();
    let mut stage = Stage::new(&model, model.default_scene);
    let scripts = motion_scripts(&model, &mut stage, model.clips.first(), Some(&other));
    assert_eq!(scripts.reference, None);
    let with = motion_scripts(&model, &mut stage, model.clips.first(), Some(&golden(&model)));
    assert!(with.reference.is_some());
    assert_eq!(
        with,
        motion_scripts(&model, &mut stage, model.clips.first(), Some(&golden(&model)))
    );
}
