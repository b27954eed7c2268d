//! Pairs the vertices of two meshes: by index where both number them alike, otherwise by place.

use glam::Vec3;

use super::nearest::{Candidates, SAME_PLACE, corners, diagonal, nearest_pairs};
use super::pairs::Pairs;
use super::side::Side;
use crate::model::{Model, Primitive};

/// The share of the vertices at the same place above which both meshes number them alike.
const ALIKE: f64 = 0.5;

/// The share of the vertices that must have a partner if they are paired by place.
const ENOUGH: f64 = 0.9;

/// A node of each model, which draw the same mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Drawn {
    pub a: usize,
    pub b: usize,
}

/// Indices of a point of each model, which belong to the same vertex.
pub(super) type PointPair = [u32; 2];

/// Pairs the points of a mesh, or returns `None` if the meshes have too little in common.
pub(super) fn vertex_pairs(
    a: &Side,
    b: &Side,
    nodes: &Pairs,
    drawn: Drawn,
) -> Option<Vec<PointPair>> {
    let numbered = numbered_pairs(a, b, drawn);
    if let Some(pairs) = &numbered
        && are_in_place(a, b, pairs)
    {
        return numbered;
    }
    let points_a: Vec<usize> = a.motion.points_of_node(drawn.a).collect();
    let points_b: Vec<usize> = b.motion.points_of_node(drawn.b).collect();
    if points_a.is_empty() && points_b.is_empty() {
        return Some(Vec::new());
    }
    let mut best: Option<(f64, Vec<PointPair>)> = None;
    for space in Space::ALL {
        let [places_a, places_b] =
            [(a, &points_a), (b, &points_b)].map(|(side, points)| space.places(side, points));
        let candidates = Candidates {
            places: [&places_a, &places_b],
            unlike: &|i, j| unlike(a, b, nodes, points_a[i], points_b[j]),
        };
        let (share, pairs) = nearest_pairs(&candidates);
        if best.as_ref().is_none_or(|(most, _)| share > *most) {
            let point =
                |[i, j]: [u32; 2]| [points_a[i as usize] as u32, points_b[j as usize] as u32];
            best = Some((share, pairs.into_iter().map(point).collect()));
        }
        if best.as_ref().is_some_and(|(share, _)| *share > 0.999) {
            break;
        }
    }
    let by_place = best.filter(|(share, pairs)| *share >= ENOUGH && !pairs.is_empty());
    let same_triangles = || same_indices(a.model, b.model, drawn);
    by_place.map(|(_, pairs)| pairs).or_else(|| numbered.filter(|_| same_triangles()))
}

/// Pairs the points of equally numbered vertices. Returns `None` if the primitives or their vertices are not
/// equally many.
fn numbered_pairs(a: &Side, b: &Side, drawn: Drawn) -> Option<Vec<PointPair>> {
    let [primitives_a, primitives_b] = primitives(a.model, b.model, drawn);
    if primitives_a.len() != primitives_b.len() {
        return None;
    }
    let mut pairs = Vec::new();
    for (i, (of_a, of_b)) in primitives_a.iter().zip(primitives_b).enumerate() {
        if of_a.source_vertices != of_b.source_vertices {
            return None;
        }
        let [numbers_a, numbers_b] =
            [(a, of_a, drawn.a), (b, of_b, drawn.b)].map(|(side, primitive, node)| {
                let mut points = vec![None; primitive.source_vertices as usize];
                for (vertex, point) in side.motion.points_of(node, i).enumerate() {
                    let source =
                        primitive.source_vertex.as_ref().map_or(vertex, |s| s[vertex] as usize);
                    if let (Some(slot), Some(point)) = (points.get_mut(source), point) {
                        *slot = Some(point as u32);
                    }
                }
                points
            });
        let both = numbers_a.into_iter().zip(numbers_b);
        pairs.extend(both.filter_map(|(a, b)| Some([a?, b?])));
    }
    // Vertices that differ only in normals or texture coordinates are one point.
    pairs.sort_unstable();
    pairs.dedup();
    (!pairs.is_empty()).then_some(pairs)
}

