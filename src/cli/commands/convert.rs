//! `rigview convert`: writes everything that opens as glTF, and measures what changed.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use glam::Vec3;
use serde::Serialize;

use crate::cli::args::clip::BorrowArgs;
use crate::cli::args::values::{factor, positive, whole};
use crate::cli::choice::load_file;
use crate::cli::clips::{borrowed, warn_of_bvh_scale};
use crate::cli::crash;
use crate::cli::failure::{Failure, Result, said_of, shown, some_failed, usage_error};
use crate::cli::lookup::index_of;
use crate::cli::model_files::model_files;
use crate::cli::model_output::{
    is_document, losses, lost_clip_indices, unknown_extensions, write_changed,
};
use crate::cli::output::{Inputs, print, print_beside, stem, write_json_line};
use crate::cli::warnings::warn_of;
use rigview_anim::{Clip, Transform};
use rigview_capture::with_model;
use rigview_compare::{ComparisonError, Distances, distances};
use rigview_export::{Animations, Changed, Changes, ExportError, UnitAxes, changed, glb};
use rigview_import::{
    ImageDecoding, ImportError, ImportOptions, Loaded, Progress, Warning, WarningCode, escaped,
    load_bytes, load_with_progress,
};
use rigview_model::{Chunk, Light, LightKind, Model, four_digits, quoted, three_digits};

const NAME: &str = "{name}";

/// The largest error of keys that curves become, in millimetres, unless another is given.
const BOUND_MM: f64 = 0.01;

#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Models (.glb, .gltf, .vrm, .fbx, .bvh), folders of them, or globs in quotes; - is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write to this file: with the extension .gltf a glTF file and a .bin file next to it, otherwise a
    /// GLB; - writes a GLB to standard output, and the answer to standard error. {name} is replaced by the file's name
    /// without its extension; several files need it.
    #[arg(short, long, value_name = "OUT.glb|OUT.gltf")]
    pub output: PathBuf,
    /// Write only this clip, by name or index; give it several times for several clips.
    #[arg(long, value_name = "NAME|INDEX")]
    pub clip: Vec<String>,
    /// Multiply all lengths, for files that state a wrong unit.
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    pub scale: Option<f64>,
    /// Turn the model so that this axis points up [default: y].
    #[arg(long, value_name = "AXIS", value_enum, allow_hyphen_values = true)]
    pub up: Option<Axis>,
    /// Turn the model so that this axis points to its front, which is +Z in glTF [default: z, or -y if z points up].
    #[arg(long, value_name = "AXIS", value_enum, allow_hyphen_values = true)]
    pub front: Option<Axis>,
    /// Store vertices, indices and rotations in 8 and 16 bits (KHR_mesh_quantization).
    #[arg(long)]
    pub quantize: bool,
    /// Compress vertices, indices and keys without a loss (EXT_meshopt_compression).
    #[arg(long)]
    pub meshopt: bool,
    /// Embed pictures, or write them to files beside a .gltf file.
    #[arg(long, value_enum, value_name = "PLACE", default_value = "embed")]
    pub images: ImagePlace,
    /// Make pictures smaller whose longer side has more pixels.
    #[arg(long, value_name = "PIXELS", value_parser = whole(1, u32::MAX))]
    pub max_image: Option<u32>,
    /// Set the largest error in millimetres, at the skin, of keys that curves of FBX files become
    /// [default: 0.01].
    #[arg(long, value_name = "MM", value_parser = positive)]
    pub bound: Option<f64>,
    /// Print one JSON object per file.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub borrow: BorrowArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Axis {
    X,
    Y,
    Z,
    #[value(name = "-x")]
    NegativeX,
    #[value(name = "-y")]
    NegativeY,
    #[value(name = "-z")]
    NegativeZ,
}

