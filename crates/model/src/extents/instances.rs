//! Finds the outermost instances of a node whose mesh is drawn several times, for framing by a camera.

use glam::Affine3A;

use crate::{Aabb, Hull, Model};

impl Model {
    /// Returns the outermost instances of a node, relative to the node: at most one per direction of a
    /// hull. Empty if the node has no instances.
    pub(crate) fn furthest_instances(&self, node: usize) -> Vec<Affine3A> {
        let node = &self.nodes[node];
        let mut hull: Hull<usize> = Hull::default();
        if let Some(mesh) = node.mesh.filter(|_| !node.instances.is_empty()) {
            let mut rest = Aabb::EMPTY;
            for primitive in &self.meshes[mesh].primitives {
                if let Some(bounds) = &primitive.bounds.rest {
                    rest.union(bounds);
                }
            }
            for (i, instance) in node.instances.iter().enumerate() {
                let corners = instance_corners(&rest, instance);
                corners.into_iter().for_each(|corner| hull.add(corner, i));
            }
        }
        let mut furthest: Vec<usize> = hull.furthest().collect();
        furthest.sort_unstable();
        furthest.dedup();
        furthest.into_iter().map(|i| node.instances[i]).collect()
    }
}

fn instance_corners(rest: &Aabb, instance: &Affine3A) -> Vec<glam::Vec3> {
    if rest.is_empty() {
        Vec::new()
    } else {
        rest.corners().map(|corner| instance.transform_point3(corner)).to_vec()
    }
}
