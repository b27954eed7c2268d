//! Tangents that an anisotropic material needs and the file lacks.

use glam::{Affine2, Vec3};
use serde_json::Value;

use super::change::{Change, Changes, Context};
use super::document::Document;
use super::tracks::UNREAD;
use rigview_document::{ARRAY_BUFFER, ElementLayout, Shape};
use rigview_export::index;
use rigview_import::add_tangents;
use rigview_model::{Mode, Model, TextureRef, Topology, Vertex};

/// The only extension of primitives that holds no data per vertex.
const VARIANTS: &str = "KHR_materials_variants";

/// Adds tangents by MikkTSpace to the triangles whose material needs some and that have none. A vertex whose triangles
/// need different tangents is copied to the end of its lists. The check only finds those whose tangents nothing else
/// defines; players compute the others, each in its own way.
pub fn add_missing(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    for place in places_without(context.model) {
        let pointer = format!("/meshes/{}/primitives/{}", place.mesh, place.primitive);
        let object = context.model.meshes[place.mesh].name.clone();
        let change = Change { pointer, object, ..Change::default() };
        match add(document, &place, place.map) {
            Ok(count) => changes.made.push(Change { count, ..change }),
            Err(reason) => changes.leave(change, reason),
        }
    }
    changes
}

/// A primitive of the document, and the texture that its tangents follow.
struct TexturedPrimitive {
    mesh: usize,
    primitive: usize,
    map: Option<TextureRef>,
}

/// Returns the primitives of triangles that need tangents and have none.
fn places_without(model: &Model) -> Vec<TexturedPrimitive> {
    let mut places = Vec::new();
    for (mesh, of) in model.meshes.iter().enumerate() {
        for (primitive, of) in of.primitives.iter().enumerate() {
            let is_without = !of.attributes.iter().any(|name| name == "TANGENT");
            if of.mode.topology() == Topology::Triangles
                && is_without
                && let Some(material) = of.material.map(|material| &model.materials[material])
                && material.needs_tangents()
            {
                places.push(TexturedPrimitive { mesh, primitive, map: material.tangent_map() });
            }
        }
    }
    places
}

impl Document {
    fn primitive(&self, place: &TexturedPrimitive) -> Option<&Value> {
        self.list("meshes").get(place.mesh)?.get("primitives")?.get(place.primitive)
    }

    fn primitive_mut(&mut self, place: &TexturedPrimitive) -> Option<&mut Value> {
        self.item_mut("meshes", place.mesh)?.get_mut("primitives")?.get_mut(place.primitive)
    }

    /// Reads an attribute as `N` numbers per vertex.
    fn attribute<const N: usize>(&self, of: &Value, name: &str) -> Option<Vec<[f32; N]>> {
        let accessor = index(of.get("attributes")?.get(name)?)?;
        self.layout(accessor).filter(|layout| layout.width() == N)?;
        let numbers: Vec<f32> =
            self.numbers(accessor)?.into_iter().map(|number| number as f32).collect();
        Some(numbers.as_chunks::<N>().0.to_vec())
    }
}

/// Adds tangents to a primitive, and returns the number of its vertices.
fn add(
    document: &mut Document,
    place: &TexturedPrimitive,
    map: Option<TextureRef>,
) -> Result<usize, &'static str> {
    let of = document.primitive(place).ok_or(UNREAD)?.clone();
    let has = |name: &str| of.get("attributes").is_some_and(|all| all.get(name).is_some());
    let set = map.map_or(0, |map| map.uv_set);
    let uv_name = format!("TEXCOORD_{set}");
    if !has("NORMAL") {
        return Err("it has no normals, which tangents are perpendicular to");
    }
    if !has(&uv_name) {
        return Err("it has no texture coordinates, which tangents follow");
    }
    let positions = document.attribute::<3>(&of, "POSITION").ok_or(UNREAD)?;
    let normals = document.attribute::<3>(&of, "NORMAL").ok_or(UNREAD)?;
    let uvs = document.attribute::<2>(&of, &uv_name).ok_or(UNREAD)?;
    let count = positions.len();
    if normals.len() != count || uvs.len() != count {
        return Err("its attributes have different numbers of vertices");
    }
    // Vertices are copied, and with them what is wrong with them.
    let numbers = positions.as_flattened().iter().chain(normals.as_flattened());
    if !numbers.chain(uvs.as_flattened()).all(|number| number.is_finite()) {
        return Err("a place, normal or texture coordinate is NaN or infinite");
    }
    let mut vertices: Vec<Vertex> = positions
        .into_iter()
        .zip(normals)
        .zip(uvs)
        .map(|((position, normal), uv)| {
            let normal = Vec3::from(normal).normalize_or_zero().into();
            Vertex { position, normal, tangent: [0.0; 4], uv: [uv, [0.0; 2]], color: [0; 4] }
        })
        .collect();
    let mode = mode_of(&of).ok_or("it has no triangles")?;
    let indices = match of.get("indices").and_then(index) {
        Some(indices) => {
            let numbers = document.numbers(indices).ok_or(UNREAD)?;
            numbers.into_iter().map(|number| number as u32).collect()
        }
        None => (0..count as u32).collect(),
    };
    let mut corners = triangles(mode, indices);
    if corners.iter().any(|corner| *corner as usize >= count) {
        return Err("an index is out of range");
    }
    let transform = map.map_or(Affine2::IDENTITY, |map| map.transform.matrix());
    let sources = add_tangents(&mut vertices, &mut corners, 0, transform);
    if !sources.is_empty() {
        copy_vertices(document, place, &of, count, &sources)?;
        let numbers: Vec<f64> = corners.iter().map(|corner| f64::from(*corner)).collect();
        let indices = document.append_indices(&numbers, vertices.len());
        let primitive = document.primitive_mut(place).ok_or(UNREAD)?;
        primitive["indices"] = indices.into();
        if mode != Mode::Triangles {
            primitive["mode"] = 4.into();
        }
    }
    let tangents: Vec<f64> =
        vertices.iter().flat_map(|vertex| tangent(vertex).map(f64::from)).collect();
    let layout = ElementLayout::floats(Shape::Vec4);
    let accessor = document.append_new(layout, &tangents, Some(ARRAY_BUFFER));
    document.primitive_mut(place).ok_or(UNREAD)?["attributes"]["TANGENT"] = accessor.into();
    Ok(vertices.len())
}

