//! Runs jobs, each on a thread of its own, and collects their results.

use std::cell::RefCell;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rigview_shell::{Job, Report, ScriptSource, read_script};

/// Reports results from any thread, and wakes the loop that takes them.
#[derive(Clone)]
pub(crate) struct Reporter {
    sender: Sender<Report>,
    wake: Arc<dyn Fn() + Send + Sync>,
}

impl Reporter {
    /// Reports a result. Returns false if the window has been closed.
    pub fn report(&self, report: Report) -> bool {
        let taken = self.sender.send(report).is_ok();
        (self.wake)();
        taken
    }
}

/// The threads of jobs.
pub(crate) struct Workers {
    results: Receiver<Report>,
    reporter: Reporter,
    /// The thread of the last recording.
    recording: RefCell<Option<JoinHandle<()>>>,
}

impl Workers {
    /// Returns workers that call `wake` on their own threads when [`Workers::poll`] has a result.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        let (sender, results) = channel();
        let reporter = Reporter { sender, wake: Arc::new(wake) };
        Self { results, reporter, recording: RefCell::default() }
    }

    /// Returns what reports results from other threads.
    pub fn reporter(&self) -> Reporter {
        self.reporter.clone()
    }

    /// Starts a job. If the system refuses a thread, the job has failed.
    pub fn start(&self, job: Job) {
        let (name, failure) = (job.name(), job.failure());
        let draws = matches!(job, Job::Record(_));
        let reporter = self.reporter();
        let work = move || {
            reporter.report(job.run());
        };
        match spawn(name, work) {
            Ok(thread) if draws => *self.recording.borrow_mut() = Some(thread),
            Ok(_) => {}
            Err(error) => {
                self.reporter.report(failure(format!("can't start a thread: {error}")));
            }
        }
    }

    /// Reads the lines of a script, and reports each.
    pub fn read_script(&self, source: ScriptSource) {
        let reporter = self.reporter();
        let read = move || read_script(&source, |line| reporter.report(line));
        if let Err(error) = spawn("script", read) {
            self.reporter.report(Report::Line(Err(error.to_string())));
        }
    }

    /// Waits for the end of a recording that was cancelled: its device must not be closed while it draws.
    pub fn join_recording(&self) {
        // A panic was caught on the thread.
        let _ = self.recording.take().map(JoinHandle::join);
    }

    /// Returns the next result, in the order of their reports.
    pub fn poll(&self) -> Option<Report> {
        self.results.try_recv().ok()
    }

    /// Waits for the next result; `None` if there is none within a time limit.
    pub fn wait(&self, limit: Duration) -> Option<Report> {
        self.results.recv_timeout(limit).ok()
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.into()).spawn(work)
}
