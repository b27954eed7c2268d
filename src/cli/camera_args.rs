//! What can be typed of the camera: one of the file's, one in numbers, or one that orbits.

use clap::Args;
use glam::DVec3;

use super::values::{angle, orbit, point, positive};

/// Seen from where.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Camera")]
pub struct CameraArgs {
    /// One of the file's cameras, by name or index.
    #[arg(long, alias = "camera-index", value_name = "NAME|INDEX", conflicts_with_all = ["eye", "orbit", "orthographic"])]
    pub camera: Option<String>,
    /// Where an explicit camera stands.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, requires = "target")]
    #[arg(value_parser = point, conflicts_with_all = ["orbit", "orthographic"])]
    pub eye: Option<DVec3>,
    /// What it looks at.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, requires = "eye", value_parser = point)]
    pub target: Option<DVec3>,
    /// Which way is up.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, requires = "eye", value_parser = point)]
    pub up: Option<DVec3>,
    /// Its vertical angle of view.
    #[arg(long, value_name = "DEG", requires = "eye", value_parser = angle)]
    pub fov_y: Option<f64>,
    /// Its near plane; before the model if not given.
    #[arg(long, value_name = "N", requires = "eye", value_parser = positive)]
    pub near: Option<f64>,
    /// Its far plane; behind the model if not given.
    #[arg(long, value_name = "F", requires = "eye", value_parser = positive)]
    pub far: Option<f64>,
    /// Degrees about the model's centre; 30,15,1 if not given.
    #[arg(long, value_name = "AZIMUTH,ELEVATION[,ZOOM]", allow_hyphen_values = true, value_parser = orbit)]
    pub orbit: Option<[f64; 3]>,
    /// A parallel view, HEIGHT metres high.
    #[arg(long, value_name = "HEIGHT", num_args = 0..=1, value_parser = positive)]
    pub orthographic: Option<Option<f64>>,
}
