//! `rigview bench --no-render`: what a frame costs from a clip's time to palettes ready for upload.
//!
//! Each step is timed over many frames and characters by itself, the whole once more in its real order.

use std::hint::black_box;
use std::time::Instant;

use glam::{DVec3, Mat4};
use serde::Serialize;

use super::args::{BenchArgs, BenchMode};
use super::choice::{chosen_clip, read, source, take_clips};
use super::failure::Failure;
use super::output::{json_line, print};
use crate::anim::{Clip, Cursor, LocalPose, WorldPose};
use crate::import::{ImageDecoding, ImportOptions};
use crate::model::{Model, Stage};

/// Frames that are timed; the medians are of these.
const FRAMES: usize = 200;
/// Characters that are posed between two looks at the clock, at least: less would time the clock.
const LEAST_POSES: usize = 100;
/// How far apart in the clip the characters are, and how far `scrub` goes, as shares of the clip.
const APART: f64 = 0.618_034;

/// What `bench --json` prints. Without drawing there is no time on the GPU and nothing drawn.
#[derive(Serialize)]
struct Measured {
    joints: usize,
    instances: usize,
    mode: BenchMode,
    frames: usize,
    ns_per_joint: PerJoint,
    frame_ms: FrameTimes,
    draws: usize,
    triangles: usize,
}

#[derive(Serialize)]
struct PerJoint {
    sample: f64,
    resolve: f64,
    palette: f64,
    total: f64,
}

#[derive(Serialize)]
struct FrameTimes {
    cpu: Spread,
    gpu: Option<Spread>,
}

#[derive(Serialize)]
struct Spread {
    median: f64,
    p95: f64,
}

pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    let source = source(args.file.as_deref());
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    let mut loaded = read(&source, &options)?;
    take_clips(&args.clip.clips, &mut loaded.model)?;
    let model = &loaded.model;
    let chosen = chosen_clip(&args.clip, model)?;
    let mut crowd = Crowd::new(model, chosen.clip.as_deref(), args.instances as usize);
    let measured = crowd.measure(args.mode);
    if args.json {
        let line = json_line(&measured)?;
        return print(|out| out.write_all(line.as_bytes()));
    }
    print(|out| {
        let (n, cpu) = (&measured.ns_per_joint, &measured.frame_ms.cpu);
        let (joints, instances) = (measured.joints, measured.instances);
        writeln!(out, "{joints} joints, {instances} characters, {} frames", measured.frames)?;
        writeln!(
            out,
            "  ns a joint: sample {:.2}, resolve {:.2}, palette {:.2}, all {:.2}",
            n.sample, n.resolve, n.palette, n.total
        )?;
        writeln!(out, "  ms a frame: median {:.4}, 95th percentile {:.4}", cpu.median, cpu.p95)
    })
}

/// One instance of the model.
#[derive(Clone)]
struct Character {
    time: f64,
    cursor: Cursor,
    palettes: Vec<Mat4>,
}

/// The instances, each at its own time in the clip.
struct Crowd<'a> {
    model: &'a Model,
    clip: Option<&'a Clip>,
    /// The palettes that a frame needs: which skin, and which of its joints.
    palettes: Vec<(usize, &'a [u16])>,
    joints: usize,
    /// The poses between a time and a palette, which all characters share.
    local: LocalPose,
    world: WorldPose,
    characters: Vec<Character>,
}

impl<'a> Crowd<'a> {
    fn new(model: &'a Model, clip: Option<&'a Clip>, instances: usize) -> Self {
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
        // A frame writes every palette once, whichever meshes share it.
        palettes.sort_unstable();
        palettes.dedup();
        let one = Character {
            time: 0.0,
            cursor: Cursor::default(),
            palettes: vec![Mat4::IDENTITY; palettes.iter().map(|(_, joints)| joints.len()).sum()],
        };
        let duration = clip.map_or(0.0, |clip| f64::from(clip.duration_secs));
        let at =
            |i: usize| Character { time: (APART * i as f64).fract() * duration, ..one.clone() };
        // Nodes stand for joints in a file without any.
        let joints = if joints == 0 { stage.nodes.len().max(1) } else { joints };
        let characters = (0..instances).map(at).collect();
        let Stage { local, world, .. } = stage;
        Self { model, clip, palettes, joints, local, world, characters }
    }

    fn measure(&mut self, mode: BenchMode) -> Measured {
        let rounds = LEAST_POSES.div_ceil(self.characters.len());
        let mut took: [Vec<f64>; 4] = Default::default();
        for frame in 0..FRAMES + FRAMES / 10 {
            let whole = timed(rounds, || {
                self.advance(mode);
                self.each(|this, character| {
                    this.sample(character);
                    this.resolve(character);
                    this.write_palettes(character);
                });
            });
            let parts = [
                timed(rounds, || {
                    self.advance(mode);
                    self.each(Self::sample);
                }),
                timed(rounds, || self.each(Self::resolve)),
                timed(rounds, || self.each(Self::write_palettes)),
            ];
            // The first ones warm up.
            if frame >= FRAMES / 10 {
                took.iter_mut().zip(parts.into_iter().chain([whole])).for_each(|(t, s)| t.push(s));
            }
        }
        took.iter_mut().for_each(|list| list.sort_by(f64::total_cmp));
        let per_joint = 1e9 / (self.joints * self.characters.len()) as f64;
        let [sample, resolve, palette, total] =
            [0, 1, 2, 3].map(|i| took[i][FRAMES / 2] * per_joint);
        let whole = &took[3];
        let cpu = Spread { median: whole[FRAMES / 2] * 1e3, p95: whole[FRAMES * 95 / 100] * 1e3 };
        Measured {
            joints: self.joints,
            instances: self.characters.len(),
            mode,
            frames: FRAMES,
            ns_per_joint: PerJoint { sample, resolve, palette, total },
            frame_ms: FrameTimes { cpu, gpu: None },
            draws: 0,
            triangles: 0,
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

    /// Takes every character to its next time: a sixtieth of a second on, or anywhere.
    fn advance(&mut self, mode: BenchMode) {
        let duration = self.clip.map_or(0.0, |clip| f64::from(clip.duration_secs));
        let step = match mode {
            BenchMode::Forward => 1.0 / 60.0,
            BenchMode::Scrub => APART * duration,
        };
        for character in &mut self.characters {
            character.time += step;
            if character.time > duration {
                character.time = if duration > 0.0 { character.time % duration } else { 0.0 };
            }
        }
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

/// Seconds that one of so many rounds takes.
fn timed(rounds: usize, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..rounds {
        work();
    }
    start.elapsed().as_secs_f64() / rounds as f64
}
