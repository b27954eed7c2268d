//! The form in which clips play: as the file has them, sampled, packed or reduced.

use super::Exhibit;
use crate::report::{ClipForm, FormOptions, clip_in_form};
use crate::session::notice::Notice;

impl Exhibit {
    /// Sets the frames per second. A clip in a sampled form is sampled again.
    pub(super) fn set_fps(&mut self, fps: f64) -> Option<Notice> {
        if !fps.is_finite() || fps <= 0.0 || fps == self.fps {
            return None;
        }
        self.fps = fps;
        self.set_form(self.form)
    }

    pub(super) fn set_form(&mut self, form: ClipForm) -> Option<Notice> {
        self.form = form;
        let refused = self.reform();
        self.pose();
        refused
    }

    /// Converts the shown clip to the chosen form. A clip that can't be converted plays as the file has it; the
    /// reason is returned.
    pub(super) fn reform(&mut self) -> Option<Notice> {
        self.reformed = None;
        let (document, clip) = self.document.as_ref().zip(self.clip())?;
        if self.form == ClipForm::Source {
            return None;
        }
        let options = FormOptions { fps: self.fps, ..FormOptions::default() };
        match clip_in_form(&document.model, clip, self.form, options) {
            Ok(clip) => {
                self.reformed = Some(clip);
                None
            }
            Err(error) => {
                let form = std::mem::replace(&mut self.form, ClipForm::Source);
                Some(Notice::warning(format!("the clip can't be {}: {error}", form.name())))
            }
        }
    }
}
