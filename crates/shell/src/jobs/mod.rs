//! Work that takes longer than a frame, as data for whoever has threads. Each job has one result.

pub(crate) mod compare;
mod copies;
mod load;
pub(crate) mod record;
mod report;

use rigview_import::{ImportError, guarded};
use rigview_report::ShownSkin;
use rigview_session::{
    Action, CheckRequest, ComparisonRequest, CopyAction, CopyRequest, DesktopAction, EngineAction,
    Finds, LoadAction, LoadId, MendAction, MendRequest, Search, TimelineAction,
};

pub use compare::{HeatJob, MeasuredPair};
pub use load::{LoadJob, UploadJob};
pub use record::RecordJob;
pub use report::{ComparisonResult, HeatColours, HeatRequest, Report, UploadedModel};

/// The reason that is reported where a job panics.
const PANICKED: &str = "internal error";

/// A job.
pub enum Job {
    /// Read a file.
    Load(Box<LoadJob>),
    /// Upload a model that was read.
    Upload(Box<UploadJob>),
    /// Search for models.
    Find(Search),
    /// Check clips.
    Check(CheckRequest),
    /// Measure the error at the skin of what is shown.
    MeasureSkin(LoadId, Box<ShownSkin>),
    /// Compare two models.
    Compare(ComparisonRequest),
    /// Measure the distances of two models at an instant.
    Heat(Box<HeatJob>),
    /// Make a mended copy in memory. The second value is the metres per unit of BVH files.
    Mend(MendRequest, Option<f32>),
    /// Write a copy to a file. The second value is the metres per unit of BVH files.
    WriteCopy(CopyRequest, Option<f32>),
    /// Record what is shown to a file.
    Record(Box<RecordJob>),
}

impl Job {
    /// A short name, for a thread.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Load(_) => "load",
            Self::Upload(_) => "upload",
            Self::Find(_) => "find",
            Self::Check(_) => "check",
            Self::MeasureSkin(..) => "measure",
            Self::Compare(_) => "compare",
            Self::Heat(_) => "heat",
            Self::Mend(..) => "mend",
            Self::WriteCopy(..) => "copy",
            Self::Record(_) => "record",
        }
    }

    /// Does the work and returns its result. A panic becomes a failure.
    pub fn run(self) -> Report {
        let failure = self.failure();
        guarded(|| self.work()).unwrap_or_else(|_| failure(PANICKED.to_owned()))
    }

    fn work(self) -> Report {
        match self {
            Self::Load(job) => job.run(),
            Self::Upload(job) => job.run(),
            Self::Find(search) => {
                let finds = search.run();
                answer(LoadAction::Found { search, finds })
            }
            Self::Check(request) => {
                let findings = request.run();
                answer(TimelineAction::Checked(request, Ok(findings)))
            }
            Self::MeasureSkin(load, shown) => {
                let error = shown.error().map_err(|e| e.to_string());
                answer(EngineAction::Take(load, error))
            }
            Self::Compare(request) => compare::run(request),
            Self::Heat(job) => job.run(),
            Self::Mend(request, bvh_scale) => {
                answer(MendAction::Take(request.id, request.run(bvh_scale)))
            }
            Self::WriteCopy(request, bvh_scale) => {
                let written = copies::write(&request, bvh_scale);
                answer(CopyAction::Written(request.path, written))
            }
            Self::Record(job) => job.run(),
        }
    }

    /// Returns a function that makes the result of a job which can't be done, by the reason.
    pub fn failure(&self) -> Box<dyn FnOnce(String) -> Report + Send> {
        let not_loaded = |id: LoadId| -> Box<dyn FnOnce(String) -> Report + Send> {
            Box::new(move |why| {
                answer(LoadAction::Loaded { id, result: Err(ImportError::other(why)) })
            })
        };
        let not_compared = |id: LoadId| -> Box<dyn FnOnce(String) -> Report + Send> {
            Box::new(move |why| Report::Compared(id, ComparisonResult::Failed(why)))
        };
        match self {
            Self::Load(job) => not_loaded(job.request.id),
            Self::Upload(job) => not_loaded(job.id),
            Self::Find(search) => {
                let search = search.clone();
                Box::new(|why| {
                    let left_out = vec![format!("can't search for models: {why}")];
                    let finds = Finds { models: Vec::new(), left_out };
                    answer(LoadAction::Found { search, finds })
                })
            }
            Self::Check(request) => {
                let request = request.clone();
                Box::new(|why| answer(TimelineAction::Checked(request, Err(why))))
            }
            Self::MeasureSkin(load, _) => {
                let load = *load;
                Box::new(move |why| answer(EngineAction::Take(load, Err(why))))
            }
            Self::Compare(request) => not_compared(request.id),
            Self::Heat(job) => not_compared(job.id),
            Self::Mend(request, _) => {
                let id = request.id;
                Box::new(move |why| answer(MendAction::Take(id, Err(why))))
            }
            Self::WriteCopy(request, _) => {
                let path = request.path.clone();
                Box::new(|why| answer(CopyAction::Written(path, Err(why))))
            }
            Self::Record(job) => {
                let id = job.recording.id;
                Box::new(move |why| answer(DesktopAction::Recorded { id, result: Err(why) }))
            }
        }
    }
}

/// Returns the answer to an effect of the session.
fn answer(action: impl Into<Action>) -> Report {
    Report::Answer(action.into())
}
