//! Mends what [`check`](crate::check) finds, in a copy of the file.
//!
//! [`fix`] takes a file that was read with `keep_original` and its findings. Each [`Remedy`] edits the document
//! ([`Document`]): data is appended, never rewritten, so that all else keeps its bytes and its indices. After each one
//! the file is read again and compared with the one before, at the posed skin over all clips, as `diff` does. A bounded
//! remedy that moves the skin too far is undone, and listed as left with the reason.

mod answer;
mod bones;
mod change;
mod clips;
mod document;
mod loops;
mod mending;
mod meshes;
mod names;
mod reduction;
mod remedy;
mod rotations;
mod still;
mod tangents;
mod tracks;
mod weights;

pub use answer::{FixError, Fixed, Mended, UNCHANGED, Unmended};
pub use change::{BOUND, FixOptions};
pub use document::Document;
pub use remedy::{Remedy, Taken};

use mending::Mending;

use crate::check::Finding;
use crate::model::Model;

/// Mends what the options ask for. `findings` are those of the check, with the warnings of the import.
///
/// # Errors
/// If the import did not keep the file, or the result exceeds the limits of a GLB or of the import.
pub fn fix(model: &Model, findings: &[Finding], options: &FixOptions) -> Result<Fixed, FixError> {
    let mut mending = Mending::of(model, options)?;
    for remedy in Remedy::ALL.iter().copied().filter(|it| options.remedies.contains(it)) {
        let found = findings.iter().filter(|f| f.code == remedy.code()).cloned().collect();
        mending.take(remedy, found)?;
    }
    mending.answer()
}
