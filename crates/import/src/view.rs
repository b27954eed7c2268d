//! Buffer views: checked ranges of buffers. Compressed views are decoded into buffers of their own,
//! so that all readers of a view see plain bytes.

use std::ops::Range;

use super::buffer::Buffers;
use super::compression::Compression;
use super::fault::{ImportError, Warnings};
use super::meshopt;
use rigview_document::{At, Document};
use rigview_model::WarningCode;

/// The largest `byteStride` that glTF allows.
const LARGEST_STRIDE: u64 = 252;

/// A buffer view: a range of a buffer.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// Index of the buffer.
    pub buffer: usize,
    /// The bytes in it.
    pub range: Range<usize>,
    /// Bytes from one element to the next; `None` if they are packed.
    pub stride: Option<usize>,
}

impl View {
    /// Returns the bytes.
    pub fn bytes<'a>(&self, buffers: &'a Buffers) -> &'a [u8] {
        buffers.bytes(self.buffer).map_or(&[], |bytes| &bytes[self.range.clone()])
    }
}

/// Checks all buffer views and decodes the compressed ones.
pub(super) fn views(
    document: &Document,
    buffers: &mut Buffers,
    warnings: &mut Warnings,
) -> Result<Vec<View>, ImportError> {
    let mut views = Vec::new();
    for at in document.list("bufferViews")? {
        buffers.progress().check()?;
        views.push(match Compression::of(&at)? {
            Some(compression) => match meshopt::decode(&compression, &at, buffers) {
                Ok(bytes) => decoded(&at, bytes, buffers, warnings)?,
                Err(error) => fall_back(&at, &compression, error, buffers, warnings)?,
            },
            None => view(&at, buffers, warnings)?,
        });
    }
    Ok(views)
}

/// Adds decoded bytes as a buffer and returns the view of them.
fn decoded(
    at: &At,
    bytes: Vec<u8>,
    buffers: &mut Buffers,
    warnings: &mut Warnings,
) -> Result<View, ImportError> {
    at.required("buffer")?.index_of("buffers")?;
    let range = 0..bytes.len();
    let buffer = buffers.push(bytes);
    Ok(View { buffer, range, stride: stride(at, warnings)? })
}

/// Falls back to the uncompressed bytes beside a stream that can't be decoded. Fails if there are
/// none, or if the file requires the extension, which means the same.
fn fall_back(
    at: &At,
    compression: &Compression,
    error: ImportError,
    buffers: &mut Buffers,
    warnings: &mut Warnings,
) -> Result<View, ImportError> {
    let index = at.required("buffer")?.index_of("buffers")?;
    if compression.is_required() || !buffers.fetch_placeholder(at.document, index, warnings)? {
        return Err(error);
    }
    warnings.add_error(WarningCode::MeshoptFallback, &error);
    view(at, buffers, warnings)
}

fn view(at: &At, buffers: &Buffers, warnings: &mut Warnings) -> Result<View, ImportError> {
    let buffer = at.required("buffer")?.index_of("buffers")?;
    let offset = at.whole_at("byteOffset")?.unwrap_or(0);
    let length = at.required("byteLength")?.whole()?;
    let Some(bytes) = buffers.bytes(buffer) else {
        let message = format!("buffer {buffer} has no bytes but those of compressed views");
        return Err(at.error(message).into());
    };
    let there = bytes.len();
    let end = offset.checked_add(length).and_then(|end| usize::try_from(end).ok());
    let Some(end) = end.filter(|end| *end <= there) else {
        let message = format!("bytes {offset} + {length} of buffer {buffer}, which has {there}");
        return Err(at.error(message).into());
    };
    // `offset` is at most `end`.
    Ok(View { buffer, range: offset as usize..end, stride: stride(at, warnings)? })
}

fn stride(at: &At, warnings: &mut Warnings) -> Result<Option<usize>, ImportError> {
    let Some(stride) = at.get("byteStride") else { return Ok(None) };
    match stride.whole()? {
        0 => {
            warnings.add_at(&stride, WarningCode::Stride0, "stride 0 is read as packed");
            Ok(None)
        }
        n if n > LARGEST_STRIDE => {
            let message = format!("stride {n}, at most {LARGEST_STRIDE} is allowed");
            Err(stride.error(message).into())
        }
        n => {
            if n % 4 != 0 {
                let message = format!("stride {n} is not a multiple of 4");
                warnings.add_at(&stride, WarningCode::StrideUnaligned, message);
            }
            Ok(Some(n as usize))
        }
    }
}
