//! The distances between rest and bind pose of the shown models, for the pass that colours them.

use std::sync::Arc;

use crate::{LoadId, Playback};
use rigview_look::{BindDistances, Pass};
use rigview_model::{Model, Stage};
use rigview_report::skin_offsets_from_bind;

/// The distances of two models that share one scale of colours, and what they were found for.
#[derive(Debug, Default)]
pub(crate) struct BindHeat {
    of: [Option<(LoadId, usize)>; 2],
    distances: [Option<Arc<BindDistances>>; 2],
}

impl BindHeat {
    /// Finds the distances of both playbacks if the pass shows them and other models are shown.
    pub fn show(&mut self, playbacks: [&Playback; 2], pass: Pass) {
        let shown = playbacks.map(|playback| {
            playback.document().zip(playback.stage()).filter(|_| pass == Pass::RestToBind)
        });
        let of = shown.map(|shown| Some((shown?.0.load, shown?.1.scene)));
        if of == self.of {
            return;
        }
        self.of = of;
        let mut both = shown.map(|shown| Some(distances(&shown?.0.model, shown?.1.scene)));
        let largest = both.iter().flatten().map(BindDistances::largest_mm);
        let hottest = largest.fold(BindDistances::LEAST_HOTTEST_MM, f32::max);
        both.iter_mut().flatten().for_each(|distances| distances.hottest_mm = hottest);
        self.distances = both.map(|distances| distances.map(Arc::new));
    }

    /// The distances of the first model, and of the one beside it.
    pub fn get(&self) -> &[Option<Arc<BindDistances>>; 2] {
        &self.distances
    }
}

/// Measures all skins in a scene's rest pose.
fn distances(model: &Model, scene: usize) -> BindDistances {
    let rest = Stage::new(model, scene);
    let millimetres = |skin| {
        let metres = skin_offsets_from_bind(model, &rest, skin).unwrap_or_default();
        metres.into_iter().map(|metres| (1000.0 * metres) as f32).collect()
    };
    BindDistances { skins_mm: (0..model.skins.len()).map(millimetres).collect(), hottest_mm: 1.0 }
}
