//! A request to mend a file on another thread.

use std::collections::BTreeSet;

use super::MendedFile;
use crate::{FileSource, LoadId};
use rigview_check::{Asset, Contract, findings};
use rigview_fix::{FixOptions, Remedy, fix};
use rigview_import::{ImageDecoding, ImportOptions, Progress};

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
