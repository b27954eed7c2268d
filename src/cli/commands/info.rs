//! `rigview info`: lists the contents of a file, and what was repaired.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::cli::args::values::positive;
use crate::cli::choice::{load_file, source};
use crate::cli::clips::warn_of_bvh_scale;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::import_options;
use crate::cli::lookup::{first_of, index_of};
use crate::cli::output::{Inputs, print, write_json_line};
use rigview_anim::Clip;
use rigview_import::{ImageDecoding, ImportError, Warning, escaped};
use rigview_model::four_digits;
use rigview_report::{
    ChannelInfo, ClipChannels, CompressionReport, FormError, FormOptions, ModelInfo, SameName,
    clip_channels, compression_report, counted, model_info,
};

#[derive(Debug, Args)]
pub struct InfoArgs {
    /// A model (.glb, .gltf, .vrm, .fbx, .bvh); - is standard input.
    pub file: PathBuf,
    /// List the channels of this clip, by name or index: their targets, interpolations, and the number,
    /// times and range of their keys.
    #[arg(long, value_name = "NAME|INDEX", help_heading = "Clip")]
    pub clip: Option<String>,
    /// Also report the size and error of each clip in smaller forms: bytes, and millimetres at the
    /// skin's edge.
    #[arg(long)]
    pub compression: bool,
    /// Sample clips at this rate, in frames per second.
    #[arg(long, value_name = "F", default_value = "30", requires = "compression")]
    #[arg(value_parser = positive)]
    pub fps: f64,
    /// Set the largest error of a vertex at the skin's edge when keys are reduced.
    #[arg(long, value_name = "MILLIMETRES", default_value = "0.5", requires = "compression")]
    #[arg(value_parser = positive)]
    pub bound: f64,
    /// Set the metres per unit of BVH files [default: guessed from the size of the skeleton].
    #[arg(long, value_name = "METRES", value_parser = positive)]
    pub bvh_scale: Option<f64>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

const LISTED_JOINTS: usize = 20;

#[derive(Serialize)]
struct FileInfo {
    file: String,
    #[serde(flatten)]
    model: ModelInfo,
    #[serde(skip_serializing_if = "Option::is_none")]
    compression: Option<CompressionReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clip: Option<ClipChannels>,
    warnings: Vec<Listed>,
}

/// A warning. Hints are marked, because the window does not count them either.
#[derive(Serialize)]
struct Listed {
    #[serde(flatten)]
    warning: Warning,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    hint: bool,
}

pub fn run(args: &InfoArgs) -> Result {
    let options = import_options(ImageDecoding::Check, args.bvh_scale.map(|metres| metres as f32));
    let loaded = load_file(&args.file, &options, &Inputs::default())?;
    warn_of_bvh_scale(options.bvh_scale, &loaded.model);
    let names = loaded.model.clips.iter().map(Clip::name);
    let clip = args.clip.as_ref().map(|wanted| index_of("clip", wanted, names)).transpose()?;
    let options = FormOptions { fps: args.fps, bound_mm: args.bound };
    let compression = args.compression.then(|| compression_report(&loaded.model, options));
    let compression = compression.transpose().map_err(|e| match e {
        FormError::Sample(e) => Failure::Usage(format!("--compression: {e}")),
        e => Failure::load(&args.file, ImportError::other(format!("--compression: {e}"))),
    })?;
    let listed = |warning: Warning| Listed { hint: warning.is_hint(), warning };
    let info = FileInfo {
        file: source(Some(&args.file)).path_text(),
        model: model_info(&loaded.model),
        compression,
        clip: clip.map(|clip| clip_channels(&loaded.model, clip)),
        warnings: loaded.warnings.into_iter().map(listed).collect(),
    };
    if args.json {
        return print(|out| write_json_line(out, &info));
    }
    print(|out| write_text(out, &info))
}

fn write_text(out: &mut dyn Write, info: &FileInfo) -> io::Result<()> {
    if let Some(clip) = &info.clip {
        write_channels(out, &info.file, clip)?;
        let compression = info.compression.as_ref();
        return compression.map_or(Ok(()), |compression| write_compression(out, compression));
    }
    let model = &info.model;
    writeln!(out, "{}: {}, {}", escaped(&info.file), model.format, model.container)?;
    write_about(out, model)?;
    write_scene(out, model)?;
    write_clips(out, model)?;
    write_look(out, model)?;
    for e in &model.extensions {
        let required = if e.required { ", required" } else { "" };
        writeln!(out, "  extension {}: {}{required}", escaped(&e.name), e.status)?;
    }
    let (hints, warnings): (Vec<_>, Vec<_>) = info.warnings.iter().partition(|listed| listed.hint);
    for Listed { warning, hint } in warnings.into_iter().chain(hints) {
        writeln!(out, "  {}: {warning}", if *hint { "hint" } else { "warning" })?;
    }
    info.compression.as_ref().map_or(Ok(()), |compression| write_compression(out, compression))
}

fn named(name: &Option<String>) -> String {
    name.as_ref().map_or_else(String::new, |name| format!(" \"{}\"", escaped(name)))
}

/// Returns numbers for people. Those that are tiny beside `size` are 0.
fn vector(numbers: &[f32], size: f64) -> String {
    let numbers = numbers.iter().map(|number| four_digits(f64::from(*number), size));
    format!("[{}]", numbers.collect::<Vec<_>>().join(", "))
}

fn seconds(secs: f32) -> String {
    four_digits(f64::from(secs), 1.0)
}

fn write_about(out: &mut dyn Write, m: &ModelInfo) -> io::Result<()> {
    if let Some(generator) = &m.generator {
        writeln!(out, "  written by {}", escaped(generator))?;
    }
    if let Some(copyright) = &m.copyright {
        writeln!(out, "  copyright: {}", escaped(copyright))?;
    }
    for thing in &m.extras {
        let about = if thing.about.is_empty() { "the file" } else { &thing.about };
        let text = thing.extras.to_string();
        writeln!(out, "  extras of {about}: {}", escaped(&shortened(&text)))?;
    }
    for thing in &m.metadata {
        writeln!(out, "  metadata of {}", escaped(&thing.about))?;
        for (property, value) in &thing.properties {
            writeln!(out, "    {}: {}", escaped(property), escaped(value))?;
        }
    }
    write_avatar(out, m)
}

fn write_scene(out: &mut dyn Write, m: &ModelInfo) -> io::Result<()> {
    if !m.constraints.is_empty() {
        let count = counted(m.constraints.len(), "node");
        writeln!(out, "  {count} turned by constraints")?;
    }
    writeln!(out, "  {}, {}", counted(m.scenes.len(), "scene"), counted(m.nodes, "node"))?;
    if let Some(b) = &m.bounds {
        let extents = b.max.iter().zip(b.min).map(|(max, min)| f64::from(*max) - f64::from(min));
        let size = extents.fold(0.0, f64::max);
        writeln!(out, "  bounds {} to {} m", vector(&b.min, size), vector(&b.max, size))?;
    }
    for mesh in &m.meshes {
        writeln!(out, "  mesh {}{}", mesh.index, named(&mesh.name))?;
        for p in &mesh.primitives {
            let vertices = counted(p.vertices as usize, "vertex");
            write!(out, "    {}: {vertices}, {}", p.mode, counted(p.triangles, "triangle"))?;
            if p.influences > 0 {
                write!(out, ", up to {} per vertex", counted(p.influences as usize, "joint"))?;
            }
            if p.morph_targets > 0 {
                write!(out, ", {}", counted(p.morph_targets, "morph target"))?;
            }
            writeln!(out)?;
        }
    }
    for skin in &m.skins {
        let (joints, palettes) = (counted(skin.joints, "joint"), counted(skin.palettes, "palette"));
        writeln!(out, "  skin {}{}: {joints}, {palettes}", skin.index, named(&skin.name))?;
    }
    m.same_names.iter().try_for_each(|same| write_same_name(out, same))
}

fn write_clips(out: &mut dyn Write, m: &ModelInfo) -> io::Result<()> {
    for clip in &m.animations {
        let kinds: Vec<String> =
            clip.interpolations.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
        let (index, secs) = (clip.index, seconds(clip.duration));
        let mut channels = counted(clip.channels, "channel");
        if clip.samplers != clip.channels {
            channels += &format!(" of {}", counted(clip.samplers, "sampler"));
        }
        if !kinds.is_empty() {
            channels += &format!(" ({})", kinds.join(", "));
        }
        writeln!(out, "  clip {index}{}: {secs} s, {channels}", named(&clip.name))?;
    }
    Ok(())
}

fn write_look(out: &mut dyn Write, m: &ModelInfo) -> io::Result<()> {
    for material in &m.materials {
        writeln!(out, "  material {}{}", material.index, named(&material.name))?;
    }
    for (index, variant) in m.variants.iter().enumerate() {
        writeln!(out, "  variant {index} \"{}\"", escaped(variant))?;
    }
    for image in &m.images {
        let (w, h, mime) = (image.width, image.height, escaped(&image.mime));
        writeln!(out, "  image {}{}: {w}x{h} {mime}", image.index, named(&image.name))?;
    }
    for camera in &m.cameras {
        writeln!(out, "  camera {}{}: {}", camera.index, named(&camera.name), camera.kind)?;
    }
    let counts = [(m.textures.len(), "texture"), (m.lights.len(), "light")];
    for (n, what) in counts.into_iter().filter(|(n, _)| *n > 0) {
        writeln!(out, "  {}", counted(n, what))?;
    }
    Ok(())
}

/// Writes a name that several joints have. Options and contracts that name it mean the first of them.
fn write_same_name(out: &mut dyn Write, same: &SameName) -> io::Result<()> {
    let SameName { name, joints } = same;
    let (listed, count) = (first_of(joints, LISTED_JOINTS, usize::to_string), joints.len());
    writeln!(out, "  {count} joints with the same name \"{}\": nodes {listed}", escaped(name))
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 120;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn write_avatar(out: &mut dyn Write, m: &ModelInfo) -> io::Result<()> {
    let Some(avatar) = &m.avatar else { return Ok(()) };
    let text = |text: &Option<String>| escaped(text.as_deref().unwrap_or("not stated"));
    writeln!(out, "  VRM {}: {}", escaped(&avatar.version), text(&avatar.name))?;
    let authors = if avatar.authors.is_empty() { None } else { Some(avatar.authors.join(", ")) };
    writeln!(out, "    author: {}; licence: {}", text(&authors), text(&avatar.licence))?;
    for term in &avatar.terms {
        writeln!(out, "    {}: {}", escaped(&term.name), escaped(&term.value))?;
    }
    let (bones, expressions) = (m.humanoid.iter().flatten(), m.expressions.iter().flatten());
    let (bones, springs) =
        (counted(bones.count(), "bone"), counted(avatar.springs.len(), "spring"));
    let looks = match (&avatar.look_at, avatar.gaze) {
        (Some(way), _) => escaped(way),
        (None, Some(node)) => format!("the gaze of node {node}"),
        (None, None) => "nothing".into(),
    };
    writeln!(out, "    {bones}, {springs}; eyes are turned by: {looks}")?;
    let names: Vec<&str> = expressions.map(|e| e.name.as_str()).collect();
    if !names.is_empty() {
        writeln!(out, "    expressions: {}", escaped(&names.join(", ")))?;
    }
    if !avatar.mtoon.is_empty() {
        let materials = counted(avatar.mtoon.len(), "material");
        writeln!(out, "    {materials} for toon shading (MToon): approximated")?;
    }
    Ok(())
}

fn write_channels(out: &mut dyn Write, file: &str, clip: &ClipChannels) -> io::Result<()> {
    let name = escaped(clip.name.as_deref().unwrap_or_default());
    let (file, index, secs) = (escaped(file), clip.index, seconds(clip.duration));
    let channels = counted(clip.channels.len(), "channel");
    writeln!(out, "{file}: clip {index} \"{name}\": {secs} s, {channels}")?;
    for channel in &clip.channels {
        let ChannelInfo { path, interpolation, start, end, .. } = channel;
        let name = escaped(channel.node_name.as_deref().unwrap_or_default());
        let object = match (channel.node, &channel.property) {
            (_, Some(property)) => property.clone(),
            (Some(node), None) => format!("node {node} \"{name}\""),
            (None, None) => String::new(),
        };
        let keys = counted(channel.keys, "key");
        let (start, end) = (seconds(*start), seconds(*end));
        writeln!(out, "  {object} {path}: {keys} at {start} to {end} s, {interpolation}")?;
        let values = channel.min.iter().chain(&channel.max);
        let size = values.fold(0.0, |size: f64, x| size.max(f64::from(x.abs())));
        let [min, max] = [&channel.min, &channel.max].map(|values| vector(values, size));
        writeln!(out, "    from {min} to {max}")?;
    }
    Ok(())
}

fn write_compression(out: &mut dyn Write, report: &CompressionReport) -> io::Result<()> {
    let FormOptions { fps, bound_mm } = report.options;
    writeln!(out, "  compression: {fps} samples per second, reduced to within {bound_mm} mm")?;
    for clip in &report.clips {
        let name = escaped(clip.name.as_deref().unwrap_or_default());
        let (joints, frames) = (counted(clip.joints, "joint"), counted(clip.frames, "frame"));
        writeln!(out, "    clip {} \"{name}\": {joints}, {frames}", clip.index)?;
        let heads = ("form", "bytes", "keys", "worst mm", "mean mm");
        let (form, bytes, keys, worst, mean) = heads;
        writeln!(out, "      {form:<9} {bytes:>9} {keys:>8} {worst:>11} {mean:>11}")?;
        for form in &clip.forms {
            let (kind, bytes, keys) = (form.form, form.bytes, form.keys);
            write!(out, "      {kind:<9} {bytes:>9} {keys:>8}")?;
            if let Some(e) = &form.error {
                let name = escaped(e.node_name.as_deref().unwrap_or_default());
                write!(out, " {:>11.4} {:>11.4}", e.worst_mm, e.mean_mm)?;
                write!(out, "  at node {} \"{name}\", {:.3} s", e.node, e.time)?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}
