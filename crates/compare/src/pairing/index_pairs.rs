//! Pairs the vertices of two nodes by index, where both have the same triangles.

use glam::Vec3;

use super::grid::Grid;
use super::nearest::{SAME_PLACE, spread};
use super::pairs::{Class, Pairs};
use super::spaces::{Space, Spaces, VertexPair};
use crate::side::DrawnVertex;
use rigview_model::{Primitive, Topology};

/// A vertex is elsewhere if another one lies nearer to its place than this share of the distance to the one with its
/// index, or than this share of the mesh's size.
const ELSEWHERE: f32 = 0.02;
const ELSEWHERE_OF_SIZE: f32 = 2e-5;

/// Pairs the vertices of two nodes by their indices in the file, given the numbers of the primitives that they draw. Returns `None`
/// if their indices differ, or if vertices with one index are not the same ones.
pub(crate) fn index_pairs(
    spaces: &Spaces,
    materials: &Pairs,
    drawn: [&[u32]; 2],
) -> Option<Vec<VertexPair>> {
    if drawn[0].len() != drawn[1].len() || are_permuted(spaces, materials, drawn) {
        return None;
    }
    let mut pairs = Vec::new();
    for numbers in drawn[0].iter().zip(drawn[1]).map(|(a, b)| [*a, *b]) {
        let both =
            [0, 1].map(|side: usize| spaces.sides[side].motion.drawn(numbers[side] as usize));
        // The order of instances means nothing.
        let [of_a, of_b] = [0, 1].map(|side: usize| {
            let node = both[side].node;
            &spaces.sides[side].model.nodes[node].instances
        });
        if of_a != of_b {
            return None;
        }
        let [p, q] = [0, 1].map(|side: usize| spaces.sides[side].primitive(&both[side]).1);
        if p.source_vertices != q.source_vertices || !have_same_indices(p, q) {
            return None;
        }
        // A vertex of the file may have become several; they lie at one place.
        let mut in_b = vec![None; q.source_vertices as usize];
        for (vertex, point) in both[1].vertices() {
            if let Some(slot) = in_b.get_mut(q.index_in_file(vertex) as usize) {
                *slot = Some((vertex, point));
            }
        }
        let pair = |(vertex, point): (u32, usize)| {
            let (there, other) = (*in_b.get(p.index_in_file(vertex) as usize)?)?;
            let of = [(0, vertex), (1, there)]
                .map(|(side, vertex): (usize, u32)| DrawnVertex { drawn: numbers[side], vertex });
            Some(VertexPair {
                of,
                points: [point as u32, other as u32],
                from: 0,
                space: Space::Mesh,
            })
        };
        pairs.extend(both[0].vertices().filter_map(pair));
    }
    let space = common_space(spaces, &pairs)?;
    pairs.iter_mut().for_each(|pair| pair.space = space);
    Some(pairs)
}

/// Whether the primitives of one side have the materials of the other one's in another order, so that their indices say nothing.
fn are_permuted(spaces: &Spaces, materials: &Pairs, drawn: [&[u32]; 2]) -> bool {
    let mut both = [0, 1].map(|side: usize| -> Vec<Option<Class>> {
        let own = spaces.sides[side];
        let material = |number: &u32| own.primitive(&own.motion.drawn(*number as usize)).1.material;
        let class = |number| material(number).map(|material| materials.class(side, material));
        drawn[side].iter().map(class).collect()
    });
    let are_in_order = both[0] == both[1];
    both.iter_mut().for_each(|list| list.sort_unstable());
    !are_in_order && both[0] == both[1]
}

/// Whether two primitives connect their vertices by the same indices. A triangle may begin with another corner, as compression
/// has it.
fn have_same_indices(a: &Primitive, b: &Primitive) -> bool {
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
    a.indices.len() == b.indices.len()
        && a.mode.topology() == b.mode.topology()
        && both.all(|(x, y)| in_file(a, x) == in_file(b, y))
}

/// The pairs of points that are not at one place in a space.
struct Elsewhere {
    away: Vec<usize>,
    places: [Vec<Vec3>; 2],
    size: f32,
    space: Space,
}

/// Returns the space in which most vertices of equal index have equal positions. `None` if the indices were reassigned: if
/// most of the others lie where a vertex of another index was. Positions that are not finite count as equal.
fn common_space(spaces: &Spaces, pairs: &[VertexPair]) -> Option<Space> {
    let mut points: Vec<[u32; 2]> = pairs.iter().map(|pair| pair.points).collect();
    points.sort_unstable();
    points.dedup();
    let mut least: Option<Elsewhere> = None;
    for space in spaces.all() {
        let both = [0, 1].map(|side: usize| -> Vec<Vec3> {
            points.iter().map(|of| spaces.place(space, side, of[side] as usize)).collect()
        });
        let size = spread(&both[0]).max(spread(&both[1]));
        let is_away = |i: &usize| {
            let (x, y) = (both[0][*i], both[1][*i]);
            x.distance(y) > SAME_PLACE * size || x.is_finite() != y.is_finite()
        };
        let away: Vec<usize> = (0..points.len()).filter(is_away).collect();
        if away.is_empty() {
            return Some(space);
        }
        if least.as_ref().is_none_or(|least| away.len() < least.away.len()) {
            least = Some(Elsewhere { away, places: both, size, space });
        }
    }
    let Elsewhere { away, places: [in_a, in_b], size, space } = least?;
    // One that is where it was may have parted from another: a seam was torn.
    let mut is_away = vec![false; points.len()];
    away.iter().for_each(|i| is_away[*i] = true);
    let widest = (SAME_PLACE * size).max(f32::MIN_POSITIVE);
    let grid = Grid::new(&in_b, widest);
    let is_elsewhere = |i: &&usize| {
        let apart = ELSEWHERE * in_a[**i].distance(in_b[**i]);
        let near = apart.clamp(ELSEWHERE_OF_SIZE * size, widest);
        let at_place = grid.near(&in_b, in_a[**i]);
        at_place.iter().any(|(there, distance)| *distance <= near && is_away[*there as usize])
    };
    (2 * away.iter().filter(is_elsewhere).count() <= away.len()).then_some(space)
}
