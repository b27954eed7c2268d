//! One of two compared models: its scene, and the points that are measured.

use glam::{Affine3A, DVec3, Mat3, Vec3};

use super::pairing::nearest::diagonal;
use super::pairing::pairs::entry_name;
use rigview_anim::Clip;
use rigview_model::{
    DrawnShape, Hull, Model, OverBudget, PointPositions, Primitive, SkinMotion, Stage, Topology,
};

/// Points of instances that are laid out. Of more, only the outermost instances of each node are.
const MOST_OF_INSTANCES: usize = 1 << 21;

/// A model with the layout of its vertices.
pub(super) struct Side<'a> {
    pub model: &'a Model,
    /// The scene at rest.
    pub stage: Stage,
    pub motion: SkinMotion,
    pub rest: Posed,
}

/// A scene that is posed at many instants.
pub(super) struct Posed {
    pub stage: Stage,
    skin: PointPositions,
}

/// A triangle that is drawn, or a line or a point, whose corners are repeated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub topology: Topology,
    /// Index of the primitive as a node draws it, as [`SkinMotion::drawn`] takes it.
    pub drawn: u32,
    /// Its index among those that its node draws.
    pub number: u32,
    /// The vertices of the primitive at its corners.
    pub vertices: [u32; 3],
    pub points: [u32; 3],
}

/// A vertex of a primitive that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DrawnVertex {
    /// Index of the primitive as a node draws it, as [`SkinMotion::drawn`] takes it.
    pub drawn: u32,
    pub vertex: u32,
}

impl<'a> Side<'a> {
    /// Lays out what a stage of a model shows.
    ///
    /// # Errors
    /// If its vertices do not fit in its budget.
    pub fn new(model: &'a Model, stage: Stage) -> Result<Self, OverBudget> {
        let motion = lay_out(model, &stage.nodes)?;
        let mut rest = Posed { stage: stage.clone(), skin: PointPositions::default() };
        motion.pose(model, &stage, &mut rest.skin);
        Ok(Self { model, stage, motion, rest })
    }

    /// Returns a copy of the scene to pose.
    pub fn posed(&self) -> Posed {
        Posed { stage: self.stage.clone(), skin: PointPositions::default() }
    }

    /// Returns the nodes of the scene that draw a mesh.
    pub fn drawing_nodes(&self) -> Vec<usize> {
        let draws = |node: &usize| self.model.nodes[*node].mesh.is_some();
        self.stage.nodes.iter().copied().filter(draws).collect()
    }

    /// Returns the node's name, or its index after `#` if it has none.
    pub fn node_name(&self, node: usize) -> String {
        entry_name(&self.model.nodes[node].name, node)
    }

    /// Returns the position of a point in its mesh's space.
    pub fn mesh_position(&self, point: usize) -> Vec3 {
        self.motion.mesh_position(point)
    }

    /// Returns the length of the diagonal of the model at rest in metres, 1 if it has none.
    pub fn size(&self) -> f32 {
        let node = |node: &usize| Vec3::from(self.stage.world.world_from_node(*node).translation);
        let size = if self.motion.is_empty() {
            diagonal(&self.stage.nodes.iter().map(node).collect::<Vec<_>>())
        } else {
            diagonal(self.rest.points())
        };
        if size.is_finite() && size > 0.0 { size } else { 1.0 }
    }

    /// Returns the mesh and the primitive that a node or one of its instances draws.
    pub fn primitive(&self, drawn: &DrawnShape) -> (usize, &'a Primitive) {
        let mesh = self.model.nodes[drawn.node].mesh.unwrap_or_default();
        (mesh, &self.model.meshes[mesh].primitives[drawn.primitive])
    }

    /// Returns the triangles, lines and points that a node or one of its instances draws of a primitive.
    pub fn elements(&self, number: usize) -> Vec<Element> {
        let drawn = self.motion.drawn(number);
        let (mesh, primitive) = self.primitive(&drawn);
        let topology = primitive.mode.topology();
        let before = &self.model.meshes[mesh].primitives[..drawn.primitive];
        let first: usize =
            before.iter().map(|p| p.indices.len() / p.mode.topology().corners()).sum();
        let elements = primitive.indices.chunks_exact(topology.corners()).zip(first as u32..);
        let element = |(corners, of): (&[u32], u32)| {
            let vertices = [0, 1, 2].map(|i: usize| corners[i.min(corners.len() - 1)]);
            let [a, b, c] = vertices.map(|vertex| drawn.point(vertex).map(|point| point as u32));
            let points = [a?, b?, c?];
            Some(Element { topology, drawn: number as u32, number: of, vertices, points })
        };
        elements.filter_map(element).collect()
    }

