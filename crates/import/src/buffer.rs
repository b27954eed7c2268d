//! Buffers: the bytes that a file names, and those that are computed while it is imported; and buffer views, checked ranges of
//! them. Compressed views are decoded into buffers of their own, so that all readers of a view see plain bytes.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::fault::{ImportError, Warnings};
use super::files::Folder;
use super::meshopt::{self, Compression};
use super::progress::Progress;
use rigview_document::{At, Document};
use rigview_model::{Budget, Original, WarningCode};

/// Bytes of all buffers together; a GLB can't hold more.
const LIMIT: u64 = 4 << 30;

/// The sources of buffers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'a> {
    /// The GLB's BIN chunk.
    pub bin: Option<&'a [u8]>,
    /// The folder of the file.
    pub folder: &'a Folder<'a>,
    /// The budget for data derived from the file.
    pub budget: &'a Budget,
}

/// The bytes of each buffer, exactly `byteLength` long, followed by those of decoded views.
#[derive(Debug)]
pub(super) struct Buffers<'a> {
    /// `None` for a placeholder, whose views are all compressed.
    list: Vec<Option<Cow<'a, [u8]>>>,
    given: Given<'a>,
    /// Bytes of the file's buffers that were read so far.
    total: u64,
    /// URIs that were read.
    uris: HashSet<String>,
}

impl<'a> Buffers<'a> {
    /// Reads all buffers except placeholders.
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

    /// Appends a buffer that is not the file's own and returns its index.
    pub fn push(&mut self, bytes: Vec<u8>) -> usize {
        self.list.push(Some(Cow::Owned(bytes)));
        self.list.len() - 1
    }

    /// Fetches the bytes of a placeholder buffer that has some of its own. Returns whether the
    /// buffer has bytes now.
    pub fn fetch_placeholder(
        &mut self,
        document: &Document,
        index: usize,
        warnings: &mut Warnings,
    ) -> Result<bool, ImportError> {
        if self.bytes(index).is_some() {
            return Ok(true);
        }
        let at = document.item("buffers", index)?;
        if at.get("uri").is_none() && self.bin_of(index).is_none() {
            return Ok(false);
        }
        self.list[index] = Some(self.fetch(&at, index, warnings)?);
        Ok(true)
    }

    /// Returns the bytes of a buffer; `None` for a placeholder.
    pub fn bytes(&self, index: usize) -> Option<&[u8]> {
        self.list.get(index)?.as_deref()
    }

    /// The budget for data derived from the file.
    pub fn budget(&self) -> &'a Budget {
        self.given.budget
    }

    /// The folder that relative URIs are resolved in.
    pub fn folder(&self) -> &'a Folder<'a> {
        self.given.folder
    }

    /// The progress of the import.
    pub fn progress(&self) -> &'a Progress {
        self.given.folder.progress
    }

    fn bin_of(&self, index: usize) -> Option<&'a [u8]> {
        self.given.bin.filter(|_| index == 0)
    }

    /// Fetches a buffer's bytes from its URI or the BIN chunk.
    fn fetch(
        &mut self,
        at: &At,
        index: usize,
        warnings: &mut Warnings,
    ) -> Result<Cow<'a, [u8]>, ImportError> {
        let length = at.required("byteLength")?.whole()?;
        let mut bytes = match (at.get("uri"), self.bin_of(index)) {
            (Some(uri), _) => {
                let fetched = self
                    .given
                    .folder
                    .fetch(uri.text()?, length)
                    .map_err(|e| ImportError::unreadable_at(&uri, e))?;
                if fetched.backslashes {
                    let message = "backslashes in the uri are read as slashes";
                    warnings.add_at(&uri, WarningCode::UriBackslash, message);
                }
                // A file that is read twice multiplies its data: charge it.
                match self.uris.insert(uri.text()?.to_owned()) {
                    true => self.budget().grow(fetched.bytes.len()),
                    false => {
                        let taken = self.budget().take(fetched.bytes.len(), 1);
                        taken.map_err(|e| ImportError::over_budget_at(&uri, e))?;
                    }
                }
                Cow::Owned(fetched.bytes)
            }
            (None, Some(bin)) => {
                if bin.len() as u64 > length.saturating_add(3) {
                    let there = bin.len();
                    let message = format!("the BIN chunk has {there} bytes, not {length}");
                    warnings.add_at(at, WarningCode::BinOversized, message);
                }
                Cow::Borrowed(bin)
            }
            (None, None) => {
                return Err(at.error("it has no uri, and the file has no BIN chunk for it").into());
            }
        };
        let there = bytes.len();
        let wanted = usize::try_from(length).unwrap_or(usize::MAX);
        if there < wanted {
            return Err(at
                .error(format!("byteLength is {length}, but there are {there} bytes"))
                .into());
        }
        match &mut bytes {
            Cow::Borrowed(bytes) => *bytes = &bytes[..wanted],
            Cow::Owned(bytes) => bytes.truncate(wanted),
        }
        self.total += length;
        if self.total > LIMIT {
            return Err(at
                .error(format!("all buffers together have more than {LIMIT} bytes"))
                .into());
        }
        Ok(bytes)
    }
}

/// Sums the bytes of the buffers that are separate files. Their defects are reported when they are
/// read.
fn files_bytes(document: &Document) -> Result<u64, ImportError> {
    let is_file = |at: &At| {
        at.get("uri").is_some_and(|uri| uri.text().is_ok_and(|uri| !uri.starts_with("data:")))
    };
    let bytes = |at: &At| at.get("byteLength").and_then(|length| length.whole().ok()).unwrap_or(0);
    let files = document.list("buffers")?.into_iter().filter(is_file);
    Ok(files.fold(0_u64, |sum, at| sum.saturating_add(bytes(&at))))
}

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
