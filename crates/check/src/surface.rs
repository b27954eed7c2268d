//! What is measured of a scene: the points of its moving meshes or, in a file without meshes, its joints.

use glam::Vec3;

use super::rig::Rig;
use super::take::Take;
use rigview_anim::Channel;
use rigview_model::{Aabb, DrawnPrimitive, PointPositions, SkinMotion, Stage, VertexPlace};

/// The points of a scene that its clips move.
pub(super) struct Surface {
    /// The points of meshes; `None` in a file without meshes.
    motion: Option<SkinMotion>,
    /// The nodes that serve as points in a file without meshes.
    joints: Vec<usize>,
    /// The nodes that draw a skin, each mesh and skin once.
    pub skinned: Vec<usize>,
    /// The box at rest of the skinned points or, in a file without meshes, of all joints.
    pub rest: Aabb,
}

impl Surface {
    /// Lays out the meshes that any clip moves; `None` if no clip moves anything that is drawn, or if the
    /// points exceed the model's memory budget.
    pub fn of(rig: &Rig, takes: &[Take]) -> Option<Self> {
        let model = rig.model;
        let mut moved = rig.moved();
        for channel in takes.iter().flat_map(|take| take.clip.channels()) {
            // Weights of a node that draws nothing change nothing either.
            moved[channel.node()] |= matches!(channel, Channel::Weights { .. });
        }
        if rig.stage.has_no_mesh(model) {
            let joints: Vec<usize> =
                rig.joints.iter().copied().filter(|node| moved[*node]).collect();
            let mut rest = Aabb::EMPTY;
            let places = rig.joints.iter().map(|joint| rig.stage.position(*joint));
            places.filter(|at| at.is_finite()).for_each(|at| rest.add(at));
            let surface = Self { motion: None, joints, skinned: Vec::new(), rest };
            return (!surface.joints.is_empty()).then_some(surface);
        }
        let mut skinned = rig.skinned();
        skinned.retain(|node| {
            let skin = model.nodes[*node].skin.map(|skin| &model.skins[skin]);
            moved[*node] || skin.is_some_and(|s| s.joints.iter().any(|j| moved[*j as usize]))
        });
        let is_rigid = |node: &usize| model.nodes[*node].skin.is_none() && moved[*node];
        let rigid = rig.stage.nodes.iter().copied().filter(is_rigid);
        let nodes: Vec<usize> = skinned.iter().copied().chain(rigid).collect();
        let motion = SkinMotion::new(model, &nodes);
        let motion = motion.inspect_err(|error| log::warn!("the skin is not measured: {error}"));
        let motion = motion.ok().filter(|motion| !motion.is_empty())?;
        let (mut rest, mut pose) = (Aabb::EMPTY, PointPositions::default());
        motion.pose(model, &rig.stage, &mut pose);
        for node in &skinned {
            motion.points_of_node(*node).for_each(|point| rest.add(pose.positions()[point]));
        }
        Some(Self { motion: Some(motion), joints: Vec::new(), skinned, rest })
    }

    /// Returns the diagonal of the box at rest in metres, by which lengths are judged; 0 if the box is empty.
    pub fn size(&self) -> f64 {
        if self.rest.is_empty() { 0.0 } else { f64::from(self.rest.size().length()) }
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.motion.as_ref().map_or(self.joints.len(), SkinMotion::len)
    }

    /// Returns the point that is farthest from itself in another pose, its distance in metres and its position in the
    /// first pose, which is moved by `offset`; `None` if there are no points.
    pub fn farthest_apart(
        &self,
        rig: &Rig,
        stages: [&Stage; 2],
        offset: Vec3,
    ) -> Option<(usize, f64, Vec3)> {
        if let Some(motion) = &self.motion {
            return motion.farthest_apart(rig.model, stages, offset);
        }
        let [first, last] = stages;
        let apart = self.joints.iter().enumerate().map(|(point, joint)| {
            let [a, b] = [first, last].map(|stage| stage.position(*joint));
            (point, (a + offset).as_dvec3().distance(b.as_dvec3()), a)
        });
        apart.filter(|(_, gap, _)| gap.is_finite()).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Returns the position of one point.
    pub fn position(&self, rig: &Rig, stage: &Stage, point: usize) -> Vec3 {
        let Some(motion) = &self.motion else { return stage.position(self.joints[point]) };
        let VertexPlace { node, primitive, vertex } = motion.place(point);
        let posed = stage.deformed_at(rig.model, DrawnPrimitive { node, primitive }, &[vertex]);
        posed.and_then(|posed| posed.first().copied()).unwrap_or(Vec3::NAN)
    }

    /// Returns the joint or node that moves a point most.
    pub fn mover(&self, rig: &Rig, point: usize) -> usize {
        let Some(motion) = &self.motion else { return self.joints[point] };
        let VertexPlace { node, primitive, vertex } = motion.place(point);
        let drawn = &rig.model.nodes[node];
        let joint = drawn.mesh.zip(drawn.skin).and_then(|(mesh, skin)| {
            let joint = rig.model.meshes[mesh].primitives[primitive].leading_joint(vertex)?;
            Some(rig.model.skins[skin].joints[usize::from(joint)] as usize)
        });
        joint.unwrap_or(node)
    }

    /// Returns the exact box of the skinned points that lie outside another box.
    pub fn skinned_box(
        &self,
        rig: &Rig,
        stage: &Stage,
        within: &Aabb,
        pose: &mut PointPositions,
    ) -> Aabb {
        self.motion.as_ref().map_or(Aabb::EMPTY, |motion| {
            motion.box_outside(rig.model, stage, &self.skinned, within, pose)
        })
    }
}
