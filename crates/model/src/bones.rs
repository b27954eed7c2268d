//! Finds the nodes that serve as joints in a scene without meshes and skins, as in motion capture and
//! exports of clips only.

use super::Model;
use rigview_anim::Channel;

/// A joint and the bone that ends at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bone {
    /// The joint, as a node.
    pub joint: usize,
    /// The nearest joint above it, where the bone starts; `None` for a root.
    pub parent: Option<usize>,
}

/// Returns the nodes of a scene that serve as joints, in file order: those that a clip of the file moves
/// and all their descendants, since the end of a limb has no keys. Ancestors are excluded, because they
/// usually only convert axes and units. If nothing moves, returns the nodes with a parent or child,
/// except cameras and lights. Empty if the scene draws something or the file has a skin.
pub(super) fn joints_of_tree(model: &Model, scene_nodes: &[usize]) -> Vec<usize> {
    if !model.skins.is_empty() || scene_nodes.iter().any(|node| draws(model, *node)) {
        return Vec::new();
    }
    let mut inside = vec![false; model.nodes.len()];
    for channel in model.clips.iter().flat_map(|clip| clip.channels()) {
        inside[channel.node()] |= !matches!(channel, Channel::Weights { .. });
    }
    let moves = scene_nodes.iter().any(|node| inside[*node]);
    let is_bare =
        |node: usize| model.nodes[node].camera.is_none() && model.nodes[node].light.is_none();
    for &node in scene_nodes {
        let Some(parent) = model.hierarchy.parent(node) else { continue };
        if moves {
            inside[node] |= inside[parent];
        } else if is_bare(parent) && is_bare(node) {
            (inside[parent], inside[node]) = (true, true);
        }
    }
    let mut joints: Vec<usize> = scene_nodes.iter().copied().filter(|node| inside[*node]).collect();
    joints.sort_unstable();
    joints
}

/// Whether a node has a non-empty mesh.
pub(super) fn draws(model: &Model, node: usize) -> bool {
    let mesh = model.nodes[node].mesh.map(|mesh| &model.meshes[mesh]);
    mesh.is_some_and(|mesh| mesh.primitives.iter().any(|primitive| !primitive.indices.is_empty()))
}
