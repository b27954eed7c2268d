//! Begins the render passes of a frame, so that each can be timed, and draws them in pieces: on GPUs only what would take
//! long, and always on software adapters.
//!
//! A software adapter prepares primitives (posed corners, gradients of what is interpolated, lists per tile)
//! faster than it shades them, and keeps them in main memory until they are shaded: several times the
//! memory of the model. So a pass is ended and submitted after a number of primitives, and continues
//! where it was.

use std::ops::Range;

use crate::device::timing::Timing;
use crate::{Gpu, Tile};

/// Primitives per submission on software adapters. Two submissions are pending at a time.
pub const PRIMITIVES: u64 = 1 << 17;

/// Cost of a draw call, in primitives: commands, bindings and copies of uniforms.
const CALL: u64 = 48;

/// Records the passes of a frame.
pub struct FrameRecorder<'a> {
    pub gpu: &'a Gpu,
    pub encoder: &'a mut wgpu::CommandEncoder,
    /// `None` unless passes are timed.
    pub timing: Option<&'a mut Timing>,
    /// The part of the picture that is drawn; `None` for all of it.
    pub part: Option<Tile>,
    /// Primitives per submission.
    pub piece: u64,
    /// Primitives recorded since the last submission.
    pub primitives: u64,
    /// The last submission of this frame.
    pub submitted: Option<wgpu::SubmissionIndex>,
}

impl FrameRecorder<'_> {
    /// Submits what has been recorded, and waits for the submission before it.
    pub fn submit(&mut self) {
        let label = Some("next piece");
        let descriptor = wgpu::CommandEncoderDescriptor { label };
        let next = self.gpu.device.create_command_encoder(&descriptor);
        let recorded = std::mem::replace(self.encoder, next);
        let submitted = self.gpu.queue.submit([recorded.finish()]);
        if let Some(before) = self.submitted.replace(submitted) {
            self.gpu.free_staging(Some(before));
        }
        self.primitives = 0;
    }

    /// Begins a pass. Its name is the label and identifies it in the timings.
    pub fn pass(
        &mut self,
        name: &'static str,
        descriptor: wgpu::RenderPassDescriptor<'_>,
    ) -> wgpu::RenderPass<'_> {
        let timestamp_writes = self.timing.as_mut().and_then(|timing| timing.stamps(name));
        self.encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(name),
            timestamp_writes,
            ..descriptor
        })
    }

    /// Begins a pass whose attachments hold the recording's part of the picture. Shaders use coordinates of
    /// the whole picture; the viewport moves the part onto the attachments.
    pub fn picture_pass(
        &mut self,
        name: &'static str,
        descriptor: wgpu::RenderPassDescriptor<'_>,
    ) -> wgpu::RenderPass<'_> {
        let part = self.part;
        let mut pass = self.pass(name, descriptor);
        if let Some(Tile { corner, whole }) = part {
            let ([x, y], [width, height]) = (corner.map(|c| -(c as f32)), whole.map(|w| w as f32));
            pass.set_viewport(x, y, width, height, 0.0, 1.0);
        }
        pass
    }

    /// Begins a pass that draws a depth map only, 1 where nothing is.
    pub fn depth_pass(
        &mut self,
        name: &'static str,
        map: &wgpu::TextureView,
        start: Start,
    ) -> wgpu::RenderPass<'static> {
        let load = match start {
            Start::New => wgpu::LoadOp::Clear(1.0),
            Start::Continued => wgpu::LoadOp::Load,
        };
        let descriptor = wgpu::RenderPassDescriptor {
            depth_stencil_attachment: depth(map, load),
            ..Default::default()
        };
        self.pass(name, descriptor).forget_lifetime()
    }
}

/// Returns the attachment of a colour texture whose contents are kept.
pub fn color(
    view: &wgpu::TextureView,
    load: wgpu::LoadOp<wgpu::Color>,
) -> Option<wgpu::RenderPassColorAttachment<'_>> {
    let ops = wgpu::Operations { load, store: wgpu::StoreOp::Store };
    Some(wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops })
}

/// Returns the attachment of a depth texture whose contents are kept.
pub fn depth(
    view: &wgpu::TextureView,
    load: wgpu::LoadOp<f32>,
) -> Option<wgpu::RenderPassDepthStencilAttachment<'_>> {
    let depth_ops = Some(wgpu::Operations { load, store: wgpu::StoreOp::Store });
    Some(wgpu::RenderPassDepthStencilAttachment { view, depth_ops, stencil_ops: None })
}

/// Whether a render pass starts or continues a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Clears the attachments, unless the pass builds on an earlier one.
    New,
    /// Keeps what the former piece has drawn.
    Continued,
}

impl Start {
    /// Returns what happens to the colour and the depth that are there: cleared to nothing and to infinitely far, or
    /// kept.
    pub fn loads(self) -> (wgpu::LoadOp<wgpu::Color>, wgpu::LoadOp<f32>) {
        match self {
            Self::New => (wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT), wgpu::LoadOp::Clear(0.0)),
            Self::Continued => (wgpu::LoadOp::Load, wgpu::LoadOp::Load),
        }
    }
}

/// A render pass that may be drawn in pieces. It binds what a [`wgpu::RenderPass`] binds, and binds it again
/// for each piece.
pub struct SplitPass<'a, 'r, 'e> {
    record: &'r mut FrameRecorder<'e>,
    begin: &'a dyn Fn(&mut FrameRecorder<'_>, Start) -> wgpu::RenderPass<'static>,
    /// `None` only between two pieces.
    pass: Option<wgpu::RenderPass<'static>>,
    bound: Bound<'a>,
}

