//! The comparison of two models: it is started, its results are taken, and the colours of the shown instant are
//! ordered.

use super::comparer::{Comparer, News, Order};
use super::heat::Heated;
use super::window::App;
use crate::session::{ComparedAction, ComparisonRequest, Together};

impl App {
    /// Starts a comparison in place of the one before.
    pub(super) fn compare(&mut self, request: ComparisonRequest) {
        self.comparer = Some(Comparer::start(request, self.proxy.clone()));
        if let Some(live) = &mut self.live {
            live.heat = Heated::default();
        }
    }

    /// Takes the results that have come.
    pub(super) fn take_comparison(&mut self) {
        if !self.session.compared().is_shown() {
            // The thread keeps both models until it ends.
            self.comparer = None;
        }
        while let Some((comparer, news)) = self.comparer.as_mut().and_then(|comparer| {
            let news = comparer.poll()?;
            Some((comparer, news))
        }) {
            let id = comparer.id;
            match (news, &mut self.live) {
                (News::Difference(result), _) => self.act(ComparedAction::Measured { id, result }),
                (News::Model(model), Some(live)) => live.heat.take_model(model),
                (News::Heat(Some(heat)), Some(live)) => {
                    live.heat.take(heat);
                    live.dirty = true;
                }
                (News::Model(_) | News::Heat(_), _) => {}
            }
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
