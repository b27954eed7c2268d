//! The vertices of two meshes at the corners of the same triangles. They tell apart vertices at one place, such as the two sides of a
//! seam, whatever attributes they have.

use std::collections::HashMap;

use super::paired_mesh::PairedMesh;
use super::winding::Classes;
use crate::pairing::vertex_pairs::Drawn;
use rigview_model::{Topology, VertexPlace};

/// A triangle: the classes of its corners, and whether it winds the other way, in the scene.
type Triangle = ([u32; 3], bool);

/// The vertices of one side of a mesh with those of the other side at their corners.
#[derive(Default)]
pub(crate) struct Corners {
    /// The primitive and the vertex of each corner of the own side, with its triangle and its class, in this order.
    own: Vec<([u32; 2], Triangle, u32)>,
    /// The corners of the other side with their primitives and vertices, in this order.
    others: Vec<(Triangle, u32, [u32; 2])>,
}

impl Corners {
    /// Finds the corners of a side at which the other side has several vertices.
    pub fn new(mesh: &PairedMesh, side: usize, classes: &Classes) -> Self {
        let other = 1 - side;
        let Drawn { a, b } = mesh.drawn;
        let nodes = [a, b];
        // By class, the first vertex of the other side; `None` if it has several.
        let mut first: HashMap<u32, Option<[u32; 2]>> = HashMap::new();
        for_each_corner(mesh, other, nodes[other], classes, |_, class, vertex| {
            let known = first.entry(class).or_insert(Some(vertex));
            *known = known.filter(|known| *known == vertex);
        });
        let are_several = |class: u32| first.get(&class) == Some(&None);
        let mut out = Self::default();
        for_each_corner(mesh, side, nodes[side], classes, |triangle, class, vertex| {
            if are_several(class) {
                out.own.push((vertex, triangle, class));
            }
        });
        for_each_corner(mesh, other, nodes[other], classes, |triangle, class, vertex| {
            if are_several(class) {
                out.others.push((triangle, class, vertex));
            }
        });
        out.own.sort_unstable();
        out.others.sort_unstable();
        out.others.dedup();
        out
    }

    /// Returns, for each corner of a vertex whose triangle the other side has too, the primitives and vertices of that side there.
    pub fn of(&self, vertex: [u32; 2]) -> impl Iterator<Item = impl Iterator<Item = [u32; 2]>> {
        let start = self.own.partition_point(|(own, ..)| *own < vertex);
        let own = self.own[start..].iter().take_while(move |(own, ..)| *own == vertex);
        let at = |(_, triangle, class): &([u32; 2], Triangle, u32)| {
            let corner = (*triangle, *class);
            let start = self.others.partition_point(|(t, class, _)| (*t, *class) < corner);
            let rest = &self.others[start..];
            let count = rest.partition_point(|(t, class, _)| (*t, *class) == corner);
            (count > 0).then(|| rest[..count].iter().map(|(.., vertex)| *vertex))
        };
        own.filter_map(at)
    }
}

/// Calls `each` with the triangle, the class and the vertex of each corner of a side, after the vertex's primitive.
fn for_each_corner(
    mesh: &PairedMesh,
    side: usize,
    node: usize,
    classes: &Classes,
    mut each: impl FnMut(Triangle, u32, [u32; 2]),
) {
    let own = mesh.sides[side];
    let triangles = own.elements_with_vertices(node);
    for element in triangles.filter(|element| element.topology == Topology::Triangles) {
        let Some((corners, turned)) = classes.of_element(side, &element) else { continue };
        let Some(of_corners) = classes.of(side, element.points) else { continue };
        let triangle = (corners, turned != own.mirrors(element.points[0]));
        for (class, vertex) in of_corners.into_iter().zip(element.vertices) {
            each(triangle, class, [element.primitive as u32, vertex]);
        }
    }
}

/// Returns the place of a vertex that a node draws.
pub(crate) fn place(node: usize, [primitive, vertex]: [u32; 2]) -> VertexPlace {
    VertexPlace { node, primitive: primitive as usize, vertex }
}
