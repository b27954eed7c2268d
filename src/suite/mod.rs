//! `rigview test`: cases that are rendered, posed and linted, and compared with approved results.

mod results;

pub use results::{
    CaseResult, CheckResult, Finding, Kind, Level, MotionFiles, PictureResult, PoseResult, Results,
    Status,
};
