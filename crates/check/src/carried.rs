//! Meshes that one joint carries as a whole, such as a rifle in several parts, or a flag on a pole. They reach the joint, by
//! themselves or by others that it carries, and may be far from it and at any other joint.

use std::collections::BTreeSet;

use super::bones::{Bones, diagonal, distance_from_line, for_each_vertex};
use super::parts::hanging_together;
use super::rig::Rig;
use rigview_model::{Aabb, Topology};

/// The distance from a joint, or from what it carries, at which a mesh reaches it, as a share of the diagonal of the bind pose.
const REACH: f64 = 0.05;

/// The largest mesh that is carried, as a share of the diagonal: a larger one may have another unit.
const MOST: f64 = 5.0;

/// Returns those meshes of a skin that a single joint moves alone and that hang together with it.
pub(super) fn carried_meshes(
    rig: &Rig,
    bones: &Bones,
    meshes: &BTreeSet<usize>,
) -> BTreeSet<usize> {
    let size = diagonal(bones.places.iter().copied());
    let reach = (REACH * size) as f32;
    let whole = meshes.iter().filter_map(|mesh| Whole::of(rig, bones, *mesh));
    let (first, others) = whole
        .filter(|it| f64::from(it.bounds.size().length()) <= MOST * size)
        .partition(|it| it.distance <= reach);
    let hangs = |it: &Whole, other: &Whole| {
        other.joint == it.joint && other.bounds.gap(&it.bounds) <= reach
    };
    hanging_together(first, others, hangs).into_iter().map(|it| it.mesh).collect()
}

/// A mesh that a single joint moves.
struct Whole {
    mesh: usize,
    joint: usize,
    bounds: Aabb,
    /// The distance of its nearest edge or vertex from the joint.
    distance: f32,
}

impl Whole {
    /// Looks at a mesh; `None` if several joints move it, or none.
    fn of(rig: &Rig, bones: &Bones, mesh: usize) -> Option<Self> {
        let primitives = &rig.model.meshes[mesh].primitives;
        let mut held = BTreeSet::new();
        let mut bounds = Aabb::EMPTY;
        for primitive in primitives {
            held.extend(primitive.bounds.joints.iter().map(|(joint, _)| usize::from(*joint)));
            for_each_vertex(primitive, |at, _| bounds.add(at));
        }
        let joint = held.pop_first().filter(|_| held.is_empty())?;
        let place = *bones.places.get(joint)?;
        let mut distance = f32::INFINITY;
        for primitive in primitives {
            let at = |corner: u32| primitive.vertices[corner as usize].position.into();
            if primitive.mode.topology() == Topology::Triangles {
                for corners in primitive.indices.chunks_exact(3) {
                    for side in 0..3 {
                        let edge = [corners[side], corners[(side + 1) % 3]].map(at);
                        distance = distance.min(distance_from_line(place, edge));
                    }
                }
            }
            for_each_vertex(primitive, |at, _| distance = distance.min(bones.distance(joint, at)));
        }
        (!bounds.is_empty()).then_some(Self { mesh, joint, bounds, distance })
    }
}
