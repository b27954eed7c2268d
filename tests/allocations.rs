//! A frame allocates nothing once a clip and a stage are in use. A counting global allocator checks it,
//! so this is a test program of its own.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use glam::{Affine3A, Mat4, Quat, Vec3};
use rigview::anim::{
    BlendLayer, Channel, Clip, ClipParts, Hierarchy, Keys, LocalPose, Skin, Track, Transform, Value,
};
use rigview::capture::Crowd;
use rigview::import::{ImportOptions, load_bytes};
use rigview::model::{Model, Node, Scene, Stage};
use rigview::render::{AdapterChoice, Gpu};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, which counts the allocations of each thread.
struct Counting;

// SAFETY: every call is forwarded to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        // SAFETY: the caller upholds the contract of the allocator.
        unsafe { System.alloc(layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        // SAFETY: the caller upholds the contract of the allocator.
        unsafe { System.realloc(at, layout, size) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract of the allocator.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const NODES: usize = 21;

fn track<T: Value>(from: usize, value: impl Fn(f32) -> T) -> Track<T> {
    let times: Vec<f32> = (from..from + 9).map(|k| k as f32 / 4.0).collect();
    let values = times.iter().map(|t| value(*t)).collect();
    Track::new(times, Keys::Linear(values), 1).unwrap()
}

/// A clip with channels that share their key times and channels that do not, STEP and CUBICSPLINE keys, and
/// morph weights.
fn model() -> Model {
    let mut channels = Vec::new();
    for node in 0..NODES {
        let turns = track(node % 3, |t| Quat::from_rotation_x(t + node as f32));
        channels.push(Channel::Rotation { node, track: turns });
        let moves = track(0, |t| Vec3::new(t, node as f32, 0.0));
        channels.push(Channel::Translation { node, track: moves });
    }
    let steps = Keys::Step(vec![Vec3::ONE, Vec3::splat(2.0)]);
    let steps = Track::new(vec![0.1, 0.7], steps, 1).unwrap();
    channels.push(Channel::Scale { node: 2, track: steps });
    let slow = vec![Quat::IDENTITY; 2];
    let turn = vec![Quat::IDENTITY, Quat::from_rotation_y(1.0)];
    let cubic = Keys::Cubic { in_tangents: slow.clone(), values: turn, out_tangents: slow };
    let cubic = Track::new(vec![0.3, 1.9], cubic, 1).unwrap();
    channels.push(Channel::Rotation { node: 5, track: cubic });
    let weights = Track::new(vec![0.0, 1.0], Keys::Linear(vec![0.0, 1.0, 1.0, 0.0]), 2).unwrap();
    channels.push(Channel::Weights { node: 0, first: 0, track: weights });
    let mut weights = vec![vec![]; NODES];
    weights[0] = vec![0.0; 2];
    let parents = (0..NODES as u32).map(|i| i.checked_sub(1)).collect();
    Model {
        scenes: vec![Scene { name: None, roots: vec![0] }],
        nodes: vec![Node::default(); NODES],
        hierarchy: Hierarchy::new(parents, vec![]).unwrap(),
        rest: LocalPose::new(vec![Transform::IDENTITY; NODES], &weights),
        skins: vec![Skin {
            name: None,
            joints: (0..NODES as u32).collect(),
            joint_from_mesh: vec![Affine3A::IDENTITY; NODES],
        }],
        clips: vec![Clip::new(ClipParts { channels, duration_secs: 3.0, ..ClipParts::default() })],
        ..Model::default()
    }
}

#[test]
fn a_frame_allocates_nothing() {
    let model = model();
    let clip = Some(&model.clips[0]);
    let mut stage = Stage::new(&model, 0);
    let joints: Vec<u16> = (0..NODES as u16).collect();
    let mut palette = vec![Mat4::IDENTITY; NODES];
    // The first use prepares the clip.
    stage.pose(&model, clip, 0.0);
    let before = ALLOCATIONS.with(Cell::get);
    assert!(before > 0, "the count does not count");
    for i in 0..500 {
        let time = if i % 2 == 0 { f64::from(i) / 60.0 } else { f64::from(i * 37 % 100) / 25.0 };
        stage.pose(&model, clip, time);
        model.skins[0].write_palette(&joints, &stage.world, &mut palette);
        stage.pose(&model, None, 0.0);
    }
    assert_eq!(ALLOCATIONS.with(Cell::get) - before, 0);
}

#[test]
fn a_frame_of_layers_allocates_nothing() {
    let mut model = model();
    let mut other = model.clips[0].clone().into_parts();
    other.channels.truncate(NODES);
    model.clips.push(Clip::new(other));
    let mut stage = Stage::new(&model, 0);
    let clips: Vec<&Clip> = model.clips.iter().collect();
    let layer = |clip| BlendLayer { weight: 0.5, ..BlendLayer::new(&clips, clip, &model.rest) };
    let mut layers = vec![layer(0), layer(1), layer(0)];
    layers[2].reference = Some(model.rest.clone());
    // The first use prepares the clips and allocates the buffers.
    stage.pose_layers(&model, &clips, &layers);
    let before = ALLOCATIONS.with(Cell::get);
    assert!(before > 0, "the count does not count");
    for i in 0..500 {
        for (k, layer) in layers.iter_mut().enumerate() {
            layer.time_secs = f64::from(i * 37 % 100) / 25.0 + k as f64 / 10.0;
            layer.weight = f64::from(i % 3) as f32 / 2.0;
        }
        let shown = 1 + i as usize % layers.len();
        stage.pose_layers(&model, &clips, &layers[..shown]);
        stage.pose_layers(&model, &clips, &layers);
    }
    assert_eq!(ALLOCATIONS.with(Cell::get) - before, 0);
}

/// Allocations of a frame of `count` characters, from posing them to submitting the GPU work, once all
/// resources exist.
fn allocations_of_a_crowd(gpu: &Gpu, model: &Model, count: usize) -> usize {
    let clip = model.clips.first();
    let mut crowd = Crowd::new(gpu, model, clip, count, [512, 512]).unwrap();
    let mut frame = |i: usize| {
        for (k, time) in crowd.times_secs.iter_mut().enumerate() {
            *time = (i as f64 / 60.0 + k as f64 / 10.0) % 1.0;
        }
        let before = ALLOCATIONS.with(Cell::get);
        crowd.draw(gpu).unwrap();
        let asked = ALLOCATIONS.with(Cell::get) - before;
        gpu.wait();
        asked
    };
    // The first frames create the resources of the others.
    (0..4).for_each(|i| {
        frame(i);
    });
    (4..9).map(frame).min().unwrap()
}

/// wgpu allocates in every frame for its own bookkeeping. rigview adds nothing to that, whatever the number of
/// characters.
#[test]
fn a_frame_of_a_large_crowd_asks_for_no_more_than_one_of_half_of_it() {
    let software = cfg!(target_os = "linux").then(|| "software".to_owned());
    let choice = AdapterChoice { adapter: software, backend: None };
    let gpu = Gpu::headless(&choice).unwrap();
    let rig = include_bytes!("../assets/creature.glb");
    let mut model = load_bytes(rig.to_vec(), &ImportOptions::default()).unwrap().model;
    // One triangle per part is enough to count allocations.
    for primitive in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        primitive.parts.iter_mut().for_each(|part| part.indices.end = part.indices.start + 3);
    }
    let [half, whole] = [100, 200].map(|count| allocations_of_a_crowd(&gpu, &model, count));
    // Lists in wgpu that grow with the number of calls are reallocated when they have to double.
    assert!(whole <= half + 40, "{half} and {whole} allocations");
    gpu.check().unwrap();
}
