//! `rigview bench`: measures a frame of a crowd, from sampling the clip to submitting the commands, and
//! its time on the GPU; with `--no-render`, from sampling the clip to palettes ready for upload.

use std::path::Path;

use serde::Serialize;

use crate::cli::args::{BenchArgs, BenchMode};
use crate::cli::choice::{adapter, drawn_by, read, source};
use crate::cli::clips::{chosen_clip, replace_clips};
use crate::cli::failure::{Failure, Result};
use crate::cli::input::import_options;
use crate::cli::output::{Inputs, print, write_json_line};
use rigview_capture::{Crowd, CrowdError, GpuSpeed, LEAST_DRAWN};
use rigview_import::ImageDecoding;
use rigview_model::{Model, PictureCounts, PictureKind, Stage, Work};
use rigview_render::Gpu;
use rigview_report::{NsPerJoint, Spread, counted, measured_poses, pose_speed, start_times};
use rigview_session::FileSource;

const SCRUB: f64 = 0.618_034;

/// The output of `bench --json`. GPU times are `null` without drawing, and if the adapter has no
/// timestamps; without drawing, draws and triangles are 0.
#[derive(Serialize)]
struct Measured {
    joints: usize,
    instances: usize,
    mode: BenchMode,
    frames: usize,
    ns_per_joint: NsPerJoint,
    frame_ms: FrameTimes,
    draws: u64,
    triangles: u64,
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

impl From<GpuSpeed> for GpuTimes {
    fn from(GpuSpeed { whole, passes }: GpuSpeed) -> Self {
        let passes = passes.into_iter().map(|(name, ms)| (name, ms.into())).collect();
        Self { whole, total: whole.median, passes }
    }
}

pub fn run(args: &BenchArgs) -> Result {
    let source = source(args.file.as_deref());
    let images = if args.no_render { ImageDecoding::Headers } else { ImageDecoding::Keep };
    let options = import_options(images, args.clip.clips.bvh_scale());
    let inputs = Inputs::default();
    let mut loaded = read(&source, &options, &inputs)?;
    replace_clips(&args.clip.clips, &mut loaded.model, &inputs)?;
    let model = &loaded.model;
    let chosen = chosen_clip(&args.clip, model)?;
    let (clip, count) = (chosen.clip.as_deref(), args.instances as usize);
    charge(args, &source, model)?;
    let duration = clip.map_or(0.0, |clip| f64::from(clip.duration_secs()));
    let next = |time| next_time(time, args.mode, duration);
    // What can't be drawn is refused before anything is measured.
    let gpu = if args.no_render { None } else { Some(Gpu::headless(&adapter(&args.gpu))?) };
    let crowd = match &gpu {
        None => None,
        Some(gpu) => {
            charge_crowd(args, &source, model, gpu)?;
            Some((gpu, Crowd::new(gpu, model, clip, count, args.size)?))
        }
    };
    let speed = pose_speed(model, clip, count, &next);
    let mut measured = Measured {
        joints: speed.joints,
        instances: count,
        mode: args.mode,
        frames: speed.frames,
        ns_per_joint: speed.ns_per_joint,
        frame_ms: FrameTimes { cpu: speed.frame_ms, gpu: None },
        draws: 0,
        triangles: 0,
    };
    if let Some((gpu, mut crowd)) = crowd {
        crowd.times_secs = start_times(count, clip);
        let speed = crowd.measure(gpu, &next)?;
        let drawn = crowd.drawn();
        (measured.draws, measured.triangles) = (drawn.draws, drawn.triangles);
        measured.frames = speed.frames;
        measured.frame_ms = FrameTimes { cpu: speed.cpu_ms, gpu: speed.gpu.map(Into::into) };
    }
    if args.json {
        return print(|out| write_json_line(out, &measured));
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
        writeln!(
            out,
            "  ms per frame on the CPU: median {:.4}, 95th percentile {:.4}",
            cpu.median, cpu.p95
        )?;
        if measured.draws > 0 {
            writeln!(out, "  {} draws, {} triangles", measured.draws, measured.triangles)?;
        }
        if let Some(gpu) = &measured.frame_ms.gpu {
            let passes = gpu.passes.iter().filter_map(|(name, ms)| Some((name, ms.as_f64()?)));
            let passes: Vec<String> = passes.map(|(name, ms)| format!("{name} {ms:.3}")).collect();
            writeln!(out, "  ms per frame on the GPU: {:.3} ({})", gpu.total, passes.join(", "))?;
        }
        Ok(())
    })
}

fn charge(args: &BenchArgs, source: &FileSource, model: &Model) -> Result {
    let poses = measured_poses(args.instances as usize);
    let what = format!("posing {} {poses} times", counted(model.nodes.len(), "node"));
    args.work.charge(Path::new(&source.path_text()), &what, Work::NODE * model.nodes.len() * poses)
}

fn charge_crowd(args: &BenchArgs, source: &FileSource, model: &Model, gpu: &Gpu) -> Result {
    let mut one = PictureCounts::count(model, &Stage::new(model, model.default_scene));
    // All characters together fill the picture.
    one.layers /= f64::from(args.instances);
    let kind = PictureKind { by: drawn_by(gpu), size: args.size, samples: 4 };
    let what =
        format!("drawing {} {LEAST_DRAWN} times", counted(args.instances as usize, "character"));
    let work = (one * args.instances as usize).work(kind) * LEAST_DRAWN;
    args.work.charge(Path::new(&source.path_text()), &what, work)
}

fn next_time(time: f64, mode: BenchMode, duration: f64) -> f64 {
    let next = time
        + match mode {
            BenchMode::Forward => 1.0 / 60.0,
            BenchMode::Scrub => SCRUB * duration,
        };
    match next > duration {
        true if duration > 0.0 => next % duration,
        true => 0.0,
        false => next,
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
