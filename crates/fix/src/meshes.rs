//! Meshes and accessors: triangles without an area, and bounds.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::change::{Change, Changes, Context};
use super::document::{Document, bounds_of};
use super::tracks::UNREAD;
use rigview_check::flat_triangles;
use rigview_document::{Component, ELEMENT_ARRAY_BUFFER, ElementLayout, Shape};
use rigview_export::index;
use rigview_model::Primitive;

/// The modes of primitives of triangles.
const TRIANGLES: u64 = 4;
const STRIP: u64 = 5;
const FAN: u64 = 6;

/// The largest number of vertices that indices of 16 bits name. Their last index means a restart to some APIs.
const FEW_VERTICES: usize = 65_535;

/// Removes the triangles without an area in any pose of the meshes that findings name. Their vertices stay.
pub fn drop_flat_triangles(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    for finding in context.findings {
        let pointer = finding.pointer.clone().unwrap_or_default();
        let change = Change { pointer, object: finding.object.clone(), ..Change::default() };
        let mesh = change.pointer.strip_prefix("/meshes/");
        let Some(mesh) = mesh.and_then(|mesh| mesh.parse::<usize>().ok()) else { continue };
        let primitives = document.list("meshes").get(mesh).and_then(|mesh| mesh.get("primitives"));
        let primitives = primitives.and_then(Value::as_array).map_or(0, Vec::len);
        let mut count = 0;
        for primitive in 0..primitives {
            let read = context.model.meshes.get(mesh).and_then(|it| it.primitives.get(primitive));
            match drop_flat(document, read, mesh, primitive) {
                Ok(dropped) => count += dropped,
                Err(reason) => {
                    changes.leave(change.clone(), format!("primitive {primitive}: {reason}"))
                }
            }
        }
        if count > 0 {
            changes.made.push(Change { count, ..change });
        }
    }
    changes
}

/// Removes the flat triangles of a primitive. `read` is the primitive as the import reads it.
fn drop_flat(
    document: &mut Document,
    read: Option<&Primitive>,
    mesh: usize,
    primitive: usize,
) -> Result<usize, &'static str> {
    let of = &document.list("meshes")[mesh]["primitives"][primitive];
    match of.get("mode").and_then(Value::as_u64).unwrap_or(TRIANGLES) {
        TRIANGLES => {}
        STRIP | FAN => return Err("strips and fans are not taken apart"),
        _ => return Ok(0),
    }
    let positions = of.get("attributes").and_then(|all| all.get("POSITION")).and_then(index);
    let (position, indices) = (positions.ok_or(UNREAD)?, of.get("indices").and_then(index));
    let layout = document.layout(position).filter(|layout| layout.width() == 3).ok_or(UNREAD)?;
    let vertices = document.numbers(position).ok_or(UNREAD)?.len() / layout.width();
    let corners: Vec<f64> = match indices {
        Some(indices) => document.numbers(indices).ok_or(UNREAD)?,
        None => (0..vertices).map(|vertex| vertex as f64).collect(),
    };
    // The import may order triangles by their joints; their vertices identify them.
    let flat: HashSet<[u32; 3]> = read.map(flat_triangles).into_iter().flatten().collect();
    let has_area =
        |corners: &&[f64]| !flat.contains(&[0, 1, 2].map(|corner| corners[corner] as u32));
    let kept: Vec<f64> = corners.chunks_exact(3).filter(has_area).flatten().copied().collect();
    let dropped = (corners.len() - kept.len()) / 3;
    if dropped == 0 {
        return Ok(0);
    }
    if kept.is_empty() {
        return Err("no triangle would be left");
    }
    let new = match indices {
        Some(indices) => document.append_like(indices, &kept),
        None => Some(document.append_indices(&kept, vertices)),
    };
    let mesh = document.item_mut("meshes", mesh).and_then(|mesh| mesh.get_mut("primitives"));
    if let Some((primitive, new)) = mesh.and_then(|mesh| mesh.get_mut(primitive)).zip(new) {
        primitive["indices"] = new.into();
    }
    Ok(dropped)
}

/// Writes the bounds of the accessors that findings name.
pub fn mend_bounds(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    let named = |finding: &&&rigview_check::Finding| {
        finding.pointer.as_deref()?.strip_prefix("/accessors/")?.split('/').next()?.parse().ok()
    };
    let accessors: BTreeSet<usize> = context.findings.iter().filter_map(|f| named(&f)).collect();
    for accessor in accessors {
        let change =
            Change { pointer: format!("/accessors/{accessor}"), count: 1, ..Change::default() };
        let (Some(layout), Some(numbers)) = (document.layout(accessor), document.numbers(accessor))
        else {
            changes.leave(change, UNREAD);
            continue;
        };
        if numbers.iter().any(|number| !number.is_finite()) {
            changes.leave(change, "its data has numbers that are NaN or infinite");
            continue;
        }
        let [min, max] = bounds_of(&numbers, layout);
        let Some(item) = document.item_mut("accessors", accessor) else { continue };
        let before = (item.get("min").cloned(), item.get("max").cloned());
        item.insert("min".into(), min);
        item.insert("max".into(), max);
        if before != (item.get("min").cloned(), item.get("max").cloned()) {
            changes.made.push(change);
        }
    }
    changes
}

impl Document {
    /// Appends indices of vertices of a component type.
    pub fn append_indices(&mut self, numbers: &[f64], vertices: usize) -> usize {
        let component = if vertices > FEW_VERTICES { Component::U32 } else { Component::U16 };
        let layout = ElementLayout { component, normalized: false, shape: Shape::Scalar };
        self.append_new(layout, numbers, Some(ELEMENT_ARRAY_BUFFER))
    }
}
