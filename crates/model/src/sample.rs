//! A model for tests: a tree of nodes and nothing else.

use super::{Model, Node, Scene};
use rigview_anim::{Hierarchy, LocalPose, Transform};

/// Returns a model with one scene of nodes, by the parent and the transform at rest of each.
pub fn tree(parents: &[Option<u32>], rest: impl IntoIterator<Item = Transform>) -> Model {
    let rest: Vec<Transform> = rest.into_iter().collect();
    let roots = (0..parents.len()).filter(|node| parents[*node].is_none()).collect();
    Model {
        scenes: vec![Scene { name: None, roots }],
        nodes: vec![Node::default(); parents.len()],
        hierarchy: Hierarchy::new(parents.to_vec(), vec![]).unwrap(),
        rest: LocalPose::new(rest, &vec![vec![]; parents.len()]),
        ..Model::default()
    }
}

/// Returns nodes of these names.
pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<Node> {
    let node = |name: &str| Node { name: Some(name.to_owned()), ..Node::default() };
    names.into_iter().map(node).collect()
}
