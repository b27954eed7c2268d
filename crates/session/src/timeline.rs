//! The time line: the part of the clip in sight, the unit of times, and the findings of `check`.

use std::sync::Arc;

use crate::playback::Playback;
use crate::playback::clips::KeptPlayback;
use crate::playback::document::ClipsId;
use crate::{Document, Effect, Item};
use rigview_anim::Clip;
use rigview_check::{Contract, Finding, Level, findings};
use rigview_model::Model;

/// The shortest part of a clip that the time line shows, in seconds, and as a share of the clip.
const LEAST_SECS: f64 = 1e-3;
const LEAST_SHARE: f64 = 1e-5;

rigview_anim::named_enum! {
    /// The unit of the time line's numbers.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum TimeUnit {
        /// Seconds.
        #[default]
        Seconds = "seconds",
        /// Frames from 0, at the playback's frames per second.
        Frames = "frames",
    }
}

/// A change of the time line.
#[derive(Clone, Debug, PartialEq)]
pub enum TimelineAction {
    /// Shows this part of the clip, from and to in seconds. It is moved into the clip.
    Show([f64; 2]),
    /// Shows the whole clip.
    ShowAll,
    /// Sets the unit of times.
    SetUnit(TimeUnit),
    /// Checks the clips that can be played on another thread.
    Check,
    /// The check has ended, or why it can't be done.
    Checked(CheckRequest, Result<Vec<ClipFinding>, String>),
}

/// The part of the clip in sight, the unit of times, and the findings of the file's clips.
#[derive(Debug, Default)]
pub struct Timeline {
    /// The clip that was zoomed into, and the part of it that is shown.
    zoomed: Option<((ClipsId, usize), [f64; 2])>,
    unit: TimeUnit,
    checking: Option<ClipsId>,
    checked: Option<(ClipsId, Vec<ClipFinding>)>,
}

impl Timeline {
    /// Returns the part of the shown clip that is in sight: from and to in seconds, never empty. The whole clip at
    /// first; one second for a clip without a duration.
    pub fn view_secs(&self, playback: &Playback) -> [f64; 2] {
        let zoomed = self.zoomed.filter(|(of, _)| Some(*of) == shown_clip(playback));
        zoomed.map_or_else(|| whole(playback), |(_, view)| view)
    }

    /// Whether less than the whole clip is in sight.
    pub fn is_zoomed(&self, playback: &Playback) -> bool {
        self.view_secs(playback) != whole(playback)
    }

    /// The unit of times.
    pub fn unit(&self) -> TimeUnit {
        self.unit
    }

    /// Whether the document's clips are being checked.
    pub fn is_checking(&self, document: &Document) -> bool {
        self.checking == Some(document.clips_id().of_each())
    }

    /// The findings about the document's rig, then about its clips, by clip and time; `None` before it was checked.
    pub fn findings(&self, document: &Document) -> Option<&[ClipFinding]> {
        let (of, found) = self.checked.as_ref()?;
        (*of == document.clips_id().of_each()).then_some(&found[..])
    }

    /// The findings about one clip of the document.
    pub fn findings_of(&self, document: &Document, clip: usize) -> &[ClipFinding] {
        let all = self.findings(document).unwrap_or_default();
        let from = all.partition_point(|finding| finding.clip < Some(clip));
        let to = all.partition_point(|finding| finding.clip <= Some(clip));
        &all[from..to]
    }

    /// Changes the time line. Returns the request to check clips, if that was asked for and none runs.
    pub(super) fn apply(&mut self, action: TimelineAction, playback: &Playback) -> Vec<Effect> {
        match action {
            TimelineAction::Show(view) => self.show(view, playback),
            TimelineAction::ShowAll => self.zoomed = None,
            TimelineAction::SetUnit(unit) => self.unit = unit,
            TimelineAction::Check => {
                let document = playback.document();
                let request = document.filter(|d| !self.is_checking(d)).map(CheckRequest::new);
                self.checking = request.as_ref().map_or(self.checking, |r| Some(r.clips()));
                return request.into_iter().map(Effect::Check).collect();
            }
            TimelineAction::Checked(request, found) => {
                // The answer to a request about clips that were replaced meanwhile is dropped.
                if self.checking == Some(request.clips()) {
                    self.checking = None;
                    self.checked = found.ok().map(|found| (request.clips(), found));
                }
            }
        }
        Vec::new()
    }

