//! A file that is checked, and findings: what is wrong, where, when and by how much.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Code, Level};
use rigview_anim::Channel;
use rigview_model::{Loaded, Model, Slot, Warning, short_name};

/// One result of the check. The keys of its JSON are fixed; `null` where a key says nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The file as the caller names it.
    pub file: String,
    /// The printed form of a [`Code`], or of a code of the import.
    pub code: Cow<'static, str>,
    /// The level, after the contract's `allow` and `deny`.
    pub level: Level,
    /// JSON pointer of the place in the file.
    pub pointer: Option<String>,
    /// Name of the joint, channel target, foot, mesh or limit; its first hundred characters, if it is longer.
    pub object: Option<String>,
    /// Name of the clip.
    pub clip: Option<String>,
    /// Time in the clip in seconds.
    pub time: Option<f64>,
    /// The measured number.
    pub value: Option<f64>,
    /// The number that it must not exceed.
    pub limit: Option<f64>,
    /// The unit of both.
    pub unit: Option<Cow<'static, str>>,
    /// One line for people. It may contain names of the file, with any characters.
    pub message: String,
    /// The property whose keys are meant, if it is one. Not part of the JSON.
    #[serde(skip)]
    pub target: Option<ChannelTarget>,
}

/// What an animation channel drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelTarget {
    /// A property of a node.
    Node {
        /// Index of the node.
        node: usize,
        /// The property, as glTF names it.
        path: &'static str,
        /// The first of the morph weights that are driven; 0 for other properties.
        first: usize,
    },
    /// A property that a JSON pointer names.
    Property(Slot),
}

impl ChannelTarget {
    /// Returns what a channel of a node drives.
    pub fn of(channel: &Channel) -> Self {
        let first = channel.values().start;
        Self::Node { node: channel.node(), path: channel.path(), first }
    }
}

impl Finding {
    /// Returns a finding of a rule with its usual level and nothing but a message.
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self::bare(code.as_str(), code.level(), message.into())
    }

    /// Returns a warning of the import as a finding in a file of a format.
    pub fn of_import(warning: &Warning, format: &str) -> Self {
        let level = Level::of_import(warning.code, format);
        let pointer = (!warning.pointer.is_empty()).then(|| warning.pointer.clone());
        Self { pointer, ..Self::bare(warning.code.as_str(), level, warning.message.clone()) }
    }

    /// Returns a finding that nothing was measured for: a place where a repair is asked for by hand.
    pub fn on_request(code: &'static str, pointer: String) -> Self {
        Self::bare(code, Level::Note, String::new()).at(pointer)
    }

    fn bare(code: &'static str, level: Level, message: String) -> Self {
        Self {
            file: String::new(),
            code: Cow::Borrowed(code),
            level,
            pointer: None,
            object: None,
            clip: None,
            time: None,
            value: None,
            limit: None,
            unit: None,
            message,
            target: None,
        }
    }

    pub(super) fn at(self, pointer: impl Into<String>) -> Self {
        Self { pointer: Some(pointer.into()), ..self }
    }

    pub(super) fn of(self, object: Option<impl AsRef<str>>) -> Self {
        Self { object: object.map(|name| short_name(name.as_ref()).into_owned()), ..self }
    }

    pub(super) fn in_clip(self, clip: Option<impl AsRef<str>>) -> Self {
        Self { clip: clip.map(|name| short_name(name.as_ref()).into_owned()), ..self }
    }

    pub(super) fn when(self, secs: f64) -> Self {
        Self { time: Some(secs), ..self }
    }

    pub(super) fn measured(self, value: f64, unit: &'static str) -> Self {
        Self { value: Some(value), unit: Some(Cow::Borrowed(unit)), ..self }
    }

    pub(super) fn limited(self, limit: f64) -> Self {
        Self { limit: Some(limit), ..self }
    }

    pub(super) fn about(self, target: ChannelTarget) -> Self {
        Self { target: Some(target), ..self }
    }

    pub(super) fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    /// Returns what makes a finding another one than those before: its code, place and words.
    pub(super) fn identity(&self) -> (Cow<'static, str>, Option<String>, String) {
        (self.code.clone(), self.pointer.clone(), self.message.clone())
    }

    /// Returns the key that findings of a file are sorted by: their pointers, with numbers compared as
    /// numbers. Findings of the whole file come first.
    pub(super) fn place(&self) -> Vec<Step<'_>> {
        let steps = self.pointer.as_deref().unwrap_or_default().split('/').skip(1);
        steps.map(|step| step.parse().map_or(Step::Name(step), Step::Index)).collect()
    }
}

/// One step of a JSON pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step<'a> {
    Index(u64),
    Name(&'a str),
}

/// A file that is checked: its model, and what the import and the file system say of it.
#[derive(Clone, Debug)]
pub struct Asset<'a> {
    /// The name that findings give the file.
    pub file: &'a str,
    /// Its contents.
    pub model: &'a Model,
    /// Bytes of the file and of those that it names; `None` if unknown: then their limit is not checked.
    pub bytes: Option<u64>,
    /// The import's warnings.
    pub warnings: Vec<Finding>,
}

impl<'a> From<&'a Model> for Asset<'a> {
    fn from(model: &'a Model) -> Self {
        Self { file: "", model, bytes: None, warnings: Vec::new() }
    }
}

impl<'a> Asset<'a> {
    /// Returns a loaded file, which findings call `file`. `bytes` is the size of the file and of those that it
    /// names.
    pub fn of(file: &'a str, loaded: &'a Loaded, bytes: u64) -> Self {
        let Loaded { model, warnings, .. } = loaded;
        let format = &model.source.format;
        let warnings = warnings.iter().map(|warning| Finding::of_import(warning, format)).collect();
        Self { file, model, bytes: Some(bytes), warnings }
    }
}
