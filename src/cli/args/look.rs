//! Arguments of a picture's look: size, pass, overlays, drawings that help to judge a rig, light and tone mapping.

use clap::{Args, ValueEnum};

use super::values::{
    EnvironmentName, ExposureChoice, amount_of_light, backdrop, colour, environment, exposure,
    light, number, one_of, pass, positive, preset, samples, size, tone_map,
};
use rigview_look::{Aids, Backdrop, BoneStyle, OnionSkin, Pass, Preset, Spacing, ToneMap, Vectors};

/// The look of the picture.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Look")]
pub struct LookArgs {
    /// Set the size in pixels.
    #[arg(long, alias = "resolution", value_name = "WxH", default_value = "1024x768", value_parser = size)]
    pub size: [u32; 2],
    /// Scale text and lines of overlays by this factor.
    #[arg(long, value_name = "S", default_value = "1", value_parser = positive)]
    pub scale: f64,
    /// Set the background colour: `transparent`, #rrggbb or #rrggbbaa.
    #[arg(long, value_name = "COLOUR", value_parser = colour)]
    pub background: Option<[u8; 4]>,
    /// Same as --background transparent.
    #[arg(long, conflicts_with = "background")]
    pub no_background: bool,
    /// What to draw: shaded, albedo, metallic, roughness, occlusion, ambient-occlusion, emissive, alpha, normal, geometric-normal,
    /// tangent, uv, uv-checker, influences, faces, depth, mask, clay, wireframe, overdraw, weights,
    /// weight-sum or rest-to-bind [default: shaded, or that of the look].
    #[arg(long, value_name = "NAME", value_parser = pass)]
    pub pass: Option<Pass>,
    /// Set light, ground and tone map together: studio, soft, contrast, daylight, night, clay or blueprint.
    /// --pass, --background, --tone-map and --exposure override its own [default: studio].
    #[arg(long, value_name = "NAME", value_parser = preset, conflicts_with_all = ["environment", "light", "lights"])]
    pub look: Option<Preset>,
    /// Leave out the legend of --bounds and of the passes weights, influences, weight-sum, rest-to-bind and overdraw.
    #[arg(long)]
    pub no_legend: bool,
    /// Show the weights of this joint in --pass weights, by name or index [default: the joint with
    /// the largest sum of weights].
    #[arg(long, value_name = "NAME|INDEX")]
    pub joint: Option<String>,
    /// Draw joints and bones over the picture.
    #[arg(long)]
    pub skeleton: bool,
    /// Draw the joints' names over the picture where there is room, without their common prefix.
    /// Letters that the built-in fonts lack are taken from the system's fonts, or from the folders in
    /// RIGVIEW_FONTS.
    #[arg(long)]
    pub joint_names: bool,
    /// Draw a grid on the ground below the model.
    #[arg(long)]
    pub grid: bool,
    /// Draw the scene's axes over the picture: X red, Y green, Z blue.
    #[arg(long)]
    pub axes: bool,
    /// Draw three boxes over the picture, with their sizes: of the file's vertices without a pose (yellow dashes), of
    /// the posed vertices over the clip (blue dots) and at this instant (white).
    #[arg(long)]
    pub bounds: bool,
    #[command(flatten)]
    pub aids: AidArgs,
    /// Light the model with an environment: `studio`, an equirectangular picture, a uniform radiance as uniform:R or
    /// uniform:R,G,B (`uniform` is uniform:1), or `none`, which is black.
    #[arg(long, alias = "hdri-file", value_name = "NAME|FILE.hdr|FILE.exr|uniform:R[,G,B]", value_parser = environment)]
    pub environment: Option<EnvironmentName>,
    /// Rotate the environment about +Y, in degrees.
    #[arg(long, value_name = "DEG", default_value = "0", allow_negative_numbers = true, value_parser = number)]
    pub environment_rotation: f64,
    /// Multiply the environment's light by this factor.
    #[arg(long, value_name = "X", default_value = "1", value_parser = amount_of_light)]
    pub environment_intensity: f64,
    /// Show the environment behind the model, sharp or blurred.
    #[arg(long, value_name = "sharp|blurred", num_args = 0..=1, require_equals = true, default_missing_value = "sharp")]
    #[arg(value_parser = backdrop)]
    pub show_environment: Option<Backdrop>,
    /// Add a directional light that shines along X,Y,Z [default LUX: pi]. Can be given several times.
    #[arg(long, value_name = "X,Y,Z[,LUX]", allow_hyphen_values = true, value_parser = light)]
    pub light: Vec<[f32; 4]>,
    /// Whether the file's own lights are used [default: file].
    #[arg(long, value_name = "file|none")]
    pub lights: Option<FileLights>,
    /// Darken ambient light where surfaces are near each other [default: on, but off with
    /// --environment, --light or --lights].
    #[arg(long, value_name = "on|off")]
    pub ambient_occlusion: Option<Switch>,
    /// Set the tone mapping: neutral, aces, agx or none [default: neutral, or that of the look].
    #[arg(long, value_name = "NAME", value_parser = tone_map)]
    pub tone_map: Option<ToneMap>,
    /// Set the exposure in stops, so that light is multiplied by 2^EV, or measure it: `auto` makes the model
    /// as bright as the default look does, auto+EV brighter by EV stops [default: auto, but 0 with --environment, --light or --lights].
    #[arg(long, value_name = "EV|auto|auto+EV", allow_negative_numbers = true, value_parser = exposure)]
    pub exposure: Option<ExposureChoice>,
    /// Set the number of samples per pixel: 1, 4 or 16. 16 also smooth highlights and textures, and take four times as
    /// long.
    #[arg(long, value_name = "1|4|16", default_value = "4", value_parser = samples)]
    pub samples: u32,
    /// Use a material variant of the file, by name or index.
    #[arg(long, value_name = "NAME|INDEX")]
    pub variant: Option<String>,
    /// Show this scene, by name or index [default: the file's default scene].
    #[arg(long, value_name = "NAME|INDEX")]
    pub scene: Option<String>,
}

