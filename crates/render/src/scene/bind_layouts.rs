//! Bindings of the shaders: vertex attributes and bind group layouts.

use wgpu::{BindGroupLayoutEntry, BindingType, BufferBindingType, ShaderStages, VertexFormat};

use super::features::Features;
use super::uniforms::{
    FrameUniform, JOINT_BYTES, LightsUniform, MORPH_BYTES, MaterialUniform, PALETTE_HEADER_BYTES,
    palette_bytes,
};
use crate::Gpu;
use rigview_anim::MAX_PALETTE_JOINTS;
use rigview_model::{Influence, TextureSlot, Vertex};

/// Maximum number of joints that a draw binds. It exceeds the joints of one palette because the palettes
/// of a crowd are bound side by side.
const MOST_BOUND_JOINTS: u64 = 1024;

/// First binding of the lists that lines drawn as rectangles read.
pub const FIRST_LINE_LIST: u32 = 3;

/// Number of those lists: vertices, influences and indices.
pub const LINE_LISTS: u32 = 3;

/// Returns the binding of a slot's texture in the material's bind group.
pub fn texture_binding(slot: TextureSlot) -> u32 {
    3 + 2 * slot as u32
}

/// Returns the binding of a slot's sampler in the material's bind group.
pub fn sampler_binding(slot: TextureSlot) -> u32 {
    texture_binding(slot) + 1
}

/// The attributes of [`Vertex`].
pub const VERTEX_ATTRIBUTES: [wgpu::VertexAttribute; 5] = wgpu::vertex_attr_array![
    0 => Float32x3, 1 => Float32x3, 2 => Float32x4, 3 => Float32x4, 4 => Unorm16x4
];

/// The matrix of a rigid instance, as rows.
pub const INSTANCE_ATTRIBUTES: [wgpu::VertexAttribute; 3] =
    wgpu::vertex_attr_array![5 => Float32x4, 6 => Float32x4, 7 => Float32x4];

/// Bytes per rigid instance.
pub const INSTANCE_BYTES: u64 = 48;

/// Returns the attributes of all influence sets of a vertex; joint IDs are not converted to floats.
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

/// Bytes per vertex.
pub const VERTEX_BYTES: u64 = size_of::<Vertex>() as u64;

/// The bind group layouts that all mesh pipelines share, by group. Group 1 depends on the material
/// features, see [`material_layout`].
pub struct BindLayouts {
    /// Group 0: camera, lights, environment, shadow, ambient occlusion.
    pub frame: wgpu::BindGroupLayout,
    /// Group 2: palette and morph weights by dynamic offset, and the morph deltas.
    pub draw: wgpu::BindGroupLayout,
    /// Group 2 for lines drawn as rectangles: the same, and the lists that they read. `None` if vertex
    /// shaders of the adapter cannot read storage buffers.
    pub lines: Option<wgpu::BindGroupLayout>,
    /// Group 3: a copy of the picture so far, for transmissive materials.
    pub transmission: wgpu::BindGroupLayout,
    /// Joints that a draw binds: as many as the adapter can bind, but at least those of a palette.
    pub bound_joints: usize,
}

impl BindLayouts {
    /// Creates the layouts.
    pub fn new(gpu: &Gpu) -> Self {
        let both = ShaderStages::VERTEX_FRAGMENT;
        let bytes = gpu.device.limits().max_uniform_buffer_binding_size;
        let room = bytes.saturating_sub(PALETTE_HEADER_BYTES) / JOINT_BYTES;
        let bound_joints = (room.min(MOST_BOUND_JOINTS) as usize).max(MAX_PALETTE_JOINTS);
        let numbers = |binding, bytes| uniform_of(bytes, binding, ShaderStages::VERTEX, true);
        let drawn = [
            numbers(0, palette_bytes(bound_joints)),
            numbers(1, MORPH_BYTES),
            texture(2, ShaderStages::VERTEX, false),
        ];
        Self {
            bound_joints,
            frame: gpu.bind_layout(
                "frame",
                &[
                    uniform::<FrameUniform>(0, both, false),
                    uniform::<LightsUniform>(1, ShaderStages::FRAGMENT, false),
                    cube_texture(2),
                    sampler(3, wgpu::SamplerBindingType::Filtering),
                    texture(4, ShaderStages::FRAGMENT, false),
                    texture(5, ShaderStages::FRAGMENT, false),
                ],
            ),
            draw: gpu.bind_layout("draw", &drawn),
            lines: line_layout(gpu, &drawn),
            transmission: gpu.bind_layout(
                "copy of the opaque picture",
                &[
                    texture(0, ShaderStages::FRAGMENT, true),
                    sampler(1, wgpu::SamplerBindingType::Filtering),
                ],
            ),
        }
    }
}

