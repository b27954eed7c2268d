//! `rigview diff`: compares two models, clip by clip.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::diff_text::{picture_caption, unmeasured_text, verdict, write_markdown, write_text};
use super::file_difference::FileDifference;
use crate::cli::args::scene::GpuArgs;
use crate::cli::args::values::{not_negative, size};
use crate::cli::args::work::{WorkArgs, raise_timeout};
use crate::cli::choice::adapter;
use crate::cli::failure::Failure;
use crate::cli::input::{is_standard_input, load_input};
use crate::cli::output::{Inputs, expect_png, print, write_json_line, write_whole};
use crate::cli::warnings::warn_of;
use rigview_capture::{heat_picture, write_png};
use rigview_compare::{
    Change, ClipDifference, ComparisonError, Ignored, ModelDifference, Paired, RestDifference,
    model_heat, models_within,
};
use rigview_import::{ImageDecoding, ImportError, ImportOptions, escaped};
use rigview_model::Model;
use rigview_render::Gpu;

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The model before the change (.glb, .gltf, .vrm, .fbx, .bvh); - is standard input.
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// The model after the change (.glb, .gltf, .vrm, .fbx, .bvh); - is standard input.
    #[arg(value_name = "B")]
    pub b: PathBuf,
    /// Accept distances up to this many metres.
    #[arg(long, value_name = "METRES", default_value = "0.0001", value_parser = not_negative)]
    pub tolerance: f64,
    /// Leave these differences out, separated by commas: structure, names, materials, node, mesh, skin, material,
    /// clip, image, scene, variant, vrm, winding, normals, tangents, uv, colours, weights, bind, attribute, extras. Distances
    /// always count.
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = ignored)]
    pub ignore: Vec<Ignored>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Print Markdown, for a job summary or a comment.
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Draw B at the worst instant, coloured by its distance from A, to this PNG.
    #[arg(short, long, value_name = "OUT.png")]
    pub output: Option<PathBuf>,
    /// Set the size of the drawing in pixels.
    #[arg(long, alias = "resolution", value_name = "WxH", default_value = "1024x768", value_parser = size)]
    #[arg(requires = "output")]
    pub size: [u32; 2],
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    pub gpu: GpuArgs,
}

/// The version of the JSON object.
const FORMAT: u32 = 1;

/// The difference as JSON.
#[derive(Serialize)]
struct Answer<'a> {
    format: u32,
    equal: bool,
    paired: Option<Paired>,
    structure: &'a [Change],
    rest: &'a RestDifference,
    clips: &'a [ClipDifference],
    materials: &'a [Change],
    bytes: Bytes,
}

#[derive(Serialize)]
struct Bytes {
    a: u64,
    b: u64,
}

/// A file that was read.
struct ReadFile {
    model: Model,
    bytes: u64,
}

pub fn run(args: &DiffArgs) -> Result<(), Failure> {
    args.output.as_deref().map_or(Ok(()), expect_png)?;
    if is_standard_input(&args.a) && is_standard_input(&args.b) {
        return Err(Failure::Usage("only one of both files can be standard input (-)".into()));
    }
    let (a, b) = rayon::join(|| read(&args.a), || read(&args.b));
    let (mut a, mut b) = (a?, b?);
    let too_much = |error: ComparisonError| {
        let error = match error {
            ComparisonError::OverBudget(over) => ImportError::over_budget("the comparison", over),
            ComparisonError::TooLong { .. } => ImportError::other(raise_timeout(&error)),
        };
        Failure::load(&args.b, error)
    };
    let difference = models_within(&a.model, &b.model, args.work.limit()).map_err(too_much)?;
    let difference = match difference.needs_pixels() && read_pixels(args, [&mut a, &mut b]) {
        true => difference.with_images(&a.model, &b.model),
        false => difference,
    };
    let difference = difference.without(&args.ignore).beyond(args.tolerance);
    let found = FileDifference {
        names: [&args.a, &args.b].map(|file| escaped(&file.to_string_lossy())),
        difference,
        bytes: [a.bytes, b.bytes],
        tolerance: args.tolerance,
    };
    if let Some(path) = &args.output {
        let Some(heat) = model_heat(&a.model, &b.model, &found.difference).map_err(too_much)?
        else {
            let why = unmeasured_text(&found.difference);
            return Err(Failure::Usage(format!("-o: nothing to draw: {why}")));
        };
        let inputs = Inputs::with([Some(args.a.clone()), Some(args.b.clone())]);
        // Dropping the device takes longer than ending the process, which frees it too.
        let gpu = std::mem::ManuallyDrop::new(Gpu::headless(&adapter(&args.gpu))?);
        let picture = heat_picture(&gpu, &heat, &picture_caption(&found), args.size)?;
        write_whole(path, &inputs, |out| write_png(&picture, out))?;
    }
    if args.output.as_deref() == Some(Path::new("-")) {
        return verdict_of(&found);
    }
    print(|out| match (args.json, args.markdown) {
        (true, _) => write_json_line(out, &answer(&found)),
        (_, true) => write_markdown(out, &found),
        _ => write_text(out, &found),
    })?;
    verdict_of(&found)
}

fn verdict_of(found: &FileDifference) -> Result<(), Failure> {
    if found.is_equal() { Ok(()) } else { Err(Failure::No(verdict(found))) }
}

fn answer(found: &FileDifference) -> Answer<'_> {
    let ModelDifference { structure, paired, rest, clips, materials, .. } = &found.difference;
    let ([a, b], equal, paired) = (found.bytes, found.is_equal(), *paired);
    let bytes = Bytes { a, b };
    Answer { format: FORMAT, equal, paired, structure, rest, clips, materials, bytes }
}

/// Parses a sort of difference.
fn ignored(name: &str) -> Result<Ignored, String> {
    let all = || Ignored::names().collect::<Vec<_>>().join(", ");
    Ignored::from_name(name).ok_or_else(|| format!("no such kind; the kinds are: {}", all()))
}

/// Decodes the images of both files. Returns false if a file can't be read again.
fn read_pixels(args: &DiffArgs, files: [&mut ReadFile; 2]) -> bool {
    let paths = [&args.a, &args.b];
    if paths.iter().any(|path| is_standard_input(path)) {
        return false;
    }
    let decoded = |path: &Path| {
        let inputs = Inputs::default();
        load_input(path, &ImportOptions::default(), &inputs.progress).map(|loaded| loaded.model)
    };
    for (path, file) in paths.into_iter().zip(files) {
        let Ok(model) = decoded(path) else { return false };
        for (image, decoded) in file.model.images.iter_mut().zip(model.images) {
            image.pixels = decoded.pixels;
        }
    }
    true
}

/// Reads a model, and the sizes of its files.
fn read(path: &Path) -> Result<ReadFile, Failure> {
    let options = ImportOptions {
        images: ImageDecoding::Hash,
        keep_undrawn: true,
        ..ImportOptions::default()
    };
    let inputs = Inputs::default();
    let loaded =
        load_input(path, &options, &inputs.progress).map_err(|e| Failure::load(path, e))?;
    warn_of(&format!("{}: ", escaped(&path.to_string_lossy())), &loaded.warnings);
    let mut files: Vec<PathBuf> =
        inputs.progress.files().into_iter().map(|file| file.path).collect();
    files.sort();
    files.dedup();
    let sizes = files.iter().filter_map(|file| file.metadata().ok()).map(|file| file.len());
    let bytes = match is_standard_input(path) {
        true => inputs.progress.bytes().done,
        false => sizes.sum(),
    };
    Ok(ReadFile { model: loaded.model, bytes })
}
