//! The geometry that the interactive view draws, and its vertices posed by the values of a frame.

use std::collections::HashMap;

use glam::{Vec3, Vec4};
use serde::Serialize;

use super::rig::{Draw, Rig};
use rigview_model::{Model, Primitive};

/// The primitives of a scene in lists of 32-bit words, primitive after primitive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The parts of the lists that belong to each primitive.
    pub geometries: Vec<Geometry>,
    /// The geometry of each draw.
    pub of_draw: Vec<usize>,
    /// Positions, three floats per vertex.
    pub positions: Vec<f32>,
    /// Normals: X, Y and Z as signed bytes in units of 1/127; 0 for none.
    pub normals: Vec<u32>,
    /// Indices of vertices within their primitive.
    pub indices: Vec<u32>,
    /// Two indices of joints per word, the first in the lower half; two words per set.
    pub joints: Vec<u32>,
    /// Weights of the joints, four floats per set.
    pub weights: Vec<f32>,
    /// Deltas of positions, three floats per vertex, target after target.
    pub deltas: Vec<f32>,
}

/// A primitive's part of the lists. Offsets count vertices, indices, sets and deltas.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Geometry {
    /// The first vertex.
    pub first: usize,
    /// Number of vertices.
    pub vertices: usize,
    /// The first index.
    pub first_index: usize,
    /// Number of indices.
    pub indices: usize,
    /// Indices per element: 1 for points, 2 for lines, 3 for triangles.
    pub corners: usize,
    /// The first set of influences.
    pub first_set: usize,
    /// Sets of four influences per vertex; 0 without joints.
    pub sets: usize,
    /// The first delta.
    pub first_delta: usize,
    /// The material's base colour in linear RGB.
    pub color: [f32; 3],
}

/// An estimate of the size of a rig's geometry in bytes, without allocating it.
pub fn mesh_bytes(model: &Model, rig: &Rig) -> usize {
    let mut seen = HashMap::new();
    let bytes = |draw: &Draw| {
        let primitive = &model.meshes[draw.mesh].primitives[draw.primitive];
        let sets = primitive.influences.as_ref().map_or(0, |influences| influences.sets);
        let per_vertex = 16 + 24 * sets + 12 * primitive.targets.len();
        4 * primitive.indices.len() + primitive.vertices.len() * per_vertex
    };
    let first = |draw: &&Draw| seen.insert((draw.mesh, draw.primitive), ()).is_none();
    rig.draws.iter().filter(first).map(bytes).fold(0, usize::saturating_add)
}

impl Mesh {
    /// Returns the geometry of a rig's draws, each primitive once.
    pub fn new(model: &Model, rig: &Rig) -> Self {
        let (mut mesh, mut seen) = (Self::default(), HashMap::new());
        for draw in &rig.draws {
            let primitive = &model.meshes[draw.mesh].primitives[draw.primitive];
            let color = primitive.material.map_or([1.0; 4], |m| model.materials[m].base_color);
            let at = *seen
                .entry((draw.mesh, draw.primitive))
                .or_insert_with(|| mesh.add(primitive, [color[0], color[1], color[2]]));
            mesh.of_draw.push(at);
        }
        mesh
    }

    fn add(&mut self, primitive: &Primitive, color: [f32; 3]) -> usize {
        self.geometries.push(Geometry {
            first: self.positions.len() / 3,
            vertices: primitive.vertices.len(),
            first_index: self.indices.len(),
            indices: primitive.indices.len(),
            corners: primitive.mode.topology().corners(),
            first_set: self.joints.len() / 2,
            sets: primitive.influences.as_ref().map_or(0, |influences| influences.sets),
            first_delta: self.deltas.len() / 3,
            color,
        });
        for vertex in &primitive.vertices {
            self.positions.extend(vertex.position);
            let byte = |x: f32| u32::from((x.clamp(-1.0, 1.0) * 127.0).round() as i8 as u8);
            let [x, y, z] = vertex.normal.map(byte);
            self.normals.push(x | y << 8 | z << 16);
        }
        self.indices.extend(&primitive.indices);
        self.add_influences(primitive);
        for target in &primitive.targets {
            match target.positions.is_empty() {
                true => self.deltas.extend(std::iter::repeat_n(0.0, 3 * primitive.vertices.len())),
                false => self.deltas.extend(target.positions.as_flattened()),
            }
        }
        self.geometries.len() - 1
    }

