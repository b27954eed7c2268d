//! The memory that texels go through on their way to textures: it is used again and again, so that a
//! model's pictures are never there twice, and the next is prepared while one is copied.

use std::num::NonZeroU64;

use wgpu::util::StagingBelt;

use super::Gpu;

/// Bytes that wait to be copied until they are handed over.
const MANY_BYTES: u64 = 4 << 20;

/// A mip level, rows from the top.
#[derive(Clone, Copy)]
pub struct Level<'a> {
    /// Texels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Packed, or in blocks that may reach over the edges.
    pub texels: &'a [u8],
}

/// Texels on their way.
pub struct Staging {
    belt: StagingBelt,
    encoder: Option<wgpu::CommandEncoder>,
    /// Bytes that the encoder copies.
    waiting: u64,
    /// What was handed over last.
    handed: Option<wgpu::SubmissionIndex>,
}

impl Staging {
    /// Takes no memory yet.
    pub fn new(gpu: &Gpu) -> Self {
        let belt = StagingBelt::new(gpu.device.clone(), MANY_BYTES);
        Self { belt, encoder: None, waiting: 0, handed: None }
    }

    /// Writes all levels of a texture. They are there when [`Staging::hand_over`] has been called.
    pub fn write(&mut self, gpu: &Gpu, texture: &wgpu::Texture, levels: &[Level<'_>]) {
        let format = texture.format();
        let (across, down) = format.block_dimensions();
        let block = format.block_copy_size(None).unwrap_or(4);
        for (number, level) in levels.iter().enumerate() {
            let row = level.width.div_ceil(across) * block;
            let stride = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
            if row == 0 {
                continue;
            }
            // A large level goes in pieces, so that it is not there as a whole once more.
            let rows = (MANY_BYTES / u64::from(stride)).max(1) as usize;
            for (piece, texels) in level.texels.chunks(row as usize * rows).enumerate() {
                let y = (piece * rows) as u32 * down;
                let target = wgpu::TexelCopyTextureInfo {
                    texture,
                    mip_level: number as u32,
                    origin: wgpu::Origin3d { x: 0, y, z: 0 },
                    aspect: wgpu::TextureAspect::All,
                };
                self.write_rows(
                    gpu,
                    target,
                    (row, stride),
                    texels,
                    level.width.next_multiple_of(across),
                );
                if self.waiting >= MANY_BYTES {
                    self.hand_over(gpu);
                }
            }
        }
    }

    /// Writes packed rows of texels or blocks, `row` bytes each, `stride` on their way.
    fn write_rows(
        &mut self,
        gpu: &Gpu,
        target: wgpu::TexelCopyTextureInfo<'_>,
        (row, stride): (u32, u32),
        texels: &[u8],
        width: u32,
    ) {
        let rows = texels.len() as u32 / row;
        let Some(size) = NonZeroU64::new(u64::from(stride) * u64::from(rows)) else { return };
        let slice = self.belt.allocate(size, ALIGNMENT);
        // Of a lost device there is none.
        let Ok(mut staged) = slice.get_mapped_range_mut() else { return };
        if row == stride {
            staged.copy_from_slice(texels);
        } else {
            for (row, texels) in texels.chunks_exact(row as usize).enumerate() {
                let at = row * stride as usize;
                staged.slice(at..at + texels.len()).copy_from_slice(texels);
            }
        }
        drop(staged);
        let source = wgpu::TexelCopyBufferInfo {
            buffer: slice.buffer(),
            layout: wgpu::TexelCopyBufferLayout {
                offset: slice.offset(),
                bytes_per_row: Some(stride),
                rows_per_image: None,
            },
        };
        // The last blocks are written whole.
        let (_, down) = target.texture.format().block_dimensions();
        let extent = wgpu::Extent3d { width, height: rows * down, depth_or_array_layers: 1 };
        let new = || gpu.device.create_command_encoder(&Default::default());
        let encoder = self.encoder.get_or_insert_with(new);
        encoder.copy_buffer_to_texture(source, target, extent);
        self.waiting += size.get();
    }

    /// Hands over what waits. What was handed over before is done then, and its memory free again.
    pub fn hand_over(&mut self, gpu: &Gpu) {
        let Some(encoder) = self.encoder.take() else { return };
        self.belt.finish();
        let handed = gpu.queue.submit([encoder.finish()]);
        self.belt.recall();
        self.waiting = 0;
        if let Some(before) = self.handed.replace(handed) {
            gpu.wait_for(Some(before));
        }
    }
}

/// Of every place that texels are copied from.
const ALIGNMENT: NonZeroU64 =
    NonZeroU64::new(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT as u64).expect("it is not 0");
