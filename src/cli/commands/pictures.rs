//! How many pictures a `screenshot` draws: one in this process, or many. Worker processes draw the latter, each with
//! an adapter that stays open, and a picture that fails costs only itself.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, CommandFactory, FromArgMatches, Parser};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::screenshot::{self, ScreenshotArgs, shoot};
use crate::capture::filled;
use crate::cli::args::Cli;
use crate::cli::crash;
use crate::cli::failure::{Failure, said_of};
use crate::cli::input::{is_standard_input, read_input};
use crate::cli::limits::{end_over, late, of_secs, too_large};
use crate::cli::model_files::model_files;
use crate::cli::output::progress_bar;
use crate::cli::output::{expect_png, json_line, print};
use crate::cli::usage;
use crate::cli::warnings::{LogLine, gather, print_gathered, take_gathered};
use crate::cli::workers::{self, Answered, GRACE, Starter, serve};
use crate::import::escaped;
use crate::model::WorkLimit;
use crate::report::counted;
use crate::suite::{Finished, Job, Outcome, run_jobs};

/// Limit of a picture in MiB of resident memory.
const MEMORY_LIMIT_MIB: u32 = 4096;

/// Size limit of a list in bytes; enough for several hundred thousand pictures.
const MOST_BYTES: u64 = 256 << 20;

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

/// A picture to draw.
struct PictureJob {
    /// What messages name: the file, or the line of the list and the file.
    called: String,
    /// Its command line.
    words: Vec<String>,
    args: ScreenshotArgs,
}

/// What became of a picture.
#[derive(Default, Serialize, Deserialize)]
struct Answer {
    /// The exit code that it would have by itself.
    code: u8,
    /// Why it failed.
    message: Option<String>,
    /// What it prints on standard output.
    text: String,
    /// What it logs.
    log: Vec<LogLine>,
    /// Whether there is no usable GPU, so that no picture can be drawn.
    has_no_gpu: bool,
}

/// Draws what the arguments ask for.
pub fn run(args: &ScreenshotArgs) -> Result<(), Failure> {
    if args.batch.worker {
        return serve_orders(args);
    }
    args.output.as_deref().map_or(Ok(()), expect_png)?;
    args.compare.difference.check()?;
    let files = model_files(&args.files)?;
    match args.batch.list.is_some() || files.len() > 1 {
        true => draw_all(args, &files),
        false => screenshot::run(args, files.first().map(PathBuf::as_path)),
    }
}

/// Draws the pictures that standard input orders.
fn serve_orders(args: &ScreenshotArgs) -> Result<(), Failure> {
    gather();
    let limits = args.limits();
    let watch = |_: &Vec<String>| {
        let over = move |_| end_over(&Failure::Output("a picture passes its limits".to_owned()));
        limits.watch(GRACE, over).ok()
    };
    serve(&args.scene.gpu, watch, |words, worker_gpu| {
        let mut text = Vec::new();
        drop(take_gathered());
        let done = worker_gpu
            .perform(|worker_gpu| shoot(&parsed(words)?, args.work, worker_gpu, &mut text));
        let text = String::from_utf8_lossy(&text).into_owned();
        let (code, message, has_no_gpu) = (done.code, done.message, done.has_no_gpu);
        let answer = Answer { code, message, text, log: take_gathered(), has_no_gpu };
        Answered { answer, is_broken: done.is_broken }
    })
}

