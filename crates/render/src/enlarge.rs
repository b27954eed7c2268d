//! Shows a drawing that has at most as many pixels as its place.

use crate::device::pipeline::{Pipeline, Shader};
use crate::scene::bind_layouts::{bind_sampled, sampler, texture};
use crate::{Gpu, Target, shader};

/// The pipeline that draws pictures on targets of one format: enlarged, or unchanged in a rectangle of their size.
pub struct Enlarge {
    layout: wgpu::BindGroupLayout,
    smooth: wgpu::Sampler,
    pipeline: wgpu::RenderPipeline,
}

impl Enlarge {
    /// Builds the pipeline.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let sampled = texture(0, wgpu::ShaderStages::FRAGMENT, true);
        let filtering = sampler(1, wgpu::SamplerBindingType::Filtering);
        let smooth = gpu.smooth_sampler("enlarge", wgpu::MipmapFilterMode::Nearest);
        let layout = gpu.bind_layout("enlarge", &[sampled, filtering]);
        let shader = Shader::new(gpu, "enlarge", shader::enlarge(), &[Some(&layout)]);
        let entries = ["vs_tent", "fs_enlarge"];
        let pipeline = Pipeline::new(&shader, "enlarge", entries, format).build(gpu);
        Self { layout, smooth, pipeline }
    }

    /// Clears the target and fills its rectangle with a drawing.
    pub fn draw(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        drawing: &wgpu::TextureView,
        target: &Target<'_>,
    ) {
        let group = bind_sampled(gpu, &self.layout, drawing, &self.smooth);
        target.fill(encoder, "enlarge", &self.pipeline, &group);
    }
}
