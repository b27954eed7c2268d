//! What a window marks in the picture: the selection.

use crate::model::DrawnPrimitive;

/// The marked parts of the model. Pictures without a window have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Highlight {
    /// A node: an outline around a mesh; a joint in another colour, with its bones and the chain of joints above it,
    /// also while the skeleton is not shown.
    pub node: Option<usize>,
    /// A vertex.
    pub vertex: Option<MarkedVertex>,
}

/// A vertex of a node's mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkedVertex {
    /// The node and the primitive of its mesh.
    pub drawn: DrawnPrimitive,
    /// Index of the node's instance; `None` for the node itself.
    pub instance: Option<usize>,
    /// The vertex by the file's numbering.
    pub index: u32,
}
