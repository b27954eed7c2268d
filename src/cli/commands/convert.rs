//! `rigview convert`: writes everything that opens as glTF, and measures what changed.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use glam::Vec3;
use serde::Serialize;

use crate::anim::{Clip, Transform};
use crate::capture::filled;
use crate::cli::args::clip::BorrowArgs;
use crate::cli::args::values::{factor, positive, whole};
use crate::cli::clips::{borrowed, warn_of_bvh_scale};
use crate::cli::crash;
use crate::cli::failure::{Failure, said_of};
use crate::cli::input::load_input;
use crate::cli::lookup::index_of;
use crate::cli::model_files::model_files;
use crate::cli::model_output::{is_document, losses, write_changed};
use crate::cli::output::{Inputs, print, print_beside, write_json_line};
use crate::cli::warnings::warn_of;
use crate::compare::{ComparisonError, Distances, distances};
use crate::export::{Animations, Changes, ExportError, UnitAxes, changed, glb, is_known_extension};
use crate::import::{
    ImageDecoding, ImportError, ImportOptions, Loaded, Progress, Warning, WarningCode, escaped,
    load_bytes, load_with_progress,
};
use crate::model::{Light, LightKind, Model, four_digits, quoted, three_digits};
use crate::report::counted;

/// The place of the file's name in that of the output.
const NAME: &str = "{name}";

/// The largest error of keys that curves become, in millimetres, unless another is given.
const BOUND_MM: f64 = 0.01;

/// Bytes of a file from which on an option that makes it smaller is named.
const MANY_BYTES: u64 = 16 << 20;

/// Arguments of `convert`.
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

/// An axis of the source.
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

/// Where pictures are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImagePlace {
    /// In the buffer.
    Embed,
    /// In files of their own.
    Files,
}

/// What was converted.
#[derive(Serialize)]
struct Answer {
    input: String,
    output: String,
    format: String,
    /// The unit of the source's lengths, in words; absent if its format has one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    /// Bytes of the file that was written, with its buffer.
    bytes: u64,
    /// The largest distance of a vertex between source and result, in the rest pose and over all clips; `None` if
    /// nothing is drawn and no node moves.
    largest_mm: Option<f64>,
    /// The distance that keys keep from the source's curves, which they were converted from; `None` if it has keys
    /// itself.
    curves_mm: Option<f64>,
    clips: Vec<ClipAnswer>,
    /// What could not be carried over, in words.
    not_carried_over: Vec<String>,
}

#[derive(Serialize)]
struct ClipAnswer {
    name: String,
    duration_secs: f32,
    largest_mm: Option<f64>,
}

