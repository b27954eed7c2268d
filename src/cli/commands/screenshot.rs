//! `rigview screenshot`: renders pictures without a window, and compares them with references. This file draws one;
//! `pictures` decides how many, and draws them in workers.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::Args;

use super::compare::{Pair, ReferenceArgs, read_bitmap};
use crate::capture::{
    Picture, filled, picture_taking, shown_names, upload, warn_of_omissions, write_png,
};
use crate::cli::args::scene::SceneArgs;
use crate::cli::args::values::{at_least_one, whole};
use crate::cli::args::work::WorkArgs;
use crate::cli::choice::warn_of_fps;
use crate::cli::failure::Failure;
use crate::cli::limits::Limits;
use crate::cli::opening::{PictureBatch, open, open_session};
use crate::cli::output::{Inputs, print, write_whole};
use crate::cli::workers::WorkerGpu;
use crate::compare::Bitmap;
use crate::import::{ImportError, ImportOptions, escaped};
use crate::session::Session;

/// Arguments of `screenshot`.
#[derive(Debug, Args)]
pub struct ScreenshotArgs {
    /// Models (.glb, .gltf, .vrm, .fbx, .bvh), folders of them, or globs in quotes [default: the built-in rig]. Of several, each is
    /// drawn on a picture of its own.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write the PNG to this file; - writes to standard output. {name}, {clip} and {frame:4} are
    /// replaced by the file's name, the clip's name and the four-digit frame number. Several files need {name}.
    #[arg(short, long, value_name = "OUT.png")]
    #[arg(required_unless_present_any = ["reference", "list", "worker"])]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub compare: ReferenceArgs,
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    pub scene: SceneArgs,
    #[command(flatten)]
    pub batch: BatchArgs,
}

/// How many pictures are drawn.
#[derive(Debug, Args)]
#[command(next_help_heading = "Many pictures")]
pub struct BatchArgs {
    /// Draw a picture for each line of this file, a JSON object whose keys are options, such as {"file": "fox.glb",
    /// "output": "fox.png", "clip": "Run", "skeleton": true}; - reads standard input. A line's options replace
    /// those of the command line.
    #[arg(long, value_name = "JOBS.jsonl")]
    pub list: Option<PathBuf>,
    /// Draw this many pictures at once [default: one per processor, at most 8].
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub jobs: Option<NonZeroUsize>,
    /// Give up a picture that needs more than this much memory, in MiB [default: 4096 for each of several
    /// pictures].
    #[arg(long, value_name = "MIB", value_parser = whole(1, u32::MAX))]
    pub memory_limit: Option<u32>,
    /// Draw the pictures that standard input orders.
    #[arg(long, hide = true)]
    pub worker: bool,
}

impl ScreenshotArgs {
    /// Returns the limits of a picture, as far as they are given.
    pub fn limits(&self) -> Limits {
        let memory = self.batch.memory_limit.map(|mib| u64::from(mib) << 20);
        Limits { memory, ..self.work.limits() }
    }
}

/// Draws a picture of a file, or of the built-in rig without one.
pub fn run(args: &ScreenshotArgs, file: Option<&Path>) -> Result<(), Failure> {
    args.limits().enforce(file.unwrap_or(Path::new("built-in rig")), "--timeout");
    let ReferenceArgs { reference, difference, .. } = &args.compare;
    let mut names = [&args.output, reference, &difference.diff].into_iter().flatten();
    let is_numbered = |name: &PathBuf| name.to_string_lossy().contains("{frame");
    warn_of_fps(&args.scene, names.any(is_numbered));
    let mut written = WrittenPicture::new(args);
    let mut opened = open(file, &args.scene, &written.inputs)?;
    let batch = PictureBatch { file, count: 1, size: args.scene.look.size };
    batch.charge(&opened.gpu, &opened.session, args.work)?;
    let images = std::mem::take(&mut opened.images);
    let picture = picture_taking(&opened.gpu, &mut opened.session, images, args.scene.look.size)?;
    let done = written.finish(&picture, &opened.session);
    if !written.text.is_empty() {
        print(|out| out.write_all(&written.text))?;
    }
    done
}

