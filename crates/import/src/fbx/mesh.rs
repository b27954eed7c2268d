//! Meshes: polygons to triangles, and corners of polygons to vertices.

use std::collections::HashMap;

use serde_json::{Map, Value, json};
use ufbx::{Mesh, MeshPart, UvSet};

use super::geometric::Geometric;
use super::scene::{finite, vector};
use super::texture::{UV_SETS, uv_order};
use crate::draft::{Draft, Use};
use crate::fault::{ImportError, Warnings};
use rigview_model::{OverBudget, WarningCode, linear_from_srgb};

/// Bytes per corner of a triangle that conversion needs at most.
const CORNER_BYTES: usize = 256;

/// The vertices and triangles of one material of a mesh.
#[derive(Debug)]
pub(super) struct Surface {
    /// Index into the materials of the mesh and of each node that shows it.
    pub material: usize,
    /// For each vertex, its control point.
    pub points: Vec<u32>,
    /// The accessors of the attributes, by name.
    pub attributes: Map<String, Value>,
    /// The accessor of the indices.
    indices: usize,
    /// The morph targets: accessors by attribute.
    pub targets: Vec<Value>,
}

impl Surface {
    /// Returns the primitive of a glTF mesh.
    pub fn primitive(&self, material: usize) -> Value {
        let mut primitive = json!({
            "attributes": self.attributes, "indices": self.indices, "material": material
        });
        if !self.targets.is_empty() {
            primitive["targets"] = json!(self.targets);
        }
        primitive
    }
}

/// A vertex with up to `N` sets of texture coordinates as bits, to find equal ones.
#[derive(PartialEq, Eq, Hash)]
struct Key<const N: usize> {
    point: u32,
    normal: [u32; 3],
    uvs: [[u32; 2]; N],
    color: [u32; 4],
}

/// Converts the polygons of a mesh; one surface per material that has triangles.
pub(super) fn surfaces(
    mesh: &Mesh,
    geometric: Option<Geometric>,
    draft: &mut Draft,
    warnings: &mut Warnings,
) -> Result<Vec<Surface>, ImportError> {
    let name = &*mesh.element.name;
    let over = |over| ImportError::over_budget(&format!("mesh \"{name}\""), over);
    draft.budget().holds(mesh.num_triangles.saturating_mul(3), CORNER_BYTES).map_err(over)?;
    let mut odd = 0;
    let mut out = Vec::new();
    let sets: Vec<&UvSet> = uv_order(mesh).into_iter().map(|set| &mesh.uv_sets[set]).collect();
    // Few meshes have more than two sets, and keys are hashed once per corner.
    let convert = if sets.len() <= 2 { surface::<2> } else { surface::<UV_SETS> };
    for part in &mesh.material_parts {
        if part.num_triangles > 0
            && let Some(surface) =
                convert(mesh, geometric, part, &sets, draft, &mut odd).map_err(over)?
        {
            out.push(surface);
        }
    }
    if odd > 0 {
        let message =
            format!("mesh \"{name}\": {odd} numbers of vertices are not finite: read as 0");
        warnings.add(WarningCode::NotFinite, "", message);
    }
    Ok(out)
}

