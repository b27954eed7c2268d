//! One of two compared models: its scene, and the points that are measured.

use glam::{Affine3A, DVec3, Mat3, Vec3};

use super::pairing::near_pairs::NodePlaces;
use super::pairing::pairs::entry_name;
use rigview_anim::Clip;
use rigview_model::{
    Aabb, Model, OverBudget, PointPositions, SkinMotion, Stage, Topology, VertexPlace,
};

/// A model with the layout of its vertices.
pub(super) struct Side<'a> {
    pub model: &'a Model,
    /// The default scene at rest.
    pub stage: Stage,
    pub motion: SkinMotion,
    /// The places of all points at rest, relative to the stage's origin.
    pub rest: Vec<Vec3>,
    /// The joint matrices at rest.
    joints_at_rest: PointPositions,
    /// Whether some matrix of the scene at rest may mirror.
    pub may_mirror: bool,
}

/// A scene that is posed at many instants.
pub(super) struct Posed {
    pub stage: Stage,
    skin: PointPositions,
}

impl<'a> Side<'a> {
    /// Lays out what a stage of a model shows.
    ///
    /// # Errors
    /// If its vertices do not fit in its budget.
    pub fn new(model: &'a Model, stage: Stage) -> Result<Self, OverBudget> {
        let motion = SkinMotion::new(model, &stage.nodes)?;
        let mut joints_at_rest = PointPositions::default();
        motion.pose_joints(model, &stage, &mut joints_at_rest);
        let may_mirror = stage.may_mirror();
        let mut side = Self { model, stage, motion, rest: Vec::new(), joints_at_rest, may_mirror };
        side.find_rest();
        Ok(side)
    }

    /// Finds the places of all points at rest.
    pub fn find_rest(&mut self) {
        let mut posed = self.posed();
        posed.pose(self, None, 0.0);
        self.rest = posed.skin.positions().to_vec();
    }

    /// Returns a copy of the scene to pose.
    pub fn posed(&self) -> Posed {
        Posed { stage: self.stage.clone(), skin: PointPositions::default() }
    }

    /// Returns the places of all nodes at rest, relative to the stage's origin and moved by an offset.
    pub fn node_places(&self, offset: Vec3) -> NodePlaces {
        let origin = |node| Vec3::from(self.stage.world.world_from_node(node).translation) + offset;
        let nodes = self.model.nodes.len();
        let mut boxes = vec![[Vec3::INFINITY, Vec3::NEG_INFINITY]; nodes];
        for (node, points) in self.motion.points_by_node() {
            let [min, max] = &mut boxes[node];
            for at in self.rest[points].iter().map(|at| *at + offset) {
                (*min, *max) = (min.min(at), max.max(at));
            }
        }
        NodePlaces { origins: (0..nodes).map(origin).collect(), boxes }
    }

    /// Returns the nodes of the scene that draw a mesh.
    pub fn drawing_nodes(&self) -> Vec<usize> {
        let draws = |node: &usize| self.model.nodes[*node].mesh.is_some();
        self.stage.nodes.iter().copied().filter(draws).collect()
    }

    /// Returns the box of a node's mesh, in the mesh's space; that of the origin without one.
    pub fn mesh_box(&self, node: usize) -> Aabb {
        let mesh = self.model.nodes[node].mesh.map(|mesh| &self.model.meshes[mesh]);
        let mut all = Aabb::EMPTY;
        let boxes = mesh.into_iter().flat_map(|mesh| &mesh.primitives);
        boxes.filter_map(|p| p.bounds.rest.as_ref()).for_each(|bounds| all.union(bounds));
        if all.is_empty() { Aabb { min: Vec3::ZERO, max: Vec3::ZERO } } else { all }
    }

    /// Returns the node's name, or its index after `#` if it has none.
    pub fn node_name(&self, node: usize) -> String {
        entry_name(&self.model.nodes[node].name, node)
    }

