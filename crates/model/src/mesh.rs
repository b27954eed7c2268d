//! Meshes in the layout in which they are uploaded.
//!
//! All vertex lists of a [`Primitive`] have one entry per vertex. If a primitive is cut into parts with a
//! palette each, a vertex that several parts use is duplicated, and `source_vertex` maps to the file's
//! indices.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use super::PrimitiveBounds;

rigview_anim::named_enum! {
    /// glTF's seven primitive modes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Mode {
        /// Mode 0.
        Points = "POINTS",
        /// Mode 1.
        Lines = "LINES",
        /// Mode 2.
        LineLoop = "LINE_LOOP",
        /// Mode 3.
        LineStrip = "LINE_STRIP",
        /// Mode 4.
        Triangles = "TRIANGLES",
        /// Mode 5.
        TriangleStrip = "TRIANGLE_STRIP",
        /// Mode 6.
        TriangleFan = "TRIANGLE_FAN",
    }
}

impl Mode {
    /// Returns the drawn topology: the import unrolls loops, strips and fans.
    pub fn topology(self) -> Topology {
        match self {
            Mode::Points => Topology::Points,
            Mode::Lines | Mode::LineLoop | Mode::LineStrip => Topology::Lines,
            Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan => Topology::Triangles,
        }
    }
}

/// The elements that a primitive's indices form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Topology {
    /// One index per point.
    Points,
    /// Two indices per line.
    Lines,
    /// Three indices per triangle.
    Triangles,
}

impl Topology {
    /// Returns the number of indices per element.
    pub fn corners(self) -> usize {
        match self {
            Topology::Points => 1,
            Topology::Lines => 2,
            Topology::Triangles => 3,
        }
    }
}

/// One vertex as the GPU reads it; 64 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Vertex {
    /// Position in the mesh's space.
    pub position: [f32; 3],
    /// Unit normal, or zero if the file has none; then the face normal is used.
    pub normal: [f32; 3],
    /// Unit tangent and handedness, or zero if the file has none.
    pub tangent: [f32; 4],
    /// TEXCOORD_0 and TEXCOORD_1.
    pub uv: [[f32; 2]; 2],
    /// COLOR_0 as linear RGBA in units of 1/65535; white if the file has none.
    pub color: [u16; 4],
}

/// Four weighted joint IDs of a vertex as the GPU reads them; 20 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Influence {
    /// Indices into the part's joints.
    pub joints: [u8; 4],
    /// The weights; over all sets of a vertex they sum to 1.
    pub weights: [f32; 4],
}

/// The joints and weights of a primitive's vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Influences {
    /// Number of sets of four influences per vertex: 1 to 4.
    pub sets: usize,
    /// The sets, vertex by vertex.
    pub list: Vec<Influence>,
}

impl Influences {
    /// Returns the sets of one vertex.
    #[inline]
    pub fn of_vertex(&self, vertex: usize) -> &[Influence] {
        &self.list[vertex * self.sets..(vertex + 1) * self.sets]
    }
}

/// The deltas that a morph target of weight 1 adds. Each list has one entry per vertex or is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// Deltas of positions.
    pub positions: Vec<[f32; 3]>,
    /// Deltas of normals.
    pub normals: Vec<[f32; 3]>,
    /// Deltas of tangents; the handedness does not change.
    pub tangents: Vec<[f32; 3]>,
    /// Deltas of TEXCOORD_0 and TEXCOORD_1.
    pub uvs: Vec<[[f32; 2]; 2]>,
    /// Deltas of COLOR_0 in linear RGBA. The sum of all targets is clamped to 0 to 1.
    pub colors: Vec<[f32; 4]>,
}

/// An attribute that nothing draws: an application's own, such as `_WETNESS`, or a further set of texture coordinates or
/// colours.
#[derive(Clone, Debug, PartialEq)]
pub struct UndrawnAttribute {
    /// The file's name for it.
    pub name: String,
    /// Components per vertex.
    pub width: usize,
    /// The numbers of all vertices of the file, one vertex after the other.
    pub values: Vec<f32>,
}

