//! Mends what [`check`](crate::check) finds, in a copy of the file.
//!
//! [`fix`] takes a file that was read with `keep_original` and its findings. Each [`Remedy`] edits the document
//! ([`Document`]): data is appended, never rewritten, so that all else keeps its bytes and its indices. After each one
//! the file is read again and compared with the one before, at the posed skin over all clips, as `diff` does. A bounded
//! remedy that moves the skin too far is undone, and listed as left with the reason.

mod bones;
mod change;
mod clips;
mod document;
mod meshes;
mod names;
mod reduction;
mod remedy;
mod rotations;
mod tangents;
mod tracks;
mod weights;

use std::borrow::Cow;

use serde::Serialize;

pub use change::{BOUND, FixOptions};
pub use document::Document;
pub use remedy::{Remedy, Taken};

use change::{Change, Changes, Context};

use crate::check::Finding;
use crate::compare::{self, ComparisonError};
use crate::export::ExportError;
use crate::import::{ImageDecoding, ImportError, ImportOptions, load_bytes};
use crate::model::Model;

/// Something that was mended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mended {
    /// The code of the finding.
    pub code: &'static str,
    /// JSON pointer of the place.
    pub pointer: String,
    /// The joint, mesh or node.
    pub object: Option<String>,
    /// The clip's name.
    pub clip: Option<String>,
    /// The keys, vertices, channels or triangles that were changed.
    pub count: usize,
    /// How far the skin moved at most, in millimetres.
    pub error_mm: f64,
}

/// Something that was asked for and not mended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unmended {
    /// The code of the finding.
    pub code: &'static str,
    /// JSON pointer of the place.
    pub pointer: Option<String>,
    /// The joint, mesh or node.
    pub object: Option<String>,
    /// The clip's name.
    pub clip: Option<String>,
    /// Why not, in words.
    pub reason: String,
}

/// The result of [`fix`].
#[derive(Clone, Debug)]
pub struct Fixed {
    /// The mended file; `None` if nothing was changed.
    pub document: Option<Document>,
    /// What was mended, in the order of the remedies.
    pub fixed: Vec<Mended>,
    /// What was asked for and left.
    pub left: Vec<Unmended>,
    /// The largest distance of the skin from that of the input over all clips, in millimetres.
    pub distance_mm: f64,
}

