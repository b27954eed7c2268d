//! Chooses an adapter and opens its device.

use std::sync::{Arc, Mutex};

use super::adapter_choice::{AdapterChoice, AvailableAdapters, backend_name, describe, fits, rank};
use super::pipeline_cache::PipelineCache;
use rigview_model::BlockFormats;

/// An error of the GPU or the renderer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GpuError {
    /// No adapter matches the choice. The message says what to do.
    #[error("{0}")]
    NoAdapter(String),
    /// The request exceeds a limit. The message names the limit.
    #[error("{0}")]
    TooMuch(String),
    /// There is no model, or the picture has no pixels.
    #[error("nothing to draw: {0}")]
    NothingToDraw(&'static str),
    /// The adapter cannot draw a pass.
    #[error("the {backend} adapter cannot draw the pass {pass}; choose another --backend")]
    UnsupportedPass {
        /// As on the command line.
        backend: &'static str,
        /// As on the command line.
        pass: &'static str,
    },
    /// The adapter cannot write posed vertices to be read back.
    #[error("the {backend} adapter cannot pose vertices to be read back; choose another --backend")]
    UnsupportedPose {
        /// As on the command line.
        backend: &'static str,
    },
    /// The device could not be opened, reported an error or was lost.
    #[error("the GPU failed: {0}")]
    Device(String),
}

/// An open device.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// The adapter that the device belongs to.
    pub adapter: wgpu::Adapter,
    /// Creates resources.
    pub device: wgpu::Device,
    /// Submits work.
    pub queue: wgpu::Queue,
    /// The first error that the device reported.
    fault: Arc<Mutex<Option<String>>>,
    pipelines: Arc<PipelineCache>,
}

/// Features that are enabled if the adapter supports them.
const OPTIONAL: wgpu::Features = wgpu::Features::TIMESTAMP_QUERY
    .union(wgpu::Features::PIPELINE_CACHE)
    .union(wgpu::Features::TEXTURE_COMPRESSION_BC)
    .union(wgpu::Features::TEXTURE_COMPRESSION_ASTC)
    .union(wgpu::Features::TEXTURE_COMPRESSION_ETC2);

impl Gpu {
    /// Creates an instance with the backends of a choice. A window must pass its display, which GL needs.
    ///
    /// # Errors
    /// If the backend's name is unknown.
    pub fn instance(
        choice: &AdapterChoice,
        display: Option<Box<dyn wgpu::wgt::WgpuHasDisplayHandle>>,
    ) -> Result<wgpu::Instance, GpuError> {
        let backends = match choice.backend.as_deref() {
            None => wgpu::Backends::all(),
            Some("vulkan") => wgpu::Backends::VULKAN,
            Some("gl") => wgpu::Backends::GL,
            Some("metal") => wgpu::Backends::METAL,
            Some("dx12") => wgpu::Backends::DX12,
            Some(other) => {
                let known = "use vulkan, gl, metal or dx12";
                return Err(GpuError::NoAdapter(format!("unknown backend `{other}`: {known}")));
            }
        };
        Ok(Self::instance_of(backends, display))
    }

    /// Opens the best adapter that matches the choice and, if given, can present to the surface. Discrete
    /// GPUs are preferred to integrated ones, and these to software adapters.
    ///
    /// # Errors
    /// If no adapter matches (the message lists the adapters), or its device cannot be opened.
    pub async fn open(
        instance: wgpu::Instance,
        choice: &AdapterChoice,
        surface: Option<&wgpu::Surface<'_>>,
    ) -> Result<Self, GpuError> {
        let adapter = choose(&instance, choice, surface).await?;
        let limits = adapter.limits();
        Self::of_adapter(adapter, limits).await
    }

