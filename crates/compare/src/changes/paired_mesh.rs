//! Two meshes whose vertices are paired, for all that is compared of them.

use super::lone_nodes::LoneNodes;
use crate::measured::{Paired, PointPair};
use crate::pairing::pairs::Pairs;
use crate::pairing::vertex_pairs::Drawn;
use crate::side::Side;

/// Two meshes as nodes draw them, with the points of both that belong together.
#[derive(Clone, Copy)]
pub(crate) struct PairedMesh<'a> {
    pub sides: [&'a Side<'a>; 2],
    pub nodes: &'a Pairs,
    pub materials: &'a Pairs,
    /// Its morph targets.
    pub targets: &'a Pairs,
    pub drawn: Drawn,
    /// The side whose mesh is only a part of the other one, cut from it; `None` if both are compared as wholes.
    pub part: Option<usize>,
    /// By side, the nodes that no node of the other side is compared with.
    pub lone: &'a [LoneNodes<'a>; 2],
    pub pairs: &'a [PointPair],
    /// Points of B at the place of a point of A beside its partner.
    pub rivals: &'a [PointPair],
    pub by: Paired,
}

impl PairedMesh<'_> {
    /// Whether all of a side's mesh is expected to have a counterpart.
    pub fn is_compared(&self, side: usize) -> bool {
        self.part.is_none_or(|part| part == side)
    }
}
