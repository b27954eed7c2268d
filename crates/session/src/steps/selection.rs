//! Changes of the selection, of what is hidden, and of what is measured.
//!
//! Bones lie over the picture and are found here. Only the renderer can tell which surface a pixel shows, so the
//! session asks by [`Effect::Pick`] and goes on; the answer comes a frame later.

use crate::camera::orbit::project;
use crate::posing::history::Edit;
use crate::{
    Anchor, Effect, Hidden, HiddenAction, Item, LookAction, MeasureAction, PickAction, PickAnswer,
    PickRequest, Purpose, SelectionAction, Session, Tool, look,
};
use rigview_look::View;
use rigview_model::{DrawnPrimitive, Model, Stage, Touch, Touched};

impl Session {
    /// Selects a part of the file, or names one.
    pub(super) fn change_selection(&mut self, action: SelectionAction) {
        let model = self.playback.document().map(|document| &*document.model);
        self.chosen.selection.apply(action, model);
        // The weights of a selected joint are shown. The action ignores other nodes.
        if let Some(node) = self.chosen.selection.node() {
            look::apply(&mut self.look, LookAction::SelectJoint(Some(node)), &self.playback);
        }
    }

    /// Hides or shows nodes.
    pub(super) fn change_hidden(&mut self, action: HiddenAction) {
        let before = self.chosen.hidden.clone();
        if let Some(document) = self.playback.document() {
            self.chosen.hidden.apply(action, self.chosen.selection.node(), &document.model);
        }
        self.note_hidden(before);
        self.hide_nodes();
    }

    /// Leaves the hidden nodes out of the stage.
    pub(super) fn hide_nodes(&mut self) {
        if let (Some(document), Some(stage)) = (&self.playback.document, &mut self.playback.stage) {
            self.chosen.hidden.hide_nodes(&document.model, stage);
        }
    }

    /// Notes what was hidden before a change, so that it can be undone.
    fn note_hidden(&mut self, before: Hidden) {
        if before != self.chosen.hidden {
            let after = self.chosen.hidden.clone();
            self.chosen.history.end();
            self.chosen.history.add(Edit::Hidden { before, after });
        }
    }
}

/// Distance in points within which a bone is found.
const BONE_REACH: f64 = 6.0;

impl Session {
    /// Takes a step of picking.
    pub(super) fn change_pick(&mut self, action: PickAction) -> Vec<Effect> {
        match action {
            PickAction::Ask(question) => match self.bone_at(question) {
                None => return vec![Effect::Pick(question)],
                Some(joint) if question.purpose == Purpose::Name => {
                    self.change_selection(SelectionAction::Hover(Some(joint)));
                }
                Some(joint) if self.measuring().takes(question.purpose) => {
                    self.change_measure(MeasureAction::Mark(Anchor::Node(joint)));
                }
                Some(joint) => {
                    self.select_node(Some(joint));
                    if question.purpose == Purpose::Frame {
                        self.frame_selection();
                    }
                }
            },
            PickAction::Take(answer) => self.take_answer(&answer),
        }
        Vec::new()
    }

    fn take_answer(&mut self, answer: &PickAnswer) {
        let Some(document) = self.playback.document().filter(|d| d.load == answer.load) else {
            return;
        };
        let PickAnswer { question, touched, .. } = answer;
        if question.purpose == Purpose::Name {
            self.note_hover(answer);
            let node = touched.map(|touched| touched.drawn.node);
            return self.change_selection(SelectionAction::Hover(node));
        }
        let measures = self.measuring().takes(question.purpose);
        let frames = question.purpose == Purpose::Frame;
        let Some(touched) = touched else {
            if !measures && !frames {
                self.select_node(None);
            }
            return;
        };
        let DrawnPrimitive { node, .. } = touched.drawn;
        let model = &*document.model;
        let stage = answer.stage.as_ref().or(self.playback.stage());
        let touch = stage.and_then(|stage| stage.touch(model, touched));
        if measures {
            return self.mark_vertex(touched, touch);
        }
        let joint = touch.and_then(|touch| touch.heaviest_joint(model, touched.drawn));
        let selected = self.chosen.selection.node();
        // The first click of two has selected it.
        if !frames || selected.is_none() || selected != Some(node) && selected != joint {
            // A tool is for joints: a skinned mesh does not move with its node.
            let wants_joint = question.purpose == Purpose::SelectJoint
                || selected == Some(node)
                || self.posing.tool() != Tool::Select;
            match joint.filter(|_| wants_joint) {
                Some(joint) => self.select_node(Some(joint)),
                None => self.select_touched(touched, touch),
            }
        }
        if frames {
            self.frame_selection();
        }
    }

    /// Selects the nearest vertex of what was touched, or else the node.
    fn select_touched(&mut self, touched: &Touched, touch: Option<Touch>) {
        let Some(document) = self.playback.document() else { return };
        let Some(touch) = touch else { return self.select_node(Some(touched.drawn.node)) };
        if let Some(vertex) = touched.nearest_vertex(&document.model, &touch) {
            self.chosen.selection.apply(SelectionAction::Pick(vertex), Some(&document.model));
        }
    }

    /// Marks the nearest vertex as an end of what is measured.
    fn mark_vertex(&mut self, touched: &Touched, touch: Option<Touch>) {
        let Some((document, touch)) = self.playback.document().zip(touch) else { return };
        if let Some(vertex) = touched.nearest_vertex(&document.model, &touch) {
            self.change_measure(MeasureAction::Mark(Anchor::Vertex(vertex)));
        }
    }

