//! The rule of skins that a scale of nothing hides: SKIN_HIDDEN.
//!
//! Props are hidden by the scale of a joint on purpose, so a file is found only if nothing of any of its skins is seen.

use std::collections::BTreeSet;

use super::rig::Rig;
use super::take::Take;
use super::{Code, Finding};

/// The scale up to which nothing is left of a joint.
const NOTHING: f32 = 1e-6;

pub(super) fn findings(rig: &Rig, takes: &[Take]) -> Vec<Finding> {
    let used = used_joints(rig);
    let Some(first) = used.first() else { return Vec::new() };
    let at_rest = hiders(rig, None);
    let hides = |take: Option<&Take>| {
        let of_take =
            take.filter(|take| !take.scales.is_empty()).map(|take| hiders(rig, Some(take)));
        let hiders = of_take.as_ref().unwrap_or(&at_rest);
        used.iter().all(|joint| hiders[*joint].is_some()).then(|| hiders[*first]).flatten()
    };
    let finding = |node: usize, when: &str| {
        let (kind, called) = (rig.kind(node), rig.called(node));
        let text = format!("the scale of {kind} {called} is 0 {when}, which hides all skins");
        Finding::new(Code::SkinHidden, text).of(rig.name(node))
    };
    let mut in_clips = takes.iter().map(|take| (take, hides(Some(take))));
    match hides(None) {
        // What waits to be seen in a clip is hidden on purpose.
        Some(_) if in_clips.any(|(_, hider)| hider.is_none()) => Vec::new(),
        Some(node) => vec![finding(node, "at rest").at(format!("/nodes/{node}"))],
        None => in_clips
            .filter_map(|(take, hider)| {
                let finding = finding(hider?, &format!("throughout {}", take.called()));
                Some(finding.in_clip(take.name()).at(take.pointer()))
            })
            .collect(),
    }
}

/// Returns the joints that move vertices in the scene.
fn used_joints(rig: &Rig) -> BTreeSet<usize> {
    let mut used = BTreeSet::new();
    for node in rig.skinned() {
        let node = &rig.model.nodes[node];
        let Some((mesh, skin)) = node.mesh.zip(node.skin) else { continue };
        let joints = &rig.model.skins[skin].joints;
        let primitives = &rig.model.meshes[mesh].primitives;
        let of_skin = primitives.iter().flat_map(|primitive| &primitive.bounds.joints);
        used.extend(of_skin.map(|(joint, _)| joints[usize::from(*joint)] as usize));
    }
    used
}

/// Returns, for each node, itself or the nearest node above it whose scale is 0 at all keys of a clip, or at rest where the
/// clip has none.
fn hiders(rig: &Rig, take: Option<&Take>) -> Vec<Option<usize>> {
    let hierarchy = &rig.model.hierarchy;
    let is_gone = |node: usize| {
        let keys = take.and_then(|take| take.scales.get(&node));
        let rest = [rig.model.rest.transform(node).scale];
        let scales = keys.map_or(&rest[..], |track| track.keys().values());
        scales.iter().all(|scale| scale.abs().max_element() <= NOTHING)
    };
    let mut hiders = vec![None; rig.model.nodes.len()];
    for node in hierarchy.parents_first() {
        let above = hierarchy.parent(node).and_then(|parent| hiders[parent]);
        hiders[node] = if is_gone(node) { Some(node) } else { above };
    }
    hiders
}
