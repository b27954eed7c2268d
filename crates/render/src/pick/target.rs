//! The pixels around a place that a pick is drawn on, and the numbers of the draws.

use crate::Gpu;
use crate::scene::bind_layouts::uniform;
use crate::scene::canvas::DEPTH_FORMAT;
use crate::scene::canvas::{Attachment, attachment};

/// Edge of the drawn square in pixels. Its rows fit in the 256 bytes to which rows of a copy are aligned.
pub const SIDE: u32 = 15;

/// Format of the numbers: the draw plus one, the instance, the bits of the distance, and nothing.
pub const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Uint;

/// Bytes per pixel.
pub const TEXEL: usize = 16;

/// Bytes from one draw's number to the next: the alignment of uniforms.
const STEP: usize = 256;

/// The attachments, and a uniform per draw that holds its number.
pub struct PickTarget {
    pub texture: wgpu::Texture,
    pub color: wgpu::TextureView,
    pub depth: wgpu::TextureView,
    /// Layout of group 3, the draw's number.
    pub layout: wgpu::BindGroupLayout,
    /// Group 3, and how many draws it has numbers for.
    numbers: Option<(wgpu::BindGroup, usize)>,
}

impl PickTarget {
    /// Allocates the attachments.
    pub fn new(gpu: &Gpu) -> Self {
        let texture = gpu.texture("pick", [SIDE, SIDE], FORMAT, wgpu::TextureUsages::COPY_SRC);
        let depth = Attachment {
            label: "depth of a pick",
            size: [SIDE, SIDE],
            format: DEPTH_FORMAT,
            samples: 1,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        };
        let number = uniform::<[u8; TEXEL]>(0, wgpu::ShaderStages::FRAGMENT, true);
        Self {
            color: texture.create_view(&Default::default()),
            texture,
            depth: attachment(gpu, &depth),
            layout: gpu.bind_layout("number of a draw", &[number]),
            numbers: None,
        }
    }

    /// Makes sure that there are numbers for this many draws.
    pub fn number(&mut self, gpu: &Gpu, draws: usize) {
        if self.numbers.as_ref().is_some_and(|(_, count)| *count >= draws) {
            return;
        }
        let mut contents = vec![0; draws.max(1) * STEP];
        for (number, entry) in (0u32..).zip(contents.chunks_exact_mut(STEP)) {
            entry[..4].copy_from_slice(&number.to_le_bytes());
        }
        let buffer = gpu.uniform_buffer("numbers of draws", contents.len() as u64);
        gpu.queue.write_buffer(&buffer, 0, &contents);
        let number = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &buffer,
            offset: 0,
            size: wgpu::BufferSize::new(TEXEL as u64),
        });
        let group = gpu.bind("number of a draw", &self.layout, &[number]);
        self.numbers = Some((group, draws));
    }

    /// Returns group 3 and its dynamic offset for a draw; `None` before [`PickTarget::number`].
    pub fn number_of(&self, draw: usize) -> Option<(&wgpu::BindGroup, u32)> {
        self.numbers.as_ref().map(|(group, _)| (group, (draw * STEP) as u32))
    }
}
