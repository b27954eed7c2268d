//! The adapter and its device.

use std::sync::{Arc, Mutex};

use super::pipeline::scene_format;
use super::pipeline_cache::PipelineCache;
use crate::look::Pass;
use crate::model::BlockFormats;

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
    /// No adapter fits; says what to do.
    #[error("{0}")]
    NoAdapter(String),
    /// More was asked for than the adapter does; says how much it does.
    #[error("{0}")]
    TooMuch(String),
    /// The device could not be opened, refused its work or was lost.
    #[error("the GPU failed: {0}")]
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
    /// The first thing that the device refused.
    fault: Arc<Mutex<Option<String>>>,
    pipelines: Arc<PipelineCache>,
}

/// What is used of an adapter where it has it.
const OPTIONAL: wgpu::Features = wgpu::Features::TIMESTAMP_QUERY
    .union(wgpu::Features::PIPELINE_CACHE)
    .union(wgpu::Features::TEXTURE_COMPRESSION_BC)
    .union(wgpu::Features::TEXTURE_COMPRESSION_ASTC)
    .union(wgpu::Features::TEXTURE_COMPRESSION_ETC2);

impl Gpu {
    /// An instance of the backends of a choice. A window hands in its display, which GL needs.
    ///
    /// # Errors
    /// When the backend's name is none.
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
                let known = "there are vulkan, gl, metal and dx12";
                return Err(GpuError::NoAdapter(format!("backend `{other}` is unknown: {known}")));
            }
        };
        Ok(Self::instance_of(backends, display))
    }

    /// Opens the adapter that fits the choice, and the surface where there is one: a discrete GPU
    /// before an integrated one before a software one.
    ///
    /// # Errors
    /// When no adapter fits (the message lists those there are), or its device can't be opened.
    pub async fn open(
        instance: wgpu::Instance,
        choice: &AdapterChoice,
        surface: Option<&wgpu::Surface<'_>>,
    ) -> Result<Self, GpuError> {
        let adapter = choose(&instance, choice, surface).await?;
        let limits = adapter.limits();
        Self::of_adapter(instance, adapter, limits).await
    }

    /// The error for a window on which no backend of a choice can draw.
    pub fn no_surface(choice: &AdapterChoice) -> GpuError {
        let instance = Self::instance(choice, None);
        let adapters = instance
            .map(|instance| pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all())));
        let infos: Vec<_> = adapters.iter().flatten().map(wgpu::Adapter::get_info).collect();
        none_fits(&AdapterChoice { adapter: None, ..choice.clone() }, &infos)
    }

    /// A device without a window that takes no more than these limits, as a lesser adapter does.
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
        pollster::block_on(Self::of_adapter(instance, adapter, limits))
    }

    async fn of_adapter(
        instance: wgpu::Instance,
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
            .map_err(|e| GpuError::Device(one_line(&e.to_string())))?;
        let fault = Arc::new(Mutex::new(None));
        let seen = Arc::clone(&fault);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let text = one_line(&error.to_string());
            // Whoever uses the device reports it, by way of `check`.
            log::debug!("{text}");
            if let Ok(mut fault) = seen.lock() {
                fault.get_or_insert(text);
            }
        }));
        let pipelines = Arc::new(PipelineCache::open(&adapter.get_info(), &device));
        Ok(Self { instance, adapter, device, queue, fault, pipelines })
    }

    /// A device without a window. GL is looked at only where nothing else fits: loading its drivers
    /// too would double the time that this takes.
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

    fn instance_of(
        backends: wgpu::Backends,
        display: Option<Box<dyn wgpu::wgt::WgpuHasDisplayHandle>>,
    ) -> wgpu::Instance {
        let mut descriptor = match display {
            Some(display) => wgpu::InstanceDescriptor::new_with_display_handle(display),
            None => wgpu::InstanceDescriptor::new_without_display_handle(),
        };
        descriptor.backends = backends;
        // Validation layers are for wgpu's own developers; they would be loaded in debug builds.
        descriptor.flags = wgpu::InstanceFlags::empty();
        wgpu::Instance::new(descriptor)
    }

    /// Builds a render pipeline, or takes it from those that the driver compiled at another time.
    pub(super) fn render_pipeline(
        &self,
        descriptor: &wgpu::RenderPipelineDescriptor<'_>,
    ) -> wgpu::RenderPipeline {
        self.pipelines.build(&self.device, descriptor)
    }

    /// Pipelines built so far: on a cold start each costs more than a picture does.
    pub fn pipelines_built(&self) -> usize {
        self.pipelines.built()
    }

    /// Keeps what the driver compiled for another time, where it gives it out.
    pub fn keep_pipelines(&self) {
        self.pipelines.keep();
    }

    /// Whether the device refused anything so far.
    ///
    /// # Errors
    /// The first thing that it refused.
    pub fn check(&self) -> Result<(), GpuError> {
        match self.fault.lock() {
            Ok(fault) => fault.clone().map_or(Ok(()), |text| Err(GpuError::Device(text))),
            Err(_) => Err(GpuError::Device("its error handler stopped".into())),
        }
    }

    /// Hands over what was written so far and waits until it is there: the memory that it went
    /// through is free again then, before more is written.
    pub fn flush(&self) {
        self.queue.submit([]);
        self.wait();
    }

    /// Waits until everything that was handed over is done.
    pub fn wait(&self) {
        self.wait_for(None);
    }

    /// Waits until this was done; until everything is, if it is none.
    pub(super) fn wait_for(&self, submission_index: Option<wgpu::SubmissionIndex>) {
        let until = wgpu::PollType::Wait { submission_index, timeout: None };
        if let Err(error) = self.device.poll(until) {
            log::warn!("waiting for the GPU: {}", one_line(&error.to_string()));
        }
    }

    /// Which pictures of blocks are worth giving it: those that it takes, but none for a program,
    /// which unpacks a block at every read, at twice the time of a picture.
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

    /// Whether it is the same device. Numbers of devices begin anew with every instance, so those of
    /// wgpu may be equal where these are not.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.fault, &other.fault)
    }

    /// Whether what lies on the adapter takes the program's own memory.
    pub fn shares_memory(&self) -> bool {
        let kind = self.adapter.get_info().device_type;
        matches!(kind, wgpu::DeviceType::Cpu | wgpu::DeviceType::IntegratedGpu)
    }

    /// Whether the adapter is a program, to which some refinements cost more than they show.
    pub fn is_software(&self) -> bool {
        fits(&self.adapter.get_info(), "software")
    }

    /// The adapter's name.
    pub fn adapter_name(&self) -> String {
        self.adapter.get_info().name
    }

    /// Whether the adapter draws a pass: not every one through GL has the format of a picture of depth.
    pub fn draws(&self, pass: Pass) -> bool {
        let format = self.adapter.get_texture_format_features(scene_format(pass));
        format.allowed_usages.contains(wgpu::TextureUsages::RENDER_ATTACHMENT)
    }

    /// Whether shaders read depths: those of GL only compare them.
    pub(super) fn reads_depths(&self) -> bool {
        self.adapter.get_info().backend != wgpu::Backend::Gl
    }

    /// Whether shaders read single samples of what was drawn: through GL they all come as nothing.
    pub(super) fn reads_samples(&self) -> bool {
        self.adapter.get_info().backend != wgpu::Backend::Gl
    }

    /// The backend's name as the command line has it.
    pub fn backend_name(&self) -> &'static str {
        backend_name(self.adapter.get_info().backend)
    }
}

