//! Writes a model's file as glTF, with its own or other clips: [`frame_times`] and [`sampled_clip`] sample a pose
//! function, [`glb_with`] writes the file.
//!
//! Everything but other clips is copied from the original document and buffers ([`rigview_model::Original`]), so
//! compressed views and images stay unchanged. The importer converts files of other formats to such a document,
//! so they are written in the same way.
//!
//! ```
//! use rigview_anim::Cursor;
//! use rigview_export::{Animations, frame_times, glb_with, sampled_clip};
//! use rigview_import::{ImportOptions, load, load_bytes};
//!
//! // Writes the first clip with 10 keys per second. The file itself must be kept for that.
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/creature.glb");
//! let options = ImportOptions { keep_original: true, ..ImportOptions::default() };
//! let model = load(file.as_ref(), &options)?.model;
//! let clip = &model.clips[0];
//! let times = frame_times(clip.duration_secs(), 10.0)?;
//! let mut cursor = Cursor::default();
//! let sampled = sampled_clip(None, &times, &model.rest, |time_secs, pose| {
//!     clip.pose(time_secs, &model.rest, &mut cursor, pose);
//! })?;
//! let glb = glb_with(&model, Animations::Clips(&[sampled]))?;
//! assert_eq!(load_bytes(glb, &ImportOptions::default())?.model.clips.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use rigview_model::OverBudget;

mod bake;
mod changes;
mod glb;
mod gltf;
mod keys;
mod lengths;
mod meshopt;
mod pictures;
mod quantize;
mod rest;
mod unit_axes;
mod weights;

pub use bake::{charge_frames, clip_of_pose, frame_times, sampled_clip};
pub use changes::{Changed, Changes, changed};
pub use glb::{Animations, file_parts, glb, glb_with};
pub use gltf::{GltfFiles, data_uri, file_uri, gltf};
pub use pictures::PictureFile;
pub use rest::set_rest;
pub use rigview_document::{Gathered, index, is_known_extension, relative_uris};
pub use unit_axes::UnitAxes;

/// Why a file can't be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// The clip is too long for the frame rate.
    #[error("{secs} s at {fps} frames per second need too many keys; use a lower rate")]
    TooLong {
        /// The clip's duration in seconds.
        secs: String,
        /// The requested frame rate.
        fps: String,
    },
    /// The sampled clip exceeds the file's budget even at a usual frame rate.
    #[error("{0}")]
    OverBudget(OverBudget),
    /// The model has no nodes.
    #[error("the model has no nodes that a clip could move")]
    NothingToMove,
    /// The import did not keep the file.
    #[error("the import did not keep the original file")]
    NotKept,
    /// The original document is not valid JSON.
    #[error("the original document can't be parsed: {0}")]
    Document(String),
    /// The data is compressed.
    #[error(
        "its data is compressed already (meshopt or Draco), which --quantize, --meshopt, --max-image and --images need plain"
    )]
    Compressed,
    /// The output exceeds 4 GiB: a GLB stores its length in 32 bits.
    #[error("the output would exceed the 4 GiB that a GLB can hold")]
    TooLarge,
}
