//! Pairs the vertices of two meshes: by index where both have the same triangles, otherwise by place, then by their triangles, and
//! what is left with the nearest point of the other surface.

use std::collections::HashSet;

use glam::Vec3;

use super::moved_points::moved_pairs;
use super::nearest::{Candidates, Found, SAME_PLACE, corners, has_near, nearest_pairs, spread};
use super::pairs::ModelPairs;
use super::pairs::Pairs;
use super::primitive_pairs::primitive_pairs;
use super::triangles::Triangles;
use crate::measured::{Foot, Paired, PairedPoints, PointPair};
use crate::side::Side;
use rigview_model::{Model, Primitive, Topology};

/// The share of the vertices that must have a partner at their place if they are paired so.
const ENOUGH: f64 = 0.9;

/// The share of the vertices that must have a partner at their place for the others to be paired by their triangles.
const HALF: f64 = 0.5;

/// A later space must give this share more of the vertices a partner than an earlier one: in a space of another size, vertices that
/// moved or are new may lie at the place of others by chance.
const CLEARLY_MORE: f64 = 0.01;

/// The distance from the other surface up to which a point belongs to it, as a share of the mesh's size.
const SAME_SURFACE: f32 = 0.02;

/// A vertex is elsewhere if another one lies nearer to its place than this share of the distance to the one with its
/// index, or than this share of the mesh's size.
const ELSEWHERE: f32 = 0.02;
const ELSEWHERE_OF_SIZE: f32 = 2e-5;

/// A node of each model, which draw the same mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Drawn {
    pub a: usize,
    pub b: usize,
}

/// Pairs the points of a mesh, or returns `None` if the meshes have too little in common.
pub(crate) fn vertex_pairs(
    [a, b]: [&Side; 2],
    pairs: &ModelPairs,
    drawn: Drawn,
) -> Option<PairedPoints> {
    if are_in_order([a.model, b.model], &pairs.materials, drawn)
        && same_indices(a.model, b.model, drawn)
        && let Some(pairs) = numbered_pairs(a, b, drawn)
        && are_numbered_alike(a, b, &pairs)
    {
        return Some(PairedPoints { pairs, by: Some(Paired::Index), ..PairedPoints::default() });
    }
    let points = [(a, drawn.a), (b, drawn.b)]
        .map(|(side, node)| side.motion.points_of_node(node).collect::<Vec<usize>>());
    if points.iter().all(Vec::is_empty) {
        return Some(PairedPoints::default());
    }
    let mut best: Option<(Space, Found)> = None;
    for space in Space::ALL {
        let places = [(a, &points[0]), (b, &points[1])].map(|(side, p)| space.places(side, p));
        let found = nearest_pairs(&Candidates {
            places: [&places[0], &places[1]],
            unlike: &|i, j| unlike(a, b, pairs, points[0][i], points[1][j]),
        });
        if best.as_ref().is_none_or(|(_, best)| found.share > best.share + CLEARLY_MORE) {
            best = Some((space, found));
        }
        if best.as_ref().is_some_and(|(_, best)| best.share + CLEARLY_MORE >= 1.0) {
            break;
        }
    }
    let (space, mut found) = best?;
    if found.share >= HALF {
        pair_moved([a, b], drawn, &points, &mut found);
    }
    if found.share >= ENOUGH {
        return Some(by_place([a, b], drawn, &points, space, found));
    }
    by_surface([a, b], drawn, &points)
}

/// Pairs points without a partner at their place by their triangles.
fn pair_moved(sides: [&Side; 2], drawn: Drawn, points: &[Vec<usize>; 2], found: &mut Found) {
    if found.left.iter().any(Vec::is_empty) {
        return;
    }
    let [of_a, of_b] = [(0, drawn.a), (1, drawn.b)]
        .map(|(side, node)| local_elements(sides[side], node, &points[side]));
    let counts = [points[0].len(), points[1].len()];
    let moved = moved_pairs([&of_a, &of_b], counts, &found.pairs, &found.left);
    for side in [0, 1] {
        let paired: HashSet<u32> = moved.iter().map(|pair| pair[side]).collect();
        found.left[side].retain(|point| !paired.contains(point));
        let share = 1.0 - found.left[side].len() as f64 / counts[side] as f64;
        found.share = found.share.max(share);
    }
    found.pairs.extend(moved);
}

