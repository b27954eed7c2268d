//! The pool of worker processes that batches of `test` and `screenshot` run on. Each process takes one job after another, so that
//! it opens the GPU once; one that crashes, hangs or takes too much memory costs its own job only.
//!
//! A worker reads orders from standard input and answers each on standard output, a line of JSON each. An answer that begins with
//! `!` is its last one: it ends, and the next job gets a new worker.

use std::cell::OnceCell;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::args::scene::GpuArgs;
use super::choice::adapter;
use super::crash::{self, end, internal_error};
use super::failure::Failure;
use super::limits::{Limits, Passed, Watch, resident_bytes};
use super::output::{standard_output_failed, write_json_line};
use rigview_capture::PictureSeries;
use rigview_import::guarded;
use rigview_render::{AdapterChoice, Gpu, GpuError};

/// Workers at most, unless the command line says otherwise.
const MOST: usize = 8;

/// Returns the number of workers: as asked, or one per processor.
pub fn count(asked: Option<NonZeroUsize>) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    asked.map_or(processors.min(MOST), NonZeroUsize::get)
}

/// How to start a worker: this program, a command of it with options, and its options for the GPU.
pub struct Starter<'a> {
    program: PathBuf,
    command: Vec<String>,
    gpu: &'a GpuArgs,
}

impl<'a> Starter<'a> {
    /// Finds this program's file.
    pub fn new(command: Vec<String>, gpu: &'a GpuArgs) -> Result<Self, Failure> {
        let program = std::env::current_exe()
            .map_err(|e| Failure::Output(format!("this program's own file can't be found: {e}")))?;
        Ok(Self { program, command, gpu })
    }

    /// Returns the process to start.
    pub fn process(&self) -> Command {
        let mut process = Command::new(&self.program);
        process.args(&self.command).arg("--worker");
        let options = [("--adapter", &self.gpu.adapter), ("--backend", &self.gpu.backend)];
        for (option, value) in options {
            process.args(value.iter().flat_map(|value| [option, value]));
        }
        process
    }
}

/// The GPU of a worker, which is opened when something is drawn for the first time.
pub struct WorkerGpu<'a> {
    choice: &'a AdapterChoice,
    gpu: &'a OnceCell<Gpu>,
    /// Draws pictures of the size of the last one.
    series: Option<([u32; 2], PictureSeries<'a>)>,
}

impl<'a> WorkerGpu<'a> {
    /// Returns the GPU.
    pub fn gpu(&self) -> Result<&'a Gpu, GpuError> {
        match self.gpu.get() {
            Some(gpu) => Ok(gpu),
            None => {
                let gpu = Gpu::headless(self.choice)?;
                Ok(self.gpu.get_or_init(|| gpu))
            }
        }
    }

    /// Does a piece of work, whatever goes wrong.
    pub fn perform(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Failure>) -> Done {
        match guarded(|| work(self)) {
            Ok(Ok(())) => Done::default(),
            Ok(Err(failure)) => {
                let is_gpu = matches!(failure, Failure::Gpu(_));
                let is_open = self.gpu.get().is_some();
                Done {
                    code: failure.code(),
                    message: Some(failure.to_string()),
                    // A device that was lost stays lost, but another process can open it again.
                    is_broken: is_gpu && is_open,
                    has_no_gpu: is_gpu && !is_open,
                }
            }
            Err(panic) => Done {
                code: crash::EXIT_CODE,
                message: Some(internal_error(&*panic, "")),
                is_broken: true,
                has_no_gpu: false,
            },
        }
    }

    /// Returns what draws pictures of a size.
    pub fn series(&mut self, gpu: &'a Gpu, size: [u32; 2]) -> &mut PictureSeries<'a> {
        let last = self.series.take().filter(|(of, _)| *of == size);
        let series = last.unwrap_or_else(|| (size, PictureSeries::new(gpu, size)));
        &mut self.series.insert(series).1
    }
}

/// How a piece of work ended.
#[derive(Default)]
pub struct Done {
    /// The exit code that it would have had as a program of its own.
    pub code: u8,
    /// Why it failed.
    pub message: Option<String>,
    /// Whether the process is in a state that may spoil what it does next.
    pub is_broken: bool,
    /// Whether it failed because there is no usable GPU.
    pub has_no_gpu: bool,
}