fn surface<const N: usize>(
    mesh: &Mesh,
    geometric: Option<Geometric>,
    part: &MeshPart,
    sets: &[&UvSet],
    draft: &mut Draft,
    odd: &mut usize,
) -> Result<Option<Surface>, OverBudget> {
    let mut seen: HashMap<Key<N>, u32> = HashMap::new();
    let mut corners: Vec<usize> = Vec::new();
    let mut indices = Vec::with_capacity(part.num_triangles * 3);
    let mut triangles = Vec::new();
    let with_colors = mesh.vertex_color.exists;
    for face in &part.face_indices {
        let Some(face) = mesh.faces.get(*face as usize).filter(|face| face.num_indices >= 3) else {
            continue;
        };
        let room = (face.num_indices as usize - 2) * 3;
        triangles.resize(room, 0);
        let count = ufbx::triangulate_face(&mut triangles, mesh, *face) as usize;
        for corner in &triangles[..(count * 3).min(room)] {
            let corner = *corner as usize;
            let next = corners.len() as u32;
            let vertex = *seen.entry(key(mesh, sets, corner)).or_insert_with(|| {
                corners.push(corner);
                next
            });
            indices.push(vertex);
        }
    }
    if indices.is_empty() {
        return Ok(None);
    }
    if geometric.is_some_and(|geometric| geometric.mirrors()) {
        indices.as_chunks_mut::<3>().0.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    let points: Vec<u32> = corners.iter().map(|corner| mesh.vertex_indices[*corner]).collect();
    let mut attributes = Map::new();
    let position = |point: &u32| {
        let own = mesh.vertices[*point as usize];
        vector(geometric.map_or(own, |geometric| geometric.position(own)), odd)
    };
    let positions: Vec<_> = points.iter().map(position).collect();
    attributes.insert("POSITION".into(), draft.vectors(&positions, Use::Positions)?.into());
    if mesh.vertex_normal.exists {
        let normal = |corner: &usize| {
            let own = mesh.vertex_normal[*corner];
            normal(geometric.map_or(own, |geometric| geometric.normal(own)), odd)
        };
        let normals: Vec<_> = corners.iter().map(normal).collect();
        attributes.insert("NORMAL".into(), draft.vectors(&normals, Use::Attribute)?.into());
    }
    for (number, set) in sets.iter().enumerate() {
        let uv = |corner: &usize| {
            let uv = set.vertex_uv[*corner];
            // FBX counts V upwards.
            [finite(uv.x, odd), finite(1.0 - uv.y, odd)]
        };
        let uvs: Vec<_> = corners.iter().map(uv).collect();
        let accessor = draft.vectors(&uvs, Use::Attribute)?;
        attributes.insert(format!("TEXCOORD_{number}"), accessor.into());
    }
    if with_colors {
        let colors: Vec<_> = corners.iter().map(|corner| color(mesh, *corner)).collect();
        // White changes nothing.
        if colors.iter().any(|color| *color != [1.0; 4]) {
            let accessor = draft.vectors(&colors, Use::Attribute)?;
            attributes.insert("COLOR_0".into(), accessor.into());
        }
    }
    let indices = draft.indices(&indices)?;
    let material = part.index as usize;
    Ok(Some(Surface { material, points, attributes, indices, targets: Vec::new() }))
}

fn key<const N: usize>(mesh: &Mesh, sets: &[&UvSet], corner: usize) -> Key<N> {
    let mut odd = 0;
    let mut key =
        Key { point: mesh.vertex_indices[corner], normal: [0; 3], uvs: [[0; 2]; N], color: [0; 4] };
    if mesh.vertex_normal.exists {
        let normal = mesh.vertex_normal[corner];
        key.normal = [normal.x, normal.y, normal.z].map(|x| (x as f32).to_bits());
    }
    for (bits, set) in key.uvs.iter_mut().zip(sets) {
        let uv = set.vertex_uv[corner];
        *bits = [uv.x, uv.y].map(|x| finite(x, &mut odd).to_bits());
    }
    if mesh.vertex_color.exists {
        key.color = color(mesh, corner).map(f32::to_bits);
    }
    key
}

/// Returns a normal of length 1; up if it has none.
fn normal(normal: ufbx::Vec3, odd: &mut usize) -> [f32; 3] {
    let normal = glam::Vec3::from_array(vector(normal, odd));
    normal.try_normalize().unwrap_or(glam::Vec3::Y).to_array()
}

/// Returns the linear colour of a corner. Files store colours as they are shown.
fn color(mesh: &Mesh, corner: usize) -> [f32; 4] {
    let color = mesh.vertex_color[corner];
    let linear = |x: f64| {
        let x = if x.is_finite() { x.clamp(0.0, 1.0) as f32 } else { 1.0 };
        linear_from_srgb(x)
    };
    let alpha = if color.w.is_finite() { color.w.clamp(0.0, 1.0) as f32 } else { 1.0 };
    [linear(color.x), linear(color.y), linear(color.z), alpha]
}
