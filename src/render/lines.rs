//! Lines drawn as rectangles a pixel wide: what adapters draw as a line differs, and some lose parts of
//! it. The vertex shader reads both ends of a line from the primitive's lists, bound as storage; where
//! an adapter has none there, or not as long, lines are the adapter's own.

use wgpu::{BindGroupLayoutEntry, BindingType, BufferBindingType, ShaderStages};

use super::Gpu;
use super::gpu_model::GpuPrimitive;

/// Vertices, influences and indices.
const FIRST: u32 = 3;
const LISTS: u32 = 3;

/// What lines bind beside what every draw does, which is `drawn`; none where the adapter's vertex
/// shaders read no lists.
pub fn layout(gpu: &Gpu, drawn: &[BindGroupLayoutEntry]) -> Option<wgpu::BindGroupLayout> {
    let flags = gpu.adapter.get_downlevel_capabilities().flags;
    let most = gpu.device.limits().max_storage_buffers_per_shader_stage;
    if !flags.contains(wgpu::DownlevelFlags::VERTEX_STORAGE) || most < LISTS {
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
    let entries: Vec<_> = drawn.iter().copied().chain((FIRST..FIRST + LISTS).map(list)).collect();
    let descriptor = wgpu::BindGroupLayoutDescriptor { label: Some("lines"), entries: &entries };
    Some(gpu.device.create_bind_group_layout(&descriptor))
}

/// The lists of a primitive whose vertices these indices join to lines, beside what every draw binds;
/// none where one is longer than the adapter binds.
pub fn bind(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    drawn: &[wgpu::BindGroupEntry<'_>],
    primitive: &GpuPrimitive,
    indices: wgpu::BufferBinding<'_>,
) -> Option<wgpu::BindGroup> {
    // Rigid lines read no influences, but something is always bound.
    let skinned = !primitive.influences.is_empty();
    let influences = if skinned { &primitive.influences } else { &primitive.vertices };
    let lists = [primitive.list(&primitive.vertices), primitive.list(influences), indices];
    let most = gpu.device.limits().max_storage_buffer_binding_size;
    let length = |list: &wgpu::BufferBinding<'_>| {
        list.size.map_or(list.buffer.size() - list.offset, wgpu::BufferSize::get)
    };
    if lists.iter().any(|list| length(list) > most) {
        return None;
    }
    let list = |(binding, list)| wgpu::BindGroupEntry {
        binding,
        resource: wgpu::BindingResource::Buffer(list),
    };
    let entries: Vec<_> = drawn.iter().cloned().chain((FIRST..).zip(lists).map(list)).collect();
    Some(gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("lines"),
        layout,
        entries: &entries,
    }))
}
