//! Arguments of `bake`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::clip::ClipsArgs;
use super::values::{not_negative, positive};
use rigview_import::escaped;

/// Arguments of `bake`.
#[derive(Debug, Args)]
pub struct BakeArgs {
    /// A model (.glb, .gltf, .vrm, .fbx, .bvh); - is standard input.
    pub file: PathBuf,
    /// Write to this file: with the extension .gltf a glTF file and a .bin file next to it, otherwise
    /// a GLB; - writes a GLB to standard output. {model} and {clip} are replaced by the file's and
    /// the clip's name.
    #[arg(short, long, value_name = "OUT.glb|OUT.gltf")]
    pub output: PathBuf,
    /// Write this many keys per second, and one at the end of the clip.
    #[arg(long, value_name = "F", default_value = "60", value_parser = positive)]
    pub fps: f64,
    /// Keep the keys of the clip (keep), or write this many keys per second, as --fps does.
    #[arg(long, value_name = "keep|F", value_parser = rate, conflicts_with = "fps")]
    pub rate: Option<Rate>,
    /// Write whole samples, or reduce their keys as far as --bound allows.
    #[arg(long, value_enum, value_name = "FORM", default_value = "sampled")]
    pub form: BakedForm,
    /// Set the largest distance at the skin, in millimetres, by which --form reduced and --loop may move it
    /// [default: 0.1].
    #[arg(long, value_name = "MM", value_parser = positive)]
    pub bound: Option<f64>,
    #[command(flatten)]
    pub choice: BakeChoice,
    #[command(flatten)]
    pub edit: BakeEdit,
    #[command(flatten)]
    pub pose: BakePose,
    #[command(flatten)]
    pub clips: ClipsArgs,
}

/// Which clips are written, and to how many files.
#[derive(Debug, Args)]
#[command(next_help_heading = "Clips")]
pub struct BakeChoice {
    /// Write this clip too; may be given several times.
    #[arg(long, value_name = "NAME|INDEX")]
    pub with_clip: Vec<String>,
    /// Write every clip of the file, each by itself.
    #[arg(long, conflicts_with_all = ["clip", "all_clips", "animation_indices", "with_clip"])]
    pub every_clip: bool,
    /// Add the clips of these files, which are fitted to the rig as --clips-from does; all clips are written unless some
    /// are chosen.
    #[arg(long, value_name = "FILE", num_args = 1.., group = "other_clips")]
    pub merge: Vec<PathBuf>,
    /// Write the clips on the rig of this file, as `bake RIG --clips-from FILE` does.
    #[arg(long, value_name = "RIG", group = "other_clips", conflicts_with_all = ["clips_from", "merge"])]
    pub retarget: Option<PathBuf>,
    /// Blend clips into one, which lasts as long as the first of them; the others repeat. 'Walk=0.7; Run=0.3' is a mean
    /// by weights, whatever their sum is; what a clip does not move is at rest in it. Wave@Arm counts only at the joint Arm
    /// and below it, +Breath=0.5 is added to the others.
    #[arg(long, value_name = "CLIP[@JOINT][=WEIGHT];...")]
    #[arg(conflicts_with_all = ["clip", "all_clips", "animation_indices", "with_clip", "every_clip"])]
    pub layers: Option<String>,
    /// Write each clip to a file of its own, whose name has {clip}.
    #[arg(long)]
    pub split: bool,
}

/// How clips are changed, in this order.
#[derive(Debug, Args)]
#[command(next_help_heading = "Changes")]
pub struct BakeEdit {
    /// Begin at this time in seconds, which becomes 0.
    #[arg(long, value_name = "SECS", value_parser = not_negative)]
    pub from: Option<f64>,
    /// End at this time in seconds.
    #[arg(long, value_name = "SECS", value_parser = not_negative)]
    pub to: Option<f64>,
    /// Play backwards.
    #[arg(long)]
    pub reverse: bool,
    /// Exchange left and right, by the names of the joints.
    #[arg(long)]
    pub mirror: bool,
    /// Take the horizontal way off the root, evenly over the clip.
    #[arg(long)]
    pub in_place: bool,
    /// End with the first pose; the root keeps its way. Fails if the skin would move by more than --bound.
    #[arg(long = "loop")]
    pub closes_loop: bool,
}

/// A pose that is written instead of clips.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pose")]
pub struct BakePose {
    /// Add a pose that `pose --json` printed to a file, or that the window saved, as a clip; the file's own clips stay.
    #[arg(long, value_name = "FILE.json")]
    #[arg(conflicts_with_all = ["clip", "all_clips", "animation_indices", "with_clip", "every_clip", "merge", "retarget",
        "layers", "split", "clips_from", "fps", "form", "bound", "from", "to", "reverse", "mirror", "in_place", "closes_loop", "rate"])]
    pub pose: Option<PathBuf>,
    /// Make the pose the rest pose instead of a clip.
    #[arg(long, requires = "pose")]
    pub as_rest: bool,
    /// Name the clip of the pose.
    #[arg(long, value_name = "NAME", default_value = "Pose", requires = "pose")]
    pub pose_name: String,
}

/// How many keys are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// Those of the clip.
    Keep,
    /// So many per second.
    PerSecond(f64),
}

/// How sampled keys are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BakedForm {
    /// All of them.
    Sampled,
    /// Those that others do not imply within the bound.
    Reduced,
}

impl BakeArgs {
    /// Returns the keys per second; `None` for the keys of the clip.
    pub fn keys_per_second(&self) -> Option<f64> {
        match self.rate {
            Some(Rate::Keep) => None,
            Some(Rate::PerSecond(rate)) => Some(rate),
            None => Some(self.fps),
        }
    }

    /// Returns the largest distance at the skin in millimetres by which keys may be reduced and ends closed.
    pub fn bound_mm(&self) -> f64 {
        self.bound.unwrap_or(0.1)
    }

    /// Returns a message about the input.
    pub fn about(&self, what: &str) -> String {
        format!("{}: {what}", escaped(&self.file.to_string_lossy()))
    }

    /// Whether all clips are written that no option names.
    pub fn takes_all(&self) -> bool {
        let names_one = self.clips.clip.is_some()
            || self.clips.all_clips
            || !self.clips.animation_indices.is_empty()
            || !self.choice.with_clip.is_empty();
        self.choice.every_clip || !names_one && !self.choice.merge.is_empty()
    }
}

fn rate(text: &str) -> Result<Rate, String> {
    if text == "keep" {
        return Ok(Rate::Keep);
    }
    positive(text).map(Rate::PerSecond).map_err(|_| "expected keep, or a number above 0".to_owned())
}
