//! What can be typed of a picture's look: size, pass, overlays, light and tone.

use clap::{Args, ValueEnum};

use super::values::{
    EnvironmentName, backdrop, colour, environment, light, not_negative, number, pass, positive,
    samples, size, tone_map,
};
use crate::look::{Backdrop, Pass, ToneMap};

/// What the picture is like.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Look")]
pub struct LookArgs {
    /// Pixels.
    #[arg(long, alias = "resolution", value_name = "WxH", default_value = "1024x768", value_parser = size)]
    pub size: [u32; 2],
    /// Pixels a point of what is laid over the picture.
    #[arg(long, value_name = "S", default_value = "1", value_parser = positive)]
    pub scale: f64,
    /// `transparent` or #rrggbb or #rrggbbaa.
    #[arg(long, value_name = "COLOUR", value_parser = colour)]
    pub background: Option<[u8; 4]>,
    /// The same as --background transparent.
    #[arg(long, conflicts_with = "background")]
    pub no_background: bool,
    /// shaded, albedo, metallic, roughness, occlusion, emissive, alpha, normal, geometric-normal,
    /// tangent, uv, influences, faces, depth, mask, clay, wireframe, overdraw, weights or weight-sum.
    #[arg(long, value_name = "NAME", default_value = "shaded", value_parser = pass)]
    pub pass: Pass,
    /// The joint whose weights --pass weights shows; the one with the most weight if not given.
    #[arg(long, value_name = "NAME|INDEX")]
    pub joint: Option<String>,
    /// Joints and bones over the picture.
    #[arg(long)]
    pub skeleton: bool,
    /// Show the joints' names over the picture, without the prefix that they share, where there is room.
    /// Letters that the built-in fonts lack come from the system's fonts, or from the folders that
    /// RIGVIEW_FONTS lists.
    #[arg(long)]
    pub joint_names: bool,
    /// A grid on the ground at the model's feet.
    #[arg(long)]
    pub grid: bool,
    /// The scene's axes over the picture: X red, Y green, Z blue.
    #[arg(long)]
    pub axes: bool,
    /// The box around the posed model over the picture.
    #[arg(long)]
    pub bounds: bool,
    /// Light from all around: `studio`, an equirectangular picture, or the same from everywhere as
    /// uniform:R or uniform:R,G,B.
    #[arg(long, alias = "hdri-file", value_name = "NAME|FILE.hdr|FILE.exr|uniform:R[,G,B]", value_parser = environment)]
    pub environment: Option<EnvironmentName>,
    /// Turns the environment about +Y.
    #[arg(long, value_name = "DEG", default_value = "0", allow_negative_numbers = true, value_parser = number)]
    pub environment_rotation: f64,
    /// Multiplies the environment's light.
    #[arg(long, value_name = "X", default_value = "1", value_parser = not_negative)]
    pub environment_intensity: f64,
    /// Shows the environment behind the model, sharp or blurred.
    #[arg(long, value_name = "sharp|blurred", num_args = 0..=1, require_equals = true, default_missing_value = "sharp")]
    #[arg(value_parser = backdrop)]
    pub show_environment: Option<Backdrop>,
    /// A directional light that shines along X,Y,Z; may be given several times.
    #[arg(long, value_name = "X,Y,Z[,LUX]", allow_hyphen_values = true, value_parser = light)]
    pub light: Vec<[f32; 4]>,
    /// Whether the file's own lights shine; they do if not given.
    #[arg(long, value_name = "file|none")]
    pub lights: Option<FileLights>,
    /// neutral, aces, agx or none.
    #[arg(long, value_name = "NAME", default_value = "neutral", value_parser = tone_map)]
    pub tone_map: ToneMap,
    /// Stops: the light times two to the power of EV.
    #[arg(long, value_name = "EV", default_value = "0", allow_negative_numbers = true, value_parser = number)]
    pub exposure: f64,
    /// Samples a pixel: 1 or 4.
    #[arg(long, value_name = "1|4", default_value = "4", value_parser = samples)]
    pub samples: u32,
    /// A material variant of the file, by name or index.
    #[arg(long, value_name = "NAME|INDEX")]
    pub variant: Option<String>,
    /// A scene of the file, by name or index.
    #[arg(long, value_name = "NAME|INDEX")]
    pub scene: Option<String>,
}

impl LookArgs {
    /// The environment's file, if it is one.
    pub fn environment_file(&self) -> Option<std::path::PathBuf> {
        match &self.environment {
            Some(EnvironmentName::File(path)) => Some(path.clone()),
            _ => None,
        }
    }
}

/// What becomes of the file's own lights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileLights {
    /// They shine.
    File,
    /// They don't.
    None,
}
