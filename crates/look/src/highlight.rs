//! What is marked in the picture: the selection, lines and points, and what their colours mean.

use std::sync::Arc;

use super::Stroke;
use rigview_model::{FileVertex, Trail};

/// The marked parts of the model. Pictures without a window have the path, lines and their key only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Highlight {
    /// A node: an outline around a mesh; a joint in another colour, with its bones and the chain of joints above it,
    /// also while the skeleton is not shown.
    pub node: Option<usize>,
    /// A vertex.
    pub vertex: Option<FileVertex>,
    /// The path of a node over a clip, with a mark per key.
    pub trail: Option<Arc<Trail>>,
    /// Further lines and points; of more than [`Stroke::MOST`], the first ones.
    pub strokes: Arc<[Stroke]>,
    /// What colours of lines mean, in the legend.
    pub legend_rows: Arc<[LegendRow]>,
    /// Parts of the picture that something else is drawn over, of which names keep clear: the least X and Y and the largest
    /// X and Y of each, in pixels from the top left corner.
    pub covered: Arc<[[f32; 4]]>,
}

/// A row of the legend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegendRow {
    /// sRGB.
    pub color: [u8; 3],
    /// The meaning of the colour.
    pub text: String,
}