/// Draws a picture of each file, or for each line of a list.
fn draw_all(args: &ScreenshotArgs, files: &[PathBuf]) -> Result<(), Failure> {
    let pictures = match &args.batch.list {
        Some(list) => listed(list, files)?,
        None => {
            let words = words_of_call()?;
            files.iter().map(|file| PictureJob::of_file(file, &words)).collect::<Result<_, _>>()?
        }
    };
    check_outputs(&pictures)?;
    let batch = &args.batch;
    let secs = args.work.timeout.unwrap_or(WorkLimit::DEFAULT_SECS);
    let mib = batch.memory_limit.unwrap_or(MEMORY_LIMIT_MIB);
    let (time_limit, memory_limit) = (of_secs(secs), u64::from(mib) << 20);
    let jobs = pictures.iter().map(|picture| {
        let line = json_line(&picture.words)?.trim_end().to_owned();
        Ok(Job { line, time_limit, memory_limit })
    });
    let jobs: Vec<Job> = jobs.collect::<Result<_, Failure>>()?;
    let command = [
        &format!("--log-level={}", log::max_level()),
        "screenshot",
        &format!("--timeout={secs}"),
        &format!("--memory-limit={mib}"),
    ];
    let starter = Starter::new(command.map(str::to_owned).to_vec(), &args.scene.gpu)?;
    let mut tally = Tally::new(&pictures);
    let bar = progress_bar(jobs.len() as u64, "pictures");
    run_jobs(
        &jobs,
        workers::count(batch.jobs),
        || starter.process(),
        |finished| {
            bar.inc(1);
            let Finished { job, outcome, .. } = finished;
            let answer = match outcome {
                Outcome::Answer(line) => serde_json::from_str(&line).unwrap_or_else(|error| {
                    lost(format!("the worker's answer can't be read: {error}"), crash::EXIT_CODE)
                }),
                Outcome::Late => lost(late(time_limit, "--timeout"), 3),
                Outcome::TooLarge(_) => lost(too_large(memory_limit), 3),
                Outcome::Lost(why) => lost(why, crash::EXIT_CODE),
            };
            bar.suspend(|| tally.add(job, answer))
        },
    );
    bar.finish_and_clear();
    tally.verdict()
}

fn lost(message: String, code: u8) -> Answer {
    Answer { code, message: Some(message), ..Answer::default() }
}

/// Prints what pictures say in their order, and counts those that failed.
struct Tally<'a> {
    pictures: &'a [PictureJob],
    answers: Vec<Option<Answer>>,
    printed: usize,
    failed: usize,
    code: u8,
    /// Why no further picture is drawn.
    stopped: Option<Failure>,
}

impl<'a> Tally<'a> {
    fn new(pictures: &'a [PictureJob]) -> Self {
        let answers = pictures.iter().map(|_| None).collect();
        Self { pictures, answers, printed: 0, failed: 0, code: 0, stopped: None }
    }

    /// Adds an answer. Returns whether further pictures are wanted.
    fn add(&mut self, job: usize, answer: Answer) -> bool {
        if answer.has_no_gpu {
            self.stopped = answer.message.map(Failure::Gpu);
            return false;
        }
        self.answers[job] = Some(answer);
        while let Some(answer) = self.answers.get_mut(self.printed).and_then(Option::take) {
            if let Err(failure) = self.print(&answer) {
                self.stopped = Some(failure);
                return false;
            }
            self.printed += 1;
        }
        true
    }

    fn print(&mut self, answer: &Answer) -> Result<(), Failure> {
        print_gathered(&format!("{}: ", self.pictures[self.printed].called), &answer.log);
        if let Some(message) = &answer.message {
            self.failed += 1;
            self.code = self.code.max(answer.code);
            let called = &self.pictures[self.printed].called;
            // Messages about a file that can't be loaded begin with its name.
            let file = called.rsplit(": ").next().unwrap_or(called);
            crash::say(&said_of(called, file, message));
        }
        match answer.text.is_empty() {
            true => Ok(()),
            false => print(|out| out.write_all(answer.text.as_bytes())),
        }
    }

    fn verdict(self) -> Result<(), Failure> {
        match (self.stopped, self.failed) {
            (Some(failure), _) => Err(failure),
            (None, 0) => Ok(()),
            (None, failed) => {
                let text =
                    format!("{failed} of {} failed", counted(self.pictures.len(), "picture"));
                Err(Failure::Several { code: self.code, text })
            }
        }
    }
}

impl PictureJob {
    fn of_file(file: &Path, words: &[String]) -> Result<Self, Failure> {
        let called = escaped(&file.to_string_lossy());
        let file = file.to_str().ok_or_else(|| {
            Failure::Usage(format!("{called}: several files need names in UTF-8"))
        })?;
        refuse_input(Path::new(file))?;
        let words = words.iter().map(String::as_str).chain(["--", file]);
        let words: Vec<String> = words.map(str::to_owned).collect();
        Ok(Self { called, args: parsed(&words)?, words })
    }

