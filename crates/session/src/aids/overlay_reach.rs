//! The points that overlays have outside of the surfaces, which are framed with the model.

use glam::DVec3;

use super::boxes::{Boxes, ClipInputs};
use crate::Playback;
use rigview_model::{SceneBox, joint_hull};

/// The outermost joints over the shown clip, while they or their names are drawn.
#[derive(Debug, Default)]
pub(crate) struct OverlayReach {
    of: Option<ClipInputs>,
    joints: Vec<DVec3>,
}

impl OverlayReach {
    /// Finds the joints of a playback if they are drawn, and returns them with the corners of the boxes that are
    /// framed.
    pub fn show(&mut self, playback: &Playback, joints: bool, boxes: &Boxes) -> Vec<DVec3> {
        let of = ClipInputs::of(playback).filter(|_| joints);
        if self.of != of {
            self.of = of;
            self.joints = if of.is_some() { joints_over_clip(playback) } else { Vec::new() };
        }
        self.joints.iter().copied().chain(box_corners(boxes)).collect()
    }
}

/// Returns the corners of the drawn boxes that are framed.
pub(crate) fn box_corners(boxes: &Boxes) -> impl Iterator<Item = DVec3> + use<> {
    boxes.framed().flat_map(SceneBox::corners)
}

fn joints_over_clip(playback: &Playback) -> Vec<DVec3> {
    let Some((document, stage)) = playback.document().zip(playback.stage()) else {
        return Vec::new();
    };
    let clip = playback.framed_clip().and_then(|clip| document.clip(clip));
    let mut posed = stage.clone();
    let joints = joint_hull(&document.model, &mut posed, clip, playback.held_in_frame());
    joints.into_iter().map(|at| at.as_dvec3() + posed.origin).collect()
}
