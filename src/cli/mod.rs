//! The command line: turns arguments into library calls, and their results into output and an exit
//! code.
//!
//! `args` defines the arguments, a file of `commands` runs each command, `failure` defines the exit codes.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod choice;
mod clips;
mod commands;
mod contract_file;
mod crash;
#[cfg(target_os = "linux")]
mod drivers;
mod failure;
mod file_uri;
mod findings;
mod first_help;
mod input;
mod limits;
mod lookup;
mod model_files;
mod model_output;
mod opening;
mod output;
mod side_files;
mod usage;
mod warnings;
mod workers;

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::mpsc::channel;

use clap::CommandFactory;

use args::{Cli, Command};
use failure::Failure;

pub use crash::Memory;

/// Runs the program on its arguments and ends it. On failure, prints one line on standard error.
pub fn run() -> ! {
    crash::install();
    let code = std::panic::catch_unwind(run_command).unwrap_or_else(|payload| {
        // The hook does not report guarded panics; this one was resumed on the waiting thread.
        crash::say(&crash::internal_error(&*payload, ""));
        crash::EXIT_CODE
    });
    // Errors of writing were reported where they occurred.
    let _ = io::stdout().flush();
    crash::end(code)
}

fn run_command() -> u8 {
    let args: Vec<_> = std::env::args_os().collect();
    let done = match Cli::read(args.clone()) {
        Ok(cli) => {
            #[cfg(target_os = "linux")]
            drivers::set_variables(&cli);
            start_log(&cli);
            start_threads();
            perform(&cli)
        }
        Err(error) if error.use_stderr() => {
            Err(Failure::Usage(usage::line(&Cli::command(), &error, &args)))
        }
        Err(help) => help.print().map_err(output::standard_output_failed),
    };
    let Err(failure) = done else { return 0 };
    if !matches!(failure, Failure::ClosedOutput) {
        crash::say(&failure.to_string());
    }
    failure.code()
}

/// Starts the thread pool with a thread for each processor, or as many as the system allows. If it allows none, the
/// current thread does all work.
fn start_threads() {
    // Building the pool fails for good if any of its threads can't start, so start them before it.
    let wanted = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let started = (0..wanted).map_while(|_| {
        let (send, parts) = channel::<rayon::ThreadBuilder>();
        let thread = std::thread::Builder::new();
        thread.spawn(move || parts.into_iter().for_each(rayon::ThreadBuilder::run)).ok()?;
        Some(send)
    });
    let mut started: Vec<_> = started.collect();
    let pool = match started.len() {
        0 => rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread(),
        count => rayon::ThreadPoolBuilder::new().num_threads(count),
    };
    let hand_over = |part| {
        let thread = started.pop().ok_or(io::ErrorKind::NotFound)?;
        thread.send(part).map_err(|_| io::ErrorKind::NotFound.into())
    };
    if let Err(error) = pool.spawn_handler(hand_over).build_global() {
        log::debug!("no threads: {error}");
    }
}

/// Runs the requested command.
fn perform(cli: &Cli) -> Result<(), Failure> {
    match &cli.command {
        Some(Command::Screenshot(args)) => commands::pictures::run(args),
        Some(Command::Compare(args)) => commands::compare::run(args),
        Some(Command::Record(args)) => commands::record::run(args),
        Some(Command::Sheet(args)) => commands::sheet::run(args),
        Some(Command::Diff(args)) => commands::diff::run(args),
        Some(Command::Pose(args)) => commands::pose::run(args),
        Some(Command::Info(args)) => commands::info::run(args),
        Some(Command::Check(args)) => commands::check::run(args),
        Some(Command::Curve(args)) => commands::curve::run(args),
        Some(Command::Bench(args)) => commands::bench::run(args),
        Some(Command::Bake(args)) => commands::bake::run(args),
        Some(Command::Fix(args)) => commands::fix::run(args),
        Some(Command::Convert(args)) => commands::convert::run(args),
        Some(Command::Gpus(args)) => commands::gpus::run(args),
        Some(Command::Test(args)) => commands::test::run(args),
        Some(Command::Thumbnail(args)) => commands::thumbnail::run(args),
        Some(Command::Completions(args)) => commands::man::print_completions(args, Cli::command()),
        Some(Command::Man(args)) => commands::man::run(args, Cli::command()),
        None => show(cli),
    }
}

#[cfg(feature = "window")]
fn show(cli: &Cli) -> Result<(), Failure> {
    commands::window::run(&cli.window)
}

/// Returns the options of the window that arguments open, without the program's name. For tests of what a window shows,
/// which need none.
///
/// # Errors
/// If the arguments are wrong.
#[cfg(feature = "window")]
#[doc(hidden)]
pub fn window_start(args: &[&str]) -> Result<rigview_window::Start, String> {
    let args = std::iter::once("rigview").chain(args.iter().copied());
    let cli = Cli::read(args).map_err(|error| error.to_string())?;
    commands::window::start(&cli.window).map_err(|failure| failure.to_string())
}

#[cfg(not(feature = "window"))]
fn show(_: &Cli) -> Result<(), Failure> {
    let without =
        "this rigview was built without a window; give a command (rigview --help lists them)";
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
    // Messages of the graphics crates are meant for developers, even warnings.
    let others = if level >= log::LevelFilter::Debug { level } else { log::LevelFilter::Off };
    env_logger::Builder::new()
        .filter_level(others)
        .filter_module("rigview", level)
        .format(|out, record| {
            if warnings::keep(record) {
                return Ok(());
            }
            let level = record.level().as_str().to_lowercase();
            writeln!(out, "rigview: {level}: {}", record.args())
        })
        .init();
}