impl Axis {
    fn vector(self) -> Vec3 {
        match self {
            Axis::X => Vec3::X,
            Axis::Y => Vec3::Y,
            Axis::Z => Vec3::Z,
            Axis::NegativeX => Vec3::NEG_X,
            Axis::NegativeY => Vec3::NEG_Y,
            Axis::NegativeZ => Vec3::NEG_Z,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImagePlace {
    /// In the buffer.
    Embed,
    /// In files of their own.
    Files,
}

pub fn run(args: &ConvertArgs) -> Result {
    let files = model_files(&args.files)?;
    let pattern = args.output.to_string_lossy();
    if files.len() > 1 && !pattern.contains(NAME) {
        return usage_error("-o: several files need a name with {name}, such as '{name}.glb'");
    }
    if pattern.contains("{clip}") {
        return usage_error(
            "-o: all clips are written to one file; write one per clip with `rigview bake --split`",
        );
    }
    let unit_axes = unit_axes(args)?;
    let mut written = HashSet::new();
    for file in &files {
        let path = output(file, args);
        if !written.insert(path.clone()) {
            let name = shown(&path);
            return usage_error(format!(
                "-o: two files would be written to {name}; convert them one by one"
            ));
        }
        if args.images == ImagePlace::Files && !is_document(&path) {
            return usage_error(
                "--images files: only a .gltf file has files beside it; name the output so",
            );
        }
    }
    let (mut failed, mut code) = (0, 0);
    for file in &files {
        let called = shown(file);
        let prefix = if files.len() > 1 { format!("{called}: ") } else { String::new() };
        let answer = match (Job { file, prefix: &prefix, unit_axes, args }).convert() {
            Ok(answer) => answer,
            Err(failure) if files.len() == 1 => return Err(failure),
            Err(Failure::ClosedOutput) => return Err(Failure::ClosedOutput),
            Err(failure) => {
                crash::say(&said_of(&called, &called, &failure.to_string()));
                failed += 1;
                code = failure.code().max(code);
                continue;
            }
        };
        print_beside(Some(Path::new(&answer.output)), |out| {
            if args.json {
                write_json_line(out, &answer)
            } else {
                answer.write_text(out, args.bound.is_some())
            }
        })?;
    }
    some_failed(failed, code, files.len(), "file")
}

fn unit_axes(args: &ConvertArgs) -> Result<UnitAxes> {
    let scale = args.scale.unwrap_or(1.0) as f32;
    let up = args.up.map_or(Vec3::Y, Axis::vector);
    let unit_axes = UnitAxes::new(scale, up, args.front.map(Axis::vector));
    unit_axes.ok_or_else(|| Failure::Usage("--up and --front are the same axis".into()))
}

fn output(file: &Path, args: &ConvertArgs) -> PathBuf {
    with_model(&args.output, &stem(file))
}

#[derive(Clone, Copy)]
struct Job<'a> {
    file: &'a Path,
    /// What its warnings begin with.
    prefix: &'a str,
    unit_axes: UnitAxes,
    args: &'a ConvertArgs,
}

struct Converted {
    model: Model,
    not_carried_over: Vec<String>,
}

impl Job<'_> {
    fn convert(self) -> Result<Answer> {
        let Self { file, unit_axes, args, .. } = self;
        let inputs = Inputs::with([args.borrow.map_file()]);
        let mut source = self.read(&inputs)?;
        self.borrow_clips(&mut source, &inputs)?;
        let chosen = self.choose_clips(&mut source)?;
        let Converted { model, mut not_carried_over } = source;
        let animations = match (self.borrows(), &chosen) {
            (true, _) => Animations::Clips(&model.clips),
            (false, None) => Animations::File,
            (false, Some(chosen)) => Animations::Chosen(chosen),
        };
        let path = output(file, args);
        let changes = Changes {
            unit_axes,
            quantize: args.quantize,
            meshopt: args.meshopt,
            largest_picture: args.max_image,
            picture_files: (args.images == ImagePlace::Files).then(|| stem(&path)),
        };
        let changed = changed(&model, animations, &changes).map_err(|e| failure(file, &e))?;
        not_carried_over.extend(self.lost(&model, &path, &changed));
        let frames = changed.frames.clone();
        let (bytes, mut written) = self.write(&path, &inputs, changed, &model.source.chunks)?;
        // Compared in the unit and the axes of the source.
        for node in frames {
            written.rest.set_transform(node, Transform::IDENTITY);
        }
        let mm = 1000.0 * f64::from(unit_axes.scale);
        let distances = distances(&model, &written).map_err(|e| incomparable(file, e))?;
        Ok(Answer {
            bytes,
            not_carried_over,
            ..Answer::measured([file, &path], [&model, &written], distances.as_ref(), mm)
        })
    }

    fn borrows(self) -> bool {
        self.args.borrow.clips_from.is_some()
    }

    fn read(self, inputs: &Inputs) -> Result<Converted> {
        let Self { file, prefix, unit_axes, args } = self;
        let options = ImportOptions {
            images: args.max_image.map_or(ImageDecoding::Headers, |_| ImageDecoding::Keep),
            // The bound is one of the result.
            curve_bound: args.bound.unwrap_or(BOUND_MM) / 1000.0 / f64::from(unit_axes.scale),
            keep_original: true,
            bvh_scale: args.borrow.bvh_scale(),
            ..ImportOptions::default()
        };
        let Loaded { model, warnings } = load_file(file, &options, inputs)?;
        warn_of(prefix, &warnings);
        if args.bound.is_some() && model.source.curve_error.is_none() {
            log::warn!("{prefix}--bound has no effect: the file has no curves");
        }
        Ok(Converted { not_carried_over: not_shown(&model, &warnings), model })
    }

    /// Replaces the clips by those of another file, if the arguments name one.
    fn borrow_clips(self, source: &mut Converted, inputs: &Inputs) -> Result {
        let Self { prefix, args, .. } = self;
        let Converted { model, not_carried_over } = source;
        match &args.borrow.clips_from {
            Some(path) => {
                let borrowed = borrowed(path, &args.borrow, model, inputs)?;
                let lost = borrowed.lost.list();
                not_carried_over.extend(lost.iter().map(|what| format!("{what} of the clips")));
                model.clips = borrowed.clips;
            }
            // Among several files it may be for others.
            None if prefix.is_empty() => warn_of_bvh_scale(args.borrow.bvh_scale(), model),
            None => {}
        }
        Ok(())
    }

    /// Keeps the clips that the arguments name. Returns their indices; `None` if they name none, and all stay.
    fn choose_clips(self, source: &mut Converted) -> Result<Option<Vec<usize>>> {
        let Converted { model, not_carried_over } = source;
        let chosen = chosen(model, &self.args.clip)?;
        let is_all = chosen.as_ref().is_none_or(|it| it.iter().copied().eq(0..model.clips.len()));
        if self.borrows() || !is_all {
            not_carried_over.extend(lost_clip_indices(model));
        }
        if let Some(chosen) = &chosen {
            model.clips = chosen.iter().map(|clip| model.clips[*clip].clone()).collect();
        }
        match &chosen {
            _ if self.borrows() => model.source.keep_animations(&[]),
            Some(chosen) => model.source.keep_animations(chosen),
            None => {}
        }
        Ok(chosen)
    }

    fn lost(self, model: &Model, path: &Path, changed: &Changed) -> Vec<String> {
        let mut lost = if self.unit_axes.scale == 1.0 { Vec::new() } else { unscaled(model) };
        lost.extend(losses(model, [self.file, path], &changed.file));
        let animated = changed.unscaled.iter();
        lost.extend(animated.map(|pointer| unscaled_text(&format!("keys of {pointer}"))));
        let large = changed.large_pictures.iter();
        lost.extend(large.map(|name| format!("picture {} stays as large as it is", quoted(name))));
        lost
    }

    /// Writes the result. Returns its size in bytes, and what it is read as.
    fn write(
        self,
        path: &Path,
        inputs: &Inputs,
        changed: Changed,
        chunks: &[Chunk],
    ) -> Result<(u64, Model)> {
        let failed = |e: ExportError| failure(self.file, &e);
        let whole = |bytes: Vec<u8>| glb(&changed.file.root, bytes, chunks);
        // The result is read before anything is written, so that no file is left that can't be read. One that is too long for
        // a GLB is read afterwards.
        let read = match whole(changed.file.bytes.clone()) {
            Ok(bytes) => Some(read_back(path, |options| load_bytes(bytes, options))?),
            Err(ExportError::TooLarge) if is_document(path) => None,
            Err(error) => return Err(failed(error)),
        };
        let bytes = if path == Path::new("-") {
            let glb = whole(changed.file.bytes.clone()).map_err(failed)?;
            print(|out| out.write_all(&glb))?;
            glb.len() as u64
        } else {
            write_changed(path, inputs, changed, chunks, failed)?
        };
        let load =
            |options: &ImportOptions| load_with_progress(path, options, &Progress::default());
        Ok((bytes, read.map_or_else(|| read_back(path, load), Ok)?))
    }
}

/// Reads a result, which is to be written to this path.
fn read_back(
    path: &Path,
    read: impl FnOnce(&ImportOptions) -> Result<Loaded, ImportError>,
) -> Result<Model> {
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    let unreadable = |error: ImportError| {
        let path = shown(path);
        Failure::Output(format!("{path}: the result could not be read again: {error}"))
    };
    Ok(read(&options).map_err(unreadable)?.model)
}

/// Returns what keeps its numbers where all lengths are multiplied, in words.
fn unscaled(model: &Model) -> Vec<String> {
    let is_near = |light: &Light| !matches!(light.kind, LightKind::Directional);
    let intensities = || unscaled_text("intensities of point and spot lights");
    let lights = model.lights.iter().any(is_near).then(intensities);
    let extensions = unknown_extensions(model);
    let extensions = extensions.map(|name| unscaled_text(&format!("lengths in {}", quoted(name))));
    lights.into_iter().chain(extensions).collect()
}

fn unscaled_text(what: &str) -> String {
    format!("{what} keep their numbers, which --scale does not multiply")
}

/// Returns what of a file is not part of its model.
fn not_shown(model: &Model, warnings: &[Warning]) -> Vec<String> {
    let is_lost =
        |w: &&Warning| matches!(w.code, WarningCode::NotShown | WarningCode::ImageMissing);
    let lost = warnings.iter().filter(is_lost).map(|w| w.message.clone());
    let hidden = fact(model, "not shown").into_iter();
    lost.chain(hidden.flat_map(|what| what.split(", ").map(str::to_owned))).collect()
}

fn failure(file: &Path, error: &ExportError) -> Failure {
    let text = format!("{}: {}", shown(file), escaped(&error.to_string()));
    match error {
        ExportError::Compressed => Failure::Usage(text),
        _ => Failure::Output(text),
    }
}

fn incomparable(file: &Path, error: ComparisonError) -> Failure {
    match error {
        ComparisonError::OverBudget(over) => {
            Failure::load(file, ImportError::over_budget("the comparison", over))
        }
        other => Failure::load(file, ImportError::other(other.to_string())),
    }
}

/// Returns the indices of the clips that were asked for, each once; `None` without a choice.
fn chosen(model: &Model, wanted: &[String]) -> Result<Option<Vec<usize>>> {
    let mut chosen = Vec::with_capacity(wanted.len());
    for wanted in wanted {
        let index = index_of("clip", wanted, model.clips.iter().map(Clip::name))?;
        if !chosen.contains(&index) {
            chosen.push(index);
        }
    }
    Ok(Some(chosen).filter(|chosen| !chosen.is_empty()))
}

/// Bytes of a file from which on an option that makes it smaller is named.
const MANY_BYTES: u64 = 16 << 20;

#[derive(Default, Serialize)]
pub struct Answer {
    pub input: String,
    pub output: String,
    pub format: String,
    /// The unit of the source's lengths, in words; absent if its format has one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Bytes of the file that was written, with its buffer.
    pub bytes: u64,
    /// The largest distance of a vertex between source and result, in the rest pose and over all clips; `None` if
    /// nothing is drawn and no node moves.
    pub largest_mm: Option<f64>,
    /// The distance that keys keep from the source's curves, which they were converted from; `None` if it has keys
    /// itself.
    pub curves_mm: Option<f64>,
    pub clips: Vec<ClipAnswer>,
    pub not_carried_over: Vec<String>,
}

#[derive(Serialize)]
pub struct ClipAnswer {
    pub name: String,
    pub duration_secs: f32,
    pub largest_mm: Option<f64>,
}

impl Answer {
    /// Returns what is known of a file by its model, of the result by the model that it is read as, and by the distances between
    /// both in metres of the source. `mm` are the millimetres of the result per metre of the source.
    pub fn measured(
        [file, path]: [&Path; 2],
        [model, written]: [&Model; 2],
        distances: Option<&Distances>,
        mm: f64,
    ) -> Self {
        let in_mm = |metres: Option<f64>| metres.map(|metres| metres * mm);
        // Clips that play the same on the same rig are not measured.
        let of_clip = |clip: usize| distances.map(|it| it.clips.get(&clip).copied().unwrap_or(0.0));
        let clip = |(i, clip): (usize, &Clip)| ClipAnswer {
            name: clip.name().unwrap_or_default().into(),
            duration_secs: clip.duration_secs(),
            largest_mm: in_mm(of_clip(i)),
        };
        Self {
            input: file.to_string_lossy().into_owned(),
            output: path.to_string_lossy().into_owned(),
            format: model.source.format.clone(),
            unit: fact(model, "unit").map(str::to_owned),
            largest_mm: in_mm(distances.map(Distances::largest)),
            curves_mm: in_mm(model.source.curve_error),
            clips: written.clips.iter().enumerate().map(clip).collect(),
            ..Self::default()
        }
    }

