//! Pairs each vertex with the nearest point of the other model's surface, over everything that the scene shows. So meshes may be split,
//! merged, welded, reordered, quantised, instanced and simplified without a rule for each.
//!
//! A vertex is looked up a little inside of one of its triangles, which tells the two sides of a seam apart whatever attributes they
//! have. Surfaces that coincide there are told apart by normal, texture coordinates, weights and material. If the vertex lies at a
//! corner of the triangle that is found, that corner is its partner; else it is measured from the nearest point of the triangle.

use std::collections::HashSet;

use glam::{Affine2, Vec2, Vec3};
use rayon::prelude::*;

use super::nearest::{SAME_PLACE, TOLERANCES, spread};
use super::pairs::Pairs;
use super::spaces::{Space, Spaces, VertexPair};
use super::triangles::{Hit, Triangles, nearest_of_triangle};
use crate::measured::{Foot, Paired, PairedPoints, PointPair};
use crate::side::{DrawnVertex, Element, Side};
use rigview_model::Material;

/// The part of the way from a vertex to the middle of its triangle at which it is looked up.
const INSIDE: f32 = 0.1;

/// The share of a side's vertices that must lie at vertices of the other one for its attributes and triangles to be compared.
/// Simplified meshes have fewer.
const ENOUGH: f64 = 0.9;

/// The share of a node's vertices that must be near the other surface to be measured: within this share of the size, or that one if the
/// node has a partner which draws.
const HALF: f64 = 0.5;
const NEAR: [f32; 2] = [0.02, 0.1];

/// Surfaces that are compared at one place, at most. There are more only where a mesh is folded to a point.
const MOST_CANDIDATES: usize = 64;

/// The number of vertices from which the distance of the surfaces is estimated.
const SAMPLES: usize = 512;

/// One vertex in this number may lie farther from its partner than the others.
const FEW: usize = 100;

/// A vertex of a pool, and a triangle that it belongs to.
struct Corner {
    of: DrawnVertex,
    point: u32,
    element: u32,
}

/// What tells a vertex from others at its place.
#[derive(Clone, Copy, Default)]
struct Look {
    /// Zero if the file has none.
    normal: Vec3,
    uv: Option<Vec2>,
    color: [u16; 4],
    /// The sums over all morph targets of how far they move it in the space, and of the amounts of that.
    moved: [Vec3; 2],
}

/// What some nodes of a model draw, in one space.
struct Drawing {
    places: Vec<Vec3>,
    elements: Vec<Element>,
    /// By element, the direction to which its front faces; zero if it has none.
    fronts: Vec<Vec3>,
    tree: Triangles,
    corners: Vec<Corner>,
    /// By vertex; those of a primitive follow its first one.
    looks: Vec<Look>,
    first_look: Vec<u32>,
}

/// What some nodes of both models draw, in one space.
pub(crate) struct Pool<'a> {
    spaces: &'a Spaces<'a>,
    materials: &'a Pairs,
    space: Space,
    drawings: [Drawing; 2],
    size: f32,
    /// How much farther than the nearest surface another one may be to count as coinciding with it.
    reach: f32,
}

/// The vertices of a pool that belong together.
pub(crate) struct Found {
    pub points: PairedPoints,
    /// Those at one place.
    pub vertices: Vec<VertexPair>,
    /// By side, whether enough of its vertices lie at vertices of the other one to compare their attributes.
    pub are_alike: [bool; 2],
    /// By side, the nodes that are too far from the other surface to be measured.
    pub apart: [HashSet<usize>; 2],
    /// The share of the vertices at vertices of the other model.
    share: f64,
}

/// The partner of a vertex: a corner of a triangle.
#[derive(Clone, Copy)]
struct Partner {
    element: u32,
    corner: usize,
    distance: f32,
}

/// Pairs the vertices of some primitives of both models, given the nodes that are partners and draw.
pub(crate) fn surface_pairs<'a>(
    spaces: &'a Spaces<'a>,
    materials: &'a Pairs,
    drawn: [&[u32]; 2],
    partners: [&HashSet<usize>; 2],
) -> (Pool<'a>, Found) {
    let in_space = |space: Space| {
        let pool = Pool::new(spaces, materials, drawn, space);
        let found = pool.pair(partners);
        (pool, found)
    };
    let first = in_space(Space::Rest);
    if first.1.share < 0.99 && spaces.all().any(|space| space == Space::RestOfA) {
        let second = in_space(Space::RestOfA);
        // By chance, a few vertices lie at others anywhere.
        if second.1.share > first.1.share + 0.01 {
            return second;
        }
    }
    first
}

