//! Meshes in the layout in which they are uploaded.
//!
//! A [`Primitive`]'s lists all have one entry a vertex. Where a primitive was cut into parts of a
//! palette each, a vertex that several parts use is there once for each, and `source_vertex` keeps
//! the file's numbers.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::PrimitiveBounds;

/// glTF's seven primitive modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Mode 0.
    Points,
    /// Mode 1.
    Lines,
    /// Mode 2.
    LineLoop,
    /// Mode 3.
    LineStrip,
    /// Mode 4.
    Triangles,
    /// Mode 5.
    TriangleStrip,
    /// Mode 6.
    TriangleFan,
}

impl Mode {
    /// glTF's word for it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Points => "POINTS",
            Mode::Lines => "LINES",
            Mode::LineLoop => "LINE_LOOP",
            Mode::LineStrip => "LINE_STRIP",
            Mode::Triangles => "TRIANGLES",
            Mode::TriangleStrip => "TRIANGLE_STRIP",
            Mode::TriangleFan => "TRIANGLE_FAN",
        }
    }

    /// What is drawn for it: loops, strips and fans are unrolled by the import.
    pub fn topology(self) -> Topology {
        match self {
            Mode::Points => Topology::Points,
            Mode::Lines | Mode::LineLoop | Mode::LineStrip => Topology::Lines,
            Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan => Topology::Triangles,
        }
    }
}

/// What a primitive's indices list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Topology {
    /// One index a point.
    Points,
    /// Two a line.
    Lines,
    /// Three a triangle.
    Triangles,
}

impl Topology {
    /// Indices of one element.
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
    /// In the mesh's space.
    pub position: [f32; 3],
    /// Unit length, or zero where the file has none: the face's own is then used.
    pub normal: [f32; 3],
    /// Unit length and handedness, or zero where the file has none.
    pub tangent: [f32; 4],
    /// TEXCOORD_0 and TEXCOORD_1.
    pub uv: [[f32; 2]; 2],
    /// COLOR_0, linear RGBA in 1/65535ths; white where the file has none.
    pub color: [u16; 4],
}

/// Four weighted joint IDs of a vertex as the GPU reads them; 20 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Influence {
    /// Indices into the part's joints.
    pub joints: [u8; 4],
    /// What each counts; over all sets of a vertex they sum to 1.
    pub weights: [f32; 4],
}

/// Which joints move a primitive's vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Influences {
    /// Sets of four a vertex: 1 to 4.
    pub sets: usize,
    /// `sets` entries a vertex, vertex by vertex.
    pub list: Vec<Influence>,
}

impl Influences {
    /// The sets of one vertex.
    pub fn of_vertex(&self, vertex: usize) -> &[Influence] {
        &self.list[vertex * self.sets..(vertex + 1) * self.sets]
    }
}

/// What a morph target of weight 1 adds, one entry a vertex or none at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// To positions.
    pub positions: Vec<[f32; 3]>,
    /// To normals.
    pub normals: Vec<[f32; 3]>,
    /// To tangents; their handedness stays.
    pub tangents: Vec<[f32; 3]>,
    /// To TEXCOORD_0 and TEXCOORD_1.
    pub uvs: Vec<[[f32; 2]; 2]>,
    /// To COLOR_0: linear RGBA, which is brought back to 0 to 1 when all targets are added.
    pub colors: Vec<[f32; 4]>,
}

/// What is drawn with one palette.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The palette: indices into the skin's joints, at most 100. Empty for a rigid primitive.
    pub joints: Vec<u16>,
    /// Which of the primitive's vertices: parts own them in runs, one after the other, and together
    /// all of them, also those that no index names. Their joint IDs are of this part's `joints`.
    pub vertices: Range<u32>,
    /// Which of the primitive's indices.
    pub indices: Range<u32>,
}

/// A piece of a mesh with one material.
#[derive(Clone, Debug, PartialEq)]
pub struct Primitive {
    /// What the file calls its topology.
    pub mode: Mode,
    /// The names of the file's attributes, in file order.
    pub attributes: Vec<String>,
    /// Vertices in the file.
    pub source_vertices: u32,
    /// Joints that move a vertex, at most, in the file.
    pub source_influences: u32,
    /// Which material; the default one if none.
    pub material: Option<usize>,
    /// KHR_materials_variants: pairs of a variant and the material in it, by variant.
    pub variant_materials: Vec<(usize, usize)>,
    /// The vertices.
    pub vertices: Vec<Vertex>,
    /// The file's number of each vertex; none where they are the same.
    pub source_vertex: Option<Vec<u32>>,
    /// Which joints move them; none for a primitive without JOINTS_0.
    pub influences: Option<Influences>,
    /// In file order.
    pub targets: Vec<MorphTarget>,
    /// Into `vertices`: points, pairs or triples as the topology of `mode` says.
    pub indices: Vec<u32>,
    /// In drawing order; they cover all indices. At least one, and exactly one if rigid.
    pub parts: Vec<Part>,
    /// Boxes that hold it in any pose.
    pub bounds: PrimitiveBounds,
}

impl Primitive {
    /// The materials that it may be drawn with: its own, then those of variants.
    pub fn materials(&self) -> impl Iterator<Item = usize> + '_ {
        self.material.into_iter().chain(self.variant_materials.iter().map(|(_, m)| *m))
    }

    /// Adds each vertex's weights to the sums of the nodes that are its joints.
    pub fn add_weights(&self, joints: &[u32], sums: &mut [f64]) {
        let Some(influences) = &self.influences else { return };
        for part in &self.parts {
            for vertex in part.vertices.clone() {
                for set in influences.of_vertex(vertex as usize) {
                    for (joint, weight) in set.joints.iter().zip(set.weights) {
                        // An unused influence may have any joint ID.
                        if weight > 0.0 {
                            let joint = part.joints[usize::from(*joint)];
                            sums[joints[usize::from(joint)] as usize] += f64::from(weight);
                        }
                    }
                }
            }
        }
    }

    /// The material in a variant, or without one.
    pub fn material_in(&self, variant: Option<usize>) -> Option<usize> {
        let of = |v| self.variant_materials.iter().find(|(other, _)| *other == v).map(|(_, m)| *m);
        variant.and_then(of).or(self.material)
    }
}

/// Primitives that are drawn together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The file's name for it.
    pub name: Option<String>,
    /// The pieces.
    pub primitives: Vec<Primitive>,
    /// The default weight of each morph target. Their number is the mesh's number of targets; a
    /// primitive may have fewer.
    pub weights: Vec<f32>,
    /// The targets' names where the file gives them (`extras.targetNames`), else empty.
    pub target_names: Vec<String>,
}
