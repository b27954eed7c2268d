//! Changes of what plays, and the clips of another file on the shown model.

use crate::notice::Notice;
use crate::playback::clips::{KeptLayer, KeptPlayback, add_several, first_clip};
use crate::playback::document::{Borrowed, Retargeting};
use crate::posing::history::Edit;
use crate::{
    CameraAction, Document, FileSource, LoadRequest, PlaybackAction, Session, SessionOptions,
};
use rigview_import::map_text;
use rigview_model::Model;
use rigview_rig::RetargetOptions;

impl Session {
    /// Changes the playback. The camera follows if another clip, scene or posture is shown, or the root is held or let go.
    pub(super) fn change_playback(&mut self, action: PlaybackAction) {
        if matches!(action, PlaybackAction::ToggleStoodUp | PlaybackAction::SelectScene(_)) {
            return self.change_scene(action);
        }
        let motion =
            |session: &Self| (session.playback.clip_index(), session.playback.plays_in_place());
        let before = motion(self);
        let expressions = self.playback.expressions.clone();
        if matches!(action, PlaybackAction::OwnClips) {
            // Those of another file are not wanted any more: while they are read, and after a reload.
            self.loads.give_up_clips();
            self.resuming.clips = None;
        }
        let notice = self.playback.apply(action);
        let after = &self.playback.expressions;
        if expressions != *after {
            let step = Edit::Express { before: expressions, after: after.clone() };
            self.chosen.history.add(step);
        }
        self.notices.replace(notice);
        if motion(self) != before {
            self.refit();
        }
    }

    /// Reports that the clip that was shown before is missing, once all clips have been read.
    pub(super) fn report_lost_clip(&mut self, before: &KeptPlayback) {
        self.notices.add(self.playback.lost_clip(before));
    }

    /// Plays layers again, once the clips that they belong to have been read.
    pub(super) fn resume_layers(&mut self, layers: &[KeptLayer]) {
        if let Some(missing) = self.playback.resume_layers(layers) {
            self.notices.add(missing);
        }
    }

    /// Shows another scene of the file, or turns it.
    fn change_scene(&mut self, action: PlaybackAction) {
        let turns = action == PlaybackAction::ToggleStoodUp;
        let scene =
            |session: &Self| session.playback.stage().map(|stage| (stage.scene, stage.stood_up()));
        let before = scene(self);
        let notice = self.playback.apply(action);
        self.notices.replace(notice);
        if scene(self) == before {
            return;
        }
        self.hide_nodes();
        self.refit();
        let cameras = self.playback.cameras();
        if !turns {
            if self.camera.file_camera().is_some_and(|camera| cameras.contains(&camera)) {
                return;
            }
            self.change_camera(CameraAction::SelectCamera(None));
        }
        self.change_camera(CameraAction::FrameAll);
    }
}

/// What a person can do with a file that has no clips, when clips are to be taken from it.
const NO_CLIPS_REMEDY: &str =
    "open the file itself to see its model, or take clips from a file that has some";

impl Session {
    /// Plays the clips of another file on the shown model, if they move any of it.
    pub(super) fn take_clips(&mut self, request: LoadRequest, other: Model) {
        let Some(document) = self.playback.document() else { return };
        if other.clips.is_empty() {
            let why = format!("the file has no clips; {NO_CLIPS_REMEDY}");
            return self.clips_failed(request, why);
        }
        let retargeting = self.retargeting_of(&request.source);
        let (rig, springs) = (&document.model, self.options.springs);
        let borrowed = match Borrowed::new(rig, &request, other, retargeting, springs) {
            Ok(borrowed) => borrowed,
            Err(error) => return self.clips_failed(request, error.to_string()),
        };
        self.loads.note_success(&request);
        self.loads.clips_from = None;
        // An earlier version of these clips has played on meanwhile.
        let goes_on = document.borrowed.as_ref().is_some_and(|b| b.source == request.source);
        let standing = goes_on.then(|| self.playback.standing());
        let source = request.source;
        let notice = self.borrow(borrowed);
        match self.loads.awaiting.take().map(|before| standing.unwrap_or(before)) {
            Some(before) => {
                let notice = self.resume_clip(&before);
                self.notices.replace(notice);
                self.report_lost_clip(&before);
                self.resume_layers(&before.layers);
            }
            None => {
                self.playback.player.rewind(0.0);
                self.start_clips();
            }
        }
        self.resume_clips(&source);
        self.notices.add(notice);
    }

    /// Plays on what played before a file was read again or its clips were converted again, except for layers. Returns a
    /// notice, if any.
    pub(super) fn resume_clip(&mut self, before: &KeptPlayback) -> Option<Notice> {
        let notice = self.playback.resume(before);
        self.timeline.carry_over(before, &self.playback);
        self.refit();
        notice
    }

