//! Points that have no partner in their own mesh, because it was cut into several or joined from them.

use std::collections::{BTreeMap, HashMap, HashSet};

use glam::Vec3;

use super::grid::Grid;
use super::nearest::{SAME_PLACE, spread};
use super::pairs::{ModelPairs, Pairs};
use super::target_pairs::target_pairs_of;
use super::triangles::Triangles;
use super::vertex_pairs::{Drawn, unlike};
use crate::measured::{Foot, Paired, PairedPoints, PointPair};
use crate::side::{Side, origin_offset};

/// Two points within this share of the model's size are one vertex.
const SAME_VERTEX: f32 = 1e-6;

/// A node that draws a part of a cut mesh.
pub(crate) struct CutPart {
    /// The node that draws the part, and that of the other side which draws the whole.
    pub drawn: Drawn,
    /// The side of the part, 0 or 1.
    pub side: usize,
    /// The points of the part and their partners on the whole.
    pub pairs: Vec<PointPair>,
    /// The morph targets of both, those of A first.
    pub targets: Pairs,
    /// Points of the whole at the place of a point of the part beside its partner, with that point.
    pub rivals: Vec<PointPair>,
}

/// Moves the feet of points to that vertex at the same place that moves most like them, on any mesh with the same skin; of those
/// that lie off their own mesh's surface, to the surface of another mesh with the same skin, if it is there at rest. Places
/// alone don't tell apart what touches at rest: lips, lids, and two sides of a seam.
///
/// A node that no node is compared with (`lone`, by side) draws a part of a cut mesh if all its points lie at vertices of meshes
/// that may have been cut: then these are their feet, and the parts are returned. `drawn` are the nodes that are compared.
pub(crate) fn move_feet(
    sides: [&Side; 2],
    pairs: &ModelPairs,
    drawn: &[Drawn],
    lone: &[Vec<usize>; 2],
    points: &mut PairedPoints,
) -> Vec<CutPart> {
    let mut parts = Vec::new();
    if points.feet.is_empty() && lone.iter().all(Vec::is_empty) {
        return parts;
    }
    let mut others = Others::new(sides, pairs);
    points.feet.iter_mut().for_each(|foot| others.move_foot(foot));
    let uncut = uncut_nodes(sides, drawn);
    for (side, nodes) in lone.iter().enumerate() {
        for node in nodes {
            let own = sides[side].motion.points_of_node(*node);
            let vertices = own.map(|point| {
                let mut vertices = others.vertices(side, point as u32);
                vertices
                    .retain(|vertex| !uncut[1 - side].contains(&others.node(1 - side, *vertex)));
                let nearest = *vertices.first()?;
                Some((point as u32, nearest, vertices))
            });
            let Some(vertices) = vertices.collect::<Option<Vec<_>>>() else { continue };
            points.by = points.by.max((!vertices.is_empty()).then_some(Paired::Place));
            let foot = |(point, nearest, _): &(u32, u32, Vec<u32>)| Foot {
                side,
                point: *point,
                corners: [*nearest; 3],
                shares: [1.0, 0.0, 0.0],
            };
            points.feet.extend(vertices.iter().map(foot));
            parts.extend(others.parts(side, *node, &vertices));
        }
    }
    others.move_pairs(&parts, &mut points.pairs);
    parts
}

/// Returns, by side, the nodes whose partner has no fewer triangles: an added copy of a mesh is no part of it.
fn uncut_nodes(sides: [&Side; 2], drawn: &[Drawn]) -> [HashSet<usize>; 2] {
    let mut uncut = [HashSet::new(), HashSet::new()];
    for Drawn { a, b } in drawn {
        let [of_a, of_b] = [sides[0].elements(*a).count(), sides[1].elements(*b).count()];
        uncut[0].extend((of_a <= of_b).then_some(*a));
        uncut[1].extend((of_b <= of_a).then_some(*b));
    }
    uncut
}

/// What each side draws, for the points of the other one.
struct Others<'a> {
    sides: [&'a Side<'a>; 2],
    pairs: &'a ModelPairs,
    /// The places of all points at rest.
    places: [Vec<Vec3>; 2],
    size: f32,
    /// By side and skin.
    surfaces: HashMap<(usize, Option<usize>), Surface>,
}

