//! What remedies are asked for, what they look at, and what they say that they changed.

use std::collections::BTreeSet;

use super::remedy::{Remedy, Taken};
use rigview_check::{Contract, Finding};
use rigview_model::Model;
use rigview_rig::BoneNames;

/// What to mend.
#[derive(Clone, Debug)]
pub struct FixOptions {
    /// The remedies to take.
    pub remedies: BTreeSet<Remedy>,
    /// How far a bounded remedy may move the skin, in metres.
    pub bound: f64,
    /// The convention by which joints are renamed, if they are.
    pub names: Option<&'static BoneNames>,
    /// What the findings were judged by: which clips loop or travel.
    pub contract: Contract,
}

/// The largest distance by default: 0.1 mm.
pub const BOUND: f64 = 1e-4;

impl Default for FixOptions {
    fn default() -> Self {
        let by_default = |remedy: &&Remedy| remedy.taken() == Taken::ByDefault;
        let remedies = Remedy::ALL.iter().filter(by_default).copied().collect();
        Self { remedies, bound: BOUND, names: None, contract: Contract::default() }
    }
}

/// Where a remedy changed something. The caller knows the code and the distance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    pub pointer: String,
    pub object: Option<String>,
    pub clip: Option<String>,
    pub count: usize,
}

/// The changes of a remedy, and what it left with the reason.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    pub made: Vec<Change>,
    pub left: Vec<(Change, String)>,
}

impl Changes {
    pub fn leave(&mut self, change: Change, reason: impl Into<String>) {
        self.left.push((change, reason.into()));
    }
}

/// What remedies look at besides the document.
pub struct Context<'a> {
    /// The present document as it is read.
    pub model: &'a Model,
    /// The findings that the remedy mends.
    pub findings: &'a [&'a Finding],
    pub options: &'a FixOptions,
    /// What earlier bounded remedies have left of the bound, in metres.
    pub open_bound: f64,
}

/// Returns a change at the place of a finding.
pub fn change_at(finding: &Finding) -> Change {
    Change {
        pointer: finding.pointer.clone().unwrap_or_default(),
        object: finding.object.clone(),
        clip: finding.clip.clone(),
        count: 0,
    }
}

/// Returns the index of the clip that a finding is about.
pub fn clip_of(finding: &Finding) -> Option<usize> {
    clip_at(finding.pointer.as_deref()?)
}

/// Returns the index of the clip that a JSON pointer names, or that is around its place.
pub fn clip_at(pointer: &str) -> Option<usize> {
    pointer.strip_prefix("/animations/")?.split('/').next()?.parse().ok()
}
