//! Arguments of the clip: which one, of which file, at which time and in which form.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, ValueEnum};

use super::look::Switch;
use super::values::{expression, index, number, positive};
use rigview_report::ClipForm;

/// The file that clips are from, and how they are fitted to the rig.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Clip")]
#[command(group = ArgGroup::new("other_clips").args(["clips_from"]).multiple(true))]
pub struct BorrowArgs {
    /// Play the clips of another file on this rig.
    #[arg(long, value_name = "FILE")]
    pub clips_from: Option<PathBuf>,
    /// Match the joints of both files by the naming conventions of humanoids and by equal names (auto), by equal names
    /// only (exact), or by a table in TOML.
    #[arg(
        long,
        value_name = "auto|exact|FILE.toml",
        default_value = "auto",
        requires = "other_clips"
    )]
    pub map: PathBuf,
    /// Turn the limbs of the clips' rest pose first, so that they point as those of this rig do: an A-pose becomes a
    /// T-pose.
    #[arg(long, requires = "other_clips")]
    pub align_rest: bool,
    /// Hold the feet where those of the clips' rig stand, by turning thighs and shins.
    #[arg(long, requires = "other_clips")]
    pub pin_feet: bool,
    /// Set the metres per unit of BVH files [default: guessed from the size of the skeleton].
    #[arg(long, value_name = "METRES", value_parser = positive)]
    pub bvh_scale: Option<f64>,
}

/// The selected clips, and the file that they are from.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Clip")]
pub struct ClipsArgs {
    /// Play this clip, by name or index [default: the first one].
    #[arg(long, value_name = "NAME|INDEX")]
    pub clip: Option<String>,
    /// Play all clips at once; if two drive the same property, the later one in the file wins.
    #[arg(long, conflicts_with = "clip")]
    pub all_clips: bool,
    /// Play several clips at once, by index, as in F3D; a negative index selects all clips.
    #[arg(long, value_name = "INDEX,...", conflicts_with_all = ["clip", "all_clips"])]
    #[arg(value_delimiter = ',', allow_negative_numbers = true, value_parser = index)]
    pub animation_indices: Vec<i64>,
    #[command(flatten)]
    pub borrow: BorrowArgs,
    /// Show an expression of a VRM file, with a weight from 0 to 1 [default: 1]; may be given several times.
    #[arg(long, value_name = "NAME[=W]", value_parser = expression)]
    pub expression: Vec<(String, f32)>,
    /// Have the spring bones of a VRM file swing, simulated from a rest at the start of the clip [default: on in the
    /// window, off elsewhere].
    #[arg(long, value_name = "on|off")]
    pub springs: Option<Switch>,
}

impl BorrowArgs {
    pub fn map_file(&self) -> Option<PathBuf> {
        let is_word = |word: &str| self.map == Path::new(word);
        (!is_word("auto") && !is_word("exact")).then(|| self.map.clone())
    }

    pub fn bvh_scale(&self) -> Option<f32> {
        self.bvh_scale.map(|metres| metres as f32)
    }
}

impl ClipsArgs {
    /// Whether the arguments say which clips are played.
    pub fn names_clip(&self) -> bool {
        self.clip.is_some() || self.all_clips || !self.animation_indices.is_empty()
    }

    pub fn bvh_scale(&self) -> Option<f32> {
        self.borrow.bvh_scale()
    }
}

/// The selected clip and time.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Clip")]
pub struct ClipArgs {
    #[command(flatten)]
    pub clips: ClipsArgs,
    /// Show the rest pose instead of a clip.
    #[arg(long, conflicts_with_all = ["clip", "all_clips", "animation_indices"])]
    pub rest: bool,
    /// Show a pose that `pose --json` printed to a file. Its translations, rotations, scales and
    /// weights are assigned to nodes by name, or by index if the name is empty.
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["clip", "all_clips", "animation_indices", "rest"])]
    pub pose: Option<PathBuf>,
    /// Set the time in seconds, clamped to the clip.
    #[arg(long, alias = "animation-time", value_name = "SECS", allow_negative_numbers = true)]
    #[arg(value_parser = number)]
    pub time: Vec<f64>,
    /// Set the time as a frame number, at the rate of --fps.
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with = "time")]
    #[arg(value_parser = number)]
    pub frame: Vec<f64>,
    /// Set the frame rate, in frames per second [default: 30; in the window that of the keys].
    #[arg(long, value_name = "F", value_parser = positive)]
    pub fps: Option<f64>,
    /// Convert the clip to a smaller form first.
    #[arg(long, value_enum, value_name = "FORM", default_value = "source")]
    pub form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// As in the file.
    Source,
    /// Whole transforms, sampled at --fps.
    Sampled,
    /// Like sampled, in half floats: 16 bytes per joint and frame.
    Packed,
    /// The file's keys, less those that can be left out with an error below 0.5 mm.
    Reduced,
}

impl From<Form> for ClipForm {
    fn from(form: Form) -> Self {
        match form {
            Form::Source => ClipForm::Source,
            Form::Sampled => ClipForm::Sampled,
            Form::Packed => ClipForm::Packed,
            Form::Reduced => ClipForm::Reduced,
        }
    }
}

impl ClipArgs {
    /// Whether the command shows the rest pose or a pose file instead of a clip.
    pub fn shows_no_clip(&self) -> bool {
        self.instead_of_clip().is_some()
    }

    /// Returns the option that shows the rest pose or a pose file instead of a clip.
    pub fn instead_of_clip(&self) -> Option<&'static str> {
        match (self.rest, &self.pose) {
            (true, _) => Some("--rest"),
            (false, pose) => pose.as_ref().map(|_| "--pose"),
        }
    }

    pub fn fps(&self) -> f64 {
        self.fps.unwrap_or(30.0)
    }

    /// Returns the requested instants in order; empty if none are given.
    pub fn times_secs(&self) -> Vec<f64> {
        let frames = self.frame.iter().map(|f| f / self.fps());
        self.time.iter().copied().chain(frames).collect()
    }
}
