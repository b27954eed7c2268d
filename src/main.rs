//! The `rigview` program; see `rigview::cli`.

#[global_allocator]
static MEMORY: rigview::cli::Memory = rigview::cli::Memory;

fn main() {
    #[cfg(target_os = "linux")]
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // Without this variable, Mesa's drivers print warnings on standard error. Any folder will do.
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("XDG_RUNTIME_DIR", std::env::temp_dir()) };
    }
    #[cfg(target_os = "linux")]
    if std::env::var_os("EGL_LOG_LEVEL").is_none() {
        // Mesa prints a warning on standard error for each driver that fails to load.
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("EGL_LOG_LEVEL", "fatal") };
    }
    #[cfg(target_os = "linux")]
    if (!std::path::Path::new("/dev/dri").exists() || draws_thumbnail())
        && std::env::var_os("VK_LOADER_DRIVERS_DISABLE").is_none()
    {
        // Mesa's drivers for real GPUs need /dev/dri, and thumbnails are drawn in software. Without these drivers,
        // the start takes a tenth less time, and less memory.
        const GPU_DRIVERS: &str = "asahi_icd*,broadcom_icd*,intel_icd*,intel_hasvk_icd*,nouveau_icd*,\
                               panfrost_icd*,powervr_mesa_icd*,radeon_icd*,virtio_icd*";
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("VK_LOADER_DRIVERS_DISABLE", GPU_DRIVERS) };
    }
    #[cfg(target_os = "linux")]
    if draws_thumbnail() {
        // Mesa's software driver spends most of the time of a small picture compiling its shaders. Without optimising
        // them, and with narrow vectors, CesiumMan at 256 pixels takes 0.6 instead of 1.1 s of CPU time.
        for (name, value) in [("GALLIVM_PERF", "nopt"), ("LP_NATIVE_VECTOR_WIDTH", "128")] {
            if std::env::var_os(name).is_none() {
                // SAFETY: no other thread runs yet.
                unsafe { std::env::set_var(name, value) };
            }
        }
    }
    rigview::cli::run()
}

/// Whether the command is `thumbnail` without a chosen adapter.
#[cfg(target_os = "linux")]
fn draws_thumbnail() -> bool {
    let mut words =
        std::env::args_os().skip(1).filter(|arg| !arg.to_string_lossy().starts_with('-'));
    words.next().is_some_and(|command| command == "thumbnail")
        && std::env::var_os("RIGVIEW_ADAPTER").is_none()
        && !std::env::args_os().any(|arg| arg.to_string_lossy().starts_with("--adapter"))
}
