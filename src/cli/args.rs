//! What can be typed. Values are checked for their form here; whether a file has such a clip or
//! camera is for `choice`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use serde::Serialize;

pub use super::camera_args::CameraArgs;
pub use super::look_args::{FileLights, LookArgs};
use super::usage::{check_first_word, check_word};
use super::values::{number, positive, size};
use crate::report::ClipForm;

/// The heading of the options about standard error.
const MESSAGES: &str = "Messages";

/// Opens glTF files, shows the rig moving and why it moves as it does.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "\
Examples:
  rigview                                   the built-in rig in a window
  rigview fox.glb --clip Run                a file, from a clip of it
  rigview screenshot fox.glb -o fox.png --clip Run --time 0.5
  rigview pose fox.glb --clip Run --time 0.5 --json
  rigview info fox.glb
  rigview pose man.glb --clips-from dance.glb --time 1.5 --json
  rigview bake fox.glb --clip Run --fps 30 -o run.glb
  rigview curve fox.glb --node b_Tail01_012 -o tail.png
  rigview bench fox.glb --instances 1000 --no-render
  rigview gpus

Exit codes: 0 done, 1 the rig shares no joint with the clips, 2 usage, 3 the file can't be loaded, 4 no usable GPU or display,
5 the result can't be written, or an internal error."
)]
pub struct Cli {
    /// Without one, FILE is shown in a window.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The window's arguments.
    #[command(flatten)]
    pub window: WindowArgs,
    /// Print more on standard error; twice for everything.
    #[arg(short, long, action = clap::ArgAction::Count, global = true, help_heading = MESSAGES)]
    pub verbose: u8,
    /// Print nothing but errors.
    #[arg(short, long, global = true, help_heading = MESSAGES)]
    pub quiet: bool,
    /// off, error, warn, info, debug or trace.
    #[arg(long, global = true, value_name = "LEVEL", help_heading = MESSAGES)]
    pub log_level: Option<log::LevelFilter>,
}

impl Cli {
    /// Reads arguments. Options of the window may not precede a command's name, where they would
    /// be lost: only those of all commands may.
    pub fn read<S: Into<OsString> + Clone>(
        args: impl IntoIterator<Item = S>,
    ) -> Result<Self, clap::Error> {
        let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
        let mut command = Self::command();
        check_first_word(&mut command, &args)?;
        let matches = command.try_get_matches_from_mut(args)?;
        let general = ["verbose", "quiet", "log_level"];
        let typed = |id: &&clap::Id| {
            matches.value_source(id.as_str()) == Some(ValueSource::CommandLine)
                && !general.contains(&id.as_str())
                && command.get_arguments().any(|a| a.get_id() == *id)
        };
        if let (Some((name, _)), Some(id)) = (matches.subcommand(), matches.ids().find(typed)) {
            let id = id.as_str().replace('_', "-");
            let text = format!("`{id}` must come after the command: `rigview {name} ...`");
            return Err(command.error(clap::error::ErrorKind::ArgumentConflict, text));
        }
        if matches.subcommand().is_none()
            && let Some(word) = matches.get_many::<PathBuf>("file").and_then(|mut f| f.next())
        {
            check_word(&mut command, word.as_os_str())?;
        }
        Self::from_arg_matches(&matches)
    }
}

/// What there is to do without a window.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Draw a picture of a file, or of the built-in rig.
    #[command(after_help = "Example: rigview screenshot fox.glb -o fox.png --clip Run --time 0.5")]
    Screenshot(Box<ScreenshotArgs>),
    /// Print the pose at one or more instants in numbers.
    #[command(after_help = "Example: rigview pose fox.glb --clip Run --time 0 --time 0.5 --json")]
    Pose(PoseArgs),
    /// Tell what is in a file, and what was repaired.
    #[command(after_help = "Example: rigview info fox.glb --compression --json")]
    Info(InfoArgs),
    /// Draw the tracks of a node, or write them as numbers.
    #[command(
        after_help = "Example: rigview curve fox.glb --clip Run --node b_Tail01_012 -o tail.png --lab"
    )]
    Curve(CurveArgs),
    /// Time the animation of one or many characters, drawn or not.
    #[command(
        after_help = "Example: rigview bench fox.glb --instances 1000 --size 1920x1080 --json"
    )]
    Bench(BenchArgs),
    /// Write a file with a clip sampled at a fixed rate in place of its animations.
    #[command(after_help = "Example: rigview bake fox.glb --clip Run --fps 30 -o run.glb")]
    Bake(BakeArgs),
    /// List the GPU adapters with their backends, drivers and limits.
    #[command(after_help = "Example: rigview gpus --json")]
    Gpus(GpusArgs),
}

