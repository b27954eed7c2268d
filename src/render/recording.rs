//! A frame as it is recorded: the passes go through here, so that each can be timed.

use super::timing::Timing;

/// What passes are recorded with.
pub struct Recording<'a> {
    pub encoder: &'a mut wgpu::CommandEncoder,
    /// Where passes are timed.
    pub timing: Option<&'a mut Timing>,
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
}