impl<'a> Others<'a> {
    fn new(sides: [&'a Side<'a>; 2], pairs: &'a ModelPairs) -> Self {
        let offset = origin_offset(sides[0], sides[1]);
        let places: [Vec<Vec3>; 2] =
            [sides[0].rest.clone(), sides[1].rest.iter().map(|at| *at + offset).collect()];
        let size = spread(&places[0]).max(spread(&places[1]));
        Self { sides, pairs, places, size, surfaces: HashMap::new() }
    }

    /// Returns what nodes of the other side with the skin of a point draw.
    fn surface(&mut self, side: usize, point: u32) -> &Surface {
        let Self { sides, pairs, places, size, surfaces } = self;
        let other = 1 - side;
        let node = sides[side].motion.place(point as usize).node;
        let skin = match (sides[side].model.nodes[node].skin, side) {
            (None, _) => None,
            (Some(skin), 0) => pairs.skins.b_of(skin),
            (Some(skin), _) => pairs.skins.a_of(skin),
        };
        surfaces
            .entry((other, skin))
            .or_insert_with(|| Surface::new(sides[other], &places[other], skin, *size))
    }

    /// Returns how differently a point of a side and one of the other side move.
    fn unlike(&self, side: usize, point: u32, other: u32) -> f32 {
        let mut both = [point as usize, other as usize];
        if side == 1 {
            both.reverse();
        }
        unlike(self.sides[0], self.sides[1], self.pairs, both[0], both[1])
    }

    /// Returns the node that draws a point.
    fn node(&self, side: usize, point: u32) -> usize {
        self.sides[side].motion.place(point as usize).node
    }

    /// Returns the vertices of the other side at the place of a point, those that move most like it first.
    fn vertices(&mut self, side: usize, point: u32) -> Vec<u32> {
        let at = self.places[side][point as usize];
        let vertices = self.surface(side, point).vertices(at).into_iter();
        let mut vertices: Vec<_> =
            vertices.map(|vertex| (self.unlike(side, point, vertex), vertex)).collect();
        vertices.sort_by(|x, y| x.0.total_cmp(&y.0));
        vertices.into_iter().map(|(_, vertex)| vertex).collect()
    }

    /// Returns the foot of a point at that vertex at its place that moves most like it.
    fn vertex_foot(&mut self, side: usize, point: u32) -> Option<Foot> {
        let vertex = *self.vertices(side, point).first()?;
        Some(Foot { side, point, corners: [vertex; 3], shares: [1.0, 0.0, 0.0] })
    }

    /// Returns the pairs of the morph targets of a node of each side.
    fn targets(&self, nodes: [usize; 2]) -> Pairs {
        let meshes = [0, 1].map(|side| {
            let model = self.sides[side].model;
            model.nodes[nodes[side]].mesh.map(|mesh| &model.meshes[mesh])
        });
        let [Some(a), Some(b)] = meshes else { return Pairs::default() };
        target_pairs_of([a, b])
    }

    /// Returns a node as a part of each node of the other side on which it has points, given these with the nearest and
    /// all vertices at their places.
    fn parts(&self, side: usize, node: usize, points: &[(u32, u32, Vec<u32>)]) -> Vec<CutPart> {
        let in_order = |own: u32, other: u32| if side == 0 { [own, other] } else { [other, own] };
        let mut parts: BTreeMap<usize, CutPart> = BTreeMap::new();
        for (point, nearest, vertices) in points {
            let whole = self.node(1 - side, *nearest);
            let [a, b] = if side == 0 { [node, whole] } else { [whole, node] };
            let part = parts.entry(whole).or_insert_with(|| CutPart {
                drawn: Drawn { a, b },
                side,
                pairs: Vec::new(),
                targets: self.targets([a, b]),
                rivals: Vec::new(),
            });
            part.pairs.push(in_order(*point, *nearest));
            let others = vertices[1..].iter().filter(|v| self.node(1 - side, **v) == whole);
            part.rivals.extend(others.map(|vertex| in_order(*point, *vertex)));
        }
        parts.into_values().collect()
    }

    /// Returns the foot of a point at the nearest place of the surface.
    fn surface_foot(&mut self, side: usize, point: u32) -> Option<Foot> {
        let at = self.places[side][point as usize];
        let (corners, shares) = self.surface(side, point).nearest(at)?;
        Some(Foot { side, point, corners, shares })
    }

