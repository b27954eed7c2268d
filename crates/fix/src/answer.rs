//! What `fix` answers: what was mended, what was left, and why a file can't be mended.

use serde::Serialize;

use super::document::Document;
use super::remedy::Remedy;
use rigview_compare::ComparisonError;
use rigview_export::ExportError;
use rigview_import::ImportError;
use rigview_model::three_digits;

/// The reason why a finding is left at which a remedy changes nothing.
pub const UNCHANGED: &str = "nothing was found there that can be changed";

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

/// Says how far the skin moves by all that was mended.
pub fn largest_distance_text(fixed: &[Mended], distance_mm: f64) -> String {
    let most = three_digits(distance_mm, 4);
    // The same motion at other times is far from itself.
    let is_earlier = fixed.iter().any(|it| it.code == Remedy::ClipLate.code());
    let when = if is_earlier { " at equal times, as clips begin earlier" } else { "" };
    format!("the skin moves by at most {most} mm{when}")
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

/// The result of [`fix`](super::fix()).
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
