//! Changes of what plays, and of the selection.

use crate::session::{
    CameraAction, LookAction, Playback, PlaybackAction, SelectionAction, Session, look,
};

impl Session {
    /// Changes the playback. The camera follows if another clip, scene or posture is shown.
    pub(super) fn change_playback(&mut self, action: PlaybackAction) {
        let scene =
            |playback: &Playback| playback.stage().map(|stage| (stage.scene, stage.stood_up()));
        let (clip, before) = (self.playback.clip_index(), scene(&self.playback));
        let notice = self.playback.apply(action);
        self.notices.replace(notice);
        let moved = scene(&self.playback) != before;
        if moved {
            self.hide_nodes();
        }
        if moved || self.playback.clip_index() != clip {
            self.frame_both();
        }
        let cameras = self.playback.cameras();
        let stood_up = |scene: Option<(usize, bool)>| scene.is_some_and(|(_, stood_up)| stood_up);
        let turned = stood_up(scene(&self.playback)) != stood_up(before);
        if moved && (turned || !self.camera.file_camera().is_some_and(|c| cameras.contains(&c))) {
            if !turned {
                self.change_camera(CameraAction::SelectCamera(None));
            }
            self.change_camera(CameraAction::FrameAll);
        }
    }

    pub(super) fn change_selection(&mut self, action: SelectionAction) {
        let model = self.playback.document().map(|document| &*document.model);
        self.selection.apply(action, model);
        // The weights of a selected joint are shown. The action ignores other nodes.
        if let Some(node) = self.selection.node() {
            look::apply(&mut self.look, LookAction::SelectJoint(Some(node)), &self.playback);
        }
    }
}