    /// Returns the picture of a line, which has the words of the call before its own.
    fn of_line(line: &str, file: Option<&str>, words: &[String]) -> Result<Self, String> {
        let object: Map<String, Value> =
            serde_json::from_str(line).map_err(|e| format!("not a JSON object: {e}"))?;
        let (own, own_file) = words_of_line(object)?;
        let file = own_file.or(file.map(str::to_owned));
        let called = escaped(file.as_deref().unwrap_or("built-in rig"));
        let behind = file.into_iter().flat_map(|file| ["--".to_owned(), file]);
        let words: Vec<String> = words.iter().cloned().chain(own).chain(behind).collect();
        let args = parsed(&words).map_err(|failure| failure.to_string())?;
        let files = args.files.iter().try_for_each(|file| refuse_input(file));
        files.map_err(|failure| failure.to_string())?;
        if args.files.len() > 1 {
            return Err("a line draws one file; give others lines of their own".to_owned());
        }
        Ok(Self { called, words, args })
    }

    /// Returns the picture's file, as far as it is known before the model is loaded.
    fn output(&self) -> Option<PathBuf> {
        let file = self.args.files.first();
        let stem = file.and_then(|file| file.file_stem()).map(|stem| stem.to_string_lossy());
        let text = self.args.output.as_ref()?.to_str()?;
        let stem = stem.as_deref().unwrap_or_default();
        let text = ["{name}", "{model}"].iter().fold(text.to_owned(), |text, place| {
            text.replace(place, &filled(Path::new("{name}"), stem, "", 0).to_string_lossy())
        });
        Some(PathBuf::from(text))
    }
}

/// Refuses standard input as the file of one of several pictures.
fn refuse_input(file: &Path) -> Result<(), Failure> {
    let text = "-: standard input can't be one of several files";
    if is_standard_input(file) { Err(Failure::Usage(text.into())) } else { Ok(()) }
}

/// Refuses pictures that would be written over each other, or to standard output.
fn check_outputs(pictures: &[PictureJob]) -> Result<(), Failure> {
    let mut first: HashMap<PathBuf, &PictureJob> = HashMap::new();
    for picture in pictures {
        let Some(output) = picture.output() else { continue };
        let PictureJob { called, .. } = picture;
        expect_png(&output)?;
        picture.args.compare.difference.check()?;
        if output == Path::new("-") {
            let text = "-o -: standard output takes one picture; several need a name with {name}";
            return Err(Failure::Usage(text.into()));
        }
        let name = output.to_string_lossy().into_owned();
        // Names of clips and frames are not known yet.
        if name.contains(['{', '}']) {
            continue;
        }
        if let Some(other) = first.insert(output, picture) {
            let same = format!("-o: {called} and {} would both be written to", other.called);
            let text = picture.args.output.as_deref().unwrap_or(Path::new("")).to_string_lossy();
            let advice = match ["{name}", "{model}"].iter().any(|place| text.contains(place)) {
                true => {
                    "the files have one name; draw them one by one, or name their pictures in --list"
                }
                false => "give each a name of its own, such as '{name}.png'",
            };
            return Err(Failure::Usage(format!("{same} {}; {advice}", escaped(&name))));
        }
    }
    Ok(())
}

/// Reads the pictures of a list. A file on the command line is that of the lines that name none.
fn listed(list: &Path, files: &[PathBuf]) -> Result<Vec<PictureJob>, Failure> {
    let called = escaped(&list.to_string_lossy());
    let file = match files {
        [] => None,
        [file] => Some(file.to_string_lossy().into_owned()),
        _ => {
            let text =
                "--list: the lines name the files; give at most one FILE, for lines that name none";
            return Err(Failure::Usage(text.into()));
        }
    };
    let bytes = read_input(list, MOST_BYTES).map_err(|e| Failure::load(list, e))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::Usage(format!("{called}: the list is not UTF-8")))?;
    let words = words_of_call()?;
    let mut pictures = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = format!("{called}:{}", number + 1);
        let picture = PictureJob::of_line(line, file.as_deref(), &words);
        let picture = picture.map_err(|what| Failure::Usage(format!("{place}: {what}")))?;
        pictures.push(PictureJob { called: format!("{place}: {}", picture.called), ..picture });
    }
    match pictures.is_empty() {
        true => Err(Failure::Usage(format!("{called}: the list has no line"))),
        false => Ok(pictures),
    }
}

