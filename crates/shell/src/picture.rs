//! Pictures of the whole window for scripts, and of the model for a file or the clipboard.

use std::path::{Path, PathBuf};

use crate::write::{free_path, write_error};
use rigview_capture::{Picture, write_png, write_whole};
use rigview_render::{Gpu, ReadBack};
use rigview_session::Session;

/// Begins to read a texture of the window back.
///
/// # Errors
/// If its format can't be written.
pub(super) fn window_picture(
    gpu: &Gpu,
    texture: &wgpu::Texture,
) -> Result<ReadBack<Picture>, String> {
    use wgpu::TextureFormat as Format;
    let is_bgr = match texture.format() {
        Format::Rgba8Unorm | Format::Rgba8UnormSrgb => false,
        Format::Bgra8Unorm | Format::Bgra8UnormSrgb => true,
        other => return Err(format!("the window's format {other:?} can't be written")),
    };
    let size = [texture.width(), texture.height()];
    Ok(ReadBack::new(gpu, texture).map(move |bytes| {
        let [r, b] = if is_bgr { [2, 0] } else { [0, 2] };
        // The window is opaque; the alpha channel has no meaning.
        let bytes = bytes.chunks_exact(4).flat_map(|p| [p[r], p[1], p[b]]).collect();
        Picture::Rgb8 { size, bytes }
    }))
}

/// Writes a picture of the window as a PNG.
pub(super) fn write_picture(picture: &Picture, path: &Path) -> Result<(), String> {
    write_whole(path, |out| write_png(picture, out)).map_err(|e| format!("{}: {e}", path.display()))
}

/// Returns the name of a picture without an extension: model, clip and time.
pub(super) fn picture_name(session: &Session) -> String {
    let playback = session.playback();
    let time = playback.clip_index().map(|_| format!("-{:.3}", playback.time_secs()));
    name_of(session, &time.unwrap_or_default())
}

/// Returns the name of a recording without an extension: model and clip.
pub(super) fn recording_name(session: &Session) -> String {
    name_of(session, "")
}

/// Returns the names of model and clip with an end, in characters that every file system allows.
fn name_of(session: &Session, end: &str) -> String {
    let document = session.playback().document();
    let model = document.map_or("picture", |d| d.name.as_str());
    let mut name = model.rsplit_once('.').map_or(model, |(stem, _)| stem).to_owned();
    let clip =
        document.zip(session.playback().clip_index()).and_then(|(d, clip)| d.clip_name(clip));
    if let Some(clip) = clip {
        name += &format!("-{clip}{end}");
    }
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = name.trim_start_matches('.').chars().take(80).map(plain).collect();
    if name.is_empty() { "picture".to_owned() } else { name }
}

/// Writes a picture to a folder and returns its path. If the name is taken, a number is appended.
pub(super) fn save_picture(
    picture: &Picture,
    folder: &Path,
    name: &str,
) -> Result<PathBuf, String> {
    let path = free_path(folder, name, ".png");
    let path = path.ok_or_else(|| format!("{}: too many files of that name", folder.display()))?;
    let written = write_whole(&path, |out| write_png(picture, out));
    written.map_err(|e| {
        format!("{}; start rigview in another folder, or copy the picture", write_error(&path, &e))
    })?;
    Ok(path)
}

/// Converts a picture for the clipboard.
pub(super) fn color_image(picture: &Picture) -> egui::ColorImage {
    let usual = |size: [u32; 2]| size.map(|side| side as usize);
    match picture {
        Picture::Rgba8 { size, bytes } => {
            egui::ColorImage::from_rgba_unmultiplied(usual(*size), bytes)
        }
        Picture::Rgb8 { size, bytes } => egui::ColorImage::from_rgb(usual(*size), bytes),
        Picture::Grey16 { size, values } => {
            let bytes: Vec<u8> = values.iter().map(|v| (v >> 8) as u8).collect();
            egui::ColorImage::from_gray(usual(*size), &bytes)
        }
    }
}