impl Drawing {
    fn new(spaces: &Spaces, space: Space, side: usize, drawn: &[u32]) -> Self {
        let own = spaces.sides[side];
        let mut places = vec![Vec3::NAN; own.motion.len()];
        let mut looks = Vec::new();
        let mut first_look = vec![0; own.motion.drawn_len()];
        for number in drawn {
            let of = own.motion.drawn(*number as usize);
            of.points.clone().for_each(|point| places[point] = spaces.place(space, side, point));
            first_look[*number as usize] = looks.len() as u32;
            let (_, primitive) = own.primitive(&of);
            let uv = base_uv(own, primitive.material);
            let look = |vertex: u32| {
                let Some(point) = of.point(vertex) else { return Look::default() };
                let linear = spaces.linear(space, side, point);
                let deltas = primitive.targets.iter();
                let deltas = deltas.filter_map(|of| of.positions.get(vertex as usize));
                let moved = deltas.fold([Vec3::ZERO; 2], |[sum, amounts], delta| {
                    let delta = linear * Vec3::from(*delta);
                    [sum + delta, amounts + delta.abs()]
                });
                let vertex = &primitive.vertices[vertex as usize];
                let turned = linear.inverse().transpose() * Vec3::from(vertex.normal);
                Look {
                    normal: turned.normalize_or_zero(),
                    uv: uv.as_ref().map(|uv| uv(vertex.uv)),
                    color: vertex.color,
                    moved,
                }
            };
            looks.extend((0..primitive.vertices.len() as u32).map(look));
        }
        let elements: Vec<Element> =
            drawn.iter().flat_map(|number| own.elements(*number as usize)).collect();
        let front = |element: &Element| {
            let [a, b, c] = element.points.map(|point| places[point as usize]);
            let linear = spaces.linear(space, side, element.points[0] as usize);
            let sign = if linear.determinant() < 0.0 { -1.0 } else { 1.0 };
            sign * (b - a).cross(c - a).normalize_or_zero()
        };
        let fronts: Vec<Vec3> = elements.par_iter().map(front).collect();
        let tree = Triangles::new(&places, elements.iter().map(|element| element.points).collect());
        let mut corner_of: Vec<u32> = vec![u32::MAX; looks.len()];
        let mut corners: Vec<Corner> = Vec::new();
        for (i, element) in elements.iter().enumerate() {
            for (vertex, point) in element.vertices.into_iter().zip(element.points) {
                let drawn = element.drawn;
                let slot = &mut corner_of[(first_look[drawn as usize] + vertex) as usize];
                let corner = Corner { of: DrawnVertex { drawn, vertex }, point, element: i as u32 };
                match corners.get_mut(*slot as usize) {
                    None => {
                        *slot = corners.len() as u32;
                        corners.push(corner);
                    }
                    // A triangle without an area is inside of nothing.
                    Some(known) if fronts[known.element as usize] == Vec3::ZERO => *known = corner,
                    Some(_) => {}
                }
            }
        }
        Self { places, elements, fronts, tree, corners, looks, first_look }
    }

    fn look(&self, of: DrawnVertex) -> Look {
        self.looks[(self.first_look[of.drawn as usize] + of.vertex) as usize]
    }

    fn corner_places(&self, element: u32) -> [Vec3; 3] {
        self.elements[element as usize].points.map(|point| self.places[point as usize])
    }

    fn middle(&self, element: u32) -> Vec3 {
        self.corner_places(element).iter().sum::<Vec3>() / 3.0
    }
}

/// Returns what gives the texture coordinates of a material's most important texture.
fn base_uv(side: &Side, material: Option<usize>) -> Option<impl Fn([[f32; 2]; 2]) -> Vec2 + use<>> {
    let material: Option<&Material> = material.map(|material| &side.model.materials[material]);
    let texture = material.and_then(|material| material.textures.iter().next());
    let (set, transform) = texture.map_or((0, Affine2::IDENTITY), |(_, texture)| {
        (texture.uv_set as usize & 1, texture.transform.matrix())
    });
    Some(move |uv: [[f32; 2]; 2]| transform.transform_point2(Vec2::from(uv[set])))
}

impl<'a> Pool<'a> {
    fn new(spaces: &'a Spaces<'a>, materials: &'a Pairs, drawn: [&[u32]; 2], space: Space) -> Self {
        let drawings = [0, 1].map(|side: usize| Drawing::new(spaces, space, side, drawn[side]));
        let size = spread(&drawings[0].places).max(spread(&drawings[1].places));
        let mut pool = Self {
            spaces,
            materials,
            space,
            drawings,
            size,
            reach: (TOLERANCES[0] * size).max(f32::MIN_POSITIVE),
        };
        pool.reach += 2.0 * pool.surface_distance();
        pool
    }

