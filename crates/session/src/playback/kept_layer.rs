//! Layers by name, to be found again in another version of their file.

use serde::{Deserialize, Serialize};

use crate::same_part::same_node;
use crate::{Document, LayerSettings};

/// A layer with the names of its clip and its joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptLayer {
    #[serde(flatten)]
    settings: LayerSettings,
    /// `None` in session files of former versions, which have indices alone.
    #[serde(default)]
    clip_name: Option<String>,
    /// `None` for a node without a name.
    #[serde(default)]
    joint_name: Option<String>,
}

impl KeptLayer {
    pub fn of(settings: LayerSettings, document: &Document) -> Self {
        let node = settings.joint.and_then(|joint| document.model.nodes.get(joint));
        Self {
            settings,
            clip_name: document.clip_name(settings.clip).map(str::to_owned),
            joint_name: node.and_then(|node| node.name.clone()),
        }
    }

    /// Finds the layer in a document: clip and joint of the same index and name, or else of their names.
    ///
    /// # Errors
    /// If the document lacks one of them; the message says which.
    pub fn find(&self, document: &Document) -> Result<LayerSettings, String> {
        let LayerSettings { clip: index, joint, .. } = self.settings;
        let names = &document.clip_names;
        let clip = match &self.clip_name {
            Some(name) if names.get(index) != Some(name) => names.iter().position(|n| n == name),
            _ => Some(index).filter(|index| *index < names.len()),
        };
        let label = self.clip_name.clone().unwrap_or_else(|| index.to_string());
        let missing = |what: &str, of: &str| {
            format!("the layer \"{label}\" is left out, because the file has no {what} \"{of}\"")
        };
        let clip = clip.ok_or_else(|| missing("clip", &label))?;
        let node = |index: usize| {
            let name = self.joint_name.as_deref();
            let exists = |index: &usize| *index < document.model.nodes.len();
            let found = match self.clip_name {
                Some(_) => same_node(index, name, &document.model),
                None => Some(index).filter(exists),
            };
            let label = || name.map_or_else(|| index.to_string(), str::to_owned);
            found.ok_or_else(|| missing("node", &label()))
        };
        Ok(LayerSettings { clip, joint: joint.map(node).transpose()?, ..self.settings })
    }
}
