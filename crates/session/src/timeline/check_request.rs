//! Requests to check clips, and the findings about them.

use std::sync::Arc;

use crate::playback::document::ClipsId;
use crate::{Document, Item};
use rigview_anim::Clip;
use rigview_check::{Contract, Finding, Level, findings};
use rigview_model::Model;

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
    pub(crate) fn of(document: &Document) -> Self {
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
