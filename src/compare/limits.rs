//! The work that a comparison may take.

use crate::model::OverBudget;

/// The work of posing all clips of a comparison, in vertices, at most: a minute or two.
pub(super) const MOST_WORK: usize = 20_000_000_000;

/// A comparison that takes too much memory or too long.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComparisonError {
    /// The data does not fit in the budget of a model.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The clips have too many keys, or are too long for their number of vertices and nodes.
    #[error(
        "posing both files over {} takes as long as {work} vertices, more than the limit of {MOST_WORK}: compare files \
         with fewer or shorter clips",
        if *clips == 1 { "1 clip".to_owned() } else { format!("{clips} clips") }
    )]
    TooLong {
        /// Pairs of clips that were counted until the limit was passed.
        clips: usize,
        /// The work that they take.
        work: usize,
    },
}
