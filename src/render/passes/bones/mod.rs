//! Bones and joints, as lines of the overlay or as solids with depth.

pub mod joints;
pub mod lines;
pub mod solid_layer;
pub mod solid_pipelines;
pub mod solids;
