//! The `rigview` program; see `rigview::cli`.

#[global_allocator]
static MEMORY: rigview::cli::Memory = rigview::cli::Memory;

fn main() {
    rigview::cli::run()
}
