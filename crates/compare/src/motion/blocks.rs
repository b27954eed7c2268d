//! Measured pairs in blocks of neighbours, with bounds of their distances over a span of time.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use glam::{Affine3A, Mat3A, Vec3, Vec3A};
use rayon::prelude::*;

use super::carriers::{Carried, Carrier, Partners};
use super::extent::{Bend, Extent, Link, Reach, longest, scaled, stretch};
use crate::cause::Rigs;
use crate::measured::{Measured, PairedPoints};
use crate::side::{Posed, Side};
use rigview_model::Aabb;

/// Pairs per block, and extents that are joined to one of the level above.
const BLOCK: usize = 16;
const JOINED: usize = 16;

/// Sums of weights that are off by this are rounded.
const ROUNDED: f32 = 1e-6;

/// Spaces whose boxes differ by at most this share of their size are the same one.
const SAME_SPACE: f32 = 0.1;

/// Blocks of pairs, and one that holds them all.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    links: Vec<Link>,
    bends: Vec<Bend>,
    /// From places of a mesh of B to those of the mesh of A that it is compared with, and back.
    spaces: Vec<[Affine3A; 2]>,
    /// The extents of the blocks, then those of [`JOINED`] neighbours each, up to one of all.
    levels: Vec<Vec<Indexed>>,
    /// By block, its pairs.
    blocks: Vec<Vec<u32>>,
    /// Whether bounds depend on matrices of A and B, not on their differences alone.
    has_rests: bool,
}

/// An extent with indices of links and bends.
type Indexed = Extent<u32, u32>;

impl Blocks {
    /// Lays out what is measured.
    pub fn new(rigs: &Rigs, measured: &Measured) -> Self {
        let sides = [rigs.a, rigs.b];
        let partners = Partners::new(sides, rigs.nodes);
        let (spaces, extents) = match measured {
            Measured::Nodes(nodes) => {
                let one = (0..).zip(nodes).map(|(i, pair)| (of_node(*pair), vec![i])).collect();
                (vec![[Affine3A::IDENTITY; 2]], one)
            }
            Measured::Points(points) => of_points(sides, &partners, points),
        };
        let mut out = Self { spaces, ..Self::default() };
        let (mut links, mut bends) = (Indices::default(), Indices::default());
        let mut first = Vec::with_capacity(extents.len());
        for (extent, pairs) in extents {
            let indexed = Indexed {
                links: links.of(extent.links),
                bends: bends.of(extent.bends),
                bent: extent.bent,
                off: extent.off,
                slack: extent.slack,
                is_open: extent.is_open,
                pairs: extent.pairs,
            };
            first.push(indexed);
            out.blocks.push(pairs);
        }
        out.levels.push(first);
        while let Some(last) = out.levels.last().filter(|level| level.len() > 1) {
            let joined = last.par_chunks(JOINED).map(Indexed::joined).collect();
            out.levels.push(joined);
        }
        (out.links, out.bends) = (links.list, bends.list);
        let has_rests = |all: &Indexed| all.off != [0.0; 2] || all.slack > ROUNDED;
        out.has_rests = out.whole().is_some_and(has_rests);
        out
    }

    fn whole(&self) -> Option<&Indexed> {
        self.levels.last()?.first()
    }

    /// Returns the number of matrices that bound the distances of all pairs.
    pub fn matrices(&self) -> usize {
        self.links.len() + self.bends.len()
    }

    /// Returns the pairs of a block.
    pub fn pairs(&self, block: usize) -> &[u32] {
        &self.blocks[block]
    }