async fn choose(
    instance: &wgpu::Instance,
    choice: &AdapterChoice,
    surface: Option<&wgpu::Surface<'_>>,
) -> Result<wgpu::Adapter, GpuError> {
    let mut adapters = instance.enumerate_adapters(wgpu::Backends::all()).await;
    let infos: Vec<_> = adapters.iter().map(wgpu::Adapter::get_info).collect();
    adapters.retain(|adapter| {
        surface.is_none_or(|s| adapter.is_surface_supported(s))
            && choice.adapter.as_deref().is_none_or(|wanted| fits(&adapter.get_info(), wanted))
    });
    adapters.sort_by_key(|adapter| rank(&adapter.get_info()));
    if !adapters.is_empty() {
        return Ok(adapters.swap_remove(0));
    }
    Err(none_fits(choice, &infos))
}

/// The error for a choice that none of these adapters fits.
pub(super) fn none_fits(choice: &AdapterChoice, infos: &[wgpu::AdapterInfo]) -> GpuError {
    let listed = infos.iter().map(describe).collect::<Vec<_>>().join("; ");
    GpuError::NoAdapter(match (&choice.adapter, infos) {
        (_, []) => no_driver(choice),
        (Some(wanted), _) => format!("no adapter fits `{wanted}`; the adapters are {listed}"),
        (None, _) => format!("no adapter can draw on this window; the adapters are {listed}"),
    })
}

fn no_driver(choice: &AdapterChoice) -> String {
    let what = match choice.backend.as_deref() {
        Some(backend) => format!("no GPU adapter for backend `{backend}`"),
        None => "no GPU adapter".into(),
    };
    let advice = if cfg!(target_os = "linux") {
        "install a driver (software: apt install mesa-vulkan-drivers libvulkan1)"
    } else {
        "install a graphics driver"
    };
    match choice.backend {
        Some(_) => format!("{what}: {advice}, or leave out --backend"),
        None => format!("{what}: {advice}"),
    }
}

pub(super) fn fits(info: &wgpu::AdapterInfo, wanted: &str) -> bool {
    if wanted == "software" {
        return info.device_type == wgpu::DeviceType::Cpu || is_software_gl(info);
    }
    info.name.to_lowercase().contains(&wanted.to_lowercase())
}

/// Mesa's software GL calls itself another kind of device than it is.
fn is_software_gl(info: &wgpu::AdapterInfo) -> bool {
    info.backend == wgpu::Backend::Gl && info.name.to_lowercase().contains("llvmpipe")
}

pub(super) fn rank(info: &wgpu::AdapterInfo) -> (u8, u8) {
    let device = match info.device_type {
        _ if is_software_gl(info) => 4,
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    };
    (device, u8::from(info.backend == wgpu::Backend::Gl))
}

fn describe(info: &wgpu::AdapterInfo) -> String {
    format!("{} ({})", info.name, backend_name(info.backend))
}

pub(super) fn backend_name(backend: wgpu::Backend) -> &'static str {
    match backend {
        wgpu::Backend::Vulkan => "vulkan",
        wgpu::Backend::Gl => "gl",
        wgpu::Backend::Metal => "metal",
        wgpu::Backend::Dx12 => "dx12",
        _ => "other",
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