    fn add_influences(&mut self, primitive: &Primitive) {
        let Some(influences) = &primitive.influences else { return };
        for part in &primitive.parts {
            // An unused influence may have an invalid joint ID.
            let joint = |id: u8| u32::from(part.joints.get(usize::from(id)).copied().unwrap_or(0));
            for vertex in part.vertices.clone() {
                for set in influences.of_vertex(vertex as usize) {
                    let [a, b, c, d] = set.joints.map(joint);
                    self.joints.extend([a | b << 16, c | d << 16]);
                    self.weights.extend(set.weights);
                }
            }
        }
    }

    /// Number of sets of influences that a draw uses: none if it is rigid.
    pub fn sets(&self, draw: usize, of_rig: &Draw) -> usize {
        if of_rig.is_skinned { self.geometries[self.of_draw[draw]].sets } else { 0 }
    }
}

/// A mesh with its rig, and the values of a frame that pose it.
#[derive(Clone, Copy, Debug)]
pub struct PosedMesh<'a> {
    /// The rig.
    pub rig: &'a Rig,
    /// The geometry of its draws.
    pub mesh: &'a Mesh,
    /// The values of a frame.
    pub values: &'a [f32],
}

impl<'a> PosedMesh<'a> {
    /// Number of vertices of a draw.
    pub fn vertices(&self, draw: usize) -> usize {
        self.mesh.geometries[self.mesh.of_draw[draw]].vertices
    }

    /// Returns the bones of a draw's vertex and their weights.
    pub fn influences(
        &self,
        draw: usize,
        vertex: usize,
    ) -> impl Iterator<Item = (usize, f32)> + use<'a> {
        let (mesh, of_rig) = (self.mesh, &self.rig.draws[draw]);
        let (bone, sets) = (of_rig.bone, mesh.sets(draw, of_rig));
        let first = mesh.geometries[mesh.of_draw[draw]].first_set + vertex * sets;
        (0..4 * sets).filter_map(move |i| {
            let weight = mesh.weights[4 * first + i];
            let words = mesh.joints[2 * first + i / 2];
            let joint = (words >> (16 * (i % 2))) & 0xffff;
            (weight != 0.0).then_some((bone + joint as usize, weight))
        })
    }

    /// Returns the position of a draw's vertex, morphed and skinned. The view's vertex shader does the same.
    pub fn position(&self, draw: usize, vertex: usize) -> Vec3 {
        let (mesh, of_rig) = (self.mesh, &self.rig.draws[draw]);
        let geometry = &mesh.geometries[mesh.of_draw[draw]];
        let at = |list: &[f32], i: usize| Vec3::from_slice(&list[3 * i..]);
        let mut position = at(&mesh.positions, geometry.first + vertex);
        for target in 0..of_rig.targets {
            let weight = self.values[12 * self.rig.bones.len() + of_rig.weights + target];
            if weight != 0.0 {
                let delta = geometry.first_delta + target * geometry.vertices + vertex;
                position += weight * at(&mesh.deltas, delta);
            }
        }
        let point = position.extend(1.0);
        let mut posed = Vec3::ZERO;
        let mut add = |bone: usize, weight: f32| {
            let row = |i: usize| Vec4::from_slice(&self.values[12 * bone + 4 * i..]).dot(point);
            posed += weight * Vec3::new(row(0), row(1), row(2));
        };
        if of_rig.is_skinned {
            self.influences(draw, vertex).for_each(|(bone, weight)| add(bone, weight));
        } else {
            add(of_rig.bone, 1.0);
        }
        posed
    }
}
