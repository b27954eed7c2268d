//! The program: see `rigview::cli`.

#[global_allocator]
static MEMORY: rigview::cli::Memory = rigview::cli::Memory;

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // Without a session Mesa's drivers complain on standard error, where only our own words
        // belong; any folder contents them.
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("XDG_RUNTIME_DIR", std::env::temp_dir()) };
    }
    #[cfg(target_os = "linux")]
    if std::env::var_os("EGL_LOG_LEVEL").is_none() {
        // Mesa warns on standard error about each driver that it tries without success.
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("EGL_LOG_LEVEL", "fatal") };
    }
    #[cfg(target_os = "linux")]
    if !std::path::Path::new("/dev/dri").exists()
        && std::env::var_os("VK_LOADER_DRIVERS_DISABLE").is_none()
    {
        // Mesa's drivers of real GPUs find them there. Where there is none they would be loaded in vain,
        // which takes a start of the software driver a tenth of its time and some of its memory.
        const OF_GPUS: &str = "asahi_icd*,broadcom_icd*,intel_icd*,intel_hasvk_icd*,nouveau_icd*,\
                               panfrost_icd*,powervr_mesa_icd*,radeon_icd*,virtio_icd*";
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("VK_LOADER_DRIVERS_DISABLE", OF_GPUS) };
    }
    rigview::cli::run()
}