    /// Plays the clips of another file on a model that was read again, so that they last if their own file can't be
    /// read now. A rig that they do not fit any more plays its own clips.
    pub(super) fn borrow_again(&self, document: &mut Document, borrowed: Option<Borrowed>) {
        let Some(borrowed) = borrowed else { return };
        let (retargeting, springs) = (borrowed.retargeting.clone(), self.options.springs);
        if let Ok(borrowed) = borrowed.converted(&document.model, retargeting, springs) {
            document.borrow_clips(self.with_several(borrowed));
        }
    }

    /// Appends the clip that plays several clips at once, if the options ask for one from this file.
    fn with_several(&self, mut borrowed: Borrowed) -> Borrowed {
        if self.options.clips_from.as_ref() == Some(&borrowed.source) {
            add_several(&mut borrowed.clips.clips, &self.options.clip);
        }
        borrowed
    }

    /// Reports that the clips of a file can't be taken. Those that play go on.
    pub(super) fn clips_failed(&mut self, request: LoadRequest, message: String) {
        if self.playback.document().is_some_and(|document| document.borrowed.is_some()) {
            self.loads.awaiting = None;
        }
        self.loads.note_failure(request, message);
    }

    /// Returns how clips of a file are converted: as they were before, or as the options say.
    fn retargeting_of(&self, source: &FileSource) -> Retargeting {
        let before = self.loads.retargeting.as_ref().filter(|(of, _)| of == source);
        let asked = || self.options.clips_from.as_ref().filter(|of| *of == source);
        let asked = || asked().map(|_| &self.options.retargeting);
        before.map(|(_, retargeting)| retargeting).or_else(asked).cloned().unwrap_or_default()
    }

    /// Returns the joints that follow joints of the clips' file, as a table in TOML. `None` without such clips.
    pub fn map_text(&self) -> Option<String> {
        let document = self.playback.document()?;
        document.borrowed.as_ref().map(|borrowed| map_text(&borrowed.table(&document.model)))
    }

    /// Replaces the clips by those of another file. Returns what to say about it.
    fn borrow(&mut self, borrowed: Borrowed) -> Notice {
        let borrowed = self.with_several(borrowed);
        let source = borrowed.source.clone();
        let mut text = format!("Clips of {}: {}", source.name(), borrowed.clips.summary());
        let bent = borrowed.clips.bent_limbs();
        let is_complete = borrowed.clips.is_complete() && bent.is_none();
        if let Some(bent) = bent {
            let remedy =
                "\"Align rest poses\" in \"Joints of the clips\" turns its rest pose first";
            text += &format!("; {bent}; {remedy}");
        }
        self.loads.retargeting = Some((source, borrowed.retargeting.clone()));
        self.playback.borrow_clips(borrowed);
        if is_complete { Notice::done(text) } else { Notice::warning(text) }
    }

    /// Converts the clips of the other file again, in another way. What plays continues.
    pub(super) fn retarget(&mut self, options: RetargetOptions) {
        let Some(document) = self.playback.document() else { return };
        let Some(borrowed) = &document.borrowed else { return };
        let file = borrowed.retargeting.file.clone();
        let file = file.filter(|_| borrowed.retargeting.options.map == options.map);
        let retargeting = Retargeting { options, file };
        let springs = self.options.springs;
        let converted = borrowed.converted(&document.model, retargeting, springs);
        match converted {
            Ok(converted) => {
                let before = self.playback.standing();
                let notice = self.borrow(converted);
                self.resume_clip(&before);
                self.notices.replace(Some(notice));
                self.report_lost_clip(&before);
                self.resume_layers(&before.layers);
            }
            Err(error) => self.notices.replace(Some(Notice::warning(error.to_string()))),
        }
    }

    /// Shows the clip that a file begins with, at the time at which it begins.
    pub(super) fn start_clips(&mut self) {
        let Some(document) = self.playback.document() else { return };
        let default = SessionOptions::default();
        // The options apply to the first file and its clips, or to the clips requested with it.
        let clips_of = document.borrowed.as_ref().map(|borrowed| &borrowed.source);
        let requested = clips_of.is_none() || clips_of == self.options.clips_from.as_ref();
        let first = self.loads.is_first(&document.source);
        let options = if requested && first { &self.options } else { &default };
        let (clip, unknown) = first_clip(document, &options.clip);
        // The clip may belong to the other file, which is still being read.
        let awaited = options.clips_from.is_some() && document.borrowed.is_none();
        let unknown = unknown.filter(|_| !awaited);
        let notice = self.playback.start(clip, options.time_secs);
        if !options.pose.is_empty() {
            self.playback.frame_posed(&options.posed_clip);
        }
        self.refit();
        self.notices.replace(unknown.or(notice));
    }
}