/// Arguments of the window.
#[derive(Debug, Args)]
pub struct WindowArgs {
    /// .gltf or .glb files, or folders of them; the built-in rig if none. PageUp and PageDown go
    /// through them.
    pub file: Vec<PathBuf>,
    /// JSON lines that drive the window, for tests and demos; - is standard input.
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    #[command(flatten)]
    pub clip: ClipArgs,
    #[command(flatten)]
    pub camera: CameraArgs,
    #[command(flatten)]
    pub look: LookArgs,
    #[command(flatten)]
    pub gpu: GpuArgs,
}

/// Arguments of `screenshot`.
#[derive(Debug, Args)]
pub struct ScreenshotArgs {
    /// A .gltf or .glb file; the built-in rig if none.
    pub file: Option<PathBuf>,
    /// Where the PNG goes; - is standard output. {model}, {clip} and {frame:4} are filled in.
    #[arg(short, long, value_name = "OUT.png")]
    pub output: PathBuf,
    #[command(flatten)]
    pub clip: ClipArgs,
    #[command(flatten)]
    pub camera: CameraArgs,
    #[command(flatten)]
    pub look: LookArgs,
    #[command(flatten)]
    pub gpu: GpuArgs,
}

/// Arguments of `pose`.
#[derive(Debug, Args)]
pub struct PoseArgs {
    /// A .gltf or .glb file; the built-in rig if none.
    pub file: Option<PathBuf>,
    /// Print one JSON object per instant, each on a line.
    #[arg(long)]
    pub json: bool,
    /// Also print N posed vertices of every primitive, spread evenly over its vertices.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    pub vertices: Option<u32>,
    /// Compute the vertices on the GPU.
    #[arg(long)]
    pub gpu: bool,
    /// A scene of the file, by name or index.
    #[arg(long, value_name = "NAME|INDEX")]
    pub scene: Option<String>,
    #[command(flatten)]
    pub clip: ClipArgs,
    #[command(flatten)]
    pub adapter: GpuArgs,
}

/// Arguments of `info`.
#[derive(Debug, Args)]
pub struct InfoArgs {
    /// A .gltf or .glb file.
    pub file: PathBuf,
    /// What smaller forms of its clips would cost: bytes, and millimetres at the skin's edge.
    #[arg(long)]
    pub compression: bool,
    /// Samples a second of the forms that are sampled.
    #[arg(long, value_name = "F", default_value = "30", requires = "compression")]
    #[arg(value_parser = positive)]
    pub fps: f64,
    /// How far reduced keys may carry a vertex at the skin's edge.
    #[arg(long, value_name = "MILLIMETRES", default_value = "0.5", requires = "compression")]
    #[arg(value_parser = positive)]
    pub bound: f64,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `bake`.
#[derive(Debug, Args)]
pub struct BakeArgs {
    /// A .gltf or .glb file.
    pub file: PathBuf,
    /// Write to this file: a .gltf with its .bin beside it, or else a GLB; - is a GLB on standard
    /// output. {model} and {clip} are filled in.
    #[arg(short, long, value_name = "OUT.glb|OUT.gltf")]
    pub output: PathBuf,
    /// Keys per second; one more is at the clip's end.
    #[arg(long, value_name = "F", default_value = "60", value_parser = positive)]
    pub fps: f64,
    #[command(flatten)]
    pub clips: ClipsArgs,
}

/// Arguments of `gpus`.
#[derive(Debug, Args)]
pub struct GpusArgs {
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub gpu: GpuArgs,
}

/// Arguments of `curve`.
#[derive(Debug, Args)]
pub struct CurveArgs {
    /// A .gltf or .glb file.
    pub file: PathBuf,
    /// Which node, by name or index.
    #[arg(long, value_name = "NAME|INDEX")]
    pub node: String,
    /// Where the curve goes: .png or .svg to be looked at, .json to be read; - is JSON on standard
    /// output. {model} and {clip} are filled in.
    #[arg(short, long, value_name = "OUT.png|.svg|.json")]
    pub output: PathBuf,
    /// The same keys under all interpolations as well, and how far they are apart.
    #[arg(long)]
    pub lab: bool,
    #[command(flatten)]
    pub clip: ClipArgs,
}

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// A .gltf or .glb file; the built-in rig if none.
    pub file: Option<PathBuf>,
    /// On by a sixtieth of a second a frame, or to an unrelated time.
    #[arg(long, value_enum, default_value = "forward")]
    pub mode: BenchMode,
    /// Characters, each at its own time in the clip.
    #[arg(long, value_name = "N", default_value = "1")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub instances: u32,
    /// Pixels of what is drawn; each character is at least 20 of them high.
    #[arg(long, alias = "resolution", value_name = "WxH", default_value = "1024x768", value_parser = size)]
    #[arg(conflicts_with = "no_render")]
    pub size: [u32; 2],
    /// Only from the clip's time to the palettes.
    #[arg(long)]
    pub no_render: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub clip: ClipArgs,
    #[command(flatten)]
    pub gpu: GpuArgs,
}

