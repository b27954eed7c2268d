//! The comparison of two models: it is started, its results are taken, and the colours of the shown instant are
//! ordered.

use super::{HeatModel, Shell};
use crate::app::jobs::compare::Comparer;
use crate::app::jobs::results::{ComparisonResult, Order};
use crate::session::{ComparedAction, ComparisonRequest, LoadId, Together};

impl Shell {
    /// Starts a comparison in place of the one before.
    pub(super) fn compare(&mut self, request: ComparisonRequest) {
        self.comparer = Some(Comparer::start(request, &self.jobs));
        self.heat = HeatModel::default();
    }

    /// Takes a result, unless another comparison was started.
    pub(super) fn take_comparison(&mut self, id: LoadId, result: ComparisonResult) {
        let Some(comparer) = self.comparer.as_mut().filter(|comparer| comparer.id == id) else {
            return;
        };
        comparer.note(&result);
        match result {
            ComparisonResult::Difference(result) => {
                self.act(ComparedAction::Measured { id, result });
            }
            ComparisonResult::Model(model) => self.heat.take_model(model),
            ComparisonResult::Heat(Some(heat)) => {
                self.heat.take(heat);
                self.dirty = true;
            }
            ComparisonResult::Heat(None) => {}
        }
    }

    /// Ends the comparison if only one model is left: its thread keeps both models.
    pub(super) fn drop_comparison(&mut self) {
        if !self.session.compared().is_shown() {
            self.comparer = None;
        }
    }

    /// Orders the colours of the shown instant, if they are shown. While the clip plays, the thread answers as fast as
    /// it can, and no frame waits for it.
    pub(super) fn order_heat(&mut self) {
        let (compared, exhibit) = (self.session.compared(), self.session.exhibit());
        if compared.together() != Together::Heat {
            return;
        }
        let order = compared.moment(exhibit).zip(compared.hottest(exhibit));
        if let (Some(comparer), Some((moment, hottest))) = (&mut self.comparer, order) {
            comparer.order(Order { moment, hottest });
        }
    }

    /// Whether the colours of the shown instant are still to come.
    pub(super) fn awaits_heat(&self) -> bool {
        let moves = self.session.exhibit().is_moving();
        !moves && self.comparer.as_ref().is_some_and(|comparer| comparer.works)
    }
}
