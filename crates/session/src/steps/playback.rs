//! Changes of what plays.

use crate::playback::clips::KeptPlayback;
use crate::playback::kept_layer::KeptLayer;
use crate::posing::history::Step;
use crate::{CameraAction, PlaybackAction, Session};

impl Session {
    /// Changes the playback. The camera follows if another clip, scene or posture is shown, or the root is held or let go.
    pub(super) fn change_playback(&mut self, action: PlaybackAction) {
        if matches!(action, PlaybackAction::ToggleStoodUp | PlaybackAction::SelectScene(_)) {
            return self.change_scene(action);
        }
        let motion =
            |session: &Self| (session.playback.clip_index(), session.playback.plays_in_place());
        let before = motion(self);
        let expressions = self.playback.expressions.clone();
        if matches!(action, PlaybackAction::OwnClips) {
            // Those of another file are not wanted any more: while they are read, and after a reload.
            self.loads.give_up_clips();
            self.resuming.clips = None;
        }
        let notice = self.playback.apply(action);
        let after = &self.playback.expressions;
        if expressions != *after {
            let step = Step::Express { before: expressions, after: after.clone() };
            self.chosen.history.add(step);
        }
        self.notices.replace(notice);
        if motion(self) != before {
            self.refit();
        }
    }

    /// Reports that the clip that was shown before is missing, once all clips have been read.
    pub(super) fn report_lost_clip(&mut self, before: &KeptPlayback) {
        self.notices.add(self.playback.lost_clip(before));
    }

    /// Plays layers again, once the clips that they belong to have been read.
    pub(super) fn resume_layers(&mut self, layers: &[KeptLayer]) {
        if let Some(missing) = self.playback.resume_layers(layers) {
            self.notices.add(missing);
        }
    }

    /// Shows another scene of the file, or turns it.
    fn change_scene(&mut self, action: PlaybackAction) {
        let turns = action == PlaybackAction::ToggleStoodUp;
        let scene =
            |session: &Self| session.playback.stage().map(|stage| (stage.scene, stage.stood_up()));
        let before = scene(self);
        let notice = self.playback.apply(action);
        self.notices.replace(notice);
        if scene(self) == before {
            return;
        }
        self.hide_nodes();
        self.refit();
        let cameras = self.playback.cameras();
        if !turns {
            if self.camera.file_camera().is_some_and(|camera| cameras.contains(&camera)) {
                return;
            }
            self.change_camera(CameraAction::SelectCamera(None));
        }
        self.change_camera(CameraAction::FrameAll);
    }
}
