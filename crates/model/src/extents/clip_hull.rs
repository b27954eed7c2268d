//! The outermost points of a scene, for framing by a camera: over a whole clip, or of one pose.

use std::collections::HashSet;

use glam::{Affine3A, Vec3};

use super::hull::FineHull;
use super::over_clip::{Cost, Poses, measure_over};
use crate::stage::is_duplicate;
use crate::{Aabb, DrawnPrimitive, HeldRoot, Model, PrimitiveBounds, Stage};
use rigview_anim::Clip;

/// Returns the outermost points over a whole clip, or at rest without one, relative to the stage's
/// origin: those of the surfaces that can be seen; if there are none, of all surfaces; without meshes, of the joints
/// with a margin; without joints, of the nodes. A root may be held in its place. Changes the pose of the stage.
///
/// The clip is measured at 33 even times and at its [`instants`](rigview_anim::instants); of large models, at those
/// instants that may reach farthest.
pub fn clip_hull(
    model: &Model,
    stage: &mut Stage,
    clip: Option<&Clip>,
    held: Option<HeldRoot>,
) -> Vec<Vec3> {
    let mut surfaces = SurfaceHull::new(model, stage);
    let poses = Poses { model, clip, held };
    let cost = surfaces.cost();
    measure_over(poses, stage, cost, &mut surfaces, SurfaceHull::add, SurfaceHull::excess);
    if let Some(points) = surfaces.finish() {
        return points;
    }
    let mut bones = BoneHull::new(model, stage);
    for time in poses.times(bones.nodes.len() + model.nodes.len()) {
        poses.pose(stage, time);
        bones.add(stage);
    }
    bones.finish()
}

/// Returns the outermost points of a scene in its present pose; otherwise like [`clip_hull`].
pub fn pose_hull(model: &Model, stage: &Stage) -> Vec<Vec3> {
    let mut surfaces = SurfaceHull::new(model, stage);
    surfaces.add(stage);
    surfaces.finish().unwrap_or_else(|| {
        let mut bones = BoneHull::new(model, stage);
        bones.add(stage);
        bones.finish()
    })
}

/// Returns the outermost joints over a whole clip, or at rest without one, relative to the stage's origin. A root may be
/// held in its place. Changes the pose of the stage.
pub fn joint_hull(
    model: &Model,
    stage: &mut Stage,
    clip: Option<&Clip>,
    held: Option<HeldRoot>,
) -> Vec<Vec3> {
    let joints = stage.joints(model);
    let mut hull = FineHull::default();
    let poses = Poses { model, clip, held };
    for time in poses.times(joints.len() + model.nodes.len()) {
        poses.pose(stage, time);
        joints.iter().map(|joint| stage.position(*joint)).for_each(|at| hull.add(at, at));
    }
    hull.furthest().collect()
}

/// The outermost points of the meshes of a scene.
struct SurfaceHull<'a> {
    model: &'a Model,
    /// The nodes that draw something of their own, and the outermost of their instances.
    nodes: Vec<(usize, Vec<Affine3A>)>,
    seen: FineHull<Vec3>,
    /// Surfaces whose materials draw nothing, or whose textures are transparent.
    unseen: FineHull<Vec3>,
}

impl<'a> SurfaceHull<'a> {
    fn new(model: &'a Model, stage: &Stage) -> Self {
        let mut seen = HashSet::new();
        let nodes = stage.nodes.iter().filter(|n| model.nodes[**n].mesh.is_some());
        let nodes = nodes.filter(|n| !is_duplicate(model, **n, &mut seen));
        let nodes = nodes.map(|n| (*n, model.furthest_instances(*n))).collect();
        Self { model, nodes, seen: FineHull::default(), unseen: FineHull::default() }
    }

    /// Returns the number of points and boxes per pose.
    fn cost(&self) -> Cost {
        let mut cost = Cost { points: 0, boxes: 0 };
        for (node, instances) in &self.nodes {
            let Some(mesh) = self.model.nodes[*node].mesh else { continue };
            for PrimitiveBounds { joints, outermost, seen, .. } in
                self.model.meshes[mesh].primitives.iter().map(|primitive| &primitive.bounds)
            {
                let points = seen.as_ref().map_or(outermost.len(), |seen| 3 * seen.len());
                cost.points += points * instances.len().max(1);
                cost.boxes += joints.len().max(instances.len()).max(1);
            }
        }
        cost
    }