/// An answer of a worker.
pub struct Answered<A> {
    pub answer: A,
    /// Whether the process has to end.
    pub is_broken: bool,
}

/// How much later than the process that gives the orders a worker enforces the limits of an order.
pub const GRACE: Duration = Duration::from_secs(1);

/// Reads orders from standard input, a line each, and answers each with a line. Ends with the process that gives the
/// orders, even if that is killed. `watch` enforces the limits of an order for the case that nobody else does.
pub fn serve<O: DeserializeOwned, A: Serialize>(
    args: &GpuArgs,
    watch: impl Fn(&O) -> Option<Watch>,
    mut carry_out: impl FnMut(&O, &mut WorkerGpu) -> Answered<A>,
) -> Result<(), Failure> {
    end_with_parent();
    let orders = orders().map_err(|e| Failure::Output(format!("no thread can be started: {e}")))?;
    let choice = adapter(args);
    // Dropping the device takes longer than ending the process, which frees it too.
    let gpu = std::mem::ManuallyDrop::new(OnceCell::new());
    let mut worker_gpu = WorkerGpu { choice: &choice, gpu: &gpu, series: None };
    let mut out = io::stdout().lock();
    for line in orders {
        let order: O = serde_json::from_str(&line)
            .map_err(|e| Failure::Usage(format!("standard input: not an order: {e}")))?;
        let watch = watch(&order);
        let Answered { answer, is_broken } = carry_out(&order, &mut worker_gpu);
        drop(watch);
        let mark = if is_broken { LAST.to_string() } else { String::new() };
        out.write_all(mark.as_bytes())
            .and_then(|()| write_json_line(&mut out, &answer))
            .and_then(|()| out.flush())
            .map_err(standard_output_failed)?;
        if is_broken {
            break;
        }
    }
    Ok(())
}

/// Lets the system kill this process when the thread that started it ends. Elsewhere than on Linux, the end of
/// standard input has to do.
fn end_with_parent() {
    #[cfg(target_os = "linux")]
    // SAFETY: this only sets an attribute of the process.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

/// Reads the lines of standard input on a thread. The process ends where the input does, also in the middle of an order:
/// nobody reads the answer any more.
fn orders() -> io::Result<Receiver<String>> {
    let (send, lines) = channel();
    std::thread::Builder::new().name("orders".into()).spawn(move || {
        for line in io::stdin().lines() {
            if line.is_ok_and(|line| send.send(line).is_ok()) {
                continue;
            }
            break;
        }
        end(0);
    })?;
    Ok(lines)
}

/// Interval at which the limits of a running job are checked.
const POLL: Duration = Duration::from_millis(50);

/// The longest time that a worker may take to end, and the interval at which it is looked at.
const LONGEST_END: Duration = Duration::from_secs(5);
const END_POLL: Duration = Duration::from_millis(2);

/// Marks the last answer of a worker.
const LAST: char = '!';

/// Bytes of a worker's standard error that are kept.
const KEPT_ERRORS: usize = 4096;

/// A job of a worker.
#[derive(Clone, Debug)]
pub struct Job<O> {
    /// What the worker reads as a line of JSON.
    pub order: O,
    /// The worker is killed if it exceeds one of them.
    pub limits: Limits,
}

/// Why a job has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobFailure {
    /// The worker was killed, because it exceeded a limit.
    Over(Passed),
    /// The worker ended without an answer, or could not be started; in words.
    Lost(String),
}

/// A job that is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished<A> {
    /// Index of the job.
    pub job: usize,
    /// What the worker answered.
    pub answer: Result<A, JobFailure>,
    /// Its running time in seconds.
    pub secs: f64,
}

