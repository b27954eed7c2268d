//! `rigview sheet`: renders many files, or the clips and instants of one, on one labelled picture.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use clap::Args;
use serde::Serialize;

use crate::cli::args::clip::ClipArgs;
use crate::cli::args::look::LookArgs;
use crate::cli::args::scene::{CameraArgs, SceneArgs};
use crate::cli::args::values::{EnvironmentName, whole};
use crate::cli::args::work::WorkArgs;
use crate::cli::choice::{
    adapter, charge_pictures, load_file, picture_work, session_options, source, warn_of_fps,
    warn_of_useless,
};
use crate::cli::clips::{ROUNDED_SECS, replace_some_clips};
use crate::cli::failure::{Failure, Result, said_of, shown, usage_error};
use crate::cli::lookup::first_of;
use crate::cli::model_files::model_files;
use crate::cli::output::{
    Inputs, expect_png, is_same_output, progress_bar, write_json_line, write_whole,
};
use crate::cli::warnings::{warn_of, warn_of_no_effect};
use rigview_capture::{
    Cell, PictureSeries, Sheet, SheetLayout, session, take_pictures, upload, warn_of_omissions,
    write_png,
};
use rigview_import::{ImportOptions, escaped, load_environment};
use rigview_look::EnvironmentSource;
use rigview_model::{BlockFormats, Image, Work};
use rigview_render::{Gpu, GpuModel};
use rigview_session::{CameraAction, PlaybackAction, Search, Session};

const LISTED: usize = 5;

/// The work of a cell, whatever it shows: a small picture that is read back.
const CELL: Work = Work(10_000_000);

#[derive(Debug, Args)]
pub struct SheetArgs {
    /// Models (.glb, .gltf, .vrm, .fbx, .bvh), folders of them, or globs in quotes. Several files have one cell each, a
    /// single file has one per clip.
    #[arg(required = true)]
    pub file: Vec<PathBuf>,
    /// Write the PNG to this file; - writes to standard output.
    #[arg(short, long, value_name = "OUT.png")]
    pub output: PathBuf,
    /// Put N cells in a row [default: N of --per-clip, else about as many as there are rows].
    #[arg(long, value_name = "N", value_parser = whole(1, 10_000))]
    pub columns: Option<u32>,
    /// Show every clip of every file at N times, evenly spread from its start.
    #[arg(long, value_name = "N", value_parser = whole(1, 10_000))]
    #[arg(conflicts_with_all = ["time", "frame"])]
    pub per_clip: Option<u32>,
    /// Write the rectangles of the cells to this file; - writes to standard output.
    #[arg(long, value_name = "OUT.json")]
    pub json: Option<PathBuf>,
    /// Leave out the names and the space between cells, as for a sheet of sprites.
    #[arg(long)]
    pub no_labels: bool,
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    pub scene: SceneArgs,
}

#[derive(Serialize)]
struct Listing {
    size: [u32; 2],
    cells: Vec<ListedCell>,
}

#[derive(Serialize)]
struct ListedCell {
    file: String,
    clip: Option<usize>,
    clip_name: Option<String>,
    time: f64,
    /// Left, top, width and height of the picture in pixels.
    rect: [u32; 4],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// A clip and a time of it; `None` is the pose that the session starts in.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SheetPose {
    clip: Option<usize>,
    time_secs: f64,
}

struct Composer<'a> {
    args: &'a SheetArgs,
    files: &'a [PathBuf],
    /// Number of leading path components that the labels leave out.
    shared: usize,
    /// Created with the first cell, because a single file decides on the number of columns.
    sheet: Option<Sheet>,
    cells: Vec<ListedCell>,
    /// Number of cells whose clips lack the given time.
    clamped: usize,
}

