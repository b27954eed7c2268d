//! Crowds on the software adapter: which characters are drawn, the number of draws, and the GPU's timing.

use rigview::capture::{Crowd, CrowdError, Picture, picture, session};
use rigview::import::{ImportOptions, load_bytes};
use rigview::model::Model;
use rigview::render::Gpu;
use rigview::session::{FileSource, SessionOptions};

use crate::support::{Shape, gpu};

const CREATURE: &[u8] = include_bytes!("../../assets/creature.glb");
const COUNT: usize = 13;
const SIZE: [u32; 2] = [400, 300];

fn creature(joint_limit: usize) -> Model {
    let options = ImportOptions { joint_limit, ..ImportOptions::default() };
    load_bytes(CREATURE.to_vec(), &options).unwrap().model
}

fn crowd<'a>(gpu: &Gpu, model: &'a Model) -> Crowd<'a> {
    let mut crowd = Crowd::new(gpu, model, model.clips.first(), COUNT, SIZE).unwrap();
    for (i, time) in crowd.times_secs.iter_mut().enumerate() {
        *time = 0.07 * i as f64;
    }
    crowd
}

fn shown(gpu: &Gpu, crowd: &mut Crowd<'_>) -> Vec<u8> {
    crowd.draw(gpu).unwrap();
    match crowd.picture(gpu).unwrap() {
        Picture::Rgba8 { bytes, .. } => bytes,
        other => panic!("{other:?}"),
    }
}

/// Returns the number of pixels in which two pictures differ clearly, and the width of the box around them.
/// Shadows and occlusion reach farther, but faintly.
fn difference(a: &[u8], b: &[u8]) -> (usize, usize) {
    let other = |i: &usize| (4 * i..4 * i + 4).any(|byte| a[byte].abs_diff(b[byte]) > 24);
    let columns: Vec<usize> =
        (0..a.len() / 4).filter(other).map(|i| i % SIZE[0] as usize).collect();
    let width = columns.iter().max().unwrap_or(&0) - columns.iter().min().unwrap_or(&0);
    (columns.len(), width)
}

#[test]
fn each_of_a_crowd_has_a_pose_and_a_place_of_its_own() {
    let gpu = gpu();
    let model = creature(100);
    let mut crowd = crowd(&gpu, &model);
    let before = shown(&gpu, &mut crowd);
    assert_eq!(shown(&gpu, &mut crowd), before, "the same again");
    for character in 0..COUNT {
        let time = crowd.times_secs[character];
        crowd.times_secs[character] += 0.4;
        let (pixels, width) = difference(&before, &shown(&gpu, &mut crowd));
        assert!(pixels > 20, "character {character} stands still: {pixels} pixels");
        assert!(width < SIZE[0] as usize / 2, "character {character}: {width} pixels wide");
        crowd.times_secs[character] = time;
    }
}

/// Parts with eight joints bind other ranges of the buffer than those with a hundred.
#[test]
fn a_crowd_looks_the_same_however_its_palettes_lie() {
    let gpu = gpu();
    let (whole, parts) = (creature(100), creature(8));
    let pictures = [&whole, &parts].map(|model| shown(&gpu, &mut crowd(&gpu, model)));
    let off = pictures[0].iter().zip(&pictures[1]).filter(|(a, b)| a.abs_diff(**b) > 2).count();
    assert!(off * 1000 < pictures[0].len(), "{off} of {} bytes", pictures[0].len());
}

#[test]
fn a_crowd_is_drawn_whole_by_fewer_calls_than_it_has_heads() {
    let gpu = gpu();
    // Palettes of eight joints, and no morph weights, which every character would need separately.
    let mut model = creature(8);
    model.meshes.iter_mut().flat_map(|m| &mut m.primitives).for_each(|p| p.targets.clear());
    let mut crowd = crowd(&gpu, &model);
    crowd.draw(&gpu).unwrap();
    gpu.wait();
    let drawn = crowd.drawn();
    let each: usize =
        model.meshes.iter().flat_map(|m| &m.primitives).map(|p| p.indices.len() / 3).sum();
    assert_eq!(drawn.triangles, (COUNT * each) as u64);
    let parts: usize = model.meshes.iter().flat_map(|m| &m.primitives).map(|p| p.parts.len()).sum();
    assert!(drawn.draws <= 2 * parts as u64, "{drawn:?}");
    gpu.check().unwrap();
}

#[test]
fn the_gpu_tells_the_time_of_each_pass_where_it_can() {
    let gpu = gpu();
    let model = creature(100);
    let mut crowd = crowd(&gpu, &model);
    crowd.draw(&gpu).unwrap();
    assert_eq!(crowd.pass_times(&gpu), [], "nobody asked");
    crowd.time_passes(&gpu);
    for _ in 0..5 {
        crowd.draw(&gpu).unwrap();
        gpu.wait();
    }
    let times = crowd.pass_times(&gpu);
    if gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
        let names: Vec<&str> = times.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["shadow", "contact", "occlusion", "scene", "finish"]);
        assert!(times.iter().all(|(_, ms)| (0.0..60e3).contains(ms)), "{times:?}");
    } else {
        assert_eq!(times, []);
    }
    gpu.check().unwrap();
}

#[test]
fn too_many_for_a_picture_are_told_so() {
    let model = creature(100);
    let many = Crowd::new(&gpu(), &model, None, 5000, [64, 64]).err();
    let Some(CrowdError::TooMany { height, .. }) = many else { panic!("{many:?}") };
    assert!(height < 20.0, "{height}");
}

#[test]
fn a_picture_of_a_plain_model_builds_eight_pipelines_at_most() {
    let gpu = gpu();
    let loaded = load_bytes(CREATURE.to_vec(), &ImportOptions::default()).unwrap();
    let source = FileSource::BuiltIn { name: "creature", bytes: CREATURE };
    let mut session = session(source, loaded, SessionOptions::default());
    picture(&gpu, &mut session, [64, 64]).unwrap();
    let built = gpu.pipelines_built();
    // The model, its shadow, its contact with the ground, its shape, two of occlusion, ground and last pass.
    assert!((1..=8).contains(&built), "{built}");
}

/// The number of draw calls depends on the meshes, not on the number of nodes that draw them.
#[test]
fn one_mesh_at_many_nodes_is_drawn_by_one_call() {
    let gpu = gpu();
    let drawn = |nodes: usize| {
        let mut file: serde_json::Value = serde_json::from_slice(&Shape::square().gltf()).unwrap();
        file["nodes"] = serde_json::json!(vec![serde_json::json!({"mesh": 0}); nodes]);
        file["scenes"] = serde_json::json!([{"nodes": (0..nodes).collect::<Vec<_>>()}]);
        let bytes = file.to_string().into_bytes();
        let model = load_bytes(bytes, &ImportOptions::default()).unwrap().model;
        let mut crowd = Crowd::new(&gpu, &model, None, 1, SIZE).unwrap();
        crowd.draw(&gpu).unwrap();
        gpu.wait();
        crowd.drawn()
    };
    let (one, many) = (drawn(1), drawn(50));
    assert_eq!(many.triangles, 50 * one.triangles);
    assert_eq!(many.draws, one.draws);
}
