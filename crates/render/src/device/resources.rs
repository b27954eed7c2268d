//! Buffers, samplers and bind groups with the settings that all of this renderer's have.

use super::gpu::Gpu;

impl Gpu {
    /// Creates a buffer.
    pub(crate) fn buffer(&self, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    /// Creates a buffer for uniforms, which are written to it later.
    pub(crate) fn uniform_buffer(&self, label: &str, size: u64) -> wgpu::Buffer {
        self.buffer(label, size, wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST)
    }

    /// Creates a sampler that interpolates linearly between texels, and as given between mip levels.
    pub(crate) fn smooth_sampler(
        &self,
        label: &str,
        mipmap_filter: wgpu::MipmapFilterMode,
    ) -> wgpu::Sampler {
        self.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some(label),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter,
            ..Default::default()
        })
    }

    /// Creates the layout of a bind group.
    pub(crate) fn bind_layout(
        &self,
        label: &str,
        entries: &[wgpu::BindGroupLayoutEntry],
    ) -> wgpu::BindGroupLayout {
        let label = Some(label);
        self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries })
    }

    /// Creates a bind group. The resources are bound in their order, from binding 0 on.
    pub(crate) fn bind(
        &self,
        label: &str,
        layout: &wgpu::BindGroupLayout,
        resources: &[wgpu::BindingResource<'_>],
    ) -> wgpu::BindGroup {
        let entries: Vec<_> = (0..)
            .zip(resources)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(label),
            layout,
            entries: &entries,
        })
    }
}
