//! Reads textures back: a copy is submitted now, and answered when the GPU is done.

use std::sync::mpsc::{Receiver, TryRecvError, channel};

use crate::{Gpu, GpuError};

/// A value made of texels that the GPU may still be working on.
///
/// [`ReadBack::poll`] never waits, so it also serves where nothing can wait: in a browser.
pub struct ReadBack<T = Vec<u8>> {
    copies: Vec<TexelCopy>,
    /// Makes the value of the texels of all copies; `None` once it was answered.
    finish: Option<Box<Finish<T>>>,
}

type Finish<T> = dyn FnOnce(Vec<Vec<u8>>) -> T;

/// The copy of a texture's first mip level.
struct TexelCopy {
    buffer: wgpu::Buffer,
    /// Bytes per row without padding.
    row: usize,
    /// Bytes per row in the buffer.
    padded: usize,
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
    is_mapped: bool,
}

impl ReadBack {
    /// Reads back the texels of a texture's first mip level: rows from the top without padding.
    pub fn new(gpu: &Gpu, texture: &wgpu::Texture) -> Self {
        let label = Some("read back");
        let encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
        Self::after(gpu, encoder, texture)
    }

    /// Submits commands, then reads back as [`ReadBack::new`].
    pub(crate) fn after(gpu: &Gpu, encoder: wgpu::CommandEncoder, texture: &wgpu::Texture) -> Self {
        let copies = vec![TexelCopy::submit(gpu, encoder, texture)];
        Self { copies, finish: Some(Box::new(|texels| texels.concat())) }
    }
}

impl<T: 'static> ReadBack<T> {
    /// Joins several values into one, which is answered when all of them are.
    pub fn all(parts: Vec<Self>) -> ReadBack<Vec<T>> {
        let (mut copies, mut finishes) = (Vec::new(), Vec::new());
        for part in parts {
            finishes.extend(part.finish.map(|finish| (part.copies.len(), finish)));
            copies.extend(part.copies);
        }
        let finish = move |texels: Vec<Vec<u8>>| {
            let mut texels = texels.into_iter();
            let part = |(count, finish): (usize, Box<Finish<T>>)| {
                finish(texels.by_ref().take(count).collect())
            };
            finishes.into_iter().map(part).collect()
        };
        ReadBack { copies, finish: Some(Box::new(finish)) }
    }

    /// Makes another value of the value when it is answered.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U + 'static) -> ReadBack<U> {
        let finish = self
            .finish
            .map(|finish| -> Box<Finish<U>> { Box::new(move |texels| convert(finish(texels))) });
        ReadBack { copies: self.copies, finish }
    }
}

impl<T> ReadBack<T> {
    /// Returns the value once it is there; `None` while the GPU is still working, and after the answer. Never waits.
    ///
    /// # Errors
    /// If the device failed.
    pub fn poll(&mut self, gpu: &Gpu) -> Option<Result<T, GpuError>> {
        if let Err(error) = gpu.device.poll(wgpu::PollType::Poll) {
            return Some(Err(failed(&error)));
        }
        for copy in self.copies.iter_mut().filter(|copy| !copy.is_mapped) {
            match copy.mapped.try_recv() {
                Err(TryRecvError::Empty) => return None,
                Err(error) => return Some(Err(failed(&error))),
                Ok(Err(error)) => return Some(Err(failed(&error))),
                Ok(Ok(())) => copy.is_mapped = true,
            }
        }
        self.answer()
    }

    /// Waits for the value.
    ///
    /// # Errors
    /// If the device fails, or has reported an error before.
    #[cfg(not(target_family = "wasm"))]
    pub fn wait(mut self, gpu: &Gpu) -> Result<T, GpuError> {
        /// The time after the GPU is done within which a buffer must be mapped.
        const LATE: std::time::Duration = std::time::Duration::from_secs(5);
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| failed(&e))?;
        gpu.check()?;
        for copy in &self.copies {
            // A driver that is short of memory can end the wait without mapping the buffer, and another thread that
            // polls the device can be about to report it.
            copy.mapped.recv_timeout(LATE).map_err(|e| failed(&e))?.map_err(|e| failed(&e))?;
        }
        self.answer().unwrap_or_else(|| Err(GpuError::Device("it was read back before".into())))
    }

    /// Returns the value of copies that are all mapped.
    fn answer(&mut self) -> Option<Result<T, GpuError>> {
        let finish = self.finish.take()?;
        let texels: Result<Vec<_>, _> = self.copies.drain(..).map(TexelCopy::texels).collect();
        Some(texels.map(finish))
    }
}

impl TexelCopy {
    /// Records the copy after other commands, submits them, and begins to map it.
    fn submit(gpu: &Gpu, mut encoder: wgpu::CommandEncoder, texture: &wgpu::Texture) -> Self {
        let wgpu::Extent3d { width, height, .. } = texture.size();
        let row = width * texture.format().block_copy_size(None).unwrap_or(4);
        // Copies require rows that are aligned to 256 bytes.
        let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let buffer = gpu.buffer("read back", u64::from(padded) * u64::from(height), usage);
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
            texture.size(),
        );
        gpu.queue.submit([encoder.finish()]);
        let (send, mapped) = channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            // Sending fails if the copy was dropped because its answer is no longer wanted.
            let _ = send.send(result);
        });
        Self { buffer, row: row as usize, padded: padded as usize, mapped, is_mapped: false }
    }

    fn texels(self) -> Result<Vec<u8>, GpuError> {
        let mapped = self.buffer.get_mapped_range(..).map_err(|e| failed(&e))?;
        let mut texels = Vec::with_capacity(mapped.len() / self.padded.max(1) * self.row);
        for line in mapped.chunks_exact(self.padded) {
            texels.extend_from_slice(&line[..self.row]);
        }
        Ok(texels)
    }
}

fn failed(error: &dyn std::fmt::Display) -> GpuError {
    GpuError::Device(error.to_string())
}

/// Returns the texels of a texture's first mip level, rows from the top without padding. Waits for the GPU.
///
/// # Errors
/// If the device fails, or has reported an error before.
#[cfg(not(target_family = "wasm"))]
pub fn read_texture(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Vec<u8>, GpuError> {
    ReadBack::new(gpu, texture).wait(gpu)
}
