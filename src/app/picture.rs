//! A picture of what the window shows, as a PNG that is there whole or not at all.

use std::io::{BufWriter, Write};
use std::path::Path;

use crate::render::{Gpu, read_texture};

/// Reads a texture of the window back and writes it.
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
    let rgb: Vec<u8> = bytes.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
    let size = texture.size();
    let written = whole(path, |file| {
        let mut encoder = png::Encoder::new(file, size.width, size.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(std::io::Error::other)?;
        writer.write_image_data(&rgb).map_err(std::io::Error::other)?;
        writer.finish().map_err(std::io::Error::other)
    });
    written.map_err(|e| format!("{}: {e}", path.display()))
}

/// Writes a file beside its place and puts it there when it is complete.
pub(super) fn whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    let mut buffered = BufWriter::new(&mut file);
    write(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    file.persist(path)?;
    Ok(())
}
