//! Matches the nodes of two models by name.
//!
//! If several nodes share a name, the names on the path from the root decide, and then those of the leading skeletons
//! match. Nodes without a name match only if both trees are equal.

use std::collections::HashMap;

use crate::Model;
use crate::skeleton_copies::SkeletonCopies;

/// Returns the matching node of the rig for each node of the source.
pub(crate) fn matches(
    rig: &Model,
    source: &Model,
    rig_copies: &SkeletonCopies,
    source_copies: &SkeletonCopies,
) -> Vec<Option<usize>> {
    let parents = |model: &Model| -> Vec<Option<usize>> {
        (0..model.nodes.len()).map(|node| model.hierarchy.parent(node)).collect()
    };
    let same_tree = parents(rig) == parents(source);
    let mut numbers = HashMap::new();
    let rig_paths = paths(rig, &mut numbers);
    let source_paths = paths(source, &mut numbers);
    let (rig_names, source_names) = (by_name(rig), by_name(source));
    let on_path = |list: &[usize], paths: &[usize], path: usize| -> Vec<usize> {
        list.iter().copied().filter(|node| paths[*node] == path).collect()
    };
    let mut found = vec![None; source.nodes.len()];
    for (name, nodes) in &source_names {
        let Some(others) = rig_names.get(name) else { continue };
        if let ([node], [other]) = (&nodes[..], &others[..]) {
            found[*node] = Some(*other);
            continue;
        }
        let mut left: Vec<usize> = nodes.iter().map(|node| source_paths[*node]).collect();
        left.sort_unstable();
        left.dedup();
        for path in left {
            let nodes = on_path(nodes, &source_paths, path);
            let others = on_path(others, &rig_paths, path);
            // Nodes with the same path match in order, if their number is equal.
            if nodes.len() == others.len() {
                nodes.iter().zip(others).for_each(|(node, other)| found[*node] = Some(other));
            }
        }
        let leading = |list: &[usize], copies: &SkeletonCopies| -> Vec<usize> {
            list.iter().copied().filter(|node| copies.original(*node).is_none()).collect()
        };
        if let ([node], [other]) =
            (&leading(nodes, source_copies)[..], &leading(others, rig_copies)[..])
            && nodes.iter().all(|node| found[*node] != Some(*other))
        {
            found[*node].get_or_insert(*other);
        }
    }
    if same_tree {
        let unnamed = |model: &Model, node: usize| {
            model.nodes[node].name.as_deref().is_none_or(str::is_empty)
        };
        for (node, found) in found.iter_mut().enumerate() {
            if unnamed(source, node) && unnamed(rig, node) {
                *found = Some(node);
            }
        }
    }
    found
}

/// Returns a model's named nodes by name.
fn by_name(model: &Model) -> HashMap<&str, Vec<usize>> {
    let mut list: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, node) in model.nodes.iter().enumerate() {
        if let Some(name) = node.name.as_deref().filter(|name| !name.is_empty()) {
            list.entry(name).or_default().push(i);
        }
    }
    list
}

/// Returns an ID per node that stands for the names on its path from the root. Models that share
/// `numbers` have equal IDs for equal paths.
fn paths<'a>(model: &'a Model, numbers: &mut HashMap<(usize, &'a str), usize>) -> Vec<usize> {
    let mut paths = vec![0; model.nodes.len()];
    for node in model.hierarchy.parents_first() {
        let above = model.hierarchy.parent(node).map_or(0, |parent| paths[parent]);
        let name = model.nodes[node].name.as_deref().unwrap_or_default();
        let next = numbers.len() + 1;
        paths[node] = *numbers.entry((above, name)).or_insert(next);
    }
    paths
}
