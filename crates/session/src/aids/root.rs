//! The motion of the root over the shown clip, and its path on the ground.

use std::sync::Arc;

use glam::DVec3;

use super::trail::TrailInputs;
use crate::Playback;
use rigview_look::Stroke;
use rigview_model::RootMotion;

/// sRGB of the path and of its ticks.
const PATH: [u8; 4] = [0x4f, 0xd6, 0xc4, 235];
const TICK: [u8; 4] = [0xff, 0xff, 0xff, 235];

/// The motion, and what it was found for.
#[derive(Debug, Default)]
pub(crate) struct KeptRoot {
    of: Option<TrailInputs>,
    motion: Option<Arc<RootMotion>>,
}

impl KeptRoot {
    /// The motion; `None` without a clip that moves a joint.
    pub fn motion(&self) -> Option<&Arc<RootMotion>> {
        self.motion.as_ref()
    }

    /// Finds the motion if something else is shown.
    pub fn show(&mut self, playback: &Playback, wanted: bool) {
        let of = if wanted { TrailInputs::of(playback, 0) } else { None };
        if of == self.of {
            return;
        }
        self.of = of;
        self.motion = of.and_then(|_| {
            let (document, stage) = playback.document().zip(playback.stage())?;
            let motion = stage.root_motion(&document.model, playback.shown_clip()?)?;
            Some(Arc::new(motion))
        });
    }

    /// Returns the places of the path on the ground at a height.
    pub fn on_ground(&self, ground: f64) -> impl Iterator<Item = DVec3> + '_ {
        self.motion
            .iter()
            .flat_map(move |motion| motion.path.iter().map(move |at| at.with_y(ground)))
    }

    /// Adds the path on the ground at a height, with a tick per second as long as a share of the model's size.
    pub fn add(&self, strokes: &mut Vec<Stroke>, ground: f64, size: f64) {
        let Some(motion) = &self.motion else { return };
        let below = |at: &DVec3| at.with_y(ground);
        for ends in motion.path.windows(2) {
            strokes.push(Stroke::line([below(&ends[0]), below(&ends[1])], PATH, 1.6));
        }
        for (second, at) in motion.seconds.iter().enumerate() {
            let across = motion.across(second).unwrap_or(DVec3::X);
            let (at, reach) = (below(at), 0.02 * size * across);
            strokes.push(Stroke::line([at - reach, at + reach], TICK, 1.4));
        }
        if let Some(start) = motion.path.first() {
            strokes.push(Stroke::point(below(start), PATH, 1.0));
        }
    }
}
