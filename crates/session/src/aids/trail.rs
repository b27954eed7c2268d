//! The path of the selected node over the shown clip, found once and kept until something else is shown.

use std::sync::Arc;

use crate::{ClipsId, HandPose, LayerSettings, Playback};
use rigview_model::{Trail, TrailDetail};
use rigview_report::ClipForm;

/// A path and what it was found for.
#[derive(Debug)]
pub(crate) struct KeptTrail {
    of: Option<TrailInputs>,
    detail: TrailDetail,
    /// The values that were set by hand.
    hand: HandPose,
    /// The clips beside the shown one.
    layers: Vec<LayerSettings>,
    trail: Option<Arc<Trail>>,
}

/// Everything that a path depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TrailInputs {
    clips: ClipsId,
    clip: usize,
    form: ClipForm,
    /// The frames per second of a form that is sampled.
    fps: Option<f64>,
    scene: (usize, bool),
    node: usize,
    /// Whether the root stays at its first place over the ground.
    in_place: bool,
}

impl Default for KeptTrail {
    fn default() -> Self {
        let (hand, layers) = (HandPose::default(), Vec::new());
        Self { of: None, detail: TrailDetail::Full, hand, layers, trail: None }
    }
}

impl KeptTrail {
    /// The path; `None` without a selected node or a clip.
    pub fn trail(&self) -> Option<&Arc<Trail>> {
        self.trail.as_ref()
    }

    /// Finds the path of a node if it is another one. `None` forgets it. While a gesture changes the pose, a draft of it does,
    /// since the pose of every frame has another path.
    pub fn show(&mut self, playback: &Playback, node: Option<usize>, in_gesture: bool) {
        let of = node.and_then(|node| TrailInputs::of(playback, node));
        let is_same = self.hand == playback.hand && self.layers == playback.layers();
        let is_enough = in_gesture || self.detail == TrailDetail::Full;
        if of == self.of && (of.is_none() || is_same && is_enough) {
            return;
        }
        self.detail = if in_gesture { TrailDetail::Draft } else { TrailDetail::Full };
        self.of = of;
        self.hand.clone_from(&playback.hand);
        self.layers = playback.layers().to_vec();
        self.trail = of.and_then(|of| playback.trail(of.node, self.detail)).map(Arc::new);
    }
}

impl TrailInputs {
    pub fn of(playback: &Playback, node: usize) -> Option<Self> {
        let (document, stage) = playback.document().zip(playback.stage())?;
        Some(Self {
            clips: document.clips_id(),
            clip: playback.clip_index()?,
            form: playback.form(),
            fps: playback.form().is_sampled().then(|| playback.fps()),
            scene: (stage.scene, stage.stood_up()),
            node,
            in_place: playback.plays_in_place(),
        })
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::sample::session;
    use crate::{HandValue, Item, LookAction, PoseAction, SelectionAction};

    #[test]
    fn a_gesture_draws_a_draft_of_the_path_and_its_end_the_whole_path() {
        let mut session = session();
        session.apply(SelectionAction::Select(Some(Item::Node(1))));
        session.apply(LookAction::ToggleTrail);
        session.pose();
        let mut end = |action: PoseAction| {
            session.apply(action);
            session.pose();
            let path = &session.trail().unwrap().path;
            (path[path.len() - 1].y, session.trail.detail)
        };
        assert_eq!(end(PoseAction::Begin), (0.0, TrailDetail::Full), "the pose is the same still");
        let raised = PoseAction::Set(0, HandValue::Translation(Vec3::Y));
        assert_eq!(end(raised), (1.0, TrailDetail::Draft));
        assert_eq!(end(PoseAction::End), (1.0, TrailDetail::Full));
    }
}
