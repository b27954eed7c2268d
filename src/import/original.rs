//! The file as it was, kept for whoever writes it again: its document, buffers and images.

use super::buffer::Buffers;
use super::document::{At, Document};
use super::fault::ImportError;
use super::uri::Folder;
use crate::model::Original;

/// Bytes of all images that are kept; a GLB can't hold more.
const LIMIT: u64 = 4 << 30;

/// Copies what the document says, and fetches what it names. `buffers` are still without those that decoding adds.
pub(super) fn keep(
    document: &Document,
    buffers: &Buffers,
    folder: &Folder,
) -> Result<Original, ImportError> {
    let mut left = LIMIT;
    let mut fetched = |at: &At| {
        let uri = at.get("uri").filter(|_| at.get("bufferView").is_none())?;
        // What can't be read has been warned of where it is needed.
        let bytes = folder.fetch(uri.value.as_str()?, left).ok()?.bytes;
        left = left.saturating_sub(bytes.len() as u64);
        Some(bytes)
    };
    let mut kept = Vec::new();
    for (i, at) in document.list("buffers")?.iter().enumerate() {
        // A buffer that holds a place may have plain bytes beside the compressed ones.
        kept.push(buffers.bytes(i).map(<[u8]>::to_vec).or_else(|| fetched(at)));
    }
    let images = document.list("images")?.iter().map(fetched).collect();
    Ok(Original { json: document.root().value.to_string(), buffers: kept, images })
}
