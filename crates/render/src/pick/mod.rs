//! Finds what a picture shows at a pixel.
//!
//! The scene is drawn as for the picture (`pass`): posed, cut by alpha and culled in the same way, with the same
//! depth test. But it is drawn on a few pixels around the place (`target`), and numbers are drawn instead of colours
//! (`pipelines`). They are read back when the GPU is done, without waiting for it (`answer`).

mod answer;
mod pass;
mod pipelines;
mod target;

pub use answer::PickPlace;
pub use pass::{PickScene, Picker};
