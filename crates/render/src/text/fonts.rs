//! Fonts of the system, for characters that the built-in fonts lack. A browser shows its fonts to no program.

use std::sync::Arc;

#[cfg(not(target_family = "wasm"))]
pub use super::system_fonts::{missing_font_message, system_font};

/// A font file in memory, and one of its faces.
#[derive(Debug)]
pub struct SystemFont {
    /// Unique name: path and face index.
    pub name: String,
    /// Contents of the file.
    pub bytes: Arc<Vec<u8>>,
    /// Index of the face in the file.
    pub index: u32,
}

/// Returns `None`: the character is drawn as a box.
#[cfg(target_family = "wasm")]
pub fn system_font(_: char) -> Option<Arc<SystemFont>> {
    None
}

/// Returns `None`: there is no font to recommend.
#[cfg(target_family = "wasm")]
pub fn missing_font_message() -> Option<String> {
    None
}