    fn select_node(&mut self, node: Option<usize>) {
        self.change_selection(SelectionAction::Select(node.map(Item::Node)));
    }

    /// Returns the joint whose disc or bone is shown near a place. A bone belongs to the joint that it starts at,
    /// which turns it.
    fn bone_at(&self, question: PickRequest) -> Option<usize> {
        let shown = self.shown()?;
        let drawn = self.look.skeleton || shown.stage.has_no_mesh(shown.model);
        drawn.then(|| bone_at(shown.model, shown.stage, &self.view(), question))?
    }
}

fn bone_at(model: &Model, stage: &Stage, view: &View, question: PickRequest) -> Option<usize> {
    let (near, _) = view.depth_range();
    // The place and the distance ahead; `None` behind the camera.
    let place = |node: usize| {
        let at = stage.position(node).as_dvec3() + stage.origin;
        let (place, ahead) = project(view, at, 1.0);
        (place.is_finite() && ahead >= f64::from(near)).then_some((place, ahead))
    };
    let mut bones = stage.bones(model);
    bones.retain(|bone| !stage.is_hidden(bone.joint));
    let discs = bones.iter().filter_map(|bone| {
        let (at, ahead) = place(bone.joint)?;
        Some((bone.joint, at.distance(question.at), ahead))
    });
    let bars = bones.iter().filter_map(|bone| {
        let parent = bone.parent?;
        let ((tail, far), (head, ahead)) = (place(bone.joint)?, place(parent)?);
        let along = tail - head;
        let share = ((question.at - head).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let off = (head + share * along).distance(question.at);
        Some((parent, off, ahead + share * (far - ahead)))
    });
    let nearest = |all: &mut dyn Iterator<Item = (usize, f64, f64)>| {
        // Of bones that are as near to the pointer, the one in front.
        let points = |off: f64| (off / question.point).round();
        let within = all.filter(|(_, off, _)| *off <= BONE_REACH * question.point);
        within.min_by(|a, b| points(a.1).total_cmp(&points(b.1)).then(a.2.total_cmp(&b.2)))
    };
    let mut discs = discs;
    let mut bars = bars;
    nearest(&mut discs).or_else(|| nearest(&mut bars)).map(|(joint, ..)| joint)
}

impl Session {
    pub(super) fn change_measure(&mut self, action: MeasureAction) {
        let of = self.playback.document().map(|document| document.load);
        self.measure.apply(action, of.filter(|_| self.playback.stage().is_some()));
    }
}

#[cfg(test)]
mod pick_tests {
    use glam::DVec2;

    use crate::steps::selection::*;
    use crate::{Action, HiddenAction, LoadId, LookAction, PlaybackAction, sample};

    fn ask(session: &mut Session, at: DVec2, purpose: Purpose) -> Vec<Effect> {
        let question = PickRequest { at, point: 1.0 / 600.0, purpose };
        session.apply(Action::Pick(PickAction::Ask(question)))
    }

    fn point(session: &Session, node: usize) -> DVec2 {
        let stage = session.playback().stage().unwrap();
        project(&session.view(), stage.position(node).as_dvec3(), 1.0).0
    }

    #[test]
    fn a_bone_is_selected_by_the_joint_that_turns_it() {
        let mut session = sample::session();
        session.apply(PlaybackAction::Seek(1.0));
        session.pose();
        let [root, tip] = [0, 1].map(|node| point(&session, node));
        // Without a mesh the skeleton is shown anyway.
        assert!(ask(&mut session, 0.5 * (root + tip), Purpose::Select).is_empty());
        assert_eq!(session.selection().node(), Some(0));
        assert!(ask(&mut session, tip + DVec2::new(4.0 / 600.0, 0.0), Purpose::Select).is_empty());
        assert_eq!(session.selection().node(), Some(1));
        assert_eq!(session.look().joint, Some(1), "its weights are shown");
        assert!(ask(&mut session, root, Purpose::Name).is_empty());
        assert_eq!(session.selection().hovered(), Some(0));
        let beside = tip + DVec2::new(0.2, 0.0);
        assert!(matches!(ask(&mut session, beside, Purpose::Select)[..], [Effect::Pick(_)]));
        session.apply(LookAction::ToggleSkeleton);
        assert!(ask(&mut session, tip, Purpose::Select).is_empty());
        // A hidden joint has no bone.
        session.apply(HiddenAction::Toggle(1));
        session.pose();
        assert!(matches!(ask(&mut session, tip, Purpose::Select)[..], [Effect::Pick(_)]));
    }

    #[test]
    fn the_background_deselects_and_an_answer_about_another_file_is_dropped() {
        let mut session = sample::session();
        session.apply(SelectionAction::Select(Some(Item::Node(1))));
        let load = session.playback().document().unwrap().load;
        let question = PickRequest { at: DVec2::ZERO, point: 0.002, purpose: Purpose::Select };
        let answer = |load| Box::new(PickAnswer { question, load, stage: None, touched: None });
        session.apply(Action::Pick(PickAction::Take(answer(LoadId(load.0 + 1)))));
        assert_eq!(session.selection().node(), Some(1));
        session.apply(Action::Pick(PickAction::Take(answer(load))));
        assert_eq!(session.selection().node(), None);
    }
}
