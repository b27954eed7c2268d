//! The session's steps: what each action does to the subjects that it concerns.

mod camera;
mod compare;
mod desktop;
mod engine;
mod load;
mod mend;
mod playback;
mod pose;
mod resume;
mod selection;

use std::path::Path;

use super::notice::Notice;
use super::saved::is_session_file;
use super::{Action, CameraAction, Effect, LookAction, Session, TimelineAction, look};

impl Session {
    /// Changes the session. The effects are to be performed in order.
    pub fn apply(&mut self, action: impl Into<Action>) -> Vec<Effect> {
        let mut effects = self.change(action.into());
        effects.extend(self.restore_images());
        self.settle_engines();
        for effect in &mut effects {
            if let Effect::Load(request) = effect {
                request.preparation = self.preparation(request);
            }
        }
        effects
    }

    fn change_look(&mut self, action: LookAction) {
        if matches!(action, LookAction::ToggleTrail) && !self.look.trail {
            self.require_selection("Select a node to see its path");
        }
        look::apply(&mut self.look, action, &self.playback);
    }

    /// Says that a file was written, and what is not in it.
    fn report_saved(&mut self, path: &Path) {
        self.notices.replace(Notice::saved(path));
        if is_session_file(path) && !self.mending.remedies().is_empty() {
            let what = "what was fixed is not part of it: Save as… in the list of findings writes the fixed copy";
            self.notices.add(Notice::warning(what));
        }
    }

    fn change(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Advance(step_secs) => {
                self.playback.advance(step_secs);
                self.change_camera(CameraAction::Advance(step_secs));
            }
            Action::Playback(action) => self.change_playback(action),
            Action::Compared(action) => return self.change_compared(action),
            Action::Selection(action) => self.change_selection(action),
            Action::Hidden(action) => self.change_hidden(action),
            Action::Engine(action) => return self.change_engine(action),
            Action::Pose(action) => return self.change_pose(action),
            Action::Mend(action) => return self.change_mending(action),
            Action::Copy(action) => return self.change_copies(action),
            Action::Pick(action) => return self.change_pick(action),
            Action::Measure(action) => self.change_measure(action),
            Action::Timeline(action) => {
                if let TimelineAction::Checked(_, Err(why)) = &action {
                    let text = format!("The clips could not be checked: {why}");
                    self.notices.replace(Notice::warning(text));
                }
                return self.timeline.apply(action, &self.playback);
            }
            Action::FrameSelection => self.frame_selection(),
            Action::ViewCamera(action) => self.steer_camera(action),
            Action::Look(action) => self.change_look(action),
            Action::Load(action) => return self.change_loads(action),
            Action::Desktop(action) => return self.change_desktop(action),
            Action::Notice(kind, text) => self.notices.replace(Notice::new(kind, text)),
            Action::Saved(path) => self.report_saved(&path),
            Action::Dismiss => self.dismiss(),
            Action::Escape => self.escape(),
            Action::TogglePanels => self.panels = !self.panels,
            Action::TogglePart(part) => self.toggle_part(part),
            Action::OpenParts(parts) => self.parts = parts,
            Action::ToggleHelp => self.help = !self.help,
            Action::ToggleFullScreen => return vec![Effect::ToggleFullScreen],
            Action::Quit => return vec![Effect::Quit],
            Action::Ask(question) => return self.ask(question),
            Action::SavePicture { bare } if self.playback.stage.is_some() => {
                return vec![Effect::SavePicture { bare }];
            }
            Action::CopyPicture if self.playback.stage.is_some() => {
                return vec![Effect::CopyPicture];
            }
            Action::SavePicture { .. } | Action::CopyPicture => {}
        }
        Vec::new()
    }

    /// Poses the playback for the present clip and time. Call it once per frame.
    pub fn pose(&mut self) {
        if self.compared.is_shown() {
            // Both models change the clip at once, so that their difference is that of one clip.
            self.playback.mix.end_fade();
        }
        self.playback.pose();
        self.pose_beside();
        self.camera.reach(self.playback.reach());
        let node = self.chosen.selection.node().filter(|_| self.look.trail);
        self.trail.show(&self.playback, node, self.chosen.history.in_gesture());
        self.draw_aids();
        if self.camera.awaits_pose() && self.playback.stage.is_some() {
            self.change_camera(CameraAction::FramePose);
        }
        self.follow_selection();
    }
}
