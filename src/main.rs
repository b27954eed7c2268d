//! The program: see `rigview::cli`.

fn main() -> std::process::ExitCode {
    rigview::cli::run()
}
