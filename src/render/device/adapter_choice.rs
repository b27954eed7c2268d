//! Which adapter to use, and whether one matches.

/// The adapter to use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdapterChoice {
    /// A substring of the adapter's name, ignoring case, or `software`.
    pub adapter: Option<String>,
    /// `vulkan`, `gl`, `metal` or `dx12`.
    pub backend: Option<String>,
}

/// Returns what to say of a choice that matches none of these adapters.
pub(in crate::render) fn none_fits(choice: &AdapterChoice, infos: &[wgpu::AdapterInfo]) -> String {
    let listed = infos.iter().map(describe).collect::<Vec<_>>().join("; ");
    match (&choice.adapter, infos) {
        (_, []) => no_driver(choice),
        (Some(wanted), _) => format!("no adapter matches `{wanted}`; the adapters are {listed}"),
        (None, _) => format!("no adapter can present to this window; the adapters are {listed}"),
    }
}

fn no_driver(choice: &AdapterChoice) -> String {
    let what = match choice.backend.as_deref() {
        Some(backend) => format!("no GPU adapter for backend `{backend}`"),
        None => "no GPU adapter".into(),
    };
    let advice = super::driver::advice();
    match choice.backend {
        Some(_) => format!("{what}: {advice}, or leave out --backend"),
        None => format!("{what}: {advice}"),
    }
}

pub(in crate::render) fn fits(info: &wgpu::AdapterInfo, wanted: &str) -> bool {
    if wanted == "software" {
        return info.device_type == wgpu::DeviceType::Cpu || is_software_gl(info);
    }
    info.name.to_lowercase().contains(&wanted.to_lowercase())
}

/// Whether it is Mesa's software GL, which reports another device type.
fn is_software_gl(info: &wgpu::AdapterInfo) -> bool {
    info.backend == wgpu::Backend::Gl && info.name.to_lowercase().contains("llvmpipe")
}

pub(in crate::render) fn rank(info: &wgpu::AdapterInfo) -> (u8, u8) {
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

pub(in crate::render) fn describe(info: &wgpu::AdapterInfo) -> String {
    format!("{} ({})", info.name, backend_name(info.backend))
}

pub(in crate::render) fn backend_name(backend: wgpu::Backend) -> &'static str {
    match backend {
        wgpu::Backend::Vulkan => "vulkan",
        wgpu::Backend::Gl => "gl",
        wgpu::Backend::Metal => "metal",
        wgpu::Backend::Dx12 => "dx12",
        _ => "other",
    }
}
