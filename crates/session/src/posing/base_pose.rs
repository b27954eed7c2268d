//! The pose under the values that are set by hand: the clip's, or one of the poses at rest.

use serde::{Deserialize, Serialize};

use rigview_anim::LocalPose;
use rigview_model::{Model, Stage, bind_pose};

rigview_anim::named_enum! {
    /// The pose under the values that are set by hand.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum BasePose {
        /// The clip at its time, with the clips beside it; the nodes' own transforms if no clip is shown.
        #[default]
        Clip = "clip",
        /// The clip at time 0.
        ClipStart = "clip-start",
        /// The nodes' own transforms.
        Rest = "rest",
        /// The pose that the inverse bind matrices belong to.
        Bind = "bind",
    }
}

/// The chosen pose, and the bind pose once it was needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Base {
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

    /// Computes the bind pose of a scene, if it is chosen and was not computed before.
    pub fn update(&mut self, model: &Model, scene: usize) {
        if self.chosen == BasePose::Bind && self.bind.is_none() {
            self.bind = Some(bind_pose(model, &Stage::new(model, scene)));
        }
    }

    /// The bind pose, once it was needed.
    pub fn bind(&self) -> Option<&LocalPose> {
        self.bind.as_ref()
    }
}
