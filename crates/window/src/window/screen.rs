//! The window's surface: a swap chain in the format that the picture needs.

use std::sync::Arc;

use winit::window::Window;

use rigview_render::{Gpu, GpuError, joined_lines};

/// A surface and its configuration.
pub(super) struct Screen {
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    /// The format of the views that are drawn on.
    pub view_format: wgpu::TextureFormat,
    /// Whether the swap chain's textures can be read back.
    pub readable: bool,
}

/// The result of asking for a texture to draw on.
pub(super) enum Acquired {
    /// A texture of the swap chain.
    Texture(wgpu::SurfaceTexture),
    /// No texture now; try again.
    Retry,
    /// No texture until the window is visible again.
    Hidden,
}

impl Screen {
    /// Creates the window's surface, with which an adapter is then chosen.
    pub fn surface(
        instance: &wgpu::Instance,
        window: Arc<Window>,
    ) -> Result<wgpu::Surface<'static>, GpuError> {
        instance.create_surface(window).map_err(|e| GpuError::Device(joined_lines(&e.to_string())))
    }

    /// Configures the surface. A format without sRGB encoding is preferred, because the picture encodes sRGB itself and
    /// the panels blend in encoded colours. If the swap chain only has sRGB formats, it is drawn through a view without
    /// the encoding; if there are no such views, `view_format` is sRGB and the shaders leave the encoding out.
    pub fn new(
        gpu: &Gpu,
        surface: wgpu::Surface<'static>,
        size: [u32; 2],
        read_back: bool,
    ) -> Result<Self, GpuError> {
        let [width, height] = size.map(|n| n.max(1));
        let caps = surface.get_capabilities(&gpu.adapter);
        let mut config = surface
            .get_default_config(&gpu.adapter, width, height)
            .ok_or_else(|| GpuError::Device("the adapter can't draw on this window".into()))?;
        let plain = |f: &&wgpu::TextureFormat| {
            matches!(f, wgpu::TextureFormat::Bgra8Unorm | wgpu::TextureFormat::Rgba8Unorm)
        };
        if let Some(format) = caps.formats.iter().find(plain) {
            config.format = *format;
        }
        let mut view_format = config.format;
        let flags = gpu.adapter.get_downlevel_capabilities().flags;
        if config.format.is_srgb() && flags.contains(wgpu::DownlevelFlags::SURFACE_VIEW_FORMATS) {
            view_format = config.format.remove_srgb_suffix();
            config.view_formats = vec![view_format];
        }
        config.present_mode = wgpu::PresentMode::AutoVsync;
        let readable = read_back && caps.usages.contains(wgpu::TextureUsages::COPY_SRC);
        if readable {
            config.usage |= wgpu::TextureUsages::COPY_SRC;
        }
        let screen = Self { surface, config, view_format, readable };
        screen.configure(gpu);
        Ok(screen)
    }

    fn configure(&self, gpu: &Gpu) {
        self.surface.configure(&gpu.device, &self.config);
    }

    /// The size of the swap chain in pixels.
    pub fn size(&self) -> [u32; 2] {
        [self.config.width, self.config.height]
    }

    /// Adapts the swap chain to the window's size. A window without pixels keeps the former size.
    pub fn resize(&mut self, gpu: &Gpu, [width, height]: [u32; 2]) {
        let limit = gpu.device.limits().max_texture_dimension_2d;
        let size = [width.min(limit), height.min(limit)];
        if width > 0 && height > 0 && self.size() != size {
            [self.config.width, self.config.height] = size;
            self.configure(gpu);
        }
    }

    /// Acquires the next texture to draw on.
    pub fn acquire(&self, gpu: &Gpu) -> Result<Acquired, GpuError> {
        use wgpu::CurrentSurfaceTexture as Current;
        Ok(match self.surface.get_current_texture() {
            Current::Success(texture) => Acquired::Texture(texture),
            Current::Suboptimal(texture) => {
                // It can still be presented. The resize event that follows reconfigures the surface.
                Acquired::Texture(texture)
            }
            Current::Outdated | Current::Lost => {
                self.configure(gpu);
                Acquired::Retry
            }
            Current::Timeout => Acquired::Retry,
            Current::Occluded => Acquired::Hidden,
            Current::Validation => {
                gpu.check()?;
                return Err(GpuError::Device("the window's surface is not usable".into()));
            }
        })
    }

    /// Returns a view of a texture of the swap chain, or of a stand-in.
    pub fn view(&self, texture: &wgpu::Texture) -> wgpu::TextureView {
        texture.create_view(&wgpu::TextureViewDescriptor {
            format: Some(self.view_format),
            ..Default::default()
        })
    }

    /// Creates a texture like the swap chain's that can be read back.
    pub fn stand_in(&self, gpu: &Gpu) -> wgpu::Texture {
        gpu.texture(
            "picture of the window",
            self.size(),
            self.view_format,
            wgpu::TextureUsages::COPY_SRC,
        )
    }
}
