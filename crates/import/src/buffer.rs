//! Buffers: the bytes that a file names, and those that are computed while it is imported.

use std::borrow::Cow;
use std::collections::HashSet;

use super::compression;
use super::fault::{ImportError, Warnings};
use super::files::Folder;
use super::progress::Progress;
use rigview_document::{At, Document};
use rigview_model::{Budget, WarningCode};

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
        let replaced = compression::replaced_buffers(document)?;
        buffers.progress().expect(files_bytes(document)?);
        for (i, at) in document.list("buffers")?.iter().enumerate() {
            let has_bytes = at.get("uri").is_some() || buffers.bin_of(i).is_some();
            let holds_place =
                compression::is_fallback(at)? || !has_bytes && replaced.binary_search(&i).is_ok();
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
