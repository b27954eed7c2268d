//! `rigview screenshot`: renders pictures without a window, and compares them with references. One picture is drawn in
//! this process. Worker processes draw several, each with an adapter that stays open, and a picture that fails costs
//! only itself.

use std::collections::HashMap;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, CommandFactory, FromArgMatches, Id, Parser};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::compare::{Pair, ReferenceArgs, read_bitmap};
use crate::cli::args::Cli;
use crate::cli::args::scene::SceneArgs;
use crate::cli::args::values::{at_least_one, whole};
use crate::cli::args::work::WorkArgs;
use crate::cli::choice::{charge_pictures, open, open_session, picture_work, source, warn_of_fps};
use crate::cli::failure::{Failure, Result, said_of, shown, some_failed, usage_error};
use crate::cli::input::{is_standard_input, read_input};
use crate::cli::limits::{Limits, Passed, duration_limit, end_over, late, too_large};
use crate::cli::model_files::model_files;
use crate::cli::output::{
    Inputs, check_placeholders, expect_png, is_same_output, overwrites, print, progress_bar,
    resolved, stem, write_whole,
};
use crate::cli::warnings::{LogLine, gather, print_gathered, take_gathered};
use crate::cli::workers::{
    self, Answered, Done, Finished, GRACE, Job, JobFailure, Starter, WorkerGpu, run_jobs, serve,
};
use crate::cli::{crash, usage};
use rigview_capture::{
    FileId, Picture, filled, picture_taking, shown_names, upload, warn_of_omissions, with_model,
    write_png,
};
use rigview_compare::Bitmap;
use rigview_import::{ImportError, ImportOptions, escaped};
use rigview_model::WorkLimit;
use rigview_session::Session;

#[derive(Debug, Args)]
pub struct ScreenshotArgs {
    /// Models (.glb, .gltf, .vrm, .fbx, .bvh), folders of them, or globs in quotes [default: the built-in rig]. Of several, each is
    /// drawn on a picture of its own.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write the PNG to this file; - writes to standard output. {name}, {clip} and {frame:4} are
    /// replaced by the file's name, the clip's name and the four-digit frame number. Several files need {name}.
    #[arg(short, long, value_name = "OUT.png")]
    #[arg(required_unless_present_any = ["reference", "list", "worker"])]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub compare: ReferenceArgs,
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    pub scene: SceneArgs,
    #[command(flatten)]
    pub batch: BatchArgs,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Many pictures")]
pub struct BatchArgs {
    /// Draw a picture for each line of this file, a JSON object whose keys are options, such as {"file": "fox.glb",
    /// "output": "fox.png", "clip": "Run", "skeleton": true}; - reads standard input. A line's options replace
    /// those of the command line.
    #[arg(long, value_name = "JOBS.jsonl")]
    pub list: Option<PathBuf>,
    /// Draw this many pictures at once [default: one per processor, at most 8].
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub jobs: Option<NonZeroUsize>,
    /// Give up a picture that needs more than this much memory, in MiB [default: 4096 for each of several
    /// pictures].
    #[arg(long, value_name = "MIB", value_parser = whole(1, u32::MAX))]
    pub memory_limit: Option<u32>,
    /// Draw the pictures that standard input orders.
    #[arg(long, hide = true)]
    pub worker: bool,
}

impl ScreenshotArgs {
    fn limits(&self) -> Limits {
        let memory = self.batch.memory_limit.map(|mib| u64::from(mib) << 20);
        Limits { memory, ..self.work.limits() }
    }

    /// Returns the files that are written, each with its option.
    fn outputs(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let outputs = [("-o", &self.output), ("--diff", &self.compare.difference.diff)];
        outputs.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?)))
    }

    /// Returns the files that are read, as far as they are known before the model is loaded.
    fn inputs(&self) -> Vec<PathBuf> {
        let borrowed = &self.scene.clip.clips.borrow.clips_from;
        let others = [borrowed, &self.compare.reference].into_iter().flatten();
        let side_files = self.scene.inputs().files;
        self.files.iter().chain(others).cloned().chain(side_files).collect()
    }

    /// Rejects names of files that promise another format, or have a placeholder that is none.
    fn check_names(&self) -> Result {
        self.output.as_deref().map_or(Ok(()), expect_png)?;
        self.compare.difference.check()?;
        let reference = self.compare.reference.as_deref().map(|path| ("--reference", path));
        if let Some((option, _)) = reference.filter(|(_, path)| is_standard_input(path)) {
            let text = "the reference can't be standard input; name a PNG file";
            return usage_error(format!("{option} -: {text}"));
        }
        let mut names = self.outputs().chain(reference);
        names.try_for_each(|(option, path)| check_placeholders(option, path))
    }
}