    /// Adds the points of a pose.
    fn add(&mut self, stage: &Stage) {
        let Self { model, nodes, seen, unseen } = self;
        for VisiblePrimitive { drawn, instances, is_seen } in surfaces(model, nodes, stage) {
            if is_seen {
                stage.outermost_seen(model, drawn, instances, |at| seen.add(at, at));
            } else {
                stage.outermost(model, drawn, instances, |at| unseen.add(at, at));
            }
        }
    }

    /// Returns an upper bound of the distance by which a pose reaches beyond the points; 0 if it can't.
    fn excess(&self, stage: &Stage) -> f32 {
        let Self { model, nodes, seen, unseen } = self;
        let mut most = 0.0f32;
        for VisiblePrimitive { drawn, instances, is_seen } in surfaces(model, nodes, stage) {
            let hull = if is_seen { seen } else { unseen };
            stage.for_each_box(model, drawn, instances, |bounds, matrix| {
                most = most.max(hull.excess(bounds, matrix));
            });
        }
        most
    }

    /// Returns the outermost points; `None` if nothing was drawn.
    fn finish(self) -> Option<Vec<Vec3>> {
        let lists = [self.seen, self.unseen].map(|hull| hull.furthest().collect::<Vec<Vec3>>());
        lists.into_iter().find(|points| !points.is_empty())
    }
}

/// A primitive as a node draws it in a pose.
struct VisiblePrimitive<'a> {
    drawn: DrawnPrimitive,
    instances: &'a [Affine3A],
    /// Whether its material and its texture leave anything of it.
    is_seen: bool,
}

/// Returns the surfaces of these nodes that the file does not hide in a pose.
fn surfaces<'a>(
    model: &'a Model,
    nodes: &'a [(usize, Vec<Affine3A>)],
    stage: &'a Stage,
) -> impl Iterator<Item = VisiblePrimitive<'a>> {
    let shows = |material: usize| !stage.properties.materials[material].draws_nothing();
    let of_mesh = |node: usize| model.nodes[node].mesh.map(|mesh| &model.meshes[mesh].primitives);
    let shown = nodes.iter().filter(|(node, _)| stage.unhidden[*node]);
    shown.flat_map(move |(node, instances)| {
        let primitives = of_mesh(*node).into_iter().flatten().enumerate();
        primitives.map(move |(primitive, source)| {
            let shows_any = source.material.is_none() || source.materials().any(shows);
            let is_cut_away = source.bounds.seen.as_ref().is_some_and(Vec::is_empty);
            let drawn = DrawnPrimitive { node: *node, primitive };
            VisiblePrimitive { drawn, instances, is_seen: shows_any && !is_cut_away }
        })
    })
}

/// The outermost points of the joints of a scene without meshes, or of all nodes without joints.
struct BoneHull {
    nodes: Vec<usize>,
    hull: FineHull<Vec3>,
    /// The box of all poses.
    path: Aabb,
    /// The largest side of the box of one pose.
    largest: f32,
}

impl BoneHull {
    fn new(model: &Model, stage: &Stage) -> Self {
        let joints = stage.joints(model);
        let nodes = if joints.is_empty() { stage.nodes.clone() } else { joints };
        Self { nodes, hull: FineHull::default(), path: Aabb::EMPTY, largest: 0.0 }
    }

    fn add(&mut self, stage: &Stage) {
        let mut posed = Aabb::EMPTY;
        let positions = self.nodes.iter().map(|node| stage.position(*node));
        for at in positions.filter(|at| at.is_finite()) {
            self.hull.add(at, at);
            posed.add(at);
        }
        if !posed.is_empty() {
            self.largest = self.largest.max(posed.size().max_element());
            self.path.union(&posed);
        }
    }

    fn finish(mut self) -> Vec<Vec3> {
        /// Margin of a body around its joints, as a fraction of the largest side of their box.
        const MARGIN: f32 = 0.08;
        // A single joint has no size; use that of its path.
        if self.largest == 0.0 && !self.path.is_empty() {
            self.largest = self.path.size().max_element();
        }
        // No margin below, because the ground is at the lowest joint.
        let reach = MARGIN * self.largest;
        let sides = [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z, Vec3::Y].map(|side| reach * side);
        let around = |at: Vec3| sides.map(|side| at + side).into_iter().chain([at]);
        self.hull.furthest().flat_map(around).collect()
    }
}
