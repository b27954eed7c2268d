//! Cuts a skinned primitive into parts whose joints fit into one palette.
//!
//! Each point, line or triangle is assigned to a palette. The vertices of a palette are copied
//! together (once per part that uses them), and joints become indices into the palette. One element
//! may need 48 joints, so a smaller limit is raised for it.

use super::influences::Bindings;
use rigview_model::{Influence, Influences, PalettePart, Topology};

/// The number of latest palettes tried for an element before a new one is started.
const TRIED: usize = 32;

/// How elements may be assigned to parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Each element to any part.
    Free,
    /// Consecutive runs of elements: blended surfaces must be drawn in file order.
    Kept,
}

/// The rules by which a primitive is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    /// Joints per part; exceeded only where one element needs more.
    pub joint_limit: usize,
    /// How elements may be assigned to parts.
    pub order: Order,
}

/// A primitive in parts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cut {
    /// In drawing order.
    pub parts: Vec<PalettePart>,
    /// The file's index of each vertex; `None` if the vertices are unchanged.
    pub source_vertex: Option<Vec<u32>>,
    /// Indices into the vertices of the cut.
    pub indices: Vec<u32>,
    /// The influences of the vertices of the cut.
    pub influences: Influences,
}

/// The joints of one part.
#[derive(Clone, Debug, Default)]
struct Palette {
    joints: Vec<u16>,
    /// The same joints as a bit set.
    members: Vec<u64>,
    /// Limit for the number of joints.
    limit: usize,
    /// Indices of the elements assigned to it.
    elements: Vec<u32>,
    /// Vertices that no element uses.
    spare: Vec<u32>,
}

impl Palette {
    fn has(&self, joint: u16) -> bool {
        let word = self.members.get(usize::from(joint) / 64).copied().unwrap_or(0);
        word >> (joint % 64) & 1 == 1
    }

    fn missing(&self, joints: &[u16]) -> usize {
        joints.iter().filter(|joint| !self.has(**joint)).count()
    }

    fn add(&mut self, joints: &[u16]) {
        for joint in joints {
            if !self.has(*joint) {
                let word = usize::from(*joint) / 64;
                if word >= self.members.len() {
                    self.members.resize(word + 1, 0);
                }
                self.members[word] |= 1 << (joint % 64);
                self.joints.push(*joint);
            }
        }
    }
}

/// Cuts a primitive into parts of at most `joint_limit` joints (more only where one element needs
/// more). Vertices that no index names are kept.
pub(super) fn cut(bindings: &Bindings, indices: Vec<u32>, topology: Topology, rules: Rules) -> Cut {
    let vertices = bindings.list.len() / bindings.sets;
    let mut whole = Palette::default();
    for four in &bindings.list {
        for (joint, weight) in four.joints.iter().zip(four.weights) {
            if weight > 0.0 && !whole.has(*joint) {
                whole.add(&[*joint]);
            }
        }
    }
    if whole.joints.len() <= rules.joint_limit {
        whole.joints.sort_unstable();
        let mut influences = Vec::with_capacity(bindings.list.len());
        let places = places(&whole.joints);
        (0..vertices).for_each(|v| push_influences(&mut influences, bindings, v, &places));
        return Cut {
            parts: vec![PalettePart {
                joints: whole.joints,
                indices: 0..indices.len() as u32,
                vertices: 0..vertices as u32,
            }],
            source_vertex: None,
            indices,
            influences: Influences { sets: bindings.sets, list: influences },
        };
    }
    let palettes = assign(bindings, &indices, topology, rules);
    assemble(bindings, &indices, topology, palettes)
}

/// Assigns all elements, then all unused vertices, to palettes.
fn assign(bindings: &Bindings, indices: &[u32], topology: Topology, rules: Rules) -> Vec<Palette> {
    let vertices = bindings.list.len() / bindings.sets;
    let mut palettes: Vec<Palette> = Vec::new();
    let mut used = vec![false; vertices];
    let mut joints = Vec::new();
    for (number, element) in indices.chunks_exact(topology.corners()).enumerate() {
        joints.clear();
        for vertex in element {
            used[*vertex as usize] = true;
            collect_joints(&mut joints, bindings, *vertex as usize);
        }
        let at = palette_for(&mut palettes, &joints, rules);
        palettes[at].elements.push(number as u32);
    }
    for vertex in (0..vertices).filter(|v| !used[*v]) {
        joints.clear();
        collect_joints(&mut joints, bindings, vertex);
        let at = palette_for(&mut palettes, &joints, Rules { order: Order::Free, ..rules });
        palettes[at].spare.push(vertex as u32);
    }
    palettes
}

