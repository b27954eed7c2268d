//! Which passes an adapter can draw, by the formats that it can draw on.

use crate::scene::canvas::scene_format;
use crate::{Gpu, GpuError};
use rigview_look::Pass;

impl Gpu {
    /// Checks whether the adapter can draw a pass. Some GL adapters cannot draw on the format of the depth
    /// pass.
    ///
    /// # Errors
    /// If it cannot.
    pub fn require(&self, pass: Pass) -> Result<(), GpuError> {
        if self.draws(pass) {
            return Ok(());
        }
        Err(GpuError::UnsupportedPass { backend: self.backend_name(), pass: pass.name() })
    }

    /// Whether the adapter can draw a pass.
    pub fn draws(&self, pass: Pass) -> bool {
        self.draws_on(scene_format(pass))
    }

    /// Whether the adapter can draw on a format.
    pub(crate) fn draws_on(&self, format: wgpu::TextureFormat) -> bool {
        let features = self.adapter.get_texture_format_features(format);
        features.allowed_usages.contains(wgpu::TextureUsages::RENDER_ATTACHMENT)
    }
}
