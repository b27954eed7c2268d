//! Shows a clip: in its form, at its frame rate, and with its motion framed.

use super::Playback;
use super::frame_rate::FrameRate;
use super::framed::Framed;
use crate::notice::Notice;
use rigview_anim::{Clip, frame_rate};
use rigview_model::HeldRoot;
use rigview_report::{ClipForm, FormOptions, clip_in_form};

impl Playback {
    /// Makes a clip the shown one and leaves the player as it is. Returns a notice if the clip moves nothing
    /// or can't take the chosen form.
    pub(crate) fn show_clip(&mut self, clip: Option<usize>) -> Option<Notice> {
        let document = self.document.as_ref()?;
        let data = clip.and_then(|c| document.clip(c));
        self.shown.key_times = data.map(key_times).unwrap_or_default();
        if self.rate.follows_clip {
            let clips_from =
                document.borrowed.as_ref().map_or(&document.model, |clips| &clips.model);
            let fps = clips_from.source.frame_rate.or_else(|| frame_rate(&self.shown.key_times));
            self.rate.fps = fps.unwrap_or(FrameRate::USUAL_FPS);
        }
        let still = data.is_some_and(Clip::is_empty).then(|| {
            let name = clip.and_then(|c| document.clip_name(c)).unwrap_or_default();
            Notice::warning(format!("the clip \"{name}\" moves nothing; this is the rest pose"))
        });
        self.shown.index = clip;
        self.mix.note_switch();
        self.find_extent();
        let refused = self.reform();
        self.pose();
        refused.or(still)
    }

    /// Finds the outermost points over the shown clip, and the root that is held where it plays in place. Leaves the stage in
    /// another pose.
    pub(crate) fn find_extent(&mut self) {
        self.root.at_start = self.root_of(self.shown.index);
        self.frame_motion(self.shown.index);
    }

    /// Frames the motion of a clip, whether or not it is the shown one.
    pub(crate) fn frame_clip(&mut self, clip: Option<usize>) {
        self.frame_motion(clip);
        self.pose();
    }

    /// Finds the outermost points over a clip, as it plays. Leaves the stage in another pose.
    fn frame_motion(&mut self, clip: Option<usize>) {
        let root = self.root_of(clip).filter(|_| self.root.is_held);
        let (Some(document), Some(stage)) = (&self.document, &mut self.stage) else { return };
        self.framed = Framed::new(document, stage, clip, root);
    }

    /// Returns the root of a clip and its place at the clip's start.
    fn root_of(&self, clip: Option<usize>) -> Option<HeldRoot> {
        let (document, stage) = self.document.as_ref().zip(self.stage.as_ref())?;
        let clip = document.clip(clip?)?;
        let node = stage.root_of(&document.model, clip)?;
        let mut stage = stage.clone();
        stage.pose(&document.model, Some(clip), 0.0);
        Some(HeldRoot { node, place: stage.position(node).as_dvec3() + stage.origin })
    }

    /// Plays clips in place, or not, and frames the motion again.
    pub(crate) fn toggle_in_place(&mut self) {
        self.root.is_held = !self.root.is_held;
        self.frame_clip(self.framed.clip);
    }

    /// Sets the frames per second. A clip in a sampled form is sampled again.
    pub(crate) fn set_fps(&mut self, fps: f64) -> Option<Notice> {
        if !fps.is_finite() || fps <= 0.0 {
            return None;
        }
        let before = self.rate.fps;
        // A rate that was chosen stays.
        self.rate = FrameRate { fps, follows_clip: false };
        if fps == before {
            return None;
        }
        self.set_form(self.form)
    }

    pub(crate) fn set_form(&mut self, form: ClipForm) -> Option<Notice> {
        self.form = form;
        let refused = self.reform();
        self.pose();
        refused
    }

    /// Converts the shown clip to the chosen form. A clip that can't be converted plays as the file has it; the
    /// reason is returned.
    pub(crate) fn reform(&mut self) -> Option<Notice> {
        self.shown.reformed = None;
        let (document, clip) = self.document.as_ref().zip(self.clip())?;
        if self.form == ClipForm::Source {
            return None;
        }
        let options = FormOptions { fps: self.rate.fps, ..FormOptions::default() };
        match clip_in_form(&document.model, clip, self.form, options) {
            Ok(clip) => {
                self.shown.reformed = Some(clip);
                None
            }
            Err(error) => {
                let form = std::mem::replace(&mut self.form, ClipForm::Source);
                Some(Notice::warning(format!("the clip can't be {}: {error}", form.name())))
            }
        }
    }
}

fn key_times(clip: &Clip) -> Vec<f32> {
    let mut times: Vec<f32> = clip.key_times().collect();
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    times
}
