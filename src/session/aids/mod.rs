//! What is computed of the posed exhibit for the drawings that help to judge a rig.

mod apply;
mod bind_heat;
pub(super) mod boxes;
mod heat;
mod marks;
mod onion;
mod root;
pub(super) mod trail;

use std::sync::Arc;

use crate::look::{KeyRow, Stroke};
use bind_heat::BindHeat;
use boxes::Boxes;
use heat::Heat;
use marks::WeightMarks;
use onion::Onion;
use root::KeptRoot;

pub(super) use marks::add_marks;

/// The drawings, as [`Look::aids`](crate::look::Look::aids) asks for them.
#[derive(Debug, Default)]
pub(super) struct Drawings {
    onion: Onion,
    root: KeptRoot,
    /// Of the first model, and of the one beside it.
    boxes: [Boxes; 2],
    marks: WeightMarks,
    heat: Heat,
    bind: BindHeat,
    strokes: Arc<[Stroke]>,
    key: Arc<[KeyRow]>,
}