    /// Returns the distance up to which two surfaces are the same one.
    pub fn reach(&self) -> f32 {
        self.reach
    }

    pub fn elements(&self, side: usize) -> &[Element] {
        &self.drawings[side].elements
    }

    pub fn corner_places(&self, side: usize, element: usize) -> [Vec3; 3] {
        self.drawings[side].corner_places(element as u32)
    }

    /// Estimates how far apart the surfaces of both models are where they are the same one: what quantization costs.
    fn surface_distance(&self) -> f32 {
        let own = &self.drawings[0];
        let step = own.corners.len().div_ceil(SAMPLES).max(1);
        let distance = |corner: &Corner| {
            let hit = self.nearest(0, corner.element, own.places[corner.point as usize])?;
            Some(hit.away.sqrt()).filter(|distance| *distance <= SAME_PLACE * self.size)
        };
        let mut all: Vec<f32> = own.corners.iter().step_by(step).filter_map(distance).collect();
        all.sort_unstable_by(f32::total_cmp);
        all.get(9 * all.len() / 10).copied().unwrap_or(0.0)
    }

    /// Returns the nearest place of the other side's triangles, lines or points, as the element of a side is one.
    fn nearest(&self, side: usize, element: u32, at: Vec3) -> Option<Hit> {
        let (own, other) = (&self.drawings[side], &self.drawings[1 - side]);
        let topology = own.elements[element as usize].topology;
        let may_be = |i: u32| other.elements[i as usize].topology == topology;
        other.tree.nearest(&other.places, at, may_be)
    }

    /// Returns the element of the other side at a place that is most like an element of a side. Of those that are at most
    /// `reach` farther than the nearest one, that with the least `unlike`.
    fn most_alike(
        &self,
        (side, element): (usize, u32),
        (at, reach): (Vec3, f32),
        unlike: impl Fn(u32) -> f32,
    ) -> Option<Hit> {
        let nearest = self.nearest(side, element, at)?;
        let (own, other) = (&self.drawings[side], &self.drawings[1 - side]);
        let topology = own.elements[element as usize].topology;
        let mut candidates: Vec<Hit> = Vec::new();
        other.tree.within(&other.places, at, nearest.away.sqrt() + reach, |hit| {
            if other.elements[hit.triangle as usize].topology == topology {
                candidates.push(hit);
            }
            candidates.len() < MOST_CANDIDATES
        });
        if let [] | [_] = candidates[..] {
            return Some(nearest);
        }
        let cost = |hit: &Hit| hit.away.sqrt() / reach + unlike(hit.triangle);
        let costs = candidates.iter().map(|hit| (cost(hit), hit.triangle, *hit));
        let least = costs.min_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        least.map(|(.., hit)| hit)
    }

    /// Returns how little two elements have in common besides their place: their fronts, their materials and their nodes.
    fn elements_unlike(&self, side: usize, own: u32, other: u32) -> f32 {
        let mut both = [own, other];
        if side == 1 {
            both.reverse();
        }
        let [x, y] = [0, 1].map(|side: usize| &self.drawings[side].elements[both[side] as usize]);
        let fronts = [0, 1].map(|side: usize| self.drawings[side].fronts[both[side] as usize]);
        let of = [(0, x), (1, y)].map(|(side, element): (usize, &Element)| {
            let own = self.spaces.sides[side];
            let drawn = own.motion.drawn(element.drawn as usize);
            (own.primitive(&drawn).1.material, drawn.node)
        });
        let are_turned = fronts[0].dot(fronts[1]) < 0.0;
        let is_other_material = !self.materials.agree(of[0].0, of[1].0);
        let is_other_node = self.spaces.nodes.b_of(of[0].1) != Some(of[1].1);
        f32::from(are_turned) + 0.25 * f32::from(is_other_material) + 0.1 * f32::from(is_other_node)
    }

    /// Returns the nearest corner of an element of the other side to a vertex, its distance, and how little both have in common. Of
    /// corners at one place, that which is most like it.
    fn nearest_corner(&self, side: usize, own: &Corner, element: u32) -> (usize, f32, f32) {
        let at = self.drawings[side].places[own.point as usize];
        let places = self.drawings[1 - side].corner_places(element);
        let distances = places.map(|place| place.distance(at));
        let least = distances.into_iter().fold(f32::INFINITY, f32::min);
        let corners = (0..3).filter(|i| distances[*i] <= least);
        let all = corners.map(|i| (i, distances[i], self.corners_unlike(side, own, element, i)));
        all.min_by(|x, y| x.2.total_cmp(&y.2)).unwrap_or((0, distances[0], 0.0))
    }

