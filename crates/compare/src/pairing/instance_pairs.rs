//! The instances of two nodes that belong together (EXT_mesh_gpu_instancing), and how far apart they are at rest.
//!
//! An instance is where the corners of its mesh's box are in the scene, because a quantized mesh has a space of its own, which the
//! matrices of its instances make up for.

use glam::{Affine3A, Vec3};

use super::grid::Grid;
use crate::side::{Side, origin_offset};
use rigview_model::{Aabb, Hull};

/// Instances that were moved are paired with the nearest one up to this number, and in their order above it, because all are compared
/// with all.
const MOST_MOVED: usize = 512;

/// Instances that are measured because they are the farthest apart.
const MOST_MEASURED: usize = 32;

/// An instance is elsewhere if another one lies nearer to its place than this share of the distance to the one with its index.
const ELSEWHERE: f32 = 0.02;

/// The rounding of a place in single precision, as a share of its coordinates.
const ROUNDING: f32 = 2.5e-7;

/// The places of the corners of a mesh's box.
type Corners = [Vec3; 8];

/// An instance of each of two nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct InstancePair {
    /// The indices of both.
    pub of: [usize; 2],
    /// The largest distance in metres between the same corners of both in the scene at rest.
    pub apart: f32,
    /// Whether it has moved, in the scene and relative to its node.
    pub is_moved: bool,
}

/// The instances of two nodes.
pub(crate) struct InstancePairs {
    pub nodes: [usize; 2],
    /// At least one.
    pub pairs: Vec<InstancePair>,
    /// Those of `pairs` whose distances bound those of all: the outermost ones, and those that are the farthest apart.
    pub measured: Vec<usize>,
}

/// Pairs the instances of two nodes. One without any is its own instance. `size` is that of the models.
pub(crate) fn instance_pairs(sides: [&Side; 2], nodes: [usize; 2], size: f32) -> InstancePairs {
    let boxes = [0, 1].map(|side| sides[side].mesh_box(nodes[side]));
    let corners = box_corners(boxes);
    let offset = [Vec3::ZERO, origin_offset(sides[0], sides[1])];
    let world = |side: usize| *sides[side].stage.world.world_from_node(nodes[side]);
    let instances = [0, 1].map(|side| instances(sides[side], nodes[side]));
    let placed = |side: usize, world: Affine3A, offset: Vec3| -> Vec<Corners> {
        let place = |instance: &Affine3A| {
            let matrix = world * *instance;
            corners[side].map(|corner| matrix.transform_point3(corner) + offset)
        };
        instances[side].iter().map(place).collect()
    };
    let in_scene = [0, 1].map(|side| placed(side, world(side), offset[side]));
    // Relative to the node of A.
    let in_node = placed(1, world(0), Vec3::ZERO);
    let near = |place: &Corners| {
        let most = place.iter().map(|at| at.abs().max_element()).fold(0.0, f32::max);
        (5e-5 * size).min(1e-4) + ROUNDING * most
    };
    let is_same = |i: usize, others: &[Corners], j: usize| {
        let apart = apart(&in_scene[0][i], &others[j]);
        apart <= near(&in_scene[0][i])
    };
    let pairs = match are_in_order(&in_scene, &in_node, &is_same) {
        true => (0..in_scene[0].len()).map(|i| [i, i]).collect(),
        false => by_place(&in_scene, &is_same),
    };
    let pair = |of: [usize; 2]| {
        let [i, j] = of;
        let is_moved = !is_same(i, &in_scene[1], j) && !is_same(i, &in_node, j);
        InstancePair { of, apart: apart(&in_scene[0][i], &in_scene[1][j]), is_moved }
    };
    let pairs: Vec<InstancePair> = pairs.into_iter().map(pair).collect();
    let measured = measured(&pairs, &in_scene[0]);
    InstancePairs { nodes, pairs, measured }
}

/// Returns the corners of the boxes of two meshes: their own if the meshes have other spaces, else those of the first one, because a
/// vertex may have moved.
fn box_corners([a, b]: [Aabb; 2]) -> [Corners; 2] {
    /// Spaces whose boxes differ by at most this share of their size are the same one.
    const SAME_SPACE: f32 = 0.1;
    let size = a.size().max(b.size()).max_element();
    let apart = (a.min - b.min).abs().max((a.max - b.max).abs()).max_element();
    let is_other = apart > SAME_SPACE * size;
    [a.corners(), if is_other { b.corners() } else { a.corners() }]
}

/// Returns the matrices of a node's instances; that of the node itself if it has none.
pub(crate) fn instances<'a>(side: &Side<'a>, node: usize) -> &'a [Affine3A] {
    match &side.model.nodes[node].instances[..] {
        [] => &[Affine3A::IDENTITY],
        instances => instances,
    }
}

/// Returns the largest distance between two places of the same corner; infinite if only one of both has a place.
fn apart(a: &Corners, b: &Corners) -> f32 {
    let each = a.iter().zip(b).map(|(a, b)| match (a.is_finite(), b.is_finite()) {
        (true, true) => a.distance(*b),
        (false, false) => 0.0,
        _ => f32::INFINITY,
    });
    each.fold(0.0, f32::max)
}

