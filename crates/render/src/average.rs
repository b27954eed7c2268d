//! Averages several drawings of one picture.

use std::iter;

use crate::device::pipeline::{Pipeline, Shader, flag};
use crate::scene::bind_layouts::{texture, uniform};
use crate::{Gpu, Target, shader};

/// The pipeline that averages drawings on targets of one format.
pub struct Average {
    layout: wgpu::BindGroupLayout,
    corner: wgpu::Buffer,
    pipeline: wgpu::RenderPipeline,
}

impl Average {
    /// Builds the pipeline.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let fragment = wgpu::ShaderStages::FRAGMENT;
        let [first, second, third, fourth] = [1, 2, 3, 4].map(|at| texture(at, fragment, false));
        let numbers = uniform::<[u32; 4]>(0, fragment, false);
        let layout = gpu.bind_layout("average", &[numbers, first, second, third, fourth]);
        let corner = gpu.uniform_buffer("average uniform", size_of::<[u32; 4]>() as u64);
        let shader = Shader::new(gpu, "average", shader::average(), &[Some(&layout)]);
        let constants = &[("target_encodes", flag(format.is_srgb()))][..];
        let pipeline = Pipeline {
            constants: [&[], constants],
            ..Pipeline::new(&shader, "average", ["vs_average", "fs_average"], format)
        };
        let pipeline = pipeline.build(gpu);
        Self { layout, corner, pipeline }
    }

    /// Clears the target and puts the average of drawings into its rectangle, which has their size. The encoder must
    /// be submitted before the next call.
    pub fn draw(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        drawings: &[wgpu::TextureView; 4],
        target: &Target<'_>,
    ) {
        let [left, top, _, _] = target.rect;
        gpu.queue.write_buffer(&self.corner, 0, bytemuck::bytes_of(&[left, top, 0, 0]));
        let pictures = drawings.iter().map(wgpu::BindingResource::TextureView);
        let bound: Vec<_> = iter::once(self.corner.as_entire_binding()).chain(pictures).collect();
        let group = gpu.bind("average", &self.layout, &bound);
        target.fill(encoder, "average", &self.pipeline, &group);
    }
}