    /// Returns the matrices of the present poses.
    pub fn moment(&self, [a, b]: [&Side; 2], posed: [&Posed; 2], offset: Vec3, out: &mut Moment) {
        let in_b = |carrier: Carrier, space: u32| {
            let matrix = carrier.matrix(b, posed[1]);
            let [_, b_from_a] = &self.spaces[space as usize];
            if *b_from_a == Affine3A::IDENTITY { matrix } else { matrix * *b_from_a }
        };
        out.links.clear();
        out.rests.clear();
        for link in &self.links {
            let (of_a, of_b) = (link.a.matrix(a, posed[0]), in_b(link.b, link.space));
            let mut between = minus(&of_a, &of_b);
            between.translation -= Vec3A::from(offset);
            out.links.push(between);
            if self.has_rests {
                let place = of_a.translation.length().max(of_b.translation.length());
                out.rests.push([stretch(&of_a), stretch(&of_b), place]);
            }
        }
        out.bends.clear();
        for bend in &self.bends {
            let of_b = in_b(bend.carrier, bend.space);
            out.bends.push(minus(&of_b, &in_b(bend.from, bend.space)));
            if self.has_rests {
                out.rests.push([0.0, stretch(&of_b), of_b.translation.length()]);
            }
        }
    }
}

/// The matrices that bound distances at one instant.
#[derive(Clone, Default)]
pub(crate) struct Moment {
    /// By link, that of A minus that of B.
    links: Vec<Affine3A>,
    /// By bend, the difference of the carriers of B.
    bends: Vec<Affine3A>,
    /// By link, then by bend: how much the matrices of A and of B make vectors longer, and how far they move the mesh's origin.
    rests: Vec<[f32; 3]>,
}

/// Bounds of distances within a span of time, from its start, its middle and its end.
pub(crate) struct Bounds<'a> {
    blocks: &'a Blocks,
    links: Vec<Curve>,
    bends: Vec<Curve>,
    rests: Vec<[f32; 3]>,
}

/// A matrix over a span. `None` if it is 0.
struct Curve(Option<Moving>);

struct Moving {
    /// At the start, the middle and the end, and the bulge, which is the middle without the mean of the ends.
    matrices: [Affine3A; 4],
    /// By matrix, a bound of the factor by which it makes vectors longer. Infinite if one of its numbers is.
    stretches: [f32; 4],
}

/// How close bounds are to the largest distance.
#[derive(Clone, Copy)]
enum Care {
    /// From the middles of boxes and their radius: a tenth of the work.
    Rough,
    /// From the corners of boxes.
    Close,
}

impl Curve {
    fn of(moments: [&Affine3A; 3]) -> Self {
        let [start, middle, end] = moments.map(|matrix| *matrix);
        let zero = Affine3A { matrix3: Mat3A::ZERO, translation: Vec3A::ZERO };
        if [start, middle, end] == [zero; 3] {
            return Self(None);
        }
        let mean = Affine3A {
            matrix3: 0.5 * (start.matrix3 + end.matrix3),
            translation: 0.5 * (start.translation + end.translation),
        };
        let matrices = [start, middle, end, minus(&middle, &mean)];
        let stretches = matrices.map(|m| if m.is_finite() { stretch(&m) } else { f32::INFINITY });
        Self(Some(Moving { matrices, stretches }))
    }

    /// Returns the length of the longest vector that the matrix makes of a point of a box at any time of the span, or more.
    fn longest(&self, bounds: &Aabb, care: Care) -> f32 {
        let Some(Moving { matrices, stretches }) = &self.0 else { return 0.0 };
        if stretches.iter().any(|stretch| !stretch.is_finite()) {
            return f32::INFINITY;
        }
        let [start, middle, end, bulge] = match care {
            Care::Close => matrices.each_ref().map(|matrix| longest(matrix, bounds)),
            Care::Rough => {
                let center = Vec3A::from(bounds.center());
                let radius = 0.5 * Vec3A::from(bounds.size()).length();
                std::array::from_fn(|i| {
                    matrices[i].transform_point3a(center).length() + radius * stretches[i]
                })
            }
        };
        // The bulge of a parabola falls to a quarter in each half. Twice that leaves room for other curves.
        start.max(middle).max(end) + 0.5 * bulge
    }
}

impl<'a> Bounds<'a> {
    pub fn new(blocks: &'a Blocks, moments: [&Moment; 3]) -> Self {
        let [start, middle, end] = moments;
        let curves = |of: fn(&Moment) -> &[Affine3A]| {
            let all = of(start).iter().zip(of(middle)).zip(of(end));
            all.map(|((start, middle), end)| Curve::of([start, middle, end])).collect()
        };
        let rests = start.rests.iter().zip(&middle.rests).zip(&end.rests);
        let most = |(([s, m], e), i): (([&[f32; 3]; 2], &[f32; 3]), usize)| {
            s[i].max(m[i]).max(e[i]) + 0.5 * (m[i] - 0.5 * (s[i] + e[i])).abs()
        };
        Self {
            blocks,
            links: curves(|moment| &moment.links),
            bends: curves(|moment| &moment.bends),
            rests: rests.map(|((s, m), e)| [0, 1, 2].map(|i| most((([s, m], e), i)))).collect(),
        }
    }

