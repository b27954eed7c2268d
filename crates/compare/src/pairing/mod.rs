//! Which parts of two models are the same: nodes, clips, primitives, vertices and places on surfaces.

pub mod clip_pairs;
pub mod copies;
pub mod drawers;
pub mod grid;
pub mod instance_pairs;
pub mod leftover;
pub mod looks;
pub mod moved_points;
pub mod near_pairs;
pub mod nearest;
pub mod node_pairs;
pub mod pairs;
pub mod primitive_pairs;
pub mod slot_pairs;
pub mod target_pairs;
pub mod triangles;
pub mod vertex_pairs;