    /// Returns the position of a point in its mesh's space.
    pub fn mesh_position(&self, point: usize) -> Vec3 {
        self.motion.mesh_position(point)
    }

    /// Returns the linear part of the matrix from a point's mesh to the scene at rest.
    pub fn scene_from_mesh(&self, point: usize) -> Mat3 {
        self.motion.scene_from_mesh(point, &self.stage, &self.joints_at_rest)
    }

    /// Whether the matrix from a point's mesh to the scene at rest mirrors, which reverses the winding of its triangles.
    pub fn mirrors(&self, point: usize) -> bool {
        self.may_mirror && self.scene_from_mesh(point).determinant() < 0.0
    }

    /// Returns the points at the corners of a node's triangles. Those of a line or a point are repeated.
    pub fn elements(&self, node: usize) -> impl Iterator<Item = [usize; 3]> {
        elements(self.model, &self.motion, node)
    }

    /// Returns what [`Side::elements`] does, with the vertices.
    pub fn elements_with_vertices(&self, node: usize) -> impl Iterator<Item = Element> {
        elements_with_vertices(self.model, &self.motion, node)
    }

    /// Returns the nodes that move a vertex, with their weights: its joints, or the node that draws it.
    pub fn movers(&self, place: VertexPlace) -> Vec<(usize, f32)> {
        let VertexPlace { node, primitive, vertex } = place;
        let nodes = &self.model.nodes;
        let rigid = vec![(node, 1.0)];
        let (Some(mesh), Some(skin)) = (nodes[node].mesh, nodes[node].skin) else { return rigid };
        let primitive = &self.model.meshes[mesh].primitives[primitive];
        let Some(influences) = &primitive.influences else { return rigid };
        let part = primitive.parts.partition_point(|part| part.vertices.end <= vertex);
        let Some(part) = primitive.parts.get(part) else { return rigid };
        let mut movers = Vec::new();
        for set in influences.of_vertex(vertex as usize) {
            for (joint, weight) in set.joints.iter().zip(set.weights) {
                // An unused influence may have an invalid joint ID.
                if weight > 0.0
                    && let Some(joint) = part.joints.get(usize::from(*joint))
                {
                    let joint = self.model.skins[skin].joints[usize::from(*joint)];
                    movers.push((joint as usize, weight));
                }
            }
        }
        if movers.is_empty() { rigid } else { movers }
    }
}

/// Returns the points at the corners of the triangles that a node draws. Those of a line or a point are repeated.
pub(super) fn elements(
    model: &Model,
    motion: &SkinMotion,
    node: usize,
) -> impl Iterator<Item = [usize; 3]> {
    elements_with_vertices(model, motion, node).map(|element| element.points)
}

/// A triangle that a node draws, or a line or a point.
pub(super) struct Element {
    pub topology: Topology,
    pub primitive: usize,
    /// The vertices of the primitive at its corners.
    pub vertices: [u32; 3],
    pub points: [usize; 3],
}

/// Returns what [`elements`] does, with the vertices.
fn elements_with_vertices(
    model: &Model,
    motion: &SkinMotion,
    node: usize,
) -> impl Iterator<Item = Element> {
    let mesh = model.nodes[node].mesh.map(|mesh| &model.meshes[mesh]);
    let primitives = mesh.map_or(&[][..], |mesh| &mesh.primitives).iter().enumerate();
    primitives.flat_map(move |(primitive, of)| {
        let points: Vec<Option<usize>> = motion.points_of(node, primitive).collect();
        let elements = of.indices.chunks_exact(of.mode.topology().corners());
        let corners = elements.filter_map(move |element| {
            let vertices = [0, 1, 2].map(|i: usize| element[i.min(element.len() - 1)]);
            let [a, b, c] = vertices.map(|vertex| points[vertex as usize]);
            let topology = of.mode.topology();
            Some(Element { topology, primitive, vertices, points: [a?, b?, c?] })
        });
        corners.collect::<Vec<_>>()
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