fn draw_one(args: &ScreenshotArgs, file: Option<&Path>) -> Result {
    args.limits().enforce(file.unwrap_or(Path::new("built-in rig")), "--timeout");
    let ReferenceArgs { reference, difference, .. } = &args.compare;
    let mut names = [&args.output, reference, &difference.diff].into_iter().flatten();
    let is_numbered = |name: &PathBuf| name.to_string_lossy().contains("{frame");
    warn_of_fps(&args.scene, names.any(is_numbered));
    let mut written = WrittenPicture::new(args);
    let mut opened =
        open(file, &args.scene, &written.inputs, ImportOptions::DEFAULT.decoded_limit)?;
    let work = picture_work(&opened.gpu, &opened.session, args.scene.look.size);
    charge_pictures(file, 1, work, args.work)?;
    let images = std::mem::take(&mut opened.images);
    let picture = picture_taking(&opened.gpu, &mut opened.session, images, args.scene.look.size)?;
    let done = written.finish(&picture, &opened.session);
    if !written.answer.text.is_empty() {
        print(|out| out.write_all(written.answer.text.as_bytes()))?;
    }
    done
}

/// Draws one of several pictures in a worker. What it prints and writes is added to the answer, even if it fails.
fn draw_in_worker(
    args: &ScreenshotArgs,
    limit: WorkArgs,
    worker_gpu: &mut WorkerGpu,
    answer: &mut Answer,
) -> Result {
    let gpu = worker_gpu.gpu()?;
    let file = args.files.first().map(PathBuf::as_path);
    let called = file.map_or_else(|| source(None).name(), |file| file.to_string_lossy().into());
    let mut written = WrittenPicture { called: Some(called), ..WrittenPicture::new(args) };
    let formats = OnceLock::from(gpu.block_formats());
    let limit_bytes = ImportOptions::DEFAULT.decoded_limit;
    let (mut session, images) =
        open_session(file, &args.scene, &formats, limit_bytes, &written.inputs)?;
    charge_pictures(file, 1, picture_work(gpu, &session, args.scene.look.size), limit)?;
    warn_of_omissions(&session);
    let gpu_model = upload(gpu, &session, images)?;
    let series = worker_gpu.series(gpu, args.scene.look.size);
    let picture = series.draw(&mut session, &gpu_model)?;
    series.free_model();
    gpu.keep_pipelines();
    let done = written.finish(&picture, &session);
    *answer = written.answer;
    done
}

struct WrittenPicture<'a> {
    args: &'a ScreenshotArgs,
    inputs: Inputs,
    /// The file as JSON has it; `None` if it is the only one.
    called: Option<String>,
    answer: Answer,
}

impl<'a> WrittenPicture<'a> {
    fn new(args: &'a ScreenshotArgs) -> Self {
        Self { args, inputs: args.scene.inputs(), called: None, answer: Answer::default() }
    }

    fn finish(&mut self, picture: &Picture, session: &Session) -> Result {
        let [model, clip] = shown_names(session.playback());
        let frame = session.playback().instant().frame;
        let named = |path: &PathBuf| filled(path, &model, &clip, frame);
        let compare = &self.args.compare;
        let files = Files {
            output: self.args.output.as_ref().map(named),
            reference: compare.reference.as_ref().map(named),
            diff: compare.difference.diff.as_ref().map(named),
        };
        self.inputs.files.extend(files.reference.clone());
        files.check(compare)?;
        if let Some(path) = &files.output {
            write_whole(path, &self.inputs, |out| write_png(picture, out))?;
            self.answer.written.push(("-o".to_owned(), path.clone()));
        }
        match &files.reference {
            Some(reference) => self.compare(picture, reference, &files),
            None => Ok(()),
        }
    }

