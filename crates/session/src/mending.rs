//! The remedies that a person takes for findings about the shown file, and the mended copy, which is shown beside it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::{FileSource, LoadId};
use rigview_check::{Asset, Contract, findings};
use rigview_fix::{FixOptions, Mended, Remedy, Taken, Unmended, fix};
use rigview_import::{ImageDecoding, ImportOptions, Progress};

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

/// A request to make a mended copy of a file; the answer is [`MendAction::Take`](crate::MendAction::Take).
#[derive(Clone, Debug)]
pub struct MendRequest {
    /// Returned with the answer.
    pub id: LoadId,
    /// The file, which is read again: what is shown does not keep its bytes.
    pub source: FileSource,
    /// The remedies to take.
    pub remedies: BTreeSet<Remedy>,
}

impl MendRequest {
    /// Reads the file and mends it in memory, as `rigview fix` does. `bvh_scale` is the length of a unit of a BVH file
    /// in metres.
    ///
    /// # Errors
    /// If the file can't be read or can't be mended. The text is one line.
    pub fn run(&self, bvh_scale: Option<f32>) -> Result<MendedFile, String> {
        let import = ImportOptions {
            images: ImageDecoding::Check,
            keep_original: true,
            all_warnings: true,
            bvh_scale,
            ..ImportOptions::default()
        };
        let progress = Progress::default();
        let loaded = self.source.load(&import, &progress).map_err(|error| error.to_string())?;
        let read = progress.bytes().done;
        let asset = Asset::of("", &loaded, read);
        let found = findings(asset, &Contract::default());
        let options = FixOptions { remedies: self.remedies.clone(), ..FixOptions::default() };
        let fixed = fix(&loaded.model, &found, &options).map_err(|error| error.to_string())?;
        let glb = fixed.document.map(|document| document.glb()).transpose();
        let glb = glb.map_err(|error| error.to_string())?;
        let (distance_mm, glb) = (fixed.distance_mm, glb.map(Into::into));
        Ok(MendedFile { glb, fixed: fixed.fixed, left: fixed.left, distance_mm })
    }
}