    /// Returns how unlike a corner and the nearest corner of a triangle look.
    fn vertices_unlike(&self, side: usize, own: &Corner, element: u32) -> f32 {
        self.nearest_corner(side, own, element).2
    }

    fn corners_unlike(&self, side: usize, own: &Corner, element: u32, corner: usize) -> f32 {
        let other = &self.drawings[1 - side];
        let of = &other.elements[element as usize];
        let there = DrawnVertex { drawn: of.drawn, vertex: of.vertices[corner] };
        let (x, y) = (self.drawings[side].look(own.of), other.look(there));
        let has_normals = x.normal != Vec3::ZERO && y.normal != Vec3::ZERO;
        // About the angle; where surfaces are quantized, it tells the faces of a bevel apart.
        let turned = if has_normals { (2.0 * x.normal.distance(y.normal)).min(1.0) } else { 0.0 };
        let uvs = x.uv.zip(y.uv).map_or(0.0, |(x, y)| (4.0 * x.distance(y)).min(1.0));
        let tints = x.color.iter().zip(y.color).map(|(x, y)| x.abs_diff(y)).max();
        let tinted = f32::from(tints.unwrap_or(0)) / 65535.0;
        // A share of the way that the farther one is moved, so that a few percent count.
        let moved = |of: usize| {
            let most = x.moved[of].length().max(y.moved[of].length()).max(self.reach);
            (4.0 * x.moved[of].distance(y.moved[of]) / most).min(1.0)
        };
        let mut points = [own.point, of.points[corner]];
        if side == 1 {
            points.reverse();
        }
        turned + uvs + tinted + moved(0).max(moved(1)) + self.spaces.weights_apart(points)
    }

    /// Returns the partner of a vertex of a side.
    fn partner(&self, side: usize, corner: &Corner) -> Option<Partner> {
        let own = &self.drawings[side];
        let at = own.places[corner.point as usize];
        let inside = at.lerp(own.middle(corner.element), INSIDE);
        let hit = self.most_alike((side, corner.element), (inside, self.reach), |other| {
            self.elements_unlike(side, corner.element, other)
                + self.vertices_unlike(side, corner, other)
        })?;
        let (corner, distance, _) = self.nearest_corner(side, corner, hit.triangle);
        Some(Partner { element: hit.triangle, corner, distance })
    }

    /// Returns the nearest point of the other surface, and its distance.
    fn foot(&self, side: usize, corner: &Corner) -> Option<(Foot, f32)> {
        let at = self.drawings[side].places[corner.point as usize];
        // Only surfaces that coincide are told apart: where a mesh was simplified, the nearest one is meant.
        let reach = (TOLERANCES[0] * self.size).max(f32::MIN_POSITIVE);
        let hit = self.most_alike((side, corner.element), (at, reach), |other| {
            self.elements_unlike(side, corner.element, other)
                + self.vertices_unlike(side, corner, other)
        })?;
        let other = &self.drawings[1 - side];
        let shares = nearest_of_triangle(other.corner_places(hit.triangle), at);
        let corners = other.elements[hit.triangle as usize].points;
        Some((Foot { side, point: corner.point, corners, shares }, hit.away.sqrt()))
    }

    /// Returns the element of the other side at the middle of an element, and its distance.
    pub fn counterpart(&self, side: usize, element: usize) -> Option<(usize, f32)> {
        let middle = self.drawings[side].middle(element as u32);
        let unlike = |other| self.elements_unlike(side, element as u32, other);
        let hit = self.most_alike((side, element as u32), (middle, self.reach), unlike)?;
        Some((hit.triangle as usize, hit.away.sqrt()))
    }

    /// Returns the distance of a place from the other side's elements that are of the same topology.
    pub fn distance(&self, side: usize, element: usize, at: Vec3) -> f32 {
        self.nearest(side, element as u32, at).map_or(f32::INFINITY, |hit| hit.away.sqrt())
    }

    /// Whether the fronts of two elements face opposite ways.
    pub fn are_turned(&self, [a, b]: [usize; 2]) -> bool {
        self.drawings[0].fronts[a].dot(self.drawings[1].fronts[b]) < -0.5
    }

