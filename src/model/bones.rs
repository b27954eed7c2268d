//! Which nodes stand for joints where a scene has neither a mesh nor a skin: motion capture, and
//! exports of clips alone.

use super::Model;
use crate::anim::Channel;

/// The nodes of a scene that its bones are drawn between, in file order: those that some clip of the
/// file moves, and all below them, since the end of a limb has no keys of its own. What is above
/// them mostly turns axes and scales units. Where nothing moves: the nodes that are linked to
/// another, less cameras and lights. Empty where the scene has something to draw, or the file a skin.
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

/// Whether a node has a mesh with anything in it.
pub(super) fn draws(model: &Model, node: usize) -> bool {
    let mesh = model.nodes[node].mesh.map(|mesh| &model.meshes[mesh]);
    mesh.is_some_and(|mesh| mesh.primitives.iter().any(|primitive| !primitive.indices.is_empty()))
}
