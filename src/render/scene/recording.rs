//! Begins the render passes of a frame, so that each can be timed, and submits them in pieces.

use crate::render::device::timing::Timing;
use crate::render::{Gpu, Part};

/// A frame that is being recorded.
pub struct Recording<'a> {
    pub gpu: &'a Gpu,
    pub encoder: &'a mut wgpu::CommandEncoder,
    /// `None` unless passes are timed.
    pub timing: Option<&'a mut Timing>,
    /// The part of the picture that is drawn; `None` for all of it.
    pub part: Option<Part>,
    /// Primitives per submission.
    pub piece: u64,
    /// Primitives recorded since the last submission.
    pub primitives: u64,
    /// The last submission of this frame.
    pub submitted: Option<wgpu::SubmissionIndex>,
}

impl Recording<'_> {
    /// Submits what has been recorded, and waits for the submission before it.
    pub fn submit(&mut self) {
        let label = Some("next piece");
        let descriptor = wgpu::CommandEncoderDescriptor { label };
        let next = self.gpu.device.create_command_encoder(&descriptor);
        let recorded = std::mem::replace(self.encoder, next);
        let submitted = self.gpu.queue.submit([recorded.finish()]);
        if let Some(before) = self.submitted.replace(submitted) {
            self.gpu.wait_for(Some(before));
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
        if let Some(Part { corner, whole }) = part {
            let ([x, y], [width, height]) = (corner.map(|c| -(c as f32)), whole.map(|w| w as f32));
            pass.set_viewport(x, y, width, height, 0.0, 1.0);
        }
        pass
    }
}