    /// Pairs points with the vertices at their places on parts of cut meshes, if their partners lie elsewhere and belong to other
    /// points: what is left of a dense mesh has vertices near those that it lost.
    fn move_pairs(&mut self, parts: &[CutPart], pairs: &mut [PointPair]) {
        if parts.is_empty() {
            return;
        }
        let nodes = [0, 1].map(|side| {
            let own = parts.iter().filter(|part| part.side == side);
            own.map(|part| [part.drawn.a, part.drawn.b][side]).collect::<HashSet<usize>>()
        });
        let near = SAME_VERTEX * self.size;
        let is_exact = |places: &[Vec<Vec3>; 2], pair: &PointPair| {
            let [a, b] = [0, 1].map(|side| places[side][pair[side] as usize]);
            a.distance(b) <= near
        };
        let exact: Vec<PointPair> =
            pairs.iter().filter(|pair| is_exact(&self.places, pair)).copied().collect();
        let taken =
            [0, 1].map(|side| exact.iter().map(|pair| pair[side]).collect::<HashSet<u32>>());
        for pair in pairs {
            if is_exact(&self.places, pair) {
                continue;
            }
            for other in [1, 0] {
                if nodes[other].is_empty() || !taken[other].contains(&pair[other]) {
                    continue;
                }
                let vertices = self.vertices(1 - other, pair[1 - other]).into_iter();
                let mut of_parts =
                    vertices.filter(|v| nodes[other].contains(&self.node(other, *v)));
                if let Some(vertex) = of_parts.next() {
                    pair[other] = vertex;
                    break;
                }
            }
        }
    }

    fn move_foot(&mut self, foot: &mut Foot) {
        let Foot { side, point, .. } = *foot;
        let unlike = |this: &Self, foot: &Foot| this.unlike(side, point, foot.nearest());
        if let Some(moved) = self.vertex_foot(side, point)
            && unlike(self, &moved) <= unlike(self, foot)
        {
            *foot = moved;
            return;
        }
        let at = self.places[side][point as usize];
        let near = SAME_PLACE * self.size;
        let distance = |this: &Self, foot: &Foot| {
            let [there] = foot.places(|point| [this.places[1 - side][point as usize]]);
            there.distance(at)
        };
        let away = distance(self, foot);
        if away <= near || !away.is_finite() {
            return;
        }
        let Some(moved) = self.surface_foot(side, point) else { return };
        if distance(self, &moved) <= near {
            *foot = moved;
        }
    }
}

/// All that nodes with one skin draw.
struct Surface {
    /// Triangles of the places of `points`.
    triangles: Triangles,
    /// The points of the triangles, with their places.
    points: Vec<u32>,
    places: Vec<Vec3>,
    grid: Grid,
}

impl Surface {
    fn new(side: &Side, places: &[Vec3], skin: Option<usize>, size: f32) -> Self {
        let alike = side.drawing_nodes().into_iter().filter(|n| side.model.nodes[*n].skin == skin);
        let corners = alike.flat_map(|node| side.elements(node).collect::<Vec<_>>());
        let mut corners: Vec<[u32; 3]> =
            corners.map(|corners| corners.map(|point| point as u32)).collect();
        let mut points = corners.as_flattened().to_vec();
        points.sort_unstable();
        points.dedup();
        let local = |point: u32| points.binary_search(&point).unwrap_or(0) as u32;
        corners.iter_mut().for_each(|corners| *corners = corners.map(local));
        let places: Vec<Vec3> = points.iter().map(|point| places[*point as usize]).collect();
        let grid = Grid::new(&places, (SAME_VERTEX * size).max(f32::MIN_POSITIVE));
        Self { triangles: Triangles::new(&places, corners), points, places, grid }
    }

    /// Returns the points at a place.
    fn vertices(&self, at: Vec3) -> Vec<u32> {
        let near = self.grid.near(&self.places, at).into_iter();
        near.map(|(i, _)| self.points[i as usize]).collect()
    }

    /// Returns the corners of the nearest triangle, and their shares in the nearest place.
    fn nearest(&self, at: Vec3) -> Option<([u32; 3], [f32; 3])> {
        let (corners, shares) = self.triangles.nearest(&self.places, at)?;
        Some((corners.map(|i| self.points[i as usize]), shares))
    }
}
