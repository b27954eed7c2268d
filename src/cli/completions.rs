//! `rigview completions SHELL`: prints the completions of a shell.

use clap::Args;
use clap_complete::{Shell, generate};

use super::failure::Failure;
use super::output::print;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell that will read them.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Prints the completions of `program`, the definition of the whole command line.
pub fn run(args: &CompletionsArgs, mut program: clap::Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut program, "rigview", &mut script);
    print(|out| out.write_all(&script))
}
