//! Checks that the joints of a skin have a common root, are below the node that `skeleton` names,
//! and are in the scenes of the meshes that they move. Violations do not affect the pose here, but
//! other viewers may show another one, so they are warned of.

use std::collections::HashSet;

use super::fault::{ImportError, Warnings};
use super::node::Nodes;
use rigview_anim::{Hierarchy, Skin};
use rigview_document::Document;
use rigview_model::{Scene, WarningCode};

/// Limit for nodes whose joints are below another root and that are looked up in scenes.
const MOST_LOOKED_FOR: usize = 64;

/// Warns of joints that the specification does not allow where they are.
pub(super) fn check(
    document: &Document,
    skins: &[Skin],
    nodes: &Nodes,
    scenes: &[Scene],
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    let family = Family::of(&nodes.hierarchy);
    for (skin, at) in skins.iter().zip(document.list("skins")?) {
        let Some(first) = skin.joints.first().map(|joint| *joint as usize) else { continue };
        let joints = || skin.joints.iter().map(|joint| *joint as usize);
        if let Some(joint) = joints().find(|joint| family.root[*joint] != family.root[first]) {
            let message = format!("joints {first} and {joint} have no root in common");
            warnings.add_at(&at, WarningCode::JointsWithoutRoot, message);
        }
        if let Some(place) = at.get("skeleton") {
            let skeleton = place.index_of("nodes")?;
            if let Some(joint) = joints().find(|joint| !family.is_below(*joint, skeleton)) {
                let message = format!("joint {joint} is not below node {skeleton}");
                warnings.add_at(&place, WarningCode::SkeletonOdd, message);
            }
        }
    }
    // A skin can only be partly in a scene if a joint is below another root than its mesh.
    let apart = nodes.list.iter().enumerate().filter_map(|(i, node)| {
        let skin = &skins[node.skin?];
        let roots = skin.joints.iter().map(|joint| family.root[*joint as usize]);
        let others: HashSet<u32> = roots.filter(|root| *root != family.root[i]).collect();
        (!others.is_empty()).then_some((i, others))
    });
    let apart: Vec<_> = apart.take(MOST_LOOKED_FOR).collect();
    for (number, scene) in scenes.iter().enumerate() {
        let roots: HashSet<u32> = scene.roots.iter().map(|root| family.root[*root]).collect();
        for (node, others) in &apart {
            let outside = || others.iter().find(|other| !roots.contains(*other));
            if let (true, Some(other)) = (roots.contains(&family.root[*node]), outside()) {
                let message = format!(
                    "its mesh is in scene {number}, but joints of its skin below node {other} are \
                     not: they move it all the same"
                );
                warnings.add_at(
                    &document.item("nodes", *node)?,
                    WarningCode::JointsOutside,
                    message,
                );
            }
        }
    }
    Ok(())
}

/// Ancestry of nodes, answered in constant time.
struct Family {
    /// By node: its root.
    root: Vec<u32>,
    /// By node: the range that it and its descendants have in depth-first order.
    range: Vec<[u32; 2]>,
}

impl Family {
    fn of(hierarchy: &Hierarchy) -> Self {
        let n = hierarchy.len();
        let mut size = vec![1u32; n];
        for node in hierarchy.parents_first().rev() {
            if let Some(parent) = hierarchy.parent(node) {
                size[parent] += size[node];
            }
        }
        let (mut root, mut range) = (vec![0; n], vec![[0; 2]; n]);
        // The start of each node's next child, and of the next root.
        let (mut next, mut next_root) = (vec![0; n], 0);
        for i in hierarchy.parents_first() {
            let parent = hierarchy.parent(i);
            let slot = parent.map_or(&mut next_root, |parent| &mut next[parent]);
            let start = *slot;
            *slot += size[i];
            root[i] = parent.map_or(i as u32, |parent| root[parent]);
            range[i] = [start, start + size[i]];
            next[i] = start + 1;
        }
        Self { root, range }
    }

    /// Whether `node` is `other` or one of its descendants.
    fn is_below(&self, node: usize, other: usize) -> bool {
        let [start, end] = self.range[other];
        (start..end).contains(&self.range[node][0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_ranges() {
        // 3 - 1 - 0, 3 - 4, and 2 - 5.
        let parents = vec![Some(1), Some(3), None, None, Some(3), Some(2)];
        let tree = Hierarchy::new(parents, Vec::new()).unwrap();
        let family = Family::of(&tree);
        assert_eq!(family.root, [3, 3, 2, 3, 3, 2]);
        for node in 0..6 {
            for other in 0..6 {
                let is_below = tree.path_to_root(node).any(|at| at == other);
                assert_eq!(family.is_below(node, other), is_below, "{node} below {other}");
            }
        }
    }
}
