//! What is measured of a scene: the points of its moving meshes or, in a file without meshes, its joints.

use glam::Vec3;

use super::figure::Figures;
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
    /// The boxes at rest of what lengths are judged by: of each figure, or of the whole scene.
    figures: Vec<Aabb>,
    /// The diagonal of the largest figure that is no prop, in metres; 0 if there is none.
    largest: f64,
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
            let mut figures = vec![Aabb::EMPTY; rig.figures.count];
            for joint in &rig.joints {
                let at = rig.stage.position(*joint);
                if at.is_finite() {
                    figures[rig.figures.of_node[*joint]].add(at);
                }
            }
            let mut rest = Aabb::EMPTY;
            figures.iter().for_each(|figure| rest.union(figure));
            figures[rig.figures.rest()] = rest;
            let largest = largest(rig, &figures);
            let surface =
                Self { motion: None, joints, skinned: Vec::new(), rest, figures, largest };
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
        let mut figures = vec![Aabb::EMPTY; rig.figures.count];
        let mut rest = PointPositions::default();
        motion.pose(model, &rig.stage, &mut rest);
        for &node in &skinned {
            let figure = &mut figures[rig.figures.of_node[node]];
            motion.points_of_node(node).for_each(|point| figure.add(rest.positions()[point]));
        }
        let mut rest = Aabb::EMPTY;
        figures.iter().for_each(|figure| rest.union(figure));
        add_rigid(rig, &rest, &mut figures);
        let largest = largest(rig, &figures);
        Some(Self { motion: Some(motion), joints: Vec::new(), skinned, rest, figures, largest })
    }

    /// Returns the diagonal of the box at rest in metres; 0 if the box is empty.
    pub fn size(&self) -> f64 {
        diagonal(&self.rest)
    }

    /// Returns the diagonal at rest, in metres, of the figure of a node, by which lengths at the node are judged: of the skins
    /// that the figure carries and of its rigid parts. Of a prop it is that of the largest figure if that is larger, since it handles the
    /// prop; of a node that belongs to no figure, or to one that nothing is drawn of, that of the whole scene.
    pub fn size_of_figure(&self, rig: &Rig, node: usize) -> f64 {
        let Figures { of_node, is_whole, .. } = &rig.figures;
        let (figure, scene) = (of_node[node], rig.figures.rest());
        let own = diagonal(&self.figures[figure]);
        let is_prop = figure != scene && !is_whole[figure];
        let size = if is_prop { own.max(self.largest) } else { own };
        if size > 0.0 { size } else { diagonal(&self.figures[scene]) }
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

/// Adds the rigid parts of figures to their boxes. The rest of the scene is as large as all skins and its own parts or, without
/// any skin, as all that is drawn.
fn add_rigid(rig: &Rig, skins: &Aabb, figures: &mut [Aabb]) {
    let (model, rest) = (rig.model, rig.figures.rest());
    let is_part = model.hierarchy.with_descendants(rig.figures.is_part.clone());
    figures[rest] = *skins;
    for &node in rig.stage.nodes.iter().filter(|node| model.nodes[**node].skin.is_none()) {
        let (bounds, figure) = (rig.stage.node_bounds(model, node), rig.figures.of_node[node]);
        if skins.is_empty() {
            figures[rest].union(&bounds);
        }
        if is_part[node] {
            figures[figure].union(&bounds);
        }
    }
}

/// Returns the diagonal of the largest figure that is no prop.
fn largest(rig: &Rig, figures: &[Aabb]) -> f64 {
    let whole = figures.iter().zip(&rig.figures.is_whole).filter(|(_, is_whole)| **is_whole);
    whole.map(|(figure, _)| diagonal(figure)).fold(0.0, f64::max)
}

/// Returns the diagonal of a box; 0 if it is empty.
fn diagonal(of: &Aabb) -> f64 {
    if of.is_empty() { 0.0 } else { f64::from(of.size().length()) }
}
