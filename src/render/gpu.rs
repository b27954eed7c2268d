//! The adapter and its device.

/// Which adapter to use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdapterChoice {
    /// A part of the adapter's name, or `software`.
    pub adapter: Option<String>,
    /// `vulkan`, `gl`, `metal` or `dx12`.
    pub backend: Option<String>,
}

/// Why there is no picture.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GpuError {
    /// No adapter fits.
    #[error("{0}")]
    NoAdapter(String),
    /// The device could not be opened or was lost.
    #[error("{0}")]
    Device(String),
}

/// An open device.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// What it was found by.
    pub instance: wgpu::Instance,
    /// What it runs on.
    pub adapter: wgpu::Adapter,
    /// What makes things.
    pub device: wgpu::Device,
    /// What they are sent through.
    pub queue: wgpu::Queue,
}

impl Gpu {
    /// An instance of the backends of a choice. A window hands in its display, which GL needs.
    pub fn instance(
        choice: &AdapterChoice,
        display: Option<Box<dyn wgpu::wgt::WgpuHasDisplayHandle>>,
    ) -> Result<wgpu::Instance, GpuError> {
        let _ = (choice, display);
        todo!()
    }

    /// Opens the adapter that fits the choice, and the surface where there is one.
    pub async fn open(
        instance: wgpu::Instance,
        choice: &AdapterChoice,
        surface: Option<&wgpu::Surface<'_>>,
    ) -> Result<Self, GpuError> {
        let _ = (instance, choice, surface);
        todo!()
    }
}
