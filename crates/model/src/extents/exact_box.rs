//! The exact bounding box of what a scene draws in any pose, by visiting only the vertices that may reach its sides.

use std::collections::HashSet;

use glam::{Affine3A, Vec3};

use super::over_clip::{Cost, Poses, measure_over};
use super::primitive_bounds::drawn_vertices;
use crate::stage::is_duplicate;
use crate::{Aabb, DrawnPrimitive, HeldRoot, Influence, Model, PalettePart, Primitive, Stage};
use rigview_anim::{Clip, Skin};

/// The vertices that a scene draws; they are collected once per scene.
#[derive(Debug, Default)]
pub struct DrawnVertices {
    surfaces: Vec<DrawnPrimitive>,
    /// By mesh and primitive: the vertices that the indices use, increasing. Meshes that the scene does not draw have
    /// none.
    vertices: Vec<Vec<Vec<u32>>>,
}

/// The share of the largest coordinate by which a bound may be too small due to rounding.
const ROUNDING: f32 = 2e-6;

impl DrawnVertices {
    /// Collects the vertices of a scene.
    pub fn new(model: &Model, stage: &Stage) -> Self {
        let mut drawn =
            Self { surfaces: Vec::new(), vertices: vec![Vec::new(); model.meshes.len()] };
        let mut seen = HashSet::new();
        for &node in stage.nodes.iter().filter(|node| !is_duplicate(model, **node, &mut seen)) {
            let Some(mesh) = model.nodes[node].mesh else { continue };
            let primitives = &model.meshes[mesh].primitives;
            drawn
                .surfaces
                .extend((0..primitives.len()).map(|primitive| DrawnPrimitive { node, primitive }));
            if drawn.vertices[mesh].is_empty() {
                let of = |primitive: &Primitive| {
                    let parts = primitive.parts.iter();
                    parts.flat_map(|part| drawn_vertices(primitive, part)).collect()
                };
                drawn.vertices[mesh] = primitives.iter().map(of).collect();
            }
        }
        drawn
    }

    /// Returns the box over a whole clip, or at rest without one, at the instants at which it is framed; otherwise like
    /// [`DrawnVertices::add_to`]. A root may be held in its place. Leaves the stage in another pose.
    ///
    /// # Panics
    /// As [`DrawnVertices::add_to`].
    pub fn box_over(
        &self,
        model: &Model,
        stage: &mut Stage,
        clip: Option<&Clip>,
        held: Option<HeldRoot>,
    ) -> Aabb {
        let points = self.vertices.iter().flatten().map(Vec::len).sum();
        let mut boxes = 0;
        for drawn in &self.surfaces {
            let node = &model.nodes[drawn.node];
            let Some(mesh) = node.mesh else { continue };
            let joints = &model.meshes[mesh].primitives[drawn.primitive].bounds.joints;
            boxes += joints.len().max(node.instances.len()).max(1);
        }
        let mut bounds = Aabb::EMPTY;
        measure_over(
            Poses { model, clip, held },
            stage,
            Cost { points, boxes },
            &mut bounds,
            |bounds, stage| self.add_to(bounds, model, stage),
            |bounds, stage| self.excess(bounds, model, stage),
        );
        bounds
    }

    /// Returns an upper bound of the distance by which the stage's pose reaches beyond a box; 0 if it can't.
    fn excess(&self, bounds: &Aabb, model: &Model, stage: &Stage) -> f32 {
        let mut most = 0.0f32;
        for &drawn in self.surfaces.iter().filter(|drawn| stage.unhidden[drawn.node]) {
            let instances = &model.nodes[drawn.node].instances;
            stage.for_each_box(model, drawn, instances, |own, matrix| {
                let own = own.transformed(matrix);
                if !holds(bounds, &own) {
                    let out = (bounds.min - own.min).max(own.max - bounds.max).max_element();
                    most = most.max(out);
                }
            });
        }
        most
    }