    /// Uses a device of the program that embeds the renderer. The queue must belong to the device, and the
    /// device to the adapter.
    ///
    /// No feature is required. If enabled, these are used: `TIMESTAMP_QUERY` for
    /// [`Renderer::pass_times`](crate::Renderer::pass_times), `PIPELINE_CACHE` for a faster start, and
    /// `TEXTURE_COMPRESSION_BC`, `_ASTC` and `_ETC2` for compressed textures
    /// ([`Gpu::block_formats`] is what the import asks for). The limits must be at least
    /// [`wgpu::Limits::downlevel_defaults`]; with a larger `max_texture_dimension_2d`, larger textures and
    /// pictures are possible, and with more textures per stage, materials use more of theirs.
    ///
    /// Errors of the device go to the program's own error handler, and [`Gpu::check`] does not see them.
    pub fn of_device(adapter: wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Self {
        let fault = Arc::new(Mutex::new(None));
        let pipelines = Arc::new(PipelineCache::open(&adapter.get_info(), &device));
        Self { adapter, device, queue, fault, pipelines }
    }

    pub(super) async fn of_adapter(
        adapter: wgpu::Adapter,
        limits: wgpu::Limits,
    ) -> Result<Self, GpuError> {
        log::info!("adapter: {}", describe(&adapter.get_info()));
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("rigview"),
                required_features: adapter.features() & OPTIONAL,
                required_limits: limits,
                memory_hints: wgpu::MemoryHints::MemoryUsage,
                ..Default::default()
            })
            .await
            .map_err(|e| GpuError::Device(joined_lines(&e.to_string())))?;
        let gpu = Self::of_device(adapter, device, queue);
        let fault = Arc::clone(&gpu.fault);
        gpu.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            remember(&fault, &error);
        }));
        Ok(gpu)
    }

    pub(super) fn instance_of(
        backends: wgpu::Backends,
        display: Option<Box<dyn wgpu::wgt::WgpuHasDisplayHandle>>,
    ) -> wgpu::Instance {
        let mut descriptor = match display {
            Some(display) => wgpu::InstanceDescriptor::new_with_display_handle(display),
            None => wgpu::InstanceDescriptor::new_without_display_handle(),
        };
        descriptor.backends = backends;
        // Without this, debug builds would load the validation layers, which are meant for wgpu itself.
        descriptor.flags = wgpu::InstanceFlags::empty();
        wgpu::Instance::new(descriptor)
    }

    /// Builds a render pipeline, using the cache of what the driver compiled in earlier runs.
    pub(crate) fn render_pipeline(
        &self,
        descriptor: &wgpu::RenderPipelineDescriptor<'_>,
    ) -> wgpu::RenderPipeline {
        self.pipelines.build(&self.device, descriptor)
    }

    /// Number of pipelines built so far. On a cold start, each costs more than a picture.
    pub fn pipelines_built(&self) -> usize {
        self.pipelines.built()
    }

    /// Stores the compiled pipelines for later runs, if the driver provides them.
    pub fn keep_pipelines(&self) {
        self.pipelines.keep();
    }

    /// Checks whether the device has reported an error.
    ///
    /// # Errors
    /// The first error that it reported.
    pub fn check(&self) -> Result<(), GpuError> {
        match self.fault.lock() {
            Ok(fault) => fault.clone().map_or(Ok(()), |text| Err(GpuError::Device(text))),
            Err(_) => Err(GpuError::Device("its error handler panicked".into())),
        }
    }

    /// Submits the pending uploads, and waits for them where that is possible, which frees their staging memory.
    pub fn flush(&self) {
        self.queue.submit([]);
        self.free_staging(None);
    }

    /// Waits until a submission is done, or with `None`, all of them, so that the memory of their uploads is used again. In a
    /// browser nothing can wait, and uploads take new memory.
    pub(crate) fn free_staging(&self, submission_index: Option<wgpu::SubmissionIndex>) {
        if cfg!(target_family = "wasm") {
            return;
        }
        let until = wgpu::PollType::Wait { submission_index, timeout: None };
        if let Err(error) = self.device.poll(until) {
            remember(&self.fault, &error);
        }
    }

    /// Returns the block-compressed formats to upload: those that the adapter supports, but none on
    /// software adapters, which decode a block at every read and take twice as long.
    pub fn block_formats(&self) -> BlockFormats {
        if self.is_software() {
            return BlockFormats::default();
        }
        let features = self.device.features();
        BlockFormats {
            bc7: features.contains(wgpu::Features::TEXTURE_COMPRESSION_BC),
            astc: features.contains(wgpu::Features::TEXTURE_COMPRESSION_ASTC),
            etc2: features.contains(wgpu::Features::TEXTURE_COMPRESSION_ETC2),
        }
    }

    /// Whether both are the same device. wgpu's device ids are unique per instance only, so they cannot be
    /// compared.
    pub fn is_same_device(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.fault, &other.fault)
    }

    /// Whether the adapter's memory is main memory.
    pub fn shares_memory(&self) -> bool {
        let kind = self.adapter.get_info().device_type;
        matches!(kind, wgpu::DeviceType::Cpu | wgpu::DeviceType::IntegratedGpu)
    }

    /// Whether the adapter runs on the CPU, where some refinements are not worth their cost.
    pub fn is_software(&self) -> bool {
        fits(&self.adapter.get_info(), "software")
    }

    /// Returns the adapter's name.
    pub fn adapter_name(&self) -> String {
        self.adapter.get_info().name
    }

    /// Creates a texture to draw on, with one sample per pixel, that is then used for `usage`.
    pub fn texture(
        &self,
        label: &str,
        [width, height]: [u32; 2],
        format: wgpu::TextureFormat,
        usage: wgpu::TextureUsages,
    ) -> wgpu::Texture {
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | usage,
            view_formats: &[],
        })
    }

    /// Whether shaders can read the samples of a multisampled texture. On GL all of them read as zero.
    pub(crate) fn reads_samples(&self) -> bool {
        self.adapter.get_info().backend != wgpu::Backend::Gl
    }

    /// Returns the backend's name as on the command line.
    pub fn backend_name(&self) -> &'static str {
        backend_name(self.adapter.get_info().backend)
    }
}

pub(super) async fn choose(
    instance: &wgpu::Instance,
    choice: &AdapterChoice,
    surface: Option<&wgpu::Surface<'_>>,
) -> Result<wgpu::Adapter, GpuError> {
    let found = AvailableAdapters::list(instance).await;
    let fitting = found.usable.iter().filter(|adapter| {
        surface.is_none_or(|s| adapter.is_surface_supported(s))
            && choice.adapter.as_deref().is_none_or(|wanted| fits(&adapter.get_info(), wanted))
    });
    let best = fitting.min_by_key(|adapter| rank(&adapter.get_info()));
    best.cloned().ok_or_else(|| GpuError::NoAdapter(found.none_fits(choice)))
}

/// Joins the lines of a system's message.
pub fn joined_lines(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Keeps an error of the device for the next [`Gpu::check`], unless there is one already.
fn remember(fault: &Mutex<Option<String>>, error: &dyn std::fmt::Display) {
    let text = joined_lines(&error.to_string());
    log::debug!("{text}");
    if let Ok(mut fault) = fault.lock() {
        fault.get_or_insert(text);
    }
}
