//! Work that takes longer than a frame: each job runs on a thread of its own, reports its results, and wakes the loop
//! that takes them.

pub(super) mod compare;
mod copies;
mod load;
pub(super) mod record;
pub(super) mod results;

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use self::results::{ComparisonResult, Upload};
use rigview_import::guarded;
use rigview_model::BlockFormats;
use rigview_report::ShownSkin;
use rigview_session::{
    Action, CheckRequest, EngineAction, Finds, LoadAction, LoadId, LoadRequest, PreparedModel,
    Search, TimelineAction,
};

/// What is said where a job panics.
const PANICKED: &str = "internal error";

/// A result of a job.
pub(super) enum Report {
    /// The answer to an effect of the session.
    Answer(Action),
    /// A model to be drawn was read.
    Read(Box<LoadRequest>, Box<PreparedModel>),
    /// Its upload has ended.
    Uploaded(Box<Upload>),
    /// The comparison of this number has a result.
    Compared(LoadId, ComparisonResult),
    /// The files of a later start of the program. They come this way so that what is reported after them is taken after
    /// them.
    HandedOver(Vec<PathBuf>),
    /// A line of the script; `None` after the last one, an error if reading fails.
    Line(Result<Option<String>, String>),
}

/// Reports results from the thread of a job.
#[derive(Clone)]
pub(super) struct Reporter {
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

    fn answer(&self, action: impl Into<Action>) {
        self.report(Report::Answer(action.into()));
    }
}

/// Starts jobs and collects their results.
pub(super) struct Jobs {
    results: Receiver<Report>,
    reporter: Reporter,
    block_formats: Arc<OnceLock<BlockFormats>>,
    bvh_scale: Option<f32>,
}

impl Jobs {
    /// Returns jobs that call `wake` on their own threads when [`Jobs::poll`] has a result.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        let (sender, results) = channel();
        let reporter = Reporter { sender, wake: Arc::new(wake) };
        Self { results, reporter, block_formats: Arc::default(), bvh_scale: None }
    }

    /// Returns what reports results from other threads.
    pub fn reporter(&self) -> Reporter {
        self.reporter.clone()
    }

    /// Sets the metres per unit of BVH files that are read from now on; without it they are guessed.
    pub fn set_bvh_scale(&mut self, metres: Option<f32>) {
        self.bvh_scale = metres;
    }

    /// Sets the texture formats that the adapter supports, once it is open. Loads that wait for them continue; later
    /// loads use them at once.
    pub fn set_block_formats(&mut self, formats: BlockFormats) {
        if self.block_formats.set(formats).is_err() {
            self.block_formats = Arc::new(OnceLock::from(formats));
        }
    }

    /// Returns the next result, in the order of their reports.
    pub fn poll(&self) -> Option<Report> {
        self.results.try_recv().ok()
    }

    /// Waits for the next result; `None` if there is none within a time limit.
    pub fn wait(&self, limit: Duration) -> Option<Report> {
        self.results.recv_timeout(limit).ok()
    }

    /// Runs a job.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub fn spawn(
        &self,
        name: &str,
        work: impl FnOnce(&Reporter) + Send + 'static,
    ) -> io::Result<JoinHandle<()>> {
        let reporter = self.reporter.clone();
        std::thread::Builder::new().name(name.into()).spawn(move || work(&reporter))
    }

    /// Reports a result that needed no thread.
    pub fn report(&self, report: Report) {
        self.reporter.report(report);
    }

    /// Runs a job with one answer. If the system refuses a thread or the job panics, `instead` makes the answer of the
    /// reason.
    fn answer<T: Into<Action>>(
        &self,
        name: &str,
        work: impl FnOnce() -> T + Send + 'static,
        instead: impl FnOnce(String) -> T + Clone + Send + 'static,
    ) {
        let failed = instead.clone();
        let work = move || guarded(work).unwrap_or_else(|_| failed(PANICKED.to_owned()));
        if let Err(error) = self.spawn(name, move |reporter| reporter.answer(work())) {
            self.reporter.answer(instead(format!("can't start a thread: {error}")));
        }
    }

    /// Searches for models.
    pub fn find(&self, search: Search) {
        let nothing = search.clone();
        let look = move || LoadAction::Found { finds: search.run(), search };
        self.answer("find", look, |why| {
            let left_out = vec![format!("can't search for models: {why}")];
            LoadAction::Found { search: nothing, finds: Finds { models: Vec::new(), left_out } }
        });
    }

    /// Checks clips.
    pub fn check(&self, request: CheckRequest) {
        let asked = request.clone();
        let checked = move || {
            let found = request.run();
            TimelineAction::Checked(request, Ok(found))
        };
        self.answer("check", checked, |why| TimelineAction::Checked(asked, Err(why)));
    }

    /// Measures the error of what is shown.
    pub fn measure_skin(&self, load: LoadId, shown: Box<ShownSkin>) {
        let measure = move || EngineAction::Take(load, shown.error().map_err(|e| e.to_string()));
        self.answer("measure", measure, move |why| EngineAction::Take(load, Err(why)));
    }
}
