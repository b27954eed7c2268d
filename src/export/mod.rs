//! A model's file written again, with other clips: [`frame_times`] and [`BakedClip::of`] sample
//! whatever poses a rig, [`glb_with_clips`] and [`gltf_with_clips`] put that in place of the file's animations.
//!
//! All else stays as the file has it, since it is the file's own document and bytes that are
//! written ([`crate::model::Original`]): compressed views and pictures are not touched.

use crate::model::OverBudget;

mod bake;
mod glb;
mod gltf;
mod parts;
mod pieces;
mod prune;

pub use bake::{BakedClip, BakedTrack, Property, charge_frames, frame_times};
pub use glb::glb_with_clips;
pub use gltf::{GltfFiles, gltf_with_clips};

/// Why there is no file to write.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// The clip is too long for that many frames a second.
    #[error("{secs} s at {fps} frames a second are too many keys: a lower rate is needed")]
    TooLong {
        /// What the clip says.
        secs: String,
        /// What was asked for.
        fps: String,
    },
    /// What the clip would be sampled to does not fit in the file's budget at any usual rate.
    #[error("{0}")]
    OverBudget(OverBudget),
    /// There is no node that the clip could move.
    #[error("there is nothing in the model that a clip could move")]
    NothingToMove,
    /// The import did not keep the file.
    #[error("the model's file was not kept when it was read")]
    NotKept,
    /// The kept document is not one of glTF.
    #[error("the model's document can't be written again: {0}")]
    Document(String),
    /// A GLB counts its bytes in 32 bits.
    #[error("the file would have more than 4 GiB, which a GLB can't")]
    TooLarge,
}
