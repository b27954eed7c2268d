//! What belongs to the second model and waits until the models are exchanged.

use crate::model::Model;
use crate::report::ClipForm;
use crate::session::loads::request::StoredSkins;
use crate::session::playback::kept_layer::KeptLayer;
use crate::session::{Engine, Hidden, History, LoadId, Selection};

/// What a person chose for a model that is the second one now. It is drawn whole and plays its clip alone, as the file has
/// it; its engine limits hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Aside {
    pub hidden: Hidden,
    pub selection: Selection,
    pub history: History,
    pub layers: Vec<KeptLayer>,
    pub form: ClipForm,
    pub engine: Engine,
}

impl Aside {
    /// Returns that of a file that was just opened.
    pub fn of(load: LoadId, skins: StoredSkins) -> Self {
        let mut aside = Self::default();
        aside.engine.take(load, skins);
        aside
    }

    /// Keeps what a file that was read again has.
    pub fn carry_over(&mut self, before: &Model, after: &Model, load: LoadId, skins: StoredSkins) {
        self.hidden.carry_over(before, after);
        self.selection.carry_over(before, after);
        self.history.carry_over(before, after);
        self.engine.take(load, skins);
    }
}
