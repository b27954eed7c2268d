//! Writes a model as a `.gltf` file and a `.bin` file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// Characters of a file name that must be percent-encoded in a URI.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The contents of the two files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GltfFiles {
    /// The JSON document.
    pub json: Vec<u8>,
    /// The buffer; empty if the document has none.
    pub bin: Vec<u8>,
}

/// Packs a document and its first buffer, which the document is made to name as a file in its folder.
pub fn gltf(mut root: Value, mut bin: Vec<u8>, bin_name: &str) -> GltfFiles {
    bin.resize(bin.len().next_multiple_of(4), 0);
    if !bin.is_empty() {
        root["buffers"][0]["uri"] = file_uri(bin_name).into();
    }
    GltfFiles { json: format!("{root}\n").into_bytes(), bin }
}

/// Returns the URI of a file in the document's folder.
pub fn file_uri(name: &str) -> String {
    utf8_percent_encode(name, ENCODED).to_string()
}

/// Returns a buffer's bytes as a data URI.
pub fn data_uri(bytes: &[u8]) -> String {
    format!("data:application/octet-stream;base64,{}", STANDARD.encode(bytes))
}