impl UndrawnAttribute {
    /// Returns the numbers of a vertex, by its index in the file; none if it is out of range.
    #[inline]
    pub fn of_vertex(&self, vertex: u32) -> &[f32] {
        let start = vertex as usize * self.width;
        self.values.get(start..start + self.width).unwrap_or_default()
    }
}

/// The part of a primitive that is drawn with one palette.
#[derive(Clone, Debug, PartialEq)]
pub struct PalettePart {
    /// The palette: indices into the skin's joints, at most 100. Empty for a rigid primitive.
    pub joints: Vec<u16>,
    /// The range of the primitive's vertices. The ranges of all parts are adjacent and cover all vertices,
    /// including those that are not indexed. Joint IDs of vertices are indices into `joints`.
    pub vertices: Range<u32>,
    /// The range of the primitive's indices.
    pub indices: Range<u32>,
}

/// A part of a mesh with one material.
#[derive(Clone, Debug, PartialEq)]
pub struct Primitive {
    /// The primitive mode in the file.
    pub mode: Mode,
    /// The names of the file's attributes, in file order.
    pub attributes: Vec<String>,
    /// Whether the file has TEXCOORD_0 and TEXCOORD_1 as integers, whose unit only a texture's transform tells.
    pub integer_uvs: [bool; 2],
    /// Number of vertices in the file.
    pub source_vertices: u32,
    /// Index of the accessor of POSITION: primitives with the same one share their vertices. `None` if they are compressed or
    /// there is none.
    pub source_positions: Option<usize>,
    /// The largest number of joints of a vertex in the file.
    pub source_influences: u32,
    /// Index of the material; `None` for the default material.
    pub material: Option<usize>,
    /// KHR_materials_variants: pairs of a variant and its material, sorted by variant.
    pub variant_materials: Vec<(usize, usize)>,
    /// For each of `variant_materials`, the index of its mapping in the file.
    pub variant_mappings: Vec<usize>,
    /// The vertices.
    pub vertices: Vec<Vertex>,
    /// The index in the file of each vertex; `None` if indices are unchanged.
    pub source_vertex: Option<Vec<u32>>,
    /// Joints and weights of the vertices; `None` for a primitive without JOINTS_0.
    pub influences: Option<Influences>,
    /// Joints of the skin that some vertex has a weight on in the file, but not in `influences`, which has its strongest ones.
    pub cut_joints: Vec<u16>,
    /// For each vertex of the file, the sum of its weights there, which `influences` divides by; empty if all are
    /// 1.
    pub weight_sums: Vec<f32>,
    /// The morph targets, in file order.
    pub targets: Vec<MorphTarget>,
    /// Attributes that nothing draws, if the import was asked to keep them.
    pub undrawn: Vec<UndrawnAttribute>,
    /// Indices into `vertices`: one, two or three per element, by the topology of `mode`.
    pub indices: Vec<u32>,
    /// The parts in drawing order; they cover all indices. At least one, and exactly one if rigid.
    pub parts: Vec<PalettePart>,
    /// Data to compute the bounding box in any pose.
    pub bounds: PrimitiveBounds,
}

/// A primitive as a node draws it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnPrimitive {
    /// Index of the node.
    pub node: usize,
    /// Index into the primitives of the node's mesh.
    pub primitive: usize,
}

/// A vertex as a node draws it, by the numbering of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileVertex {
    /// The primitive and its node.
    pub drawn: DrawnPrimitive,
    /// Index of the node's instance; `None` for the node itself.
    pub instance: Option<usize>,
    /// Index of the vertex in the file.
    pub index: u32,
}

impl FileVertex {
    /// Returns a vertex of the node itself.
    pub fn new(node: usize, primitive: usize, index: u32) -> Self {
        Self { drawn: DrawnPrimitive { node, primitive }, instance: None, index }
    }
}

