//! EXT_meshopt_compression and KHR_meshopt_compression: which buffer views are compressed, and
//! which buffers only hold the place of their decoded bytes. `meshopt` decodes the streams.

use super::fault::ImportError;
use rigview_document::{At, Document};

pub(super) const EXT: &str = "EXT_meshopt_compression";
pub(super) const KHR: &str = "KHR_meshopt_compression";

/// Whether a buffer is marked as the fallback of compressed views.
pub(super) fn is_fallback(buffer: &At) -> Result<bool, ImportError> {
    for name in [EXT, KHR] {
        if let Some(extension) = buffer.extension(name)?
            && extension.flag("fallback")?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the fallback buffers that compressed views name, sorted.
pub(super) fn replaced_buffers(document: &Document) -> Result<Vec<usize>, ImportError> {
    let mut replaced = Vec::new();
    for view in document.list("bufferViews")? {
        if Compression::of(&view)?.is_some() {
            replaced.extend(view.index("buffer", "buffers")?);
        }
    }
    replaced.sort_unstable();
    replaced.dedup();
    Ok(replaced)
}

/// The compression of a buffer view.
pub(super) struct Compression<'a> {
    /// The extension: [`EXT`] or [`KHR`].
    pub name: &'static str,
    /// The extension object.
    pub at: At<'a>,
}

impl<'a> Compression<'a> {
    /// Returns the compression of a view; `None` if it has none.
    pub fn of(view: &At<'a>) -> Result<Option<Self>, ImportError> {
        for name in [KHR, EXT] {
            if let Some(at) = view.extension(name)? {
                return Ok(Some(Self { name, at }));
            }
        }
        Ok(None)
    }

    /// Whether the file requires the extension.
    pub fn is_required(&self) -> bool {
        self.at.document.requires(self.name)
    }
}
