//! The pose under the values that are set by hand: the clip's, or one of the poses at rest.

use crate::anim::{Clip, LocalPose};
use crate::model::{Model, Stage, bind_pose};

/// The pose under the values that are set by hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BasePose {
    /// The clip at its time, with the clips beside it; the nodes' own transforms if no clip is shown.
    #[default]
    Clip,
    /// The clip at time 0.
    ClipStart,
    /// The nodes' own transforms.
    Rest,
    /// The pose that the inverse bind matrices belong to.
    Bind,
}

impl BasePose {
    /// All poses.
    pub const ALL: [BasePose; 4] =
        [BasePose::Clip, BasePose::ClipStart, BasePose::Rest, BasePose::Bind];

    /// The name in a script's state.
    pub fn name(self) -> &'static str {
        match self {
            BasePose::Clip => "clip",
            BasePose::ClipStart => "clip-start",
            BasePose::Rest => "rest",
            BasePose::Bind => "bind",
        }
    }
}

/// The chosen pose, and the bind pose once it was needed.
#[derive(Clone, Debug, Default)]
pub(in crate::session) struct Base {
    pub chosen: BasePose,
    bind: Option<LocalPose>,
}

impl Base {
    /// Forgets what belongs to the file; `again` means that the same file is read again.
    pub fn forget(&mut self, again: bool) {
        self.bind = None;
        if !again {
            self.chosen = BasePose::Clip;
        }
    }

    /// Poses a stage as chosen, if that is not by the clip at its time. Returns whether it did.
    pub fn pose(&mut self, model: &Model, clip: Option<&Clip>, stage: &mut Stage) -> bool {
        match self.chosen {
            BasePose::Clip => return false,
            BasePose::Rest => stage.pose(model, None, 0.0),
            BasePose::ClipStart => stage.pose(model, clip, 0.0),
            BasePose::Bind => {
                let scene = stage.scene;
                let bind =
                    self.bind.get_or_insert_with(|| bind_pose(model, &Stage::new(model, scene)));
                stage.adjust(model, |pose| pose.copy_from(bind));
            }
        }
        true
    }
}
