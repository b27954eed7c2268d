//! The rule of weights on joints that are far away: WEIGHT_FAR.
//!
//! Distances are measured in the bind pose, from a vertex to the bones of a joint: the lines to its children. Rigs may
//! have joints far from their skin (a coat that hangs from the chest), so a distance alone says little. A joint is
//! found if some of its vertices lie around it and others far away from it and from them, near bones that do not hang
//! below it; or if its vertices lie at the bones of its namesake on the other side of the body.

use std::collections::BTreeSet;

use glam::Vec3;
use rayon::prelude::*;

use super::bones::{Bones, for_each_vertex};
use super::mesh::mesh_called;
use super::rig::{Rig, meshes_by_skin};
use super::{Code, Finding};
use rigview_model::Aabb;

/// The least weight that matters.
const LEAST: f32 = 0.1;

/// Vertices far away whose nearest bones are looked for, per joint.
const SAMPLES: usize = 16;

/// The nearest bone must be this much nearer than the joint's own, as a share.
const NEARER: f32 = 0.25;

/// The least weight and distance of a vertex that is at the bones of the other side, how much nearer those must be, and
/// the least number and share of a joint's vertices that are.
const HELD: f32 = 0.3;
const APART: f32 = 0.05;
const OTHER_SIDE: f32 = 0.4;
const LEAST_VERTICES: usize = 3;
const LEAST_SHARE: f32 = 0.05;

/// From this many vertices on, their share of what the joint holds does not matter, if they lie further away and nearer to the
/// bones of the other side than others must.
const CLEAR_VERTICES: usize = 6;
const CLEARLY_APART: f32 = 0.08;
const CLEARLY_OTHER_SIDE: f32 = 0.25;

/// Judges all meshes but `misfits`, which do not fit the joints of their skins as a whole.
pub(super) fn findings(rig: &Rig, misfits: &BTreeSet<(usize, usize)>) -> Vec<Finding> {
    let above = rig.nearest_joint_above();
    let skins: Vec<(usize, BTreeSet<usize>)> = meshes_by_skin(rig).into_iter().collect();
    let of_skin = |(skin, meshes): &(usize, BTreeSet<usize>)| {
        let fitting = meshes.iter().filter(|mesh| !misfits.contains(&(*skin, **mesh)));
        of_skin(rig, *skin, &fitting.copied().collect(), &above)
    };
    skins.par_iter().flat_map_iter(of_skin).collect()
}

/// A vertex that a joint holds.
#[derive(Clone)]
struct WeightedVertex {
    at: Vec3,
    weight: f32,
    /// The distance to the joint's bones.
    distance: f32,
    mesh: usize,
    primitive: usize,
}

fn of_skin(
    rig: &Rig,
    skin: usize,
    meshes: &BTreeSet<usize>,
    above: &[Option<usize>],
) -> Vec<Finding> {
    let bones = Bones::new(rig, skin, above);
    let mut held: Vec<Vec<WeightedVertex>> = vec![Vec::new(); bones.places.len()];
    let mut size = Aabb::EMPTY;
    for &mesh in meshes {
        for (i, primitive) in rig.model.meshes[mesh].primitives.iter().enumerate() {
            if let Some(rest) = &primitive.bounds.rest {
                size.union(rest);
            }
            for_each_vertex(primitive, |at, joints| {
                for (joint, weight) in joints.filter(|(_, weight)| *weight >= LEAST) {
                    let Some(list) = held.get_mut(joint) else { continue };
                    let distance = bones.distance(joint, at);
                    if distance.is_finite() {
                        list.push(WeightedVertex { at, weight, distance, mesh, primitive: i });
                    }
                }
            });
        }
    }
    let size = size.size().length();
    if !(size > 0.0 && size.is_finite()) {
        return Vec::new();
    }
    let joints = held.into_iter().enumerate().filter(|(_, list)| !list.is_empty());
    let found = joints.filter_map(|(joint, mut list)| {
        bones
            .at_other_side(rig, joint, &list, size)
            .or_else(|| bones.apart(rig, joint, &mut list, size))
    });
    found.collect()
}

