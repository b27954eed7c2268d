//! The options of one of several pictures: those of the command line and those of a line of a list.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches, Id, Parser};
use serde_json::{Map, Value};

use super::screenshot::ScreenshotArgs;
use crate::cli::args::Cli;
use crate::cli::failure::Failure;
use crate::cli::usage;
use rigview_import::escaped;

/// Arguments that concern all pictures, so that a picture has none of its own.
const OF_ALL: [&str; 7] =
    ["list", "jobs", "timeout", "memory_limit", "worker", "adapter", "backend"];

/// The command line of one picture.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true, args_override_self = true)]
struct OnePicture {
    #[command(flatten)]
    args: ScreenshotArgs,
}

/// What a line of a list says.
#[derive(Default)]
pub struct Line {
    /// Its options, as words of a command line.
    words: Vec<String>,
    /// The options that it gives or switches off, which the command line then does not give.
    named: Vec<Id>,
    /// The model's file.
    pub file: Option<String>,
}

impl Line {
    /// Reads a JSON object whose keys are options.
    pub fn parse(line: &str) -> Result<Self, String> {
        let object: Map<String, Value> =
            serde_json::from_str(line).map_err(|e| format!("not a JSON object: {e}"))?;
        let (command, mut out) = (OnePicture::command(), Self::default());
        for (key, value) in object {
            match (key.as_str(), value) {
                ("file", Value::String(name)) => out.file = Some(name),
                ("file", _) => return Err("the key `file` is a path in quotes".to_owned()),
                ("args", Value::Array(list)) => {
                    for word in list {
                        out.words
                            .push(text_of(&word).ok_or("`args` is a list of words in quotes")?);
                    }
                }
                (key, value) => {
                    let arg = of_name(&command, key);
                    let arg = arg.filter(|arg| !OF_ALL.contains(&arg.get_id().as_str()));
                    let arg = arg.ok_or_else(|| unknown_key(key, &command))?;
                    out.named.push(arg.get_id().clone());
                    add_words(&mut out.words, key, &value, arg.get_action())
                        .ok_or_else(|| format!("the key `{}` has no such value", escaped(key)))?;
                }
            }
        }
        Ok(out)
    }

    /// Returns the words of the picture's command line: those of the call, as [`words_of_call`] returns them, without what
    /// the line replaces, and those of the line.
    pub fn joined(&self, call: &[String]) -> Vec<String> {
        let command = OnePicture::command();
        let given: Vec<&Arg> =
            self.words.iter().filter_map(|word| of_word(&command, word)).collect();
        let is_kept = |word: &&String| {
            let Some(arg) = of_word(&command, word) else { return true };
            let is_named = self.named.contains(arg.get_id()) || given.contains(&arg);
            !is_named && !given.iter().any(|own| exclude_each_other(&command, own, arg))
        };
        call.iter().filter(is_kept).chain(&self.words).cloned().collect()
    }
}

/// Returns the option of a name without dashes.
fn of_name<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|arg| {
        arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|all| all.contains(&name))
    })
}

/// Returns the option that a word of a command line gives; `None` if it is the value of one.
fn of_word<'a>(command: &'a Command, word: &str) -> Option<&'a Arg> {
    if let Some(long) = word.strip_prefix("--") {
        return of_name(command, long.split('=').next().unwrap_or(long));
    }
    let short = word.strip_prefix('-')?.chars().next()?;
    command.get_arguments().find(|arg| arg.get_short() == Some(short))
}

/// Whether two options can't be given together.
fn exclude_each_other(command: &Command, a: &Arg, b: &Arg) -> bool {
    let excludes = |a: &Arg, b: &Arg| command.get_arg_conflicts_with(a).contains(&b);
    excludes(a, b) || excludes(b, a)
}

fn concerns_all(option: &str) -> String {
    format!("`{option}` concerns all pictures; give it on the command line")
}

