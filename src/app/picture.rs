//! A picture of what the window shows.

use std::path::Path;

use crate::capture::{Picture, write_png, write_whole};
use crate::render::{Gpu, read_texture};

/// Reads a texture of the window back and writes it as a PNG.
pub(super) fn write_picture(gpu: &Gpu, texture: &wgpu::Texture, path: &Path) -> Result<(), String> {
    let mut bytes = read_texture(gpu, texture).map_err(|e| e.to_string())?;
    use wgpu::TextureFormat as Format;
    match texture.format() {
        Format::Rgba8Unorm | Format::Rgba8UnormSrgb => {}
        Format::Bgra8Unorm | Format::Bgra8UnormSrgb => {
            bytes.chunks_exact_mut(4).for_each(|p| p.swap(0, 2));
        }
        other => return Err(format!("the window's format {other:?} can't be written")),
    }
    // A window is opaque, whatever its alpha says.
    let rgb = bytes.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
    let size = [texture.width(), texture.height()];
    let picture = Picture::Rgb8 { size, bytes: rgb };
    write_whole(path, |out| write_png(&picture, out).map_err(std::io::Error::other))
        .map_err(|e| format!("{}: {e}", path.display()))
}
