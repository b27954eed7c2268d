//! The uniform structs of the shaders, and the sizes and limits that follow from them.
//!
//! A test compares the structs' sizes with those that naga computes from the WGSL.

use bytemuck::{Pod, Zeroable};

use crate::model::TextureSlot;

/// Alignment of everything in the frame's buffer that is bound as a uniform: the largest that any
/// adapter requires.
pub const UNIFORM_ALIGNMENT: u64 = 256;

/// Bytes per joint matrix.
pub const JOINT_BYTES: u64 = 64;

/// Maximum number of active morph targets per draw; of more, those of the largest weights are used. As
/// many fit into the 16 KiB of uniform data that every adapter can bind.
pub const MAX_ACTIVE_TARGETS: usize = 2046;

/// Bytes of `Morph` in `shaders/skin.wgsl`.
pub const MORPH_BYTES: u64 = morph_bytes(MAX_ACTIVE_TARGETS);

/// Bytes of the used part of `Morph` with this many active targets.
pub const fn morph_bytes(targets: usize) -> u64 {
    (size_of::<MorphUniform>() + targets * size_of::<MorphTarget>()) as u64
}

/// Maximum number of lights per frame.
pub const MAX_LIGHTS: usize = 64;

/// `Frame` in `shaders/frame.wgsl`, which documents the fields in full.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct FrameUniform {
    /// From world space to clip space.
    pub projection_from_world: [[f32; 4]; 4],
    /// Position of the camera; w: 1 for perspective, 0 for orthographic.
    pub eye: [f32; 4],
    /// The camera's +Z axis; w: pixels per point of the overlays.
    pub backward: [f32; 4],
    /// Near, far, width and height in pixels.
    pub range_and_size: [f32; 4],
    /// From the centre of the view to its right edge, at a distance of 1.
    pub right: [f32; 4],
    /// From the centre of the view to its upper edge, at a distance of 1.
    pub up: [f32; 4],
    /// Factor of the environment's texels; w: its last mip level.
    pub environment: [f32; 4],
    /// Cosine and sine of its rotation; 1 if it is uniform; the mip level of the backdrop.
    pub environment_turn: [f32; 4],
    /// Spherical harmonics.
    pub irradiance: [[f32; 4]; 9],
    /// From positions relative to the eye to the shadow map.
    pub shadow_from_eye: [[f32; 4]; 4],
    /// Size of the map in texels, softness, depth per texel, widest penumbra.
    pub shadow: [f32; 4],
    /// Centre of the ground relative to the eye; w: half the length of its side.
    pub ground: [f32; 4],
    /// Least X and Z, then greatest X and Z of the ground's part in shadow, relative to its centre.
    pub shadowed: [f32; 4],
    /// The same of the part that the key light's shadow can fall on.
    pub thrown: [f32; 4],
    /// Darkness of the shadow, cell size of the grid, half the grid's side, 1 if colours are linear light.
    pub grid: [f32; 4],
    /// Half the width and the height of the view, at a distance of 1 or, if orthographic, anywhere; the light
    /// that the exposure makes 1; the length of drawn normals.
    pub half_view: [f32; 4],
    /// Reach of ambient occlusion, distance of the model's centre ahead of the camera, and the view's shift.
    pub occlusion: [f32; 4],
    /// Centre, half side and texels of the contact shadow.
    pub contact: [f32; 4],
    /// Its height and room below the ground, then brightness and radius of the floor.
    pub contact_height: [f32; 4],
    /// Colour of the floor's pool of light, or of the wireframe's faces.
    pub paint: [f32; 4],
}

/// `Light` in `shaders/lights.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct LightUniform {
    /// Position relative to the eye; w: 0 for a directional light.
    pub position: [f32; 4],
    /// Opposite to the direction of the light; w: 1 if the shadow map belongs to it.
    pub towards: [f32; 4],
    /// Lux or candela.
    pub intensity: [f32; 4],
    /// 1 / range squared, then scale and offset of the spot cone.
    pub falloff: [f32; 4],
}

/// `Lights` in `shaders/lights.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct LightsUniform {
    /// x: the number of lights.
    pub count: [u32; 4],
    /// The lights; entries past the count are zero.
    pub list: [LightUniform; MAX_LIGHTS],
}

/// The header of `Morph` in `shaders/skin.wgsl`; a [`MorphTarget`] per active target follows it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct MorphUniform {
    /// Number of active targets.
    pub count: u32,
    /// Vertices of the primitive.
    pub vertices: u32,
    /// Texels per row of the delta texture.
    pub width: u32,
    /// Attributes with deltas, as the `MORPHS_` flags below.
    pub kinds: u32,
}

/// An active morph target: its index and the bits of its weight.
pub type MorphTarget = [u32; 2];

/// Morph targets have deltas of positions.
pub const MORPHS_POSITIONS: u32 = 1;
/// Morph targets have deltas of normals.
pub const MORPHS_NORMALS: u32 = 2;
/// Morph targets have deltas of tangents.
pub const MORPHS_TANGENTS: u32 = 4;
/// Morph targets have deltas of texture coordinates.
pub const MORPHS_UVS: u32 = 8;
/// Morph targets have deltas of colours.
pub const MORPHS_COLORS: u32 = 16;

/// `Material` in `shaders/material.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct MaterialUniform {
    /// Linear, straight alpha.
    pub base_color: [f32; 4],
    /// Linear; w: the alpha cutoff, negative without a mask.
    pub emissive: [f32; 4],
    /// Metallic, roughness (or glossiness), normal scale, occlusion strength.
    pub surface: [f32; 4],
    /// F0 of the dielectric; w: its F90.
    pub specular: [f32; 4],
    /// Factor, roughness, normal scale; w: dispersion of the volume.
    pub clearcoat: [f32; 4],
    /// Colour; w: roughness.
    pub sheen: [f32; 4],
    /// Factor, index of refraction, thickness for texel values 0 and 1.
    pub iridescence: [f32; 4],
    /// Strength, cosine and sine of the rotation; w: transmission.
    pub anisotropy: [f32; 4],
    /// Absorption per metre; w: thickness of the volume.
    pub absorption: [f32; 4],
    /// Colour; w: factor.
    pub diffuse_transmission: [f32; 4],
    /// Index of refraction.
    pub ior: f32,
    /// 1 if the drawn alpha is always 1.
    pub opaque: f32,
    /// The material flags below.
    pub flags: u32,
    /// Unused.
    pub padding: u32,
    /// Texture transforms by slot.
    pub uv: [UvRows; TextureSlot::ALL.len()],
}

/// `UvRows` in `shaders/material.wgsl`: a 2x3 matrix of texture coordinates.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct UvRows {
    /// The first row; w: index of the coordinate set.
    pub u: [f32; 4],
    /// The second row.
    pub v: [f32; 4],
}

/// Material flag: front faces are drawn.
pub const DRAW_FRONTS: u32 = 1;
/// Material flag: back faces are drawn.
pub const DRAW_BACKS: u32 = 2;
/// Material flag: lighting is ignored.
pub const UNLIT: u32 = 4;
/// Material flag: it has an anisotropy texture.
pub const ANISOTROPY_MAP: u32 = 8;
/// Material flag: specular and glossiness replace metallic and roughness.
pub const SPECULAR_GLOSSY: u32 = 16;
