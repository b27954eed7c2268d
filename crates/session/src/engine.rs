//! The model as an engine would see it: skins in a smaller form, and the error of what is shown.

use crate::aids::add_marks;
use crate::loads::StoredSkins;
use crate::{LoadId, Playback};
use rigview_look::Stroke;
use rigview_model::{JointsBeyond, SkinForm};
use rigview_report::{ShownSkin, SkinError, with_skins};

/// A change of how an engine would store the model.
#[derive(Debug)]
pub enum EngineAction {
    /// Shows skins in a form. The file is read again for that.
    SetSkinForm(SkinForm),
    /// Shows the skins of the second model as in its file, which is read again for that.
    FreeBeside,
    /// Marks the vertices of joints beyond the limit, or not.
    ToggleMarks,
    /// Finds the error of what is shown, beside the window.
    Measure,
    /// Takes the error that was found for a load; or a message, if it can't be found.
    Take(LoadId, Result<SkinError, String>),
    /// Goes to the vertex with the largest error, selects and frames it: over the clip, or at the instant that was shown.
    GoToWorst {
        /// Over the clip.
        over_clip: bool,
    },
    /// Colours vertices by their distance from where the file puts them: the file as it is becomes the second model.
    ShowHeat,
}

/// How an engine would store the model, and the error of that.
#[derive(Clone, Debug)]
pub struct Engine {
    /// The form that skins are to be shown in.
    pub(super) form: SkinForm,
    /// The load that is shown, and its skins.
    load: LoadId,
    stored: StoredSkins,
    pub(super) marks: bool,
    pub(super) error: Option<Result<SkinError, String>>,
    pub(super) is_measuring: bool,
    /// The clip that was shown when the error was measured last.
    pub(super) measured_clip: Option<usize>,
}

impl Default for Engine {
    fn default() -> Self {
        Self {
            form: SkinForm::default(),
            load: LoadId::default(),
            stored: StoredSkins::default(),
            marks: true,
            error: None,
            is_measuring: false,
            measured_clip: None,
        }
    }
}

/// sRGB of vertices that a joint beyond the limit moves.
const BEYOND: [u8; 4] = [0x2f, 0xd6, 0xff, 255];

impl Engine {
    /// The form that skins are shown in.
    pub fn form(&self) -> SkinForm {
        self.form
    }

    /// The error that was measured last for what is shown, or the reason why there is none.
    pub fn error(&self) -> Option<&Result<SkinError, String>> {
        self.error.as_ref()
    }

    /// The clip over which the error was measured last; `None` for the pose at rest.
    pub fn measured_clip(&self) -> Option<usize> {
        self.measured_clip
    }

    /// The joints beyond the limit in the file that is shown, and the vertices that they move.
    pub fn beyond(&self) -> &JointsBeyond {
        &self.stored.beyond
    }

    /// Whether the vertices of joints beyond the limit are marked.
    pub fn marks(&self) -> bool {
        self.marks
    }

    /// Adds a point per vertex of joints beyond the limit, while they are marked.
    pub(super) fn add(&self, playback: &Playback, strokes: &mut Vec<Stroke>) {
        let shown = playback.document().map(|document| document.load);
        if self.marks && shown == Some(self.load) {
            let vertices = self.beyond().vertices.iter();
            add_marks(playback, vertices.map(|(drawn, vertex)| (*drawn, *vertex, BEYOND)), strokes);
        }
    }

    /// Whether the error is being measured.
    pub fn is_measuring(&self) -> bool {
        self.is_measuring
    }

    /// Takes the skins of the model that is shown from now on.
    pub(super) fn take(&mut self, load: LoadId, skins: StoredSkins) {
        self.error = None;
        (self.load, self.stored) = (load, skins);
    }

    /// Takes the error that was found for a load.
    pub(super) fn take_error(&mut self, load: LoadId, error: &Result<SkinError, String>) {
        self.is_measuring = false;
        if self.load == load {
            self.error = Some(error.clone());
        }
    }

    /// Returns to the form that is shown. To be called while the file is not being read: one that could not be read in
    /// another form is shown in the one before.
    pub(super) fn settle(&mut self) {
        self.form = self.stored.form;
    }

    /// Returns what is needed to measure the error of what a playback shows.
    pub(super) fn shown(&self, playback: &Playback) -> Option<(LoadId, ShownSkin)> {
        let (document, stage) = playback.document().zip(playback.stage())?;
        if self.load != document.load || self.stored.form != self.form {
            // The file is being read again in another form.
            return None;
        }
        let exact = match &self.stored.exact {
            Some(skins) => with_skins(&document.model, skins),
            None => (*document.model).clone(),
        };
        let clips = playback.clip().zip(playback.shown_clip());
        Some((
            document.load,
            ShownSkin {
                exact,
                form: self.form,
                stages: [playback.exact_stage()?, stage.clone()],
                clips: clips.map(|(exact, shown)| [exact.clone(), shown.clone()]),
                time_secs: playback.time_secs(),
            },
        ))
    }
}