/// The vertices and instances of a draw call. The vertices of each instance form primitives of `corners`.
#[derive(Clone, Debug)]
pub struct DrawCall {
    pub vertices: Range<u32>,
    pub corners: u32,
    pub instances: Range<u32>,
    /// Whether the vertices are indices into the bound index buffer.
    pub indexed: bool,
}

/// Everything that is bound.
#[derive(Default)]
struct Bound<'a> {
    pipeline: Option<&'a wgpu::RenderPipeline>,
    groups: [Option<Group<'a>>; 4],
    vertices: [Option<wgpu::BufferSlice<'a>>; 2],
    indices: Option<wgpu::BufferSlice<'a>>,
}

/// A bind group and the first `count` of its dynamic offsets.
#[derive(Clone, Copy)]
struct Group<'a> {
    group: &'a wgpu::BindGroup,
    offsets: [u32; 2],
    count: usize,
}

impl<'a, 'r, 'e> SplitPass<'a, 'r, 'e> {
    /// Begins a pass. `begin` is called once per piece.
    pub fn new(
        record: &'r mut FrameRecorder<'e>,
        begin: &'a dyn Fn(&mut FrameRecorder<'_>, Start) -> wgpu::RenderPass<'static>,
    ) -> Self {
        let pass = Some(begin(record, Start::New));
        Self { record, begin, pass, bound: Bound::default() }
    }

    /// Sets the pipeline.
    pub fn set_pipeline(&mut self, pipeline: &'a wgpu::RenderPipeline) {
        self.bound.pipeline = Some(pipeline);
        if let Some(pass) = &mut self.pass {
            pass.set_pipeline(pipeline);
        }
    }

    /// Binds a group (0 to 3) with at most two dynamic offsets.
    pub fn set_bind_group(&mut self, index: usize, group: &'a wgpu::BindGroup, dynamic: &[u32]) {
        let mut offsets = [0; 2];
        offsets[..dynamic.len()].copy_from_slice(dynamic);
        let group = Group { group, offsets, count: dynamic.len() };
        self.bound.groups[index] = Some(group);
        if let Some(pass) = &mut self.pass {
            group.set(index, pass);
        }
    }

    /// Binds both vertex buffers.
    pub fn set_vertex_buffers(&mut self, buffers: [wgpu::BufferSlice<'a>; 2]) {
        self.bound.vertices = buffers.map(Some);
        if let Some(pass) = &mut self.pass {
            for (slot, buffer) in (0..).zip(buffers) {
                pass.set_vertex_buffer(slot, buffer);
            }
        }
    }

    /// Binds a buffer of 32-bit indices.
    pub fn set_index_buffer(&mut self, indices: wgpu::BufferSlice<'a>) {
        self.bound.indices = Some(indices);
        if let Some(pass) = &mut self.pass {
            pass.set_index_buffer(indices, wgpu::IndexFormat::Uint32);
        }
    }

    /// Draws with what is bound, in the order of instances and vertices. A call with more primitives than a
    /// piece is split.
    pub fn draw(&mut self, call: DrawCall) {
        let DrawCall { vertices, corners, instances, indexed } = call;
        let primitives = |vertices: &Range<u32>, instances: &Range<u32>| {
            (vertices.len() / corners as usize) as u64 * instances.len() as u64
        };
        // A part of the vertices of one instance, or several whole instances.
        // At least half of a small piece is primitives.
        let call = CALL.min(self.record.piece / 2);
        let most = self.record.piece.saturating_sub(call).max(1);
        let step = most.saturating_mul(corners.into()).min(vertices.len() as u64).max(1);
        let together = (most / primitives(&vertices, &(0..1)).max(1)).clamp(1, 1 << 31);
        for first in instances.clone().step_by(together as usize) {
            let some = first..first.saturating_add(together as u32).min(instances.end);
            for start in vertices.clone().step_by(step as usize) {
                let run = start..start.saturating_add(step as u32).min(vertices.end);
                self.make_room(call + primitives(&run, &some));
                match &mut self.pass {
                    Some(pass) if indexed => pass.draw_indexed(run, 0, some.clone()),
                    Some(pass) => pass.draw(run, some.clone()),
                    None => {}
                }
            }
        }
    }

    /// Starts another piece if these primitives do not fit in this one.
    fn make_room(&mut self, primitives: u64) {
        let recorded = self.record.primitives.saturating_add(primitives);
        if recorded > self.record.piece && self.record.primitives > 0 {
            // Ends the pass, so that its commands can be submitted.
            self.pass = None;
            self.record.submit();
            let mut pass = (self.begin)(self.record, Start::Continued);
            self.bound.set(&mut pass);
            self.pass = Some(pass);
        }
        self.record.primitives += primitives;
    }
}

impl Bound<'_> {
    fn set(&self, pass: &mut wgpu::RenderPass<'_>) {
        if let Some(pipeline) = self.pipeline {
            pass.set_pipeline(pipeline);
        }
        for (index, group) in self.groups.iter().enumerate() {
            if let Some(group) = group {
                group.set(index, pass);
            }
        }
        for (slot, buffer) in (0..).zip(self.vertices) {
            if let Some(buffer) = buffer {
                pass.set_vertex_buffer(slot, buffer);
            }
        }
        if let Some(indices) = self.indices {
            pass.set_index_buffer(indices, wgpu::IndexFormat::Uint32);
        }
    }
}

impl Group<'_> {
    fn set(&self, index: usize, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_bind_group(index as u32, self.group, &self.offsets[..self.count]);
    }
}