/// How a bench goes through the clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BenchMode {
    /// As it is played.
    Forward,
    /// As it is searched.
    Scrub,
}

/// Which of which clips.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Clip")]
pub struct ClipsArgs {
    /// The clip, by name or index; the first one if not given.
    #[arg(long, value_name = "NAME|INDEX")]
    pub clip: Option<String>,
    /// Every clip at once, in file order: where two drive the same property, the later one wins.
    #[arg(long, conflicts_with = "clip")]
    pub all_clips: bool,
    /// Several clips at once, by index, as F3D numbers them; a negative index means every clip.
    #[arg(long, value_name = "INDEX,...", conflicts_with_all = ["clip", "all_clips"])]
    #[arg(value_delimiter = ',', allow_negative_numbers = true)]
    pub animation_indices: Vec<i64>,
    /// The clips of another file on this rig, matched by the nodes' names.
    #[arg(long, value_name = "FILE")]
    pub clips_from: Option<PathBuf>,
}

/// Which clip and when.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Clip")]
pub struct ClipArgs {
    #[command(flatten)]
    pub clips: ClipsArgs,
    /// No clip: the rest pose.
    #[arg(long, conflicts_with_all = ["clip", "all_clips", "animation_indices"])]
    pub rest: bool,
    /// The pose of a file that holds one object as `pose --json` prints it: its translations,
    /// rotations, scales and weights, by name, then index.
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["clip", "all_clips", "animation_indices", "rest"])]
    pub pose: Option<PathBuf>,
    /// The instant in seconds, clamped to the clip.
    #[arg(long, alias = "animation-time", value_name = "SECS", allow_negative_numbers = true)]
    #[arg(value_parser = number)]
    pub time: Vec<f64>,
    /// The instant as a number of frames.
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with = "time")]
    #[arg(value_parser = number)]
    pub frame: Vec<f64>,
    /// Frames a second.
    #[arg(long, value_name = "F", default_value = "30", value_parser = positive)]
    pub fps: f64,
    /// The clip as a smaller form would hold it.
    #[arg(long, value_enum, value_name = "FORM", default_value = "source")]
    pub form: Form,
}

/// How a clip is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// As the file has it.
    Source,
    /// Whole transforms, --fps of them a second.
    Sampled,
    /// The same in half floats, 16 bytes a joint.
    Packed,
    /// The file's keys without those that the others say to half a millimetre.
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
        self.rest || self.pose.is_some()
    }

    /// Returns the requested instants in order; empty if none are given.
    pub fn times_secs(&self) -> Vec<f64> {
        let frames = self.frame.iter().map(|f| f / self.fps);
        self.time.iter().copied().chain(frames).collect()
    }
}

/// Which adapter draws.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "GPU")]
pub struct GpuArgs {
    /// A part of the adapter's name, or `software`.
    #[arg(long, value_name = "TEXT", env = "RIGVIEW_ADAPTER")]
    pub adapter: Option<String>,
    /// vulkan, gl, metal or dx12.
    #[arg(long, value_name = "NAME", env = "RIGVIEW_BACKEND")]
    #[arg(value_parser = ["vulkan", "gl", "metal", "dx12"])]
    pub backend: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn only_what_all_commands_know_stands_before_a_command() {
        let read = |line: &str| Cli::read(line.split(' '));
        read("rigview -q screenshot a.glb -o a.png").unwrap();
        assert!(read("rigview -v a.glb").is_ok());
        assert!(read("rigview a.glb --clip Run").is_ok());
        for lost in ["rigview a.glb screenshot -o a.png", "rigview --clip 1 pose a.glb"] {
            assert_eq!(read(lost).unwrap_err().exit_code(), 2, "{lost}");
        }
    }

    #[test]
    fn numbers_may_start_with_a_minus_after_a_space_or_an_equals_sign() {
        for eye in [&["--eye", "-1,2,-3"][..], &["--eye=-1,2,-3"]] {
            let rest = ["screenshot", "a.glb", "-o", "a.png", "--target", "-0.5,0,0"];
            let cli = Cli::read([&["rigview"], &rest[..], eye].concat()).unwrap();
            let Some(Command::Screenshot(args)) = cli.command else { panic!("no screenshot") };
            assert_eq!(args.camera.eye, Some(glam::DVec3::new(-1.0, 2.0, -3.0)));
        }
    }
}