    /// Returns a distance that no pair exceeds.
    pub fn of_all(&self) -> f32 {
        self.blocks.whole().map_or(0.0, |whole| self.of(whole, 0.0))
    }

    /// Returns those of some blocks, or of all, that may exceed a distance, each with one that no pair of it exceeds. At least
    /// one is returned.
    pub fn above(&self, distance: f32, blocks: Option<&[u32]>) -> Vec<(f32, u32)> {
        let mut found: Vec<(f32, u32)> = match blocks {
            Some(blocks) => {
                blocks.iter().map(|block| self.with_bound(0, *block, distance)).collect()
            }
            None => self.descend(distance),
        };
        found.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        let above = found.partition_point(|(bound, _)| *bound > distance);
        found.truncate(above.max(1));
        found
    }

    /// Returns the blocks that may exceed a distance, from the largest extent down; if there is none, that with the largest
    /// bound of those that were looked at last.
    fn descend(&self, distance: f32) -> Vec<(f32, u32)> {
        let levels = &self.blocks.levels;
        let mut open = vec![0u32];
        for (below, level) in levels.iter().enumerate().rev().skip(1) {
            let children = open.iter().flat_map(|parent| {
                let first = parent * JOINED as u32;
                first..(first + JOINED as u32).min(level.len() as u32)
            });
            let with_bound = |i| self.with_bound(below, i, distance);
            let bounds: Vec<(f32, u32)> = children.map(with_bound).collect();
            let highest = bounds.iter().max_by(|x, y| x.0.total_cmp(&y.0)).map(|(_, i)| *i);
            open = bounds.iter().filter(|(bound, _)| *bound > distance).map(|(_, i)| *i).collect();
            if open.is_empty() {
                open.extend(highest);
            }
            if below == 0 {
                open.sort_unstable();
                return bounds.into_iter().filter(|(_, i)| open.binary_search(i).is_ok()).collect();
            }
        }
        levels.first().map_or_else(Vec::new, |_| vec![self.with_bound(0, 0, distance)])
    }

    fn with_bound(&self, level: usize, index: u32, distance: f32) -> (f32, u32) {
        (self.of(&self.blocks.levels[level][index as usize], distance), index)
    }

    /// Returns a bound of an extent, which is a close one if it exceeds a distance.
    fn of(&self, extent: &Indexed, distance: f32) -> f32 {
        if extent.is_open {
            return f32::INFINITY;
        }
        let mut beside = self.of_bends(extent);
        if self.blocks.has_rests {
            beside += self.of_rests(extent);
        }
        let by_links = |care: Care| {
            let links = extent.links.iter();
            let each =
                links.map(|reach| self.links[reach.of as usize].longest(&reach.bounds, care));
            each.fold(0.0, f32::max) + beside
        };
        let rough = by_links(Care::Rough);
        let bound = if rough <= distance { rough } else { by_links(Care::Close) };
        if bound.is_nan() { f32::INFINITY } else { bound }
    }

    /// Returns what weights that differ add.
    fn of_bends(&self, extent: &Indexed) -> f32 {
        let (mut most, mut sums) = (0.0f32, [[Vec3A::ZERO; 2]; 4]);
        for reach in &extent.bends {
            let curve = &self.bends[reach.of as usize];
            most = most.max(extent.bent * curve.longest(&reach.bounds, Care::Rough));
            let Some(Moving { matrices, .. }) = &curve.0 else { continue };
            let mut share = reach.share;
            if reach.pairs < extent.pairs {
                share = [share[0].min(0.0), share[1].max(0.0)];
            }
            for (matrix, sum) in matrices.iter().zip(&mut sums) {
                let [low, high] = scaled(matrix, &reach.bounds, share);
                *sum = [sum[0] + low, sum[1] + high];
            }
        }
        let [start, middle, end, bulge] =
            sums.map(|[low, high]| low.abs().max(high.abs()).length());
        let summed = start.max(middle).max(end) + 0.5 * bulge;
        if summed.is_nan() { most } else { most.min(summed) }
    }

