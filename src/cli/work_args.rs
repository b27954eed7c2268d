//! How much work a command accepts.

use std::fmt::Display;
use std::path::Path;

use clap::Args;

use super::failure::Failure;
use super::values::positive;
use crate::import::ImportError;
use crate::model::{Work, WorkLimit};

/// How much work a command accepts.
#[derive(Clone, Copy, Debug, Args)]
pub struct WorkArgs {
    /// Refuse a file whose contents would take longer than about this time to draw, pose or compare, in seconds.
    #[arg(long, value_name = "SECS", default_value_t = WorkLimit::DEFAULT_SECS, value_parser = positive)]
    pub timeout: f64,
}

impl WorkArgs {
    /// Returns the limit.
    pub fn limit(self) -> WorkLimit {
        WorkLimit::of_secs(self.timeout)
    }

    /// Checks that work on a file does not take too long. `what` is the work in words.
    ///
    /// # Errors
    /// If it does; the message names the option.
    pub fn charge(self, file: &Path, what: &str, work: Work) -> Result<(), Failure> {
        self.limit().holds(work).map_err(|over| {
            Failure::load(file, ImportError::other(raise_timeout(format_args!("{what} {over}"))))
        })
    }
}

/// Returns the message for work that takes too long, with the option that allows it.
pub fn raise_timeout(what: impl Display) -> String {
    format!("{what}; raise --timeout to do it anyway")
}
