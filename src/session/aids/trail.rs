//! The path of the selected node over the shown clip, found once and kept until something else is shown.

use std::sync::Arc;

use crate::model::Trail;
use crate::report::ClipForm;
use crate::session::{ClipsId, HandPose, LayerSettings, Playback};

/// A path and what it was found for.
#[derive(Debug, Default)]
pub(in crate::session) struct KeptTrail {
    of: Option<TrailInputs>,
    /// The values that were set by hand.
    hand: HandPose,
    /// The clips beside the shown one.
    layers: Vec<LayerSettings>,
    trail: Option<Arc<Trail>>,
}

/// Everything that a path depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::session) struct TrailInputs {
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

impl KeptTrail {
    /// The path; `None` without a selected node or a clip.
    pub fn trail(&self) -> Option<&Arc<Trail>> {
        self.trail.as_ref()
    }

    /// Finds the path of a node if it is another one. `None` forgets it.
    pub fn show(&mut self, playback: &Playback, node: Option<usize>) {
        let of = node.and_then(|node| TrailInputs::of(playback, node));
        let is_same = self.hand == playback.hand && self.layers == playback.layers();
        if of == self.of && (of.is_none() || is_same) {
            return;
        }
        self.of = of;
        self.hand.clone_from(&playback.hand);
        self.layers = playback.layers().to_vec();
        self.trail = of.and_then(|of| playback.trail(of.node)).map(Arc::new);
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
