//! The formats of the textures that a scene is drawn on.

use crate::look::Pass;

/// Depth of the scene: 1 at the near plane, 0 at the far one.
pub const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// Returns the colour format of a pass. Linear light needs the range of floats; the depth picture
/// needs the precision of its sixteen bits.
pub fn scene_format(pass: Pass) -> wgpu::TextureFormat {
    match pass {
        Pass::Depth => wgpu::TextureFormat::R32Float,
        _ => wgpu::TextureFormat::Rgba16Float,
    }
}
