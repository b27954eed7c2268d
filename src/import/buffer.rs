//! Buffers and buffer views: the bytes that there are, and checked ranges of them. Compressed views
//! are decoded (`meshopt`) into buffers of their own, so that whoever reads a view knows nothing
//! of it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::document::{At, Document};
use super::fault::{ImportError, Warnings};
use super::meshopt::{self, Compression};
use super::progress::Progress;
use super::uri::Folder;
use super::warning_code::WarningCode;
use crate::model::Budget;

/// Bytes of all buffers together; a GLB can't hold more.
const LIMIT: u64 = 4 << 30;

/// The largest stride that glTF knows.
const LARGEST_STRIDE: u64 = 252;

/// What buffers are read from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'a> {
    /// The GLB's own.
    pub bin: Option<&'a [u8]>,
    /// The file's.
    pub folder: &'a Folder<'a>,
    /// What is derived from the file is charged to this.
    pub budget: &'a Budget,
}

/// The bytes of each buffer, exactly as long as it says, then those of decoded views.
#[derive(Debug)]
pub(super) struct Buffers<'a> {
    /// None for one that only holds the place of what is compressed.
    list: Vec<Option<Cow<'a, [u8]>>>,
    given: Given<'a>,
    /// Bytes of the file's buffers so far.
    total: u64,
    /// Files that were read.
    uris: HashSet<String>,
}

impl<'a> Buffers<'a> {
    /// Reads all buffers but those that hold a place.
    pub fn read(
        document: &Document,
        given: Given<'a>,
        warnings: &mut Warnings,
    ) -> Result<Self, ImportError> {
        let mut buffers = Self { list: Vec::new(), given, total: 0, uris: HashSet::new() };
        let replaced = meshopt::replaced_buffers(document)?;
        buffers.progress().expect(files_bytes(document)?);
        for (i, at) in document.list("buffers")?.iter().enumerate() {
            let has_bytes = at.get("uri").is_some() || buffers.bin_of(i).is_some();
            let holds_place =
                meshopt::is_fallback(at)? || !has_bytes && replaced.binary_search(&i).is_ok();
            let bytes = match holds_place {
                true => None,
                false => Some(buffers.fetch(at, i, warnings)?),
            };
            buffers.list.push(bytes);
        }
        buffers.progress().expect_no_more();
        Ok(buffers)
    }

    /// Adds the bytes of one that a document got later.
    pub fn push(&mut self, bytes: Vec<u8>) {
        self.list.push(Some(Cow::Owned(bytes)));
    }

    /// The bytes of a buffer; none of one that holds a place.
    pub fn bytes(&self, index: usize) -> Option<&[u8]> {
        self.list.get(index)?.as_deref()
    }

    /// What is derived from the file is charged to this.
    pub fn budget(&self) -> &'a Budget {
        self.given.budget
    }

    /// How far the import has come.
    pub fn progress(&self) -> &'a Progress {
        self.given.folder.progress
    }

    fn bin_of(&self, index: usize) -> Option<&'a [u8]> {
        self.given.bin.filter(|_| index == 0)
    }

    /// Gets a buffer's bytes from where they are.
    fn fetch(
        &mut self,
        at: &At,
        index: usize,
        warnings: &mut Warnings,
    ) -> Result<Cow<'a, [u8]>, ImportError> {
        let length = at.required("byteLength")?.whole()?;
        let mut bytes = match (at.get("uri"), self.bin_of(index)) {
            (Some(uri), _) => {
                let fetched =
                    self.given.folder.fetch(uri.text()?, length).map_err(|e| uri.error(e))?;
                if fetched.backslashes {
                    let message = "backslashes in the uri are read as slashes";
                    uri.warn(warnings, WarningCode::UriBackslash, message);
                }
                // A file that is read again is an amplifier, not a larger model.
                match self.uris.insert(uri.text()?.to_owned()) {
                    true => self.budget().grow(fetched.bytes.len()),
                    false => {
                        let taken = self.budget().take(fetched.bytes.len(), 1);
                        taken.map_err(|e| uri.error(e.to_string()))?;
                    }
                }
                Cow::Owned(fetched.bytes)
            }
            (None, Some(bin)) => {
                if bin.len() as u64 > length.saturating_add(3) {
                    let there = bin.len();
                    let message = format!("the BIN chunk has {there} bytes, not {length}");
                    at.warn(warnings, WarningCode::BinOversized, message);
                }
                Cow::Borrowed(bin)
            }
            (None, None) => return Err(at.error("no uri, and no BIN chunk for it")),
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
        self.total += length;
        if self.total > LIMIT {
            return Err(at.error(format!("all buffers together have over {LIMIT} bytes")));
        }
        Ok(bytes)
    }
}

