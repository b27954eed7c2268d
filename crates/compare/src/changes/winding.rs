//! Triangles that wind the other way, so that their other side is the front, triangles and lines that are missing or new, and
//! triangles with another material.

use std::collections::HashMap;

use super::gaps::Gaps;
use super::paired_mesh::PairedMesh;
use super::triangle_materials::TriangleMaterials;
use crate::change::{Change, Kind};
use crate::measured::Paired;
use crate::pairing::pairs::entry_name;
use crate::side::Element;
use rigview_model::Topology;
use rigview_model::disjoint_sets::DisjointSets;

/// How often a triangle or a line is there in A and in B, by winding.
#[derive(Default)]
struct Turns {
    counts: [[u32; 2]; 2],
    /// The first triangle of each, by its index.
    first: [Option<usize>; 2],
}

/// The differences of two meshes in their triangles.
#[derive(Default)]
pub(crate) struct TriangleChanges {
    pub changes: Vec<Change>,
    /// By side, the triangles that another node of the other side draws; empty if none does.
    pub moved: [Vec<bool>; 2],
    /// Whether triangles have another material.
    pub have_other_materials: bool,
    /// The points that are one vertex; `None` if they were paired by index.
    pub classes: Option<Classes>,
}

/// Lists the changes of a mesh whose triangles wind the other way as they are drawn at rest, are missing, are new or have another
/// material.
pub(crate) fn triangle_changes(mesh: &PairedMesh) -> TriangleChanges {
    let model = mesh.sides[0].model;
    let Some(index) = model.nodes[mesh.drawn.a].mesh else { return TriangleChanges::default() };
    let name = entry_name(&model.meshes[index].name, index);
    // Pairs by index are only made where the indices are equal, and so are the materials of all triangles but for those of whole
    // primitives.
    if mesh.by == Paired::Index {
        let winding = mirrored(mesh).map(|what| Change::changed(Kind::Winding, name, what));
        return TriangleChanges {
            changes: winding.into_iter().collect(),
            ..TriangleChanges::default()
        };
    }
    let classes = Classes::new(mesh);
    let mut all: HashMap<[u32; 3], Turns> = HashMap::new();
    // By side, the numbers of triangles and of lines.
    let mut counts = [[0; 2]; 2];
    let mut materials = TriangleMaterials::new(mesh);
    for (side, node) in [(0, mesh.drawn.a), (1, mesh.drawn.b)] {
        for (i, element) in mesh.sides[side].elements_with_vertices(node).enumerate() {
            counts[side][usize::from(element.topology == Topology::Lines)] += 1;
            let Some((corners, turned)) = classes.of_element(side, &element) else { continue };
            let is_line = corners[2] == NO_CORNER;
            let turned = !is_line && turned != mesh.sides[side].mirrors(element.points[0]);
            let turns = all.entry(corners).or_default();
            turns.counts[side][usize::from(turned)] += 1;
            turns.first[side].get_or_insert(i);
            if !is_line {
                materials.add(side, (corners, turned), i, element.points[0]);
            }
        }
    }
    let turned = |turns: &Turns| {
        let [[a, a_turned], [b, b_turned]] = turns.counts;
        let one = a.saturating_sub(b).min(b_turned.saturating_sub(a_turned));
        let other = a_turned.saturating_sub(b_turned).min(b.saturating_sub(a));
        (one + other) as usize
    };
    let sum: usize = all.values().map(turned).sum();
    let first = all.values().filter(|turns| turned(turns) > 0).filter_map(|t| t.first[0]).min();
    let winding = first.map(|first| (Kind::Winding, other_way(sum, counts[0][0], first)));
    let moved = [0, 1].map(|side| {
        moved_triangles(mesh, side, |element| {
            let corners = classes.of_element(side, element);
            let there = corners.and_then(|(corners, _)| all.get(&corners));
            there.is_none_or(|turns| turns.counts[1 - side] == [0, 0])
        })
    });
    let only_in = |side: usize, topology: Topology| {
        if !mesh.is_compared(side) {
            return Vec::new();
        }
        let is_line = topology == Topology::Lines;
        let own = all.iter().filter(|(corners, _)| is_line == (corners[2] == NO_CORNER));
        let only = own.filter(|(_, turns)| turns.counts[1 - side] == [0, 0]);
        let is_gone = |triangle: &usize| !moved[side].get(*triangle).is_some_and(|moved| *moved);
        let only = only.filter_map(|(_, turns)| turns.first[side]).filter(is_gone);
        let mut only: Vec<usize> = only.collect();
        only.sort_unstable();
        match only.is_empty() {
            true => only,
            false => Gaps::new(mesh, side, topology).among(&only),
        }
    };
    let told = |side: usize, topology: Topology| {
        let gaps = only_in(side, topology);
        let (first, count) = (gaps.first()?, gaps.len());
        let (noun, all) = match topology {
            Topology::Lines => ("line", counts[side][1]),
            _ => ("triangle", counts[side][0]),
        };
        let (what, of_file) = match side {
            0 => ("missing: nothing is", ""),
            _ => ("new: nothing was", " of the new file"),
        };
        let text = format!("{count} of {all} {noun}s are {what} at their place");
        Some((Kind::Mesh, format!("{text}; the first one is {noun} {first}{of_file}")))
    };
    let gaps = [Topology::Triangles, Topology::Lines]
        .map(|topology| [0, 1].map(|side| told(side, topology)));
    let said = winding.into_iter().chain(gaps.into_iter().flatten().flatten());
    let said = said.map(|(kind, what)| Change::changed(kind, name.clone(), what));
    let of_materials = materials.changes(counts[0][0]);
    let have_other_materials = !of_materials.is_empty();
    let changes = said.chain(of_materials).collect();
    TriangleChanges { changes, moved, have_other_materials, classes: Some(classes) }
}

