//! Reads textures back.

use std::time::Duration;

use crate::{Gpu, GpuError};

/// The time after the GPU is done within which the buffer must be mapped.
const LATE: Duration = Duration::from_secs(5);

/// Returns the texels of a texture's first mip level, rows from the top without padding. Waits for the GPU.
///
/// # Errors
/// If the device fails, or has reported an error before.
pub fn read_texture(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Vec<u8>, GpuError> {
    ReadBack::new(gpu, texture).read(gpu, texture)
}

/// A buffer that textures of one size and format are read back through.
pub struct ReadBack {
    buffer: wgpu::Buffer,
    /// Bytes per row without padding.
    row: u32,
    /// Bytes per row in the buffer.
    padded: u32,
    height: u32,
}

impl ReadBack {
    /// Creates the buffer for textures of the size and format of this one.
    pub fn new(gpu: &Gpu, texture: &wgpu::Texture) -> Self {
        let wgpu::Extent3d { width, height, .. } = texture.size();
        let row = width * texture.format().block_copy_size(None).unwrap_or(4);
        // Copies require rows that are aligned to 256 bytes.
        let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let size = u64::from(padded) * u64::from(height);
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let buffer = gpu.buffer("read back", size, usage);
        Self { buffer, row, padded, height }
    }

    /// Returns the texels of a texture's first mip level, rows from the top without padding. Waits for the
    /// GPU. The texture must have the size and format that the buffer was created for.
    ///
    /// # Errors
    /// If the device fails, or has reported an error before.
    pub fn read(&self, gpu: &Gpu, texture: &wgpu::Texture) -> Result<Vec<u8>, GpuError> {
        let label = Some("read back");
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &self.buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(self.padded),
                    rows_per_image: None,
                },
            },
            texture.size(),
        );
        gpu.queue.submit([encoder.finish()]);
        let failed = |e: &dyn std::fmt::Display| GpuError::Device(e.to_string());
        let (send, receive) = std::sync::mpsc::channel();
        self.buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver is alive as long as this can be called, so sending cannot fail.
            let _ = send.send(result);
        });
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| failed(&e))?;
        gpu.check()?;
        // A driver that is short of memory can end the wait without mapping the buffer, and another thread that polls
        // the device can be about to report it.
        receive.recv_timeout(LATE).map_err(|e| failed(&e))?.map_err(|e| failed(&e))?;
        let mapped = self.buffer.get_mapped_range(..).map_err(|e| failed(&e))?;
        let mut bytes = Vec::with_capacity(self.row as usize * self.height as usize);
        for line in mapped.chunks_exact(self.padded as usize) {
            bytes.extend_from_slice(&line[..self.row as usize]);
        }
        drop(mapped);
        self.buffer.unmap();
        Ok(bytes)
    }
}
