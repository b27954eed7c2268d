//! Reads textures back.

use super::{Gpu, GpuError};

/// Returns the texels of a texture's first mip level, rows from the top without padding. Waits for the GPU.
///
/// # Errors
/// If the device fails, or has reported an error before.
pub fn read_texture(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Vec<u8>, GpuError> {
    let size = texture.size();
    let texel = texture.format().block_copy_size(None).unwrap_or(4);
    let row = size.width * texel;
    // Copies require rows that are aligned to 256 bytes.
    let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read back"),
        size: u64::from(padded) * u64::from(size.height),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let label = Some("read back");
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(padded),
                rows_per_image: None,
            },
        },
        size,
    );
    gpu.queue.submit([encoder.finish()]);
    let failed = |e: &dyn std::fmt::Display| GpuError::Device(e.to_string());
    let (send, receive) = std::sync::mpsc::channel();
    buffer.map_async(wgpu::MapMode::Read, .., move |result| {
        // The receiver is alive as long as this can be called, so sending cannot fail.
        let _ = send.send(result);
    });
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| failed(&e))?;
    gpu.check()?;
    receive.recv().map_err(|e| failed(&e))?.map_err(|e| failed(&e))?;
    let mapped = buffer.get_mapped_range(..).map_err(|e| failed(&e))?;
    let mut bytes = Vec::with_capacity((row * size.height) as usize);
    for line in mapped.chunks_exact(padded as usize) {
        bytes.extend_from_slice(&line[..row as usize]);
    }
    Ok(bytes)
}