impl Primitive {
    /// Returns all materials that it can be drawn with: its own, then those of variants.
    pub fn materials(&self) -> impl Iterator<Item = usize> + '_ {
        self.material.into_iter().chain(self.variant_materials.iter().map(|(_, m)| *m))
    }

    /// Returns the number of triangles; 0 for points and lines.
    pub fn triangles(&self) -> usize {
        match self.mode.topology() {
            Topology::Triangles => self.indices.len() / 3,
            Topology::Points | Topology::Lines => 0,
        }
    }

    /// Returns the number of elements whose corners are different vertices. Strips are joined by others, which show nothing.
    pub fn real_elements(&self) -> usize {
        let elements = self.indices.chunks_exact(self.mode.topology().corners());
        let is_real = |element: &&[u32]| match **element {
            [a, b] => a != b,
            [a, b, c] => a != b && b != c && c != a,
            _ => true,
        };
        elements.filter(is_real).count()
    }

    /// Returns the index in the file of a vertex.
    pub fn index_in_file(&self, vertex: u32) -> u32 {
        let source = self.source_vertex.as_ref().and_then(|list| list.get(vertex as usize));
        source.copied().unwrap_or(vertex)
    }

    /// Returns the first vertex that has this index in the file, if any.
    pub fn vertex_of_file(&self, index: u32) -> Option<u32> {
        match &self.source_vertex {
            Some(list) => list.iter().position(|source| *source == index).map(|at| at as u32),
            None => ((index as usize) < self.vertices.len()).then_some(index),
        }
    }

    /// Adds each vertex's weights, times a factor of the vertex, to the sums of the nodes that are its joints.
    pub fn add_weights(&self, joints: &[u32], factor: impl Fn(usize) -> f64, sums: &mut [f64]) {
        let Some(influences) = &self.influences else { return };
        for part in &self.parts {
            for vertex in part.vertices.clone() {
                for set in influences.of_vertex(vertex as usize) {
                    for (joint, weight) in set.joints.iter().zip(set.weights) {
                        // An unused influence may have an invalid joint ID.
                        if weight > 0.0 {
                            let joint = part.joints[usize::from(*joint)];
                            sums[joints[usize::from(joint)] as usize] +=
                                factor(vertex as usize) * f64::from(weight);
                        }
                    }
                }
            }
        }
    }

    /// Returns a third of the area of the triangles around each vertex, whose positions are given.
    pub fn areas_around(&self, positions: &[Vec3]) -> Vec<f64> {
        let mut around = vec![0.0; positions.len()];
        if self.mode.topology() != Topology::Triangles {
            return around;
        }
        for corners in self.indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|i| positions[corners[i] as usize]);
            let area = f64::from((b - a).cross(c - a).length()) / 6.0;
            if area.is_finite() {
                corners.iter().for_each(|corner| around[*corner as usize] += area);
            }
        }
        around
    }

    /// Returns the material in a variant, or without one.
    pub fn material_in(&self, variant: Option<usize>) -> Option<usize> {
        let of = |v| self.variant_materials.iter().find(|(other, _)| *other == v).map(|(_, m)| *m);
        variant.and_then(of).or(self.material)
    }
}

/// A list of primitives that are drawn together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The mesh's name.
    pub name: Option<String>,
    /// The primitives.
    pub primitives: Vec<Primitive>,
    /// The default weight of each morph target. A primitive may have fewer targets.
    pub weights: Vec<f32>,
    /// The targets' names (`extras.targetNames`); empty if the file has none.
    pub target_names: Vec<String>,
}

impl Mesh {
    /// Returns the number of morph targets: that of the primitive which has most.
    pub fn target_count(&self) -> usize {
        self.primitives.iter().map(|primitive| primitive.targets.len()).max().unwrap_or(0)
    }
}
