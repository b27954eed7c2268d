//! A model's file written again, with other clips: [`frame_times`] and [`BakedClip::of`] sample
//! whatever poses a rig, [`glb_with_clips`] and [`gltf_with_clips`] put that in place of the file's animations.
//!
//! All else stays as the file has it, since it is the file's own document and bytes that are
//! written ([`crate::model::Original`]): compressed views and pictures are not touched.
//!
//! ```
//! use rigview::anim::Cursor;
//! use rigview::export::{BakedClip, frame_times, glb_with_clips};
//! use rigview::import::{ImportOptions, load, load_bytes};
//!
//! // Writes the first clip with 10 keys per second. The file itself must be kept for that.
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/creature.glb");
//! let options = ImportOptions { keep_original: true, ..ImportOptions::default() };
//! let model = load(file.as_ref(), &options)?.model;
//! let clip = &model.clips[0];
//! let times = frame_times(clip.duration_secs(), 10.0)?;
//! let mut cursor = Cursor::default();
//! let baked = BakedClip::of(None, times, &model.rest, |time_secs, pose| {
//!     clip.pose(time_secs, &model.rest, &mut cursor, pose);
//! })?;
//! let glb = glb_with_clips(&model, &[baked])?;
//! assert_eq!(load_bytes(glb, &ImportOptions::default())?.model.clips.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
