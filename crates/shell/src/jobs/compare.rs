//! Compares two models: first all their clips, then their distance at instants that are shown.

use std::sync::Arc;

use self_cell::self_cell;

use super::{ComparisonResult, HeatColours, HeatRequest, Job, Report};
use rigview_compare::{CompareProgress, Measuring};
use rigview_model::{Mesh, Model};
use rigview_session::{ComparisonRequest, LoadId};

/// A comparison that runs, or that has ended and measures instants. Dropping it cancels it.
pub(crate) struct Comparer {
    pub id: LoadId,
    progress: Arc<CompareProgress>,
    /// `None` while a job has it.
    pair: Option<Box<MeasuredPair>>,
    ordered: Option<HeatRequest>,
    answered: Option<HeatRequest>,
    has_failed: bool,
}

impl Drop for Comparer {
    fn drop(&mut self) {
        self.progress.cancel();
    }
}

impl Comparer {
    /// Returns the state of a comparison whose job starts now.
    pub fn new(request: &ComparisonRequest) -> Self {
        Self {
            id: request.id,
            progress: Arc::clone(&request.progress),
            pair: None,
            ordered: None,
            answered: None,
            has_failed: false,
        }
    }

    /// Orders the colours of an instant. Returns the job to start, unless one runs or the colours are there.
    pub fn order(&mut self, request: HeatRequest) -> Option<Job> {
        self.ordered = Some(request);
        self.next_job()
    }

    /// Takes back what measures instants, after `answered` if one was measured. Returns the job for what was ordered
    /// meanwhile; of several orders, the last one counts.
    pub fn take(&mut self, pair: Box<MeasuredPair>, answered: Option<HeatRequest>) -> Option<Job> {
        (self.pair, self.answered) = (Some(pair), answered);
        self.next_job()
    }

    /// Notes that nothing can be measured.
    pub fn fail(&mut self) {
        self.has_failed = true;
    }

    /// Whether an order is not answered yet.
    pub fn works(&self) -> bool {
        !self.has_failed && self.ordered.is_some() && self.ordered != self.answered
    }

    fn next_job(&mut self) -> Option<Job> {
        let request = self.ordered.filter(|ordered| Some(*ordered) != self.answered)?;
        let pair = self.pair.take()?;
        Some(Job::Heat(Box::new(HeatJob { id: self.id, request, pair })))
    }
}

self_cell!(
    struct MeasuredModels {
        owner: ComparisonRequest,
        #[not_covariant]
        dependent: Measuring,
    }
);

/// Two models that were compared, and what measures their distance at instants.
pub struct MeasuredPair {
    models: MeasuredModels,
    /// The first model in the colours of the last instant; `None` before the first one, or if no mesh can be paired.
    coloured: Option<Model>,
}

/// Runs work on threads of its own, which leave one processor to frames; on this thread if there can be no others.
fn with_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let count = rayon::current_num_threads().saturating_sub(1).max(1);
    match rayon::ThreadPoolBuilder::new().num_threads(count).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

/// Compares two models.
pub(super) fn run(request: ComparisonRequest) -> Report {
    let (id, progress) = (request.id, Arc::clone(&request.progress));
    let compared = with_threads(|| {
        let models =
            MeasuredModels::try_new(request, |models| Measuring::new(&models.a, &models.b))?;
        let difference = models.with_dependent(|_, measuring| measuring.difference(&progress))?;
        Ok((difference, models))
    });
    let result = match compared {
        Ok((difference, models)) => {
            let pair = Box::new(MeasuredPair { models, coloured: None });
            ComparisonResult::Difference(Box::new(difference), pair)
        }
        Err::<_, rigview_compare::ComparisonError>(error) => {
            ComparisonResult::Failed(error.to_string())
        }
    };
    Report::Compared(id, result)
}

/// Measures an instant.
pub struct HeatJob {
    pub(super) id: LoadId,
    request: HeatRequest,
    pair: Box<MeasuredPair>,
}

impl HeatJob {
    pub(super) fn run(self) -> Report {
        let Self { id, request, mut pair } = self;
        let MeasuredPair { models, coloured, .. } = &mut *pair;
        let mut model = None;
        models.with_dependent_mut(|_, measuring| {
            if coloured.is_none() {
                *coloured = measuring.heat_model();
                model = coloured.clone().map(Arc::new);
            }
            if let Some(coloured) = coloured {
                measuring.heat(coloured, request.moment, request.hottest);
            }
        });
        let colours = pair.coloured.as_ref().map(|model| HeatColours { vertices: vertices(model) });
        Report::Compared(id, ComparisonResult::Heat { request, pair, model, colours })
    }
}

fn vertices(model: &Model) -> Vec<Vec<Vec<rigview_model::Vertex>>> {
    let in_mesh =
        |mesh: &Mesh| mesh.primitives.iter().map(|primitive| primitive.vertices.clone()).collect();
    model.meshes.iter().map(in_mesh).collect()
}
