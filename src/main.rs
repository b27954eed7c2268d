//! The `rigview` program; see `rigview::cli`.

#[global_allocator]
static MEMORY: rigview::cli::Memory = rigview::cli::Memory;

fn main() {
    #[cfg(target_os = "linux")]
    for (name, value) in driver_variables() {
        if std::env::var_os(name).is_none() {
            // SAFETY: no other thread runs yet.
            unsafe { std::env::set_var(name, value) };
        }
    }
    rigview::cli::run()
}

/// Returns the environment variables of Mesa's drivers and of the Vulkan loader that are set unless the user has set them.
#[cfg(target_os = "linux")]
fn driver_variables() -> Vec<(&'static str, std::ffi::OsString)> {
    /// Mesa's drivers for real GPUs.
    const GPU_DRIVERS: &str = "asahi_icd*,broadcom_icd*,intel_icd*,intel_hasvk_icd*,nouveau_icd*,panfrost_icd*,\
                               powervr_mesa_icd*,radeon_icd*,virtio_icd*";
    let command = std::env::args_os().skip(1).find(|arg| !arg.to_string_lossy().starts_with('-'));
    let is = |name: &str| command.as_ref().is_some_and(|command| command == name);
    // Textures are filtered in floating point instead of eight bits, as GPUs do it: otherwise mirrors with normal maps
    // show steps. This takes no longer.
    let mut software = "no_aos_sampling";
    if is("screenshot") || is("thumbnail") {
        // Most of the time of a small picture goes into compiling shaders. Without optimising them, CesiumMan at 512 pixels
        // takes 0.8 instead of 1.2 s of CPU time with an empty shader cache, and a tenth more with a full one; the pixels
        // are the same.
        software = "nopt,no_aos_sampling";
    }
    let mut variables = vec![
        ("GALLIVM_PERF", software.into()),
        // Without this folder, drivers print warnings on standard error. Any folder will do.
        ("XDG_RUNTIME_DIR", std::env::temp_dir().into()),
        // Otherwise a warning is printed for each driver that fails to load.
        ("EGL_LOG_LEVEL", "fatal".into()),
    ];
    if !std::path::Path::new("/dev/dri").exists() || (is("thumbnail") && !chooses_adapter()) {
        // GPUs need /dev/dri, and thumbnails are drawn in software. Without these drivers, the start takes a tenth less
        // time, and less memory.
        variables.push(("VK_LOADER_DRIVERS_DISABLE", GPU_DRIVERS.into()));
    }
    variables
}

/// Whether an adapter is chosen.
#[cfg(target_os = "linux")]
fn chooses_adapter() -> bool {
    std::env::var_os("RIGVIEW_ADAPTER").is_some()
        || std::env::args_os().any(|arg| arg.to_string_lossy().starts_with("--adapter"))
}