/// Returns the corners of a node's triangles, as indices into `points`.
fn local_elements(side: &Side, node: usize, points: &[usize]) -> Vec<[u32; 3]> {
    let local = |point: usize| points.binary_search(&point).ok();
    let corners = side.elements(node).filter_map(|corners| {
        let [a, b, c] = corners.map(local);
        Some([a? as u32, b? as u32, c? as u32])
    });
    corners.collect()
}

/// Returns the pairs at one place, and the feet of the points that have no partner.
fn by_place(
    sides: [&Side; 2],
    drawn: Drawn,
    points: &[Vec<usize>; 2],
    space: Space,
    found: Found,
) -> PairedPoints {
    let point = |[i, j]: [u32; 2]| [points[0][i as usize] as u32, points[1][j as usize] as u32];
    let mut paired = PairedPoints {
        pairs: found.pairs.into_iter().map(point).collect(),
        rivals: found.rivals.into_iter().map(point).collect(),
        feet: Vec::new(),
        by: Some(Paired::Place),
    };
    if found.left.iter().any(|left| !left.is_empty()) {
        let surfaces = Surfaces::new(sides, drawn, points, space);
        for (side, left) in found.left.iter().enumerate() {
            paired.feet.extend(left.iter().filter_map(|i| surfaces.foot(side, *i as usize)));
        }
        paired.by = Some(Paired::Surface);
    }
    paired
}

/// Pairs every point with the nearest one of the other surface. Returns `None` if too many points of both are far from
/// the other surface in every space.
fn by_surface(sides: [&Side; 2], drawn: Drawn, points: &[Vec<usize>; 2]) -> Option<PairedPoints> {
    for space in Space::ALL {
        let surfaces = Surfaces::new(sides, drawn, points, space);
        let near = SAME_SURFACE * surfaces.size();
        let mut shares = [0.0; 2];
        let mut feet = Vec::new();
        for side in [0, 1] {
            let mut within = 0;
            for i in 0..points[side].len() {
                let Some(foot) = surfaces.foot(side, i) else { continue };
                within += usize::from(surfaces.distance(&foot, i) <= near);
                feet.push(foot);
            }
            shares[side] = within as f64 / points[side].len().max(1) as f64;
        }
        if shares[0].max(shares[1]) >= ENOUGH {
            return Some(PairedPoints {
                feet,
                by: Some(Paired::Surface),
                ..PairedPoints::default()
            });
        }
    }
    None
}

/// The surfaces of both meshes in one space.
struct Surfaces<'a> {
    points: &'a [Vec<usize>; 2],
    places: [Vec<Vec3>; 2],
    triangles: [Triangles; 2],
}

impl<'a> Surfaces<'a> {
    fn new(sides: [&Side; 2], drawn: Drawn, points: &'a [Vec<usize>; 2], space: Space) -> Self {
        let of_both = [(0, drawn.a), (1, drawn.b)];
        let places = [0, 1].map(|side| space.places(sides[side], &points[side]));
        let triangles = of_both.map(|(side, node)| {
            Triangles::new(&places[side], local_elements(sides[side], node, &points[side]))
        });
        Self { points, places, triangles }
    }

    fn size(&self) -> f32 {
        spread(&self.places[0]).max(spread(&self.places[1]))
    }

    /// Returns the place of a point on the other surface.
    fn foot(&self, side: usize, i: usize) -> Option<Foot> {
        let at = self.places[side][i];
        let (corners, shares) = self.triangles[1 - side].nearest(&self.places[1 - side], at)?;
        let point = |i: u32| self.points[1 - side][i as usize] as u32;
        let corners = corners.map(point);
        Some(Foot { side, point: self.points[side][i] as u32, corners, shares })
    }

