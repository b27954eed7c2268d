//! Plays as a session file says.

use super::play::{BLENDINGS, SavedPlay, of_name};
use crate::report::ClipForm;
use crate::session::exhibit::clips::Standing;
use crate::session::{BasePose, ExhibitAction, LayerSettings, Session};

impl Session {
    /// Continues what a session file says.
    pub(super) fn resume_play(&mut self, play: &SavedPlay) {
        self.change_exhibit(ExhibitAction::SetFps(play.fps));
        let form = ClipForm::ALL.into_iter().find(|form| form.name() == play.form);
        self.change_exhibit(ExhibitAction::SetForm(form.unwrap_or_default()));
        self.change_exhibit(ExhibitAction::SetFade(play.fade));
        if play.in_place != self.exhibit.plays_in_place() {
            self.change_exhibit(ExhibitAction::ToggleInPlace);
        }
        let standing = Standing::saved(play.clip.clone(), play.together.clone(), play.player());
        let notice = self.exhibit.resume(&standing);
        let base = BasePose::ALL.into_iter().find(|base| base.name() == play.base);
        self.exhibit.base.chosen = base.unwrap_or_default();
        self.sight.set_hull(self.exhibit.hull());
        self.notices.replace(notice);
        let layers = play.layers.iter().map(|layer| LayerSettings {
            clip: layer.clip,
            weight: layer.weight,
            blending: of_name(&BLENDINGS, &layer.blending).unwrap_or_default(),
            joint: layer.joint,
        });
        self.change_exhibit(ExhibitAction::SetLayers(layers.collect()));
    }
}
