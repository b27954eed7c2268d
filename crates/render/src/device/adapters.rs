//! Lists the available adapters and their capabilities.

use serde::Serialize;

use super::adapter_choice::{AdapterChoice, AvailableAdapters, backend_name, fits, rank};
use super::gpu::{Gpu, GpuError};

/// The adapters that match a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdapterList {
    /// The preferred ones first.
    pub adapters: Vec<AdapterReport>,
    /// For each one whose pictures would be wrong, whatever the choice: its name, and why it is not used.
    pub left_out: Vec<String>,
}

/// An adapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdapterReport {
    /// Name that `--adapter` matches.
    pub name: String,
    /// Name that `--backend` matches.
    pub backend: &'static str,
    /// `discrete`, `integrated`, `virtual`, `software` or `other`.
    pub kind: &'static str,
    /// Whether commands that draw without a window use it by default.
    pub default: bool,
    /// The driver's name; empty if it gives none.
    pub driver: String,
    /// The driver's version; empty if it gives none.
    pub driver_info: String,
    /// PCI vendor id; 0 if unknown.
    pub vendor: u32,
    /// PCI device id; 0 if unknown.
    pub device: u32,
    /// Its limits.
    pub limits: AdapterLimits,
    /// The optional features that it supports and rigview uses.
    pub features: Vec<&'static str>,
}

/// Limits of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AdapterLimits {
    /// Largest width or height of a picture or texture in pixels.
    pub max_texture_size: u32,
    /// Array layers per texture.
    pub max_texture_layers: u32,
    /// Bytes per buffer.
    pub max_buffer_bytes: u64,
    /// Bytes per storage buffer binding.
    pub max_storage_binding_bytes: u64,
    /// Sampled textures per shader stage.
    pub max_textures_per_stage: u32,
}

/// The optional features by name.
const FEATURES: [(wgpu::Features, &str); 5] = [
    (wgpu::Features::TIMESTAMP_QUERY, "timestamps"),
    (wgpu::Features::PIPELINE_CACHE, "pipeline-cache"),
    (wgpu::Features::TEXTURE_COMPRESSION_BC, "bc"),
    (wgpu::Features::TEXTURE_COMPRESSION_ASTC, "astc"),
    (wgpu::Features::TEXTURE_COMPRESSION_ETC2, "etc2"),
];

/// Returns the adapters that match a choice.
///
/// # Errors
/// If none matches. The message says what to do.
pub fn adapters(choice: &AdapterChoice) -> Result<AdapterList, GpuError> {
    let instance = Gpu::instance(choice, None)?;
    let found = pollster::block_on(AvailableAdapters::list(&instance));
    let wanted = |info: &wgpu::AdapterInfo| choice.adapter.as_deref().is_none_or(|w| fits(info, w));
    let mut fitting: Vec<_> = found.usable.iter().filter(|a| wanted(&a.get_info())).collect();
    if fitting.is_empty() {
        return Err(GpuError::NoAdapter(found.none_fits(choice)));
    }
    fitting.sort_by_key(|adapter| rank(&adapter.get_info()));
    let all = Gpu::instance(&AdapterChoice::default(), None)?;
    let first = headless_default(&pollster::block_on(AvailableAdapters::list(&all)));
    let adapters = fitting.into_iter().map(|adapter| report(adapter, first.as_ref())).collect();
    Ok(AdapterList { adapters, left_out: found.left_out })
}

/// Returns the adapter that [`Gpu::headless`] opens without a choice.
fn headless_default(available: &AvailableAdapters) -> Option<wgpu::AdapterInfo> {
    let all = available.infos().into_iter();
    all.min_by_key(|info| (!wgpu::Backends::PRIMARY.contains(info.backend.into()), rank(info)))
}

fn report(adapter: &wgpu::Adapter, first: Option<&wgpu::AdapterInfo>) -> AdapterReport {
    let (info, limits, features) = (adapter.get_info(), adapter.limits(), adapter.features());
    AdapterReport {
        backend: backend_name(info.backend),
        kind: match info.device_type {
            _ if fits(&info, "software") => "software",
            wgpu::DeviceType::DiscreteGpu => "discrete",
            wgpu::DeviceType::IntegratedGpu => "integrated",
            wgpu::DeviceType::VirtualGpu => "virtual",
            _ => "other",
        },
        default: Some(&info) == first,
        vendor: info.vendor,
        device: info.device,
        limits: AdapterLimits {
            max_texture_size: limits.max_texture_dimension_2d,
            max_texture_layers: limits.max_texture_array_layers,
            max_buffer_bytes: limits.max_buffer_size,
            max_storage_binding_bytes: limits.max_storage_buffer_binding_size,
            max_textures_per_stage: limits.max_sampled_textures_per_shader_stage,
        },
        features: FEATURES
            .into_iter()
            .filter(|(feature, _)| features.contains(*feature))
            .map(|(_, name)| name)
            .collect(),
        name: info.name,
        driver: info.driver,
        driver_info: info.driver_info,
    }
}
