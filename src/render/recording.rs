//! A frame as it is recorded: the passes go through here, so that each can be timed.

use super::Part;
use super::timing::Timing;

/// What passes are recorded with.
pub struct Recording<'a> {
    pub encoder: &'a mut wgpu::CommandEncoder,
    /// Where passes are timed.
    pub timing: Option<&'a mut Timing>,
    /// Which part of the picture is drawn; none for all of it.
    pub part: Option<Part>,
}

impl Recording<'_> {
    /// Begins a pass, under this name.
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

    /// Begins a pass on attachments that show the recording's part of the picture. Everything is
    /// placed in the whole picture, of which the viewport moves the part onto the attachments.
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
