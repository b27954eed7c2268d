//! Changes of what plays, and of the selection.

use crate::session::{
    Exhibit, ExhibitAction, LookAction, SelectionAction, Session, SightAction, look,
};

impl Session {
    /// Changes the exhibit. The camera follows if another clip, scene or posture is shown.
    pub(super) fn change_exhibit(&mut self, action: ExhibitAction) {
        let scene =
            |exhibit: &Exhibit| exhibit.stage().map(|stage| (stage.scene, stage.stood_up()));
        let (clip, before) = (self.exhibit.clip_index(), scene(&self.exhibit));
        let notice = self.exhibit.apply(action);
        self.notices.replace(notice);
        let moved = scene(&self.exhibit) != before;
        if moved {
            self.veil();
        }
        if moved || self.exhibit.clip_index() != clip {
            self.frame_both();
        }
        let cameras = self.exhibit.cameras();
        let stood_up = |scene: Option<(usize, bool)>| scene.is_some_and(|(_, stood_up)| stood_up);
        let turned = stood_up(scene(&self.exhibit)) != stood_up(before);
        if moved && (turned || !self.sight.file_camera().is_some_and(|c| cameras.contains(&c))) {
            if !turned {
                self.change_sight(SightAction::SelectCamera(None));
            }
            self.change_sight(SightAction::FrameAll);
        }
    }

    pub(super) fn change_selection(&mut self, action: SelectionAction) {
        let model = self.exhibit.document().map(|document| &*document.model);
        self.selection.apply(action, model);
        // The weights of a selected joint are shown. The action ignores other nodes.
        if let Some(node) = self.selection.node() {
            look::apply(&mut self.look, LookAction::SelectJoint(Some(node)), &self.exhibit);
        }
    }
}
