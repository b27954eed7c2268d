//! The difference of two model files, for all forms of output.

use rigview_compare::ModelDifference;

/// The difference of two files.
pub struct FileDifference {
    /// The names of both files, escaped for a terminal.
    pub names: [String; 2],
    pub difference: ModelDifference,
    /// The sizes of both, with all files that they refer to.
    pub bytes: [u64; 2],
    /// The largest accepted distance in metres.
    pub tolerance: f64,
}

impl FileDifference {
    pub fn is_equal(&self) -> bool {
        self.difference.is_equal(self.tolerance)
    }
}
