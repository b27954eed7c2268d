//! Joins two finished pictures to one.

use bytemuck::{Pod, Zeroable};

use crate::device::pipeline::{Pipeline, Shader};
use crate::scene::bind_layouts::{texture, uniform};
use crate::{Gpu, Target, shader};

/// How two pictures become one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Join {
    /// The first picture up to a column, and from there on the second one.
    Split {
        /// The first column of the second picture.
        column: u32,
        /// The column of the second picture that is shown there.
        first: u32,
    },
    /// The second picture over the first one. Its alpha is straight.
    Ghost {
        /// The colour of which the second picture is shown in shades; sRGB from 0 to 1.
        color: [f32; 3],
        /// From 0 to 1.
        opacity: f32,
    },
}

/// `Composite` in `shaders/composite.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct CompositeUniform {
    corner: [u32; 2],
    column: u32,
    first: u32,
    ghost: [f32; 4],
}

/// The pipelines that join pictures on targets of one format.
pub struct Compositor {
    layout: wgpu::BindGroupLayout,
    uniform: wgpu::Buffer,
    split: wgpu::RenderPipeline,
    ghost: wgpu::RenderPipeline,
    format: wgpu::TextureFormat,
}

impl Compositor {
    /// Builds the pipelines.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let fragment = wgpu::ShaderStages::FRAGMENT;
        let layout = gpu.bind_layout(
            "composite",
            &[
                uniform::<CompositeUniform>(0, fragment, false),
                texture(1, fragment, false),
                texture(2, fragment, false),
            ],
        );
        let bytes = size_of::<CompositeUniform>() as u64;
        let uniform = gpu.uniform_buffer("composite uniform", bytes);
        let shader = Shader::new(gpu, "composite", shader::composite(), &[Some(&layout)]);
        let build = |fragment| {
            Pipeline::new(&shader, "composite", ["vs_composite", fragment], format).build(gpu)
        };
        let (split, ghost) = (build("fs_split"), build("fs_ghost"));
        Self { layout, uniform, split, ghost, format }
    }

    /// Creates a texture to draw one of the two pictures on.
    pub fn texture(&self, gpu: &Gpu, size: [u32; 2]) -> wgpu::Texture {
        gpu.texture("one of two pictures", size, self.format, wgpu::TextureUsages::TEXTURE_BINDING)
    }

    /// Clears the target and joins two pictures in its rectangle. The target has the compositor's format. The encoder
    /// must be submitted before the next call.
    pub fn draw(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        pictures: [&wgpu::TextureView; 2],
        join: Join,
        target: &Target<'_>,
    ) {
        let [left, top, _, _] = target.rect;
        let corner = [left, top];
        let (pipeline, numbers) = match join {
            Join::Split { column, first } => {
                (&self.split, CompositeUniform { corner, column, first, ghost: [0.0; 4] })
            }
            Join::Ghost { color: [r, g, b], opacity } => {
                let ghost = [r, g, b, opacity];
                (&self.ghost, CompositeUniform { corner, column: 0, first: 0, ghost })
            }
        };
        gpu.queue.write_buffer(&self.uniform, 0, bytemuck::bytes_of(&numbers));
        let [first, second] = pictures.map(wgpu::BindingResource::TextureView);
        let numbers = self.uniform.as_entire_binding();
        let group = gpu.bind("composite", &self.layout, &[numbers, first, second]);
        target.fill(encoder, "composite", pipeline, &group);
    }
}
