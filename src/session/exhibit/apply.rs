//! What each action does to what plays.

use super::{Exhibit, ExhibitAction};
use crate::session::BasePose;
use crate::session::notice::Notice;

impl Exhibit {
    /// Changes what plays. Returns a notice, if any.
    pub(in crate::session) fn apply(&mut self, action: ExhibitAction) -> Option<Notice> {
        match action {
            ExhibitAction::SelectClip(_)
            | ExhibitAction::NextClip
            | ExhibitAction::PreviousClip
            | ExhibitAction::OwnClips => self.base.chosen = BasePose::Clip,
            ExhibitAction::TogglePlay
            | ExhibitAction::Seek(_)
            | ExhibitAction::StepFrames(_)
            | ExhibitAction::StepKeys(_)
                if self.can_play() && self.base() != BasePose::Clip =>
            {
                // Time passes only in a clip. Play begins there, whether or not it ran before.
                self.base.chosen = BasePose::Clip;
                self.player.playing &= action != ExhibitAction::TogglePlay;
            }
            _ => {}
        }
        match action {
            ExhibitAction::TogglePlay => self.toggle_play(),
            ExhibitAction::Seek(time_secs) => self.seek(time_secs),
            ExhibitAction::StepFrames(frames) => self.step_frames(frames),
            ExhibitAction::StepKeys(keys) => self.step_keys(keys),
            ExhibitAction::SelectClip(clip) => return self.select_clip(clip),
            ExhibitAction::NextClip => return self.step_clips(1),
            ExhibitAction::PreviousClip => return self.step_clips(-1),
            ExhibitAction::SetSpeed(speed) => self.set_speed(speed),
            ExhibitAction::SetFps(fps) => return self.set_fps(fps),
            ExhibitAction::SetRepeat(repeat) => self.player.set_repeat(repeat),
            ExhibitAction::SetForm(form) => return self.set_form(form),
            ExhibitAction::SetTogether(clips) => return self.play_together(clips),
            ExhibitAction::OwnClips => return self.return_clips(),
            ExhibitAction::SetFade(secs) => self.set_fade(secs),
            ExhibitAction::SetLayers(layers) => self.set_layers(layers),
            ExhibitAction::SetMark(mark, secs) => self.set_mark(mark, secs),
            ExhibitAction::ToggleStoodUp => self.toggle_stood_up(),
            ExhibitAction::ToggleInPlace => {
                self.in_place = !self.in_place;
                self.pose();
            }
            ExhibitAction::SelectScene(scene) => self.select_scene(scene),
            ExhibitAction::Express(index, weight) => {
                self.express(index, weight);
                self.pose();
            }
        }
        None
    }
}