/// Adds joints to the palette that grows least by them, and returns its index.
fn palette_for(palettes: &mut Vec<Palette>, joints: &[u16], rules: Rules) -> usize {
    let tried = match rules.order {
        Order::Free => TRIED,
        Order::Kept => 1,
    };
    let mut best: Option<(usize, usize)> = None;
    for (at, palette) in palettes.iter().enumerate().rev().take(tried) {
        let missing = palette.missing(joints);
        let fits = palette.joints.len() + missing <= palette.limit;
        if fits && best.is_none_or(|(_, least)| missing < least) {
            best = Some((at, missing));
            if missing == 0 {
                break;
            }
        }
    }
    let at = best.map_or_else(
        || {
            let limit = rules.joint_limit.max(joints.len());
            palettes.push(Palette { limit, ..Palette::default() });
            palettes.len() - 1
        },
        |(at, _)| at,
    );
    palettes[at].add(joints);
    at
}

/// Adds the joints that move a vertex, without duplicates.
fn collect_joints(joints: &mut Vec<u16>, bindings: &Bindings, vertex: usize) {
    let sets = &bindings.list[vertex * bindings.sets..][..bindings.sets];
    for (joint, weight) in sets.iter().flat_map(|four| four.joints.iter().zip(four.weights)) {
        if weight > 0.0 && !joints.contains(joint) {
            joints.push(*joint);
        }
    }
}

/// Concatenates the palettes' elements and vertices.
fn assemble(
    bindings: &Bindings,
    indices: &[u32],
    topology: Topology,
    palettes: Vec<Palette>,
) -> Cut {
    const NOWHERE: u32 = u32::MAX;
    let corners = topology.corners();
    let mut parts = Vec::with_capacity(palettes.len());
    let mut source_vertex = Vec::new();
    let mut cut_indices = Vec::with_capacity(indices.len());
    let mut influences = Vec::new();
    // The index of each vertex of the file in the current part.
    let mut copies = vec![NOWHERE; bindings.list.len() / bindings.sets];
    for mut palette in palettes {
        palette.joints.sort_unstable();
        let places = places(&palette.joints);
        let (first_index, first_vertex) = (cut_indices.len() as u32, source_vertex.len());
        for element in &palette.elements {
            for vertex in &indices[*element as usize * corners..][..corners] {
                let copy = &mut copies[*vertex as usize];
                if *copy == NOWHERE {
                    *copy = source_vertex.len() as u32;
                    source_vertex.push(*vertex);
                }
                cut_indices.push(*copy);
            }
        }
        source_vertex.extend(palette.spare);
        for vertex in &source_vertex[first_vertex..] {
            copies[*vertex as usize] = NOWHERE;
            push_influences(&mut influences, bindings, *vertex as usize, &places);
        }
        parts.push(PalettePart {
            joints: palette.joints,
            indices: first_index..cut_indices.len() as u32,
            vertices: first_vertex as u32..source_vertex.len() as u32,
        });
    }
    Cut {
        parts,
        source_vertex: Some(source_vertex),
        indices: cut_indices,
        influences: Influences { sets: bindings.sets, list: influences },
    }
}

/// Returns each joint's index in a palette of at most 256.
fn places(joints: &[u16]) -> Vec<u8> {
    let mut places = vec![0; joints.iter().max().map_or(1, |most| usize::from(*most) + 1)];
    for (place, joint) in joints.iter().enumerate() {
        places[usize::from(*joint)] = place as u8;
    }
    places
}

