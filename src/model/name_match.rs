//! Clips of one file for the rig of another: which node is which, and what that leaves out.
//!
//! Nodes are told by name. A name that several nodes of a file share is told apart by the names
//! on its path from the root; nodes without a name match where both trees are the same.

use std::collections::HashMap;

use super::Model;
use crate::anim::{Channel, Clip, NodeMapping, RigPair};

/// Clips for another rig than their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BorrowedClips {
    /// In their file's order; one that moves nothing of the rig has no channels.
    pub clips: Vec<Clip>,
    /// How many nodes that the clips move were found in the rig.
    pub matched: usize,
    /// Those that were not, by name.
    pub unmatched: Vec<String>,
    /// Found nodes whose morph targets are others, by name.
    pub other_targets: Vec<String>,
}

/// The clips move nothing that the rig has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rig shares no joint with the clips: it has no {}", some(.unmatched))]
pub struct NothingShared {
    /// The names of what the clips move.
    pub unmatched: Vec<String>,
}

/// Names in quotation marks, the first few of them.
fn some(names: &[String]) -> String {
    const SHOWN: usize = 6;
    let mut list: Vec<String> = names.iter().take(SHOWN).map(|n| format!("\"{n}\"")).collect();
    if names.len() > SHOWN {
        list.push(format!("{} more", names.len() - SHOWN));
    }
    list.join(", ")
}

impl BorrowedClips {
    /// What came of it in a line: `19 of 22 moved nodes matched; not in this rig: "Tail", "Ear"`.
    pub fn summary(&self) -> String {
        let all = self.matched + self.unmatched.len();
        let mut line = format!("{} of {all} moved nodes matched", self.matched);
        if !self.unmatched.is_empty() {
            line += &format!("; not in this rig: {}", some(&self.unmatched));
        }
        if !self.other_targets.is_empty() {
            line += &format!("; other morph targets: {}", some(&self.other_targets));
        }
        line
    }

    /// Whether every node and weight that the clips move was found.
    pub fn is_complete(&self) -> bool {
        self.unmatched.is_empty() && self.other_targets.is_empty()
    }
}

/// The clips of `source` for `rig`, relative to both rest poses (see [`Clip::retargeted`]).
///
/// # Errors
/// When the clips move something, and nothing of it is in the rig; for clips that move joints, when
/// none of those joints is.
pub fn borrowed_clips(rig: &Model, source: &Model) -> Result<BorrowedClips, NothingShared> {
    let found = matches(rig, source);
    let mut mappings: Vec<Option<NodeMapping>> = vec![None; source.nodes.len()];
    for (mapping, node) in mappings.iter_mut().zip(&found) {
        *mapping = node.map(|node| NodeMapping { node, weights: None });
    }
    let mut moved = vec![false; source.nodes.len()];
    let mut out = BorrowedClips::default();
    for channel in source.clips.iter().flat_map(|clip| clip.channels()) {
        let node = channel.node();
        let new = !std::mem::replace(&mut moved[node], true);
        let Some(mapping) = &mut mappings[node] else {
            if new {
                out.unmatched.push(name(source, node));
            }
            continue;
        };
        out.matched += usize::from(new);
        if matches!(channel, Channel::Weights { .. }) && mapping.weights.is_none() {
            mapping.weights = targets(rig, mapping.node, source, node);
            let name = name(source, node);
            if mapping.weights.is_none() && !out.other_targets.contains(&name) {
                out.other_targets.push(name);
            }
        }
    }
    let is_joint = joints(source);
    let has_joints = rig.skins.iter().any(|skin| !skin.joints.is_empty());
    let mut moved_joints = (0..moved.len()).filter(|n| moved[*n] && is_joint[*n]).peekable();
    let about_joints = has_joints && moved_joints.peek().is_some();
    let joint_found = moved_joints.any(|node| found[node].is_some());
    let nothing = if about_joints { !joint_found } else { out.matched == 0 };
    if nothing && moved.contains(&true) {
        return Err(NothingShared { unmatched: out.unmatched });
    }
    let size = size(rig, source, &found);
    let rigs = RigPair { from: &source.rest, to: &rig.rest, size };
    out.clips = source.clips.iter().map(|clip| clip.retargeted(&mappings, &rigs)).collect();
    Ok(out)
}