pub fn run(args: &ConvertArgs) -> Result<(), Failure> {
    let files = model_files(&args.files)?;
    let pattern = args.output.to_string_lossy();
    if files.len() > 1 && !pattern.contains(NAME) {
        let text = "-o: several files need a name with {name}, such as '{name}.glb'";
        return Err(Failure::Usage(text.into()));
    }
    if pattern.contains("{clip}") {
        let text =
            "-o: all clips are written to one file; write one per clip with `rigview bake --split`";
        return Err(Failure::Usage(text.into()));
    }
    let unit_axes = unit_axes(args)?;
    let mut written = HashSet::new();
    for file in &files {
        let path = output(file, args);
        if !written.insert(path.clone()) {
            let name = escaped(&path.to_string_lossy());
            let text = format!("-o: two files would be written to {name}; convert them one by one");
            return Err(Failure::Usage(text));
        }
        if args.images == ImagePlace::Files && !is_document(&path) {
            let text = "--images files: only a .gltf file has files beside it; name the output so";
            return Err(Failure::Usage(text.into()));
        }
    }
    let (mut failed, mut code) = (0, 0);
    for file in &files {
        let called = escaped(&file.to_string_lossy());
        let prefix = if files.len() > 1 { format!("{called}: ") } else { String::new() };
        let answer = match convert(file, &prefix, unit_axes, args) {
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
        print_beside(Some(Path::new(&answer.output)), |out| match args.json {
            true => write_json_line(out, &answer),
            false => write_text(out, &answer, args.bound.is_some()),
        })?;
    }
    match failed {
        0 => Ok(()),
        _ => {
            let text = format!("{failed} of {} failed", counted(files.len(), "file"));
            Err(Failure::Several { code, text })
        }
    }
}

/// Returns the unit and the axes of the arguments.
fn unit_axes(args: &ConvertArgs) -> Result<UnitAxes, Failure> {
    let scale = args.scale.unwrap_or(1.0) as f32;
    let up = args.up.map_or(Vec3::Y, Axis::vector);
    let unit_axes = UnitAxes::new(scale, up, args.front.map(Axis::vector));
    unit_axes.ok_or_else(|| Failure::Usage("--up and --front are the same axis".into()))
}

/// Returns the name of the output for a file.
fn output(file: &Path, args: &ConvertArgs) -> PathBuf {
    let pattern = args.output.to_string_lossy().replace(NAME, "{model}");
    filled(Path::new(&pattern), &stem(file), "", 0)
}

fn stem(file: &Path) -> String {
    file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Converts a file. Its warnings begin with `prefix`.
fn convert(
    file: &Path,
    prefix: &str,
    unit_axes: UnitAxes,
    args: &ConvertArgs,
) -> Result<Answer, Failure> {
    let images = match args.max_image {
        Some(_) => ImageDecoding::Keep,
        None => ImageDecoding::Headers,
    };
    let options = ImportOptions {
        images,
        // The bound is one of the result.
        curve_bound: args.bound.unwrap_or(BOUND_MM) / 1000.0 / f64::from(unit_axes.scale),
        keep_original: true,
        bvh_scale: args.borrow.bvh_scale(),
        ..ImportOptions::default()
    };
    let inputs = Inputs::with([args.borrow.map_file()]);
    let loaded = load_input(file, &options, &inputs.progress);
    let loaded = loaded.map_err(|error| Failure::load(file, error))?;
    warn_of(prefix, &loaded.warnings);
    let mut model = loaded.model;
    if args.bound.is_some() && model.source.curve_error.is_none() {
        log::warn!("{prefix}--bound has no effect: the file has no curves");
    }
    let mut not_carried_over = not_shown(&model, &loaded.warnings);
    match &args.borrow.clips_from {
        Some(path) => {
            let borrowed = borrowed(path, &args.borrow, &model, &inputs)?;
            let lost = borrowed.lost.list();
            not_carried_over.extend(lost.iter().map(|what| format!("{what} of the clips")));
            model.clips = borrowed.clips;
        }
        // Among several files it may be for others.
        None if prefix.is_empty() => warn_of_bvh_scale(args.borrow.bvh_scale(), &model),
        None => {}
    }
    let chosen = chosen(&model, &args.clip)?;
    let is_borrowed = args.borrow.clips_from.is_some();
    if is_borrowed || !chosen.iter().copied().eq(0..model.clips.len()) {
        let about = |name: &str| format!("indices of clips that {} may have", quoted(name));
        not_carried_over.extend(unknown_extensions(&model).map(about));
    }
    model.clips = chosen.iter().map(|clip| model.clips[*clip].clone()).collect();
    if is_borrowed {
        model.source.keep_animations(&[]);
    }
    let animations = match (is_borrowed, args.clip.is_empty()) {
        (true, _) => Animations::Clips(&model.clips),
        (false, true) => Animations::File,
        (false, false) => Animations::Chosen(&chosen),
    };
    if !args.clip.is_empty() && !is_borrowed {
        model.source.keep_animations(&chosen);
    }
    let path = output(file, args);
    if unit_axes.scale != 1.0 {
        not_carried_over.extend(unscaled(&model));
    }
    let failed = |e: ExportError| failure(file, &e);
    let changes = Changes {
        unit_axes,
        quantize: args.quantize,
        meshopt: args.meshopt,
        largest_picture: args.max_image,
        picture_files: (args.images == ImagePlace::Files).then(|| stem(&path)),
    };
    let changed = changed(&model, animations, &changes).map_err(failed)?;
    not_carried_over.extend(losses(&model, [file, &path], &changed.file));
    let animated = changed.unscaled.iter();
    not_carried_over.extend(animated.map(|pointer| unscaled_text(&format!("keys of {pointer}"))));
    for picture in &changed.large_pictures {
        not_carried_over.push(format!("picture {} stays as large as it is", quoted(picture)));
    }
    let frames = changed.frames.clone();
    let chunks = &model.source.chunks;
    let whole = |bytes: Vec<u8>| glb(&changed.file.root, bytes, chunks);
    // The result is read before anything is written, so that no file is left that can't be read. One that is too long for
    // a GLB is read afterwards.
    let read = match whole(changed.file.bytes.clone()) {
        Ok(bytes) => Some(read_back(&path, |options| load_bytes(bytes, options))?),
        Err(ExportError::TooLarge) if is_document(&path) => None,
        Err(error) => return Err(failed(error)),
    };
    let bytes = if path == Path::new("-") {
        let glb = whole(changed.file.bytes.clone()).map_err(failed)?;
        print(|out| out.write_all(&glb))?;
        glb.len() as u64
    } else {
        write_changed(&path, &inputs, changed, chunks, failed)?
    };
    let mut written = match read {
        Some(model) => model,
        None => {
            read_back(&path, |options| load_with_progress(&path, options, &Progress::default()))?
        }
    };
    // Compared in the unit and the axes of the source.
    for node in frames {
        written.rest.set_transform(node, Transform::IDENTITY);
    }
    let mm = 1000.0 * f64::from(unit_axes.scale);
    measured(file, &path, [&model, &written], Written { bytes, mm, not_carried_over })
}

/// Reads a result, which is to be written to this path.
fn read_back(
    path: &Path,
    read: impl FnOnce(&ImportOptions) -> Result<Loaded, ImportError>,
) -> Result<Model, Failure> {
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    let unreadable = |error: ImportError| {
        let path = escaped(&path.to_string_lossy());
        Failure::Output(format!("{path}: the result could not be read again: {error}"))
    };
    Ok(read(&options).map_err(unreadable)?.model)
}

/// Returns the names of extensions that may refer to anything by its index, and have lengths. They are copied as they are.
fn unknown_extensions(model: &Model) -> impl Iterator<Item = &str> {
    let names = model.source.extensions.iter().map(|extension| extension.name.as_str());
    // Those of glTF 1.0 are not copied.
    names.filter(|name| model.source.is_gltf2() && !is_known_extension(name))
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

/// Returns what the import noted of a file under a name.
fn fact<'a>(model: &'a Model, name: &str) -> Option<&'a str> {
    let mut facts = model.source.metadata.iter().flat_map(|metadata| &metadata.entries);
    facts.find(|(of, _)| of == name).map(|(_, what)| what.as_str())
}

fn failure(file: &Path, error: &ExportError) -> Failure {
    let text = format!("{}: {}", escaped(&file.to_string_lossy()), escaped(&error.to_string()));
    match error {
        ExportError::Compressed => Failure::Usage(text),
        _ => Failure::Output(text),
    }
}

/// Returns the indices of the clips that were asked for, each once; all without a choice.
fn chosen(model: &Model, wanted: &[String]) -> Result<Vec<usize>, Failure> {
    if wanted.is_empty() {
        return Ok((0..model.clips.len()).collect());
    }
    let names = || model.clips.iter().map(Clip::name);
    let mut chosen = Vec::with_capacity(wanted.len());
    for wanted in wanted {
        let index = index_of("clip", wanted, names())?;
        if !chosen.contains(&index) {
            chosen.push(index);
        }
    }
    Ok(chosen)
}

/// What is known of a file that was written.
struct Written {
    bytes: u64,
    /// Millimetres of the result per metre of the source.
    mm: f64,
    not_carried_over: Vec<String>,
}

/// Compares the source with what was written.
fn measured(
    file: &Path,
    path: &Path,
    [model, written]: [&Model; 2],
    Written { bytes, mm: unit, not_carried_over }: Written,
) -> Result<Answer, Failure> {
    let too_much = |error: ComparisonError| match error {
        ComparisonError::OverBudget(over) => {
            Failure::load(file, ImportError::over_budget("the comparison", over))
        }
        other => Failure::load(file, ImportError::other(other.to_string())),
    };
    let distances = distances(model, written).map_err(too_much)?;
    let mm = |metres: Option<f64>| metres.map(|metres| metres * unit);
    // Clips that play the same on the same rig are not measured.
    let of_clip = |clip: usize| {
        let distances = distances.as_ref()?;
        Some(distances.clips.get(&clip).copied().unwrap_or(0.0))
    };
    let answer = |(i, clip): (usize, &Clip)| ClipAnswer {
        name: clip.name().unwrap_or_default().into(),
        duration_secs: clip.duration_secs(),
        largest_mm: mm(of_clip(i)),
    };
    let clips = written.clips.iter().enumerate().map(answer).collect();
    let largest_mm = mm(distances.as_ref().map(Distances::largest));
    Ok(Answer {
        input: file.to_string_lossy().into_owned(),
        output: path.to_string_lossy().into_owned(),
        format: model.source.format.clone(),
        unit: fact(model, "unit").map(str::to_owned),
        bytes,
        largest_mm,
        curves_mm: mm(model.source.curve_error),
        clips,
        not_carried_over,
    })
}

/// Writes an answer. `bounded`: the error of keys was given.
fn write_text(out: &mut dyn Write, answer: &Answer, bounded: bool) -> io::Result<()> {
    let Answer { input, output, format, unit, bytes, largest_mm, curves_mm, .. } = answer;
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
        let hint = match *bytes > MANY_BYTES && !bounded {
            true => format!("; `--bound {}` needs fewer", three_digits(10.0 * mm, 6)),
            false => String::new(),
        };
        writeln!(out, "  curves became keys within {} mm{hint}", three_digits(*mm, 6))?;
    }
    for clip in &answer.clips {
        let ClipAnswer { name, duration_secs, largest_mm } = clip;
        let duration_secs = four_digits(f64::from(*duration_secs), 1.0);
        writeln!(out, "  clip \"{}\", {duration_secs} s: {}", escaped(name), off(*largest_mm))?;
    }
    for what in &answer.not_carried_over {
        writeln!(out, "  not carried over: {}", escaped(what))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_of_keys_from_curves_names_the_option_that_makes_it_smaller() {
        let text = |bytes: u64, bounded: bool| {
            let answer = Answer {
                input: "a.fbx".into(),
                output: "a.glb".into(),
                format: "FBX 7.4".into(),
                unit: None,
                bytes,
                largest_mm: None,
                curves_mm: Some(0.01),
                clips: Vec::new(),
                not_carried_over: Vec::new(),
            };
            let mut out = Vec::new();
            write_text(&mut out, &answer, bounded).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert!(text(MANY_BYTES + 1, false).contains("within 0.01 mm; `--bound 0.1` needs fewer"));
        assert!(!text(MANY_BYTES, false).contains("--bound"));
        assert!(!text(MANY_BYTES + 1, true).contains("--bound"));
    }
}
