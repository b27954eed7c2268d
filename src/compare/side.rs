//! One of two compared models: its scene, and the points that are measured.

use glam::{Affine3A, DVec3, Vec3};

use super::pairs::entry_name;
use crate::anim::Clip;
use crate::model::{Model, OverBudget, PointPositions, SkinMotion, Stage, VertexPlace};

/// A model with the layout of its vertices.
pub(super) struct Side<'a> {
    pub model: &'a Model,
    /// The default scene at rest.
    pub stage: Stage,
    pub motion: SkinMotion,
    /// The places of all points at rest, relative to the stage's origin.
    pub rest: Vec<Vec3>,
}

/// A scene that is posed at many instants.
pub(super) struct Posed {
    pub stage: Stage,
    skin: PointPositions,
}

impl<'a> Side<'a> {
    /// Lays out a model.
    ///
    /// # Errors
    /// If its vertices do not fit in its budget.
    pub fn new(model: &'a Model) -> Result<Self, OverBudget> {
        let stage = Stage::new(model, model.default_scene);
        let motion = SkinMotion::new(model, &stage.nodes)?;
        let mut side = Self { model, stage, motion, rest: Vec::new() };
        let mut posed = side.posed();
        posed.pose(&side, None, 0.0);
        side.rest = posed.skin.positions().to_vec();
        Ok(side)
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
        let VertexPlace { node, primitive, vertex } = self.motion.place(point);
        let mesh = self.model.nodes[node].mesh.map(|mesh| &self.model.meshes[mesh]);
        mesh.map_or(Vec3::ZERO, |mesh| {
            mesh.primitives[primitive].vertices[vertex as usize].position.into()
        })
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

impl Posed {
    /// Poses the scene by a clip at a time, which is clamped to the clip, or at rest without one.
    pub fn pose(&mut self, side: &Side, clip: Option<&Clip>, time_secs: f64) {
        self.stage.pose(side.model, clip, time_secs);
        side.motion.pose(side.model, &self.stage, &mut self.skin);
    }

    /// Returns the places of all points, relative to the stage's origin.
    pub fn points(&self) -> &[Vec3] {
        self.skin.positions()
    }

    /// Returns the place of a node's origin, relative to the stage's origin.
    pub fn node_place(&self, node: usize) -> Vec3 {
        self.stage.world.world_from_node(node).translation.into()
    }

    /// Returns a node's matrix relative to its parent, also if no pose changes it.
    pub fn parent_from_node(&self, model: &Model, node: usize) -> Affine3A {
        let fixed = model.hierarchy.fixed().iter().find(|fixed| fixed.node as usize == node);
        fixed.map_or_else(
            || self.stage.local.transform(node).parent_from_node(),
            |fixed| fixed.parent_from_node,
        )
    }
}

/// Returns what to add to the places of `b` so that they are relative to the origin of `a`.
pub(super) fn origin_offset(a: &Side, b: &Side) -> Vec3 {
    let offset: DVec3 = b.stage.origin - a.stage.origin;
    offset.as_vec3()
}