    /// Keeps the part in sight if the clip that was shown before its file was read again is shown.
    pub(super) fn carry_over(&mut self, before: &KeptPlayback, playback: &Playback) {
        if let Some((of, view)) = self.zoomed
            && before.shown == Some(of)
            && before.name == playback.clip_name()
        {
            self.show(view, playback);
        }
    }

    /// Whether any clips are being checked.
    pub(super) fn is_busy(&self) -> bool {
        self.checking.is_some()
    }

    fn show(&mut self, [from, to]: [f64; 2], playback: &Playback) {
        let (Some(of), true) = (shown_clip(playback), from.is_finite() && to.is_finite()) else {
            return;
        };
        let [_, end] = whole(playback);
        let least = LEAST_SECS.max(LEAST_SHARE * end).min(end);
        let length = (to - from).clamp(least, end);
        let from = from.clamp(0.0, end - length);
        let view = [from, from + length];
        self.zoomed = (length < end).then_some((of, view));
    }
}

/// Identifies the shown clip.
fn shown_clip(playback: &Playback) -> Option<(ClipsId, usize)> {
    Some((playback.document()?.clips_id(), playback.clip_index()?))
}

/// From and to of the whole clip in seconds.
fn whole(playback: &Playback) -> [f64; 2] {
    let duration = playback.duration_secs();
    [0.0, if duration > 0.0 { duration } else { 1.0 }]
}

/// A finding of `check`.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipFinding {
    /// Index of the clip among those that can be played, if it is about one.
    pub clip: Option<usize>,
    /// The part of the file that it is about, unless that is a clip.
    pub item: Option<Item>,
    /// The node that it names.
    pub node: Option<usize>,
    /// The time in the clip in seconds.
    pub time_secs: Option<f64>,
    /// How much it matters.
    pub level: Level,
    /// The code, as `check` prints it.
    pub code: String,
    /// One line for people, which may contain any characters of the file.
    pub message: String,
}

/// A request to check clips on another thread; the answer is [`TimelineAction::Checked`](crate::TimelineAction::Checked).
#[derive(Clone, Debug)]
pub struct CheckRequest {
    clips: ClipsId,
    model: Arc<Model>,
    /// The clips of another file, in place of the model's own.
    borrowed: Option<Vec<Clip>>,
}

impl PartialEq for CheckRequest {
    fn eq(&self, other: &Self) -> bool {
        self.clips == other.clips
    }
}

impl CheckRequest {
    /// Returns a request to check the clips of a document that can be played.
    pub(crate) fn new(document: &Document) -> Self {
        Self {
            clips: document.clips_id().of_each(),
            model: Arc::clone(&document.model),
            borrowed: document.borrowed.as_ref().map(|borrowed| borrowed.clips.clips.clone()),
        }
    }

    /// Identifies the clips.
    pub(crate) fn clips(&self) -> ClipsId {
        self.clips
    }

    /// Checks rig and clips by all rules that need no contract. Returns the findings about the rig, then those about
    /// clips, by clip and time; those without a time come first.
    pub fn run(&self) -> Vec<ClipFinding> {
        let contract = Contract::default();
        let found = match &self.borrowed {
            None => findings(&*self.model, &contract),
            Some(clips) => {
                findings(&Model { clips: clips.clone(), ..(*self.model).clone() }, &contract)
            }
        };
        let mut found: Vec<ClipFinding> = found.iter().map(|finding| self.told(finding)).collect();
        let secs = |finding: &ClipFinding| finding.time_secs.unwrap_or(-1.0);
        found.sort_by(|a, b| a.clip.cmp(&b.clip).then(secs(a).total_cmp(&secs(b))));
        found
    }