pub fn run(args: &SheetArgs) -> Result {
    if args.output == Path::new("-") && args.json.as_deref() == Some(Path::new("-")) {
        return usage_error(
            "-o and --json can't both be standard output; write one of them to a file",
        );
    }
    if args.json.as_ref().is_some_and(|json| is_same_output(json, &args.output)) {
        return usage_error("--json: the same file as --output; choose another name");
    }
    expect_png(&args.output)?;
    let files = models(&args.file)?;
    warn_of_useless(&args.scene);
    warn_of_fps(&args.scene, false);
    let inputs = args.scene.inputs();
    let reader = Reader::new(args, &inputs)?;
    let gpu = Gpu::headless(&adapter(&args.scene.gpu))?;
    // As in other commands: dropping the device takes longer than ending the process.
    let gpu = std::mem::ManuallyDrop::new(gpu);
    let formats = OnceLock::from(gpu.block_formats());
    let shared = shared_folders(&files);
    let mut composer =
        Composer { args, files: &files, shared, sheet: None, cells: Vec::new(), clamped: 0 };
    let mut series = PictureSeries::new(&gpu, args.scene.look.size);
    let (bar, mut failures) = (progress_bar(files.len() as u64, "files"), Vec::new());
    let mut has_bvh = false;
    for file in &files {
        let opened = reader.open(file, &formats).and_then(|opened| {
            composer.charge(file, &gpu, &opened.0)?;
            Ok(opened)
        });
        match opened {
            Ok((mut session, images)) => {
                has_bvh |= is_bvh(&session);
                let gpu_model = upload(&gpu, &session, images)?;
                composer.add_file(file, &mut series, &mut session, &gpu_model)?;
                series.free_model();
            }
            Err(failure) => {
                composer.add_failure(file, &failure)?;
                failures.push((file, failure));
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    gpu.keep_pipelines();
    composer.warn_of_times();
    let borrow = &args.scene.clip.clips.borrow;
    if !has_bvh && failures.is_empty() && borrow.clips_from.is_none() {
        let is_given = borrow.bvh_scale.is_some();
        warn_of_no_effect(&[("--bvh-scale", is_given)], "no file is a BVH file");
    }
    composer.write(&inputs)?;
    match failures.len() {
        0 => Ok(()),
        _ => Err(summary(&failures, files.len())),
    }
}

fn is_bvh(session: &Session) -> bool {
    session.playback().document().is_some_and(|document| document.model.source.is_bvh())
}

/// Returns the files that arguments name. Those of a folder are in natural order (`walk2` before `walk10`).
fn models(given: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for place in given {
        let search = Search { places: vec![place.clone()], ..Search::default() };
        let models = if place.is_dir() { search.run().models } else { Vec::new() };
        if models.is_empty() {
            files.extend(model_files(std::slice::from_ref(place))?)
        } else {
            files.extend(models)
        }
    }
    Ok(files)
}

/// Returns how many leading path components all files share; their names don't count.
fn shared_folders(files: &[PathBuf]) -> usize {
    let Some((first, others)) = files.split_first() else { return 0 };
    let folders: Vec<_> = first.parent().map(|p| p.components().collect()).unwrap_or_default();
    let shared = |other: &PathBuf| {
        let same = folders.iter().zip(other.parent().into_iter().flat_map(Path::components));
        same.take_while(|(a, b)| *a == b).count()
    };
    others.iter().map(shared).min().unwrap_or(folders.len())
}

struct Reader<'a> {
    clip: ClipArgs,
    camera: &'a CameraArgs,
    look: LookArgs,
    inputs: &'a Inputs,
}

impl<'a> Reader<'a> {
    /// Reads the environment's picture, once for all files.
    fn new(args: &'a SheetArgs, inputs: &'a Inputs) -> Result<Self> {
        let mut look = args.scene.look.clone();
        if let Some(EnvironmentName::File(path)) = &look.environment {
            let read = load_environment(path).map_err(|e| Failure::load(path, e))?;
            let known = EnvironmentSource::Picture(Arc::new(read));
            look.environment = Some(EnvironmentName::Known(known));
        }
        // The times are those of the cells.
        let clip = ClipArgs { time: Vec::new(), frame: Vec::new(), ..args.scene.clip.clone() };
        Ok(Self { clip, camera: &args.scene.camera, look, inputs })
    }

    fn open(&self, file: &Path, formats: &OnceLock<BlockFormats>) -> Result<(Session, Vec<Image>)> {
        let options = ImportOptions {
            block_formats: Some(formats),
            bvh_scale: self.clip.clips.bvh_scale(),
            ..ImportOptions::default()
        };
        let mut loaded = load_file(file, &options, self.inputs)?;
        warn_of(&format!("{}: ", shown(file)), &loaded.warnings);
        replace_some_clips(&self.clip.clips, &mut loaded.model, self.inputs)?;
        let mut options =
            session_options(&self.clip, self.camera, &self.look, Some(&loaded.model))?;
        options.time_secs = Some(0.0);
        let images = take_pictures(&mut loaded.model);
        Ok((session(source(Some(file)), loaded, options), images))
    }
}

impl Composer<'_> {
    /// Checks that drawing the cells of a file does not take too long. How many there are depends on the file's clips.
    fn charge(&self, file: &Path, gpu: &Gpu, session: &Session) -> Result {
        let cells = self.poses(session).len();
        let work = (CELL + picture_work(gpu, session, self.args.scene.look.size)) * cells;
        charge_pictures(Some(file), cells, work, self.args.work)
    }

    fn add_file(
        &mut self,
        file: &Path,
        series: &mut PictureSeries,
        session: &mut Session,
        gpu_model: &GpuModel,
    ) -> Result {
        if self.cells.is_empty() {
            warn_of_omissions(session);
        }
        let poses = self.poses(session);
        for pose in &poses {
            if pose.clip.is_some() {
                session.apply(PlaybackAction::SelectClip(pose.clip));
            }
            session.apply(PlaybackAction::Seek(pose.time_secs));
            // Frames each pose anew if only the pose is framed.
            session.apply(CameraAction::ResetCamera);
            let picture = series.draw(session, gpu_model)?;
            let shown_secs = session.playback().time_secs();
            self.clamped += usize::from((shown_secs - pose.time_secs).abs() > ROUNDED_SECS);
            let (playback, document) = (session.playback(), session.playback().document());
            let index = playback.clip_index();
            let all = document.map_or(0, |d| d.clips().len());
            let name = document.and_then(|d| d.clip_name(index?)).map(str::to_owned);
            let label = self.label(file, name.as_deref(), playback.time_secs());
            let rect = self.add_cell(Cell::Picture(&picture), &label, poses.len())?;
            self.cells.push(ListedCell {
                file: file.to_string_lossy().into_owned(),
                clip: index.filter(|index| *index < all),
                clip_name: name,
                time: playback.time_secs(),
                rect,
                error: None,
            });
        }
        Ok(())
    }

    fn add_failure(&mut self, file: &Path, failure: &Failure) -> Result {
        let error = match failure {
            Failure::Load { error, .. } => error.to_string(),
            other => other.to_string(),
        };
        let label = [self.name(file)];
        let rect = self.add_cell(Cell::Message(&error), &label, 1)?;
        let (file, error) = (file.to_string_lossy().into_owned(), Some(error));
        self.cells.push(ListedCell { file, clip: None, clip_name: None, time: 0.0, rect, error });
        Ok(())
    }

    /// Returns the clips and times of an opened file that the arguments ask for.
    fn poses(&self, session: &Session) -> Vec<SheetPose> {
        let playback = session.playback();
        let (args, clips) =
            (&self.args.scene.clip.clips, playback.document().map_or(&[][..], |d| d.clips()));
        let one = args.names_clip()
            || self.args.scene.clip.shows_no_clip()
            || (self.files.len() > 1 && self.args.per_clip.is_none());
        let times = |clip: Option<usize>, duration: f64| {
            let pose = move |time_secs: f64| SheetPose { clip, time_secs };
            let given = self.args.scene.clip.times_secs();
            let count = if duration > 0.0 { self.args.per_clip.unwrap_or(1) } else { 1 };
            let spread = |i: u32| duration * f64::from(i) / f64::from(count);
            if given.is_empty() {
                (0..count).map(spread).map(pose).collect::<Vec<_>>()
            } else {
                given.into_iter().map(pose).collect()
            }
        };
        if one || clips.is_empty() {
            return times(None, playback.duration_secs());
        }
        let each = clips.iter().enumerate();
        each.flat_map(|(i, clip)| times(Some(i), f64::from(clip.duration_secs()))).collect()
    }

    /// Adds a cell. `cells` is the number of cells of its file, by which the first one sets the columns.
    fn add_cell(&mut self, cell: Cell, label: &[String], cells: usize) -> Result<[u32; 4]> {
        let layout = self.layout(cells);
        let sheet = self.sheet.get_or_insert_with(|| Sheet::new(layout));
        sheet.add(cell, label).map_err(|error| {
            let text =
                format!("{error}; use a smaller --size, fewer files or a smaller --per-clip");
            Failure::Usage(text)
        })
    }

    fn layout(&self, cells: usize) -> SheetLayout {
        let look = &self.args.scene.look;
        let all = if self.files.len() > 1 { self.files.len() } else { cells };
        let row = match (self.args.columns, self.times()) {
            // Their number of cells is not known yet.
            (Some(columns), _) if self.files.len() > 1 && self.times() > 1 => columns as usize,
            (Some(columns), _) => (columns as usize).min(all),
            (None, 1) => (all as f64).sqrt().ceil() as usize,
            (None, times) => times,
        };
        SheetLayout {
            columns: row.max(1),
            cell: look.size,
            lines: match (self.args.no_labels, self.has_times()) {
                (true, _) => 0,
                (false, true) => 2,
                (false, false) => 1,
            },
            scale: look.scale as f32,
            background: look.background().unwrap_or(rigview_look::Look::default().background),
        }
    }

    fn times(&self) -> usize {
        match self.args.scene.clip.times_secs().len() {
            0 => self.args.per_clip.unwrap_or(1) as usize,
            given => given,
        }
    }

    /// Whether labels have a second line: the time, and the clip if the first line is the file.
    fn has_times(&self) -> bool {
        self.times() > 1 || (self.files.len() > 1 && self.args.per_clip.is_some())
    }

    fn label(&self, file: &Path, clip: Option<&str>, time_secs: f64) -> Vec<String> {
        let clip = escaped(clip.unwrap_or("rest pose"));
        let time = format!("{time_secs:.2} s");
        match self.files.len() {
            1 => vec![clip, time],
            _ => vec![self.name(file), format!("{clip}, {time}")],
        }
    }

    /// Returns a file's name. If other files have it too, returns the path without the folders that all files
    /// share.
    fn name(&self, file: &Path) -> String {
        let same = self.files.iter().filter(|other| other.file_name() == file.file_name()).count();
        let folders = file.parent().map_or(0, |folder| folder.components().count());
        let left_out = if same > 1 { self.shared } else { folders };
        let name: PathBuf = file.components().skip(left_out).collect();
        shown(&name)
    }

    /// Warns of instants that clips do not have: once, because clips of many lengths have one `--time`.
    fn warn_of_times(&self) {
        let option = if self.args.scene.clip.time.is_empty() { "--frame" } else { "--time" };
        let (clamped, all) = (self.clamped, self.cells.len());
        if clamped > 0 {
            log::warn!(
                "{option}: {clamped} of {all} cells show the nearest pose, because they lack the time given"
            );
        }
    }

    fn write(self, inputs: &Inputs) -> Result {
        let Some(sheet) = self.sheet else { return Ok(()) };
        let picture = sheet.finish();
        write_whole(&self.args.output, inputs, |out| write_png(&picture, out))?;
        let Some(json) = &self.args.json else { return Ok(()) };
        let listing = Listing { size: picture.size(), cells: self.cells };
        write_whole(json, inputs, |out| write_json_line(out, &listing))
    }
}

/// Returns the failure of a sheet some of whose files failed: what is wrong with a single one, or their names.
fn summary(failures: &[(&PathBuf, Failure)], files: usize) -> Failure {
    let line = |(file, failure): &(&PathBuf, Failure)| {
        said_of(&shown(file), &shown(file), &failure.to_string())
    };
    let lines: Vec<String> = failures.iter().map(line).collect();
    let code = failures.iter().map(|(_, failure)| failure.code()).max().unwrap_or_default();
    if let [text] = &lines[..] {
        return Failure::Several { code, text: text.clone() };
    }
    lines.iter().for_each(|line| log::warn!("{line}"));
    let names = first_of(failures, LISTED, |(file, _)| shown(file));
    let text = format!("{} of {files} files can't be shown: {names}", failures.len());
    Failure::Several { code, text }
}