fn name(model: &Model, node: usize) -> String {
    match model.nodes[node].name.as_deref() {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("node {node}"),
    }
}

fn joints(model: &Model) -> Vec<bool> {
    let mut is_joint = vec![false; model.nodes.len()];
    for joint in model.skins.iter().flat_map(|skin| &skin.joints) {
        is_joint[*joint as usize] = true;
    }
    is_joint
}

/// For each node of the source, which node of the rig it is.
fn matches(rig: &Model, source: &Model) -> Vec<Option<usize>> {
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
            // Brothers of one name go by their order, if there are as many.
            if nodes.len() == others.len() {
                nodes.iter().zip(others).for_each(|(node, other)| found[*node] = Some(other));
            }
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

/// A model's nodes by name, those without one left out.
fn by_name(model: &Model) -> HashMap<&str, Vec<usize>> {
    let mut list: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, node) in model.nodes.iter().enumerate() {
        if let Some(name) = node.name.as_deref().filter(|name| !name.is_empty()) {
            list.entry(name).or_default().push(i);
        }
    }
    list
}

/// For each node a number that stands for the names from the root to it, the same in all models.
fn paths<'a>(model: &'a Model, numbers: &mut HashMap<(usize, &'a str), usize>) -> Vec<usize> {
    let mut paths = vec![0; model.nodes.len()];
    for node in model.hierarchy.parents_first() {
        let node = *node as usize;
        let above = model.hierarchy.parent(node).map_or(0, |parent| paths[parent]);
        let name = model.nodes[node].name.as_deref().unwrap_or_default();
        let next = numbers.len() + 1;
        paths[node] = *numbers.entry((above, name)).or_insert(next);
    }
    paths
}

/// How many times larger the rig is than the source: the lengths of the bones that both have,
/// summed. 1 where they have none.
fn size(rig: &Model, source: &Model, found: &[Option<usize>]) -> f32 {
    let (mut own, mut other) = (0.0, 0.0);
    for (node, found_at) in found.iter().enumerate() {
        let (Some(there), Some(parent)) = (*found_at, source.hierarchy.parent(node)) else {
            continue;
        };
        if found[parent].is_some() && found[parent] == rig.hierarchy.parent(there) {
            own += f64::from(source.rest.transform(node).translation.length());
            other += f64::from(rig.rest.transform(there).translation.length());
        }
    }
    let size = (other / own) as f32;
    if size > 0.0 && size.is_finite() { size } else { 1.0 }
}

/// For each morph target of a node of the rig, which one of the source's node it is: by name where
/// both meshes name theirs, else by place where there are as many. None if none fits.
fn targets(rig: &Model, node: usize, source: &Model, other: usize) -> Option<Vec<Option<usize>>> {
    let names = |model: &'_ Model, node: usize| -> Vec<String> {
        let mesh = model.nodes[node].mesh.map(|mesh| &model.meshes[mesh]);
        mesh.map_or_else(Vec::new, |mesh| mesh.target_names.clone())
    };
    let (count, others) = (rig.rest.weights(node).len(), source.rest.weights(other).len());
    let (own_names, other_names) = (names(rig, node), names(source, other));
    if own_names.len() == count && other_names.len() == others && count > 0 {
        let column =
            |name: &String| other_names.iter().position(|other| !name.is_empty() && other == name);
        let columns: Vec<_> = own_names.iter().map(column).collect();
        if columns.iter().any(Option::is_some) {
            return Some(columns);
        }
    }
    (count == others && count > 0).then(|| (0..count).map(Some).collect())
}
