//! `rigview thumbnail`: draws a small picture of a file for file managers, within limits of time and memory.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use clap::{Args, Parser};

use crate::cli::args::scene::GpuArgs;
use crate::cli::args::scene::SceneArgs;
use crate::cli::args::values::{positive, whole};
use crate::cli::failure::Failure;
use crate::cli::file_uri::{path_of, uri_of};
use crate::cli::limits::{Limits, of_secs};
use crate::cli::opening::open_within;
use crate::cli::output::{Inputs, expect_png, not_written, print};
use rigview_capture::{Picture, picture_taking, shrink_pictures, write_thumbnail};
use rigview_import::ImportError;

/// Texels per pixel of the picture, along each side, that a texture keeps.
const TEXELS: u32 = 4;

/// Arguments of `thumbnail`.
#[derive(Debug, Args)]
pub struct ThumbnailArgs {
    /// Set width and height in pixels.
    #[arg(short, long, value_name = "SIZE", default_value = "256")]
    #[arg(value_parser = whole(1, 2048))]
    pub size: u32,
    /// A model (.glb, .gltf, .vrm, .fbx, .bvh): a path or a file: URI.
    #[arg(short, long, value_name = "IN")]
    pub input: OsString,
    /// Write the PNG to this file; - writes to standard output.
    #[arg(short, long, value_name = "OUT.png")]
    pub output: PathBuf,
    /// Give up after this time, in seconds.
    #[arg(long, value_name = "SECS", default_value = "20", value_parser = positive)]
    pub time_limit: f64,
    /// Give up if more than this much memory is needed, in MiB.
    #[arg(long, value_name = "MIB", default_value = "1024")]
    #[arg(value_parser = whole(1, u32::MAX))]
    pub memory_limit: u32,
    #[command(flatten)]
    pub gpu: GpuArgs,
}

pub fn run(args: &ThumbnailArgs) -> Result<(), Failure> {
    expect_png(&args.output)?;
    let file = path_of(&args.input).map_err(Failure::Usage)?;
    let memory = u64::from(args.memory_limit) << 20;
    let time = Some(of_secs(args.time_limit));
    Limits { time, memory: Some(memory) }.enforce(&file, "--time-limit");
    if let Ok(metadata) = fs::metadata(&file)
        && metadata.len() > memory / 2
    {
        let what = format!(
            "it has {} MiB, which is more than half of --memory-limit ({} MiB)",
            metadata.len() >> 20,
            args.memory_limit
        );
        return Err(Failure::load(&file, ImportError::other(what)));
    }
    let inputs = Inputs::default();
    let picture = draw(args, &file, memory / 2, &inputs)?;
    write(args, &file, &picture, &inputs)
}

/// Draws the file. Unless an adapter was chosen, a software adapter is preferred: it starts faster than the driver of
/// a GPU, and neither a sandbox nor a busy GPU keeps it from drawing.
fn draw(
    args: &ThumbnailArgs,
    file: &Path,
    decoded: u64,
    inputs: &Inputs,
) -> Result<Picture, Failure> {
    let mut scene = scene(args.size)?;
    scene.gpu = args.gpu.clone();
    let is_chosen = args.gpu.adapter.is_some() || args.gpu.backend.is_some();
    if !is_chosen {
        scene.gpu.adapter = Some("software".into());
        match draw_scene(&scene, file, decoded, inputs) {
            Err(Failure::Gpu(why)) => log::info!("no software adapter: {why}"),
            drawn => return drawn,
        }
        scene.gpu.adapter = None;
    }
    draw_scene(&scene, file, decoded, inputs)
}

fn draw_scene(
    scene: &SceneArgs,
    file: &Path,
    decoded: u64,
    inputs: &Inputs,
) -> Result<Picture, Failure> {
    let mut opened = open_within(Some(file), scene, inputs, decoded)?;
    let mut images = std::mem::take(&mut opened.images);
    if let Some(document) = opened.session.playback().document() {
        shrink_pictures(&document.model, &mut images, TEXELS * scene.look.size[0]);
    }
    Ok(picture_taking(&opened.gpu, &mut opened.session, images, scene.look.size)?)
}

/// Returns the options of `screenshot` that draw a thumbnail.
fn scene(size: u32) -> Result<SceneArgs, Failure> {
    /// Parses options as those of `screenshot`.
    #[derive(Debug, Parser)]
    #[command(no_binary_name = true)]
    struct Options {
        #[command(flatten)]
        scene: SceneArgs,
    }
    let size = format!("--size={size}x{size}");
    // Ambient occlusion takes a third of the time and hardly shows at this size.
    let options = [
        &size,
        "--background=transparent",
        "--frame-pose",
        "--no-legend",
        "--ambient-occlusion=off",
    ];
    let parsed = Options::try_parse_from(options).map_err(|e| Failure::Usage(e.to_string()))?;
    Ok(parsed.scene)
}

fn write(
    args: &ThumbnailArgs,
    file: &Path,
    picture: &Picture,
    inputs: &Inputs,
) -> Result<(), Failure> {
    let texts = texts(args, file);
    let mut png = Vec::new();
    write_thumbnail(picture, &texts, &mut png)
        .map_err(|e| Failure::Output(format!("the PNG can't be encoded: {e}")))?;
    let output = &args.output;
    if output == Path::new("-") {
        return print(|out| out.write_all(&png));
    }
    inputs.refuse(output)?;
    match rigview_capture::write_whole(output, |out| out.write_all(&png)) {
        Ok(()) => Ok(()),
        // A file that a sandbox has mounted by itself can be written, but not replaced.
        Err(_) if output.is_file() && fs::write(output, &png).is_ok() => Ok(()),
        Err(error) => Err(not_written(output, &error)),
    }
}

/// Returns the texts of a thumbnail: which file it shows, and in which state.
fn texts(args: &ThumbnailArgs, file: &Path) -> Vec<(&'static str, String)> {
    let given =
        args.input.to_str().filter(|input| input.starts_with("file:///") && input.is_ascii());
    let uri = match given {
        Some(uri) => Some(uri.to_owned()),
        None => std::path::absolute(file).ok().and_then(|path| uri_of(&path)),
    };
    let metadata = fs::metadata(file).ok();
    let modified =
        metadata.as_ref().and_then(|m| m.modified().ok()?.duration_since(UNIX_EPOCH).ok());
    let mut texts = vec![("Software", "rigview".to_owned())];
    texts.extend(uri.map(|uri| ("Thumb::URI", uri)));
    texts.extend(modified.map(|time| ("Thumb::MTime", time.as_secs().to_string())));
    texts.extend(metadata.map(|m| ("Thumb::Size", m.len().to_string())));
    texts
}
