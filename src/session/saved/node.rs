//! A node in a session file.

use serde::{Deserialize, Serialize};

use crate::model::Model;

/// A node by index and name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::session) struct SavedNode {
    pub index: usize,
    pub name: Option<String>,
}

impl SavedNode {
    pub fn of(model: &Model, index: usize) -> Self {
        Self { index, name: model.nodes.get(index).and_then(|node| node.name.clone()) }
    }

    /// Returns the node of a model: the one of the same index and name, or else the first one of the name.
    pub fn find(&self, model: &Model) -> Option<usize> {
        let is_it = |index: &usize| model.nodes.get(*index).is_some_and(|n| n.name == self.name);
        let named = || model.nodes.iter().position(|node| node.name == self.name);
        Some(self.index).filter(is_it).or_else(|| self.name.is_some().then(named)?)
    }
}