/// Creates the layout of group 1: the material's uniform by dynamic offset, the reflectance table, and
/// the textures of these features.
pub fn material_layout(gpu: &Gpu, features: Features) -> wgpu::BindGroupLayout {
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
    gpu.bind_layout("material", &entries)
}

/// Creates the layout of group 2 for lines drawn as rectangles: the entries of every draw, then the lists.
fn line_layout(gpu: &Gpu, drawn: &[BindGroupLayoutEntry]) -> Option<wgpu::BindGroupLayout> {
    let flags = gpu.adapter.get_downlevel_capabilities().flags;
    let most = gpu.device.limits().max_storage_buffers_per_shader_stage;
    if !flags.contains(wgpu::DownlevelFlags::VERTEX_STORAGE) || most < LINE_LISTS {
        return None;
    }
    let ty = BindingType::Buffer {
        ty: BufferBindingType::Storage { read_only: true },
        has_dynamic_offset: false,
        min_binding_size: None,
    };
    let list = |binding| BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::VERTEX,
        ty,
        count: None,
    };
    let lists = (FIRST_LINE_LIST..FIRST_LINE_LIST + LINE_LISTS).map(list);
    let entries: Vec<_> = drawn.iter().copied().chain(lists).collect();
    Some(gpu.bind_layout("lines", &entries))
}

/// Returns the entry of a uniform buffer that holds a `T`.
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

/// Returns the entry of a two-dimensional float texture.
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

/// Returns the entry of a multisampled texture, which cannot be filtered.
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

/// Returns the entry of a float cube map in the fragment shader.
fn cube_texture(binding: u32) -> BindGroupLayoutEntry {
    let ty = BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Float { filterable: true },
        view_dimension: wgpu::TextureViewDimension::Cube,
        multisampled: false,
    };
    BindGroupLayoutEntry { binding, visibility: ShaderStages::FRAGMENT, ty, count: None }
}

/// Returns the entry of a sampler in the fragment shader.
pub fn sampler(binding: u32, kind: wgpu::SamplerBindingType) -> BindGroupLayoutEntry {
    let ty = BindingType::Sampler(kind);
    BindGroupLayoutEntry { binding, visibility: ShaderStages::FRAGMENT, ty, count: None }
}

/// Binds a texture at 0 and its sampler at 1.
pub fn bind_sampled(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    view: &wgpu::TextureView,
    sampler: &wgpu::Sampler,
) -> wgpu::BindGroup {
    let resources =
        [wgpu::BindingResource::TextureView(view), wgpu::BindingResource::Sampler(sampler)];
    gpu.bind("sampled texture", layout, &resources)
}

/// Returns what every draw binds in group 2, from binding 0 on.
pub fn draw_resources<'a>(
    layouts: &BindLayouts,
    data: &'a wgpu::Buffer,
    deltas: &'a wgpu::TextureView,
) -> [wgpu::BindingResource<'a>; 3] {
    let part = |size| {
        let size = wgpu::BufferSize::new(size);
        wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: data, offset: 0, size })
    };
    [
        part(palette_bytes(layouts.bound_joints)),
        part(MORPH_BYTES),
        wgpu::BindingResource::TextureView(deltas),
    ]
}
