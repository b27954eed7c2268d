//! The uniform structs of the shaders, and the sizes and limits that follow from them.
//!
//! A test compares the structs' sizes with those that naga computes from the WGSL.

use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3};

use rigview_look::MAX_LIGHTS;
use rigview_model::TextureSlot;

/// Alignment of everything in the frame's buffer that is bound as a uniform: the largest that any
/// adapter requires.
pub const UNIFORM_ALIGNMENT: u64 = 256;

/// Bytes per joint matrix.
pub const JOINT_BYTES: u64 = 64;

/// Bytes of `Palette` in `shaders/skin.wgsl` before its matrices: the number of joints, padded to the alignment of a
/// matrix.
pub const PALETTE_HEADER_BYTES: u64 = 16;

/// Bytes of `Palette` in `shaders/skin.wgsl` with this many matrices.
pub const fn palette_bytes(matrices: usize) -> u64 {
    PALETTE_HEADER_BYTES + matrices as u64 * JOINT_BYTES
}

/// Maximum number of active morph targets per draw; of more, those of the largest weights are used. As
/// many fit into the 16 KiB of uniform data that every adapter can bind.
pub const MAX_ACTIVE_TARGETS: usize = 2046;

/// Bytes of `Morph` in `shaders/skin.wgsl`.
pub const MORPH_BYTES: u64 = morph_bytes(MAX_ACTIVE_TARGETS);

/// Bytes of the used part of `Morph` with this many active targets.
pub const fn morph_bytes(targets: usize) -> u64 {
    (size_of::<MorphUniform>() + targets * size_of::<MorphTarget>()) as u64
}

/// `Frame` in `shaders/frame.wgsl`, which documents the fields in full.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct FrameUniform {
    /// From world space to clip space.
    pub projection_from_world: [[f32; 4]; 4],
    /// Position of the camera.
    pub eye: Vec3,
    /// 1 for a perspective camera, 0 for an orthographic one.
    pub perspective: f32,
    /// The camera's +Z axis.
    pub backward: Vec3,
    /// Pixels per point of the overlays.
    pub pixels_per_point: f32,
    /// From the centre of the view to its right edge, at a distance of 1.
    pub right: Vec3,
    /// Near distance.
    pub near: f32,
    /// From the centre of the view to its upper edge, at a distance of 1.
    pub up: Vec3,
    /// Far distance.
    pub far: f32,
    /// Factor of the environment's texels.
    pub environment_factor: Vec3,
    /// Its last mip level.
    pub environment_last_level: f32,
    /// Cosine and sine of its rotation.
    pub environment_turn: Vec2,
    /// In pixels.
    pub picture_size: Vec2,
    /// Spherical harmonics.
    pub irradiance: [[f32; 4]; 9],
    /// From positions relative to the eye to the shadow map.
    pub shadow_from_eye: [[f32; 4]; 4],
    /// The shadow map.
    pub shadow: ShadowMapUniform,
    /// Centre of the ground relative to the eye.
    pub ground: Vec3,
    /// Half the side of the drawn square.
    pub ground_reach: f32,
    /// Least X and Z, then greatest X and Z of the ground's part in shadow, relative to its centre.
    pub shadowed: [f32; 4],
    /// The same of the part that the key light's shadow can fall on.
    pub thrown: [f32; 4],
    /// Opacity of the shadow on the ground.
    pub shadow_opacity: f32,
    /// Size of the grid's cells; 0 for no grid.
    pub cell_size: f32,
    /// Half the grid's side.
    pub grid_reach: f32,
    /// 1 if colours are linear light, 0 if they are encoded.
    pub linear_light: f32,
    /// Half the width and the height of the view, at a distance of 1 or, if orthographic, anywhere.
    pub half_view: Vec2,
    /// The light that becomes 1 in the picture.
    pub white: f32,
    /// Length of drawn normals and tangents.
    pub vector_length: f32,
    /// Reach of ambient occlusion.
    pub occlusion_reach: f32,
    /// Distance of the model's centre ahead of the camera.
    pub center_ahead: f32,
    /// The view's shift in halves of the picture's width and height.
    pub view_shift: Vec2,
    /// X and Z of the contact shadow's centre relative to the eye.
    pub contact_center: Vec2,
    /// Half its side; 0 for none.
    pub contact_reach: f32,
    /// Its edge in texels.
    pub contact_texels: f32,
    /// Height up to which the model casts it, in halves of a side.
    pub contact_height: f32,
    /// Room below the ground, as a fraction of that height.
    pub contact_below: f32,
    /// Brightness of the floor; 0 for none.
    pub floor_brightness: f32,
    /// Radius of the floor's pool of light.
    pub floor_radius: f32,
    /// Colour of the floor's pool of light, or of the wireframe's faces.
    pub paint: Vec3,
    /// Mip level of the environment behind the scene.
    pub backdrop_level: f32,
}

/// `ShadowMap` in `shaders/frame.wgsl`. Radii are fractions of the map.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct ShadowMapUniform {
    /// Its edge in texels.
    pub texels: f32,
    /// Radius of the penumbra per difference in depth.
    pub penumbra_per_depth: f32,
    /// Width of a texel as a depth.
    pub texel_depth: f32,
    /// Radius of the widest penumbra.
    pub widest_penumbra: f32,
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
    /// The number of lights.
    pub count: u32,
    /// Factor of the light that materials emit: that of the automatic exposure, which the lights have already.
    pub emission_factor: f32,
    pub padding: [u32; 2],
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

/// An active morph target: its first block of deltas and the bits of its weight.
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
    /// Linear.
    pub emissive: [f32; 3],
    /// Negative without a mask.
    pub alpha_cutoff: f32,
    /// Metallic factor.
    pub metallic: f32,
    /// Roughness, or glossiness for specular-glossiness.
    pub roughness: f32,
    /// Scale of the normal map's slope.
    pub normal_scale: f32,
    /// Strength of the file's occlusion.
    pub occlusion_strength: f32,
    /// F0 of the dielectric.
    pub specular_f0: [f32; 3],
    /// F90 of the dielectric.
    pub specular_f90: f32,
    /// Clear coat's factor.
    pub clearcoat: f32,
    /// Clear coat's roughness.
    pub clearcoat_roughness: f32,
    /// Scale of the slope of clear coat's normal map.
    pub clearcoat_normal_scale: f32,
    /// Dispersion of the volume.
    pub dispersion: f32,
    /// Colour of the sheen.
    pub sheen_color: [f32; 3],
    /// Roughness of the sheen.
    pub sheen_roughness: f32,
    /// Factor of the iridescent film.
    pub iridescence: f32,
    /// Its index of refraction.
    pub iridescence_ior: f32,
    /// Its thickness in nanometres where the texel is 0.
    pub iridescence_thinnest: f32,
    /// Its thickness in nanometres where the texel is 1.
    pub iridescence_thickest: f32,
    /// Anisotropy's strength.
    pub anisotropy: f32,
    /// Transmission's factor.
    pub transmission: f32,
    /// Cosine and sine of anisotropy's rotation.
    pub anisotropy_direction: [f32; 2],
    /// Absorption of the volume per metre.
    pub absorption: [f32; 3],
    /// Thickness of the volume in mesh space.
    pub thickness: f32,
    /// Colour of diffuse transmission.
    pub diffuse_transmission_color: [f32; 3],
    /// Factor of diffuse transmission.
    pub diffuse_transmission: f32,
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
