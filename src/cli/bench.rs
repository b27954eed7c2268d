//! `rigview bench`: measures a frame of a crowd, from sampling the clip to submitting the commands, and
//! its time on the GPU; with `--no-render`, from sampling the clip to palettes ready for upload.
//!
//! Each step up to the palettes is measured separately over many frames and characters, and then all
//! steps together in their real order.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use glam::{DVec3, Mat4};
use serde::Serialize;

use super::args::{BenchArgs, BenchMode};
use super::choice::{adapter, read, source};
use super::clips::{chosen_clip, replace_clips};
use super::failure::Failure;
use super::opening::drawn_by;
use super::output::{Inputs, json_line, print};
use crate::anim::{Clip, Cursor, LocalPose, WorldPose};
use crate::capture::{Crowd, CrowdError};
use crate::import::{ImageDecoding, ImportOptions};
use crate::model::{Model, PictureCounts, PictureKind, Stage, Work};
use crate::render::Gpu;
use crate::report::counted;
use crate::session::FileSource;

/// Measured frames; medians are taken over these.
const FRAMES: usize = 200;
/// Frames before those.
const WARM_UP: usize = FRAMES / 10;
const WARM_UP_PICTURES: usize = 2;
/// A frame is measured as a whole and in its steps.
const MEASURED_TWICE: usize = 2;
/// Characters posed between two clock readings, at least. With fewer, the clock itself would dominate.
const LEAST_POSES: usize = 100;
/// The least number of drawn frames, and the longest time for more of them.
const LEAST_FRAMES: usize = 5;
const LONGEST: Duration = Duration::from_secs(10);
/// Time between two characters, and the step of `scrub`, as a fraction of the clip.
const APART: f64 = 0.618_034;

/// The output of `bench --json`. GPU times are `null` without drawing, and if the adapter has no
/// timestamps; without drawing, draws and triangles are 0.
#[derive(Serialize)]
struct Measured {
    joints: usize,
    instances: usize,
    mode: BenchMode,
    frames: usize,
    ns_per_joint: PerJoint,
    frame_ms: FrameTimes,
    draws: u64,
    triangles: u64,
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
    gpu: Option<GpuTimes>,
}

/// Milliseconds on the GPU. The time per pass is a median.
#[derive(Serialize)]
struct GpuTimes {
    #[serde(flatten)]
    whole: Spread,
    total: f64,
    passes: serde_json::Map<String, serde_json::Value>,
}

#[derive(Serialize)]
struct Spread {
    median: f64,
    p95: f64,
}

pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    let source = source(args.file.as_deref());
    let images = if args.no_render { ImageDecoding::Headers } else { ImageDecoding::Keep };
    let bvh_scale = args.clip.clips.bvh_scale();
    let options = ImportOptions { images, bvh_scale, ..ImportOptions::default() };
    let inputs = Inputs::default();
    let mut loaded = read(&source, &options, &inputs)?;
    replace_clips(&args.clip.clips, &mut loaded.model, &inputs)?;
    let model = &loaded.model;
    let chosen = chosen_clip(&args.clip, model)?;
    let (clip, count) = (chosen.clip.as_deref(), args.instances as usize);
    charge(args, &source, model)?;
    let mut measured = Poses::new(model, clip, count).measure(args.mode);
    if !args.no_render {
        let gpu = Gpu::headless(&adapter(&args.gpu))?;
        charge_crowd(args, &source, model, &gpu)?;
        let crowd = Crowd::new(&gpu, model, clip, count, args.size)?;
        draw(&gpu, crowd, args.mode, clip, &mut measured)?;
    }
    if args.json {
        let line = json_line(&measured)?;
        return print(|out| out.write_all(line.as_bytes()));
    }
    print(|out| {
        let (n, cpu) = (&measured.ns_per_joint, &measured.frame_ms.cpu);
        let (joints, instances) = (measured.joints, measured.instances);
        let words = [(joints, "joint"), (instances, "character"), (measured.frames, "frame")];
        writeln!(out, "{}", words.map(|(count, word)| counted(count, word)).join(", "))?;
        writeln!(
            out,
            "  ns per joint: sample {:.2}, resolve {:.2}, palette {:.2}, total {:.2}",
            n.sample, n.resolve, n.palette, n.total
        )?;
        writeln!(out, "  ms per frame: median {:.4}, 95th percentile {:.4}", cpu.median, cpu.p95)?;
        if measured.draws > 0 {
            writeln!(out, "  {} draws, {} triangles", measured.draws, measured.triangles)?;
        }
        if let Some(gpu) = &measured.frame_ms.gpu {
            let passes: Vec<String> =
                gpu.passes.iter().map(|(name, ms)| format!("{name} {ms:.3}")).collect();
            writeln!(out, "  ms on the GPU: {:.3} ({})", gpu.total, passes.join(", "))?;
        }
        Ok(())
    })
}