fn unknown_key(key: &str, command: &Command) -> String {
    if OF_ALL.iter().any(|id| id.replace('_', "-") == key) {
        return concerns_all(key);
    }
    let names: Vec<String> =
        command.get_arguments().filter_map(|arg| arg.get_long()).map(str::to_owned).collect();
    let near = usage::nearest(key, &names);
    let near = near.first().map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    format!("no option `{}`{near}", escaped(key))
}

/// Adds the words of an option. A list of numbers is one value, such as a vector. Another list repeats an option that may
/// be given several times.
fn add_words(words: &mut Vec<String>, key: &str, value: &Value, action: &ArgAction) -> Option<()> {
    let values = match value {
        Value::Null | Value::Bool(false) => return Some(()),
        Value::Bool(true) => {
            words.push(format!("--{key}"));
            return Some(());
        }
        Value::Array(list)
            if matches!(action, ArgAction::Append)
                && (list.is_empty() || !list.iter().all(Value::is_number)) =>
        {
            &list[..]
        }
        value => std::slice::from_ref(value),
    };
    for value in values {
        let value = match value {
            Value::Array(list) => list.iter().map(text_of).collect::<Option<Vec<_>>>()?.join(","),
            value => text_of(value)?,
        };
        words.push(format!("--{key}={value}"));
    }
    Some(())
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Parses the command line of a picture.
pub fn parsed(words: &[String]) -> Result<ScreenshotArgs, Failure> {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let matches = OnePicture::command().try_get_matches_from(words);
    let wrong = |error: clap::Error| {
        let call = ["rigview", "screenshot"].map(OsString::from);
        Failure::Usage(usage::line(&Cli::command(), &error, &call))
    };
    let matches = matches.map_err(wrong)?;
    let is_given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
    if let Some(id) = OF_ALL.iter().find(|id| is_given(id)) {
        return Err(Failure::Usage(concerns_all(&id.replace('_', "-"))));
    }
    Ok(OnePicture::from_arg_matches(&matches).map_err(wrong)?.args)
}

/// Returns the options of this program's command line that every picture has.
pub fn words_of_call() -> Result<Vec<String>, Failure> {
    let mut program = Cli::command();
    let call: Vec<OsString> = std::env::args_os().collect();
    let matches = program.try_get_matches_from_mut(call.clone());
    let matches = matches.map_err(|error| Failure::Usage(usage::line(&program, &error, &call)))?;
    let Some((_, matches)) = matches.subcommand() else { return Ok(Vec::new()) };
    let mut words = Vec::new();
    for arg in OnePicture::command().get_arguments() {
        let id = arg.get_id().as_str();
        let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
        let Some(option) = arg.get_long().filter(|_| is_given && !OF_ALL.contains(&id)) else {
            continue;
        };
        match arg.get_action().takes_values() {
            false => words.push(format!("--{option}")),
            true => add_given(&mut words, id, option, matches)?,
        }
    }
    Ok(words)
}

/// Adds an option as often as it is given.
fn add_given(
    words: &mut Vec<String>,
    id: &str,
    option: &str,
    matches: &ArgMatches,
) -> Result<(), Failure> {
    for values in matches.get_raw_occurrences(id).into_iter().flatten() {
        let values: Vec<_> = values.map(|value| value.to_str()).collect();
        let Some(values) = values.into_iter().collect::<Option<Vec<_>>>() else {
            return Err(Failure::Usage(format!("--{option}: several pictures need UTF-8 here")));
        };
        words.push(match values.is_empty() {
            true => format!("--{option}"),
            false => format!("--{option}={}", values.join(",")),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_keys_of_a_line_are_options() {
        for (line, expected) in [
            (r#"{"clip": "Run", "time": 0.5}"#, &["--clip=Run", "--time=0.5"][..]),
            (r#"{"skeleton": true, "grid": false, "axes": null}"#, &["--skeleton"]),
            (r#"{"eye": [0, -1.5, 3], "size": "64x64"}"#, &["--eye=0,-1.5,3", "--size=64x64"]),
            (
                r#"{"expression": ["joy=1", "blink"]}"#,
                &["--expression=joy=1", "--expression=blink"],
            ),
            (r#"{"light": [0, -1.5, 0]}"#, &["--light=0,-1.5,0"]),
            (r#"{"light": [[0, 1, 0], "1,0,0,3"]}"#, &["--light=0,1,0", "--light=1,0,0,3"]),
            (
                r#"{"args": ["--orbit", "30,10"], "resolution": [64, 32]}"#,
                &["--orbit", "30,10", "--resolution=64,32"],
            ),
        ] {
            assert_eq!(Line::parse(line).unwrap().words, expected, "{line}");
        }
        for (line, says) in [
            (r#"{"tiem": 1}"#, "did you mean `time`?"),
            (r#"{"timeout": 1}"#, "on the command line"),
            (r#"{"adapter": "software"}"#, "on the command line"),
            (r#"{"clip": {}}"#, "the key `clip` has no such value"),
            (r#"{"file": 3}"#, "a path in quotes"),
        ] {
            let said = Line::parse(line).err().unwrap();
            assert!(said.contains(says), "{said}");
        }
    }

    #[test]
    fn a_line_replaces_the_options_of_the_call() {
        let call = [
            "--size=64x64",
            "--output={name}.png",
            "--skeleton",
            "--light=1,0,0",
            "--light=0,1,0",
            "--clip=Walk",
            "--time=0.5",
        ];
        let call = call.map(str::to_owned);
        let without = |left_out: &[&str], own: &[&str]| -> Vec<String> {
            let kept = call.iter().filter(|word| !left_out.iter().any(|out| word.starts_with(out)));
            kept.cloned().chain(own.iter().map(|word| (*word).to_owned())).collect()
        };
        for (line, left_out, own) in [
            (r#"{"size": "32x32"}"#, &["--size"][..], &["--size=32x32"][..]),
            (r#"{"skeleton": false}"#, &["--skeleton"], &[]),
            (r#"{"clip": null}"#, &["--clip"], &[]),
            (r#"{"light": [0, -1, 0]}"#, &["--light"], &["--light=0,-1,0"]),
            (r#"{"rest": true}"#, &["--clip"], &["--rest"]),
            (r#"{"rest": false}"#, &[], &[]),
            (r#"{"frame": 3}"#, &["--time"], &["--frame=3"]),
            (r#"{"animation-time": 0.3}"#, &["--time"], &["--animation-time=0.3"]),
            (r#"{"args": ["-o", "a.png"]}"#, &["--output"], &["-o", "a.png"]),
            (
                r#"{"args": ["--all-clips", "--time", "-1"]}"#,
                &["--clip", "--time"],
                &["--all-clips", "--time", "-1"],
            ),
            (r#"{"look": "night"}"#, &["--light"], &["--look=night"]),
        ] {
            let joined = Line::parse(line).unwrap().joined(&call);
            assert_eq!(joined, without(left_out, own), "{line}");
            parsed(&joined).unwrap();
        }
        let args = parsed(&Line::parse(r#"{"size": "32x32"}"#).unwrap().joined(&call)).unwrap();
        assert_eq!(args.scene.look.size, [32, 32]);
        assert_eq!(args.output.as_deref(), Some(Path::new("{name}.png")));
    }

    #[test]
    fn args_give_nothing_that_concerns_all_pictures() {
        for args in [r#""--jobs", "2""#, r#""--list=x""#, r#""--worker""#, r#""--adapter", "x""#] {
            let line = Line::parse(&format!(r#"{{"output": "a.png", "args": [{args}]}}"#)).unwrap();
            let said = parsed(&line.joined(&[])).unwrap_err().to_string();
            assert!(said.contains("concerns all pictures"), "{args}: {said}");
        }
    }
}
