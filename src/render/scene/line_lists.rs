//! Lines drawn as rectangles one pixel wide, because adapters rasterise lines differently and some drop
//! parts of them, and points drawn as squares. The vertex shader reads both ends of a line, or a point, from the
//! primitive's lists, bound as storage buffers. Where the adapter cannot bind them, it draws the lines itself,
//! and points one pixel wide.

use super::bind_layouts::FIRST_LINE_LIST;
use crate::render::Gpu;
use crate::render::upload::gpu_model::GpuPrimitive;

/// Binds the vertices and influences of a primitive and the indices of its lines or points, after the entries of
/// every draw. `None` if a list is larger than the adapter can bind.
pub fn bind(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    drawn: &[wgpu::BindGroupEntry<'_>],
    primitive: &GpuPrimitive,
    indices: wgpu::BufferBinding<'_>,
) -> Option<wgpu::BindGroup> {
    // Rigid lines read no influences, but the binding must not be empty.
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
    let entries: Vec<_> =
        drawn.iter().cloned().chain((FIRST_LINE_LIST..).zip(lists).map(list)).collect();
    Some(gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("line lists"),
        layout,
        entries: &entries,
    }))
}
