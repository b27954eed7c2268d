//! The joint that moves most of what a scene shows.

use super::{Model, Stage};

impl Stage {
    /// Returns the joint of [`Stage::joints`] that moves the largest area of the posed, visible surfaces, where each
    /// vertex counts by the weight; without such surfaces, the joint whose weights have the greatest sum over all
    /// vertices; the first one if no vertex is weighted.
    pub fn widest_joint(&self, model: &Model) -> Option<usize> {
        let (mut areas, mut sums) = (vec![0.0; model.nodes.len()], vec![0.0; model.nodes.len()]);
        for &index in &self.nodes {
            let node = &model.nodes[index];
            let (Some(mesh), Some(skin)) = (node.mesh, node.skin) else { continue };
            let joints = &model.skins[skin].joints;
            for (i, primitive) in model.meshes[mesh].primitives.iter().enumerate() {
                primitive.add_weights(joints, |_| 1.0, &mut sums);
                let posed = self.deformed(model, index, i).filter(|_| self.visible[index]);
                let around = posed.map(|posed| primitive.areas_around(&posed));
                if let Some(around) = around {
                    primitive.add_weights(joints, |vertex| around[vertex], &mut areas);
                }
            }
        }
        let sums = if areas.iter().any(|area| *area > 0.0) { areas } else { sums };
        let wider = |a: usize, b: usize| if sums[b] > sums[a] { b } else { a };
        self.joints(model).into_iter().reduce(wider)
    }
}
