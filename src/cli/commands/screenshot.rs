//! `rigview screenshot`: renders pictures without a window, and compares them with references. This file draws one;
//! `pictures` decides how many, and draws them in workers.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::Args;

use super::compare::{Pair, ReferenceArgs, read_bitmap};
use crate::cli::args::scene::SceneArgs;
use crate::cli::args::values::{at_least_one, whole};
use crate::cli::args::work::WorkArgs;
use crate::cli::choice::{source, warn_of_fps};
use crate::cli::failure::Failure;
use crate::cli::input::is_standard_input;
use crate::cli::limits::Limits;
use crate::cli::opening::{PictureBatch, open, open_session};
use crate::cli::output::{
    Inputs, check_placeholders, expect_png, is_same_output, print, write_whole,
};
use crate::cli::workers::WorkerGpu;
use rigview_capture::{
    Picture, filled, picture_taking, shown_names, upload, warn_of_omissions, write_png,
};
use rigview_compare::Bitmap;
use rigview_import::{ImportError, ImportOptions, escaped};
use rigview_session::Session;

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

    /// Returns the files that are written, each with its option.
    pub fn outputs(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let outputs = [("-o", &self.output), ("--diff", &self.compare.difference.diff)];
        outputs.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?)))
    }

    /// Returns the files that are read, as far as they are known before the model is loaded.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let borrowed = &self.scene.clip.clips.borrow.clips_from;
        let others = [borrowed, &self.compare.reference].into_iter().flatten();
        let side_files = self.scene.inputs().files;
        self.files.iter().chain(others).cloned().chain(side_files).collect()
    }

    /// Rejects names of files that promise another format, or have a placeholder that is none.
    pub fn check_names(&self) -> Result<(), Failure> {
        self.output.as_deref().map_or(Ok(()), expect_png)?;
        self.compare.difference.check()?;
        let reference = self.compare.reference.as_deref().map(|path| ("--reference", path));
        if let Some((option, _)) = reference.filter(|(_, path)| is_standard_input(path)) {
            let text = "the reference can't be standard input; name a PNG file";
            return Err(Failure::Usage(format!("{option} -: {text}")));
        }
        let mut names = self.outputs().chain(reference);
        names.try_for_each(|(option, path)| check_placeholders(option, path))
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
    if !written.shot.text.is_empty() {
        print(|out| out.write_all(&written.shot.text))?;
    }
    done
}

/// What a picture in a worker gave, even if it failed.
#[derive(Default)]
pub struct Shot {
    /// What is printed on standard output.
    pub text: Vec<u8>,
    /// The files that were written, each with its option.
    pub written: Vec<(String, PathBuf)>,
}

/// Draws one of several pictures in a worker.
pub fn shoot(
    args: &ScreenshotArgs,
    limit: WorkArgs,
    worker_gpu: &mut WorkerGpu,
    shot: &mut Shot,
) -> Result<(), Failure> {
    let gpu = worker_gpu.gpu()?;
    let file = args.files.first().map(PathBuf::as_path);
    let called = file.map_or_else(|| source(None).name(), |file| file.to_string_lossy().into());
    let mut written = WrittenPicture { called: Some(called), ..WrittenPicture::new(args) };
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
    *shot = written.shot;
    done
}

/// A picture that is written and compared.
struct WrittenPicture<'a> {
    args: &'a ScreenshotArgs,
    inputs: Inputs,
    /// The file as JSON has it; `None` if it is the only one.
    called: Option<String>,
    shot: Shot,
}

impl<'a> WrittenPicture<'a> {
    fn new(args: &'a ScreenshotArgs) -> Self {
        Self { args, inputs: args.scene.inputs(), called: None, shot: Shot::default() }
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
            self.shot.written.push(("-o".to_owned(), path.clone()));
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
            self.shot.written.push(("--diff".to_owned(), path.clone()));
        }
        let verdict = comparison.verdict(&pair);
        // Writing to memory can't fail.
        let _ = match (args.json, comparison.accepted && !files.prints_picture()) {
            (true, _) => comparison.write_json(self.called.as_deref(), &mut self.shot.text),
            (false, true) => writeln!(self.shot.text, "{verdict}"),
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
        if let (Some(diff), Some(output)) = (&self.diff, &self.output)
            && is_same_output(diff, output)
        {
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
