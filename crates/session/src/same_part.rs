//! Finds a part of a file in another version of the file.

use std::collections::HashMap;

use rigview_model::{FileVertex, Model};

/// Returns the index of a part among the names of another version: its own index if the name there is the same, or else
/// that of the only part of its name. A part without a name has only its index.
pub(super) fn same_part<'a>(
    index: usize,
    name: Option<&str>,
    names: impl Iterator<Item = Option<&'a str>> + Clone,
) -> Option<usize> {
    let of = |name: Option<&'a str>| name.filter(|name| !name.is_empty());
    let name = name.filter(|name| !name.is_empty());
    if names.clone().nth(index).is_some_and(|other| of(other) == name) {
        return Some(index);
    }
    let mut same = names.enumerate().filter(|(_, other)| name.is_some() && of(*other) == name);
    let (found, _) = same.next()?;
    same.next().is_none().then_some(found)
}

/// Returns the index of a node, given by index and name, in a model. [`NodesByName`] finds many.
pub(super) fn same_node(index: usize, name: Option<&str>, model: &Model) -> Option<usize> {
    // Most nodes are where they were, and models may have many.
    if name.is_some() && model.nodes.get(index).is_some_and(|node| node.name.as_deref() == name) {
        return Some(index);
    }
    same_part(index, name, model.node_names())
}

/// Finds many nodes of another version of a model: by index where the name is the same, or else by the name that only one has.
/// The time to find one does not grow with the number of nodes.
pub struct NodesByName<'a> {
    model: &'a Model,
    /// The nodes by name; `None` for a name that several have.
    nodes: HashMap<&'a str, Option<usize>>,
}

impl<'a> NodesByName<'a> {
    /// Takes the names of a model.
    pub fn new(model: &'a Model) -> Self {
        let mut nodes = HashMap::new();
        for (index, node) in model.nodes.iter().enumerate() {
            if let Some(name) = node.name.as_deref().filter(|name| !name.is_empty()) {
                nodes.entry(name).and_modify(|node| *node = None).or_insert(Some(index));
            }
        }
        Self { model, nodes }
    }

    /// Returns the index of a node, given by index and name; an empty name counts as no name.
    pub fn find(&self, index: usize, name: &str) -> Option<usize> {
        let there = self.model.nodes.get(index);
        if there.is_some_and(|node| node.name.as_deref().unwrap_or_default() == name) {
            Some(index)
        } else {
            self.nodes.get(name).copied().flatten()
        }
    }

    /// Returns the index of a node of the version before.
    pub(super) fn again(&self, node: usize, before: &Model) -> Option<usize> {
        self.find(node, before.nodes.get(node)?.name.as_deref().unwrap_or_default())
    }
}

/// Returns the node of another version of a model.
pub(super) fn node_again(node: usize, before: &Model, after: &Model) -> Option<usize> {
    same_node(node, before.nodes.get(node)?.name.as_deref(), after)
}

/// Returns the vertex on the same node of another version of a model, which may have fewer vertices.
pub(super) fn vertex_again(
    vertex: FileVertex,
    before: &Model,
    after: &Model,
) -> Option<FileVertex> {
    let node = node_again(vertex.drawn.node, before, after)?;
    let mut vertex = vertex;
    vertex.drawn.node = node;
    Some(vertex)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_model::Node;

    #[test]
    fn a_part_has_the_index_of_before_or_a_name_that_no_other_has() {
        let names = [Some("hips"), None, Some("arm"), Some("arm"), Some("leg"), Some("")];
        let found = |index, name| same_part(index, name, names.into_iter());
        assert_eq!(found(2, Some("arm")), Some(2));
        assert_eq!(found(3, Some("arm")), Some(3));
        assert_eq!(found(4, Some("arm")), None, "two have the name");
        assert_eq!(found(3, Some("leg")), Some(4));
        assert_eq!((found(1, None), found(5, None)), (Some(1), Some(5)));
        assert_eq!((found(0, None), found(9, None)), (None, None));
        assert_eq!(found(0, Some("tail")), None);
    }

    #[test]
    fn nodes_are_found_by_the_table_as_one_by_one() {
        let names = [Some("hips"), None, Some("arm"), Some("arm"), Some("leg"), Some("")];
        let node = |name: Option<&str>| Node { name: name.map(str::to_owned), ..Node::default() };
        let model = Model { nodes: names.map(node).into(), ..Model::default() };
        let table = NodesByName::new(&model);
        for index in 0..8 {
            for name in ["hips", "arm", "leg", "tail", ""] {
                let one = same_node(index, Some(name), &model);
                assert_eq!(table.find(index, name), one, "{index} {name}");
            }
        }
    }
}
