//! What the command line says of itself: the first help, and usage errors in one line.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use rigview_import::escaped;

/// The least Jaro-Winkler similarity of a suggested name, 0 to 1.
const ALIKE: f64 = 0.7;

const SUGGESTED: usize = 3;

/// Options without a value that may precede the name of a command.
const FLAGS: [&str; 2] = ["--quiet", "--verbose"];

/// Rejects a first word that is meant as a command but is none.
pub fn check_first_word(command: &mut clap::Command, args: &[OsString]) -> Result<(), clap::Error> {
    let mut rest = args.iter().skip(1);
    while let Some(arg) = rest.next() {
        let text = arg.to_string_lossy();
        let many = text.strip_prefix('-').is_some_and(|t| t.chars().all(|c| c == 'v' || c == 'q'));
        match &*text {
            "--log-level" => _ = rest.next(),
            text if FLAGS.contains(&text) || text.starts_with("--log-level=") => {}
            text if many && text.len() > 1 => {}
            text if text.starts_with('-') => return Ok(()),
            "help" => return rest.next().map_or(Ok(()), |word| check_topic(command, word)),
            text if command.find_subcommand(text).is_some() => return Ok(()),
            _ => return check_word(command, arg),
        }
    }
    Ok(())
}

/// Rejects a word that can't be a file: it has no path separator and no extension, and no such file
/// exists.
pub fn check_word(command: &mut clap::Command, word: &OsStr) -> Result<(), clap::Error> {
    let text = word.to_string_lossy();
    let path = Path::new(word);
    let is_path = text.chars().any(std::path::is_separator) || path.extension().is_some();
    if is_path || path.symlink_metadata().is_ok() {
        return Ok(());
    }
    Err(unknown(command, &text, " and no file of that name"))
}

/// Rejects a word after `help` that is no command.
fn check_topic(command: &mut clap::Command, word: &OsStr) -> Result<(), clap::Error> {
    let text = word.to_string_lossy();
    if command.find_subcommand(word).is_some() || text == "help" || text.starts_with('-') {
        return Ok(());
    }
    Err(unknown(command, &text, ""))
}

/// Returns the error for a word that is no command, with similar ones. `also` is what else it is not.
fn unknown(command: &mut clap::Command, text: &str, also: &str) -> clap::Error {
    let names: Vec<String> = command.get_subcommands().map(|c| c.get_name().into()).collect();
    let there = match nearest(text, &names) {
        near if near.is_empty() => format!("the commands are {}", names.join(", ")),
        near if near.len() == 1 => format!("the most similar command is {}", near[0]),
        near => format!("the most similar commands are {}", near.join(", ")),
    };
    let message = format!("no command \"{}\"{also}; {there}", escaped(text));
    command.error(ErrorKind::InvalidSubcommand, message)
}

/// Returns the names that are most similar to a word, best first.
pub fn nearest<'a>(word: &str, names: &'a [String]) -> Vec<&'a str> {
    let word = word.to_lowercase();
    let alike = |name: &'a String| (strsim::jaro_winkler(&word, name), name.as_str());
    let mut found: Vec<_> = names.iter().map(alike).filter(|(how, _)| *how >= ALIKE).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().take(SUGGESTED).map(|(_, name)| name).collect()
}

/// Formats an error of clap as one line that ends with the `--help` command to run. `program` is the
/// whole command line's definition.
pub fn line(program: &clap::Command, error: &clap::Error, args: &[OsString]) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let said = text.split("\n\nUsage:").next().unwrap_or(text);
    let said = said.split("\n\nFor more information").next().unwrap_or(said);
    let said = &by_environment(program, error, args)
        .map_or_else(|| said.to_owned(), |[option, variable]| said.replace(&option, &variable));
    // A group of options is written as `<--a <A>|--b <B>>`.
    let said = match error.kind() {
        ErrorKind::MissingRequiredArgument => {
            said.replace("<--", "--").replace(">>", ">").replace("|--", " or --")
        }
        _ => said.clone(),
    };
    let parts: Vec<String> = said
        .split("\n\n")
        .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|part| !part.is_empty() && !part.contains("as a value, use '--"))
        .map(|part| part.trim_start_matches("tip: ").to_owned())
        .collect();
    let known =
        |arg: &&OsString| arg.to_str().is_some_and(|a| program.find_subcommand(a).is_some());
    let name = args.iter().skip(1).find(known).map(|name| format!(" {}", name.to_string_lossy()));
    format!("{}; see `rigview{} --help`", escaped(&parts.join("; ")), name.unwrap_or_default())
}

