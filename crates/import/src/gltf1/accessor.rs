//! Accessors. Their strides move to the buffer views.

use serde_json::Value;

use super::buffer::Views;
use super::ids::{Ids, thing};
use super::origin::Origin;
use crate::fault::ImportError;
use rigview_document::{At, Shape, layout_of};

/// Converts all accessors, and adds buffer views for strides.
pub(super) fn read(
    ids: &Ids,
    views: &mut Views,
    origin: &mut Origin,
) -> Result<Vec<Value>, ImportError> {
    let mut list = Vec::new();
    for (i, (id, at)) in ids.entries("accessors").iter().enumerate() {
        if let Some(extension) = at.extension("WEB3D_quantized_attributes")? {
            return Err(ImportError::unsupported_at(
                &extension,
                "WEB3D_quantized_attributes is not supported",
            ));
        }
        let keys = ["byteOffset", "componentType", "count", "type", "min", "max", "normalized"];
        let mut accessor = thing(id, at, &keys)?;
        // A view is required: without one an accessor of 2.0 is all zeros, whatever its count.
        let mut view = ids.index(&at.required("bufferView")?, "bufferViews")?;
        let stride = at.whole_at("byteStride")?.unwrap_or(0);
        if stride != 0 && Some(stride) != packed(at) {
            let (strided, new) = views.with_stride(view, stride);
            if new {
                origin.add("bufferViews", "accessors", i);
            }
            view = strided;
        }
        accessor.insert("bufferView".into(), view.into());
        list.push(Value::Object(accessor));
    }
    Ok(list)
}

/// Returns the size of an element in bytes; `None` for matrices and unknown types.
fn packed(at: &At) -> Option<u64> {
    let layout = layout_of(at.value)?;
    let is_vector = matches!(layout.shape, Shape::Scalar | Shape::Vec2 | Shape::Vec3 | Shape::Vec4);
    is_vector.then(|| layout.packed_size() as u64)
}

/// Whether an accessor's elements are four floats.
pub(super) fn is_four_floats(ids: &Ids, accessor: usize) -> bool {
    let layout = layout_of(ids.entries("accessors")[accessor].1.value);
    layout.is_some_and(|layout| !layout.is_integer() && layout.shape == Shape::Vec4)
}