/// Checks that posing the characters does not take too long.
fn charge(args: &BenchArgs, source: &FileSource, model: &Model) -> Result<(), Failure> {
    let characters = args.instances as usize;
    let poses = MEASURED_TWICE * (FRAMES + WARM_UP) * LEAST_POSES.div_ceil(characters) * characters;
    let what = format!("posing {} {poses} times", counted(model.nodes.len(), "node"));
    args.work.charge(Path::new(&source.path_text()), &what, Work::NODE * model.nodes.len() * poses)
}

/// Checks that drawing the characters does not take too long.
fn charge_crowd(
    args: &BenchArgs,
    source: &FileSource,
    model: &Model,
    gpu: &Gpu,
) -> Result<(), Failure> {
    let mut one = PictureCounts::of(model, &Stage::new(model, model.default_scene));
    // All characters together fill the picture.
    one.layers /= f64::from(args.instances);
    let one = one.work(PictureKind { by: drawn_by(gpu), size: args.size, samples: 4 });
    let frames = WARM_UP_PICTURES + LEAST_FRAMES;
    let what = format!("drawing {} {frames} times", counted(args.instances as usize, "character"));
    let work = one * args.instances as usize * frames;
    args.work.charge(Path::new(&source.path_text()), &what, work)
}

/// Measures frames from sampling to submission, and their GPU time if the adapter has timestamps.
fn draw(
    gpu: &Gpu,
    mut crowd: Crowd<'_>,
    mode: BenchMode,
    clip: Option<&Clip>,
    measured: &mut Measured,
) -> Result<(), Failure> {
    let duration = clip.map_or(0.0, |clip| f64::from(clip.duration_secs()));
    for (i, time) in crowd.times_secs.iter_mut().enumerate() {
        *time = (APART * i as f64).fract() * duration;
    }
    // Warm up: the first frames build pipelines.
    for _ in 0..WARM_UP_PICTURES {
        crowd.draw(gpu)?;
        gpu.wait();
    }
    gpu.check()?;
    crowd.time_passes(gpu);
    let (mut times, begin) = (Vec::with_capacity(FRAMES), Instant::now());
    let mut passes: Vec<(&str, Vec<f64>)> = Vec::new();
    let mut totals = Vec::with_capacity(FRAMES);
    while times.len() < LEAST_FRAMES || times.len() < FRAMES && begin.elapsed() < LONGEST {
        let start = Instant::now();
        crowd.times_secs.iter_mut().for_each(|time| *time = next_time(*time, mode, duration));
        crowd.draw(gpu)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        // Wait before the next frame, so that a software renderer does not compete with it for cores.
        gpu.wait();
        let stamped = crowd.pass_times(gpu);
        for (name, ms) in stamped {
            match passes.iter_mut().find(|(known, _)| known == name) {
                Some((_, list)) => list.push(*ms),
                None => passes.push((name, vec![*ms])),
            }
        }
        if !stamped.is_empty() {
            totals.push(stamped.iter().map(|(_, ms)| ms).sum());
        }
    }
    gpu.check()?;
    let drawn = crowd.drawn();
    (measured.draws, measured.triangles) = (drawn.draws, drawn.triangles);
    measured.frames = times.len();
    measured.frame_ms.cpu = Spread::of(times);
    measured.frame_ms.gpu = (!totals.is_empty()).then(|| {
        let whole = Spread::of(totals);
        let median = |(name, list): (&str, Vec<f64>)| (name.into(), Spread::of(list).median.into());
        let passes = passes.into_iter().map(median).collect();
        GpuTimes { total: whole.median, whole, passes }
    });
    Ok(())
}

