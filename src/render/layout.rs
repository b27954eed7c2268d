//! What the shaders bind: uniform structs, vertex attributes, bind group layouts.
//!
//! A test compares the structs' sizes with those that naga finds in the WGSL.

use bytemuck::{Pod, Zeroable};
use wgpu::{BindGroupLayoutEntry, BindingType, BufferBindingType, ShaderStages, VertexFormat};

use super::features::Features;
use super::{Gpu, lines};
use crate::anim::MAX_PALETTE_JOINTS;
use crate::model::{Influence, TextureSlot, Vertex};

/// Where in the frame's buffer anything bound as a uniform begins: the largest alignment that any
/// adapter asks for.
pub const UNIFORM_ALIGNMENT: u64 = 256;

/// Bytes of a joint's matrix.
pub const JOINT_BYTES: u64 = 64;

/// Joints that a draw binds, at most: more than one palette has, for those of a crowd lie side by side.
const MOST_BOUND_JOINTS: u64 = 1024;

/// Morph targets that count in one draw; of more, the heaviest do. It is as many as fit into the 16 KiB
/// that every adapter binds as a uniform.
pub const MAX_ACTIVE_TARGETS: usize = 2046;

/// Bytes of `Morph` in `shaders/skin.wgsl`.
pub const MORPH_BYTES: u64 = morph_bytes(MAX_ACTIVE_TARGETS);

/// The same with so many targets: the others are room that nothing reads.
pub const fn morph_bytes(targets: usize) -> u64 {
    (size_of::<MorphUniform>() + targets * size_of::<MorphTarget>()) as u64
}

/// Lights that shine at once.
pub const MAX_LIGHTS: usize = 64;

/// `Frame` in `shaders/frame.wgsl`, which says what each is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct FrameUniform {
    /// To the target's unit cube.
    pub projection_from_world: [[f32; 4]; 4],
    /// The camera's place; 1 for perspective, 0 for orthographic.
    pub eye: [f32; 4],
    /// The camera's +Z.
    pub backward: [f32; 4],
    /// Near, far, width and height in pixels.
    pub range_and_size: [f32; 4],
    /// To the right edge of what is seen, at a distance of 1.
    pub right: [f32; 4],
    /// To its upper edge.
    pub up: [f32; 4],
    /// Factor of the environment's texels; the last level.
    pub environment: [f32; 4],
    /// Cosine and sine of its turn; whether it is uniform; the level behind the scene.
    pub environment_turn: [f32; 4],
    /// Spherical harmonics.
    pub irradiance: [[f32; 4]; 9],
    /// To the shadow map.
    pub shadow_from_eye: [[f32; 4]; 4],
    /// Texels an edge, softness, a texel as a depth, the widest penumbra.
    pub shadow: [f32; 4],
    /// The ground's middle, and half its edge.
    pub ground: [f32; 4],
    /// Darkness of the shadow, a cell of the grid, half the grid's edge, whether colours are light.
    pub grid: [f32; 4],
}

/// `Light` in `shaders/lights.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct LightUniform {
    /// Relative to the eye; w: 0 for a directional light.
    pub position: [f32; 4],
    /// Against the way it shines; w: 1 if it has the shadow.
    pub towards: [f32; 4],
    /// Lux or candela.
    pub intensity: [f32; 4],
    /// 1 over the range's square, and the cone's factor and term.
    pub falloff: [f32; 4],
}

/// `Lights` in `shaders/lights.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct LightsUniform {
    /// How many there are.
    pub count: [u32; 4],
    /// Those, and nothing.
    pub list: [LightUniform; MAX_LIGHTS],
}

/// What `Morph` in `shaders/skin.wgsl` begins with; behind it is a [`MorphTarget`] each.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct MorphUniform {
    /// How many targets count.
    pub count: u32,
    /// Vertices of the primitive.
    pub vertices: u32,
    /// Texels a row.
    pub width: u32,
    /// Kinds of deltas, the flags below.
    pub kinds: u32,
}

/// A target that counts: its number and its weight's bits.
pub type MorphTarget = [u32; 2];

/// Morph targets move positions.
pub const MORPHS_POSITIONS: u32 = 1;
/// Morph targets turn normals.
pub const MORPHS_NORMALS: u32 = 2;
/// Morph targets turn tangents.
pub const MORPHS_TANGENTS: u32 = 4;
/// Morph targets shift texture coordinates.
pub const MORPHS_UVS: u32 = 8;
/// Morph targets change colours.
pub const MORPHS_COLORS: u32 = 16;

