//! `rigview test`: cases that are drawn, posed and linted, and compared with approved results.
//!
//! A [`manifest`](manifest()) lists cases. Each becomes an [`CaseOrder`] for a worker process, where a
//! [`Judge`] carries it out and compares the results with the goldens. The [`CaseAnswer`]s are collected as
//! [`Results`], which are data: they are written as JSON, [JUnit](write_junit), [Markdown](markdown()) and a
//! [page](page()), and those of several machines are joined ([`merged`]).

mod approved_camera;
mod case;
mod golden;
mod goldens;
mod html;
mod judge;
mod junit;
mod manifest;
mod markdown;
mod merge;
mod motion_scripts;
mod order;
mod picture_check;
mod pose_check;
mod results;
mod shard;

pub use case::{Case, CaseInstant};
pub use goldens::{golden_names, stale_goldens};
pub use html::{Explanations, page};
pub use judge::Judge;
pub use junit::write_junit;
pub use manifest::{ManifestError, manifest};
pub use markdown::{case_lines, markdown};
pub use merge::{Merged, RESULTS_FILE, copy_files, merged};
pub use motion_scripts::{MotionScripts, motion_scripts};
pub use order::{CaseAnswer, CaseOrder};
pub use results::{
    CaseResult, CheckResult, Commands, Kind, MotionFiles, PictureResult, PoseResult, Results,
    Status,
};
pub use shard::Shard;