impl Bones {
    /// Finds vertices that lie at the bones of the joint's namesake on the other side.
    fn at_other_side(
        &self,
        rig: &Rig,
        joint: usize,
        held: &[WeightedVertex],
        size: f32,
    ) -> Option<Finding> {
        let other = self.mirrored[joint].filter(|other| *other != joint)?;
        let is_odd = |held: &&WeightedVertex| {
            held.weight >= HELD
                && held.distance > APART * size
                && self.distance(other, held.at) < OTHER_SIDE * held.distance
        };
        let odd: Vec<&WeightedVertex> = held.iter().filter(is_odd).collect();
        let is_clear = |held: &&&WeightedVertex| {
            held.distance > CLEARLY_APART * size
                && self.distance(other, held.at) < CLEARLY_OTHER_SIDE * held.distance
        };
        let share = odd.len() as f32 / held.len() as f32;
        let is_many = odd.len() >= LEAST_VERTICES && share >= LEAST_SHARE;
        if !is_many && odd.iter().filter(is_clear).count() < CLEAR_VERTICES {
            return None;
        }
        let furthest = odd.iter().copied().max_by(|a, b| a.distance.total_cmp(&b.distance))?;
        let text = format!(
            "{} of the {} vertices that joint {} holds lie at {}, on the other side",
            odd.len(),
            held.len(),
            rig.called(self.nodes[joint]),
            rig.called(self.nodes[other]),
        );
        Some(self.finding(rig, text, joint, furthest, size).limited(f64::from(APART)))
    }

    /// Finds vertices far away from a joint and from the others that it holds, at bones that do not hang below it.
    fn apart(
        &self,
        rig: &Rig,
        joint: usize,
        held: &mut [WeightedVertex],
        size: f32,
    ) -> Option<Finding> {
        let limit = rig.threshold(Code::WeightFar) as f32 * size;
        if held.iter().all(|held| held.distance <= limit) {
            return None;
        }
        held.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        let gaps = held.windows(2).map(|pair| pair[1].distance - pair[0].distance);
        let (before, gap) = gaps.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let (near, far) = held.split_at(before + 1);
        if gap <= limit || near[near.len() - 1].distance > limit {
            return None;
        }
        let samples = far.iter().step_by(far.len().div_ceil(SAMPLES));
        let sampled = samples.len();
        if 2 * samples.filter(|held| self.is_at_others(joint, held)).count() <= sampled {
            return None;
        }
        let furthest = &far[far.len() - 1];
        let text = format!(
            "{} of the {} vertices that joint {} moves lie far away from it and from the others",
            far.len(),
            held.len(),
            rig.called(self.nodes[joint]),
        );
        Some(self.finding(rig, text, joint, furthest, size))
    }

    /// Whether a vertex lies at bones that do not hang below the joint that holds it.
    fn is_at_others(&self, joint: usize, held: &WeightedVertex) -> bool {
        let all = (0..self.places.len()).map(|other| (other, self.distance(other, held.at)));
        let nearest = all.min_by(|a, b| a.1.total_cmp(&b.1));
        nearest.is_some_and(|(other, distance)| {
            distance < NEARER * held.distance && !self.hangs_below(other, joint)
        })
    }

    fn finding(
        &self,
        rig: &Rig,
        text: String,
        joint: usize,
        held: &WeightedVertex,
        size: f32,
    ) -> Finding {
        let text = format!("{text}, in {}", mesh_called(rig, held.mesh));
        let finding = Finding::new(Code::WeightFar, text).of(rig.name(self.nodes[joint]));
        let share = f64::from(held.distance / size);
        let finding = finding.measured(share, "share of the diagonal");
        let finding = finding.limited(rig.threshold(Code::WeightFar));
        finding.at(format!("/meshes/{}/primitives/{}", held.mesh, held.primitive))
    }
}
