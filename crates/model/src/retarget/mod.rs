//! Clips of another rig on a model: which joint follows which, and how.

pub mod borrowed;
mod counted;
mod in_betweens;
pub mod mirrored;
pub mod name_match;
pub mod node_in_scene;
pub mod pin_feet;
pub mod rig_fit;
pub mod rig_map;
mod target_match;
