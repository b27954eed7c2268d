//! Compares two models on a thread of its own: first all their clips, then their distance at instants that are shown.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::results::{ComparisonResult, HeatColours, HeatRequest};
use super::{Jobs, PANICKED, Report};
use rigview_compare::{CompareProgress, Measuring};
use rigview_import::guarded;
use rigview_model::{Model, Vertex};
use rigview_session::{ComparisonRequest, LoadId};

/// A comparison that runs, or that has ended and answers orders. Dropping it cancels it.
pub(crate) struct Comparer {
    pub id: LoadId,
    progress: Arc<CompareProgress>,
    orders: Sender<HeatRequest>,
    ordered: Option<HeatRequest>,
    /// Whether an order is not answered yet.
    pub works: bool,
}

impl Drop for Comparer {
    fn drop(&mut self) {
        self.progress.cancel();
    }
}

impl Comparer {
    /// Starts a comparison.
    pub fn start(request: ComparisonRequest, jobs: &Jobs) -> Self {
        let (orders, taken) = channel();
        let (id, progress) = (request.id, Arc::clone(&request.progress));
        let work = move |reporter: &super::Reporter| {
            let tell = |result| {
                reporter.report(Report::Compared(id, result));
            };
            if guarded(|| answer(&request, &taken, &tell)).is_err() {
                tell(failed(PANICKED));
            }
        };
        if let Err(error) = jobs.spawn("compare", work) {
            let why = failed(&format!("can't start a thread to compare: {error}"));
            jobs.report(Report::Compared(id, why));
        }
        Self { id, progress, orders, ordered: None, works: false }
    }

    /// Orders the colours of an instant, unless they were ordered last.
    pub fn order(&mut self, order: HeatRequest) {
        if self.ordered != Some(order) {
            self.ordered = Some(order);
            // It fails only if the thread has ended; then there is no answer to wait for.
            self.works = self.orders.send(order).is_ok();
        }
    }

    /// Notes a result: whether an order is not answered yet.
    pub fn note(&mut self, result: &ComparisonResult) {
        match result {
            ComparisonResult::Heat(Some(heat)) => self.works = Some(heat.order) != self.ordered,
            ComparisonResult::Heat(None) | ComparisonResult::Difference(_) => self.works = false,
            ComparisonResult::Model(_) => {}
        }
    }
}

fn failed(why: &str) -> ComparisonResult {
    ComparisonResult::Difference(Box::new(Err(why.to_owned())))
}

/// Compares, then answers orders until the comparison is dropped. Threads of its own leave those that frames use free.
fn answer(
    request: &ComparisonRequest,
    orders: &Receiver<HeatRequest>,
    tell: &(dyn Fn(ComparisonResult) + Sync),
) {
    let threads = rayon::current_num_threads().saturating_sub(1).max(1);
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else {
        return tell(failed("can't start threads to compare"));
    };
    let ComparisonRequest { a, b, progress, .. } = request;
    let mut measuring = match pool.install(|| Measuring::new(a, b)) {
        Ok(measuring) => measuring,
        Err(error) => return tell(failed(&error.to_string())),
    };
    let difference = match pool.install(|| measuring.difference(progress)) {
        Ok(difference) => difference,
        Err(error) => return tell(failed(&error.to_string())),
    };
    if progress.is_cancelled() {
        return;
    }
    tell(ComparisonResult::Difference(Box::new(Ok(difference))));
    let mut model = None;
    while let Some(HeatRequest { moment, hottest }) = last(orders) {
        if model.is_none() {
            model = measuring.heat_model();
            let copy = model.clone().map(|model| ComparisonResult::Model(Arc::new(model)));
            copy.into_iter().for_each(tell);
        }
        let heat = model.as_mut().map(|model| {
            measuring.heat(model, moment, hottest);
            HeatColours { order: HeatRequest { moment, hottest }, vertices: vertices(model) }
        });
        tell(ComparisonResult::Heat(heat));
    }
}

/// Waits for an order; of several, the last one counts. `None` if there will be no more.
fn last(orders: &Receiver<HeatRequest>) -> Option<HeatRequest> {
    let first = orders.recv().ok()?;
    Some(orders.try_iter().last().unwrap_or(first))
}

fn vertices(model: &Model) -> Vec<Vec<Vec<Vertex>>> {
    let of_mesh = |mesh: &rigview_model::Mesh| {
        mesh.primitives.iter().map(|primitive| primitive.vertices.clone()).collect()
    };
    model.meshes.iter().map(of_mesh).collect()
}