/// Bytes of the buffers that are files of their own. What is wrong with one is said when it is read.
fn files_bytes(document: &Document) -> Result<u64, ImportError> {
    let is_file = |at: &At| {
        at.get("uri").is_some_and(|uri| uri.text().is_ok_and(|uri| !uri.starts_with("data:")))
    };
    let bytes = |at: &At| at.get("byteLength").and_then(|length| length.whole().ok()).unwrap_or(0);
    let files = document.list("buffers")?.into_iter().filter(is_file);
    Ok(files.fold(0_u64, |sum, at| sum.saturating_add(bytes(&at))))
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
        buffers.bytes(self.buffer).map_or(&[], |bytes| &bytes[self.range.clone()])
    }
}

/// Checks all buffer views, and decodes those that are compressed.
pub(super) fn views(
    document: &Document,
    buffers: &mut Buffers,
    warnings: &mut Warnings,
) -> Result<Vec<View>, ImportError> {
    let mut views = Vec::new();
    for at in document.list("bufferViews")? {
        buffers.progress().check()?;
        views.push(match Compression::of(&at)? {
            Some(compression) => match compression.decode(&at, buffers) {
                Ok(bytes) => decoded(&at, bytes, buffers, warnings)?,
                Err(error) => stand_in(&at, &compression, error, buffers, warnings)?,
            },
            None => view(&at, buffers, warnings)?,
        });
    }
    Ok(views)
}

/// The view of decoded bytes.
fn decoded(
    at: &At,
    bytes: Vec<u8>,
    buffers: &mut Buffers,
    warnings: &mut Warnings,
) -> Result<View, ImportError> {
    at.required("buffer")?.index_of("buffers")?;
    let (buffer, range) = (buffers.list.len(), 0..bytes.len());
    buffers.list.push(Some(Cow::Owned(bytes)));
    Ok(View { buffer, range, stride: stride(at, warnings)? })
}

/// The plain bytes beside a stream that can't be decoded. A file that requires the extension says
/// that there are none.
fn stand_in(
    at: &At,
    compression: &Compression,
    error: ImportError,
    buffers: &mut Buffers,
    warnings: &mut Warnings,
) -> Result<View, ImportError> {
    let index = at.required("buffer")?.index_of("buffers")?;
    if compression.is_required() {
        return Err(error);
    }
    if buffers.bytes(index).is_none() {
        let place = at.document.item("buffers", index)?;
        if place.get("uri").is_none() && buffers.bin_of(index).is_none() {
            return Err(error);
        }
        buffers.list[index] = Some(buffers.fetch(&place, index, warnings)?);
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
        return Err(at.error(message));
    };
    let there = bytes.len();
    let end = offset.checked_add(length).and_then(|end| usize::try_from(end).ok());
    let Some(end) = end.filter(|end| *end <= there) else {
        let message = format!("bytes {offset} + {length} of buffer {buffer}, which has {there}");
        return Err(at.error(message));
    };
    // `offset` is at most `end`.
    Ok(View { buffer, range: offset as usize..end, stride: stride(at, warnings)? })
}

fn stride(at: &At, warnings: &mut Warnings) -> Result<Option<usize>, ImportError> {
    let Some(stride) = at.get("byteStride") else { return Ok(None) };
    match stride.whole()? {
        0 => {
            stride.warn(warnings, WarningCode::Stride0, "stride 0 is read as packed");
            Ok(None)
        }
        n if n > LARGEST_STRIDE => {
            let message = format!("stride {n}, at most {LARGEST_STRIDE} is allowed");
            Err(stride.error(message))
        }
        n => {
            if n % 4 != 0 {
                let message = format!("stride {n} is not a multiple of 4");
                stride.warn(warnings, WarningCode::StrideUnaligned, message);
            }
            Ok(Some(n as usize))
        }
    }
}
