//! Arguments of commands that draw a model: camera, adapter, and all others together.

use clap::Args;
use clap::builder::PossibleValue;
use glam::DVec3;

use super::clip::ClipArgs;
use super::look::LookArgs;
use super::values::{angle, direction, orbit, point, positive};
use crate::cli::output::Inputs;

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
        let map = self.clip.clips.borrow.map_file();
        Inputs::with([self.clip.pose.clone(), self.look.environment_file(), map])
    }
}

/// The selected adapter.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "GPU")]
pub struct GpuArgs {
    /// Use the adapter whose name contains this text, or `software` for a software renderer.
    #[arg(long, value_name = "TEXT", env = "RIGVIEW_ADAPTER")]
    pub adapter: Option<String>,
    /// Use this graphics API.
    #[arg(long, value_name = "NAME", env = "RIGVIEW_BACKEND")]
    #[arg(value_parser = backends())]
    pub backend: Option<String>,
}

/// The graphics APIs. A variable that is set to nothing is allowed too.
fn backends() -> [PossibleValue; 5] {
    let names = ["vulkan", "gl", "metal", "dx12", ""];
    names.map(|name| PossibleValue::new(name).hide(name.is_empty()))
}

/// The point of view.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Camera")]
pub struct CameraArgs {
    /// Use a camera of the file, by its name, that of a node that has it, or its index.
    #[arg(long, alias = "camera-index", value_name = "NAME|INDEX", conflicts_with_all = ["eye", "orbit", "orthographic"])]
    pub camera: Option<String>,
    /// Set the camera's position, in metres.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, requires = "target")]
    #[arg(value_parser = point, conflicts_with_all = ["orbit"])]
    pub eye: Option<DVec3>,
    /// Set the point that the camera of --eye looks at.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, requires = "eye", value_parser = point)]
    pub target: Option<DVec3>,
    /// Set the up direction of the camera of --eye [default: 0,1,0].
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, requires = "eye", value_parser = direction)]
    pub up: Option<DVec3>,
    /// Set the vertical field of view of the camera of --eye, in degrees [default: 40].
    #[arg(long, value_name = "DEG", requires = "eye", value_parser = angle)]
    pub fov_y: Option<f64>,
    /// Set the distance of the near plane, in metres [default: just in front of the model].
    #[arg(long, value_name = "N", requires = "eye", value_parser = positive)]
    pub near: Option<f64>,
    /// Set the distance of the far plane, in metres [default: just behind the model].
    #[arg(long, value_name = "F", requires = "eye", value_parser = positive)]
    pub far: Option<f64>,
    /// Orbit the model's centre by these angles in degrees. ZOOM enlarges the model
    /// [default: 30,15,1].
    #[arg(long, value_name = "AZIMUTH,ELEVATION[,ZOOM]", allow_hyphen_values = true, value_parser = orbit)]
    pub orbit: Option<[f64; 3]>,
    /// Frame the model in the shown pose instead of over its whole clip; a recording, in its first frame.
    #[arg(long, conflicts_with_all = ["camera", "eye"])]
    pub frame_pose: bool,
    /// Use an orthographic camera that shows HEIGHT metres [default: fits the model]. With --eye, HEIGHT is needed.
    #[arg(long, value_name = "HEIGHT", num_args = 0..=1, value_parser = positive)]
    pub orthographic: Option<Option<f64>>,
}
