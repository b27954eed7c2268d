//! `rigview thumbnail`: draws a small picture of a file for file managers, within limits of time and memory. The file is a
//! path or a file URI (RFC 8089): `file:///home/a%20b.glb`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use clap::{Args, Parser};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use crate::cli::args::scene::{GpuArgs, SceneArgs};
use crate::cli::args::values::{positive, whole};
use crate::cli::choice::open;
use crate::cli::failure::{Failure, Result};
use crate::cli::limits::{Limits, duration_limit};
use crate::cli::output::{Inputs, expect_png, not_written, print};
use rigview_capture::{Picture, picture_taking, shrink_pictures, write_thumbnail};
use rigview_import::{ImportError, escaped};

/// Texels per pixel of the picture, along each side, that a texture keeps.
const TEXELS: u32 = 4;

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

pub fn run(args: &ThumbnailArgs) -> Result {
    expect_png(&args.output)?;
    let file = path_of(&args.input).map_err(Failure::Usage)?;
    let memory = u64::from(args.memory_limit) << 20;
    let time = Some(duration_limit(args.time_limit));
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
fn draw(args: &ThumbnailArgs, file: &Path, decoded: u64, inputs: &Inputs) -> Result<Picture> {
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

fn draw_scene(scene: &SceneArgs, file: &Path, decoded: u64, inputs: &Inputs) -> Result<Picture> {
    let mut opened = open(Some(file), scene, inputs, decoded)?;
    let mut images = std::mem::take(&mut opened.images);
    if let Some(document) = opened.session.playback().document() {
        shrink_pictures(&document.model, &mut images, TEXELS * scene.look.size[0]);
    }
    Ok(picture_taking(&opened.gpu, &mut opened.session, images, scene.look.size)?)
}

fn scene(size: u32) -> Result<SceneArgs> {
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

fn write(args: &ThumbnailArgs, file: &Path, picture: &Picture, inputs: &Inputs) -> Result {
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

/// Characters that are encoded in the URI of a path: all but those that GLib leaves, so that thumbnails are found
/// by the same URI.
const ENCODED: &AsciiSet = &{
    let kept = b"-_.!~*'()/&=:@+$,";
    let (mut set, mut i) = (NON_ALPHANUMERIC.remove(kept[0]), 1);
    while i < kept.len() {
        set = set.remove(kept[i]);
        i += 1;
    }
    set
};

/// Returns the path of a file URI; anything without a scheme is a path already.
pub fn path_of(text: &OsStr) -> Result<PathBuf, String> {
    let Some(uri) = text.to_str() else { return Ok(text.into()) };
    let Some((scheme, rest)) = uri.split_once(':').filter(is_uri) else {
        return Ok(text.into());
    };
    let is_file = scheme.eq_ignore_ascii_case("file");
    if !is_file && (scheme.len() < 2 || !rest.starts_with("//")) {
        return Ok(text.into());
    }
    let shown = escaped(uri);
    if !is_file {
        let scheme = escaped(scheme);
        return Err(format!(
            "{shown}: URIs of scheme {scheme} can't be read; give a file: URI or a path"
        ));
    }
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(rest) => {
            let (host, _) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return Err(format!("{shown}: the file is on another computer"));
            }
            &rest[host.len()..]
        }
    };
    let path: Vec<u8> = percent_decode_str(path).collect();
    if path.is_empty() || path.contains(&0) {
        return Err(format!("{shown}: the URI has no valid path"));
    }
    system_path(path).ok_or_else(|| format!("{shown}: the path is not UTF-8"))
}

/// Whether a text before and after a colon is that of a URI: a scheme has no slash.
fn is_uri((scheme, rest): &(&str, &str)) -> bool {
    rest.starts_with('/') && !scheme.contains('/')
}

#[cfg(unix)]
fn system_path(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

/// Elsewhere a drive follows the first slash: `/C:/model.glb`.
#[cfg(not(unix))]
fn system_path(bytes: Vec<u8>) -> Option<PathBuf> {
    let path = String::from_utf8(bytes).ok()?;
    let has_drive = path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if has_drive { &path[1..] } else { &path }))
}

pub fn uri_of(path: &Path) -> Option<String> {
    if !path.is_absolute() {
        return None;
    }
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec();
    #[cfg(not(unix))]
    let bytes = format!("/{}", path.to_str()?.replace('\\', "/")).into_bytes();
    Some(format!("file://{}", percent_encode(&bytes, ENCODED)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn path(uri: &str) -> Result<String, String> {
        path_of(uri.as_ref()).map(|path| path.to_string_lossy().into_owned())
    }

    #[test]
    fn file_uris_are_decoded_and_paths_are_kept() {
        for (uri, wanted) in [
            ("file:///a/b%20c.glb", "/a/b c.glb"),
            ("FILE://localhost/a/%C3%BC.glb", "/a/\u{fc}.glb"),
            ("file:/a/b.glb", "/a/b.glb"),
            ("/a/b%20c.glb", "/a/b%20c.glb"),
            ("b:c.glb", "b:c.glb"),
            ("dir/file:///x", "dir/file:///x"),
            ("c:/b.glb", "c:/b.glb"),
        ] {
            assert_eq!(path(uri).as_deref(), Ok(wanted), "{uri}");
        }
        for bad in ["http://host/a.glb", "file://other/a.glb", "file://", "file:///a%00b"] {
            assert!(path(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_uri_leads_back_to_its_path() {
        for name in ["/a b/\u{fc}#?%.glb", "/plain-_.!~*'()&=:@+$,/x.glb", "/a;b\"<>[]"] {
            let uri = uri_of(name.as_ref()).unwrap();
            assert!(uri.is_ascii() && !uri.contains([' ', '#', '?', ';']), "{uri}");
            assert_eq!(path(&uri).as_deref(), Ok(name));
        }
        assert_eq!(
            uri_of("/plain-_.!~*'()&=:@+$,/x".as_ref()).unwrap(),
            "file:///plain-_.!~*'()&=:@+$,/x"
        );
        assert_eq!(uri_of("a.glb".as_ref()), None);
    }
}
