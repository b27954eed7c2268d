//! `rigview record`: writes a clip, or a turn around a model, as pictures or video.

use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::ProgressBar;

use crate::cli::args::scene::SceneArgs;
use crate::cli::args::values::{number, whole};
use crate::cli::args::work::WorkArgs;
use crate::cli::choice::{Opened, charge_pictures, open, picture_work};
use crate::cli::clips::ROUNDED_SECS;
use crate::cli::failure::{Failure, Result, shown, usage_error};
use crate::cli::output::{Inputs, check_placeholders, progress_bar, write_whole};
use crate::cli::warnings::warn_of_no_effect;
use rigview_capture::{
    Contents, Film, FilmFormat, Frames, RecordError, Schedule, filled, record, shown_names, upload,
    warn_of_omissions,
};
use rigview_import::ImportOptions;
use rigview_session::Session;

const MOST_FRAMES: f64 = 1e6;

#[derive(Debug, Args)]
pub struct RecordArgs {
    /// A model (.glb, .gltf, .vrm, .fbx, .bvh); - is standard input [default: the built-in rig].
    pub file: Option<PathBuf>,
    /// Write to this file: an animated .gif, .apng or .png, a .y4m or .rgba video, or with {frame} in its
    /// name, such as frame_{frame:4}.png, one PNG per frame; - writes video to standard output. {model} and
    /// {clip} are replaced by the file's and the clip's name.
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Start at this time of the clip, in seconds [default: 0].
    #[arg(long, value_name = "SECS", allow_negative_numbers = true, value_parser = number)]
    pub from: Option<f64>,
    /// End before this time of the clip, in seconds [default: the clip's end]. For a still pose, --to less
    /// --from is the duration.
    #[arg(long, value_name = "SECS", allow_negative_numbers = true, value_parser = number)]
    pub to: Option<f64>,
    /// Play the clip N times.
    #[arg(long, value_name = "N", default_value = "1")]
    #[arg(value_parser = whole(1, 1000))]
    pub repeat: u32,
    /// Turn the camera once around the model. A still pose takes 4 seconds unless --to is given.
    #[arg(long, conflicts_with = "camera")]
    pub turntable: bool,
    /// Write YUV4MPEG2 video: 4:2:0, limited range, without alpha.
    #[arg(long, conflicts_with = "rgba")]
    pub y4m: bool,
    /// Write raw RGBA bytes, frame after frame.
    #[arg(long)]
    pub rgba: bool,
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    pub scene: SceneArgs,
}

pub fn run(args: &RecordArgs) -> Result {
    let format = format(args)?;
    check(args, format)?;
    let file = args.file.as_deref();
    args.work.limits().enforce(file.unwrap_or(Path::new("built-in rig")), "--timeout");
    let inputs = args.scene.inputs();
    let opened = open(file, &args.scene, &inputs, ImportOptions::DEFAULT.decoded_limit)?;
    let film = film(args, format, &opened.session)?;
    let frames = film.schedule.frames() as usize;
    let work = picture_work(&opened.gpu, &opened.session, film.size) * frames;
    charge_pictures(file, frames, work, args.work)?;
    let names = shown_names(opened.session.playback());
    let Opened { gpu, mut session, images } = opened;
    warn_of_omissions(&session);
    let gpu_model = upload(&gpu, &session, images)?;
    let output = Output { path: &args.output, names: &names, inputs: &inputs };
    let bar = progress_bar(film.schedule.frames().into(), "frames");
    let done = record(&gpu, &mut session, &gpu_model, &film, |frames| {
        output.write(format, &film, frames, &bar)
    });
    bar.finish_and_clear();
    done.map_err(|error| match error {
        RecordError::Gpu(error) => error.into(),
        RecordError::NoThread(_) => Failure::Output(error.to_string()),
        RecordError::Encode(failure) => failure,
    })
}

fn format(args: &RecordArgs) -> Result<FilmFormat> {
    let name = args.output.to_string_lossy();
    let named = FilmFormat::from_path(&args.output);
    let asked = match (args.y4m, args.rgba) {
        (true, _) => Some(FilmFormat::Y4m),
        (_, true) => Some(FilmFormat::Rgba),
        _ => None,
    };
    let shown = shown(&args.output);
    check_placeholders("-o", &args.output)?;
    check_number(&args.output)?;
    match (asked, named) {
        (Some(asked), Some(named)) if asked != named => {
            let flag = if args.y4m { "--y4m" } else { "--rgba" };
            usage_error(format!("{flag} does not write {shown}; choose one of both"))
        }
        (Some(format), _) | (None, Some(format)) => Ok(format),
        (None, None) if name == "-" => {
            usage_error("-o -: standard output takes video; add --y4m or --rgba")
        }
        (None, None) => usage_error(format!(
            "-o {shown}: expected {}; for other video formats, pipe to an encoder: rigview record FILE -o - \
             --y4m | ffmpeg -i - OUT.mp4",
            FilmFormat::NAMES
        )),
    }
}