impl LookArgs {
    /// Returns the background, unless it is that of the look.
    pub fn background(&self) -> Option<[u8; 4]> {
        if self.no_background { Some([0; 4]) } else { self.background }
    }

    pub fn environment_file(&self) -> Option<std::path::PathBuf> {
        match &self.environment {
            Some(EnvironmentName::File(path)) => Some(path.clone()),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileLights {
    /// Use the file's lights.
    File,
    /// Ignore the file's lights.
    None,
}

/// The drawings that help to judge a rig.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Look")]
pub struct AidArgs {
    /// Draw this many past (blue) and next (orange) poses of the clip as ghosts, 1 to 8, SPACING seconds apart, or
    /// frames as in 2f [default SPACING: 0.1].
    #[arg(long, value_name = "COUNT[,SPACING]", value_parser = onion_skin)]
    pub onion_skin: Option<OnionSkin>,
    /// Set the shape of joints and bones of --skeleton: bones, lines, spheres or axes, flat and of a fixed width; or
    /// octahedra, balls or spikes, lit and as large as the bones.
    #[arg(long, value_name = "NAME", requires = "skeleton", value_parser = joint_style)]
    pub joint_style: Option<BoneStyle>,
    /// Hide joints and bones where the mesh is in front of them.
    #[arg(long, requires = "skeleton")]
    pub skeleton_behind: bool,
    /// Draw the path of the root over the clip on the ground, with a tick per second.
    #[arg(long)]
    pub root_path: bool,
    /// Draw the path of this node over the clip, by name or index, with a mark per key of its own (256 at most). The window selects the node.
    #[arg(long, value_name = "NODE")]
    pub trail: Option<String>,
    /// Keep the root of the clip over the point of the ground at which the clip starts.
    #[arg(long, help_heading = "Clip")]
    pub in_place: bool,
    /// Mark vertices without weights (magenta) and those whose weights do not sum to 1 (yellow).
    #[arg(long)]
    pub weight_marks: bool,
    /// Draw the posed normals of all vertices as lines.
    #[arg(long)]
    pub normals: bool,
    /// Draw the posed tangents of all vertices as lines.
    #[arg(long)]
    pub tangents: bool,
}

impl AidArgs {
    pub fn aids(&self) -> Aids {
        Aids {
            onion: self.onion_skin,
            root_path: self.root_path,
            weight_marks: self.weight_marks,
            vectors: Vectors { normals: self.normals, tangents: self.tangents },
        }
    }

    pub fn bones(&self) -> BoneStyle {
        BoneStyle { in_front: !self.skeleton_behind, ..self.joint_style.unwrap_or_default() }
    }
}

const MOST_SPACING: f64 = 1e6;

fn joint_style(text: &str) -> Result<BoneStyle, String> {
    one_of(BoneStyle::from_name(text), &BoneStyle::NAMES)
}

fn onion_skin(text: &str) -> Result<OnionSkin, String> {
    let (count, spacing) = text.split_once(',').map_or((text, None), |(a, b)| (a, Some(b)));
    let most = OnionSkin::MOST;
    let count = count.trim().parse().ok().filter(|count| (1..=most).contains(count));
    let count = count.ok_or_else(|| format!("COUNT must be a whole number from 1 to {most}"))?;
    let Some(spacing) = spacing else { return Ok(OnionSkin { count, ..OnionSkin::default() }) };
    let (amount, spacing) = match spacing.trim().strip_suffix('f') {
        Some(frames) => (number(frames)?, Spacing::Frames(number(frames)?)),
        None => (number(spacing)?, Spacing::Secs(number(spacing)?)),
    };
    if amount <= 0.0 || amount > MOST_SPACING {
        return Err(format!(
            "SPACING must be greater than 0 and at most {MOST_SPACING}, such as 0.1 or 2f"
        ));
    }
    Ok(OnionSkin { count, spacing })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spacing_is_in_seconds_or_frames() {
        assert_eq!(onion_skin("3"), Ok(OnionSkin { count: 3, spacing: Spacing::Secs(0.1) }));
        assert_eq!(onion_skin("8,0.25"), Ok(OnionSkin { count: 8, spacing: Spacing::Secs(0.25) }));
        assert_eq!(onion_skin("1, 2f"), Ok(OnionSkin { count: 1, spacing: Spacing::Frames(2.0) }));
        for wrong in ["", "0", "9", "1.5", "2,0", "2,-1", "2,x", "2,f", "2,"] {
            assert!(onion_skin(wrong).is_err(), "{wrong}");
        }
    }
}
