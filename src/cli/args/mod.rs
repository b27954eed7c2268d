//! Definitions of the command line's arguments. Only the form of values is checked here; `choice` and
//! `clips` check them against the file.

pub mod clip;
pub mod look;
pub mod scene;
pub mod values;
pub mod work;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use serde::Serialize;

use self::clip::ClipArgs;
use self::scene::{GpuArgs, SceneArgs};
use self::values::{log_level, motion_quality, size, whole};
use self::work::WorkArgs;
use super::commands::{
    bake, check, compare, convert, curve, diff, fix, info, man, pose, record, screenshot, sheet,
    test, thumbnail,
};
use super::usage::{check_first_word, check_word, first_help};
use rigview_session::MotionQuality;

const MESSAGES: &str = "Messages";

/// Open glTF files in a window, or render, measure and convert them without one.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "\
Examples:
  rigview                                   open the built-in rig in a window
  rigview fox.glb --clip Run                open a file and play its clip \"Run\"
  rigview screenshot fox.glb -o fox.png --clip Run --time 0.5
  rigview record fox.glb -o run.gif --clip Run
  rigview sheet models/ -o models.png
  rigview pose fox.glb --clip Run --time 0.5 --json
  rigview info fox.glb
  rigview check fox.glb --contract rig.toml
  rigview fix fox.glb -o fixed.glb
  rigview pose man.glb --clips-from dance.glb --time 1.5 --json
  rigview bake fox.glb --clip Run --fps 30 -o run.glb
  rigview convert walk.fbx -o walk.glb
  rigview curve fox.glb --node b_Tail01_012 -o tail.png
  rigview --compare before.glb after.glb    compare two models in a window
  rigview diff before.glb after.glb --tolerance 0.0005
  rigview compare approved.png new.png --tolerance 0.001 --diff difference.png
  rigview bench fox.glb --instances 1000 --no-render
  rigview gpus

Exit codes: 0 success; 1 the answer is no: pictures or models differ, a check found an error, a test \
failed, the rig shares no joint with the clips, or a script failed; 2 wrong usage; 3 the file can't be \
loaded; 4 no usable GPU or display; 5 the result can't be written, or an internal error."
)]
pub struct Cli {
    /// The command; without one, FILE is opened in a window.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Arguments of the window.
    #[command(flatten)]
    pub window: WindowArgs,
    /// Print more messages on standard error; give it twice for debug messages.
    #[arg(short, long, action = clap::ArgAction::Count, global = true, help_heading = MESSAGES)]
    pub verbose: u8,
    /// Print only errors.
    #[arg(short, long, global = true, help_heading = MESSAGES)]
    pub quiet: bool,
    /// Set the log level: off, error, warn, info, debug or trace.
    #[arg(long, global = true, value_name = "LEVEL", value_parser = log_level, help_heading = MESSAGES)]
    pub log_level: Option<log::LevelFilter>,
}

