//! Nodes whose mesh is drawn several times: which of the instances matter for what a camera has to
//! keep in the picture.

use glam::Affine3A;

use super::{Aabb, Hull, Model};

impl Model {
    /// The instances of a node that reach furthest, against the node: at most as many as a hull has
    /// directions, however many there are. None where it has none.
    pub(super) fn furthest_instances(&self, node: usize) -> Vec<Affine3A> {
        let node = &self.nodes[node];
        let mut hull = Hull::default();
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
    match rest.is_empty() {
        true => Vec::new(),
        false => rest.corners().map(|corner| instance.transform_point3(corner)).to_vec(),
    }
}
