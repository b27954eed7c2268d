//! Small copies of a model's textures, for panels.

use wgpu::util::TextureBlitterBuilder;

use crate::{Gpu, GpuModel, ReadBack};

/// A small copy of a texture.
#[derive(Clone, Debug, PartialEq)]
pub struct Thumbnail {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Eight-bit RGBA, rows from the top, straight alpha; bytes as in the image.
    pub rgba: Vec<u8>,
}

/// Begins a copy of a texture with at most `side` pixels per side. `None` if no material that is drawn uses the texture, so
/// that it was not uploaded.
pub fn thumbnail(
    gpu: &Gpu,
    model: &GpuModel,
    texture: usize,
    side: u32,
) -> Option<ReadBack<Thumbnail>> {
    let source = view_of(model, texture)?;
    let wgpu::Extent3d { width, height, .. } = source.texture().size();
    let scale = (f64::from(side) / f64::from(width.max(height))).min(1.0);
    let size = [width, height].map(|n| ((f64::from(n) * scale).round() as u32).max(1));
    // Texels of colours are decoded when they are read, and encoded again when they are written.
    let format = if source.texture().format().is_srgb() {
        wgpu::TextureFormat::Rgba8UnormSrgb
    } else {
        wgpu::TextureFormat::Rgba8Unorm
    };
    let copy = gpu.texture("thumbnail", size, format, wgpu::TextureUsages::COPY_SRC);
    let blitter = TextureBlitterBuilder::new(&gpu.device, format)
        .sample_type(wgpu::FilterMode::Linear)
        .build();
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    blitter.copy(&gpu.device, &mut encoder, source, &copy.create_view(&Default::default()));
    Some(ReadBack::after(gpu, encoder, &copy).map(move |rgba| Thumbnail { size, rgba }))
}

/// Returns the uploaded image of a texture, if a material that is drawn reads it.
fn view_of(model: &GpuModel, texture: usize) -> Option<&wgpu::TextureView> {
    let materials = model.materials.drawn.iter().zip(&model.materials.textures);
    materials.into_iter().find_map(|(used, bound)| {
        let (slot, _) = used.iter().find(|(_, used)| used.texture == texture)?;
        Some(&bound.iter().find(|bound| bound.slot == slot)?.view)
    })
}
