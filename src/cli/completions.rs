//! `rigview completions SHELL`: prints the completions of a shell.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use super::args::Cli;
use super::failure::Failure;
use super::output::print;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell that will read them.
    #[arg(value_enum)]
    pub shell: Shell,
}

pub fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "rigview", &mut script);
    print(|out| out.write_all(&script))
}
