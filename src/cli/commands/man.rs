//! `rigview man` and `rigview completions`: manual pages and shells' completions, made from the definitions of the arguments.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};

use crate::cli::failure::{EXIT_CODES, Failure, Result};
use crate::cli::output::{not_written, print};
use rigview_capture::write_whole;

const VARIABLES: [(&str, &str); 2] = [
    ("NO_COLOR", "If it is set and not empty, output has no colours, even on a terminal."),
    (
        "RUST_BACKTRACE",
        "With the value full, an internal error prints a backtrace, and a crash dumps core.",
    ),
];

const GPU_VARIABLES: [(&str, &str); 4] = [
    ("RIGVIEW_ADAPTER", "Adapter to use without --adapter."),
    ("RIGVIEW_BACKEND", "Graphics API to use without --backend."),
    (
        "RIGVIEW_FONTS",
        "Folders with fonts for letters that the built-in fonts lack, instead of the system's.",
    ),
    ("XDG_CACHE_HOME", "Folder below which compiled pipelines are kept for a faster start."),
];

const WINDOW_VARIABLES: [(&str, &str); 2] = [
    (
        "RIGVIEW_SETTINGS",
        "File of the window's settings, instead of the system's place for it. An empty value turns them off.",
    ),
    ("XDG_RUNTIME_DIR", "Folder of the socket by which --reuse finds the open window."),
];

#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command whose page is printed [default: the page of rigview itself].
    pub command: Option<String>,
    /// Write the pages of all commands to this folder instead.
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    pub output: Option<PathBuf>,
}

/// Prints or writes pages of `program`, the definition of the whole command line.
pub fn run(args: &ManArgs, program: clap::Command) -> Result {
    let mut program = program.disable_help_subcommand(true);
    program.build();
    if let Some(folder) = &args.output {
        fs::create_dir_all(folder).map_err(|e| not_written(folder, &e))?;
        for command in std::iter::once(&program).chain(shown(&program)) {
            let path = folder.join(format!("{}.1", page_name(command)));
            let page = page(command, &program);
            write_whole(&path, |out| out.write_all(&page)).map_err(|e| not_written(&path, &e))?;
        }
        return Ok(());
    }
    let command = match &args.command {
        None => &program,
        Some(name) => {
            shown(&program).find(|command| command.get_name() == name).ok_or_else(|| {
                let names: Vec<_> = shown(&program).map(clap::Command::get_name).collect();
                let names = names.join(", ");
                Failure::Usage(format!("no command \"{name}\"; the commands are {names}"))
            })?
        }
    };
    let page = page(command, &program);
    print(|out| out.write_all(&page))
}

fn shown(program: &clap::Command) -> impl Iterator<Item = &clap::Command> {
    program.get_subcommands().filter(|command| !command.is_hide_set())
}

/// Returns the name of a page without its section: `rigview-pose`.
fn page_name(command: &clap::Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

fn page(command: &clap::Command, program: &clap::Command) -> Vec<u8> {
    let mut page = Vec::new();
    // Writing to memory does not fail.
    let _ = write_page(command, program, &mut page);
    page
}

fn write_page(
    command: &clap::Command,
    program: &clap::Command,
    page: &mut Vec<u8>,
) -> io::Result<()> {
    let version = program.get_version().unwrap_or_default();
    let is_program = command.get_name() == program.get_name();
    let man = Man::new(command.clone());
    // The empty quotes stand for the date; Man would leave them out, and shift what follows.
    let title = page_name(command).to_uppercase();
    writeln!(page, ".TH {title} 1 \"\" \"rigview {version}\" \"rigview manual\"")?;
    man.render_name_section(page)?;
    synopsis(command).to_writer(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    if is_program {
        man.render_subcommands_section(page)?;
    }
    examples(command).to_writer(page)?;
    let status = EXIT_CODES.map(|(code, meaning)| (code.to_string(), meaning));
    list("EXIT STATUS", status.iter().map(|(code, text)| (code.as_str(), *text)))
        .to_writer(page)?;
    list("ENVIRONMENT", variables(command, is_program)).to_writer(page)?;
    let mut more = Roff::new();
    more.control("SH", ["SEE ALSO"]);
    let pages =
        if is_program { shown(program).map(page_name).collect() } else { vec![page_name(program)] };
    let last = pages.len().saturating_sub(1);
    let end = |index: usize| if index == last { "(1)" } else { "(1), " };
    let refer = |(index, name): (usize, &&str)| [bold(*name), roman(end(index))];
    more.text(pages.iter().enumerate().flat_map(refer).collect::<Vec<Inline>>());
    more.to_writer(page)
}

fn synopsis(command: &clap::Command) -> Roff {
    let usage = command.clone().render_usage().to_string();
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    for (index, line) in usage.lines().enumerate() {
        if index > 0 {
            roff.control("br", []);
        }
        let line = line.trim_start_matches("Usage:").trim();
        let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
        match line.strip_prefix(name) {
            Some(rest) => roff.text([bold(name), roman(rest)]),
            None => roff.text([roman(line)]),
        };
    }
    roff
}

/// Returns the examples and remarks below the help text. Lines with a command stay as they are; the exit codes have a
/// section of their own.
fn examples(command: &clap::Command) -> Roff {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut roff = Roff::new();
    if text.is_empty() {
        return roff;
    }
    roff.control("SH", ["EXAMPLES"]);
    let paragraphs = text.split("\n\n").filter(|p| !p.starts_with("Exit codes"));
    for (index, paragraph) in paragraphs.enumerate() {
        if index > 0 {
            roff.control("PP", []);
        }
        for line in paragraph.lines().map(str::trim) {
            let line = line.strip_prefix("Examples:").unwrap_or(line);
            let line = line.strip_prefix("Example:").unwrap_or(line).trim();
            if line.starts_with("rigview") {
                roff.control("RS", ["4"]);
                roff.control("nf", []);
                roff.text([roman(line)]);
                roff.control("fi", []);
                roff.control("RE", []);
            } else if !line.is_empty() {
                roff.text([roman(line)]);
            }
        }
    }
    roff
}

fn list<'a>(heading: &str, terms: impl IntoIterator<Item = (&'a str, &'a str)>) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", [heading]);
    for (term, meaning) in terms {
        roff.control("TP", []);
        roff.text([bold(term)]);
        roff.text([roman(meaning)]);
    }
    roff
}

fn variables(
    command: &clap::Command,
    is_program: bool,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let draws = command.get_arguments().any(|arg| arg.get_long() == Some("adapter"));
    let gpu = GPU_VARIABLES.into_iter().filter(move |_| draws);
    let window = WINDOW_VARIABLES.into_iter().filter(move |_| is_program);
    VARIABLES.into_iter().chain(gpu).chain(window)
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell that will read them.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Prints the completions of `program`, the definition of the whole command line.
pub fn print_completions(args: &CompletionsArgs, mut program: clap::Command) -> Result {
    let mut script = Vec::new();
    generate(args.shell, &mut program, "rigview", &mut script);
    print(|out| out.write_all(&script))
}