/// Runs jobs on up to `workers` processes, each started when it is needed. Calls `done` on the current thread with each job as it
/// finishes; if that returns `false`, no further job is started.
pub fn run_jobs<O: Serialize + Sync, A: DeserializeOwned + Send>(
    jobs: &[Job<O>],
    workers: usize,
    start: impl Fn() -> Command + Sync,
    mut done: impl FnMut(Finished<A>) -> bool,
) {
    let next = AtomicUsize::new(0);
    let (send, all) = channel();
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, jobs.len().max(1)) {
            let (send, next, start) = (send.clone(), &next, &start);
            scope.spawn(move || run_worker(jobs, next, start, &send));
        }
        drop(send);
        for finished in all {
            if !done(finished) {
                next.store(jobs.len(), Ordering::Relaxed);
            }
        }
    });
}

/// Takes jobs until there are none left. The process is started anew after a lost job.
fn run_worker<O: Serialize, A: DeserializeOwned>(
    jobs: &[Job<O>],
    next: &AtomicUsize,
    start: impl Fn() -> Command,
    send: &Sender<Finished<A>>,
) {
    let mut worker: Option<Worker> = None;
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(job) = jobs.get(index) else { break };
        let started = Instant::now();
        let ready = match worker.take() {
            Some(worker) => Ok(worker),
            None => Worker::start(start()),
        };
        let lost = |why: &str, error: String| JobFailure::Lost(format!("{why}: {error}"));
        let answer = ready
            .map_err(|error| lost("no worker process can be started", error.to_string()))
            .and_then(|mut ready| {
                let line = ready.perform(job)?;
                let last = line.strip_prefix(LAST);
                worker = last.is_none().then_some(ready);
                serde_json::from_str(last.unwrap_or(&line))
                    .map_err(|error| lost("the worker's answer can't be read", error.to_string()))
            });
        let secs = started.elapsed().as_secs_f64();
        if send.send(Finished { job: index, answer, secs }).is_err() {
            break;
        }
    }
}

/// A worker process.
struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Returns the last bytes of its standard error when the process has ended.
    errors: Option<JoinHandle<Vec<u8>>>,
}

