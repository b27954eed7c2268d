//! Which clips there are and which is shown: a file's own or another's, at first and after a reload.

use super::document::{ALL_CLIPS, Document, unnamed};
use super::framing::scene_hull;
use super::notice::Notice;
use super::playback::key_times;
use super::{
    ClipChoice, FileSource, PosedClip, SessionOptions, Viewer, named_or_numbered, several_at_once,
};
use crate::anim::{Clip, Player};
use crate::model::{Model, borrowed_clips};

/// What was played when a file was read again.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    pub clip: Option<usize>,
    pub name: Option<String>,
    pub player: Player,
}

impl Viewer {
    /// Plays the clips of another file on what is shown, if they move any of it.
    pub(super) fn take_clips(&mut self, source: FileSource, other: &Model) {
        let Some(document) = &mut self.document else { return };
        if other.clips.is_empty() {
            return self.fail(source, "there is no clip in it".into());
        }
        let borrowed = match borrowed_clips(&document.model, other) {
            Ok(mut borrowed) => {
                if self.options.clips_from.as_ref() == Some(&source) {
                    add_several(&mut borrowed.clips, &self.options.clip);
                }
                borrowed
            }
            Err(nothing) => return self.fail(source, nothing.to_string()),
        };
        let summary = format!("Clips of {}: {}", source.name(), borrowed.summary());
        let whole = borrowed.is_complete();
        document.borrow_clips(source, borrowed);
        self.mix.clear();
        match self.awaiting.take() {
            Some(before) => self.resume(&before),
            None => {
                self.player.rewind();
                self.start_clips();
            }
        }
        self.say(if whole { Notice::done(summary) } else { Notice::warning(summary) });
    }

    /// Goes on with what was played before a file was read again.
    pub(super) fn resume(&mut self, before: &Standing) {
        self.show_clip(self.same_clip(before.clip, before.name.as_deref()));
        self.player = before.player;
        self.seek(before.player.time_secs());
        self.player.playing = before.player.playing;
    }

    /// The clip of a file that was read again that stands for one of before: of the same name,
    /// the same index where several share it or none does.
    fn same_clip(&self, index: Option<usize>, name: Option<&str>) -> Option<usize> {
        let names = &self.document.as_ref()?.clip_names;
        let (index, name) = (index?, name?);
        let same = |n: &String| n == name;
        if names.get(index).is_some_and(same) {
            return Some(index);
        }
        let all = self.document.as_ref()?.all_clips_index();
        let found = names.iter().position(same).or((index < names.len()).then_some(index));
        found.or((name == ALL_CLIPS && all > 0).then_some(all))
    }

    /// Shows the clip that a file begins with, at the time where it begins.
    pub(super) fn start_clips(&mut self) {
        let Some(document) = &self.document else { return };
        let default = SessionOptions::default();
        // What was asked for is about the first file and its clips, or those asked for with it.
        let whose = document.borrowed.as_ref().map(|(source, _)| source);
        let asked = whose.is_none() || whose == self.options.clips_from.as_ref();
        let options = if asked && self.is_first(document) { &self.options } else { &default };
        // The clips that were asked for by name may be still to come.
        let awaited = options.clips_from.is_some() && document.borrowed.is_none();
        let names = document.clips().iter().map(|c| c.name());
        let some_clip = (!document.clips().is_empty()).then_some(0);
        let mut notice = None;
        let clip = match &options.clip {
            ClipChoice::First => some_clip,
            ClipChoice::Rest => None,
            ClipChoice::All => some_clip.map(|_| document.all_clips_index()),
            ClipChoice::Named(wanted) => {
                let found = named_or_numbered(names, wanted);
                if found.is_none() && !awaited {
                    let list = document.clip_names.join(", ");
                    let list = if list.is_empty() { "none".to_owned() } else { list };
                    let text = format!("no clip \"{wanted}\" in this file; it has: {list}");
                    notice = Some(Notice::warning(text));
                }
                found.or(some_clip)
            }
            ClipChoice::Several(indices) => {
                // It was added last.
                let last = names.len().checked_sub(1);
                let found = last.filter(|last| indices.iter().all(|i| i < last));
                if found.is_none() && !awaited {
                    let count = document.clips().len();
                    let text = format!("--animation-indices: the file has only {count} clips");
                    notice = Some(Notice::warning(text));
                }
                found.or(some_clip)
            }
        };
        let posed = match options.pose.is_empty() {
            true => None,
            false => Some(options.posed_clip.clone()),
        };
        let time_secs = options.time_secs;
        self.show_clip(clip);
        if let Some(PosedClip { index, name }) = posed {
            let all =
                (name.as_deref() == Some(ALL_CLIPS)).then(|| self.all_clips_index()).flatten();
            let name = name.or(index.map(unnamed));
            self.frame_clip(self.same_clip(index.or(all), name.as_deref()));
        }
        if let Some(time_secs) = time_secs {
            self.seek(time_secs);
        }
        self.notice = notice.or(self.notice.take());
    }

    pub(super) fn clip_name(&self) -> Option<String> {
        Some(self.document.as_ref()?.clip_name(self.clip?)?.to_owned())
    }

    /// Frames all motion of a clip, whatever is shown.
    fn frame_clip(&mut self, clip: Option<usize>) {
        let (Some(document), Some(stage)) = (&self.document, &mut self.stage) else { return };
        let clip = clip.and_then(|clip| document.clip(clip));
        self.sight.set_hull(scene_hull(&document.model, stage, clip));
        self.pose();
    }

    fn all_clips_index(&self) -> Option<usize> {
        self.document.as_ref().map(Document::all_clips_index)
    }

    /// Makes a clip the shown one; the player is the caller's matter.
    pub(super) fn show_clip(&mut self, clip: Option<usize>) {
        let (Some(document), Some(stage)) = (&self.document, &mut self.stage) else { return };
        let data = clip.and_then(|c| document.clip(c));
        self.sight.set_hull(scene_hull(&document.model, stage, data));
        self.key_times = data.map(key_times).unwrap_or_default();
        if data.is_some_and(Clip::is_empty) {
            let name = clip.and_then(|c| document.clip_name(c)).unwrap_or_default();
            let text = format!("\"{name}\" moves nothing: this is the rest pose");
            self.notice = Some(Notice::warning(text));
        }
        self.clip = clip;
        self.mix.note_switch();
        self.reform();
        self.pose();
    }
}

/// Adds a clip that plays several at once behind the others, if that is asked for and all exist.
pub(super) fn add_several(clips: &mut Vec<Clip>, choice: &ClipChoice) {
    if let ClipChoice::Several(indices) = choice {
        clips.extend(several_at_once(clips, indices));
    }
}