impl Cli {
    /// Parses arguments. Options of the window are rejected before a command's name, because they
    /// would be ignored there; only global options may precede it.
    pub fn read<S: Into<OsString> + Clone>(
        args: impl IntoIterator<Item = S>,
    ) -> Result<Self, clap::Error> {
        let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
        let mut command = taking_negative_numbers(Self::command());
        check_first_word(&mut command, &args)?;
        // clap writes the same text for `rigview --help` and `rigview help`; only the latter lists everything.
        if !args.iter().any(|arg| arg.to_str() == Some("help")) {
            let screen = first_help(&command);
            command = command.override_help(screen);
        }
        let matches = command.try_get_matches_from_mut(args)?;
        let general = ["verbose", "quiet", "log_level"];
        let typed = |id: &&clap::Id| {
            matches.value_source(id.as_str()) == Some(ValueSource::CommandLine)
                && !general.contains(&id.as_str())
                && command.get_arguments().any(|a| a.get_id() == *id)
        };
        if let (Some((name, _)), Some(id)) = (matches.subcommand(), matches.ids().find(typed)) {
            let arg = command.get_arguments().find(|arg| arg.get_id() == id);
            let option = arg.and_then(|arg| arg.get_long()).map(|long| format!("--{long}"));
            let text = match option {
                Some(option) => format!(
                    "`{option}` must come after the command: `rigview {name} ... {option} ...`"
                ),
                None => format!("FILE must come after the command: `rigview {name} FILE ...`"),
            };
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

/// Lets every option take a negative number, so that an error says which numbers are allowed, and not that `-1` is no option.
fn taking_negative_numbers(command: clap::Command) -> clap::Command {
    let with_negative = |arg: clap::Arg| {
        let is_option = arg.get_long().is_some() && arg.get_action().takes_values();
        let is_taken = is_option && !arg.is_allow_hyphen_values_set();
        if is_taken { arg.allow_negative_numbers(true) } else { arg }
    };
    command.mut_args(with_negative).mut_subcommands(taking_negative_numbers)
}

/// The commands that work without a window.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Render a picture of a file, of each of several files, or of the built-in rig.
    #[command(after_help = "\
Examples:
  rigview screenshot fox.glb -o fox.png --clip Run --time 0.5
  rigview screenshot models/*.glb -o 'pictures/{name}.png' --size 256x256
  rigview screenshot --list jobs.jsonl --timeout 20

Several pictures are drawn by processes that open the adapter once. One that fails does not stop the others: it has a
line on standard error, and the exit code is the highest of all pictures.")]
    Screenshot(Box<screenshot::ScreenshotArgs>),
    /// Record a clip, or a turn around a model, as an animated picture, PNG files or raw video.
    #[command(after_help = "\
Examples:
  rigview record fox.glb -o run.gif --clip Run --size 320x240
  rigview record fox.glb -o run.apng --clip Run --background transparent
  rigview record helmet.glb -o turn_{frame:4}.png --turntable
  rigview record fox.glb -o - --y4m --clip Run | ffmpeg -i - run.mp4")]
    Record(Box<record::RecordArgs>),
    /// Render many files, or the clips of one file, on one labelled picture.
    #[command(
        after_help = "\
Examples:
  rigview sheet models/ -o models.png
  rigview sheet fox.glb -o fox.png --per-clip 8
  rigview sheet fox.glb -o sprites.png --json sprites.json --per-clip 8 --no-labels --background transparent

If a file can't be loaded, its cell says why, and the exit code is 3.",
        mut_arg("size", |size| size.default_value("256x256").help("Set the size of a cell's picture in pixels"))
    )]
    Sheet(Box<sheet::SheetArgs>),
    /// Print the pose at one or more times.
    #[command(after_help = "Example: rigview pose fox.glb --clip Run --time 0 --time 0.5 --json")]
    Pose(pose::PoseArgs),
    /// List the contents of a file, and what was repaired while loading it.
    #[command(after_help = "Example: rigview info fox.glb --compression --json")]
    Info(info::InfoArgs),
    /// Check rigs and clips for defects, and against a contract.
    #[command(after_help = "\
Examples:
  rigview check fox.glb wolf.glb
  rigview check assets/*.glb --contract rig.toml --deny POP --sarif > rigview.sarif
  rigview check --explain LOOP_GAP")]
    Check(check::CheckArgs),
    /// Plot the animation curves of a node, or write them as JSON.
    #[command(
        after_help = "Example: rigview curve fox.glb --clip Run --node b_Tail01_012 -o tail.png --lab"
    )]
    Curve(curve::CurveArgs),
    /// Compare two models: structure, materials, and the largest distance of the posed skin per clip.
    #[command(after_help = "Example: rigview diff before.glb after.glb --tolerance 0.0005")]
    Diff(diff::DiffArgs),
    /// Compare two PNG pictures: the share of visibly different pixels, and FLIP.
    #[command(
        after_help = "Example: rigview compare approved.png new.png --tolerance 0.001 --diff difference.png"
    )]
    Compare(compare::CompareArgs),
    /// Measure how long it takes to animate and draw one or more characters.
    #[command(
        after_help = "Example: rigview bench fox.glb --instances 1000 --size 1920x1080 --json"
    )]
    Bench(BenchArgs),
    /// Write a copy of a file with clips that are cut, sampled, reduced, mirrored, blended or taken from other files.
    #[command(after_help = "\
Examples:
  rigview bake fox.glb --clip Run --fps 30 -o run.glb
  rigview bake fox.glb --clip Run --from 0.2 --to 0.6 --rate keep -o part.glb
  rigview bake fox.glb --clip Walk --loop --in-place --form reduced --bound 0.5 -o walk.glb
  rigview bake fox.glb --layers 'Walk=0.7; Run=0.3' -o jog.glb
  rigview bake fox.glb --every-clip --split -o 'fox_{clip}.glb'
  rigview bake fox.glb --merge walk.glb run.glb -o all.glb
  rigview bake fox.glb --pose pose.json --as-rest -o posed.glb")]
    Bake(Box<bake::BakeArgs>),
    /// Mend what `check` finds, in a copy of the file, and print how far the skin moves.
    #[command(after_help = "\
Examples:
  rigview fix fox.glb -o fixed.glb
  rigview fix fox.glb --dry-run --also all
  rigview fix fox.glb -o fixed.glb --also KEYS_SPARE --bound 0.5

By default, only what the specification forbids or what players read differently is mended.")]
    Fix(fix::FixArgs),
    /// Write files of any kind that opens as glTF, and measure what changed.
    #[command(after_help = "\
Examples:
  rigview convert walk.fbx -o walk.glb
  rigview convert capture/*.bvh -o '{name}.glb'
  rigview convert man.glb --clips-from walk.fbx --clip Walk -o man_walks.glb")]
    Convert(convert::ConvertArgs),
    /// List the GPU adapters with their backends, drivers and limits.
    #[command(after_help = "Example: rigview gpus --json")]
    Gpus(GpusArgs),
    /// Run the cases of a manifest, and compare pictures, poses and findings with approved ones.
    #[command(after_help = "Example: rigview test suite.toml --report report")]
    Test(Box<test::TestArgs>),
    /// Draw a small square picture of a file for a file manager, within limits of time and memory.
    #[command(after_help = "\
Example: rigview thumbnail -s 256 -i fox.glb -o fox.png

The picture shows the first clip's first pose in the default look, on a transparent background. A file that takes
longer or needs more memory than the limits ends the program with exit code 3.")]
    Thumbnail(thumbnail::ThumbnailArgs),
    /// Print the completions of commands and options for a shell.
    #[command(after_help = "\
Examples:
  rigview completions bash > ~/.local/share/bash-completion/completions/rigview
  rigview completions fish > ~/.config/fish/completions/rigview.fish")]
    Completions(man::CompletionsArgs),
    /// Print a manual page, or write those of all commands to a folder.
    #[command(after_help = "\
Examples:
  rigview man screenshot | man -l -
  rigview man -o ~/.local/share/man/man1")]
    Man(man::ManArgs),
}

#[derive(Debug, Args)]
pub struct WindowArgs {
    /// Models (.glb, .gltf, .vrm, .fbx, .bvh), or folders of them [default: the built-in rig]. PageUp and PageDown
    /// switch between them.
    pub file: Vec<PathBuf>,
    /// Compare two models in the window: `A --compare B` or `--compare A B`.
    #[arg(long, value_name = "FILE", num_args = 1..=2)]
    pub compare: Vec<PathBuf>,
    /// Control the window by JSON lines from this file, for tests and demos; - reads standard input.
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// Open the files in the window that is already open, if there is one. Other options are then ignored.
    #[arg(long)]
    pub reuse: bool,
    /// How the picture is drawn while something moves: `full`, `quick` (with fewer pixels), or `auto` (quick where full
    /// frames take longer than 40 ms) [default: as chosen in the window]
    #[arg(long, value_name = "NAME", value_parser = motion_quality)]
    pub quality: Option<MotionQuality>,
    #[command(flatten)]
    pub scene: SceneArgs,
}

#[derive(Debug, Args)]
pub struct GpusArgs {
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub gpu: GpuArgs,
}

#[derive(Debug, Args)]
pub struct BenchArgs {
    /// A model (.glb, .gltf, .vrm, .fbx, .bvh); - is standard input [default: the built-in rig].
    pub file: Option<PathBuf>,
    /// How time advances from frame to frame.
    #[arg(long, value_enum, default_value = "forward")]
    pub mode: BenchMode,
    /// Animate N characters, each at its own time in the clip.
    #[arg(long, value_name = "N", default_value = "1")]
    #[arg(value_parser = whole(1, 100_000))]
    pub instances: u32,
    /// Draw at this size in pixels; each character must be at least 20 pixels high.
    #[arg(long, alias = "resolution", value_name = "WxH", default_value = "1024x768", value_parser = size)]
    #[arg(conflicts_with = "no_render")]
    pub size: [u32; 2],
    /// Draw nothing; measure only sampling, the hierarchy and the joint palettes.
    #[arg(long)]
    pub no_render: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    pub clip: ClipArgs,
    #[command(flatten)]
    pub gpu: GpuArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BenchMode {
    /// By a sixtieth of a second, as in playback.
    Forward,
    /// To a distant time, as in scrubbing.
    Scrub,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn only_global_options_may_precede_a_command() {
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
            assert_eq!(args.scene.camera.eye, Some(glam::DVec3::new(-1.0, 2.0, -3.0)));
        }
    }
}
