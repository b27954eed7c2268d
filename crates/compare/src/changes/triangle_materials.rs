//! Triangles that have another material.

use std::collections::BTreeMap;

use super::paired_mesh::PairedMesh;
use super::tex_coords::primitives;
use crate::change::{Change, Kind};
use crate::pairing::pairs::{Class, entry_name, told_apart};
use crate::pairing::primitive_pairs::primitive_pairs;

/// The triangles of a mesh of either model with their materials.
pub(crate) struct TriangleMaterials<'a> {
    mesh: &'a PairedMesh<'a>,
    /// By side and primitive, the class of its material in the pairs of materials.
    of: [Vec<Option<Class>>; 2],
    /// Whether there is more than one.
    are_many: bool,
    triangles: Vec<Triangle>,
}

/// A triangle, in the order in which they are compared.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Triangle {
    /// Its corners in ascending order, and whether that winds the other way.
    corners: ([u32; 3], bool),
    side: usize,
    material: Option<Class>,
    /// Its index in the mesh, and that of its primitive.
    index: u32,
    primitive: u32,
}

impl<'a> TriangleMaterials<'a> {
    pub fn new(mesh: &'a PairedMesh<'a>) -> Self {
        let nodes = [mesh.drawn.a, mesh.drawn.b];
        let models = mesh.sides.map(|side| side.model);
        let mut of = [0, 1].map(|side| {
            let own = primitives(models[side], nodes[side]).unwrap_or_default().iter();
            own.map(|of| of.material.map(|i| mesh.materials.class(side, i))).collect::<Vec<_>>()
        });
        // A primitive with another material than its partner is a change of its own; those of a part have no partner.
        let [a, b] = [0, 1]
            .map(|side| models[side].nodes[nodes[side]].mesh.map(|i| &models[side].meshes[i]));
        if let (Some(a), Some(b), None) = (a, b, mesh.part) {
            primitive_pairs([a, b], mesh.materials).iter().for_each(|(i, j)| of[1][j] = of[0][i]);
        }
        let mut all = of.iter().flatten();
        let first = all.next();
        let are_many = all.any(|other| Some(other) != first);
        Self { mesh, of, are_many, triangles: Vec::new() }
    }

    /// Adds a triangle of a side, given its sorted corners, its index and one of its points.
    pub fn add(&mut self, side: usize, corners: ([u32; 3], bool), index: usize, point: usize) {
        if self.are_many {
            let primitive = self.mesh.sides[side].motion.place(point).primitive;
            let material = self.of[side][primitive];
            let [index, primitive] = [index, primitive].map(|i| i as u32);
            self.triangles.push(Triangle { corners, side, material, index, primitive });
        }
    }

    /// Lists which materials triangles have instead of others, of `all` that A has.
    pub fn changes(mut self, all: usize) -> Vec<Change> {
        let sides = self.mesh.sides;
        self.triangles.sort_unstable();
        // By the materials of both sides: how many triangles, and the first of them.
        let mut found: BTreeMap<[Option<usize>; 2], (usize, u32)> = BTreeMap::new();
        let nodes = [self.mesh.drawn.a, self.mesh.drawn.b];
        let material = |side: usize, triangle: &Triangle| {
            let all = primitives(sides[side].model, nodes[side])?;
            all[triangle.primitive as usize].material
        };
        for at_one_place in self.triangles.chunk_by(|x, y| x.corners == y.corners) {
            let (of_a, of_b) = at_one_place.split_at(at_one_place.partition_point(|t| t.side == 0));
            for (x, y) in lacking(of_a, of_b).zip(lacking(of_b, of_a)) {
                let (count, first) =
                    found.entry([material(0, x), material(1, y)]).or_insert((0, x.index));
                (*count, *first) = (*count + 1, x.index.min(*first));
            }
        }
        let model = sides[0].model;
        let mesh = model.nodes[nodes[0]].mesh.unwrap_or_default();
        let change = |(materials, (count, first)): ([Option<usize>; 2], (usize, u32))| {
            let [before, after] = told_apart([0, 1].map(|side| {
                let index = materials[side]?;
                Some((index, &sides[side].model.materials[index].name))
            }));
            let what = format!(
                "{count} of {all} triangles have material {after} instead of {before}; the first one is triangle {first}"
            );
            Change::changed(Kind::Mesh, entry_name(&model.meshes[mesh].name, mesh), what)
        };
        found.into_iter().map(change).collect()
    }
}

/// Returns the triangles of a list to whose material another list has no further triangle. Both are sorted by material.
fn lacking<'a>(list: &'a [Triangle], other: &'a [Triangle]) -> impl Iterator<Item = &'a Triangle> {
    let mut rest = other.iter().peekable();
    list.iter().filter(move |triangle| {
        while rest.next_if(|other| other.material < triangle.material).is_some() {}
        rest.next_if(|other| other.material == triangle.material).is_none()
    })
}