    /// Adds the box of all vertices in the stage's pose, relative to its origin: the smallest one that holds each of
    /// them, without those of nodes that the file hides. Vertices that are not finite do not count. The larger the box
    /// is already, the fewer vertices are posed.
    ///
    /// # Panics
    /// If model or scene are not those that the vertices were collected of.
    pub fn add_to(&self, bounds: &mut Aabb, model: &Model, stage: &Stage) {
        let shown = || self.surfaces.iter().filter(|drawn| stage.unhidden[drawn.node]);
        // Those that are outermost at rest are near the box's sides in most poses, so that few others remain.
        for drawn in shown().filter(|drawn| model.nodes[drawn.node].instances.is_empty()) {
            stage.outermost(model, *drawn, &[], |at| add(bounds, at));
        }
        for &drawn in shown() {
            let Some(mesh) = model.nodes[drawn.node].mesh else { continue };
            let vertices = &self.vertices[mesh][drawn.primitive];
            let primitive = &model.meshes[mesh].primitives[drawn.primitive];
            let surface = PosedPrimitive { model, stage, drawn, primitive, vertices };
            match model.nodes[drawn.node].skin.filter(|_| primitive.influences.is_some()) {
                Some(skin) => surface.add_skinned(&model.skins[skin], bounds),
                None => surface.add_rigid(bounds),
            }
        }
    }
}

/// A posed primitive and its drawn vertices.
struct PosedPrimitive<'a> {
    model: &'a Model,
    stage: &'a Stage,
    drawn: DrawnPrimitive,
    primitive: &'a Primitive,
    vertices: &'a [u32],
}

impl PosedPrimitive<'_> {
    /// Poses all vertices of the node or of its instances, except where the primitive's box is inside already.
    fn add_rigid(&self, bounds: &mut Aabb) {
        let Self { model, stage, drawn, primitive, vertices } = self;
        let weights = stage.local.weights(drawn.node);
        let instances = &model.nodes[drawn.node].instances[..];
        let places = if instances.is_empty() { &[Affine3A::IDENTITY] } else { instances };
        let mut morphed: Option<Vec<Vec3>> = None;
        for place in places {
            let world_from_mesh = *stage.world.world_from_node(drawn.node) * *place;
            if holds(bounds, &primitive.bounds.rigid(&world_from_mesh, weights)) {
                continue;
            }
            let own = morphed.get_or_insert_with(|| primitive.morphed(vertices, weights));
            own.iter().for_each(|at| add(bounds, world_from_mesh.transform_point3(*at)));
        }
    }

    /// Poses the vertices of joints whose boxes reach outside. A vertex lies in the hull of the boxes of its joints,
    /// so all others are inside.
    fn add_skinned(&self, skin: &Skin, bounds: &mut Aabb) {
        let Self { model, stage, drawn, primitive, vertices } = self;
        let reach = primitive.bounds.morph_reach(stage.local.weights(drawn.node));
        let mut reaches = vec![false; skin.joints.len()];
        for (joint, own) in &primitive.bounds.joints {
            let joint = usize::from(*joint);
            let own = own.moved_by(&reach);
            let posed = own.transformed(&skin.joint_matrix(joint, &stage.world));
            reaches[joint] = !holds(bounds, &posed);
        }
        let wanted = |part: &PalettePart, vertex: u32| {
            let Some(influences) = &primitive.influences else { return true };
            may_reach(influences.of_vertex(vertex as usize), |place| {
                reaches[usize::from(part.joints[usize::from(place)])]
            })
        };
        let mut outside = Vec::new();
        let mut rest = &vertices[..];
        for part in &primitive.parts {
            let (own, others) = rest.split_at(rest.partition_point(|v| *v < part.vertices.end));
            rest = others;
            outside.extend(own.iter().copied().filter(|vertex| wanted(part, *vertex)));
        }
        let posed = stage.deformed_at(model, *drawn, &outside).unwrap_or_default();
        posed.into_iter().for_each(|at| add(bounds, at));
    }
}

/// Whether a vertex may be outside of the box if some joints' boxes are, given by their places in the part: one that
/// such a joint moves, and one whose weights make it no mean of its joints.
fn may_reach(sets: &[Influence], reaches: impl Fn(u8) -> bool) -> bool {
    let mut moved = false;
    for (joint, weight) in sets.iter().flat_map(|set| set.joints.iter().zip(set.weights)) {
        if weight < 0.0 || (weight > 0.0 && reaches(*joint)) {
            return true;
        }
        moved |= weight > 0.0;
    }
    !moved
}

fn add(bounds: &mut Aabb, at: Vec3) {
    if at.is_finite() {
        bounds.add(at);
    }
}

/// Whether a box is inside of another one by more than rounding. An empty one always is, one that is not finite never.
fn holds(outer: &Aabb, inner: &Aabb) -> bool {
    let slack = Vec3::splat(ROUNDING * outer.min.abs().max(outer.max.abs()).max_element());
    let is_inside =
        inner.min.cmpge(outer.min + slack).all() && inner.max.cmple(outer.max - slack).all();
    is_inside || *inner == Aabb::EMPTY
}