/// Returns the words of a line's keys, and its file.
fn words_of_line(object: Map<String, Value>) -> Result<(Vec<String>, Option<String>), String> {
    let command = OnePicture::command();
    let (mut words, mut file) = (Vec::new(), None);
    for (key, value) in object {
        match (key.as_str(), value) {
            ("file", Value::String(name)) => file = Some(name),
            ("file", _) => return Err("the key `file` is a path in quotes".to_owned()),
            ("args", Value::Array(list)) => {
                for word in list {
                    words.push(text_of(&word).ok_or("`args` is a list of words in quotes")?);
                }
            }
            (key, value) => {
                let named = |arg: &&clap::Arg| {
                    arg.get_long() == Some(key)
                        || arg.get_all_aliases().is_some_and(|all| all.contains(&key))
                };
                let arg = command.get_arguments().find(named);
                let arg = arg.filter(|arg| !OF_ALL.contains(&arg.get_id().as_str()));
                let arg = arg.ok_or_else(|| unknown_key(key, &command))?;
                add_words(&mut words, key, &value, arg.get_action())
                    .ok_or_else(|| format!("the key `{}` has no such value", escaped(key)))?;
            }
        }
    }
    Ok((words, file))
}

fn unknown_key(key: &str, command: &clap::Command) -> String {
    if OF_ALL.iter().any(|id| id.replace('_', "-") == key) {
        return format!("`{key}` concerns all pictures; give it on the command line");
    }
    let names: Vec<String> =
        command.get_arguments().filter_map(|arg| arg.get_long()).map(str::to_owned).collect();
    let near = usage::nearest(key, &names);
    let near = near.first().map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    format!("no option `{}`{near}", escaped(key))
}

/// Adds the words of an option. A list repeats an option that may be given several times; otherwise it is one value,
/// such as a vector.
fn add_words(words: &mut Vec<String>, key: &str, value: &Value, action: &ArgAction) -> Option<()> {
    match value {
        Value::Null | Value::Bool(false) => {}
        Value::Bool(true) => words.push(format!("--{key}")),
        Value::Array(list) if matches!(action, ArgAction::Append) => {
            for value in list {
                words.push(format!("--{key}={}", text_of(value)?));
            }
        }
        Value::Array(list) => {
            let parts: Vec<String> = list.iter().map(text_of).collect::<Option<_>>()?;
            words.push(format!("--{key}={}", parts.join(",")));
        }
        value => words.push(format!("--{key}={}", text_of(value)?)),
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
fn parsed(words: &[String]) -> Result<ScreenshotArgs, Failure> {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let matches = OnePicture::command().try_get_matches_from(words);
    let picture = matches.and_then(|matches| OnePicture::from_arg_matches(&matches));
    let picture = picture.map_err(|error| {
        let call = ["rigview", "screenshot"].map(OsString::from);
        Failure::Usage(usage::line(&Cli::command(), &error, &call))
    })?;
    Ok(picture.args)
}

/// Returns the options of this program's command line that every picture has.
fn words_of_call() -> Result<Vec<String>, Failure> {
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
    use super::*;

    fn words(line: &str) -> Result<Vec<String>, String> {
        words_of_line(serde_json::from_str(line).unwrap()).map(|(words, _)| words)
    }

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
            (
                r#"{"args": ["--orbit", "30,10"], "resolution": [64, 32]}"#,
                &["--orbit", "30,10", "--resolution=64,32"],
            ),
        ] {
            assert_eq!(words(line).unwrap(), expected, "{line}");
        }
        for (line, says) in [
            (r#"{"tiem": 1}"#, "did you mean `time`?"),
            (r#"{"timeout": 1}"#, "on the command line"),
            (r#"{"adapter": "software"}"#, "on the command line"),
            (r#"{"clip": {}}"#, "the key `clip` has no such value"),
            (r#"{"file": 3}"#, "a path in quotes"),
        ] {
            let said = words(line).unwrap_err();
            assert!(said.contains(says), "{said}");
        }
    }

    #[test]
    fn a_line_replaces_the_options_of_the_call() {
        let call = ["--size=64x64", "--output={name}.png", "--skeleton"].map(str::to_owned);
        let line = r#"{"size": "32x32", "output": "a b.png"}"#;
        let picture = PictureJob::of_line(line, Some("fox.glb"), &call).unwrap();
        assert_eq!(picture.args.scene.look.size, [32, 32]);
        assert_eq!(picture.args.files, [Path::new("fox.glb")]);
        assert_eq!(picture.output().unwrap(), Path::new("a b.png"));
        assert!(picture.args.scene.look.skeleton);
        let picture = PictureJob::of_line("{}", Some("x/fox.glb"), &call).unwrap();
        assert_eq!(picture.output().unwrap(), Path::new("fox.png"));
    }
}
