//! The remedies that a person takes for findings about the shown file, and the mended copy, which is shown beside it.

pub(super) mod request;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::{FileSource, LoadId};
use rigview_fix::{Mended, Remedy, Taken, Unmended};

/// A change of what is mended.
#[derive(Debug)]
pub enum MendAction {
    /// Mends all findings with this code, or no longer.
    Toggle(Remedy),
    /// Mends what no reading of the specification objects to, as `rigview fix` does by default.
    TakeSafe,
    /// Takes the mended copy that was made for a request, or the reason why there is none.
    Take(LoadId, Result<MendedFile, String>),
    /// Shows the mended copy beside the file again.
    Show,
}

/// A mended copy of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct MendedFile {
    /// The copy; `None` if nothing was changed.
    pub glb: Option<Arc<[u8]>>,
    /// What was mended.
    pub fixed: Vec<Mended>,
    /// What was asked for and left.
    pub left: Vec<Unmended>,
    /// The largest distance of the skin from that of the file over all clips, in millimetres.
    pub distance_mm: f64,
}

/// The remedies that were taken for the shown file, and the copy that they make.
#[derive(Clone, Debug, Default)]
pub struct Mending {
    pub(super) remedies: BTreeSet<Remedy>,
    /// The file that they are for.
    pub(super) of: Option<FileSource>,
    pub(super) running: Option<LoadId>,
    pub(super) result: Option<Result<MendedFile, String>>,
}

impl Mending {
    /// The remedies that were taken.
    pub fn remedies(&self) -> &BTreeSet<Remedy> {
        &self.remedies
    }

    /// Returns the remedy for findings with a code, if there is one that needs nothing but that.
    pub fn remedy_of(code: &str) -> Option<Remedy> {
        Remedy::of(code).filter(|remedy| *remedy != Remedy::Names)
    }

    /// Whether no reading of the specification objects to the remedy for findings with a code.
    pub fn is_safe(code: &str) -> bool {
        Remedy::of(code).is_some_and(|remedy| remedy.taken() == Taken::ByDefault)
    }

    /// Whether a copy is being made.
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// The mended copy, or the reason why there is none; `None` until it is made.
    pub fn result(&self) -> Option<&Result<MendedFile, String>> {
        self.result.as_ref()
    }

    /// The mended copy, if anything was changed.
    pub fn glb(&self) -> Option<&Arc<[u8]>> {
        self.result.as_ref()?.as_ref().ok()?.glb.as_ref()
    }
}
