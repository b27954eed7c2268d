//! `rigview test`: cases that are rendered, posed and linted, and compared with approved results.

mod html;
mod motion;
mod results;

pub use html::{Explanations, page};
pub use motion::{Grid, MotionScripts, Poses, PosesError, motion_scripts};
pub use results::{
    CaseResult, CheckResult, Finding, Kind, Level, MotionFiles, PictureResult, PoseResult, Results,
    Status,
};
