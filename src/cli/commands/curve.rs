//! `rigview curve`: plots a node's animation curves, or writes them as JSON.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::cli::args::clip::ClipArgs;
use crate::cli::args::values::one_of;
use crate::cli::choice::{read, source};
use crate::cli::clips::{chosen_clip, replace_clips};
use crate::cli::failure::{Failure, Result, shown, usage_error};
use crate::cli::input::import_options;
use crate::cli::lookup::{LISTED, first_of, index_of};
use crate::cli::output::{Inputs, stem, write_json_line, write_whole};
use rigview_capture::{curve_plot, with_names, write_png};
use rigview_import::{ImageDecoding, ImportError, escaped};
use rigview_model::Model;
use rigview_report::{
    CurveOptions, EulerOrder, NodeCurves, charge_curves, driven_nodes, node_curves,
};

#[derive(Debug, Args)]
pub struct CurveArgs {
    /// A model (.glb, .gltf, .vrm, .fbx, .bvh); - is standard input.
    pub file: PathBuf,
    /// Plot this node, by name or index.
    #[arg(long, value_name = "NAME|INDEX")]
    pub node: String,
    /// Write to this file: a .png or .svg plot, or the curves as .json; - writes JSON to standard
    /// output. {model} and {clip} are replaced by the file's and the clip's name.
    #[arg(short, long, value_name = "OUT.png|.svg|.json")]
    pub output: PathBuf,
    /// Also show the same keys under every interpolation, and how far they deviate from each other.
    #[arg(long)]
    pub lab: bool,
    /// Plot each component in a panel of its own, with its own scale.
    #[arg(long)]
    pub split: bool,
    /// Show rotations as degrees about x, y and z without jumps, turned in this order about the parent's axes, as in
    /// Blender and Maya: xyz, xzy, yxz, yzx, zxy or zyx.
    #[arg(long, value_name = "ORDER", value_parser = euler, conflicts_with = "lab")]
    pub euler: Option<EulerOrder>,
    #[command(flatten)]
    pub clip: ClipArgs,
}

fn euler(text: &str) -> Result<EulerOrder, String> {
    one_of(EulerOrder::from_name(text), &EulerOrder::NAMES)
}

#[derive(Serialize)]
struct FileCurves<'a> {
    file: String,
    #[serde(flatten)]
    curves: &'a NodeCurves,
}

pub fn run(args: &CurveArgs) -> Result {
    let form = Form::from_path(&args.output)?;
    let options = import_options(ImageDecoding::Headers, args.clip.clips.bvh_scale());
    let source = source(Some(&args.file));
    let inputs = Inputs::with([args.clip.pose.clone(), args.clip.clips.borrow.map_file()]);
    let mut loaded = read(&source, &options, &inputs)?;
    replace_clips(&args.clip.clips, &mut loaded.model, &inputs)?;
    let model = &mut loaded.model;
    let chosen = chosen_clip(&args.clip, model)?;
    let index = chosen.index;
    let clip = match (index, chosen.clip) {
        // Curves are those of a clip of the model: a joined or converted clip is added at the end.
        (Some(clip), Some(Cow::Borrowed(_))) => clip,
        (_, Some(made)) => {
            let made = made.into_owned();
            model.clips.push(made);
            model.clips.len() - 1
        }
        (_, None) if model.clips.is_empty() => {
            return usage_error(format!(
                "{}: nothing to plot: the file has no clips",
                file_text(args)
            ));
        }
        (_, None) => {
            return usage_error("nothing to plot: --rest and --pose show no clip; leave them out");
        }
    };
    let model = &loaded.model;
    let node = index_of("node", &args.node, model.node_names())?;
    let options = CurveOptions {
        times_secs: args.clip.times_secs(),
        lab: args.lab,
        euler: args.euler,
        part: None,
    };
    charge_curves(model, &model.clips[clip], node).map_err(|over| {
        let error = ImportError::over_budget("its curve", over);
        Failure::load(&args.file, error)
    })?;
    let curves = NodeCurves { clip: index, ..node_curves(model, clip, node, &options) };
    if curves.tracks.is_empty() {
        return usage_error(nothing_to_draw(model, &curves, clip));
    }
    if let Some(follows) = follows(model, node)
        && curves.tracks.iter().any(|track| track.path == "rotation")
    {
        let node = numbered(node, model.nodes[node].name.as_deref());
        log::warn!("node {node}: {follows}, so poses do not use the rotation keys");
    }
    let path = output_path(args, &curves);
    let plot = || curve_plot(&curves, &stem(&args.file), args.split);
    let drawn = |e: rigview_capture::PlotError| Failure::Output(e.to_string());
    match form {
        Form::Json => {
            let curves = FileCurves { file: source.path_text(), curves: &curves };
            write_whole(&path, &inputs, |out| write_json_line(out, &curves))
        }
        Form::Svg => {
            let text = plot().and_then(|plot| plot.svg()).map_err(drawn)?;
            write_whole(&path, &inputs, |out| out.write_all(text.as_bytes()))
        }
        Form::Png => {
            let picture = plot().and_then(|plot| plot.picture()).map_err(drawn)?;
            write_whole(&path, &inputs, |out| write_png(&picture, out))
        }
    }
}

#[derive(Clone, Copy)]
enum Form {
    Png,
    Svg,
    Json,
}

impl Form {
    /// Returns the format for a file's extension; JSON for standard output.
    fn from_path(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Form::Json);
        }
        let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("png") => Ok(Form::Png),
            Some("svg") => Ok(Form::Svg),
            Some("json") => Ok(Form::Json),
            _ => {
                let name = shown(path);
                usage_error(format!("{name}: the output must be a .png, .svg or .json file"))
            }
        }
    }
}

fn file_text(args: &CurveArgs) -> String {
    shown(&args.file)
}

fn output_path(args: &CurveArgs, curves: &NodeCurves) -> PathBuf {
    let clip = curves.clip_name.clone().or(curves.clip.map(|clip| clip.to_string()));
    with_names(&args.output, &stem(&args.file), &clip.unwrap_or_default())
}

fn numbered(index: usize, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{index} \"{}\"", escaped(name)),
        None => index.to_string(),
    }
}

/// Returns how a node follows another one, if a constraint turns it.
fn follows(model: &Model, node: usize) -> Option<String> {
    let constraint = model.constraints.iter().find(|constraint| constraint.node == node)?;
    let source = numbered(constraint.source, model.nodes[constraint.source].name.as_deref());
    let kind = constraint.kind.name();
    Some(format!("a constraint ({kind}) makes its rotation follow node {source}"))
}

/// Returns a message for a node that a clip of the model does not move.
fn nothing_to_draw(model: &Model, curves: &NodeCurves, clip: usize) -> String {
    let nodes = driven_nodes(model, clip);
    let name = curves.clip_name.as_deref();
    let clip_text = match curves.clip {
        Some(index) => numbered(index, name),
        None => format!("\"{}\"", escaped(name.unwrap_or_default())),
    };
    let node = numbered(curves.node, model.nodes[curves.node].name.as_deref());
    if let Some(follows) = follows(model, curves.node) {
        return format!("clip {clip_text} has no tracks of node {node}: {follows}");
    }
    if nodes.is_empty() {
        return format!("clip {clip_text} has no tracks");
    }
    let list = first_of(&nodes, LISTED, |n| numbered(*n, model.nodes[*n].name.as_deref()));
    format!("clip {clip_text} does not move node {node}; it moves {list}")
}