    fn told(&self, finding: &Finding) -> ClipFinding {
        let named = |name: &String| {
            self.model.nodes.iter().position(|node| node.name.as_ref() == Some(name))
        };
        let clip = clip_of(finding);
        let item = finding.pointer.as_deref().and_then(Item::at);
        ClipFinding {
            clip,
            item: item.filter(|item| clip.is_none() && item.is_in(&self.model)),
            node: finding.object.as_ref().and_then(named),
            time_secs: finding.time,
            level: finding.level,
            code: finding.code.clone().into_owned(),
            message: finding.message.clone(),
        }
    }
}

/// Returns the clip that a finding's pointer leads into.
fn clip_of(finding: &Finding) -> Option<usize> {
    let rest = finding.pointer.as_deref()?.strip_prefix("/animations/")?;
    rest.split('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlaybackAction;
    use crate::Session;
    use crate::sample::session;

    fn shown(session: &mut Session, view: [f64; 2]) -> [f64; 2] {
        assert!(session.apply(TimelineAction::Show(view)).is_empty());
        session.timeline().view_secs(session.playback())
    }

    #[test]
    fn the_view_stays_in_the_clip_and_another_clip_is_shown_whole() {
        let mut session = session();
        assert_eq!(session.timeline().view_secs(session.playback()), [0.0, 2.0]);
        assert_eq!(shown(&mut session, [0.5, 1.0]), [0.5, 1.0]);
        assert!(session.timeline().is_zoomed(session.playback()));
        assert_eq!(shown(&mut session, [-0.5, 0.5]), [0.0, 1.0]);
        assert_eq!(shown(&mut session, [1.5, 2.5]), [1.0, 2.0]);
        assert_eq!(shown(&mut session, [1.0, 1.0]), [1.0, 1.001]);
        assert_eq!(shown(&mut session, [f64::NAN, 1.0]), [1.0, 1.001]);
        assert_eq!(shown(&mut session, [-9.0, 9.0]), [0.0, 2.0]);
        shown(&mut session, [0.5, 1.0]);
        session.apply(PlaybackAction::SelectClip(Some(1)));
        assert_eq!(session.timeline().view_secs(session.playback()), [0.0, 1.0]);
        session.apply(PlaybackAction::SelectClip(Some(2)));
        assert_eq!(session.timeline().view_secs(session.playback()), [0.0, 1.0], "no duration");
    }

    #[test]
    fn findings_stay_when_other_clips_are_chosen_to_play_at_once() {
        let mut session = session();
        let effects = session.apply(TimelineAction::Check);
        let [Effect::Check(request)] = &effects[..] else { panic!("{effects:?}") };
        let before = session.playback().document().unwrap().clips_id();
        session.apply(PlaybackAction::SetTogether(vec![0, 1]));
        assert!(session.timeline().is_checking(session.playback().document().unwrap()));
        session.apply(TimelineAction::Checked(request.clone(), Ok(request.run())));
        session.apply(PlaybackAction::SetTogether(vec![0, 2]));
        let document = session.playback().document().unwrap();
        assert!(session.timeline().findings(document).is_some());
        assert_ne!(document.clips_id(), before, "the clip of all of them is another one");
    }

    #[test]
    fn a_check_is_asked_for_once_and_its_answer_belongs_to_the_clips() {
        let mut session = session();
        let effects = session.apply(TimelineAction::Check);
        let [Effect::Check(request)] = &effects[..] else { panic!("{effects:?}") };
        assert!(session.apply(TimelineAction::Check).is_empty(), "it runs");
        let found = request.run();
        // The third clip has no name, which a rule reports.
        assert!(found.iter().any(|f| f.clip == Some(2) && f.code == "NAME_MISSING"), "{found:?}");
        session.apply(TimelineAction::Checked(request.clone(), Ok(found.clone())));
        let document = session.playback().document().unwrap();
        assert!(!session.timeline().is_checking(document));
        assert_eq!(session.timeline().findings(document), Some(&found[..]));
        let of_third = session.timeline().findings_of(document, 2);
        assert!(!of_third.is_empty() && of_third.iter().all(|finding| finding.clip == Some(2)));
    }
}
