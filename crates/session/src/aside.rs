//! What belongs to the second model and waits until the models are exchanged.

use crate::LoadId;
use crate::chosen::Chosen;
use crate::loads::request::StoredSkins;
use crate::playback::kept_layer::KeptLayer;
use rigview_report::ClipForm;

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
    pub fn of(load: LoadId, skins: StoredSkins) -> Self {
        let mut aside = Self::default();
        aside.chosen.restart(load, skins);
        aside
    }
}
