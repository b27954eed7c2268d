//! Keeps the file's own document, buffers and images, for commands that write it again.

use super::buffer::Buffers;
use super::fault::ImportError;
use super::files::Folder;
use rigview_document::{At, Document};
use rigview_model::Original;

/// Limit for the bytes of all fetched files; a GLB can't hold more.
const LIMIT: u64 = 4 << 30;

/// Copies the document and its buffers, and fetches its images. Must run before decoding adds
/// buffers.
pub(super) fn keep(
    document: &Document,
    buffers: &Buffers,
    folder: &Folder,
) -> Result<Original, ImportError> {
    let mut left = LIMIT;
    let mut fetched = |at: &At| {
        let uri = at.get("uri").filter(|_| at.get("bufferView").is_none())?;
        // Unreadable files are reported where they are used.
        let bytes = folder.fetch(uri.value.as_str()?, left).ok()?.bytes;
        left = left.saturating_sub(bytes.len() as u64);
        Some(bytes)
    };
    let mut kept = Vec::new();
    for (i, at) in document.list("buffers")?.iter().enumerate() {
        // A placeholder may still have uncompressed bytes of its own.
        kept.push(buffers.bytes(i).map(<[u8]>::to_vec).or_else(|| fetched(at)));
    }
    let images = document.list("images")?.iter().map(fetched).collect();
    Ok(Original { json: document.root().value.to_string(), buffers: kept, images })
}