    /// Returns what places that differ and sums of weights other than 1 add.
    fn of_rests(&self, extent: &Indexed) -> f32 {
        let slack = 2.0 * if extent.slack > ROUNDED { extent.slack } else { 0.0 };
        let links = extent.links.iter().map(|reach| (reach.of as usize, reach.bounds));
        let first_bend = self.links.len();
        let bends = extent.bends.iter();
        let all = links.chain(bends.map(|reach| (first_bend + reach.of as usize, reach.bounds)));
        let (mut most, mut farthest) = ([0.0f32; 2], 0.0f32);
        for (of, bounds) in all {
            let [of_a, of_b, place] = self.rests[of];
            most = [most[0].max(of_a), most[1].max(of_b)];
            let corner = bounds.min.abs().max(bounds.max.abs()).length();
            farthest = farthest.max(of_a.max(of_b) * corner + place);
        }
        extent.off[0] * most[0] + extent.off[1] * most[1] + slack * farthest
    }
}

fn minus(a: &Affine3A, b: &Affine3A) -> Affine3A {
    Affine3A { matrix3: a.matrix3 - b.matrix3, translation: a.translation - b.translation }
}

/// Numbers keys in the order of their first use.
struct Indices<T> {
    list: Vec<T>,
    index_of: HashMap<T, u32>,
}

impl<T> Default for Indices<T> {
    fn default() -> Self {
        Self { list: Vec::new(), index_of: HashMap::new() }
    }
}

impl<T: Copy + Eq + Hash> Indices<T> {
    fn of(&mut self, reaches: Vec<Reach<T>>) -> Vec<Reach<u32>> {
        let indexed = reaches.into_iter().map(|reach| {
            let of = *self.index_of.entry(reach.of).or_insert_with(|| {
                self.list.push(reach.of);
                self.list.len() as u32 - 1
            });
            Reach { of, bounds: reach.bounds, share: reach.share, pairs: reach.pairs }
        });
        indexed.collect()
    }
}

/// Returns the extent of a pair of nodes' origins.
fn of_node([a, b]: [usize; 2]) -> Extent {
    let [a, b] = [a, b].map(|node| Carrier::Node(node as u32));
    let bounds = Aabb { min: Vec3::ZERO, max: Vec3::ZERO };
    let links = vec![Reach { of: Link { a, b, space: 0 }, bounds, share: [1.0; 2], pairs: 1 }];
    Extent { links, pairs: 1, ..Extent::default() }
}

/// A block: its extent and its pairs.
type Laid = (Extent, Vec<u32>);

/// A pair of points: the nodes that draw them, and their places in their meshes.
struct Found {
    nodes: [u32; 2],
    places: [Vec3; 2],
}

