//! Measures the time to pose many characters, each at its own time in a clip: sampling, hierarchy and joint
//! palettes, up to what is ready for upload.

use std::hint::black_box;
use std::time::Instant;

use glam::{DVec3, Mat4};
use serde::Serialize;

use rigview_anim::{Clip, Cursor, LocalPose, WorldPose};
use rigview_model::{Model, Stage};

/// Measured frames; medians are taken over these.
const FRAMES: usize = 200;
/// Frames before those.
const WARM_UP: usize = FRAMES / 10;
/// A frame is measured as a whole and in its steps.
const MEASURED_TWICE: usize = 2;
/// Characters posed between two clock readings, at least. With fewer, the clock itself would dominate.
const LEAST_POSES: usize = 100;
/// Time between two characters as a fraction of the clip.
const APART: f64 = 0.618_034;

/// Median and 95th percentile of measurements.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The 95th percentile.
    pub p95: f64,
}

/// Medians in nanoseconds per joint and character.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct NsPerJoint {
    /// Sampling the clip.
    pub sample: f64,
    /// World matrices.
    pub resolve: f64,
    /// Joint palettes.
    pub palette: f64,
    /// All steps together in their real order.
    pub total: f64,
}

/// How long posing takes.
#[derive(Clone, Copy, Debug)]
pub struct PoseSpeed {
    /// Joints of a character, or nodes of the scene if it has none.
    pub joints: usize,
    /// Measured frames.
    pub frames: usize,
    /// The time per joint.
    pub ns_per_joint: NsPerJoint,
    /// Milliseconds per frame of all characters.
    pub frame_ms: Spread,
}

impl Spread {
    /// Returns median and 95th percentile of a list that is not empty.
    pub fn new(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Self { median: times[times.len() / 2], p95: times[times.len() * 95 / 100] }
    }
}

/// Returns the number of poses that [`pose_speed`] computes for a number of characters, for a budget of work.
pub fn measured_poses(characters: usize) -> usize {
    MEASURED_TWICE * (FRAMES + WARM_UP) * LEAST_POSES.div_ceil(characters) * characters
}

/// Returns the time in seconds at which each character starts, spread over the clip.
pub fn start_times(characters: usize, clip: Option<&Clip>) -> Vec<f64> {
    let duration = clip.map_or(0.0, |clip| f64::from(clip.duration_secs()));
    (0..characters).map(|i| (APART * i as f64).fract() * duration).collect()
}

/// Measures frames of a number of characters, at least one, in the default scene. `next` returns the time that
/// follows a time, in seconds. Each step is measured separately over many frames and characters, and then
/// all steps together in their real order.
pub fn pose_speed(
    model: &Model,
    clip: Option<&Clip>,
    characters: usize,
    next: &dyn Fn(f64) -> f64,
) -> PoseSpeed {
    Crowd::new(model, clip, characters).measure(next)
}

/// One instance of the model.
#[derive(Clone)]
struct Character {
    time: f64,
    cursor: Cursor,
    palettes: Vec<Mat4>,
}

/// The poses of all instances, each at its own time in the clip.
struct Crowd<'a> {
    model: &'a Model,
    clip: Option<&'a Clip>,
    /// The palettes of a frame: the index of the skin, and the indices of its joints.
    palettes: Vec<(usize, &'a [u16])>,
    joints: usize,
    /// Intermediate poses, shared by all characters.
    local: LocalPose,
    world: WorldPose,
    characters: Vec<Character>,
}

impl<'a> Crowd<'a> {
    fn new(model: &'a Model, clip: Option<&'a Clip>, characters: usize) -> Self {
        let stage = Stage::new(model, model.default_scene);
        let joints = stage.joints(model).len();
        let mut palettes = Vec::new();
        for node in &stage.nodes {
            let node = &model.nodes[*node];
            if let (Some(mesh), Some(skin)) = (node.mesh, node.skin) {
                let parts = model.meshes[mesh].primitives.iter().flat_map(|p| &p.parts);
                palettes.extend(parts.map(|part| (skin, &part.joints[..])));
            }
        }
        // A frame writes each palette once, even if several meshes share it.
        palettes.sort_unstable();
        palettes.dedup();
        let one = Character {
            time: 0.0,
            cursor: Cursor::default(),
            palettes: vec![Mat4::IDENTITY; palettes.iter().map(|(_, joints)| joints.len()).sum()],
        };
        let at = |time| Character { time, ..one.clone() };
        // Without joints, count nodes.
        let joints = if joints == 0 { stage.nodes.len().max(1) } else { joints };
        let characters = start_times(characters, clip).into_iter().map(at).collect();
        let Stage { local, world, .. } = stage;
        Self { model, clip, palettes, joints, local, world, characters }
    }

    fn measure(&mut self, next: &dyn Fn(f64) -> f64) -> PoseSpeed {
        let rounds = LEAST_POSES.div_ceil(self.characters.len());
        let mut took: [Vec<f64>; 4] = Default::default();
        for frame in 0..FRAMES + WARM_UP {
            let whole = timed(rounds, || {
                self.advance(next);
                self.each(|this, character| {
                    this.sample(character);
                    this.resolve(character);
                    this.write_palettes(character);
                });
            });
            let parts = [
                timed(rounds, || {
                    self.advance(next);
                    self.each(Self::sample);
                }),
                timed(rounds, || self.each(Self::resolve)),
                timed(rounds, || self.each(Self::write_palettes)),
            ];
            // The first frames are warm-up.
            if frame >= WARM_UP {
                took.iter_mut().zip(parts.into_iter().chain([whole])).for_each(|(t, s)| t.push(s));
            }
        }
        took.iter_mut().for_each(|list| list.sort_by(f64::total_cmp));
        let per_joint = 1e9 / (self.joints * self.characters.len()) as f64;
        let [sample, resolve, palette, total] =
            [0, 1, 2, 3].map(|i| took[i][FRAMES / 2] * per_joint);
        PoseSpeed {
            joints: self.joints,
            frames: FRAMES,
            ns_per_joint: NsPerJoint { sample, resolve, palette, total },
            frame_ms: Spread::new(took[3].iter().map(|secs| secs * 1e3).collect()),
        }
    }

    fn each(&mut self, work: impl Fn(&mut Self, &mut Character)) {
        let mut characters = std::mem::take(&mut self.characters);
        for character in &mut characters {
            work(self, character);
            black_box(&character);
        }
        self.characters = characters;
    }

    fn advance(&mut self, next: &dyn Fn(f64) -> f64) {
        self.characters.iter_mut().for_each(|character| character.time = next(character.time));
    }

    fn sample(&mut self, character: &mut Character) {
        let Character { time, cursor, .. } = character;
        let local = &mut self.local;
        match self.clip {
            Some(clip) => clip.pose(*time, &self.model.rest, cursor, local),
            None => local.copy_from(&self.model.rest),
        }
    }

    fn resolve(&mut self, _: &mut Character) {
        self.model.hierarchy.resolve(&self.local, DVec3::ZERO, &mut self.world);
    }

    fn write_palettes(&mut self, character: &mut Character) {
        let mut out = &mut character.palettes[..];
        for (skin, joints) in &self.palettes {
            let (palette, rest) = out.split_at_mut(joints.len());
            self.model.skins[*skin].write_palette(joints, &self.world, palette);
            out = rest;
        }
    }
}

/// Returns the mean time of a round in seconds.
fn timed(rounds: usize, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..rounds {
        work();
    }
    start.elapsed().as_secs_f64() / rounds as f64
}