    /// Returns the nodes that move a point, with their weights: its joints, or the node that draws it.
    pub fn movers(&self, point: usize) -> Vec<(usize, f32)> {
        let mut movers = Vec::new();
        self.motion.for_each_mover(self.model, point, |node, weight| {
            match movers.iter_mut().find(|(other, _)| *other == node) {
                Some((_, sum)) => *sum += weight,
                None => movers.push((node, weight)),
            }
        });
        movers
    }
}

/// Lays out the vertices of some nodes and their instances.
fn lay_out(model: &Model, nodes: &[usize]) -> Result<SkinMotion, OverBudget> {
    let vertices = |node: usize| -> usize {
        let mesh = model.nodes[node].mesh.map(|mesh| &model.meshes[mesh]);
        mesh.map_or(0, |mesh| mesh.primitives.iter().map(|p| p.vertices.len()).sum())
    };
    let count = |node: &usize| vertices(*node).saturating_mul(model.nodes[*node].instances.len());
    let are_few = nodes.iter().map(count).fold(0, usize::saturating_add) <= MOST_OF_INSTANCES;
    SkinMotion::with_instances(model, nodes, |node| match &model.nodes[node].instances[..] {
        [] => vec![None],
        all if are_few => all.iter().copied().map(Some).collect(),
        all => {
            let mut hull: Hull<usize> = Hull::default();
            let places = all.iter().map(|instance| Vec3::from(instance.translation));
            places.enumerate().for_each(|(i, at)| hull.add(at, i));
            let mut outermost: Vec<usize> = hull.furthest().collect();
            outermost.sort_unstable();
            outermost.dedup();
            outermost.into_iter().map(|i| Some(all[i])).collect()
        }
    })
}

impl Posed {
    /// Poses the scene by a clip at a time, which is clamped to the clip, or at rest without one.
    pub fn pose(&mut self, side: &Side, clip: Option<&Clip>, time_secs: f64) {
        self.pose_nodes(side, clip, time_secs);
        self.pose_points(side);
    }

    /// Poses the nodes; the points stay where they are.
    pub fn pose_nodes(&mut self, side: &Side, clip: Option<&Clip>, time_secs: f64) {
        self.stage.pose(side.model, clip, time_secs);
    }

    /// Poses all points, as the nodes are posed.
    pub fn pose_points(&mut self, side: &Side) {
        side.motion.pose(side.model, &self.stage, &mut self.skin);
    }

    /// Computes the joint matrices for [`Posed::places`], as the nodes are posed.
    pub fn pose_joints(&mut self, side: &Side) {
        side.motion.pose_joints(side.model, &self.stage, &mut self.skin);
    }

    /// Returns the places of a point in several poses by their joint matrices, relative to the stage's origin.
    pub fn places<const N: usize>(side: &Side, poses: [&Self; N], point: u32) -> [Vec3; N] {
        side.motion.positions(point as usize, poses.map(|posed| (&posed.stage, &posed.skin)))
    }

    /// Returns the linear part of the matrix from a point's mesh to the scene, by the joint matrices.
    pub fn scene_from_mesh(&self, side: &Side, point: usize) -> Mat3 {
        side.motion.scene_from_mesh(point, &self.stage, &self.skin)
    }

    /// Returns the places of all points, relative to the stage's origin.
    pub fn points(&self) -> &[Vec3] {
        self.skin.positions()
    }

    /// Returns the matrix from a node's space to the scene, relative to the stage's origin.
    pub fn world_from_node(&self, node: usize) -> Affine3A {
        *self.stage.world.world_from_node(node)
    }

    /// Returns the place of a node's origin, relative to the stage's origin.
    pub fn node_place(&self, node: usize) -> Vec3 {
        self.stage.world.world_from_node(node).translation.into()
    }

    /// Returns a node's matrix relative to its parent, also if no pose changes it.
    pub fn parent_from_node(&self, model: &Model, node: usize) -> Affine3A {
        let fixed = model.hierarchy.fixed_matrix(node).copied();
        fixed.unwrap_or_else(|| self.stage.local.transform(node).parent_from_node())
    }
}

/// Returns what to add to the places of `b` so that they are relative to the origin of `a`.
pub(super) fn origin_offset(a: &Side, b: &Side) -> Vec3 {
    let offset: DVec3 = b.stage.origin - a.stage.origin;
    offset.as_vec3()
}
