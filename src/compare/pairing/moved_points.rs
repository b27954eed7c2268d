//! Pairs points that have moved in a mesh whose vertices are in another order: those whose triangles have the same other corners.

use std::collections::{HashMap, HashSet};

/// The two other corners of a triangle, as numbers that points of both meshes share, in ascending order.
type Edge = [u32; 2];

/// Returns pairs of points that `left` has no partner for. `elements` are the corners of the triangles of both meshes, `pairs` the points
/// of both that belong together, and `counts` the numbers of points.
pub(in crate::compare) fn moved_pairs(
    elements: [&[[u32; 3]]; 2],
    counts: [usize; 2],
    pairs: &[[u32; 2]],
    left: &[Vec<u32>; 2],
) -> Vec<[u32; 2]> {
    if left.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let is_left = [0, 1].map(|side| {
        let mut is_left = vec![false; counts[side]];
        left[side].iter().for_each(|point| is_left[*point as usize] = true);
        is_left
    });
    // The triangles at points without a partner.
    let open = [0, 1].map(|side| -> Vec<[u32; 3]> {
        let is_open = |corners: &&[u32; 3]| corners.iter().any(|i| is_left[side][*i as usize]);
        let is_triangle = |[a, b, c]: &&[u32; 3]| a != b && b != c && c != a;
        elements[side].iter().filter(is_triangle).filter(is_open).copied().collect()
    });
    let mut known = Numbers::new(counts, pairs, is_left);
    let mut found: Vec<[u32; 2]> = Vec::new();
    loop {
        let edges = [0, 1].map(|side| known.edges(side, &open[side]));
        let new: Vec<[u32; 2]> = best_pairs(&edges);
        if new.is_empty() {
            break;
        }
        new.iter().for_each(|pair| known.pair(*pair));
        found.extend(new);
    }
    // A point with other triangles may be another one.
    let rings = [0, 1].map(|side| known.rings(side, &open[side]));
    let ring = |side: usize, point: u32| rings[side].get(&point);
    found.retain(|[i, j]| ring(0, *i).is_some() && ring(0, *i) == ring(1, *j));
    found
}

/// Pairs the points that have most of their edges in common.
fn best_pairs(edges: &[Vec<(Edge, u32)>; 2]) -> Vec<[u32; 2]> {
    let mut totals = [HashMap::new(), HashMap::new()];
    for (edges, totals) in edges.iter().zip(&mut totals) {
        edges.iter().for_each(|(_, point)| *totals.entry(*point).or_insert(0) += 1);
    }
    let mut in_b: HashMap<Edge, HashSet<u32>> = HashMap::new();
    edges[1].iter().for_each(|(edge, j)| {
        in_b.entry(*edge).or_default().insert(*j);
    });
    let mut common: HashMap<[u32; 2], usize> = HashMap::new();
    for (edge, i) in &edges[0] {
        // An edge has two triangles, or few more.
        let others = in_b.get(edge).filter(|others| others.len() <= 4);
        others.into_iter().flatten().for_each(|j| *common.entry([*i, *j]).or_insert(0) += 1);
    }
    let is_most =
        |([i, j], count): &([u32; 2], usize)| 2 * count > totals[0][i] && 2 * count > totals[1][j];
    let mut pairs: Vec<[u32; 2]> =
        common.into_iter().filter(is_most).map(|(pair, _)| pair).collect();
    pairs.sort_unstable();
    pairs
}

/// Numbers of the points of both meshes; points that belong together have one.
struct Numbers {
    parents: Vec<u32>,
    /// The number of points of the first mesh.
    split: u32,
    is_left: [Vec<bool>; 2],
}

impl Numbers {
    fn new(counts: [usize; 2], pairs: &[[u32; 2]], is_left: [Vec<bool>; 2]) -> Self {
        let parents = (0..(counts[0] + counts[1]) as u32).collect();
        let mut out = Self { parents, split: counts[0] as u32, is_left };
        pairs.iter().for_each(|pair| out.join(*pair));
        out
    }

    fn pair(&mut self, pair: [u32; 2]) {
        (0..2).for_each(|side| self.is_left[side][pair[side] as usize] = false);
        self.join(pair);
    }

    fn join(&mut self, [i, j]: [u32; 2]) {
        let (a, b) = (self.root(i), self.root(self.split + j));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    fn root(&self, mut point: u32) -> u32 {
        while self.parents[point as usize] != point {
            point = self.parents[point as usize];
        }
        point
    }

    fn of(&self, side: usize, point: u32) -> u32 {
        self.root(if side == 0 { point } else { self.split + point })
    }

    /// Returns the points that alone have no partner in their triangle, each with the triangle's other corners.
    fn edges(&self, side: usize, triangles: &[[u32; 3]]) -> Vec<(Edge, u32)> {
        let edge = |[a, b, c]: &[u32; 3]| {
            let left = [a, b, c].map(|point| self.is_left[side][*point as usize]);
            let (point, x, y) = match left {
                [true, false, false] => (a, b, c),
                [false, true, false] => (b, c, a),
                [false, false, true] => (c, a, b),
                _ => return None,
            };
            Some((self.edge(side, *x, *y), *point))
        };
        triangles.iter().filter_map(edge).collect()
    }

    fn edge(&self, side: usize, x: u32, y: u32) -> Edge {
        let mut edge = [self.of(side, x), self.of(side, y)];
        edge.sort_unstable();
        edge
    }

    /// Returns, for each corner, the other corners of all of its triangles in ascending order.
    fn rings(&self, side: usize, triangles: &[[u32; 3]]) -> HashMap<u32, Vec<Edge>> {
        let mut rings: HashMap<u32, Vec<Edge>> = HashMap::new();
        for [a, b, c] in triangles {
            for [point, x, y] in [[a, b, c], [b, c, a], [c, a, b]] {
                rings.entry(*point).or_default().push(self.edge(side, *x, *y));
            }
        }
        rings.values_mut().for_each(|ring| ring.sort_unstable());
        rings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows of three points.
    const SHEET: [[u32; 3]; 4] = [[0, 1, 3], [1, 4, 3], [1, 2, 4], [2, 5, 4]];

    /// Returns the pairs of a sheet and of one in the opposite order, without those of some points of the first one.
    fn moved(triangles: &[[u32; 3]], left: &[u32]) -> Vec<[u32; 2]> {
        let pairs: Vec<[u32; 2]> =
            (0..6).filter(|i| !left.contains(i)).map(|i| [i, 5 - i]).collect();
        let others = left.iter().map(|i| 5 - i).collect();
        let of_b: Vec<[u32; 3]> = triangles.iter().map(|of| of.map(|i| 5 - i)).collect();
        moved_pairs([&SHEET, &of_b], [6, 6], &pairs, &[left.to_vec(), others])
    }

    #[test]
    fn points_with_the_same_neighbours_are_one() {
        assert_eq!(moved(&SHEET, &[4]), [[4, 1]]);
        let mut both = moved(&SHEET, &[4, 5]);
        both.sort_unstable();
        assert_eq!(both, [[4, 1], [5, 0]]);
    }

    #[test]
    fn a_point_with_other_triangles_is_another_one() {
        assert_eq!(moved(&[[0, 1, 3], [1, 4, 3], [1, 5, 4], [1, 2, 5]], &[4]), [[0; 2]; 0]);
    }
}