    fn compare(&mut self, picture: &Picture, reference: &Path, files: &Files) -> Result {
        let args = &self.args.compare;
        if !reference.exists() {
            let name = shown(reference);
            let advice = format!(
                "there is no such reference; create it with the same command, but -o {name} instead of \
                 --reference"
            );
            return Err(Failure::load(reference, ImportError::other(advice)));
        }
        let output = files.output.as_deref().filter(|_| !files.prints_picture());
        let pair = Pair {
            names: [shown(reference), output.map_or_else(|| "the picture".into(), shown)],
            pixels: [read_bitmap(reference)?, Bitmap::from(picture)],
        };
        let comparison = pair.compare(args.difference.limits());
        if let Some(path) = &files.diff {
            comparison.draw(&pair, path, &self.inputs)?;
            self.answer.written.push(("--diff".to_owned(), path.clone()));
        }
        let verdict = comparison.verdict(&pair);
        if args.json {
            self.answer.text = comparison.json(self.called.as_deref())?;
        } else if comparison.accepted && !files.prints_picture() {
            self.answer.text = format!("{verdict}\n");
        }
        if comparison.accepted { Ok(()) } else { Err(Failure::No(verdict)) }
    }
}

/// The files of a picture, with placeholders replaced.
struct Files {
    output: Option<PathBuf>,
    reference: Option<PathBuf>,
    diff: Option<PathBuf>,
}

impl Files {
    fn check(&self, args: &ReferenceArgs) -> Result {
        if args.json && self.prints_picture() {
            return usage_error("--json: standard output has the picture; choose another --output");
        }
        if let (Some(diff), Some(output)) = (&self.diff, &self.output)
            && is_same_output(diff, output)
        {
            return usage_error("--diff: the same file as --output; choose another name");
        }
        Ok(())
    }

    fn prints_picture(&self) -> bool {
        self.output.as_deref() == Some(Path::new("-"))
    }
}

const MEMORY_LIMIT_MIB: u32 = 4096;

/// Size limit of a list in bytes; enough for several hundred thousand pictures.
const MOST_BYTES: u64 = 256 << 20;

struct PictureJob {
    /// What messages name: the file, or the line of the list and the file.
    called: String,
    words: Vec<String>,
    args: ScreenshotArgs,
}

#[derive(Default, Serialize, Deserialize)]
struct Answer {
    /// The exit code that it would have by itself.
    code: u8,
    message: Option<String>,
    text: String,
    /// The files that it has written, each with its option.
    written: Vec<(String, PathBuf)>,
    log: Vec<LogLine>,
    /// Whether there is no usable GPU, so that no picture can be drawn.
    has_no_gpu: bool,
}

pub fn run(args: &ScreenshotArgs) -> Result {
    if args.batch.worker {
        return serve_orders(args);
    }
    args.check_names()?;
    let files = model_files(&args.files)?;
    if args.batch.list.is_some() || files.len() > 1 {
        draw_all(args, &files)
    } else {
        draw_one(args, files.first().map(PathBuf::as_path))
    }
}

fn serve_orders(args: &ScreenshotArgs) -> Result {
    gather();
    let limits = args.limits();
    let watch = |_: &Vec<String>| {
        let over = move |_| end_over(&Failure::Output("a picture passes its limits".to_owned()));
        limits.watch(GRACE, over).ok()
    };
    serve(&args.scene.gpu, watch, |words, worker_gpu| {
        let mut answer = Answer::default();
        drop(take_gathered());
        let Done { code, message, has_no_gpu, is_broken } =
            worker_gpu.perform(|gpu| draw_in_worker(&parsed(words)?, args.work, gpu, &mut answer));
        let answer = Answer { code, message, has_no_gpu, log: take_gathered(), ..answer };
        Answered { answer, is_broken }
    })
}

