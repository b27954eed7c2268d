//! The program: see `rigview::cli`.

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // Without a session Mesa's drivers complain on standard error, where only our own words
        // belong; any folder contents them.
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("XDG_RUNTIME_DIR", std::env::temp_dir()) };
    }
    rigview::cli::run()
}