    fn pair(&self, partners: [&HashSet<usize>; 2]) -> Found {
        let found = [0, 1].map(|side: usize| -> Vec<Option<Partner>> {
            let corners = self.drawings[side].corners.par_iter();
            corners.map(|corner| self.partner(side, corner)).collect()
        });
        let level = self.snap_distance(found.iter().flatten().flatten().map(|of| of.distance));
        let is_snapped = |of: &Option<Partner>| of.is_some_and(|of| of.distance <= level);
        let shares = [0, 1].map(|side: usize| {
            let count = found[side].iter().filter(|of| is_snapped(of)).count();
            count as f64 / found[side].len().max(1) as f64
        });
        let feet = [0, 1].map(|side: usize| {
            let both = self.drawings[side].corners.par_iter().zip(&found[side]);
            let foot = both.map(
                |(corner, of)| {
                    if is_snapped(of) { None } else { self.foot(side, corner) }
                },
            );
            foot.collect::<Vec<_>>()
        });
        let apart = [0, 1].map(|side: usize| self.nodes_apart(side, &feet[side], partners[side]));
        let (mut points, mut vertices) = (PairedPoints::default(), Vec::new());
        for side in [0, 1] {
            let own = self.spaces.sides[side];
            // A mesh that several nodes draw is compared once.
            let mut drawn_by = std::collections::HashMap::new();
            let both = self.drawings[side].corners.iter().zip(&found[side]).zip(&feet[side]);
            for ((corner, partner), foot) in both {
                let drawn = own.motion.drawn(corner.of.drawn as usize);
                if apart[side].contains(&drawn.node) {
                    continue;
                }
                let (Some(partner), None) = (partner.filter(|of| of.distance <= level), foot)
                else {
                    points.feet.extend(foot.map(|(foot, _)| foot));
                    continue;
                };
                let there = &self.drawings[1 - side].elements[partner.element as usize];
                let vertex = there.vertices[partner.corner];
                let mut of = [corner.of, DrawnVertex { drawn: there.drawn, vertex }];
                let mut both: PointPair = [corner.point, there.points[partner.corner]];
                if side == 1 {
                    of.reverse();
                    both.reverse();
                }
                points.pairs.push(both);
                let key = (own.model.nodes[drawn.node].mesh, drawn.primitive);
                if *drawn_by.entry(key).or_insert(corner.of.drawn) == corner.of.drawn {
                    vertices.push(VertexPair {
                        of,
                        points: both,
                        from: side as u8,
                        space: self.space,
                    });
                }
            }
        }
        points.pairs.sort_unstable();
        points.pairs.dedup();
        points.feet.sort_by_key(|foot| (foot.side, foot.point));
        points.feet.dedup_by_key(|foot| (foot.side, foot.point, foot.corners));
        points.by = match (points.pairs.is_empty(), points.feet.is_empty()) {
            (true, true) => None,
            (false, true) => Some(Paired::Place),
            _ => Some(Paired::Surface),
        };
        let are_alike = shares.map(|share| share >= ENOUGH);
        let share = shares[0].max(shares[1]);
        Found { points, vertices, are_alike, apart, share }
    }

    /// Returns the distance up to which a vertex is at that of the other model: the finest of [`TOLERANCES`] that all but a few of
    /// those need which are at one at all.
    fn snap_distance(&self, distances: impl Iterator<Item = f32>) -> f32 {
        let mut counts = [0; TOLERANCES.len()];
        for distance in distances {
            let is_within = |share: &f32| distance <= (share * self.size).max(f32::MIN_POSITIVE);
            if let Some(level) = TOLERANCES.iter().position(is_within) {
                counts[level] += 1;
            }
        }
        let all: usize = counts.iter().sum();
        let mut beyond = all;
        let needed = counts.iter().position(|count| {
            beyond -= count;
            beyond * FEW <= all
        });
        (TOLERANCES[needed.unwrap_or(0)] * self.size).max(f32::MIN_POSITIVE)
    }

    /// Returns the nodes most of whose vertices are far from the other surface.
    fn nodes_apart(
        &self,
        side: usize,
        feet: &[Option<(Foot, f32)>],
        partners: &HashSet<usize>,
    ) -> HashSet<usize> {
        let mut counts: std::collections::HashMap<usize, [usize; 2]> = Default::default();
        let has_other = !self.drawings[1 - side].elements.is_empty();
        for (corner, foot) in self.drawings[side].corners.iter().zip(feet) {
            let node = self.spaces.sides[side].motion.drawn(corner.of.drawn as usize).node;
            let near = self.size * NEAR[usize::from(partners.contains(&node))];
            let is_far = foot.as_ref().is_some_and(|(_, distance)| *distance > near);
            let [far, all] = counts.entry(node).or_default();
            *far += usize::from(is_far || !has_other);
            *all += 1;
        }
        let apart = counts.into_iter().filter(|(_, [far, all])| *far as f64 > HALF * *all as f64);
        apart.map(|(node, _)| node).collect()
    }
}