/// Draws a picture in a worker, and returns what is printed on standard output. `text` has it even on failure.
pub fn shoot(
    args: &ScreenshotArgs,
    limit: WorkArgs,
    worker_gpu: &mut WorkerGpu,
    text: &mut Vec<u8>,
) -> Result<(), Failure> {
    let gpu = worker_gpu.gpu()?;
    let mut written = WrittenPicture::new(args);
    let file = args.files.first().map(PathBuf::as_path);
    let formats = OnceLock::from(gpu.block_formats());
    let options = ImportOptions { block_formats: Some(&formats), ..ImportOptions::DEFAULT };
    let (mut session, images) = open_session(file, &args.scene, &options, &written.inputs)?;
    let batch = PictureBatch { file, count: 1, size: args.scene.look.size };
    batch.charge(gpu, &session, limit)?;
    warn_of_omissions(&session);
    let gpu_model = upload(gpu, &session, images)?;
    let series = worker_gpu.series(gpu, args.scene.look.size);
    let picture = series.draw(&mut session, &gpu_model)?;
    series.free_model();
    gpu.keep_pipelines();
    let done = written.finish(&picture, &session);
    *text = written.text;
    done
}

/// A picture that is written and compared.
struct WrittenPicture<'a> {
    args: &'a ScreenshotArgs,
    inputs: Inputs,
    /// What is printed on standard output.
    text: Vec<u8>,
}

impl<'a> WrittenPicture<'a> {
    fn new(args: &'a ScreenshotArgs) -> Self {
        Self { args, inputs: args.scene.inputs(), text: Vec::new() }
    }

    /// Writes the picture of a session, and compares it with its reference.
    fn finish(&mut self, picture: &Picture, session: &Session) -> Result<(), Failure> {
        let [model, clip] = shown_names(session.playback());
        let frame = session.playback().instant().frame;
        let named = |path: &PathBuf| filled(path, &model, &clip, frame);
        let compare = &self.args.compare;
        let files = Files {
            output: self.args.output.as_ref().map(named),
            reference: compare.reference.as_ref().map(named),
            diff: compare.difference.diff.as_ref().map(named),
        };
        self.inputs.files.extend(files.reference.clone());
        files.check(compare)?;
        if let Some(path) = &files.output {
            write_whole(path, &self.inputs, |out| write_png(picture, out))?;
        }
        match &files.reference {
            Some(reference) => self.compare(picture, reference, &files),
            None => Ok(()),
        }
    }

    /// Compares a picture with its reference, and fails if it is not accepted.
    fn compare(
        &mut self,
        picture: &Picture,
        reference: &Path,
        files: &Files,
    ) -> Result<(), Failure> {
        let args = &self.args.compare;
        let name = |path: &Path| escaped(&path.to_string_lossy());
        if !reference.exists() {
            let name = name(reference);
            let advice = format!(
                "there is no such reference; create it with the same command, but -o {name} instead of \
                 --reference"
            );
            return Err(Failure::load(reference, ImportError::other(advice)));
        }
        let output = files.output.as_deref().filter(|_| !files.prints_picture());
        let pair = Pair {
            names: [name(reference), output.map_or_else(|| "the picture".into(), name)],
            pixels: [read_bitmap(reference)?, Bitmap::from(picture)],
        };
        let comparison = pair.compare(args.difference.limits());
        if let Some(path) = &files.diff {
            comparison.draw(&pair, path, &self.inputs)?;
        }
        let verdict = comparison.verdict(&pair);
        // Writing to memory can't fail.
        let _ = match (args.json, comparison.accepted && !files.prints_picture()) {
            (true, _) => comparison.write_json(&mut self.text),
            (false, true) => writeln!(self.text, "{verdict}"),
            (false, false) => Ok(()),
        };
        if comparison.accepted { Ok(()) } else { Err(Failure::No(verdict)) }
    }
}

/// The files of a picture, with placeholders replaced.
struct Files {
    output: Option<PathBuf>,
    reference: Option<PathBuf>,
    diff: Option<PathBuf>,
}

impl Files {
    /// Rejects two results that are the same file.
    fn check(&self, args: &ReferenceArgs) -> Result<(), Failure> {
        if args.json && self.prints_picture() {
            let text = "--json: standard output has the picture; choose another --output";
            return Err(Failure::Usage(text.into()));
        }
        if self.diff.is_some() && self.diff == self.output {
            let text = "--diff: the same file as --output; choose another name";
            return Err(Failure::Usage(text.into()));
        }
        Ok(())
    }

    /// Whether standard output has the picture.
    fn prints_picture(&self) -> bool {
        self.output.as_deref() == Some(Path::new("-"))
    }
}
