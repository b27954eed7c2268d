//! Triangles that are wound against their neighbours: what a mesh without normals shows of its sides.

use std::collections::HashMap;

use rigview_model::{Primitive, Topology};

/// Triangles that are compared at most.
const MOST_TRIANGLES: usize = 500_000;

/// The two triangles at an edge, and how many there are.
#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    /// Index of the triangle, and whether it runs along the edge from the smaller corner to the larger.
    triangles: [(u32, bool); 2],
    count: usize,
}

/// Returns how many triangles are wound against the others of the surface that they belong to, and how many have
/// neighbours; `None` if there are no triangles, or too many. Vertices at one place are one corner. Of each surface the
/// fewer triangles are the odd ones; a surface with one side (a Möbius strip) has none.
pub(super) fn turned_triangles(primitive: &Primitive) -> Option<(usize, usize)> {
    let count = primitive.indices.len() / 3;
    if primitive.mode.topology() != Topology::Triangles || count == 0 || count > MOST_TRIANGLES {
        return None;
    }
    let mut places: HashMap<[u32; 3], u32> = HashMap::new();
    let corners = primitive.indices.iter().map(|index| {
        // Adding 0 makes -0 the same place.
        let place = primitive.vertices[*index as usize].position.map(|x| (x + 0.0).to_bits());
        let next = places.len() as u32;
        *places.entry(place).or_insert(next)
    });
    let corners: Vec<u32> = corners.collect();
    let mut edges: HashMap<(u32, u32), Edge> = HashMap::new();
    for (triangle, corners) in corners.chunks_exact(3).enumerate() {
        let [a, b, c] = [corners[0], corners[1], corners[2]];
        if a == b || b == c || c == a {
            continue;
        }
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let edge = edges.entry((from.min(to), from.max(to))).or_default();
            if let Some(slot) = edge.triangles.get_mut(edge.count) {
                *slot = (triangle as u32, from < to);
            }
            edge.count += 1;
        }
    }
    // Where three sheets meet, or two lie on each other, sides say nothing.
    let mut beside: Vec<Vec<(u32, bool)>> = vec![Vec::new(); count];
    for Edge { triangles: [(a, a_along), (b, b_along)], count } in edges.into_values() {
        if count == 2 {
            let turned = a_along == b_along;
            beside[a as usize].push((b, turned));
            beside[b as usize].push((a, turned));
        }
    }
    Some(count_turned(&beside))
}

/// Walks over each surface, and counts the triangles of its smaller side and all.
fn count_turned(beside: &[Vec<(u32, bool)>]) -> (usize, usize) {
    let mut sides: Vec<Option<bool>> = vec![None; beside.len()];
    let (mut odd, mut all) = (0, 0);
    for first in 0..beside.len() {
        if sides[first].is_some() || beside[first].is_empty() {
            continue;
        }
        sides[first] = Some(false);
        let (mut open, mut counts, mut has_two_sides) = (vec![first], [0_usize; 2], true);
        while let Some(triangle) = open.pop() {
            let side = sides[triangle].unwrap_or_default();
            counts[usize::from(side)] += 1;
            for &(other, turned) in &beside[triangle] {
                let other = other as usize;
                match sides[other] {
                    Some(known) => has_two_sides &= known == side ^ turned,
                    None => {
                        sides[other] = Some(side ^ turned);
                        open.push(other);
                    }
                }
            }
        }
        all += counts[0] + counts[1];
        odd += if has_two_sides { counts[0].min(counts[1]) } else { 0 };
    }
    (odd, all)
}
