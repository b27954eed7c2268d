//! A node in a session file.

use serde::{Deserialize, Serialize};

use crate::NodesByName;
use rigview_model::Model;

/// A node by index and name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedNode {
    pub index: usize,
    pub name: Option<String>,
}

impl SavedNode {
    pub fn of(model: &Model, index: usize) -> Self {
        Self { index, name: model.nodes.get(index).and_then(|node| node.name.clone()) }
    }

    /// Returns the node of a model: the one of the same index and name, or else the only one of the name.
    pub fn find(&self, by_name: &NodesByName<'_>) -> Option<usize> {
        by_name.find(self.index, self.name.as_deref().unwrap_or_default())
    }
}
