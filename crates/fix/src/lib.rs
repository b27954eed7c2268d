//! Mends what [`check`](rigview_check) finds, in a copy of the file.
//!
//! [`fix`] takes a file that was read with `keep_original` and its findings. Each [`Remedy`] edits the document
//! ([`Document`]): data is appended, never rewritten, so that all else keeps its bytes and its indices. After each one
//! the file is read again and compared with the one before, at the posed skin over all clips, as `diff` does. A bounded
//! remedy that moves the skin too far is undone, and listed as left with the reason.
//!
//! [`reduced_clips`] leaves out keys of clips that are written anew, within a bound at the skin.

mod answer;
mod bones;
mod change;
mod channel_place;
mod clips;
mod document;
mod loops;
mod mending;
mod meshes;
mod names;
mod reduced_clip;
mod reduction;
mod remedy;
mod rotations;
mod still;
mod tangents;
mod tracks;
mod weights;

pub use answer::{FixError, Fixed, Mended, UNCHANGED, Unmended, largest_distance_text};
pub use change::{BOUND, FixOptions};
pub use document::Document;
pub use reduced_clip::{ReduceError, ReducedClip, reduced_clips};
pub use remedy::{Remedy, Taken};

use mending::Mending;

use rigview_check::Finding;
use rigview_model::Model;

/// Pops of a joint that are looked for, one after the other.
const MOST_POPS: usize = 16;

/// Mends what the options ask for. `findings` are those of the check, with the warnings of the import. After each remedy
/// that changes something the file is checked anew, so that the next ones see what it brought to light.
///
/// # Errors
/// If the import did not keep the file, or the result exceeds the limits of a GLB or of the import.
pub fn fix(model: &Model, findings: &[Finding], options: &FixOptions) -> Result<Fixed, FixError> {
    let mut mending = Mending::new(model, findings, options)?;
    for remedy in Remedy::ALL.iter().copied().filter(|it| options.remedies.contains(it)) {
        // The check names the worst pop of a joint, which hides its others.
        let times = if remedy == Remedy::Pop { MOST_POPS } else { 1 };
        for _ in 0..times {
            if !mending.take(remedy)? {
                break;
            }
        }
    }
    mending.answer()
}
