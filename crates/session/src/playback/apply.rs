//! What each action does to what plays, and the choice of the scene.

use super::{Playback, PlaybackAction};
use crate::BasePose;
use crate::notice::Notice;
use rigview_model::Stage;
use rigview_report::lies_on_its_back;

impl Playback {
    /// Changes what plays. Returns a notice, if any.
    pub(crate) fn apply(&mut self, action: PlaybackAction) -> Option<Notice> {
        match action {
            PlaybackAction::SelectClip(_)
            | PlaybackAction::NextClip
            | PlaybackAction::PreviousClip
            | PlaybackAction::OwnClips => self.base.chosen = BasePose::Clip,
            PlaybackAction::TogglePlay
            | PlaybackAction::Seek(_)
            | PlaybackAction::StepFrames(_)
            | PlaybackAction::StepKeys(_)
                if self.can_run() && self.base() != BasePose::Clip =>
            {
                // Time passes only in a clip. Play begins there, whether or not it ran before.
                self.base.chosen = BasePose::Clip;
                self.player.playing &= action != PlaybackAction::TogglePlay;
            }
            _ => {}
        }
        match action {
            PlaybackAction::TogglePlay => self.toggle_play(),
            PlaybackAction::Seek(time_secs) => self.seek(time_secs),
            PlaybackAction::StepFrames(frames) => self.step_frames(frames),
            PlaybackAction::StepKeys(keys) => self.step_keys(keys),
            PlaybackAction::SelectClip(clip) => return self.select_clip(clip),
            PlaybackAction::NextClip => return self.step_clips(1),
            PlaybackAction::PreviousClip => return self.step_clips(-1),
            PlaybackAction::SetSpeed(speed) => self.set_speed(speed),
            PlaybackAction::SetFps(fps) => return self.set_fps(fps),
            PlaybackAction::SetRepeat(repeat) => self.player.set_repeat(repeat),
            PlaybackAction::SetForm(form) => return self.set_form(form),
            PlaybackAction::SetTogether(clips) => return self.play_together(clips),
            PlaybackAction::OwnClips => return self.return_clips(),
            PlaybackAction::SetFade(secs) => self.set_fade(secs),
            PlaybackAction::SetLayers(layers) => self.set_layers(layers),
            PlaybackAction::SetMark(mark, secs) => return self.set_mark(mark, secs),
            PlaybackAction::ToggleStoodUp => self.toggle_stood_up(),
            PlaybackAction::ToggleInPlace => self.toggle_in_place(),
            PlaybackAction::SelectScene(scene) => self.select_scene(scene),
            PlaybackAction::Express(index, weight) => {
                if let Some(document) = &self.document {
                    self.expressions.set(&document.model, index, weight);
                }
                self.pose();
            }
            PlaybackAction::ResetExpressions => {
                self.expressions.clear();
                self.pose();
            }
        }
        None
    }

    fn select_scene(&mut self, scene: usize) {
        let (Some(document), Some(stage)) = (&self.document, &mut self.stage) else { return };
        let model = &document.model;
        if scene >= model.scenes.len() || scene == stage.scene {
            return;
        }
        let stood_up = stage.stood_up();
        *stage = Stage::new(model, scene);
        self.lies_on_its_back = lies_on_its_back(model, stage);
        stage.stand_up(model, stood_up);
        self.find_extent();
        self.pose();
    }

    fn toggle_stood_up(&mut self) {
        let (Some(document), Some(stage)) = (&self.document, &mut self.stage) else { return };
        stage.stand_up(&document.model, !stage.stood_up());
        self.find_extent();
        self.pose();
    }
}
