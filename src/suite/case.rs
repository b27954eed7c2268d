//! Cases of a suite: which file is drawn, posed and checked how, and what is expected.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::results::Kind;

/// One case of a suite, with the manifest's defaults filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Its unique name, which is also that of its goldens: letters, digits, `-`, `_`, `.`, `/`.
    pub name: String,
    /// The model's file as the manifest has it.
    pub file: String,
    /// The manifest's folder, which paths are relative to.
    pub folder: PathBuf,
    /// Name or index of the clip; the first one if absent.
    pub clip: Option<String>,
    /// Whether it shows the rest pose instead of a clip.
    pub rest: bool,
    /// The instants at which it is drawn and posed; never empty.
    pub instants: Vec<CaseInstant>,
    /// Frames per second of the manifest's `frames`.
    pub fps: f64,
    /// Width and height of its pictures in pixels.
    pub size: [u32; 2],
    /// Camera and look, as options of `screenshot`.
    pub args: Vec<String>,
    /// What is tested, in the manifest's order; never empty.
    pub expect: Vec<Kind>,
    /// Share of the pixels that may differ visibly, 0 to 1.
    pub tolerance: f64,
    /// Largest mean FLIP error, if it is tested.
    pub flip: Option<f64>,
    /// Distance in metres by which poses may differ.
    pub pose_tolerance: f64,
    /// Path of the contract for `check`.
    pub contract: Option<PathBuf>,
    /// Seconds after which the case is stopped.
    pub time_limit: f64,
    /// Resident memory in MiB beyond which the case is stopped.
    pub memory_limit: u64,
    /// Line of the manifest at which the case begins, from 1.
    pub line: usize,
}

impl Case {
    /// Returns the path of the model's file.
    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.file)
    }

    /// Returns the option of `screenshot` that shows the case's clip or the rest pose; `None` for the first clip.
    pub fn clip_option(&self) -> Option<String> {
        match &self.clip {
            _ if self.rest => Some("--rest".to_owned()),
            clip => clip.as_ref().map(|clip| format!("--clip={clip}")),
        }
    }

    /// Returns the time after which the case is stopped.
    pub fn time_limit(&self) -> Duration {
        Duration::try_from_secs_f64(self.time_limit).unwrap_or(Duration::MAX)
    }

    /// Returns the resident memory in bytes beyond which the case is stopped.
    pub fn memory_limit_bytes(&self) -> u64 {
        self.memory_limit.saturating_mul(1 << 20)
    }
}

/// An instant of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseInstant {
    /// As the goldens are named: the time as the manifest writes it, or `f` and the frame's number.
    pub label: String,
    /// In seconds.
    pub secs: f64,
}
