//! Uploads texels through a reused staging buffer, so that a model's images are not held in memory twice. The
//! next piece is written while the previous one is copied.

use std::num::NonZeroU64;

use wgpu::util::StagingBelt;

use crate::Gpu;

/// Bytes after which the pending copies are submitted.
const MANY_BYTES: u64 = 4 << 20;

/// A mip level to upload, rows from the top.
#[derive(Clone, Copy)]
pub struct Level<'a> {
    /// Texels per row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Packed texels, or blocks that may extend past the edges.
    pub texels: &'a [u8],
}

/// Packed rows of texels or blocks.
#[derive(Clone, Copy)]
struct Rows<'a> {
    texels: &'a [u8],
    /// Bytes per row.
    bytes: u32,
    /// Bytes per row in the staging buffer.
    stride: u32,
    /// Texels per row, rounded up to whole blocks.
    width: u32,
}

/// Pending uploads of textures.
pub struct Staging {
    belt: StagingBelt,
    encoder: Option<wgpu::CommandEncoder>,
    /// Bytes that the encoder copies.
    pending: u64,
    /// The last submission.
    submitted: Option<wgpu::SubmissionIndex>,
}

impl Staging {
    /// Allocates no memory yet.
    pub fn new(gpu: &Gpu) -> Self {
        let belt = StagingBelt::new(gpu.device.clone(), MANY_BYTES);
        Self { belt, encoder: None, pending: 0, submitted: None }
    }

    /// Writes all levels of a texture. The copies are complete only after [`Staging::submit`].
    pub fn write(&mut self, gpu: &Gpu, texture: &wgpu::Texture, levels: &[Level<'_>]) {
        let format = texture.format();
        let (across, down) = format.block_dimensions();
        let block = format.block_copy_size(None).unwrap_or(4);
        for (number, level) in levels.iter().enumerate() {
            let bytes = level.width.div_ceil(across) * block;
            let stride = bytes.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
            let width = level.width.next_multiple_of(across);
            if bytes == 0 {
                continue;
            }
            // A large level is written in pieces, so that it is not held in memory twice.
            let rows = (MANY_BYTES / u64::from(stride)).max(1) as usize;
            for (piece, texels) in level.texels.chunks(bytes as usize * rows).enumerate() {
                let y = (piece * rows) as u32 * down;
                let target = wgpu::TexelCopyTextureInfo {
                    texture,
                    mip_level: number as u32,
                    origin: wgpu::Origin3d { x: 0, y, z: 0 },
                    aspect: wgpu::TextureAspect::All,
                };
                self.write_rows(gpu, target, Rows { texels, bytes, stride, width });
                if self.pending >= MANY_BYTES {
                    self.submit(gpu);
                }
            }
        }
    }

    /// Writes rows to the staging buffer and records their copy.
    fn write_rows(&mut self, gpu: &Gpu, target: wgpu::TexelCopyTextureInfo<'_>, rows: Rows<'_>) {
        let Rows { texels, bytes, stride, width } = rows;
        let rows = texels.len() as u32 / bytes;
        let Some(size) = NonZeroU64::new(u64::from(stride) * u64::from(rows)) else { return };
        let slice = self.belt.allocate(size, ALIGNMENT);
        // Mapping fails if the device is lost.
        let Ok(mut staged) = slice.get_mapped_range_mut() else { return };
        if bytes == stride {
            staged.copy_from_slice(texels);
        } else {
            for (row, texels) in texels.chunks_exact(bytes as usize).enumerate() {
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
        // The extent covers whole blocks, even at the edge.
        let (_, down) = target.texture.format().block_dimensions();
        let extent = wgpu::Extent3d { width, height: rows * down, depth_or_array_layers: 1 };
        let label = Some("texture uploads");
        let new = || gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
        let encoder = self.encoder.get_or_insert_with(new);
        encoder.copy_buffer_to_texture(source, target, extent);
        self.pending += size.get();
    }

    /// Submits the pending copies, and waits for those submitted before, whose memory is reused.
    pub fn submit(&mut self, gpu: &Gpu) {
        let Some(encoder) = self.encoder.take() else { return };
        self.belt.finish();
        let submitted = gpu.queue.submit([encoder.finish()]);
        self.belt.recall();
        self.pending = 0;
        if let Some(before) = self.submitted.replace(submitted) {
            gpu.free_staging(Some(before));
        }
    }
}

/// Alignment of the copies' sources.
const ALIGNMENT: NonZeroU64 =
    NonZeroU64::new(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT as u64).expect("it is not 0");
