//! What is different between the paired parts of two models. How far points move apart is in [`motion`](super::motion).

pub(crate) mod attributes;
pub(crate) mod bare_nodes;
pub(crate) mod bind;
pub(crate) mod differences;
pub(crate) mod extras;
pub(crate) mod interpolations;
pub(crate) mod names;
pub(crate) mod properties;
pub(crate) mod structure;
pub(crate) mod tex_coords;
pub(crate) mod triangles;
pub(crate) mod values;
