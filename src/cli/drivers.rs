//! Environment variables of graphics drivers, chosen by the command.

use std::ffi::OsString;

use super::args::{Cli, Command};
use super::choice::adapter;

/// Sets the variables of Mesa's drivers and of the Vulkan loader, unless the user has set them. No other thread may run
/// yet, and no driver be loaded.
pub fn set_variables(cli: &Cli) {
    for (name, value) in variables(cli) {
        if std::env::var_os(name).is_none() {
            // SAFETY: no other thread runs yet, which the caller ensures.
            unsafe { std::env::set_var(name, value) };
        }
    }
}

fn variables(cli: &Cli) -> Vec<(&'static str, OsString)> {
    /// Mesa's drivers for real GPUs.
    const GPU_DRIVERS: &str = "asahi_icd*,broadcom_icd*,intel_icd*,intel_hasvk_icd*,nouveau_icd*,panfrost_icd*,\
                               powervr_mesa_icd*,radeon_icd*,virtio_icd*";
    // Textures are filtered in floating point instead of eight bits, as GPUs do it: otherwise mirrors with normal maps
    // show steps. This takes no longer.
    let mut software = "no_aos_sampling";
    if matches!(cli.command, Some(Command::Screenshot(_) | Command::Thumbnail(_))) {
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
    let draws_in_software = match &cli.command {
        Some(Command::Thumbnail(args)) => adapter(&args.gpu).adapter.is_none(),
        _ => false,
    };
    if draws_in_software || !std::path::Path::new("/dev/dri").exists() {
        // GPUs need /dev/dri, and thumbnails are drawn in software. Without these drivers, the start takes a tenth less
        // time, and less memory.
        variables.push(("VK_LOADER_DRIVERS_DISABLE", GPU_DRIVERS.into()));
    }
    variables
}
