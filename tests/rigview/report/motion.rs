//! Motions of reports as numbers.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use rigview::glam::Vec3;
use rigview::model::{Model, Stage};
use rigview::suite::{Results, motion_scripts, page};

use super::{browser, creature, model};
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

/// The vertices that the player's vertex shader writes, of the result and of the reference, are where [`Stage::deformed`] puts
/// them.
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
    let scripts = motion_scripts(&model, Some(&model));
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
            let got = browser.run(&format!("posedOnGpu('{side}', {frame})"));
            let got =
                base64::engine::general_purpose::STANDARD.decode(got.as_str().unwrap()).unwrap();
            let got: &[[f32; 3]] = &bytemuck::pod_collect_to_vec::<u8, [f32; 3]>(&got);
            assert_eq!(got.len(), expected.len(), "{}", file.display());
            for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
                let off = Vec3::from(*got).distance(*expected);
                let place = format!("{} {side} frame {frame} vertex {i}", file.display());
                // Numbers are rounded to 16 binary digits.
                assert!(off <= 1e-4 * size, "{place}: {got:?} and {expected}");
            }
            compared += expected.len();
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

/// A reference of another rig is shown as it is.
#[test]
fn scripts_are_the_same_each_time_and_hold_a_reference_of_any_rig() {
    let model = creature();
    let mut other = model.clone();
    other.nodes.iter_mut().for_each(|node| node.name = None);
    other.clips.truncate(1);
    let all: Vec<_> = [None, Some(&model), Some(&other)]
        .map(|reference| motion_scripts(&model, reference))
        .into_iter()
        .collect();
    assert_eq!(all[0].reference, None);
    assert!(all.iter().all(|scripts| scripts.result == all[0].result));
    assert!(all[1].reference.is_some() && all[2].reference.is_some());
    assert_eq!(all[1], motion_scripts(&model, Some(&model)));
}
