//! The outermost points of a scene, for framing by a camera: over a whole clip, or of one pose.

use std::collections::HashSet;

use glam::{Affine3A, Vec3};

use super::hull::FineHull;
use crate::anim::Clip;
use crate::model::stage::is_duplicate;
use crate::model::{Aabb, DrawnPrimitive, Model, Primitive, Stage};

/// Returns the outermost points over a whole clip, or at rest without one, relative to the stage's
/// origin: those of the surfaces that can be seen; if there are none, of all surfaces; without meshes, of the joints
/// with a margin; without joints, of the nodes. Changes the pose of the stage.
pub fn clip_hull(model: &Model, stage: &mut Stage, clip: Option<&Clip>) -> Vec<Vec3> {
    let mut surfaces = SurfaceHull::new(model, stage);
    let times = times_to_frame(clip, surfaces.points() + model.nodes.len());
    for &time in &times {
        stage.pose(model, clip, time);
        surfaces.add(stage);
    }
    if let Some(points) = surfaces.finish() {
        return points;
    }
    let mut bones = BoneHull::new(model, stage);
    for &time in &times {
        stage.pose(model, clip, time);
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

/// Returns the outermost joints over a whole clip, or at rest without one, relative to the stage's origin. Changes the
/// pose of the stage.
pub fn joint_hull(model: &Model, stage: &mut Stage, clip: Option<&Clip>) -> Vec<Vec3> {
    let joints = stage.joints(model);
    let mut hull = FineHull::default();
    for time in times_to_frame(clip, joints.len() + model.nodes.len()) {
        stage.pose(model, clip, time);
        joints.iter().map(|joint| stage.position(*joint)).for_each(|at| hull.add(at, at));
    }
    hull.furthest().collect()
}

/// Returns the instants at which a clip is sampled to frame it: start, end, even times and keys between; 33 to
/// 161 of them, and fewer where `points` is very large.
pub(in crate::model) fn times_to_frame(clip: Option<&Clip>, points: usize) -> Vec<f64> {
    const EVEN: usize = 32;
    const KEYS: usize = 128;
    // Limit of points over all times.
    const MOST_POINTS: usize = 50_000_000;
    let Some(clip) = clip else { return vec![0.0] };
    let end = f64::from(clip.duration_secs());
    let mut times: Vec<f64> = (0..=EVEN).map(|i| end * i as f64 / EVEN as f64).collect();
    let mut keys: Vec<f32> = clip.key_times().collect();
    keys.sort_unstable_by(f32::total_cmp);
    keys.dedup();
    let step = keys.len().div_ceil(KEYS).max(1);
    times.extend(keys.into_iter().step_by(step).map(f64::from));
    let most = (MOST_POINTS / points.max(1)).max(2);
    if times.len() > most {
        let ends = [times[0], times[EVEN]];
        let step = times.len().div_ceil(most);
        times = ends.into_iter().chain(times.into_iter().skip(1).step_by(step)).collect();
    }
    times
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

    /// Returns the number of points per pose.
    fn points(&self) -> usize {
        let each = |(node, instances): &(usize, Vec<Affine3A>)| {
            let mesh = self.model.nodes[*node].mesh.map(|mesh| &self.model.meshes[mesh]);
            let points = |p: &Primitive| {
                p.bounds.seen.as_ref().map_or(p.bounds.outermost.len(), |seen| 3 * seen.len())
            };
            let points: usize = mesh.map_or(0, |mesh| mesh.primitives.iter().map(points).sum());
            points * instances.len().max(1)
        };
        self.nodes.iter().map(each).sum()
    }

    /// Adds the points of a pose.
    fn add(&mut self, stage: &Stage) {
        let Self { model, nodes, seen, unseen } = self;
        for (node, instances) in nodes.iter().filter(|(node, _)| stage.unhidden[*node]) {
            let Some(mesh) = model.nodes[*node].mesh else { continue };
            for (primitive, source) in model.meshes[mesh].primitives.iter().enumerate() {
                let shows = |material: usize| !stage.properties.materials[material].draws_nothing();
                let is_seen = source.material.is_none() || source.materials().any(shows);
                let is_cut_away = source.bounds.seen.as_ref().is_some_and(Vec::is_empty);
                let drawn = DrawnPrimitive { node: *node, primitive };
                if is_seen && !is_cut_away {
                    stage.outermost_seen(model, drawn, instances, |at| seen.add(at, at));
                } else {
                    stage.outermost(model, drawn, instances, |at| unseen.add(at, at));
                }
            }
        }
    }

    /// Returns the outermost points; `None` if nothing was drawn.
    fn finish(self) -> Option<Vec<Vec3>> {
        let lists = [self.seen, self.unseen].map(|hull| hull.furthest().collect::<Vec<Vec3>>());
        lists.into_iter().find(|points| !points.is_empty())
    }
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
