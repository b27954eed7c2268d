//! A file's document and bytes to a `.gltf` with a `.bin` beside it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::glb::document;
use super::{BakedClip, ExportError};
use crate::model::Model;

/// Characters of a file name that a URI encodes.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The two files that a model is written as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GltfFiles {
    /// The document.
    pub json: Vec<u8>,
    /// The buffer; empty if the document has none.
    pub bin: Vec<u8>,
}

/// As [`super::glb_with_clips`], in two files. The document names the buffer as `bin_name`, a file
/// of its own folder.
///
/// # Errors
/// When the import did not keep the file.
pub fn gltf_with_clips(
    model: &Model,
    clips: &[BakedClip],
    bin_name: &str,
) -> Result<GltfFiles, ExportError> {
    let (mut root, mut bin) = document(model, clips)?;
    bin.resize(bin.len().next_multiple_of(4), 0);
    if !bin.is_empty() {
        root["buffers"][0]["uri"] = utf8_percent_encode(bin_name, ENCODED).to_string().into();
    }
    Ok(GltfFiles { json: format!("{root}\n").into_bytes(), bin })
}
