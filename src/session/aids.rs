//! What is computed of the posed exhibit for the drawings that help to judge a rig.

use std::sync::Arc;

use super::bind_heat::BindHeat;
use super::boxes::Boxes;
use super::heat::Heat;
use super::marks::WeightMarks;
use super::onion::Onion;
use super::root::KeptRoot;
use crate::look::{KeyRow, Stroke};

/// The drawings, as [`Look::aids`](crate::look::Look::aids) asks for them.
#[derive(Debug, Default)]
pub(super) struct Drawings {
    pub(super) onion: Onion,
    pub(super) root: KeptRoot,
    /// Of the first model, and of the one beside it.
    pub(super) boxes: [Boxes; 2],
    pub(super) marks: WeightMarks,
    pub(super) heat: Heat,
    pub(super) bind: BindHeat,
    pub(super) strokes: Arc<[Stroke]>,
    pub(super) key: Arc<[KeyRow]>,
}
