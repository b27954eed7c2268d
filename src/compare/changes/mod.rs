//! What is different between the paired parts of two models, one file to a kind of part. How far points move apart is
//! in [`motion`](super::motion).

pub mod attributes;
pub mod bare_nodes;
pub mod bind;
pub mod cameras_lights;
pub mod constraints;
pub mod corners;
pub mod drawn;
pub mod extras;
pub mod gaps;
pub mod images;
pub mod instances;
pub mod interpolations;
pub mod lone_nodes;
pub mod materials;
pub mod names;
pub mod paired_mesh;
pub mod properties;
pub mod scenes;
pub mod structure;
pub mod targets;
pub mod tex_coords;
pub mod triangle_materials;
pub mod undrawn;
pub mod vrm;
pub mod winding;
