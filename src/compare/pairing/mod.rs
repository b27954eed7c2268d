//! Which parts of two models are the same: nodes, clips, primitives, vertices and places on surfaces.

pub mod clip_pairs;
pub mod grid;
pub mod instance_pairs;
pub mod leftover;
pub mod moved_points;
pub mod nearest;
pub mod node_pairs;
pub mod pairs;
pub mod primitive_pairs;
pub mod target_pairs;
pub mod triangles;
pub mod vertex_pairs;