/// Returns how a primitive's indices form triangles; `None` for points and lines.
fn mode_of(primitive: &Value) -> Option<Mode> {
    match primitive.get("mode").map_or(Some(4), Value::as_u64)? {
        4 => Some(Mode::Triangles),
        5 => Some(Mode::TriangleStrip),
        6 => Some(Mode::TriangleFan),
        _ => None,
    }
}

/// Returns the corners of triangles, three per triangle, as the specification unrolls strips and fans.
fn triangles(mode: Mode, indices: Vec<u32>) -> Vec<u32> {
    let last = indices.len().saturating_sub(2);
    match mode {
        Mode::TriangleStrip => (0..last)
            .flat_map(|i| [indices[i], indices[i + 1 + i % 2], indices[i + 2 - i % 2]])
            .collect(),
        Mode::TriangleFan => {
            (0..last).flat_map(|i| [indices[i + 1], indices[i + 2], indices[0]]).collect()
        }
        _ => {
            let whole = indices.len() / 3 * 3;
            indices.into_iter().take(whole).collect()
        }
    }
}

/// Appends copies of vertices to all attributes and morph targets of a primitive. `of` is the primitive, with its
/// number of vertices and the source of each copy. All that can fail is tried before anything is changed.
fn copy_vertices(
    document: &mut Document,
    place: &TexturedPrimitive,
    of: &Value,
    count: usize,
    sources: &[u32],
) -> Result<(), &'static str> {
    let extensions = of.get("extensions").and_then(Value::as_object);
    if extensions.is_some_and(|all| all.keys().any(|name| name != VARIANTS)) {
        return Err("vertices would be copied, and an extension may hold data about them");
    }
    let targets = of.get("targets").and_then(Value::as_array);
    let lists = of.get("attributes").into_iter().chain(targets.into_iter().flatten());
    let mut longer = Vec::new();
    for (list, attributes) in lists.enumerate() {
        for (name, accessor) in attributes.as_object().into_iter().flatten() {
            let accessor = index(accessor).ok_or(UNREAD)?;
            let layout = document.layout(accessor).ok_or(UNREAD)?;
            let mut numbers = document.numbers(accessor).ok_or(UNREAD)?;
            if numbers.len() != count * layout.width() {
                return Err("its attributes have different numbers of vertices");
            }
            for source in sources {
                let start = *source as usize * layout.width();
                numbers.extend_from_within(start..start + layout.width());
            }
            longer.push((list, name.clone(), accessor, numbers));
        }
    }
    for (list, name, accessor, numbers) in longer {
        let new = document.append_vertices_like(accessor, &numbers).unwrap_or(accessor);
        let primitive = document.primitive_mut(place).ok_or(UNREAD)?;
        let attributes = match list.checked_sub(1) {
            None => &mut primitive["attributes"],
            Some(target) => &mut primitive["targets"][target],
        };
        attributes[name] = new.into();
    }
    Ok(())
}

/// Returns a vertex's tangent; where its texture has no direction, any that is perpendicular to the normal.
fn tangent(vertex: &Vertex) -> [f32; 4] {
    let [x, y, z, w] = vertex.tangent;
    let (direction, normal) = (Vec3::new(x, y, z), Vec3::from(vertex.normal));
    if direction.is_finite() && (direction.length() - 1.0).abs() < 1e-3 {
        return direction.normalize().extend(if w < 0.0 { -1.0 } else { 1.0 }).to_array();
    }
    let any = if normal.is_normalized() { normal.any_orthonormal_vector() } else { Vec3::X };
    any.extend(1.0).to_array()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans_are_unrolled_as_the_specification_does() {
        let corners = |mode| triangles(mode, vec![5, 6, 7, 8, 9]);
        assert_eq!(corners(Mode::TriangleStrip), [5, 6, 7, 6, 8, 7, 7, 8, 9]);
        assert_eq!(corners(Mode::TriangleFan), [6, 7, 5, 7, 8, 5, 8, 9, 5]);
        assert_eq!(corners(Mode::Triangles), [5, 6, 7]);
    }

    #[test]
    fn a_vertex_without_a_direction_has_a_tangent_at_right_angles_to_its_normal() {
        let vertex = Vertex {
            position: [0.0; 3],
            normal: [0.0, 0.6, 0.8],
            tangent: [0.0; 4],
            uv: [[0.0; 2]; 2],
            color: [0; 4],
        };
        let [x, y, z, w] = tangent(&vertex);
        assert_eq!(w, 1.0);
        let direction = Vec3::new(x, y, z);
        assert!(direction.is_normalized() && direction.dot(vertex.normal.into()).abs() < 1e-6);
    }
}
