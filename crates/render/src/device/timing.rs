//! Measures the GPU time of each pass by two timestamps, which are read back without waiting for the GPU.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::Gpu;

/// Maximum number of timed passes per frame; more than a frame has.
const MOST_PASSES: u32 = 32;
const BYTES: u64 = 2 * MOST_PASSES as u64 * wgpu::QUERY_SIZE as u64;

/// Maximum number of frames whose timestamps are pending.
const SLOTS: usize = 3;

/// A pass's name, and its time in milliseconds.
pub type PassTime = (&'static str, f64);

/// The timestamps of frames.
pub struct Timing {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Milliseconds per tick.
    tick_ms: f64,
    /// Passes of the frame that is being recorded.
    passes: Vec<&'static str>,
    slots: [Slot; SLOTS],
    /// Times of the latest frame that was read back.
    latest: Vec<PassTime>,
}

/// The pending timestamps of one frame.
struct Slot {
    buffer: wgpu::Buffer,
    passes: Vec<&'static str>,
    state: Arc<AtomicU8>,
}

const FREE: u8 = 0;
/// A recorded frame copies to it; that frame is submitted before the next one is recorded.
const RECORDED: u8 = 1;
const AWAITED: u8 = 2;
const MAPPED: u8 = 3;

impl Timing {
    /// Creates the queries and buffers; `None` if the adapter has no timestamps.
    pub fn new(gpu: &Gpu) -> Option<Self> {
        if !gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return None;
        }
        let buffer = |usage| gpu.buffer("timestamps", BYTES, usage | wgpu::BufferUsages::COPY_DST);
        let slot = || Slot {
            buffer: buffer(wgpu::BufferUsages::MAP_READ),
            passes: Vec::with_capacity(MOST_PASSES as usize),
            state: Arc::new(AtomicU8::new(FREE)),
        };
        Some(Self {
            queries: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * MOST_PASSES,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            tick_ms: f64::from(gpu.queue.get_timestamp_period()) * 1e-6,
            passes: Vec::with_capacity(MOST_PASSES as usize),
            slots: std::array::from_fn(|_| slot()),
            latest: Vec::with_capacity(MOST_PASSES as usize),
        })
    }

    /// Returns the queries for the start and end of a pass; `None` if the frame has too many passes.
    pub fn stamps(&mut self, name: &'static str) -> Option<wgpu::RenderPassTimestampWrites<'_>> {
        let i = self.passes.len() as u32;
        (i < MOST_PASSES).then(|| {
            self.passes.push(name);
            wgpu::RenderPassTimestampWrites {
                query_set: &self.queries,
                beginning_of_pass_write_index: Some(2 * i),
                end_of_pass_write_index: Some(2 * i + 1),
            }
        })
    }

    /// Ends a frame: copies its timestamps to a free slot, or drops them if there is none.
    pub fn end(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let count = 2 * self.passes.len() as u32;
        let free = |slot: &&mut Slot| slot.state.load(Ordering::Acquire) == FREE;
        if let Some(slot) = self.slots.iter_mut().find(free).filter(|_| count > 0) {
            let bytes = u64::from(count) * u64::from(wgpu::QUERY_SIZE);
            encoder.resolve_query_set(&self.queries, 0..count, &self.resolved, 0);
            encoder.copy_buffer_to_buffer(&self.resolved, 0, &slot.buffer, 0, bytes);
            slot.passes.clear();
            slot.passes.append(&mut self.passes);
            slot.state.store(RECORDED, Ordering::Release);
        }
        self.passes.clear();
    }

    /// Reads the timestamps of finished frames without waiting for others. Returns the times of the latest
    /// one in the order of its passes, each name once.
    pub fn read(&mut self, gpu: &Gpu) -> &[PassTime] {
        for slot in &self.slots {
            if slot.state.load(Ordering::Acquire) == RECORDED {
                slot.state.store(AWAITED, Ordering::Release);
                let state = Arc::clone(&slot.state);
                slot.buffer.map_async(wgpu::MapMode::Read, .., move |result| {
                    state.store(if result.is_ok() { MAPPED } else { FREE }, Ordering::Release);
                });
            }
        }
        if let Err(error) = gpu.device.poll(wgpu::PollType::Poll) {
            log::debug!("timestamps: {error}");
        }
        for slot in &self.slots {
            if slot.state.load(Ordering::Acquire) == MAPPED {
                if let Ok(mapped) = slot.buffer.get_mapped_range(..) {
                    put_times(&mut self.latest, &slot.passes, &mapped, self.tick_ms);
                }
                slot.buffer.unmap();
                slot.state.store(FREE, Ordering::Release);
            }
        }
        &self.latest
    }
}

/// Computes the times from pairs of timestamps. Passes of the same name are added up.
fn put_times(out: &mut Vec<PassTime>, passes: &[&'static str], stamps: &[u8], tick_ms: f64) {
    out.clear();
    let tick = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| stamps[8 * at + i]));
    for (i, name) in passes.iter().enumerate() {
        let ms = tick(2 * i + 1).saturating_sub(tick(2 * i)) as f64 * tick_ms;
        match out.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum += ms,
            None => out.push((name, ms)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_of_one_name_add_up() {
        let stamps: Vec<u8> =
            [10u64, 14, 20, 21, 30, 36].iter().flat_map(|tick| tick.to_le_bytes()).collect();
        let mut times = vec![("old", 1.0)];
        put_times(&mut times, &["scene", "copy", "scene"], &stamps, 0.5);
        assert_eq!(times, [("scene", 5.0), ("copy", 0.5)]);
    }
}