fn draw_all(args: &ScreenshotArgs, files: &[PathBuf]) -> Result {
    let pictures = match &args.batch.list {
        Some(list) => listed(list, files)?,
        None => {
            let words = words_of_call()?;
            files
                .iter()
                .map(|file| PictureJob::from_file(file, &words))
                .collect::<Result<_, _>>()?
        }
    };
    check_outputs(&pictures, args.batch.list.as_deref())?;
    let batch = &args.batch;
    let secs = args.work.timeout.unwrap_or(WorkLimit::DEFAULT_SECS);
    let mib = batch.memory_limit.unwrap_or(MEMORY_LIMIT_MIB);
    let (time_limit, memory_limit) = (duration_limit(secs), u64::from(mib) << 20);
    let limits = Limits { time: Some(time_limit), memory: Some(memory_limit) };
    let jobs = pictures.iter().map(|picture| Job { order: &picture.words, limits });
    let jobs: Vec<Job<&Vec<String>>> = jobs.collect();
    let command = [
        &format!("--log-level={}", log::max_level()),
        "screenshot",
        &format!("--timeout={secs}"),
        &format!("--memory-limit={mib}"),
    ];
    let starter = Starter::new(command.map(str::to_owned).to_vec(), &args.scene.gpu)?;
    let answers = pictures.iter().map(|_| None).collect();
    let mut tally = Tally { pictures: &pictures, answers, ..Tally::default() };
    let bar = progress_bar(jobs.len() as u64, "pictures");
    run_jobs(
        &jobs,
        workers::count(batch.jobs),
        || starter.process(),
        |finished| {
            bar.inc(1);
            let Finished { job, answer, .. } = finished;
            let answer = answer.unwrap_or_else(|failure| match failure {
                JobFailure::Over(Passed::Time) => lost(late(time_limit, "--timeout"), 3),
                JobFailure::Over(Passed::Memory(_)) => lost(too_large(memory_limit), 3),
                JobFailure::Lost(why) => lost(why, crash::EXIT_CODE),
            });
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
#[derive(Default)]
struct Tally<'a> {
    pictures: &'a [PictureJob],
    answers: Vec<Option<Answer>>,
    printed: usize,
    /// The pictures whose files are written, by their places.
    written: HashMap<PathBuf, usize>,
    failed: usize,
    code: u8,
    stopped: Option<Failure>,
}

impl Tally<'_> {
    /// Adds an answer. Returns whether further pictures are wanted.
    fn add(&mut self, job: usize, mut answer: Answer) -> bool {
        if answer.has_no_gpu {
            self.stopped = answer.message.map(Failure::Gpu);
            return false;
        }
        for (option, path) in std::mem::take(&mut answer.written) {
            if let Some(other) = self.written.insert(canonical(&path), job) {
                let (path, other) = (shown(&path), &self.pictures[other].called);
                let text = format!(
                    "{option} {path}: written over that of {other}; give each a name of its own"
                );
                answer = Answer { code: answer.code.max(2), message: Some(text), ..answer };
            }
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

    fn print(&mut self, answer: &Answer) -> Result {
        print_gathered(&format!("{}: ", self.pictures[self.printed].called), &answer.log);
        if let Some(message) = &answer.message {
            self.failed += 1;
            self.code = self.code.max(answer.code);
            let called = &self.pictures[self.printed].called;
            // Messages about a file that can't be loaded begin with its name.
            let file = called.rsplit(": ").next().unwrap_or(called);
            crash::say(&said_of(called, file, message));
        }
        if answer.text.is_empty() {
            Ok(())
        } else {
            print(|out| out.write_all(answer.text.as_bytes()))
        }
    }

    fn verdict(self) -> Result {
        match self.stopped {
            Some(failure) => Err(failure),
            None => some_failed(self.failed, self.code, self.pictures.len(), "picture"),
        }
    }
}

const NO_INPUT: &str = "-: standard input can't be one of several files";

impl PictureJob {
    fn from_file(file: &Path, words: &[String]) -> Result<Self> {
        let called = shown(file);
        let file = file.to_str().ok_or_else(|| {
            Failure::Usage(format!("{called}: several files need names in UTF-8"))
        })?;
        if is_standard_input(Path::new(file)) {
            return usage_error(NO_INPUT);
        }
        let words = words.iter().map(String::as_str).chain(["--", file]);
        let words: Vec<String> = words.map(str::to_owned).collect();
        Ok(Self { called, args: parsed(&words)?, words })
    }

    /// Returns the picture of a line, which has the options of the call that it does not replace.
    fn from_line(line: &str, file: Option<&str>, words: &[String]) -> Result<Self, String> {
        let line = Line::parse(line)?;
        let file = line.file.clone().or(file.map(str::to_owned));
        let called = escaped(file.as_deref().unwrap_or("built-in rig"));
        let behind = file.into_iter().flat_map(|file| ["--".to_owned(), file]);
        let words: Vec<String> = line.joined(words).into_iter().chain(behind).collect();
        let args = parsed(&words).map_err(|failure| failure.to_string())?;
        if args.files.iter().any(|file| is_standard_input(file)) {
            return Err(NO_INPUT.to_owned());
        }
        if args.files.len() > 1 {
            return Err("a line draws one file; give others lines of their own".to_owned());
        }
        Ok(Self { called, words, args })
    }

    /// Returns the name of one of the picture's files, as far as it is known before the model is loaded.
    fn named(&self, path: &Path) -> PathBuf {
        with_model(path, &self.args.files.first().map(|file| stem(file)).unwrap_or_default())
    }
}

/// Refuses pictures that would be written over each other, over a file that one of them reads, or to standard output.
fn check_outputs(pictures: &[PictureJob], list: Option<&Path>) -> Result {
    let inputs = pictures.iter().flat_map(|picture| picture.args.inputs());
    let inputs = inputs.chain(list.map(Path::to_owned));
    let inputs: HashMap<FileId, PathBuf> =
        inputs.filter_map(|input| Some((FileId::at(&input)?, input))).collect();
    let mut first: HashMap<PathBuf, &PictureJob> = HashMap::new();
    for picture in pictures {
        picture.args.check_names()?;
        for (option, given) in picture.args.outputs() {
            if given == Path::new("-") {
                return usage_error(format!(
                    "{option} -: standard output takes one picture; several need a name with {{name}}"
                ));
            }
            let output = picture.named(given);
            if let Some(input) = FileId::at(&output).and_then(|output| inputs.get(&output)) {
                let text = overwrites(&output, input);
                return usage_error(format!("{}: {text}", picture.called));
            }
            // Which clip and which frame it will be is not known yet. What is the same for all files needs neither.
            let is_open = output.to_string_lossy().contains(['{', '}']);
            if is_open && (list.is_some() || has_model(given)) {
                continue;
            }
            if let Some(other) = first.insert(canonical(&output), picture) {
                let advice = if has_model(given) {
                    "the files have one name; draw them one by one, or name their pictures in --list"
                } else {
                    "give each a name of its own, such as '{name}.png'"
                };
                let ([one, other], output) =
                    ([picture, other].map(|it| &it.called), shown(&output));
                return usage_error(format!(
                    "{option}: {one} and {other} would both be written to {output}; {advice}"
                ));
            }
        }
    }
    Ok(())
}

fn has_model(name: &Path) -> bool {
    let name = name.to_string_lossy();
    ["{name}", "{model}"].iter().any(|place| name.contains(place))
}

/// Returns the place of an output: that of the file that is there, and of a link to it.
fn canonical(output: &Path) -> PathBuf {
    output.canonicalize().unwrap_or_else(|_| resolved(output))
}

/// Reads the pictures of a list. A file on the command line is that of the lines that name none.
fn listed(list: &Path, files: &[PathBuf]) -> Result<Vec<PictureJob>> {
    let called = shown(list);
    let file = match files {
        [] => None,
        [file] => Some(file.to_string_lossy().into_owned()),
        _ => {
            return usage_error(
                "--list: the lines name the files; give at most one FILE, for lines that name none",
            );
        }
    };
    let bytes = read_input(list, MOST_BYTES).map_err(|e| Failure::load(list, e))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::Usage(format!("{called}: the list is not UTF-8")))?;
    let words = words_of_call()?;
    let mut pictures = Vec::new();
    // Editors may begin a file with a byte order mark.
    let text = text.trim_start_matches('\u{feff}');
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = format!("{called}:{}", number + 1);
        let picture = PictureJob::from_line(line, file.as_deref(), &words);
        let picture = picture.map_err(|what| Failure::Usage(format!("{place}: {what}")))?;
        pictures.push(PictureJob { called: format!("{place}: {}", picture.called), ..picture });
    }
    if pictures.is_empty() {
        return usage_error(format!("{called}: the list has no line"));
    }
    Ok(pictures)
}

/// Arguments that concern all pictures, so that a picture has none of its own.
const BATCH_OPTIONS: [&str; 7] =
    ["list", "jobs", "timeout", "memory_limit", "worker", "adapter", "backend"];

#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true, args_override_self = true)]
struct OnePicture {
    #[command(flatten)]
    args: ScreenshotArgs,
}

#[derive(Default)]
struct Line {
    /// Its options, as words of a command line.
    words: Vec<String>,
    /// The options that it gives or switches off, which the command line then does not give.
    named: Vec<Id>,
    file: Option<String>,
}

impl Line {
    fn parse(line: &str) -> Result<Self, String> {
        let object: Map<String, Value> =
            serde_json::from_str(line).map_err(|e| format!("not a JSON object: {e}"))?;
        let (command, mut out) = (OnePicture::command(), Self::default());
        for (key, value) in object {
            match (key.as_str(), value) {
                ("file", Value::String(name)) => out.file = Some(name),
                ("file", _) => return Err("the key `file` is a path in quotes".to_owned()),
                ("args", Value::Array(list)) => {
                    let words = list.iter().map(text_of).collect::<Option<Vec<_>>>();
                    out.words.extend(words.ok_or("`args` is a list of words in quotes")?);
                }
                (key, value) => {
                    let arg = option_named(&command, key);
                    let arg = arg.filter(|arg| !BATCH_OPTIONS.contains(&arg.get_id().as_str()));
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
    fn joined(&self, call: &[String]) -> Vec<String> {
        let command = OnePicture::command();
        let given: Vec<&Arg> =
            self.words.iter().filter_map(|word| option_in_word(&command, word)).collect();
        let is_kept = |word: &&String| {
            let Some(arg) = option_in_word(&command, word) else { return true };
            let is_named = self.named.contains(arg.get_id()) || given.contains(&arg);
            !is_named && !given.iter().any(|own| exclude_each_other(&command, own, arg))
        };
        call.iter().filter(is_kept).chain(&self.words).cloned().collect()
    }
}

fn option_named<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|arg| {
        arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|all| all.contains(&name))
    })
}

/// Returns the option that a word of a command line gives; `None` if it is the value of one.
fn option_in_word<'a>(command: &'a Command, word: &str) -> Option<&'a Arg> {
    if let Some(long) = word.strip_prefix("--") {
        return option_named(command, long.split('=').next().unwrap_or(long));
    }
    let short = word.strip_prefix('-')?.chars().next()?;
    command.get_arguments().find(|arg| arg.get_short() == Some(short))
}