/// Whether instances of one index belong together: none has moved relative to its node, or most of those that have moved in the
/// scene are not elsewhere, as if they had been moved and put in another order.
fn are_in_order(
    in_scene: &[Vec<Corners>; 2],
    in_node: &[Corners],
    is_same: &impl Fn(usize, &[Corners], usize) -> bool,
) -> bool {
    let [of_a, of_b] = in_scene;
    let count = of_a.len();
    if count != of_b.len() {
        return false;
    }
    let rests = (0..count).filter(|i| is_same(*i, in_node, *i)).count();
    if rests == count {
        return true;
    }
    let is_off = |i: &usize| !is_same(*i, of_b, *i);
    let off: Vec<usize> = (0..count).filter(is_off).collect();
    let elsewhere = by_place(in_scene, is_same);
    let is_nearer =
        |i: usize, j: usize| apart(&of_a[i], &of_b[j]) <= ELSEWHERE * apart(&of_a[i], &of_b[i]);
    let is_elsewhere = |[i, j]: &&[usize; 2]| {
        i != j && off.binary_search(i).is_ok() && (is_same(*i, of_b, *j) || is_nearer(*i, *j))
    };
    // A row that moved along itself is nearer to its neighbours, but for those at its end.
    let farthest = |pairs: &mut dyn Iterator<Item = [usize; 2]>| {
        pairs.map(|[i, j]| apart(&of_a[i], &of_b[j])).fold(0.0, f32::max)
    };
    2 * elsewhere.iter().filter(is_elsewhere).count() <= off.len()
        || farthest(&mut elsewhere.iter().copied()) >= farthest(&mut off.iter().map(|i| [*i, *i]))
}

/// Pairs instances at one place, then what is left with the nearest one.
fn by_place(
    [of_a, of_b]: &[Vec<Corners>; 2],
    is_same: &impl Fn(usize, &[Corners], usize) -> bool,
) -> Vec<[usize; 2]> {
    let first = |places: &[Corners]| places.iter().map(|place| place[0]).collect::<Vec<Vec3>>();
    let (firsts_a, firsts_b) = (first(of_a), first(of_b));
    let most = firsts_a.iter().chain(&firsts_b).filter(|at| at.is_finite());
    let most = most.map(|at| at.abs().max_element()).fold(0.0, f32::max);
    let grid = Grid::new(&firsts_b, 1e-4 + ROUNDING * most);
    let mut taken = vec![false; of_b.len()];
    let mut partners: Vec<Option<usize>> = vec![None; of_a.len()];
    let mut near = Vec::new();
    for (i, at) in firsts_a.iter().enumerate() {
        grid.find(&firsts_b, *at, &mut near);
        // That of the same index comes first.
        let own = std::iter::once(i).filter(|i| *i < of_b.len());
        let mut all = own.chain(near.iter().map(|(j, _)| *j as usize));
        partners[i] = all.find(|j| !taken[*j] && is_same(i, of_b, *j));
        partners[i].into_iter().for_each(|j| taken[j] = true);
    }
    let left: Vec<usize> = (0..of_a.len()).filter(|i| partners[*i].is_none()).collect();
    let mut free: Vec<usize> = (0..of_b.len()).filter(|j| !taken[*j]).collect();
    let are_few = left.len().max(free.len()) <= MOST_MOVED;
    free.reverse();
    for i in left {
        let distance = |j: usize| apart(&of_a[i], &of_b[j]);
        let nearest =
            || (0..free.len()).min_by(|x, y| distance(free[*x]).total_cmp(&distance(free[*y])));
        partners[i] = match are_few {
            true => nearest().map(|at| free.remove(at)),
            false => free.pop(),
        };
    }
    partners.into_iter().enumerate().filter_map(|(i, j)| Some([i, j?])).collect()
}

/// Returns those of some pairs whose distances bound those of all.
fn measured(pairs: &[InstancePair], of_a: &[Corners]) -> Vec<usize> {
    let mut hull: Hull<usize> = Hull::default();
    for (i, pair) in pairs.iter().enumerate() {
        of_a[pair.of[0]].iter().for_each(|corner| hull.add(*corner, i));
    }
    let mut farthest: Vec<usize> = (0..pairs.len()).collect();
    farthest.sort_by(|x, y| pairs[*y].apart.total_cmp(&pairs[*x].apart).then(x.cmp(y)));
    farthest.truncate(MOST_MEASURED);
    let mut all: Vec<usize> = hull.furthest().chain(farthest).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32) -> Corners {
        [Vec3::X * x; 8]
    }

    fn pairs(a: &[f32], b: &[f32]) -> Vec<[usize; 2]> {
        let both = [a, b].map(|list| list.iter().map(|x| at(*x)).collect::<Vec<_>>());
        let is_same =
            |i: usize, others: &[Corners], j: usize| apart(&both[0][i], &others[j]) < 1e-4;
        match are_in_order(&both, &both[1], &is_same) {
            true => (0..a.len()).map(|i| [i, i]).collect(),
            false => by_place(&both, &is_same),
        }
    }

    #[test]
    fn the_order_of_instances_is_no_difference() {
        assert_eq!(
            pairs(&[0., 5., 1., 0.], &[1.00001, 0., 0., 5.]),
            [[0, 1], [1, 3], [2, 0], [3, 2]]
        );
        // One that moved, in another order.
        assert_eq!(pairs(&[0., 5., 1., 9.], &[1., 0., 9.5, 5.]), [[0, 1], [1, 3], [2, 0], [3, 2]]);
        assert_eq!(pairs(&[0., 5., 1.], &[1., 0.]), [[0, 1], [2, 0]]);
        // All moved by little, in another order.
        assert_eq!(pairs(&[0., 5., 1.], &[1.01, 0.01, 5.01]), [[0, 1], [1, 2], [2, 0]]);
        // All moved, in the same order, by more than their distance.
        assert_eq!(pairs(&[0., 1., 2.], &[10., 11., 12.]), [[0, 0], [1, 1], [2, 2]]);
    }
}
