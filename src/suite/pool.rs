//! Worker processes that take one job after another. A worker that crashes, hangs or takes too much
//! memory costs its own job only.
//!
//! A worker reads jobs from standard input and answers each on standard output, a line each. An answer that
//! begins with `!` is its last one: it ends, and the next job gets a new worker.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Interval at which the limits of a running job are checked.
const POLL: Duration = Duration::from_millis(50);

/// The longest time that a worker may take to end, and the interval at which it is looked at.
const LONGEST_END: Duration = Duration::from_secs(5);
const END_POLL: Duration = Duration::from_millis(2);

/// Marks the last answer of a worker.
pub const LAST: char = '!';

/// Bytes of a worker's standard error that are kept.
const KEPT_ERRORS: usize = 4096;

/// A job of a worker.
#[derive(Clone, Debug)]
pub struct Job {
    /// What the worker reads, without a line break.
    pub line: String,
    /// The worker is killed if it has not answered by then.
    pub time_limit: Duration,
    /// The worker is killed if its resident memory exceeds this many bytes.
    pub memory_limit: u64,
}

/// What became of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// What the worker answered.
    Answer(String),
    /// The worker was killed, because it had not answered within the time limit.
    Late,
    /// The worker was killed, because it took this many bytes of memory.
    TooLarge(u64),
    /// The worker ended without an answer, or could not be started; in words.
    Lost(String),
}

/// A job that is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Index of the job.
    pub job: usize,
    /// What became of it.
    pub outcome: Outcome,
    /// Its running time in seconds.
    pub secs: f64,
}

/// Runs jobs on up to `workers` processes, each started by `start` when it is needed. Calls `done` on the
/// current thread with each job as it finishes; if that returns `false`, no further job is started.
pub fn run_jobs(
    jobs: &[Job],
    workers: usize,
    start: impl Fn() -> Command + Sync,
    mut done: impl FnMut(Finished) -> bool,
) {
    let next = AtomicUsize::new(0);
    let (send, outcomes) = channel();
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, jobs.len().max(1)) {
            let (send, next, start) = (send.clone(), &next, &start);
            scope.spawn(move || run_worker(jobs, next, start, &send));
        }
        drop(send);
        for finished in outcomes {
            if !done(finished) {
                next.store(jobs.len(), Ordering::Relaxed);
            }
        }
    });
}

/// Takes jobs until there are none left. The process is started anew after a lost job.
fn run_worker(
    jobs: &[Job],
    next: &AtomicUsize,
    start: impl Fn() -> Command,
    send: &Sender<Finished>,
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
        let outcome = match ready {
            Ok(mut ready) => match ready.perform(job) {
                Outcome::Answer(line) => match line.strip_prefix(LAST) {
                    Some(line) => Outcome::Answer(line.to_owned()),
                    None => {
                        worker = Some(ready);
                        Outcome::Answer(line)
                    }
                },
                other => other,
            },
            Err(error) => Outcome::Lost(format!("no worker process can be started: {error}")),
        };
        let secs = started.elapsed().as_secs_f64();
        if send.send(Finished { job: index, outcome, secs }).is_err() {
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

    fn perform(&mut self, job: &Job) -> Outcome {
        let started = Instant::now();
        // A worker that has ended can't be written to; the wait below finds out why.
        if let Some(input) = &mut self.input {
            let _ = writeln!(input, "{}", job.line).and_then(|()| input.flush());
        }
        loop {
            let left = job.time_limit.saturating_sub(started.elapsed());
            match self.lines.recv_timeout(POLL.min(left)) {
                Ok(line) => return Outcome::Answer(line),
                Err(RecvTimeoutError::Disconnected) => return Outcome::Lost(self.last_words()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if started.elapsed() > job.time_limit {
                self.kill();
                return Outcome::Late;
            }
            if let Some(bytes) = resident_bytes(self.child.id())
                && bytes > job.memory_limit
            {
                self.kill();
                return Outcome::TooLarge(bytes);
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

/// Says that a job exceeds its limit of time.
pub fn late(limit: Duration) -> String {
    format!("no result after {} s (time_limit)", limit.as_secs_f64())
}

/// Says that a job exceeds its limit of memory; both in bytes.
pub fn too_large(bytes: u64, limit: u64) -> String {
    format!("it takes {} MiB of {} MiB (memory_limit)", bytes >> 20, limit >> 20)
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

/// Returns the resident memory of a process in bytes, where the system tells.
pub fn resident_bytes(process: u32) -> Option<u64> {
    if cfg!(not(target_os = "linux")) {
        return None;
    }
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Runs jobs on a shell script that reads a line at a time.
    fn outcomes(lines: &[&str], workers: usize) -> Vec<Outcome> {
        const SCRIPT: &str = r#"while read -r line; do case "$line" in
            hang | grow) exec sleep 100;;
            crash) echo 'rigview: it broke' >&2; exit 5;;
            kill) kill -9 $$;;
            last) echo '!done last'; exit;;
            *) echo "done $line";;
        esac; done"#;
        let job = |line: &&str| Job {
            line: (*line).to_owned(),
            time_limit: Duration::from_secs(if *line == "hang" { 1 } else { 60 }),
            memory_limit: if *line == "grow" { 1 } else { 1 << 30 },
        };
        let jobs: Vec<Job> = lines.iter().map(job).collect();
        let start = || {
            let mut command = Command::new("sh");
            command.args(["-c", SCRIPT]);
            command
        };
        let mut all = vec![None; jobs.len()];
        run_jobs(&jobs, workers, start, |Finished { job, outcome, .. }| {
            assert!(all[job].replace(outcome).is_none(), "job {job} was done twice");
            true
        });
        all.into_iter().map(|outcome| outcome.unwrap()).collect()
    }

    #[test]
    fn a_lost_worker_costs_its_own_job_only() {
        for workers in [1, 3] {
            let all =
                outcomes(&["a", "crash", "b", "hang", "kill", "c", "grow", "last", "d"], workers);
            let answer = |text: &str| Outcome::Answer(format!("done {text}"));
            let lost = |outcome: &Outcome| match outcome {
                Outcome::Lost(why) => why.clone(),
                other => panic!("{other:?}"),
            };
            assert_eq!(lost(&all[1]), "the worker process ended with exit code 5: it broke");
            assert_eq!(all[3], Outcome::Late);
            assert!(lost(&all[4]).contains("signal 9 (SIGKILL"), "{all:?}");
            if cfg!(target_os = "linux") {
                assert!(matches!(all[6], Outcome::TooLarge(1..)), "{all:?}");
            }
            for (index, text) in [(0, "a"), (2, "b"), (5, "c"), (7, "last"), (8, "d")] {
                assert_eq!(all[index], answer(text));
            }
        }
    }

    #[test]
    fn no_job_is_started_after_the_last_wanted_one() {
        let job =
            Job { line: "a".into(), time_limit: Duration::from_secs(60), memory_limit: u64::MAX };
        let mut count = 0;
        let start = || {
            let mut command = Command::new("cat");
            command.arg("-");
            command
        };
        run_jobs(&vec![job; 1000], 1, start, |_| {
            count += 1;
            false
        });
        assert!(count < 1000, "{count}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_memory_of_a_process_is_known() {
        let bytes = resident_bytes(std::process::id()).unwrap();
        assert!(bytes > 1 << 20, "{bytes}");
        assert_eq!(resident_bytes(u32::MAX), None);
    }
}