/// Returns the time of the next frame, wrapped at the end of the clip.
fn next_time(time: f64, mode: BenchMode, duration: f64) -> f64 {
    let next = time
        + match mode {
            BenchMode::Forward => 1.0 / 60.0,
            BenchMode::Scrub => APART * duration,
        };
    match next > duration {
        true if duration > 0.0 => next % duration,
        true => 0.0,
        false => next,
    }
}

impl Spread {
    /// Returns median and 95th percentile of a non-empty list.
    fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Self { median: times[times.len() / 2], p95: times[times.len() * 95 / 100] }
    }
}

impl From<CrowdError> for Failure {
    fn from(error: CrowdError) -> Self {
        match error {
            CrowdError::Gpu(error) => error.into(),
            CrowdError::TooMany { .. } => Failure::Usage(format!("--instances: {error}")),
        }
    }
}

/// One instance of the model.
#[derive(Clone)]
struct Character {
    time: f64,
    cursor: Cursor,
    palettes: Vec<Mat4>,
}

/// The poses of all instances, each at its own time in the clip.
struct Poses<'a> {
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

impl<'a> Poses<'a> {
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
        // A frame writes each palette once, even if several meshes share it.
        palettes.sort_unstable();
        palettes.dedup();
        let one = Character {
            time: 0.0,
            cursor: Cursor::default(),
            palettes: vec![Mat4::IDENTITY; palettes.iter().map(|(_, joints)| joints.len()).sum()],
        };
        let duration = clip.map_or(0.0, |clip| f64::from(clip.duration_secs()));
        let at =
            |i: usize| Character { time: (APART * i as f64).fract() * duration, ..one.clone() };
        // Without joints, count nodes.
        let joints = if joints == 0 { stage.nodes.len().max(1) } else { joints };
        let characters = (0..instances).map(at).collect();
        let Stage { local, world, .. } = stage;
        Self { model, clip, palettes, joints, local, world, characters }
    }

    fn measure(&mut self, mode: BenchMode) -> Measured {
        let rounds = LEAST_POSES.div_ceil(self.characters.len());
        let mut took: [Vec<f64>; 4] = Default::default();
        for frame in 0..FRAMES + WARM_UP {
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
            // The first frames are warm-up.
            if frame >= WARM_UP {
                took.iter_mut().zip(parts.into_iter().chain([whole])).for_each(|(t, s)| t.push(s));
            }
        }
        took.iter_mut().for_each(|list| list.sort_by(f64::total_cmp));
        let per_joint = 1e9 / (self.joints * self.characters.len()) as f64;
        let [sample, resolve, palette, total] =
            [0, 1, 2, 3].map(|i| took[i][FRAMES / 2] * per_joint);
        let cpu = Spread::of(took[3].iter().map(|secs| secs * 1e3).collect());
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

    /// Advances every character to its next time.
    fn advance(&mut self, mode: BenchMode) {
        let duration = self.clip.map_or(0.0, |clip| f64::from(clip.duration_secs()));
        for character in &mut self.characters {
            character.time = next_time(character.time, mode, duration);
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

/// Returns the mean time of a round in seconds.
fn timed(rounds: usize, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..rounds {
        work();
    }
    start.elapsed().as_secs_f64() / rounds as f64
}