    /// Writes the answer for people. `bounded`: the error of keys was given.
    pub fn write_text(&self, out: &mut dyn Write, bounded: bool) -> io::Result<()> {
        let Self { input, output, format, unit, bytes, largest_mm, curves_mm, .. } = self;
        let off = |mm: Option<f64>| match mm {
            Some(mm) => format!("largest distance {} mm", three_digits(mm, 4)),
            None => "nothing to measure".into(),
        };
        let (input, output) = (escaped(input), escaped(output));
        writeln!(out, "{input} ({format}) -> {output}: {bytes} bytes, {}", off(*largest_mm))?;
        if let Some(unit) = unit {
            writeln!(out, "  unit: {}", escaped(unit))?;
        }
        if let Some(mm) = curves_mm {
            let fewer = || format!("; `--bound {}` needs fewer", three_digits(10.0 * mm, 6));
            let hint = (*bytes > MANY_BYTES && !bounded).then(fewer).unwrap_or_default();
            writeln!(out, "  curves became keys within {} mm{hint}", three_digits(*mm, 6))?;
        }
        for clip in &self.clips {
            let ClipAnswer { name, duration_secs, largest_mm } = clip;
            let duration_secs = four_digits(f64::from(*duration_secs), 1.0);
            writeln!(out, "  clip \"{}\", {duration_secs} s: {}", escaped(name), off(*largest_mm))?;
        }
        for what in &self.not_carried_over {
            writeln!(out, "  not carried over: {}", escaped(what))?;
        }
        Ok(())
    }
}

/// Returns what the import noted of a file under a name.
pub fn fact<'a>(model: &'a Model, name: &str) -> Option<&'a str> {
    let mut facts = model.source.metadata.iter().flat_map(|metadata| &metadata.entries);
    facts.find(|(of, _)| of == name).map(|(_, what)| what.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_of_keys_from_curves_names_the_option_that_makes_it_smaller() {
        let text = |bytes: u64, bounded: bool| {
            let answer = Answer { bytes, curves_mm: Some(0.01), ..Answer::default() };
            let mut out = Vec::new();
            answer.write_text(&mut out, bounded).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert!(text(MANY_BYTES + 1, false).contains("within 0.01 mm; `--bound 0.1` needs fewer"));
        assert!(!text(MANY_BYTES, false).contains("--bound"));
        assert!(!text(MANY_BYTES + 1, true).contains("--bound"));
    }
}
