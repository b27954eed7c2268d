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

/// Formats of the distances and normals that ambient occlusion is computed from.
pub const SHAPE_FORMATS: [wgpu::TextureFormat; 2] =
    [wgpu::TextureFormat::R32Float, wgpu::TextureFormat::Rgb10a2Unorm];

/// The same as targets of a pipeline.
pub const SHAPE_TARGETS: [Option<wgpu::ColorTargetState>; 2] =
    [plain_target(SHAPE_FORMATS[0]), plain_target(SHAPE_FORMATS[1])];

/// Format of the ambient occlusion: openness, the distance of the surface that it belongs to, and the share of the key
/// light that reaches it.
pub const OPENNESS_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

/// Format of the contact shadow's openness.
pub const CONTACT_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::R8Unorm;

const fn plain_target(format: wgpu::TextureFormat) -> Option<wgpu::ColorTargetState> {
    let write_mask = wgpu::ColorWrites::ALL;
    Some(wgpu::ColorTargetState { format, blend: None, write_mask })
}

/// Samples per pixel of shapes that hide bones.
pub const DEPTH_SAMPLES: u32 = 4;
