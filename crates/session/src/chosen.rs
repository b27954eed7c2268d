//! What a person has chosen for one file. It is replaced as a whole when another file is shown, and changes places with that of
//! the second model when the models do.

use crate::loads::request::StoredSkins;
use crate::{Engine, Hidden, History, LoadId, Selection};
use rigview_model::Model;

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
