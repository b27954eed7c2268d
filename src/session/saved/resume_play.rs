//! Plays as a session file says.

use super::play::{BLENDINGS, SavedPlay, of_name};
use crate::report::ClipForm;
use crate::session::exhibit::clips::Standing;
use crate::session::{ExhibitAction, LayerSettings, Session};

impl Session {
    /// Continues what a session file says.
    pub(super) fn resume_play(&mut self, play: &SavedPlay) {
        let form = ClipForm::ALL.into_iter().find(|form| form.name() == play.form);
        self.change_exhibit(ExhibitAction::SetForm(form.unwrap_or_default()));
        self.change_exhibit(ExhibitAction::SetFade(play.fade));
        let notice = self.exhibit.resume(&Standing::saved(play.clip.clone(), play.player()));
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
