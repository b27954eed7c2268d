//! Measures a primitive: the boxes of its vertices, and the vertices that reach furthest.

use super::joint_hulls::JointHulls;
use glam::Vec3;

use crate::{Aabb, FineHull, Hull, PalettePart, Primitive, PrimitiveBounds};

impl PrimitiveBounds {
    /// Measures a primitive by its vertices that are indexed and finite.
    pub fn measure(primitive: &Primitive) -> Self {
        let mut rest = Aabb::EMPTY;
        let mut joints: Vec<(u16, Aabb)> = Vec::new();
        let mut targets = vec![Aabb::EMPTY; primitive.targets.len()];
        let mut drawn: Vec<DrawnVertex> = Vec::new();
        for part in &primitive.parts {
            let mut boxes = vec![Aabb::EMPTY; part.joints.len()];
            for index in drawn_vertices(primitive, part) {
                let vertex = index as usize;
                let position = Vec3::from(primitive.vertices[vertex].position);
                if !position.is_finite() {
                    continue;
                }
                rest.add(position);
                let source = primitive.source_vertex.as_ref().map_or(index, |list| list[vertex]);
                let heaviest = heaviest_joint(primitive, vertex);
                let joint = part.joints.get(heaviest).copied().unwrap_or_default();
                drawn.push(DrawnVertex { source, vertex: index, joint });
                if let Some(influences) = &primitive.influences {
                    for set in influences.of_vertex(vertex) {
                        for (joint, weight) in set.joints.iter().zip(set.weights) {
                            if weight > 0.0 {
                                boxes[usize::from(*joint)].add(position);
                            }
                        }
                    }
                }
                for (target, deltas) in primitive.targets.iter().zip(&mut targets) {
                    if let Some(delta) = target.positions.get(vertex) {
                        deltas.add(Vec3::from(*delta));
                    }
                }
            }
            let used = part.joints.iter().copied().zip(boxes).filter(|(_, b)| !b.is_empty());
            joints.extend(used);
        }
        let outermost = outermost(primitive, drawn);
        merge_boxes(&mut joints);
        Self { rest: (!rest.is_empty()).then_some(rest), joints, targets, outermost, seen: None }
    }
}

/// Sorts boxes by their joints, and unites those of one joint.
pub(crate) fn merge_boxes(boxes: &mut Vec<(u16, Aabb)>) {
    boxes.sort_by_key(|(joint, _)| *joint);
    boxes.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1.union(&next.1);
        }
        same
    });
}

impl Primitive {
    /// Returns the joint of the skin that moves a vertex most; `None` for a rigid primitive.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn leading_joint(&self, vertex: u32) -> Option<u16> {
        let part = self.parts.iter().find(|part| part.vertices.contains(&vertex))?;
        self.influences.as_ref()?;
        part.joints.get(heaviest_joint(self, vertex as usize)).copied()
    }
}

/// A drawn vertex, its index in the file, and the joint of the skin that moves it most.
#[derive(Clone, Copy)]
struct DrawnVertex {
    source: u32,
    vertex: u32,
    joint: u16,
}

/// Returns the outermost of the vertices that each joint moves most: at rest, and with one morph target at a time.
/// Vertices are visited once each and in file order, so that the result does not depend on how a primitive is cut into
/// parts.
fn outermost(primitive: &Primitive, mut drawn: Vec<DrawnVertex>) -> Vec<u32> {
    if primitive.source_vertex.is_some() {
        drawn.sort_by_key(|d| d.source);
        drawn.dedup_by_key(|d| d.source);
    }
    let position = |vertex: u32| Vec3::from(primitive.vertices[vertex as usize].position);
    // Where the targets move a vertex.
    let moved = |vertex: u32| {
        let deltas = primitive.targets.iter().filter_map(move |t| t.positions.get(vertex as usize));
        let deltas = deltas.map(|delta| Vec3::from(*delta)).filter(|delta| *delta != Vec3::ZERO);
        deltas.map(move |delta| position(vertex) + delta)
    };
    if primitive.influences.is_none() {
        let [mut rest, mut morphed]: [FineHull<u32>; 2] = Default::default();
        for d in &drawn {
            rest.add(position(d.vertex), d.vertex);
            moved(d.vertex).for_each(|at| morphed.add(at, d.vertex));
        }
        return in_order(rest.furthest().chain(morphed.furthest()).collect());
    }
    // The hulls of many parts hold more of the whole than each of its part.
    let mut hulls: JointHulls<[Hull<u32>; 2]> = JointHulls::default();
    for d in drawn {
        let [rest, morphed] = hulls.hull_mut(usize::from(d.joint));
        rest.add(position(d.vertex), d.vertex);
        moved(d.vertex).for_each(|at| morphed.add(at, d.vertex));
    }
    in_order(hulls.iter().flatten().flat_map(Hull::furthest).collect())
}

/// Sorts vertices and removes repeated ones.
fn in_order(mut vertices: Vec<u32>) -> Vec<u32> {
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}

/// Returns the vertices that a part's indices use, each once.
pub(crate) fn drawn_vertices(
    primitive: &Primitive,
    part: &PalettePart,
) -> impl Iterator<Item = u32> {
    let mut drawn = vec![false; part.vertices.len()];
    for index in &primitive.indices[part.indices.start as usize..part.indices.end as usize] {
        drawn[(index - part.vertices.start) as usize] = true;
    }
    part.vertices.clone().zip(drawn).filter_map(|(vertex, drawn)| drawn.then_some(vertex))
}

/// Returns the joint that moves a vertex most, as an index into its part's joints; 0 if it is rigid.
fn heaviest_joint(primitive: &Primitive, vertex: usize) -> usize {
    let Some(influences) = &primitive.influences else { return 0 };
    let mut heaviest = (0.0, 0);
    for set in influences.of_vertex(vertex) {
        for (joint, weight) in set.joints.iter().zip(set.weights) {
            if weight > heaviest.0 {
                heaviest = (weight, usize::from(*joint));
            }
        }
    }
    heaviest.1
}
