//! The command line: arguments to a library call, its answer to a print and an exit code.
//!
//! `args` is what is typed, one file to a command does it, `failure` holds the exit codes.

mod args;
mod bake;
mod bench;
mod camera_args;
mod choice;
mod curve;
mod failure;
mod info;
mod look_args;
mod output;
mod pose;
mod screenshot;
mod values;
#[cfg(feature = "window")]
mod window;

use std::io::Write;
use std::process::ExitCode;

use args::{Cli, Command};
use failure::Failure;

/// The built-in rig, shown where no file is named.
const CREATURE: &[u8] = include_bytes!("../../assets/creature.glb");

/// Runs the program on its arguments. Prints what went wrong, if anything did, in one line.
pub fn run() -> ExitCode {
    let cli = Cli::read(std::env::args_os()).unwrap_or_else(|e| e.exit());
    start_log(&cli);
    let done = match &cli.command {
        Some(Command::Screenshot(args)) => screenshot::run(args),
        Some(Command::Pose(args)) => pose::run(args),
        Some(Command::Info(args)) => info::run(args),
        Some(Command::Curve(args)) => curve::run(args),
        Some(Command::Bench(args)) => bench::run(args),
        Some(Command::Bake(args)) => bake::run(args),
        None => show(&cli),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::ClosedOutput) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("rigview: {failure}");
            ExitCode::from(failure.code())
        }
    }
}

#[cfg(feature = "window")]
fn show(cli: &Cli) -> Result<(), Failure> {
    window::run(&cli.window)
}

#[cfg(not(feature = "window"))]
fn show(_: &Cli) -> Result<(), Failure> {
    let without = "this rigview was built without a window: there are screenshot, pose, info, curve, bake and bench";
    Err(Failure::Usage(without.into()))
}

fn start_log(cli: &Cli) {
    let level = match (&cli.log_level, cli.quiet, cli.verbose) {
        (Some(level), ..) => *level,
        (None, true, _) => log::LevelFilter::Off,
        (None, false, 0) => log::LevelFilter::Warn,
        (None, false, 1) => log::LevelFilter::Info,
        (None, false, _) => log::LevelFilter::Debug,
    };
    // The graphics crates tell their own developers' story at every level below error.
    let others = if level >= log::LevelFilter::Debug { level } else { log::LevelFilter::Off };
    env_logger::Builder::new()
        .filter_level(others)
        .filter_module("rigview", level)
        .format(|out, record| {
            let level = record.level().as_str().to_lowercase();
            writeln!(out, "rigview: {level}: {}", record.args())
        })
        .init();
}