fn exclude_each_other(command: &Command, a: &Arg, b: &Arg) -> bool {
    let excludes = |a: &Arg, b: &Arg| command.get_arg_conflicts_with(a).contains(&b);
    excludes(a, b) || excludes(b, a)
}

fn concerns_all(option: &str) -> String {
    format!("`{option}` concerns all pictures; give it on the command line")
}

fn unknown_key(key: &str, command: &Command) -> String {
    if BATCH_OPTIONS.iter().any(|id| id.replace('_', "-") == key) {
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

fn parsed(words: &[String]) -> Result<ScreenshotArgs> {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let matches = OnePicture::command().try_get_matches_from(words);
    let wrong = |error: clap::Error| {
        let call = ["rigview", "screenshot"].map(OsString::from);
        Failure::Usage(usage::line(&Cli::command(), &error, &call))
    };
    let matches = matches.map_err(wrong)?;
    let is_given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
    if let Some(id) = BATCH_OPTIONS.iter().find(|id| is_given(id)) {
        return usage_error(concerns_all(&id.replace('_', "-")));
    }
    Ok(OnePicture::from_arg_matches(&matches).map_err(wrong)?.args)
}

/// Returns the options of this program's command line that every picture has.
fn words_of_call() -> Result<Vec<String>> {
    let mut program = Cli::command();
    let call: Vec<OsString> = std::env::args_os().collect();
    let matches = program.try_get_matches_from_mut(call.clone());
    let matches = matches.map_err(|error| Failure::Usage(usage::line(&program, &error, &call)))?;
    let Some((_, matches)) = matches.subcommand() else { return Ok(Vec::new()) };
    let mut words = Vec::new();
    for arg in OnePicture::command().get_arguments() {
        let id = arg.get_id().as_str();
        let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
        let Some(option) = arg.get_long().filter(|_| is_given && !BATCH_OPTIONS.contains(&id))
        else {
            continue;
        };
        if arg.get_action().takes_values() {
            add_given(&mut words, id, option, matches)?
        } else {
            words.push(format!("--{option}"))
        }
    }
    Ok(words)
}

fn add_given(words: &mut Vec<String>, id: &str, option: &str, matches: &ArgMatches) -> Result {
    for values in matches.get_raw_occurrences(id).into_iter().flatten() {
        let values: Vec<_> = values.map(|value| value.to_str()).collect();
        let Some(values) = values.into_iter().collect::<Option<Vec<_>>>() else {
            return usage_error(format!("--{option}: several pictures need UTF-8 here"));
        };
        words.push(if values.is_empty() {
            format!("--{option}")
        } else {
            format!("--{option}={}", values.join(","))
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
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
