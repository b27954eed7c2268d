//! What is computed of the posed exhibit for the drawings that help to judge a rig.

mod apply;
pub(super) mod boxes;
mod heat;
mod marks;
mod onion;
mod root;
pub(super) mod trail;

use std::sync::Arc;

use crate::look::Stroke;
use boxes::Boxes;
use heat::Heat;
use marks::WeightMarks;
use onion::Onion;
use root::KeptRoot;

/// The drawings, as [`Look::aids`](crate::look::Look::aids) asks for them.
#[derive(Debug, Default)]
pub(super) struct Drawings {
    onion: Onion,
    root: KeptRoot,
    boxes: Boxes,
    marks: WeightMarks,
    pub(super) heat: Heat,
    pub(super) strokes: Arc<[Stroke]>,
}
