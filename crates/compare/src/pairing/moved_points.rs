//! Pairs points that have moved in a mesh whose vertices are in another order: those whose triangles have the same other corners.

use std::collections::HashMap;

use rigview_model::disjoint_sets::DisjointSets;

/// The two other corners of a triangle in the order of its winding, so that an edge has two sides, as numbers that points of both
/// meshes share.
type Edge = [u32; 2];

/// Maximum number of points per mesh at one side of an edge: it has one triangle, or few more.
const MOST_AT_EDGE: usize = 4;

/// Returns pairs of points that `left` has no partner for. `elements` are the corners of the triangles of both meshes, `pairs` the points
/// of both that belong together, and `counts` the numbers of points.
pub(crate) fn moved_pairs(
    elements: [&[[u32; 3]]; 2],
    counts: [usize; 2],
    pairs: &[[u32; 2]],
    left: &[Vec<u32>; 2],
) -> Vec<[u32; 2]> {
    if left.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let mut search = Search::new(elements, counts, pairs, left);
    for side in [0, 1] {
        (0..search.open[side].len()).for_each(|triangle| search.see(side, triangle));
    }
    let mut found: Vec<[u32; 2]> = Vec::new();
    loop {
        let new = search.best_pairs();
        if new.is_empty() {
            break;
        }
        new.iter().for_each(|pair| search.pair(*pair));
        // Only triangles at a new pair can have become those with one point left.
        for side in [0, 1] {
            for pair in &new {
                let around = search.around[side].remove(&pair[side]).unwrap_or_default();
                around.into_iter().for_each(|triangle| search.see(side, triangle as usize));
            }
        }
        found.extend(new);
    }
    // A point with other triangles may be another one.
    let rings = [0, 1].map(|side| search.rings(side));
    let ring = |side: usize, point: u32| rings[side].get(&point);
    found.retain(|[i, j]| ring(0, *i).is_some() && ring(0, *i) == ring(1, *j));
    found
}

/// The points of both meshes without a partner, and what is known around them.
struct Search {
    /// The points of the first mesh, then those of the second one; points that belong together are a set.
    sets: DisjointSets,
    /// The number of points of the first mesh.
    split: usize,
    is_left: [Vec<bool>; 2],
    /// By side, the triangles that had a point without a partner at the start.
    open: [Vec<[u32; 3]>; 2],
    /// By side and point without a partner, its triangles in `open`.
    around: [HashMap<u32, Vec<u32>>; 2],
    /// By edge and side, the points that alone have no partner in a triangle with this edge.
    at_edge: HashMap<Edge, [Vec<u32>; 2]>,
    /// By side and point, the number of its edges.
    totals: [HashMap<u32, usize>; 2],
    /// By points of both sides, the number of edges that they have in common.
    common: HashMap<[u32; 2], usize>,
    /// The entries of `common` that are new or larger.
    changed: Vec<[u32; 2]>,
}

impl Search {
    fn new(
        elements: [&[[u32; 3]]; 2],
        counts: [usize; 2],
        pairs: &[[u32; 2]],
        left: &[Vec<u32>; 2],
    ) -> Self {
        let is_left = [0, 1].map(|side| {
            let mut is_left = vec![false; counts[side]];
            left[side].iter().for_each(|point| is_left[*point as usize] = true);
            is_left
        });
        let open = [0, 1].map(|side| -> Vec<[u32; 3]> {
            let is_open = |corners: &&[u32; 3]| corners.iter().any(|i| is_left[side][*i as usize]);
            let is_triangle = |[a, b, c]: &&[u32; 3]| a != b && b != c && c != a;
            elements[side].iter().filter(is_triangle).filter(is_open).copied().collect()
        });
        let mut around = [HashMap::new(), HashMap::new()];
        for (side, around) in around.iter_mut().enumerate() {
            for (triangle, corners) in (0..).zip(&open[side]) {
                for point in corners.iter().filter(|point| is_left[side][**point as usize]) {
                    around.entry(*point).or_insert_with(Vec::new).push(triangle);
                }
            }
        }
        let mut sets = DisjointSets::new(counts[0] + counts[1]);
        pairs.iter().for_each(|[i, j]| sets.join(*i as usize, counts[0] + *j as usize));
        Self {
            sets,
            split: counts[0],
            is_left,
            open,
            around,
            at_edge: HashMap::new(),
            totals: [HashMap::new(), HashMap::new()],
            common: HashMap::new(),
            changed: Vec::new(),
        }
    }

    fn pair(&mut self, [i, j]: [u32; 2]) {
        let [i, j] = [i as usize, j as usize];
        (self.is_left[0][i], self.is_left[1][j]) = (false, false);
        self.sets.join(i, self.split + j);
    }

