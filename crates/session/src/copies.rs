//! Copies of the shown file that a person writes: mended, or with the shown pose.

use std::path::PathBuf;
use std::sync::Arc;

use crate::FileSource;
use rigview_report::NodePose;

/// What differs in a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyOf {
    /// What was mended.
    Mended,
    /// The shown pose is one more clip.
    PoseAsClip,
    /// The shown pose is the rest pose.
    PoseAsRest,
}

impl CopyOf {
    /// What a copy's name has after that of the file, unless another name is chosen.
    pub fn suffix(self) -> &'static str {
        match self {
            CopyOf::Mended => "-fixed",
            CopyOf::PoseAsClip => "-pose",
            CopyOf::PoseAsRest => "-rest",
        }
    }
}

/// A step in writing a copy.
#[derive(Debug)]
pub enum CopyAction {
    /// Asks for the file to write.
    Ask(CopyOf),
    /// Writes a copy to this file. A pose is that of the last [`Session::pose`](crate::Session::pose).
    Write(CopyOf, PathBuf),
    /// A copy was written, or not for this reason.
    Written(PathBuf, Result<(), String>),
}

/// A copy to be written; the answer is [`CopyAction::Written`].
#[derive(Clone, Debug)]
pub struct CopyRequest {
    /// The file to write.
    pub path: PathBuf,
    /// The files that must not be overwritten: those that the shown models were read from.
    pub inputs: Vec<PathBuf>,
    /// Its contents.
    pub contents: CopyContents,
}

/// The contents of a copy.
#[derive(Clone, Debug)]
pub enum CopyContents {
    /// The bytes of a GLB.
    Glb(Arc<[u8]>),
    /// A file with a pose.
    Posed {
        /// The file, which is read again.
        source: FileSource,
        /// The pose.
        nodes: Vec<NodePose>,
        /// The name of the clip that the pose becomes; `None` makes it the rest pose.
        clip: Option<String>,
    },
}

/// The copies that are being written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Copies {
    pub(super) running: usize,
}

impl Copies {
    /// Whether a copy is being written.
    pub fn is_busy(self) -> bool {
        self.running > 0
    }
}