/// Why a file can't be mended.
#[derive(Debug, thiserror::Error)]
pub enum FixError {
    /// The file can't be written again.
    #[error("{0}")]
    Export(#[from] ExportError),
    /// The mended file can't be read.
    #[error("the mended file can't be read: {0}")]
    Unreadable(ImportError),
    /// Measuring the skin would take too much memory or time.
    #[error("measuring the skin: {0}")]
    Unmeasured(ComparisonError),
}

/// Mends what the options ask for. `findings` are those of the check, with the warnings of the import.
///
/// # Errors
/// If the import did not keep the file, or the result exceeds the limits of a GLB or of the import.
pub fn fix(model: &Model, findings: &[Finding], options: &FixOptions) -> Result<Fixed, FixError> {
    let mut document = Document::of(model)?;
    let mut now = Cow::Borrowed(model);
    let mut compared_with = Cow::Borrowed(model);
    let (mut fixed, mut left) = (Vec::new(), Vec::new());
    for remedy in Remedy::ALL.iter().copied().filter(|it| options.remedies.contains(it)) {
        let found: Vec<&Finding> = findings.iter().filter(|f| f.code == remedy.code()).collect();
        // A remedy of clips is tried on one clip after the other, so that one that goes too far does not hinder the others.
        let parts: Vec<Vec<&Finding>> = match remedy {
            _ if found.is_empty() && !remedy.finds_by_itself() => continue,
            _ if remedy.is_bounded()
                && found.iter().all(|f| f.clip.is_some())
                && !found.is_empty() =>
            {
                found
                    .chunk_by(|a, b| a.clip == b.clip && a.pointer == b.pointer)
                    .map(<[_]>::to_vec)
                    .collect()
            }
            _ => vec![found],
        };
        for part in parts {
            let mark = document.mark();
            let context = Context { model: &now, findings: &part, options };
            let changes = apply(remedy, &mut document, &context);
            let code = remedy.code();
            for (change, reason) in changes.left {
                let Change { pointer, object, clip, .. } = change;
                let pointer = (!pointer.is_empty()).then_some(pointer);
                left.push(Unmended { code, pointer, object, clip, reason });
            }
            if changes.made.is_empty() {
                continue;
            }
            let after = read(&document)?;
            let distance = if keeps_motion(remedy) { 0.0 } else { distance(&now, &after)? };
            if remedy.is_bounded() && distance > options.bound {
                document.reset(mark);
                let reason = format!(
                    "it would move the skin by {} mm; --bound allows {} mm",
                    millimetres(distance),
                    millimetres(options.bound)
                );
                left.extend(changes.made.into_iter().map(
                    |Change { pointer, object, clip, .. }| {
                        let (pointer, reason) = (Some(pointer), reason.clone());
                        Unmended { code, pointer, object, clip, reason }
                    },
                ));
                continue;
            }
            now = Cow::Owned(after);
            if remedy == Remedy::TrianglesFlat {
                // A vertex that only flat triangles use is no longer drawn, and has no place to be compared with.
                compared_with = now.clone();
            }
            fixed.extend(changes.made.into_iter().map(
                |Change { pointer, object, clip, count }| Mended {
                    code,
                    pointer,
                    object,
                    clip,
                    count,
                    error_mm: 1e3 * distance,
                },
            ));
        }
    }
    let changed = !fixed.is_empty();
    let distance_mm = if changed { 1e3 * distance(&compared_with, &now)? } else { 0.0 };
    Ok(Fixed { document: changed.then_some(document), fixed, left, distance_mm })
}

fn apply(remedy: Remedy, document: &mut Document, context: &Context) -> Changes {
    match remedy {
        Remedy::KeyTimes => clips::mend_times(document, context),
        Remedy::KeysNotUnit => rotations::normalise_keys(document, context),
        Remedy::KeysFlip => rotations::align_keys(document, context, false),
        Remedy::CubicFlip => rotations::align_keys(document, context, true),
        Remedy::RotationNotUnit => rotations::normalise_nodes(document, context),
        Remedy::RotationZero => rotations::replace_zeros(document, context),
        Remedy::WeightsOdd | Remedy::WeightsZero | Remedy::WeightsSum => {
            weights::mend(document, context, remedy)
        }
        Remedy::MatrixProjective => bones::mend_last_rows(document, context),
        Remedy::ClipLate => clips::begin_at_zero(document, context),
        Remedy::KeysOffGrid => clips::snap_to_grid(document, context),
        Remedy::Pop => clips::remove_pops(document, context),
        Remedy::LoopGap => clips::close_loops(document, context),
        Remedy::RootMoves => clips::stay_in_place(document, context),
        Remedy::ChannelsUneven => clips::hold_to_the_end(document, context),
        Remedy::KeysSpare => reduction::reduce(document, context),
        Remedy::ChannelTwice => clips::drop_overridden(document, context),
        Remedy::KeysStill => clips::drop_still(document, context),
        Remedy::ScaleNoise => clips::drop_scale_noise(document, context),
        Remedy::TrianglesFlat => meshes::drop_flat_triangles(document, context),
        Remedy::TangentMissing => tangents::add_missing(document, context),
        Remedy::JointUnused => bones::drop_unused(document, context),
        Remedy::Names => names::rename(document, context),
        Remedy::NameMissing => names::name_the_unnamed(document, context),
        Remedy::NameTwice => names::number_the_shared(document, context),
        Remedy::ClipTwin => clips::drop_twins(document, context),
        Remedy::Bounds | Remedy::BoundsMissing | Remedy::BoundsOdd => {
            meshes::mend_bounds(document, context)
        }
    }
}

/// Whether a remedy keeps the motion by what it does, although clips can't be compared instant by instant or by name, or
/// vertices by what is drawn.
fn keeps_motion(remedy: Remedy) -> bool {
    matches!(
        remedy,
        Remedy::ClipLate
            | Remedy::ClipTwin
            | Remedy::TrianglesFlat
            | Remedy::Names
            | Remedy::NameMissing
            | Remedy::NameTwice
    )
}

fn read(document: &Document) -> Result<Model, FixError> {
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    let glb = document.glb()?;
    load_bytes(glb, &options).map(|loaded| loaded.model).map_err(FixError::Unreadable)
}

/// Returns the largest distance between two models at the skin, at rest and over all clips, in metres.
fn distance(a: &Model, b: &Model) -> Result<f64, FixError> {
    let distance = compare::largest_distance(a, b).map_err(FixError::Unmeasured)?;
    Ok(distance.unwrap_or(0.0))
}

/// Prints a length in millimetres with three significant digits.
fn millimetres(metres: f64) -> String {
    let mm = 1e3 * metres;
    let digits = if mm > 0.0 { (2 - mm.log10().floor() as i32).clamp(0, 6) as usize } else { 0 };
    format!("{mm:.digits$}")
}
