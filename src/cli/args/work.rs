//! How much work a command accepts.

use std::fmt::Display;
use std::path::Path;

use clap::Args;

use super::values::positive;
use crate::cli::failure::{Failure, Result};
use crate::cli::limits::{Limits, duration_limit};
use rigview_import::ImportError;
use rigview_model::{Work, WorkLimit};

/// How much work a command accepts.
#[derive(Clone, Copy, Debug, Args)]
pub struct WorkArgs {
    /// Refuse a file whose contents are estimated to take longer than this to draw, pose or compare, in seconds
    /// [default: 100]. If it is given, a single screenshot and a recording are also stopped after this time; each of
    /// several screenshots is so in any case.
    #[arg(long, value_name = "SECS", value_parser = positive)]
    pub timeout: Option<f64>,
}

impl WorkArgs {
    pub fn limit(self) -> WorkLimit {
        WorkLimit::of_secs(self.timeout.unwrap_or(WorkLimit::DEFAULT_SECS))
    }

    /// Returns the limits of the process, if they are given. What takes long on a slow machine is not given up unasked.
    pub fn limits(self) -> Limits {
        Limits { time: self.timeout.map(duration_limit), memory: None }
    }

    /// Checks that work on a file does not take too long. `what` is the work in words.
    pub fn charge(self, file: &Path, what: &str, work: Work) -> Result {
        self.limit().holds(work).map_err(|over| {
            Failure::load(file, ImportError::other(raise_timeout(format_args!("{what} {over}"))))
        })
    }
}

/// Returns the message for work that takes too long, with the option that allows it.
pub fn raise_timeout(what: impl Display) -> String {
    format!("{what}; raise --timeout to do it anyway")
}
