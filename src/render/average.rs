//! Averages several drawings of one picture.

use std::iter;

use crate::render::device::pipeline::{Pipeline, Shader, flag};
use crate::render::scene::bind_layouts::{texture, uniform};
use crate::render::{Gpu, Target, shader};

/// The drawings of a picture of one size that are averaged, on targets of one format.
pub struct Average {
    format: wgpu::TextureFormat,
    size: [u32; 2],
    drawings: [wgpu::TextureView; 4],
    corner: wgpu::Buffer,
    group: wgpu::BindGroup,
    pipeline: wgpu::RenderPipeline,
}

impl Average {
    /// Creates the textures for pictures of this size, and the pipeline.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat, size: [u32; 2]) -> Self {
        let fragment = wgpu::ShaderStages::FRAGMENT;
        let [first, second, third, fourth] = [1, 2, 3, 4].map(|at| texture(at, fragment, false));
        let numbers = uniform::<[u32; 4]>(0, fragment, false);
        let layout = gpu.bind_layout("average", &[numbers, first, second, third, fourth]);
        let drawings = [(); 4].map(|()| {
            let texture = gpu.texture(
                "one of several drawings",
                size,
                format,
                wgpu::TextureUsages::TEXTURE_BINDING,
            );
            texture.create_view(&Default::default())
        });
        let corner = gpu.uniform_buffer("average uniform", size_of::<[u32; 4]>() as u64);
        let pictures = drawings.iter().map(wgpu::BindingResource::TextureView);
        let bound: Vec<_> = iter::once(corner.as_entire_binding()).chain(pictures).collect();
        let group = gpu.bind("average", &layout, &bound);
        let shader = Shader::new(gpu, "average", shader::average(), &[Some(&layout)]);
        let constants = &[("target_encodes", flag(format.is_srgb()))][..];
        let pipeline = Pipeline {
            constants: [&[], constants],
            ..Pipeline::new(&shader, "average", ["vs_average", "fs_average"], format)
        };
        let pipeline = pipeline.build(gpu);
        Self { format, size, drawings, corner, group, pipeline }
    }

    /// Whether it is for pictures of this size.
    pub fn fits(&self, size: [u32; 2]) -> bool {
        self.size == size
    }

    /// The targets of the drawings.
    pub fn targets(&self) -> [Target<'_>; 4] {
        let [width, height] = self.size;
        let rect = [0, 0, width, height];
        self.drawings.each_ref().map(|view| Target { view, format: self.format, rect, part: None })
    }

    /// Clears the target and puts the average of the drawings into its rectangle, which has their size. The encoder must
    /// be submitted before the next call.
    pub fn draw(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, target: &Target<'_>) {
        let [left, top, _, _] = target.rect;
        gpu.queue.write_buffer(&self.corner, 0, bytemuck::bytes_of(&[left, top, 0, 0]));
        target.fill(encoder, "average", &self.pipeline, &self.group);
    }
}
