//! Which adapter to use, and whether one matches.

/// The adapter to use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdapterChoice {
    /// A substring of the adapter's name, ignoring case, or `software`.
    pub adapter: Option<String>,
    /// `vulkan`, `gl`, `metal` or `dx12`.
    pub backend: Option<String>,
}

/// The adapters of an instance.
pub(crate) struct AvailableAdapters {
    pub usable: Vec<wgpu::Adapter>,
    /// For each one whose pictures would be wrong: its name, and why it is left out.
    pub left_out: Vec<String>,
}

impl AvailableAdapters {
    /// Returns the adapters of an instance.
    pub async fn list(instance: &wgpu::Instance) -> Self {
        let all = instance.enumerate_adapters(wgpu::Backends::all()).await;
        let (bad, usable): (Vec<_>, _) = all.into_iter().partition(misdraws);
        let why = |adapter: &wgpu::Adapter| {
            let info = adapter.get_info();
            let (name, version) = (describe(&info), &info.driver_info);
            format!("{name} is left out, since pictures of GL {version} would be wrong")
        };
        Self { usable, left_out: bad.iter().map(why).collect() }
    }

    /// Descriptions of the usable ones.
    pub fn infos(&self) -> Vec<wgpu::AdapterInfo> {
        self.usable.iter().map(wgpu::Adapter::get_info).collect()
    }

    /// Returns the message for a choice that matches none of them.
    pub fn none_fits(&self, choice: &AdapterChoice) -> String {
        let listed = self.infos().iter().map(describe).collect::<Vec<_>>().join("; ");
        let none = match (&choice.adapter, &self.usable[..]) {
            (_, []) => no_driver(choice),
            (Some(wanted), _) => {
                format!("no adapter matches `{wanted}`; the adapters are {listed}")
            }
            (None, _) => {
                format!("no adapter can present to this window; the adapters are {listed}")
            }
        };
        [&[none], &self.left_out[..]].concat().join("; ")
    }
}

/// Whether an adapter draws wrong pictures.
fn misdraws(adapter: &wgpu::Adapter) -> bool {
    let info = adapter.get_info();
    let offered = adapter.get_downlevel_capabilities().flags;
    let computes = offered.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
    info.backend == wgpu::Backend::Gl && computes && is_old_gl(&info.driver_info)
}

/// Whether a version of OpenGL is one before 4.2, whose shaders can't name their bindings. wgpu 30 takes compute shaders as
/// a sign that they can, but NVIDIA's driver offers those in GL 3.3 too. Versions of OpenGL ES do not count.
fn is_old_gl(version: &str) -> bool {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) < (4, 2),
        _ => false,
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

pub(crate) fn fits(info: &wgpu::AdapterInfo, wanted: &str) -> bool {
    if wanted == "software" {
        return info.device_type == wgpu::DeviceType::Cpu || is_software_gl(info);
    }
    info.name.to_lowercase().contains(&wanted.to_lowercase())
}

/// Whether it is Mesa's software GL, which reports another device type.
fn is_software_gl(info: &wgpu::AdapterInfo) -> bool {
    info.backend == wgpu::Backend::Gl && info.name.to_lowercase().contains("llvmpipe")
}

pub(crate) fn rank(info: &wgpu::AdapterInfo) -> (u8, u8) {
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

pub(crate) fn describe(info: &wgpu::AdapterInfo) -> String {
    format!("{} ({})", info.name, backend_name(info.backend))
}

pub(crate) fn backend_name(backend: wgpu::Backend) -> &'static str {
    match backend {
        wgpu::Backend::Vulkan => "vulkan",
        wgpu::Backend::Gl => "gl",
        wgpu::Backend::Metal => "metal",
        wgpu::Backend::Dx12 => "dx12",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::is_old_gl;

    #[test]
    fn old_versions_of_gl_are_told_from_new_ones() {
        let old = ["3.3.0 NVIDIA 580.159.04", "4.1 (Core Profile) Mesa 22.3.6"];
        let new = ["4.2", "4.6.0 NVIDIA 580.159.04", "OpenGL ES 3.0 Mesa 22.3.6", "", "3"];
        assert!(old.into_iter().all(is_old_gl));
        assert!(!new.into_iter().any(is_old_gl));
    }
}
