//! What is computed of the posed playback for the drawings that help to judge a rig.

mod bind_heat;
pub(super) mod boxes;
mod heat;
mod marks;
mod onion;
pub(super) mod overlay_reach;
mod root;
pub(super) mod trail;

use std::sync::Arc;

use bind_heat::BindHeat;
use boxes::Boxes;
use heat::Heat;
use marks::WeightMarks;
use onion::Onion;
use overlay_reach::OverlayReach;
use rigview_look::{LegendRow, Stroke};
use root::KeptRoot;

pub(super) use marks::add_marks;

/// The drawings, as [`Look::aids`](rigview_look::Look::aids) asks for them.
#[derive(Debug, Default)]
pub(super) struct Drawings {
    pub(super) onion: Onion,
    pub(super) root: KeptRoot,
    /// Of the first model, and of the one beside it.
    pub(super) boxes: [Boxes; 2],
    pub(super) reach: OverlayReach,
    pub(super) marks: WeightMarks,
    pub(super) heat: Heat,
    pub(super) bind: BindHeat,
    pub(super) strokes: Arc<[Stroke]>,
    pub(super) legend_rows: Arc<[LegendRow]>,
}
