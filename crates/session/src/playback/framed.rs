//! The motion that the camera frames.

use glam::DVec3;

use crate::Document;
use crate::camera::framing::scene_hull;
use rigview_anim::{Clip, instants, some_of};
use rigview_look::Metered;
use rigview_model::{HeldRoot, Model, PoseSource, Stage};

/// The motion that is framed, and what was found over it.
#[derive(Clone, Debug, Default)]
pub(super) struct Framed {
    /// The clip: the shown one, or the one that a pose was taken from; `None` at rest.
    pub clip: Option<usize>,
    /// The root that is held.
    pub root: Option<HeldRoot>,
    /// The outermost points over the clip (or at rest), in scene space.
    pub hull: Vec<DVec3>,
    /// The light of the file's lamps over the clip; `None` without lamps, or at rest.
    pub metered: Option<Metered>,
}

impl Framed {
    /// Frames the motion of a clip. Leaves the stage in another pose.
    pub fn new(
        document: &Document,
        stage: &mut Stage,
        clip: Option<usize>,
        root: Option<HeldRoot>,
    ) -> Self {
        let model = &document.model;
        let motion = clip.and_then(|clip| document.clip(clip));
        Self {
            clip,
            root,
            hull: scene_hull(model, stage, motion, root),
            metered: motion.and_then(|clip| metered(model, stage, clip, root)),
        }
    }
}

/// Returns the light of a file's lamps at the instants of a clip, of very many at some; `None` if it has none. Leaves the
/// stage in another pose.
fn metered(
    model: &Model,
    stage: &mut Stage,
    clip: &Clip,
    held: Option<HeldRoot>,
) -> Option<Metered> {
    /// Limits of instants, and of posed nodes over all of them.
    const MOST: usize = 1000;
    const MOST_NODES: usize = 1_000_000;
    if model.lights.is_empty() {
        return None;
    }
    let most = (MOST_NODES / model.nodes.len().max(1)).clamp(9, MOST);
    let mut metered = Metered::default();
    for time in some_of(instants(&[clip]), most) {
        stage.pose_with(model, PoseSource::Clip(Some(clip), time), held, |_| {});
        metered.add(model, stage, &stage.bounds(model));
    }
    Some(metered)
}
