//! Matches the nodes of two models by name, so that the clips of one play on the rig of the other.
//!
//! If several nodes share a name, the names on the path from the root decide. Nodes without a name match
//! only if both trees are equal.

use std::collections::HashMap;

use super::Model;
use crate::anim::{Channel, Clip, NodeMapping, RigPair};

/// Clips that were converted to another rig.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BorrowedClips {
    /// The clips, in file order; a clip that moves nothing of the rig has no channels.
    pub clips: Vec<Clip>,
    /// Number of moved nodes that were found in the rig.
    pub matched: usize,
    /// Names of moved nodes that were not found.
    pub unmatched: Vec<String>,
    /// Names of found nodes whose morph targets differ.
    pub other_targets: Vec<String>,
}

/// The clips move nothing of the rig.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rig shares no joint with the clips; it lacks {}", quoted(.unmatched))]
pub struct NothingShared {
    /// Names of the nodes that the clips move.
    pub unmatched: Vec<String>,
}

/// Lists the first few names in quotation marks.
fn quoted(names: &[String]) -> String {
    const SHOWN: usize = 6;
    let mut list: Vec<String> = names.iter().take(SHOWN).map(|n| format!("\"{n}\"")).collect();
    if names.len() > SHOWN {
        list.push(format!("{} more", names.len() - SHOWN));
    }
    list.join(", ")
}

impl BorrowedClips {
    /// Describes the result in one line: `19 of 22 moved nodes matched; not in this rig: "Tail", "Ear"`.
    pub fn summary(&self) -> String {
        let all = self.matched + self.unmatched.len();
        let mut line = format!("{} of {all} moved nodes matched", self.matched);
        if !self.unmatched.is_empty() {
            line += &format!("; not in this rig: {}", quoted(&self.unmatched));
        }
        if !self.other_targets.is_empty() {
            line += &format!("; other morph targets: {}", quoted(&self.other_targets));
        }
        line
    }

    /// Whether every node and weight that the clips move was found.
    pub fn is_complete(&self) -> bool {
        self.unmatched.is_empty() && self.other_targets.is_empty()
    }
}

/// Converts the clips of `source` to `rig`, relative to both rest poses (see [`Clip::retargeted`]).
///
/// # Errors
/// If the clips move nodes and the rig has none of them, or they move joints and the rig has none of
/// these joints.
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

/// Returns the matching node of the rig for each node of the source.
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
            // Nodes with the same path match in order, if their number is equal.
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
        let node = *node as usize;
        let above = model.hierarchy.parent(node).map_or(0, |parent| paths[parent]);
        let name = model.nodes[node].name.as_deref().unwrap_or_default();
        let next = numbers.len() + 1;
        paths[node] = *numbers.entry((above, name)).or_insert(next);
    }
    paths
}

/// Returns the size of the rig relative to the source: the ratio of the summed lengths of their common
/// bones; 1 without any.
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

/// Returns, for each morph target of the rig's `node`, the matching one of the source's node `other`: by
/// name if both meshes name theirs, otherwise by index if their number is equal. `None` if none match.
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
