//! The distance between two picked points, which follows the motion.

use glam::DVec3;

use crate::same_part::{node_again, vertex_again};
use crate::{Document, LoadId, Playback, Purpose};
use rigview_model::{FileVertex, Model, Stage};

/// sRGB of the line and its ends.
pub(super) const COLOR: [u8; 4] = [0x6c, 0xf0, 0x8a, 255];

/// A point that moves with the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The origin of a node, as of a joint.
    Node(usize),
    /// A vertex.
    Vertex(FileVertex),
}

/// The points that are measured between.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measure {
    pub(super) on: bool,
    pub(super) of: Option<LoadId>,
    pub(super) anchors: Vec<Anchor>,
}

/// A change of what is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasureAction {
    /// Begins to measure: a click marks a point instead of selecting. Or ends it, and removes the points.
    Toggle,
    /// Marks a point. The third one begins anew.
    Mark(Anchor),
}

/// A distance in the present pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The points in scene space.
    pub ends: [DVec3; 2],
    /// Their distance in metres.
    pub metres: f64,
}

impl Measure {
    /// Whether clicks mark points.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// The points: at most two.
    pub fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// Whether an answer to a question of this purpose marks a point.
    pub(super) fn takes(&self, purpose: Purpose) -> bool {
        self.on && matches!(purpose, Purpose::Select | Purpose::SelectJoint)
    }

    pub(super) fn apply(&mut self, action: MeasureAction, of: Option<LoadId>) {
        match action {
            MeasureAction::Toggle => *self = Self { on: !self.on, of, anchors: Vec::new() },
            MeasureAction::Mark(anchor) if self.on => {
                if self.anchors.len() == 2 || self.of != of {
                    self.anchors.clear();
                }
                self.of = of;
                self.anchors.push(anchor);
            }
            MeasureAction::Mark(_) => {}
        }
    }

    /// Keeps the points on nodes that a file that was read again has.
    pub(super) fn carry_over(&mut self, before: &Document, after: &Document) {
        if self.of != Some(before.load) {
            return;
        }
        let (from, to) = (&*before.model, &*after.model);
        let again = |anchor: Anchor| match anchor {
            Anchor::Node(node) => node_again(node, from, to).map(Anchor::Node),
            Anchor::Vertex(vertex) => vertex_again(vertex, from, to).map(Anchor::Vertex),
        };
        self.of = Some(after.load);
        self.anchors = std::mem::take(&mut self.anchors).into_iter().filter_map(again).collect();
    }

    /// Returns the places of the points in the playback's pose; none of another file than the shown one.
    pub(super) fn places(&self, playback: &Playback) -> Vec<DVec3> {
        let shown = playback.document().zip(playback.stage());
        let Some((document, stage)) = shown.filter(|(d, _)| self.of == Some(d.load)) else {
            return Vec::new();
        };
        let place = |anchor: &Anchor| anchor.position(&document.model, stage);
        self.anchors.iter().filter_map(place).collect()
    }
}

impl Anchor {
    /// Returns where the point is in a stage's pose, in scene space.
    pub(crate) fn position(&self, model: &Model, stage: &Stage) -> Option<DVec3> {
        match *self {
            Anchor::Node(node) if node < model.nodes.len() => {
                Some(stage.position(node).as_dvec3() + stage.origin)
            }
            Anchor::Node(_) => None,
            Anchor::Vertex(vertex) => stage.vertex_position(model, vertex),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Action;
    use crate::{PlaybackAction, sample};

    #[test]
    fn a_distance_follows_the_motion_and_a_third_point_begins_anew() {
        let mut session = sample::session();
        session.apply(MeasureAction::Mark(Anchor::Node(0)));
        assert_eq!(session.measuring().anchors(), [], "it is off");
        session.apply(MeasureAction::Toggle);
        session.apply(MeasureAction::Mark(Anchor::Node(0)));
        assert_eq!(session.measured(), None);
        session.apply(MeasureAction::Mark(Anchor::Node(1)));
        for (time, metres) in [(0.5, 0.5), (2.0, 2.0)] {
            session.apply(PlaybackAction::Seek(time));
            session.pose();
            assert_eq!(session.measured().unwrap().metres, metres);
        }
        assert_eq!(session.strokes().len(), 3);
        session.apply(MeasureAction::Mark(Anchor::Node(1)));
        assert_eq!(session.measuring().anchors(), [Anchor::Node(1)]);
        // Messages are removed first.
        session.apply(Action::Dismiss);
        session.apply(Action::Escape);
        assert!(!session.measuring().is_on());
        session.pose();
        assert!(session.strokes().is_empty());
    }
}
