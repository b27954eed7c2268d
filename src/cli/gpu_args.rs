//! Arguments of the GPU: adapter and backend.

use clap::Args;

/// The selected adapter.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "GPU")]
pub struct GpuArgs {
    /// Use the adapter whose name contains this text, or `software` for a software renderer.
    #[arg(long, value_name = "TEXT", env = "RIGVIEW_ADAPTER")]
    pub adapter: Option<String>,
    /// Use this graphics API.
    #[arg(long, value_name = "NAME", env = "RIGVIEW_BACKEND")]
    #[arg(value_parser = ["vulkan", "gl", "metal", "dx12"])]
    pub backend: Option<String>,
}