/// Rejects a frame's number in the name of a single file.
fn check_number(output: &Path) -> Result {
    let shown = shown(output);
    let name = output.file_name().unwrap_or_default();
    let [first, second] = [0, 1].map(|frame| filled(Path::new(name), "", "", frame));
    let is_png = output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
    if first != second && !is_png {
        return usage_error(format!(
            "-o {shown}: only PNG files have a number each; leave {{frame}} out, or name them frame_{{frame:4}}.png"
        ));
    }
    Ok(())
}

fn check(args: &RecordArgs, format: FilmFormat) -> Result {
    if !args.scene.clip.times_secs().is_empty() && !args.turntable {
        return usage_error(
            "--time and --frame need --turntable; use --from and --to for a part of the clip",
        );
    }
    let fps = args.scene.clip.fps();
    if fps > format.most_fps() {
        return usage_error(format!(
            "--fps {fps}: a GIF has at most {} frames per second; lower it, or write .apng",
            format.most_fps()
        ));
    }
    if !format.has_transparency()
        && args.scene.look.background().is_some_and(|color| color[3] < 255)
    {
        return usage_error(
            "--y4m has no transparency; choose an opaque --background, or use --rgba",
        );
    }
    Ok(())
}

fn film(args: &RecordArgs, format: FilmFormat, session: &Session) -> Result<Film> {
    let playback = session.playback();
    let (duration, fps) = (playback.duration_secs(), args.scene.clip.fps());
    let from = args.from.unwrap_or(0.0).max(0.0);
    let is_still = duration == 0.0 || !args.scene.clip.times_secs().is_empty();
    let schedule = if is_still {
        if args.to.is_none() {
            let of_clips =
                [("--from", args.from.is_some()), ("--repeat", args.repeat > 1 && !args.turntable)];
            warn_of_no_effect(&of_clips, "a still pose has no time unless --to is given");
        }
        let usual = from + Schedule::still_secs(args.turntable);
        let secs = args.to.unwrap_or(usual) - from;
        let secs = secs.max(0.0) * f64::from(args.repeat);
        Schedule::holding(playback.time_secs(), checked(secs, fps)?, fps)
    } else {
        let to = args.to.unwrap_or(duration).min(duration);
        if from >= to {
            let end = match args.to {
                Some(to) if from < duration => format!("--to {to}"),
                _ => "the end of the clip".into(),
            };
            let takes = (1e3 * duration).round() / 1e3;
            return usage_error(format!(
                "--from {from} is not before {end}; the clip takes {takes} s"
            ));
        }
        warn_of_ends(args, duration);
        checked((to - from) * f64::from(args.repeat), fps)?;
        Schedule::playing([from, to], args.repeat, fps)
    };
    let background = session.look().background;
    let film = Film { size: args.scene.look.size, schedule, turntable: args.turntable, background };
    Ok(format.fitted(film))
}

fn warn_of_ends(args: &RecordArgs, duration: f64) {
    if let Some(from) = args.from.filter(|from| *from < 0.0) {
        log::warn!("--from: {from} s is before the start of the clip, where the recording starts");
    }
    if let Some(to) = args.to.filter(|to| *to > duration + ROUNDED_SECS) {
        let lasts = (1e3 * duration).round() / 1e3;
        log::warn!(
            "--to: {to} s is after the end of the clip, which lasts {lasts} s; the recording ends there"
        );
    }
}

fn checked(secs: f64, fps: f64) -> Result<f64> {
    let frames = (secs * fps).round();
    if frames > MOST_FRAMES {
        return usage_error(format!(
            "{secs} s at {fps} frames per second are {frames} frames; at most {MOST_FRAMES}"
        ));
    }
    Ok(secs)
}

struct Output<'a> {
    path: &'a Path,
    names: &'a [String; 2],
    inputs: &'a Inputs,
}

impl Output<'_> {
    fn write(&self, format: FilmFormat, film: &Film, frames: Frames, bar: &ProgressBar) -> Result {
        let (mut number, all) = (0, film.schedule.frames());
        let frames = frames.inspect(|_| {
            number += 1;
            log::info!("frame {number} of {all}");
            bar.inc(1);
        });
        let file = |number: u64, contents: &mut Contents| {
            write_whole(&self.file(number), self.inputs, |out| contents(out))
        };
        let count = format.write(film, frames, file)?;
        let next = self.file(count);
        if format == FilmFormat::Series && next.exists() {
            let name = shown(&next);
            log::warn!("{name} and later frames are of another recording");
        }
        Ok(())
    }

    fn file(&self, frame: u64) -> PathBuf {
        let [model, clip] = self.names;
        filled(self.path, model, clip, frame)
    }
}