/// `Material` in `shaders/material.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct MaterialUniform {
    /// Linear, straight alpha.
    pub base_color: [f32; 4],
    /// Linear; the alpha cutoff, negative without a mask.
    pub emissive: [f32; 4],
    /// Metallic, roughness (or glossiness), the normals' scale, the occlusion's strength.
    pub surface: [f32; 4],
    /// What a dielectric reflects facing the light; how much at grazing angles.
    pub specular: [f32; 4],
    /// Factor, roughness, its normals' scale; the dispersion.
    pub clearcoat: [f32; 4],
    /// Colour, roughness.
    pub sheen: [f32; 4],
    /// Factor, index of refraction, thickness where the texture is 0 and where it is 1.
    pub iridescence: [f32; 4],
    /// Strength, cosine and sine of the rotation; the transmission.
    pub anisotropy: [f32; 4],
    /// Absorption a metre; the volume's thickness.
    pub absorption: [f32; 4],
    /// Colour, factor.
    pub diffuse_transmission: [f32; 4],
    /// Of refraction.
    pub ior: f32,
    /// 1 where drawn alpha is always one.
    pub opaque: f32,
    /// The flags below.
    pub flags: u32,
    /// Nothing.
    pub padding: u32,
    /// By slot.
    pub uv: [UvRows; TextureSlot::ALL.len()],
}

/// `UvRows` in `shaders/material.wgsl`: a matrix of texture coordinates.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct UvRows {
    /// The first row; w: which set.
    pub u: [f32; 4],
    /// The other row.
    pub v: [f32; 4],
}

/// Flag of a material: fronts are drawn.
pub const DRAW_FRONTS: u32 = 1;
/// Flag of a material: backs are drawn.
pub const DRAW_BACKS: u32 = 2;
/// Flag of a material: no light.
pub const UNLIT: u32 = 4;
/// Flag of a material: it has an anisotropy texture.
pub const ANISOTROPY_MAP: u32 = 8;
/// Flag of a material: specular and glossiness instead of metallic and roughness.
pub const SPECULAR_GLOSSY: u32 = 16;

/// The binding of a slot's texture in the material's group.
pub fn texture_binding(slot: TextureSlot) -> u32 {
    3 + 2 * slot as u32
}

/// The binding of a slot's sampler in the material's group.
pub fn sampler_binding(slot: TextureSlot) -> u32 {
    texture_binding(slot) + 1
}

/// The attributes of [`Vertex`].
pub const VERTEX_ATTRIBUTES: [wgpu::VertexAttribute; 5] = wgpu::vertex_attr_array![
    0 => Float32x3, 1 => Float32x3, 2 => Float32x4, 3 => Float32x4, 4 => Unorm16x4
];

/// A rigid instance's matrix as rows.
pub const INSTANCE_ATTRIBUTES: [wgpu::VertexAttribute; 3] =
    wgpu::vertex_attr_array![5 => Float32x4, 6 => Float32x4, 7 => Float32x4];

/// Bytes of a rigid instance.
pub const INSTANCE_BYTES: u64 = 48;

/// The attributes of all sets of a vertex; joint IDs stay integers.
pub fn influence_attributes(sets: usize) -> Vec<wgpu::VertexAttribute> {
    let joints = std::mem::offset_of!(Influence, joints);
    let weights = std::mem::offset_of!(Influence, weights);
    (0..sets)
        .flat_map(|set| {
            let start = set * size_of::<Influence>();
            let location = 8 + 2 * set as u32;
            [
                wgpu::VertexAttribute {
                    format: VertexFormat::Uint8x4,
                    offset: (start + joints) as u64,
                    shader_location: location,
                },
                wgpu::VertexAttribute {
                    format: VertexFormat::Float32x4,
                    offset: (start + weights) as u64,
                    shader_location: location + 1,
                },
            ]
        })
        .collect()
}

/// Bytes of a vertex.
pub const VERTEX_BYTES: u64 = size_of::<Vertex>() as u64;

/// The bind group layouts of the mesh pipelines that are always the same, by group.
pub struct Layouts {
    /// 0: the frame: camera, lights, environment, shadow.
    pub frame: wgpu::BindGroupLayout,
    /// 2: palette and morph weights by dynamic offset, and the deltas.
    pub draw: wgpu::BindGroupLayout,
    /// 2 for lines that are drawn as rectangles: the same and their lists.
    pub lines: Option<wgpu::BindGroupLayout>,
    /// 3: the picture so far, for what light goes through.
    pub behind: wgpu::BindGroupLayout,
    /// Joints that a draw binds: as many as the adapter has room for, and at least a palette's.
    pub bound_joints: usize,
}

