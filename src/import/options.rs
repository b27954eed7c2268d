//! Options of an import.

use std::sync::OnceLock;

use crate::model::{BlockFormats, Budget};

/// What the import is asked to do beyond reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportOptions<'a> {
    /// What is done with pictures.
    pub images: ImageDecoding,
    /// What the adapter takes of KTX2 pictures besides RGBA, which all become without it. Whoever
    /// opens the adapter while the file is read fills it in later: only such a picture waits for
    /// it, for as long as that takes.
    pub block_formats: Option<&'a OnceLock<BlockFormats>>,
    /// Joints a part may use: at most [`crate::anim::MAX_PALETTE_JOINTS`], which is the default.
    /// A part with a triangle that alone needs more (48 at most) may use as many as that.
    pub joint_limit: usize,
    /// Bytes that everything derived from a file may take together, and a little more for a large
    /// file ([`Budget`]). Pictures that need more are left out, any other file is refused. 1 GiB
    /// by default.
    pub decoded_limit: u64,
    /// Whether the file itself is kept beside the model, to be written again
    /// ([`crate::model::Source::original`]).
    pub keep_original: bool,
}

impl ImportOptions<'_> {
    /// All is read as a viewer needs it.
    pub const DEFAULT: Self = Self {
        images: ImageDecoding::Keep,
        block_formats: None,
        joint_limit: crate::anim::MAX_PALETTE_JOINTS,
        decoded_limit: Budget::DEFAULT,
        keep_original: false,
    };
}

impl Default for ImportOptions<'_> {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What is done with pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageDecoding {
    /// Decoded and kept, as far as pictures of the model need them.
    Keep,
    /// Decoded one at a time for their faults, and dropped.
    Check,
    /// Only their headers are read.
    Headers,
}
