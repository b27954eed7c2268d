//! Errors of comparisons.

use rigview_model::{OverBudget, TooMuchWork};

/// A comparison that takes too much memory or too long.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComparisonError {
    /// The data does not fit in the budget of a model.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The clips have too many keys, or are too long for their number of vertices and nodes.
    #[error("posing both files over {} {over}", if *clips == 1 { "1 clip".into() } else { format!("{clips} clips") })]
    TooLong {
        /// Pairs of clips that were counted until the limit was passed.
        clips: usize,
        /// The work that they take, and the limit.
        over: TooMuchWork,
    },
}
