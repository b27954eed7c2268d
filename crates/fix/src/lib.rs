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
mod moved;
mod names;
mod reduced_clip;
mod reduction;
mod remedy;
mod rotations;
mod still;
mod tangents;
mod tracks;
mod weights;
mod weights_form;

pub use answer::{FixError, Fixed, Mended, UNCHANGED, Unmended, largest_distance_text};
pub use change::{BOUND, FixOptions};
pub use document::Document;
pub use reduced_clip::{ReduceError, ReducedClip, reduced_clips};
pub use remedy::{Remedy, Taken};

use mending::Mending;

use rigview_check::Finding;
use rigview_model::Model;

/// How often findings are looked for that earlier repairs brought to light.
const MOST_ROUNDS: usize = 4;

/// Mends what the options ask for. `findings` are those of the check, with the warnings of the import.
///
/// # Errors
/// If the import did not keep the file, or the result exceeds the limits of a GLB or of the import.
pub fn fix(model: &Model, findings: &[Finding], options: &FixOptions) -> Result<Fixed, FixError> {
    let mut mending = Mending::of(model, options)?;
    let mut now = findings.to_vec();
    let mut open = now.clone();
    for round in 0..MOST_ROUNDS {
        let (before, is_first) = (mending.repairs(), round == 0);
        for remedy in Remedy::ALL.iter().copied().filter(|it| options.remedies.contains(it)) {
            let found: Vec<Finding> =
                open.iter().filter(|f| f.code == remedy.code()).cloned().collect();
            // With a wider bound, keys may be removed that none of the others implies.
            let is_free = remedy == Remedy::KeysSpare && options.bound > BOUND;
            if is_first && is_free {
                mending.take_all_clips(remedy, found)?;
            } else if !found.is_empty() || (is_first && remedy.finds_by_itself()) {
                mending.take(remedy, found)?;
            }
        }
        if mending.repairs() == before {
            break;
        }
        // A repair brings to light what its fault hid, such as the keys of a channel that could not be played.
        let after = mending.findings()?;
        mending.drop_mended(&now, &after);
        open = mending.open(&after).cloned().collect();
        now = after;
    }
    mending.answer()
}