    /// Adds the edge of a triangle in which one point alone has no partner.
    fn see(&mut self, side: usize, triangle: usize) {
        let [a, b, c] = self.open[side][triangle];
        let (point, x, y) = match [a, b, c].map(|point| self.is_left[side][point as usize]) {
            [true, false, false] => (a, b, c),
            [false, true, false] => (b, c, a),
            [false, false, true] => (c, a, b),
            _ => return,
        };
        let edge = self.edge(side, x, y);
        let ends = self.at_edge.entry(edge).or_default();
        // A triangle may be there twice, or be seen from two new pairs.
        if ends[side].contains(&point) {
            return;
        }
        *self.totals[side].entry(point).or_insert(0) += 1;
        if ends[side].len() == MOST_AT_EDGE {
            return;
        }
        ends[side].push(point);
        for other in &ends[1 - side] {
            let pair = if side == 0 { [point, *other] } else { [*other, point] };
            *self.common.entry(pair).or_insert(0) += 1;
            self.changed.push(pair);
        }
    }

    /// Returns the points that have most of their edges in common, but not those for which this is true of several others, as of
    /// leaves around one edge.
    fn best_pairs(&mut self) -> Vec<[u32; 2]> {
        let mut pairs = std::mem::take(&mut self.changed);
        pairs.retain(|pair| {
            (0..2).all(|side| {
                let is_left = self.is_left[side][pair[side] as usize];
                is_left && 2 * self.common[pair] > self.totals[side][&pair[side]]
            })
        });
        pairs.sort_unstable();
        pairs.dedup();
        let mut partners = [HashMap::new(), HashMap::new()];
        for pair in &pairs {
            (0..2).for_each(|side| *partners[side].entry(pair[side]).or_insert(0) += 1);
        }
        pairs.retain(|pair| (0..2).all(|side| partners[side][&pair[side]] == 1));
        pairs
    }

    fn edge(&self, side: usize, x: u32, y: u32) -> Edge {
        let start = if side == 0 { 0 } else { self.split };
        [x, y].map(|point| self.sets.root(start + point as usize) as u32)
    }

    /// Returns, for each corner, the other corners of all of its triangles in ascending order.
    fn rings(&self, side: usize) -> HashMap<u32, Vec<Edge>> {
        let mut rings: HashMap<u32, Vec<Edge>> = HashMap::new();
        for [a, b, c] in &self.open[side] {
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

    /// Leaves around one edge, whose outer points are alike.
    #[test]
    fn points_that_cannot_be_told_apart_are_not_paired() {
        let leaves: Vec<[u32; 3]> = (2..8).map(|leaf| [0, 1, leaf]).collect();
        let turned: Vec<[u32; 3]> = leaves.iter().map(|of| of.map(|i| 7 - i)).collect();
        let left = [(2..8).collect(), (0..6).collect()];
        let found = moved_pairs([&leaves, &turned], [8, 8], &[[0, 7], [1, 6]], &left);
        assert_eq!(found, [[0; 2]; 0]);
    }

    #[test]
    fn corners_at_both_sides_of_an_edge_are_told_apart() {
        let square = [[0, 1, 2], [2, 1, 3]];
        let turned = square.map(|of: [u32; 3]| of.map(|i| 3 - i));
        let left = [vec![0, 3], vec![0, 3]];
        let mut found = moved_pairs([&square, &turned], [4, 4], &[[1, 2], [2, 1]], &left);
        found.sort_unstable();
        assert_eq!(found, [[0, 3], [3, 0]]);
    }

    #[test]
    fn a_point_with_other_triangles_is_another_one() {
        assert_eq!(moved(&[[0, 1, 3], [1, 4, 3], [1, 5, 4], [1, 2, 5]], &[4]), [[0; 2]; 0]);
    }

    /// A strip of which all but the first points moved: each round finds only the next one, so that looking at all triangles in
    /// each would take minutes.
    #[test]
    fn a_long_strip_is_found_from_its_end() {
        const COUNT: u32 = 60_000;
        let strip: Vec<[u32; 3]> = (2..COUNT).map(|i| [i - 2, i - 1, i]).collect();
        let turned: Vec<[u32; 3]> = strip.iter().map(|of| of.map(|i| COUNT - 1 - i)).collect();
        let pairs: Vec<[u32; 2]> = (0..4).map(|i| [i, COUNT - 1 - i]).collect();
        let left = [(4..COUNT).collect(), (0..COUNT - 4).collect()];
        let found = moved_pairs([&strip, &turned], [COUNT as usize; 2], &pairs, &left);
        assert!(found.iter().copied().eq((4..COUNT).map(|i| [i, COUNT - 1 - i])));
    }
}