    /// Returns the distance of a point from its foot.
    fn distance(&self, foot: &Foot, i: usize) -> f32 {
        let other = 1 - foot.side;
        let local = |point: u32| self.points[other].binary_search(&(point as usize)).unwrap_or(0);
        let corners = foot.corners.iter().zip(foot.shares);
        let at: Vec3 =
            corners.map(|(point, share)| share * self.places[other][local(*point)]).sum();
        at.distance(self.places[foot.side][i])
    }
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

/// Whether the primitives of both meshes are in the same order.
fn are_in_order([a, b]: [&Model; 2], materials: &Pairs, drawn: Drawn) -> bool {
    let meshes = [(a, drawn.a), (b, drawn.b)]
        .map(|(model, node)| model.nodes[node].mesh.map(|mesh| &model.meshes[mesh]));
    let [Some(a), Some(b)] = meshes else { return false };
    primitive_pairs([a, b], materials).iter().all(|(i, j)| i == j)
}

/// Whether both meshes connect their vertices by the same indices. A triangle may begin with another corner, as compression
/// has it.
fn same_indices(a: &Model, b: &Model, drawn: Drawn) -> bool {
    let [a, b] = primitives(a, b, drawn);
    let is_same = |a: &Primitive, b: &Primitive| {
        let in_file = |p: &Primitive, corners: &[u32]| {
            let mut out = [u32::MAX; 3];
            out.iter_mut().zip(corners).for_each(|(out, i)| *out = p.index_in_file(*i));
            if p.mode.topology() == Topology::Triangles {
                let least = (0..3).min_by_key(|i| out[*i]).unwrap_or(0);
                out.rotate_left(least);
            }
            out
        };
        let mut both = a.indices.chunks(3).zip(b.indices.chunks(3));
        a.indices.len() == b.indices.len() && both.all(|(x, y)| in_file(a, x) == in_file(b, y))
    };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
}

/// Whether vertices with the same index are the same vertex: at one place, or moved. They are not if most of those that
/// are not at their place lie at that of another one. Positions that are no numbers are the same place.
fn are_numbered_alike(a: &Side, b: &Side, pairs: &[PointPair]) -> bool {
    let [points_a, points_b] =
        [0, 1].map(|side| pairs.iter().map(|pair| pair[side] as usize).collect::<Vec<_>>());
    let mut least: Option<(Vec<usize>, [Vec<Vec3>; 2], f32)> = None;
    for space in Space::ALL {
        let both = [(a, &points_a), (b, &points_b)].map(|(side, p)| space.places(side, p));
        let size = spread(&both[0]).max(spread(&both[1]));
        let is_away = |i: &usize| {
            let (x, y) = (both[0][*i], both[1][*i]);
            x.distance(y) > SAME_PLACE * size || x.is_finite() != y.is_finite()
        };
        let away: Vec<usize> = (0..pairs.len()).filter(is_away).collect();
        if least.as_ref().is_none_or(|(least, ..)| away.len() < least.len()) {
            least = Some((away, both, size));
        }
    }
    let Some((away, [in_a, in_b], size)) = least else { return true };
    let near = |i: usize| {
        let apart = ELSEWHERE * in_a[i].distance(in_b[i]);
        apart.clamp(ELSEWHERE_OF_SIZE * size, SAME_PLACE * size)
    };
    let wanted: Vec<(Vec3, f32)> = away.iter().map(|i| (in_a[*i], near(*i))).collect();
    // A vertex that lies where the one with its index does is no other one's: it is the other side of a seam.
    let others: Vec<Vec3> = away.iter().map(|i| in_b[*i]).collect();
    let elsewhere = has_near(&others, SAME_PLACE * size, &wanted);
    2 * elsewhere <= away.len()
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

/// Returns how differently two points move: the summed difference of their joints' weights, and for each of the first morph
/// targets up to 1, which stands for a tenth of the longer way and more. Of seams in a face, which differ by less, each point
/// must find its own.
pub(crate) fn unlike(
    a: &Side,
    b: &Side,
    pairs: &ModelPairs,
    point_a: usize,
    point_b: usize,
) -> f32 {
    /// Morph targets that are compared.
    const TARGETS: usize = 16;
    let [place_a, place_b] = [a.motion.place(point_a), b.motion.place(point_b)];
    let mut off = crate::weights::moved([a, b], &pairs.nodes, [place_a, place_b]);
    let delta = |model: &Model, place: rigview_model::VertexPlace, target: usize| {
        let mesh = &model.meshes[model.nodes[place.node].mesh?];
        let target = mesh.primitives[place.primitive].targets.get(target)?;
        target.positions.get(place.vertex as usize).map(|delta| Vec3::from(*delta))
    };
    let mut add = |in_a: usize, in_b: usize| {
        let deltas = (delta(a.model, place_a, in_a), delta(b.model, place_b, in_b));
        let (Some(x), Some(y)) = deltas else { return };
        let longer = x.length().max(y.length());
        if longer > 0.0 {
            off += (10.0 * x.distance(y) / longer).min(1.0);
        }
    };
    let meshes = a.model.nodes[place_a.node].mesh.zip(b.model.nodes[place_b.node].mesh);
    match meshes.filter(|(x, y)| pairs.meshes.b_of(*x) == Some(*y)) {
        Some((mesh, _)) => pairs.targets[mesh].iter().take(TARGETS).for_each(|(i, j)| add(i, j)),
        // Parts of a mesh that was cut into several have its targets.
        None => (0..TARGETS).for_each(|target| add(target, target)),
    }
    off
}
