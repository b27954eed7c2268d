//! Which entries, vertices and clips of two models belong together.

pub(crate) mod clip_pairs;
pub(crate) mod grid;
pub(crate) mod index_pairs;
pub(crate) mod lists;
pub(crate) mod nearest;
pub(crate) mod node_pairs;
pub(crate) mod pairs;
pub(crate) mod slot_pairs;
pub(crate) mod spaces;
pub(crate) mod surface_pairs;
pub(crate) mod target_pairs;
pub(crate) mod triangles;