fn push_influences(
    influences: &mut Vec<Influence>,
    bindings: &Bindings,
    vertex: usize,
    places: &[u8],
) {
    for four in &bindings.list[vertex * bindings.sets..][..bindings.sets] {
        // Joints of weight 0 are 0, which may be missing from the palette: any index will do.
        let place = |joint: u16| places.get(usize::from(joint)).copied().unwrap_or(0);
        influences.push(Influence { joints: four.joints.map(place), weights: four.weights });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::influences::Four;

    /// A strip of `n` triangles, each vertex moved by two joints.
    fn strip(n: usize) -> (Bindings, Vec<u32>) {
        let four = |v: usize| Four {
            joints: [v as u16, v as u16 + 1, 0, 0],
            weights: [0.75, 0.25, 0.0, 0.0],
        };
        let list = (0..n + 2).map(four).collect();
        let indices = (0..n as u32).flat_map(|i| [i, i + 1, i + 2]).collect();
        (Bindings { sets: 1, list, most: 2, cut: vec![], sums: vec![] }, indices)
    }

    fn rules(joint_limit: usize, order: Order) -> Rules {
        Rules { joint_limit, order }
    }

    /// The source vertices that a cut draws, with the skin's joints and weights.
    fn drawn(cut: &Cut) -> Vec<(u32, Vec<(u16, f32)>)> {
        let mut drawn = Vec::new();
        for part in &cut.parts {
            for index in part.indices.clone() {
                let vertex = cut.indices[index as usize];
                assert!(part.vertices.contains(&vertex));
                let source = cut.source_vertex.as_ref().map_or(vertex, |s| s[vertex as usize]);
                let sets = cut.influences.of_vertex(vertex as usize);
                let pairs = sets.iter().flat_map(|s| s.joints.into_iter().zip(s.weights));
                let joints = pairs
                    .filter(|(_, weight)| *weight > 0.0)
                    .map(|(place, weight)| (part.joints[usize::from(place)], weight));
                drawn.push((source, joints.collect()));
            }
        }
        drawn
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        let (bindings, indices) = strip(97);
        let cut = cut(&bindings, indices.clone(), Topology::Triangles, rules(100, Order::Free));
        assert_eq!((cut.parts.len(), cut.parts[0].joints.len()), (1, 100));
        assert_eq!((cut.source_vertex, cut.indices), (None, indices));
    }

    #[test]
    fn parts_of_a_limit_draw_the_same_triangles_in_the_same_order() {
        let (bindings, indices) = strip(500);
        for limit in [100, 8] {
            let cut =
                cut(&bindings, indices.clone(), Topology::Triangles, rules(limit, Order::Kept));
            assert!(cut.parts.iter().all(|part| part.joints.len() <= limit));
            let want = |v: &u32| (*v, vec![(*v as u16, 0.75), (*v as u16 + 1, 0.25)]);
            assert!(drawn(&cut) == indices.iter().map(want).collect::<Vec<_>>(), "limit {limit}");
        }
    }

    #[test]
    fn free_parts_are_few() {
        let (bindings, mut indices) = strip(140);
        // Every second triangle first: consecutive runs would need a part each few triangles.
        let (even, odd): (Vec<_>, Vec<_>) =
            indices.chunks_exact(3).enumerate().partition(|(i, _)| i % 2 == 0);
        indices = even.iter().chain(&odd).flat_map(|(_, t)| t.to_vec()).collect();
        let cut = cut(&bindings, indices.clone(), Topology::Triangles, rules(100, Order::Free));
        assert_eq!(cut.parts.len(), 2);
        let mut got: Vec<_> = drawn(&cut).chunks(3).map(|t| t.to_vec()).collect();
        got.sort_by_key(|t| t[0].0);
        let starts: Vec<_> = got.iter().map(|t| t[0].0).collect();
        assert_eq!(starts, (0..140).collect::<Vec<_>>());
    }

    #[test]
    fn an_element_that_needs_more_than_the_limit_gets_it() {
        let (bindings, indices) = strip(10);
        let cut = cut(&bindings, indices, Topology::Triangles, rules(2, Order::Free));
        assert!(cut.parts.iter().all(|p| p.joints.len() == 4));
    }

    #[test]
    fn vertices_without_an_index_are_kept_with_their_joints() {
        let (bindings, _) = strip(300);
        let cut = cut(&bindings, vec![0, 1, 2], Topology::Triangles, rules(100, Order::Kept));
        let mut sources = cut.source_vertex.clone().unwrap();
        sources.sort_unstable();
        assert_eq!(sources, (0..302).collect::<Vec<_>>());
        assert_eq!(cut.parts.iter().map(|p| p.vertices.len()).sum::<usize>(), 302);
    }
}
