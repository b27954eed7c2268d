//! The program: see `rigview::cli`.

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // Without a session Mesa's drivers complain on standard error, where only our own words
        // belong; any folder contents them.
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("XDG_RUNTIME_DIR", std::env::temp_dir()) };
    }
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // What is larger than a megabyte goes back to the system as soon as it is let go of: glibc
    // would learn to keep blocks of up to 32 MiB, and a model's old pictures lie in such.
    // SAFETY: it sets a number of the allocator.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
    }
    rigview::cli::run()
}