/// Returns the spaces of pairs of points, and blocks of neighbours with their extents.
fn of_points(
    sides: [&Side; 2],
    partners: &Partners,
    points: &PairedPoints,
) -> (Vec<[Affine3A; 2]>, Vec<Laid>) {
    let found: Vec<Found> = (0..points.len())
        .into_par_iter()
        .map(|pair| {
            let both = points.points(pair);
            let place = |side: usize| move |point: u32| [sides[side].mesh_position(point as usize)];
            let [[of_a], [of_b]] = points.places(pair, place(0), place(1));
            let node = |side: usize| sides[side].motion.place(both[side] as usize).node as u32;
            Found { nodes: [node(0), node(1)], places: [of_a, of_b] }
        })
        .collect();
    // The boxes of the pairs by the nodes that draw them.
    let mut boxes: BTreeMap<[u32; 2], [Aabb; 2]> = BTreeMap::new();
    for run in found.chunk_by(|x, y| x.nodes == y.nodes) {
        let both = boxes.entry(run[0].nodes).or_insert([Aabb::EMPTY; 2]);
        for of in run {
            both.iter_mut().zip(of.places).for_each(|(bounds, at)| bounds.add(at));
        }
    }
    let spaces: Vec<[Affine3A; 2]> = boxes.values().map(space).collect();
    let space_of: HashMap<[u32; 2], u32> = boxes.keys().copied().zip(0..).collect();
    let bounds: Vec<Aabb> = boxes.values().map(|both| both[0]).collect();
    let morphed = sides.map(|side| side.motion.morphed_points());
    let is_morphed = |pair: usize| {
        let is = |side: usize, point: u32| morphed[side][point as usize];
        match points.pairs.get(pair) {
            Some([i, j]) => is(0, *i) || is(1, *j),
            None => {
                let foot = &points.feet[pair - points.pairs.len()];
                let of_foot = foot.corners.iter().any(|point| is(1 - foot.side, *point));
                of_foot || is(foot.side, foot.point)
            }
        }
    };
    // The place of a pair in the mesh of A: that of the vertex, if the other one is on a surface.
    let own = |pair: usize, space: u32| {
        let [a, b] = found[pair].places;
        let foot = pair.checked_sub(points.pairs.len()).map(|foot| &points.feet[foot]);
        match foot.is_some_and(|foot| foot.side == 1) {
            true => spaces[space as usize][0].transform_point3(b),
            false => a,
        }
    };
    let mut order: Vec<(u32, u32, u32)> = (0..points.len())
        .into_par_iter()
        .map(|pair| {
            let space = space_of[&found[pair].nodes];
            let group = 2 * space + u32::from(is_morphed(pair));
            (group, along_curve(own(pair, space), &bounds[space as usize]), pair as u32)
        })
        .collect();
    order.par_sort_unstable();
    let groups: Vec<&[(u32, u32, u32)]> = order.chunk_by(|x, y| x.0 == y.0).collect();
    let chunks: Vec<&[(u32, u32, u32)]> =
        groups.into_iter().flat_map(|group| group.chunks(BLOCK)).collect();
    let extent = |chunk: &&[(u32, u32, u32)]| {
        let (mut extent, mut carried) = (Extent::default(), Carried::default());
        for (group, _, pair) in *chunk {
            let (space, pair) = (group / 2, *pair as usize);
            carried.find(sides, points, pair);
            let [a_from_b, _] = &spaces[space as usize];
            extent.add(&carried, partners, space, a_from_b, own(pair, space).into());
            extent.is_open |= group % 2 == 1;
        }
        (extent, chunk.iter().map(|(_, _, pair)| *pair).collect())
    };
    let extents = chunks.par_iter().map(extent).collect();
    (spaces, extents)
}

/// Returns the matrices between the spaces of two meshes, by the boxes of the same points: quantized meshes have a space of
/// their own.
fn space([a, b]: &[Aabb; 2]) -> [Affine3A; 2] {
    let size = a.size().max(b.size());
    let apart = (a.min - b.min).abs().max((a.max - b.max).abs());
    let scale = a.size() / b.size();
    let is_scaled = apart.max_element() > SAME_SPACE * size.max_element();
    if !is_scaled || !scale.is_finite() || scale.min_element() <= 0.0 {
        return [Affine3A::IDENTITY; 2];
    }
    let move_back = Affine3A::from_translation(-b.min);
    let a_from_b = Affine3A::from_translation(a.min) * Affine3A::from_scale(scale) * move_back;
    [a_from_b, a_from_b.inverse()]
}

/// Returns the place of a point along a curve through a box (Morton, "A computer oriented geodetic data base", 1966), so
/// that neighbours on it are neighbours in space.
fn along_curve(at: Vec3, bounds: &Aabb) -> u32 {
    const CELLS: f32 = 1024.0;
    let share = (at - bounds.min) / bounds.size().max(Vec3::splat(f32::MIN_POSITIVE));
    let cells = (share * CELLS).to_array().map(|x| x.clamp(0.0, CELLS - 1.0) as u32);
    let spread = |x: u32| (0..10).map(|bit| (x >> bit & 1) << (3 * bit)).sum::<u32>();
    spread(cells[0]) | spread(cells[1]) << 1 | spread(cells[2]) << 2
}
