//! Buffers and buffer views: the bytes that there are, and checked ranges of them.

use std::borrow::Cow;
use std::ops::Range;

use super::document::{At, Document};
use super::fault::{ImportError, Warnings};
use super::uri::Folder;

/// Bytes of all buffers together; a GLB can't hold more.
const LIMIT: u64 = 4 << 30;

/// The largest stride that glTF knows.
const LARGEST_STRIDE: u64 = 252;

/// The bytes of each buffer, exactly as long as it says.
pub(super) type Buffers<'a> = Vec<Cow<'a, [u8]>>;

/// Reads all buffers. `bin` is the GLB's own.
pub(super) fn read<'a>(
    document: &Document,
    bin: Option<&'a [u8]>,
    folder: &Folder,
    warnings: &mut Warnings,
) -> Result<Buffers<'a>, ImportError> {
    let mut buffers = Vec::new();
    let mut total = 0u64;
    for (i, at) in document.list("buffers")?.iter().enumerate() {
        let length = at.required("byteLength")?.whole()?;
        let mut bytes = match at.get("uri") {
            Some(uri) => {
                let fetched = folder.fetch(uri.text()?, length).map_err(|e| uri.error(e))?;
                if fetched.backslashes {
                    let message = "backslashes in the uri are read as slashes";
                    uri.warn(warnings, "URI_BACKSLASH", message);
                }
                Cow::Owned(fetched.bytes)
            }
            None => match bin.filter(|_| i == 0) {
                Some(bin) => {
                    if bin.len() as u64 > length.saturating_add(3) {
                        let there = bin.len();
                        let message = format!("the BIN chunk has {there} bytes, not {length}");
                        at.warn(warnings, "BIN_OVERSIZED", message);
                    }
                    Cow::Borrowed(bin)
                }
                None => return Err(at.error("no uri, and no BIN chunk for it")),
            },
        };
        let there = bytes.len();
        let wanted = usize::try_from(length).unwrap_or(usize::MAX);
        if there < wanted {
            return Err(at.error(format!("byteLength is {length}, {there} bytes are there")));
        }
        match &mut bytes {
            Cow::Borrowed(bytes) => *bytes = &bytes[..wanted],
            Cow::Owned(bytes) => bytes.truncate(wanted),
        }
        total += length;
        if total > LIMIT {
            return Err(at.error(format!("all buffers together have over {LIMIT} bytes")));
        }
        buffers.push(bytes);
    }
    Ok(buffers)
}

/// A buffer view: where its bytes are.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// Which buffer.
    pub buffer: usize,
    /// Which of its bytes.
    pub range: Range<usize>,
    /// Bytes from one element to the next, where they are not packed.
    pub stride: Option<usize>,
}

impl View {
    /// Its bytes.
    pub fn bytes<'a>(&self, buffers: &'a Buffers) -> &'a [u8] {
        &buffers[self.buffer][self.range.clone()]
    }
}

/// Checks all buffer views.
pub(super) fn views(
    document: &Document,
    buffers: &Buffers,
    warnings: &mut Warnings,
) -> Result<Vec<View>, ImportError> {
    document.list("bufferViews")?.iter().map(|at| view(at, buffers, warnings)).collect()
}

fn view(at: &At, buffers: &Buffers, warnings: &mut Warnings) -> Result<View, ImportError> {
    let buffer = at.required("buffer")?.index_of("buffers")?;
    let offset = at.whole_at("byteOffset")?.unwrap_or(0);
    let length = at.required("byteLength")?.whole()?;
    let there = buffers[buffer].len();
    let end = offset.checked_add(length).and_then(|end| usize::try_from(end).ok());
    let Some(end) = end.filter(|end| *end <= there) else {
        let message = format!("bytes {offset} + {length} of buffer {buffer}, which has {there}");
        return Err(at.error(message));
    };
    let stride = match at.get("byteStride") {
        None => None,
        Some(stride) => match stride.whole()? {
            0 => {
                stride.warn(warnings, "STRIDE_0", "stride 0 is read as packed");
                None
            }
            n if n > LARGEST_STRIDE => {
                let message = format!("stride {n}, at most {LARGEST_STRIDE} is allowed");
                return Err(stride.error(message));
            }
            n => {
                if n % 4 != 0 {
                    let message = format!("stride {n} is not a multiple of 4");
                    stride.warn(warnings, "STRIDE_UNALIGNED", message);
                }
                Some(n as usize)
            }
        },
    };
    // `offset` is at most `end`.
    Ok(View { buffer, range: offset as usize..end, stride })
}
