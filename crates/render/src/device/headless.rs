//! Opens devices without a window, and waits for them.

use super::adapter_choice::{AdapterChoice, AvailableAdapters};
use super::gpu::{Gpu, GpuError, choose};

impl Gpu {
    /// Opens a device without a window. GL is tried only if no other backend matches, because loading its
    /// drivers as well would double the time.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    pub fn headless(choice: &AdapterChoice) -> Result<Self, GpuError> {
        if choice.backend.is_none() {
            let first = Self::instance_of(wgpu::Backends::PRIMARY, None);
            if let Ok(gpu) = pollster::block_on(Self::open(first, choice, None)) {
                return Ok(gpu);
            }
        }
        let instance = Self::instance(choice, None)?;
        pollster::block_on(Self::open(instance, choice, None))
    }

    /// Opens a device without a window, with limits lowered by `limits`, to emulate a lesser adapter.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    pub fn headless_within(
        choice: &AdapterChoice,
        limits: impl FnOnce(wgpu::Limits) -> wgpu::Limits,
    ) -> Result<Self, GpuError> {
        let instance = Self::instance(choice, None)?;
        let adapter = pollster::block_on(choose(&instance, choice, None))?;
        let limits = limits(adapter.limits());
        pollster::block_on(Self::of_adapter(adapter, limits))
    }

    /// Returns the error for a window to which no backend of a choice can present.
    pub fn no_surface(choice: &AdapterChoice) -> GpuError {
        let choice = AdapterChoice { adapter: None, ..choice.clone() };
        match Self::instance(&choice, None) {
            Ok(instance) => {
                let found = pollster::block_on(AvailableAdapters::list(&instance));
                GpuError::NoAdapter(found.none_fits(&choice))
            }
            Err(error) => error,
        }
    }

    /// Waits until all submitted work is done.
    pub fn wait(&self) {
        self.free_staging(None);
    }
}
