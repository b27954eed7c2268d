//! How many pictures a `screenshot` draws: one in this process, or many. Worker processes draw the latter, each with
//! an adapter that stays open, and a picture that fails costs only itself.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::picture_words::{Line, parsed, words_of_call};
use super::screenshot::{self, ScreenshotArgs, Shot, shoot};
use crate::cli::crash;
use crate::cli::failure::{Failure, said_of};
use crate::cli::input::{is_standard_input, read_input};
use crate::cli::limits::{Limits, Passed, end_over, late, of_secs, too_large};
use crate::cli::model_files::model_files;
use crate::cli::output::{overwrites, place, print, progress_bar};
use crate::cli::warnings::{LogLine, gather, print_gathered, take_gathered};
use crate::cli::workers::{
    self, Answered, Finished, GRACE, Job, JobFailure, Starter, run_jobs, serve,
};
use rigview_capture::{FileId, with_model};
use rigview_import::escaped;
use rigview_model::WorkLimit;
use rigview_report::counted;

/// Limit of a picture in MiB of resident memory.
const MEMORY_LIMIT_MIB: u32 = 4096;

/// Size limit of a list in bytes; enough for several hundred thousand pictures.
const MOST_BYTES: u64 = 256 << 20;

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
    /// The files that it has written, each with its option.
    written: Vec<(String, PathBuf)>,
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
    args.check_names()?;
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
        let mut shot = Shot::default();
        drop(take_gathered());
        let done = worker_gpu
            .perform(|worker_gpu| shoot(&parsed(words)?, args.work, worker_gpu, &mut shot));
        let text = String::from_utf8_lossy(&shot.text).into_owned();
        let (code, message, has_no_gpu) = (done.code, done.message, done.has_no_gpu);
        let (written, log) = (shot.written, take_gathered());
        let answer = Answer { code, message, text, written, log, has_no_gpu };
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
    check_outputs(&pictures, args.batch.list.as_deref())?;
    let batch = &args.batch;
    let secs = args.work.timeout.unwrap_or(WorkLimit::DEFAULT_SECS);
    let mib = batch.memory_limit.unwrap_or(MEMORY_LIMIT_MIB);
    let (time_limit, memory_limit) = (of_secs(secs), u64::from(mib) << 20);
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
    let mut tally = Tally::new(&pictures);
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
struct Tally<'a> {
    pictures: &'a [PictureJob],
    answers: Vec<Option<Answer>>,
    printed: usize,
    /// The pictures whose files are written, by their places.
    written: HashMap<PathBuf, usize>,
    failed: usize,
    code: u8,
    /// Why no further picture is drawn.
    stopped: Option<Failure>,
}

impl<'a> Tally<'a> {
    fn new(pictures: &'a [PictureJob]) -> Self {
        let answers = pictures.iter().map(|_| None).collect();
        Self {
            pictures,
            answers,
            printed: 0,
            written: HashMap::new(),
            failed: 0,
            code: 0,
            stopped: None,
        }
    }

    /// Adds an answer. Returns whether further pictures are wanted.
    fn add(&mut self, job: usize, mut answer: Answer) -> bool {
        if answer.has_no_gpu {
            self.stopped = answer.message.map(Failure::Gpu);
            return false;
        }
        for (option, path) in std::mem::take(&mut answer.written) {
            if let Some(other) = self.written.insert(place_on_disk(&path), job) {
                let (path, other) =
                    (escaped(&path.to_string_lossy()), &self.pictures[other].called);
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

    /// Returns the picture of a line, which has the options of the call that it does not replace.
    fn of_line(line: &str, file: Option<&str>, words: &[String]) -> Result<Self, String> {
        let line = Line::parse(line)?;
        let file = line.file.clone().or(file.map(str::to_owned));
        let called = escaped(file.as_deref().unwrap_or("built-in rig"));
        let behind = file.into_iter().flat_map(|file| ["--".to_owned(), file]);
        let words: Vec<String> = line.joined(words).into_iter().chain(behind).collect();
        let args = parsed(&words).map_err(|failure| failure.to_string())?;
        let files = args.files.iter().try_for_each(|file| refuse_input(file));
        files.map_err(|failure| failure.to_string())?;
        if args.files.len() > 1 {
            return Err("a line draws one file; give others lines of their own".to_owned());
        }
        Ok(Self { called, words, args })
    }

    /// Returns the name of one of the picture's files, as far as it is known before the model is loaded.
    fn named(&self, path: &Path) -> PathBuf {
        let file = self.args.files.first();
        let stem = file.and_then(|file| file.file_stem()).map(|stem| stem.to_string_lossy());
        with_model(path, stem.as_deref().unwrap_or_default())
    }
}

/// Refuses standard input as the file of one of several pictures.
fn refuse_input(file: &Path) -> Result<(), Failure> {
    let text = "-: standard input can't be one of several files";
    if is_standard_input(file) { Err(Failure::Usage(text.into())) } else { Ok(()) }
}

/// Refuses pictures that would be written over each other, over a file that one of them reads, or to standard output.
fn check_outputs(pictures: &[PictureJob], list: Option<&Path>) -> Result<(), Failure> {
    let inputs = pictures.iter().flat_map(|picture| picture.args.inputs());
    let inputs = inputs.chain(list.map(Path::to_owned));
    let inputs: HashMap<FileId, PathBuf> =
        inputs.filter_map(|input| Some((FileId::at(&input)?, input))).collect();
    let mut first: HashMap<PathBuf, &PictureJob> = HashMap::new();
    for picture in pictures {
        picture.args.check_names()?;
        for (option, given) in picture.args.outputs() {
            if given == Path::new("-") {
                let text = format!(
                    "{option} -: standard output takes one picture; several need a name with {{name}}"
                );
                return Err(Failure::Usage(text));
            }
            let output = picture.named(given);
            if let Some(input) = FileId::at(&output).and_then(|output| inputs.get(&output)) {
                let text = overwrites(&output, input);
                return Err(Failure::Usage(format!("{}: {text}", picture.called)));
            }
            // Which clip and which frame it will be is not known yet. What is the same for all files needs neither.
            let is_open = output.to_string_lossy().contains(['{', '}']);
            if is_open && (list.is_some() || has_model(given)) {
                continue;
            }
            if let Some(other) = first.insert(place_on_disk(&output), picture) {
                return Err(Failure::Usage(both(option, picture, other, given, &output)));
            }
        }
    }
    Ok(())
}

/// Whether a name has a place for the model's.
fn has_model(name: &Path) -> bool {
    let name = name.to_string_lossy();
    ["{name}", "{model}"].iter().any(|place| name.contains(place))
}

/// Returns the place of an output: that of the file that is there, and of a link to it.
fn place_on_disk(output: &Path) -> PathBuf {
    output.canonicalize().unwrap_or_else(|_| place(output))
}

/// Says that two pictures have the same output. `given` is its name as on the command line.
fn both(
    option: &str,
    picture: &PictureJob,
    other: &PictureJob,
    given: &Path,
    output: &Path,
) -> String {
    let advice = match has_model(given) {
        true => "the files have one name; draw them one by one, or name their pictures in --list",
        false => "give each a name of its own, such as '{name}.png'",
    };
    let output = escaped(&output.to_string_lossy());
    let [one, other] = [&picture.called, &other.called];
    format!("{option}: {one} and {other} would both be written to {output}; {advice}")
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
    // Editors may begin a file with a byte order mark.
    let text = text.trim_start_matches('\u{feff}');
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
