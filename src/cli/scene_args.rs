//! Arguments of commands that draw a model.

use clap::Args;

use super::camera_args::CameraArgs;
use super::clip_args::ClipArgs;
use super::gpu_args::GpuArgs;
use super::look_args::LookArgs;
use super::output::Inputs;

/// What is drawn of a file, from where, how, and on which adapter.
#[derive(Clone, Debug, Args)]
pub struct SceneArgs {
    #[command(flatten)]
    pub clip: ClipArgs,
    #[command(flatten)]
    pub camera: CameraArgs,
    #[command(flatten)]
    pub look: LookArgs,
    #[command(flatten)]
    pub gpu: GpuArgs,
}

impl SceneArgs {
    /// Returns the inputs of a command with these arguments: the side files that they name.
    pub fn inputs(&self) -> Inputs {
        Inputs::with([self.clip.pose.clone(), self.look.environment_file()])
    }
}
