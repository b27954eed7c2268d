//! What a person has chosen for one file, and what of that waits with the second model. It is replaced as a whole when
//! another file is shown, and changes places with that of the second model when the models do.

use crate::loads::StoredSkins;
use crate::playback::clips::KeptLayer;
use crate::{Engine, Hidden, History, LoadId, Selection};
use rigview_model::Model;
use rigview_report::ClipForm;

/// What of a file is hidden and selected, the steps that can be undone, and the engine limits that it is shown with.
#[derive(Clone, Debug, Default)]
pub(super) struct Chosen {
    pub hidden: Hidden,
    pub selection: Selection,
    pub history: History,
    pub engine: Engine,
}

impl Chosen {
    /// Forgets the former file for one that was just opened.
    pub fn restart(&mut self, load: LoadId, skins: StoredSkins) {
        let mut engine = std::mem::take(&mut self.engine);
        engine.take(load, skins);
        *self = Self { engine, ..Self::default() };
    }

    /// Keeps what a file that was read again has.
    pub fn carry_over(&mut self, before: &Model, after: &Model, load: LoadId, skins: StoredSkins) {
        self.hidden.carry_over(before, after);
        self.selection.carry_over(before, after);
        self.history.carry_over(before, after);
        self.engine.take(load, skins);
    }
}

/// What a person chose for a model that is the second one now. It is drawn whole and plays its clip alone, as the file has
/// it; its engine limits hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Aside {
    pub chosen: Chosen,
    pub layers: Vec<KeptLayer>,
    pub form: ClipForm,
}

impl Aside {
    /// Returns that of a file that was just opened.
    pub fn new(load: LoadId, skins: StoredSkins) -> Self {
        let mut aside = Self::default();
        aside.chosen.restart(load, skins);
        aside
    }
}
