//! The model as an engine would see it: skins in a smaller form, and the error of what is shown.

mod apply;

use crate::model::{Influences, Model, SkinForm};
use crate::report::{ShownSkin, SkinError, with_influences};

use crate::session::{Exhibit, LoadId};

/// A change of how an engine would store the model.
#[derive(Debug)]
pub enum EngineAction {
    /// Shows skins in a form. The file is read again for that.
    SetSkinForm(SkinForm),
    /// Finds the error of what is shown, beside the window.
    Measure,
    /// Takes the error that was found for a load; or a message, if it can't be found.
    Take(LoadId, Result<SkinError, String>),
}

/// How an engine would store the model, and the error of that.
#[derive(Clone, Debug, Default)]
pub struct Engine {
    /// The form that skins are to be shown in.
    pub(super) form: SkinForm,
    /// The file's influences of the load that is shown in a smaller form.
    pub(super) exact: Option<(LoadId, Vec<Influences>)>,
    pub(super) error: Option<Result<SkinError, String>>,
    pub(super) is_measuring: bool,
}

impl Engine {
    /// The form that skins are shown in.
    pub fn form(&self) -> SkinForm {
        self.form
    }

    /// The error that was measured last for what is shown, or the reason why there is none.
    pub fn error(&self) -> Option<&Result<SkinError, String>> {
        self.error.as_ref()
    }

    /// Whether the error is being measured.
    pub fn is_measuring(&self) -> bool {
        self.is_measuring
    }

    /// Stores a model that was read in the chosen form, and keeps the file's influences.
    pub(super) fn store(&mut self, load: LoadId, model: &mut Model) {
        self.exact = None;
        self.error = None;
        if !self.form.is_exact() {
            let primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
            let influences = primitives.filter_map(|primitive| primitive.influences.clone());
            self.exact = Some((load, influences.collect()));
            self.form.apply(model);
        }
    }

    /// Returns what is needed to measure the error of what an exhibit shows.
    pub(super) fn shown(&self, exhibit: &Exhibit) -> Option<(LoadId, ShownSkin)> {
        let (document, stage) = exhibit.document().zip(exhibit.stage())?;
        let exact = match &self.exact {
            Some((load, influences)) if *load == document.load => {
                with_influences(&document.model, influences)
            }
            _ if self.form.is_exact() => (*document.model).clone(),
            // The file is being read again in another form.
            _ => return None,
        };
        let clips = exhibit.clip().zip(exhibit.shown_clip());
        Some((
            document.load,
            ShownSkin {
                exact,
                form: self.form,
                stages: [exhibit.exact_stage()?, stage.clone()],
                clips: clips.map(|(exact, shown)| [exact.clone(), shown.clone()]),
                time_secs: exhibit.time_secs(),
            },
        ))
    }
}