impl Worker {
    fn start(mut command: Command) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (send, lines) = channel();
        let (input, output, errors) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // From here on, dropping it ends the process.
        let mut worker = Self { child, input, lines, errors: None };
        if let Some(output) = output {
            Builder::new().spawn(move || read_lines(output, &send))?;
        }
        if let Some(errors) = errors {
            worker.errors = Some(Builder::new().spawn(|| last_bytes(errors))?);
        }
        Ok(worker)
    }

    /// Gives an order, and waits for the line of the answer.
    fn perform<O: Serialize>(&mut self, job: &Job<O>) -> Result<String, JobFailure> {
        let started = Instant::now();
        // A worker that has ended can't be written to; the wait below finds out why.
        if let (Some(input), Ok(order)) = (&mut self.input, serde_json::to_string(&job.order)) {
            let _ = writeln!(input, "{order}").and_then(|()| input.flush());
        }
        loop {
            let left = job.limits.time.unwrap_or(Duration::MAX).saturating_sub(started.elapsed());
            match self.lines.recv_timeout(POLL.min(left)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(JobFailure::Lost(self.last_words()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            let is_late = job.limits.time.is_some_and(|limit| started.elapsed() > limit);
            let bytes = job
                .limits
                .memory
                .and_then(|limit| resident_bytes(self.child.id()).filter(|bytes| *bytes > limit));
            if let Some(passed) = is_late.then_some(Passed::Time).or(bytes.map(Passed::Memory)) {
                self.kill();
                return Err(JobFailure::Over(passed));
            }
        }
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Returns how the process ended, with the last line that it printed on standard error.
    fn last_words(&mut self) -> String {
        let _ = self.child.kill();
        let ended = match self.child.wait() {
            Ok(status) => end_in_words(status),
            Err(error) => format!("the worker process is lost: {error}"),
        };
        let errors = self.errors.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        let errors = String::from_utf8_lossy(&errors);
        match errors.lines().rev().map(str::trim).find(|line| !line.is_empty()) {
            Some(line) => format!("{ended}: {}", line.trim_start_matches("rigview: ")),
            None => ended,
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Closing its input ends the worker, unless its driver hangs; waiting frees its entry in the process table.
        drop(self.input.take());
        let closed = Instant::now();
        while let Ok(None) = self.child.try_wait() {
            if closed.elapsed() > LONGEST_END {
                return self.kill();
            }
            std::thread::sleep(END_POLL);
        }
    }
}

fn end_in_words(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            let name = match signal {
                libc::SIGKILL => " (SIGKILL; possibly out of memory)",
                libc::SIGSEGV => " (SIGSEGV)",
                libc::SIGABRT => " (SIGABRT)",
                libc::SIGBUS => " (SIGBUS)",
                libc::SIGTERM => " (SIGTERM)",
                _ => "",
            };
            return format!("the worker process was ended by signal {signal}{name}");
        }
    }
    match status.code() {
        Some(code) => format!("the worker process ended with exit code {code}"),
        None => "the worker process ended".to_owned(),
    }
}

fn read_lines(output: impl Read, lines: &Sender<String>) {
    for line in BufReader::new(output).lines() {
        let Ok(line) = line else { break };
        if lines.send(line).is_err() {
            break;
        }
    }
}

/// Reads to the end and returns the last bytes.
fn last_bytes(mut output: impl Read) -> Vec<u8> {
    let (mut kept, mut buffer) = (Vec::new(), [0; 1024]);
    while let Ok(read @ 1..) = output.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..read]);
        let surplus = kept.len().saturating_sub(KEPT_ERRORS);
        kept.drain(..surplus);
    }
    kept
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Runs jobs on a shell script that reads a line at a time.
    fn answers(orders: &[&str], workers: usize) -> Vec<Result<String, JobFailure>> {
        const SCRIPT: &str = r#"while read -r line; do case "$line" in
            '"hang"' | '"grow"') exec sleep 100;;
            '"crash"') echo 'rigview: it broke' >&2; exit 5;;
            '"kill"') kill -9 $$;;
            '"last"') echo '!"done last"'; exit;;
            '"odd"') echo 'done';;
            *) echo "\"done ${line#?}";;
        esac; done"#;
        let job = |order: &&str| Job {
            order: (*order).to_owned(),
            limits: Limits {
                time: Some(Duration::from_secs(if *order == "hang" { 1 } else { 60 })),
                memory: Some(if *order == "grow" { 1 } else { 1 << 30 }),
            },
        };
        let jobs: Vec<Job<String>> = orders.iter().map(job).collect();
        let start = || {
            let mut command = Command::new("sh");
            command.args(["-c", SCRIPT]);
            command
        };
        let mut all = vec![None; jobs.len()];
        run_jobs(&jobs, workers, start, |Finished { job, answer, .. }| {
            assert!(all[job].replace(answer).is_none(), "job {job} was done twice");
            true
        });
        all.into_iter().map(|answer| answer.unwrap()).collect()
    }

    #[test]
    fn a_lost_worker_costs_its_own_job_only() {
        for workers in [1, 3] {
            let orders = ["a", "crash", "b", "hang", "kill", "c", "grow", "last", "d", "odd"];
            let all = answers(&orders, workers);
            let lost = |answer: &Result<String, JobFailure>| match answer {
                Err(JobFailure::Lost(why)) => why.clone(),
                other => panic!("{other:?}"),
            };
            assert_eq!(lost(&all[1]), "the worker process ended with exit code 5: it broke");
            assert_eq!(all[3], Err(JobFailure::Over(Passed::Time)));
            assert!(lost(&all[4]).contains("signal 9 (SIGKILL"), "{all:?}");
            if cfg!(target_os = "linux") {
                let is_over = matches!(all[6], Err(JobFailure::Over(Passed::Memory(1..))));
                assert!(is_over, "{all:?}");
            }
            assert!(lost(&all[9]).contains("answer can't be read"), "{all:?}");
            for (index, text) in [(0, "a"), (2, "b"), (5, "c"), (7, "last"), (8, "d")] {
                assert_eq!(all[index], Ok(format!("done {text}")));
            }
        }
    }

    #[test]
    fn no_job_is_started_after_the_last_wanted_one() {
        let job = Job { order: "a", limits: Limits { time: None, memory: None } };
        let mut count = 0;
        let start = || {
            let mut command = Command::new("cat");
            command.arg("-");
            command
        };
        run_jobs(&vec![job; 1000], 1, start, |_: Finished<String>| {
            count += 1;
            false
        });
        assert!(count < 1000, "{count}");
    }
}