fn primitives<'a>(a: &'a Model, b: &'a Model, drawn: Drawn) -> [&'a [Primitive]; 2] {
    [(a, drawn.a), (b, drawn.b)].map(|(model, node)| {
        let mesh = model.nodes[node].mesh.map(|mesh| &model.meshes[mesh]);
        mesh.map_or(&[][..], |mesh| &mesh.primitives)
    })
}

/// Whether both meshes connect their vertices by the same indices.
fn same_indices(a: &Model, b: &Model, drawn: Drawn) -> bool {
    let [a, b] = primitives(a, b, drawn);
    let source = |p: &Primitive| -> Vec<u32> {
        let number = |v: &u32| p.source_vertex.as_ref().map_or(*v, |s| s[*v as usize]);
        p.indices.iter().map(number).collect()
    };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| source(a) == source(b))
}

/// Whether enough of the pairs have one place in any space. Positions that are no numbers are the same place.
fn are_in_place(a: &Side, b: &Side, pairs: &[PointPair]) -> bool {
    let [points_a, points_b] =
        [0, 1].map(|side| pairs.iter().map(|pair| pair[side] as usize).collect::<Vec<_>>());
    Space::ALL.into_iter().any(|space| {
        let [a, b] = [(a, &points_a), (b, &points_b)].map(|(side, p)| space.places(side, p));
        let near = SAME_PLACE * diagonal(&a).max(diagonal(&b));
        let is_same =
            |(a, b): &(&Vec3, &Vec3)| a.distance(**b) <= near || !(a.is_finite() || b.is_finite());
        let same = a.iter().zip(&b).filter(is_same).count();
        same as f64 >= ALIKE * pairs.len() as f64
    })
}

/// The space in which two vertices are at one place.
#[derive(Clone, Copy)]
enum Space {
    /// That of the mesh.
    Mesh,
    /// That of the scene, at rest: quantized meshes have a space of their own.
    Rest,
    /// That of the mesh, scaled so that it fills a cube: models in other units, or of another scale.
    Box,
}

impl Space {
    const ALL: [Space; 3] = [Space::Mesh, Space::Rest, Space::Box];

    fn places(self, side: &Side, points: &[usize]) -> Vec<Vec3> {
        let mesh = || points.iter().map(|point| side.mesh_position(*point)).collect();
        match self {
            Space::Mesh => mesh(),
            Space::Rest => points.iter().map(|point| side.rest[*point]).collect(),
            Space::Box => {
                let places: Vec<Vec3> = mesh();
                let [min, max] = corners(&places);
                let size = (max - min).max(Vec3::splat(f32::MIN_POSITIVE));
                places.into_iter().map(|at| (at - min) / size).collect()
            }
        }
    }
}

/// Returns how differently two points move: the summed difference of their joints' weights, and 1 for each of
/// the first morph targets that moves them elsewhere.
fn unlike(a: &Side, b: &Side, nodes: &Pairs, point_a: usize, point_b: usize) -> f32 {
    /// Morph targets that are compared.
    const TARGETS: usize = 16;
    let [place_a, place_b] = [a.motion.place(point_a), b.motion.place(point_b)];
    let mut others = b.movers(place_b);
    let mut off = 0.0;
    for (node, weight) in a.movers(place_a) {
        let there = others.iter_mut().find(|(other, _)| nodes.b_of(node) == Some(*other));
        off += match there {
            Some((_, other)) => (weight - std::mem::take(other)).abs(),
            None => weight,
        };
    }
    off += others.iter().map(|(_, weight)| weight).sum::<f32>();
    let delta = |model: &Model, place: crate::model::VertexPlace, target: usize| {
        let mesh = &model.meshes[model.nodes[place.node].mesh?];
        let target = mesh.primitives[place.primitive].targets.get(target)?;
        target.positions.get(place.vertex as usize).map(|delta| Vec3::from(*delta))
    };
    for target in 0..TARGETS {
        let deltas = (delta(a.model, place_a, target), delta(b.model, place_b, target));
        let (Some(x), Some(y)) = deltas else { break };
        if x.distance(y) > 0.1 * x.length().max(y.length()) {
            off += 1.0;
        }
    }
    off
}
