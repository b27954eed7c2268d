//! Bytes to a [`Model`]: containers, URIs, buffers, accessors, one file to a glTF noun.
//!
//! Nothing in a file is trusted. What can't be shown honestly is an [`ImportError`] that names the
//! place; what can be repaired is, and becomes a [`Warning`]. Behind this room everything
//! is valid by construction.

mod escape;

use crate::model::Model;

pub use escape::escaped;

/// What the import is asked to do beyond reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportOptions {
    /// What is done with pictures.
    pub images: ImageDecoding,
    /// Joints a part may use: at most [`crate::anim::MAX_PALETTE_JOINTS`], which is the default.
    pub joint_limit: usize,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self { images: ImageDecoding::Keep, joint_limit: crate::anim::MAX_PALETTE_JOINTS }
    }
}

/// What is done with pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageDecoding {
    /// Decoded and kept.
    Keep,
    /// Decoded one at a time for their faults, and dropped.
    Check,
    /// Only their headers are read.
    Headers,
}

/// A file that could be read, and what had to be repaired.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What the file says.
    pub model: Model,
    /// In the order in which they were found.
    pub warnings: Vec<Warning>,
}

/// Something of a file that was repaired, left out or read otherwise than written.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Warning {
    /// What kind, in capitals: stable, for scripts.
    pub code: &'static str,
    /// Where in the file: a JSON pointer; empty for the file as a whole.
    pub pointer: String,
    /// One line with the names and numbers, without the pointer.
    pub message: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.message)?;
        if self.pointer.is_empty() { Ok(()) } else { write!(f, " at {}", self.pointer) }
    }
}

/// Why a file can't be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ImportError {
    /// What is wrong, one line.
    pub what: String,
    /// Where: a JSON pointer; empty for the file as a whole.
    pub pointer: String,
}

impl std::fmt::Display for ImportError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.what)?;
        if self.pointer.is_empty() { Ok(()) } else { write!(f, " at {}", self.pointer) }
    }
}

/// Loads a file; buffers and images it names are looked for in its folder.
///
/// # Errors
/// When it can't be read, or can't be shown honestly; see [`ImportError`].
pub fn load(path: &std::path::Path, options: &ImportOptions) -> Result<Loaded, ImportError> {
    let _ = (path, options);
    todo!()
}

/// Loads a file that is in memory and must contain all it needs.
///
/// # Errors
/// As [`load`].
pub fn load_bytes(bytes: Vec<u8>, options: &ImportOptions) -> Result<Loaded, ImportError> {
    let _ = (bytes, options);
    todo!()
}
