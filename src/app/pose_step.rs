//! The answer of a dialog for a pose, and the step of a script that poses.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

/// What the file of a dialog is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PoseUse {
    Save,
    Load,
}

/// The answer of a dialog for a pose.
#[derive(Debug)]
pub(super) struct PoseAnswer {
    pub wanted: PoseUse,
    pub chosen: Option<PathBuf>,
    /// Whether no dialog could be shown.
    pub no_dialog: bool,
}

/// A step of a script that sets values of a node by hand.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PoseStep {
    /// The node's name or index.
    pub node: String,
    pub translation: Option<[f32; 3]>,
    pub rotation: Option<[f32; 4]>,
    pub scale: Option<[f32; 3]>,
    /// Weights by name or index of the morph target.
    #[serde(default)]
    pub weights: BTreeMap<String, f32>,
}