/// Returns the option that an error names and the environment variable that set it; `None` if an argument did.
fn by_environment(
    program: &clap::Command,
    error: &clap::Error,
    args: &[OsString],
) -> Option<[String; 2]> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let name = option.split([' ', '=']).next()?;
    let is_named = |arg: &OsString| arg.to_string_lossy().split('=').next() == Some(name);
    if args.iter().any(is_named) {
        return None;
    }
    let commands = std::iter::once(program).chain(program.get_subcommands());
    let mut named = commands.flat_map(clap::Command::get_arguments);
    let arg =
        named.find(|arg| name.strip_prefix("--") == arg.get_long() && arg.get_env().is_some())?;
    Some([option.clone(), arg.get_env()?.to_string_lossy().into_owned()])
}

/// Everything but the names of the other commands, which replace `{others}`.
const SCREEN: &str = "\
Open glTF files in a window, or render, measure and check them without one

Usage: rigview [FILE ...] [OPTIONS]       open files in the window
       rigview COMMAND [OPTIONS]          work without a window

  rigview                                 show the built-in rig; H lists keys
  rigview fox.glb                         open a file; dropping one works too
  rigview screenshot fox.glb -o fox.png   draw a picture
  rigview record fox.glb -o fox.gif       record a clip as a moving picture
  rigview info fox.glb                    list what the file contains
  rigview check fox.glb                   find defects of the rig and its clips

More commands: {others}

Options: --clip NAME, --time SECS, --size WxH, --orbit AZIMUTH,ELEVATION, ...
  rigview COMMAND --help                  the options of a command
  rigview help                            every command and option
  rigview --version                       the version

Exit codes: 0 success, 1 the answer is no, 2 wrong usage, 3 the file can't be
loaded, 4 no usable GPU or display, 5 the result can't be written.
";

const WIDTH: usize = 80;

/// Returns the help of the program. Commands that it has no example of are listed by name, so none is missing.
pub fn first_help(program: &clap::Command) -> String {
    let visible = program.get_subcommands().filter(|command| !command.is_hide_set());
    let names = visible.map(clap::Command::get_name);
    let others: Vec<&str> =
        names.filter(|name| !SCREEN.contains(&format!("rigview {name} "))).collect();
    let lines = SCREEN.lines().map(|line| match line.split_once("{others}") {
        Some((start, _)) => listed(start, &others),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Lists names after the start of a line. Further lines are indented by two.
fn listed(start: &str, names: &[&str]) -> String {
    let mut text = start.trim_end().to_owned();
    let mut column = text.len();
    for (i, name) in names.iter().enumerate() {
        let comma = if i + 1 < names.len() { "," } else { "" };
        if column + 1 + name.len() + comma.len() > WIDTH {
            text += "\n ";
            column = 1;
        }
        text += &format!(" {name}{comma}");
        column += 1 + name.len() + comma.len();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;

    #[test]
    fn long_lists_continue_on_an_indented_line() {
        let names = ["checking"; 12];
        let list = listed("More:", &names);
        let lines: Vec<&str> = list.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("More: checking, ") && lines[0].len() <= WIDTH);
        assert!(lines[1].starts_with("  checking, ") && lines[1].ends_with(" checking"));
    }

    #[test]
    fn commands_with_an_example_are_not_listed_again_and_hidden_ones_never() {
        let program = Command::new("rigview").subcommands([
            Command::new("info"),
            Command::new("weigh"),
            Command::new("worker").hide(true),
        ]);
        assert!(first_help(&program).contains("\nMore commands: weigh\n"));
    }
}