/// Describes the triangles of meshes with equal indices that only one of both models mirrors; `None` if there are none.
fn mirrored(mesh: &PairedMesh) -> Option<String> {
    let [a, b] = mesh.sides;
    if !a.may_mirror && !b.may_mirror {
        return None;
    }
    let both = a.elements(mesh.drawn.a).zip(b.elements(mesh.drawn.b)).enumerate();
    let (mut count, mut sum, mut first) = (0, 0, None);
    for (i, ([of_a, second, third], [of_b, ..])) in both {
        count += 1;
        let is_triangle = of_a != second && second != third && third != of_a;
        if is_triangle && a.mirrors(of_a) != b.mirrors(of_b) {
            sum += 1;
            first.get_or_insert(i);
        }
    }
    first.map(|first| other_way(sum, count, first))
}

fn other_way(sum: usize, count: usize, first: usize) -> String {
    format!(
        "{sum} of {count} triangles wind the other way; single-sided materials hide them from the front; the first one is \
         triangle {first}"
    )
}

/// Returns, for each triangle of a side, whether it `is_alone` in the mesh and another node of the other side draws it. Empty if
/// there is no such node.
fn moved_triangles(
    mesh: &PairedMesh,
    side: usize,
    is_alone: impl Fn(&Element) -> bool,
) -> Vec<bool> {
    let other = &mesh.lone[1 - side];
    if other.is_empty() {
        return Vec::new();
    }
    let own = mesh.sides[side];
    let node = [mesh.drawn.a, mesh.drawn.b][side];
    let is_moved = |element: Element| {
        let places = element.points.map(|point| mesh.lone[side].place(own, point));
        is_alone(&element) && other.has(mesh.lone[side].skin(own, node), places)
    };
    own.elements_with_vertices(node).map(is_moved).collect()
}

/// Returns the corners in ascending order, and whether that winds the other way.
fn sorted([mut a, mut b, mut c]: [u32; 3]) -> ([u32; 3], bool) {
    let mut turned = false;
    for _ in 0..2 {
        if a > b {
            (a, b, turned) = (b, a, !turned);
        }
        if b > c {
            (b, c, turned) = (c, b, !turned);
        }
    }
    ([a, b, c], turned)
}

/// The third corner of a line.
const NO_CORNER: u32 = u32::MAX;

/// The points of both models that are one vertex, as numbers.
pub(crate) struct Classes {
    /// By side, the first point of the node.
    first: [usize; 2],
    sets: DisjointSets,
    /// Number of points of A.
    split: usize,
    /// Whether a point is in any pair.
    paired: Vec<bool>,
}

impl Classes {
    pub fn new(mesh: &PairedMesh) -> Self {
        let ranges = [(0, mesh.drawn.a), (1, mesh.drawn.b)].map(|(side, node)| {
            let mut points = mesh.sides[side].motion.points_of_node(node);
            let first = points.next().unwrap_or(0);
            (first, points.last().map_or(first, |last| last) + 1 - first)
        });
        let [(first_a, count_a), (first_b, count_b)] = ranges;
        let count = count_a + count_b;
        let mut classes = Self {
            first: [first_a, first_b],
            sets: DisjointSets::new(count),
            split: count_a,
            paired: vec![false; count],
        };
        for [a, b] in mesh.pairs {
            let both = [(0, *a), (1, *b)].map(|(side, point)| classes.slot(side, point as usize));
            let [Some(a), Some(b)] = both else { continue };
            (classes.paired[a], classes.paired[b]) = (true, true);
            classes.sets.join(a, b);
        }
        classes
    }

    fn slot(&self, side: usize, point: usize) -> Option<usize> {
        let local = point.checked_sub(self.first[side])?;
        let slot = if side == 0 { local } else { self.split + local };
        let end = if side == 0 { self.split } else { self.paired.len() };
        (slot < end).then_some(slot)
    }

    /// Returns the classes of an element's corners in ascending order, and whether that winds the other way; `None` if one has no
    /// partner, two are the same one, or the element is a point. A line has [`NO_CORNER`] as its third corner.
    pub fn of_element(&self, side: usize, element: &Element) -> Option<([u32; 3], bool)> {
        let [a, b, c] = self.of(side, element.points)?;
        match element.topology {
            Topology::Points => None,
            Topology::Lines => (a != b).then(|| ([a.min(b), a.max(b), NO_CORNER], false)),
            Topology::Triangles => (a != b && b != c && c != a).then(|| sorted([a, b, c])),
        }
    }

    /// Returns the classes of an element's corners; `None` if one has no partner.
    pub fn of(&self, side: usize, corners: [usize; 3]) -> Option<[u32; 3]> {
        let class = |point: usize| {
            let slot = self.slot(side, point).filter(|slot| self.paired[*slot])?;
            Some(self.sets.root(slot) as u32)
        };
        let [a, b, c] = corners;
        Some([class(a)?, class(b)?, class(c)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotated_corners_wind_alike_and_exchanged_ones_do_not() {
        assert_eq!(sorted([3, 1, 2]), ([1, 2, 3], false));
        assert_eq!(sorted([2, 3, 1]), ([1, 2, 3], false));
        assert_eq!(sorted([2, 1, 3]), ([1, 2, 3], true));
        assert_eq!(sorted([3, 2, 1]), ([1, 2, 3], true));
    }
}