impl Layouts {
    /// Makes them.
    pub fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        let both = ShaderStages::VERTEX_FRAGMENT;
        let room = device.limits().max_uniform_buffer_binding_size / JOINT_BYTES;
        let bound_joints = (room.min(MOST_BOUND_JOINTS) as usize).max(MAX_PALETTE_JOINTS);
        let numbers = |binding, bytes| uniform_of(bytes, binding, ShaderStages::VERTEX, true);
        let drawn = [
            numbers(0, bound_joints as u64 * JOINT_BYTES),
            numbers(1, MORPH_BYTES),
            texture(2, ShaderStages::VERTEX, false),
        ];
        Self {
            bound_joints,
            frame: make(
                device,
                "frame",
                &[
                    uniform::<FrameUniform>(0, both, false),
                    uniform::<LightsUniform>(1, ShaderStages::FRAGMENT, false),
                    cube_texture(2),
                    sampler(3, wgpu::SamplerBindingType::Filtering),
                    depth_texture(4),
                    sampler(5, wgpu::SamplerBindingType::Comparison),
                ],
            ),
            draw: make(device, "draw", &drawn),
            lines: lines::layout(gpu, &drawn),
            behind: make(
                device,
                "behind",
                &[
                    texture(0, ShaderStages::FRAGMENT, true),
                    sampler(1, wgpu::SamplerBindingType::Filtering),
                ],
            ),
        }
    }
}

/// Group 1: a material, its uniform by dynamic offset, the table of reflectance, and the textures
/// of its features.
pub fn material_layout(device: &wgpu::Device, features: Features) -> wgpu::BindGroupLayout {
    let fragment = ShaderStages::FRAGMENT;
    let mut entries = vec![
        uniform::<MaterialUniform>(0, fragment, true),
        texture(1, fragment, true),
        sampler(2, wgpu::SamplerBindingType::Filtering),
    ];
    for slot in features.slots() {
        entries.push(texture(texture_binding(slot), fragment, true));
        entries.push(sampler(sampler_binding(slot), wgpu::SamplerBindingType::Filtering));
    }
    make(device, "material", &entries)
}

fn make(
    device: &wgpu::Device,
    label: &str,
    entries: &[BindGroupLayoutEntry],
) -> wgpu::BindGroupLayout {
    let label = Some(label);
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries })
}

/// A uniform of a struct's size.
pub fn uniform<T>(binding: u32, visibility: ShaderStages, dynamic: bool) -> BindGroupLayoutEntry {
    uniform_of(size_of::<T>() as u64, binding, visibility, dynamic)
}

fn uniform_of(
    bytes: u64,
    binding: u32,
    visibility: ShaderStages,
    dynamic: bool,
) -> BindGroupLayoutEntry {
    BindGroupLayoutEntry {
        binding,
        visibility,
        ty: BindingType::Buffer {
            ty: BufferBindingType::Uniform,
            has_dynamic_offset: dynamic,
            min_binding_size: wgpu::BufferSize::new(bytes),
        },
        count: None,
    }
}

/// A two-dimensional texture of floats.
pub fn texture(binding: u32, visibility: ShaderStages, filterable: bool) -> BindGroupLayoutEntry {
    BindGroupLayoutEntry {
        binding,
        visibility,
        ty: BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        },
        count: None,
    }
}

/// A texture of several samples a pixel, none of them mixed with others.
pub fn samples(binding: u32, visibility: ShaderStages) -> BindGroupLayoutEntry {
    BindGroupLayoutEntry {
        ty: BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: false },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: true,
        },
        ..texture(binding, visibility, false)
    }
}

/// A cube of floats that a fragment shader samples.
fn cube_texture(binding: u32) -> BindGroupLayoutEntry {
    let ty = BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Float { filterable: true },
        view_dimension: wgpu::TextureViewDimension::Cube,
        multisampled: false,
    };
    BindGroupLayoutEntry { binding, visibility: ShaderStages::FRAGMENT, ty, count: None }
}

/// A depth texture that a fragment shader samples.
fn depth_texture(binding: u32) -> BindGroupLayoutEntry {
    let ty = BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Depth,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    BindGroupLayoutEntry { binding, visibility: ShaderStages::FRAGMENT, ty, count: None }
}

/// A fragment shader's sampler.
fn sampler(binding: u32, kind: wgpu::SamplerBindingType) -> BindGroupLayoutEntry {
    let ty = BindingType::Sampler(kind);
    BindGroupLayoutEntry { binding, visibility: ShaderStages::FRAGMENT, ty, count: None }
}
