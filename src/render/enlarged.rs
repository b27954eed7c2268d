//! Keeps a drawing, which may have fewer pixels than it is shown with.

use crate::render::device::pipeline::{Pipeline, Shader};
use crate::render::scene::bind_layouts::{bind_sampled, sampler, texture};
use crate::render::{Gpu, Target, shader};

/// A drawing of one size, which is put on targets of one format: enlarged, or as it is on one of its size.
pub struct Enlarged {
    format: wgpu::TextureFormat,
    size: [u32; 2],
    drawing: wgpu::TextureView,
    group: wgpu::BindGroup,
    pipeline: wgpu::RenderPipeline,
}

impl Enlarged {
    /// Creates the texture for a drawing of this size, and the pipeline.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat, size: [u32; 2]) -> Self {
        let usage = wgpu::TextureUsages::TEXTURE_BINDING;
        let drawing = gpu.texture("smaller drawing", size, format, usage);
        let drawing = drawing.create_view(&Default::default());
        let sampled = texture(0, wgpu::ShaderStages::FRAGMENT, true);
        let filtering = sampler(1, wgpu::SamplerBindingType::Filtering);
        let smooth = gpu.smooth_sampler("enlarged", wgpu::MipmapFilterMode::Nearest);
        let layout = gpu.bind_layout("enlarged", &[sampled, filtering]);
        let group = bind_sampled(gpu, &layout, &drawing, &smooth);
        let shader = Shader::new(gpu, "enlarge", shader::enlarge(), &[Some(&layout)]);
        let entries = ["vs_tent", "fs_enlarge"];
        let pipeline = Pipeline::new(&shader, "enlarge", entries, format).build(gpu);
        Self { format, size, drawing, group, pipeline }
    }

    /// Whether its drawing has this size.
    pub fn fits(&self, size: [u32; 2]) -> bool {
        self.size == size
    }

    /// The target of the drawing.
    pub fn target(&self) -> Target<'_> {
        let [width, height] = self.size;
        Target { view: &self.drawing, format: self.format, rect: [0, 0, width, height], part: None }
    }

    /// Clears the target and fills its rectangle with the drawing.
    pub fn draw(&self, encoder: &mut wgpu::CommandEncoder, target: &Target<'_>) {
        target.fill(encoder, "enlarged", &self.pipeline, &self.group);
    }
}
