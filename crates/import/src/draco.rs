//! KHR_draco_mesh_compression: decodes a primitive's stream to bytes that its accessors then read
//! instead of buffer views.
//!
//! The accessors' counts, shapes and component types still apply. Their `min` and `max` describe
//! the data before compression.

use draco_core::{DecodeLimits, DecoderBuffer, MeshDecoder, PointAttribute, PointIndex};

use super::accessor::{Accessor, Accessors};
use super::attribute::Attribute;
use super::fault::{ImportError, Warnings};
use super::guard::guarded;
use rigview_document::{At, Component, Shape};
use rigview_model::{Mode, WarningCode};

/// The accessors that a primitive names.
pub(super) struct Geometry<'a> {
    /// Its attributes, in file order.
    pub attributes: Vec<Attribute<'a>>,
    /// Its indices; `None` if vertices are used in order.
    pub indices: Option<Attribute<'a>>,
}

/// Replaces the data of a primitive's accessors by that of its stream. Returns whether it has one:
/// the indices are then a list of triangles, whatever the mode. If the stream can't be decoded,
/// falls back to uncompressed data beside it.
pub(super) fn replace<'a>(
    primitive: &At<'a>,
    mode: Mode,
    geometry: &mut Geometry<'a>,
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<bool, ImportError> {
    let Some(at) = primitive.extension("KHR_draco_mesh_compression")? else { return Ok(false) };
    if !matches!(mode, Mode::Triangles | Mode::TriangleStrip) {
        return Err(at.error(format!("{} can't be compressed by Draco", mode.name())).into());
    }
    let Geometry { attributes, indices } = geometry;
    match decode(&at, mode, attributes, indices.as_ref(), accessors) {
        Ok(decoded) => {
            for (i, accessor) in decoded.attributes {
                attributes[i].accessor = accessor;
            }
            match indices {
                Some(indices) => indices.accessor = decoded.indices,
                None => {
                    let accessor = decoded.indices;
                    *indices = Some(Attribute { name: "indices", at, accessor });
                }
            }
            Ok(true)
        }
        Err(error) => {
            let all = attributes.iter().chain(indices.as_ref());
            if attributes.is_empty() || all.into_iter().any(|a| !a.accessor.has_data()) {
                return Err(error);
            }
            warnings.add_error(WarningCode::DracoFallback, &error);
            Ok(false)
        }
    }
}

/// A decoded stream.
struct Decoded {
    /// Indices into the primitive's attributes, with their new accessors.
    attributes: Vec<(usize, Accessor)>,
    indices: Accessor,
}

fn decode(
    at: &At,
    mode: Mode,
    attributes: &[Attribute],
    indices: Option<&Attribute>,
    accessors: &Accessors,
) -> Result<Decoded, ImportError> {
    let view = at.required("bufferView")?.index_of("bufferViews")?;
    let mut wanted = Vec::new();
    for (name, id) in at.required("attributes")?.entries()? {
        let Some(i) = attributes.iter().position(|a| a.name == name) else {
            return Err(id.error("the primitive has no such attribute").into());
        };
        let number = u32::try_from(id.whole()?).map_err(|_| id.error("no such attribute"))?;
        let accessor = &attributes[i].accessor;
        accessors.charge(&id, accessor.count, accessor.size())?;
        wanted.push((i, number, id));
    }
    let stated = indices.filter(|_| mode == Mode::Triangles).map(|i| i.accessor.count / 3);
    // The bytes charged above count towards this limit too.
    let limit = accessors.budget().limit();
    let limits = DecodeLimits::default()
        .with_max_decoded_bytes(limit)
        .with_max_faces(stated.map_or(limit / 12, |faces| faces as u64));
    let mesh = mesh(accessors.view(view), limits).map_err(|e| at.error(e))?;
    let points = mesh.num_points();
    let mut decoded = Vec::new();
    for (i, number, id) in wanted {
        let accessor = &attributes[i].accessor;
        if accessor.count != points {
            let (index, count) = (accessor.index, accessor.count);
            let message = format!("accessor {index} has {count} elements, the stream has {points}");
            return Err(id.error(message).into());
        }
        let Some(source) = mesh.attribute_by_unique_id(number) else {
            return Err(id.error(format!("the stream has no attribute {number}")).into());
        };
        let bytes = values(source, points, accessor).map_err(|e| id.error(e))?;
        decoded.push((i, accessor.with_own(bytes)));
    }
    let faces = mesh.faces();
    if let Some(stated) = stated.filter(|stated| *stated != faces.len()) {
        return Err(at
            .error(format!("the stream has {} triangles, the indices {stated}", faces.len()))
            .into());
    }
    accessors.charge(at, faces.len(), 12)?;
    let bytes: Vec<u8> = faces.iter().flatten().flat_map(|point| point.0.to_le_bytes()).collect();
    let count = 3 * faces.len();
    let index = indices.map_or(0, |indices| indices.accessor.index);
    let indices = Accessor::zeros(index, count, Shape::Scalar, Component::U32).with_own(bytes);
    Ok(Decoded { attributes: decoded, indices })
}

/// Decodes a stream. A panic of the codec is an error.
fn mesh(stream: &[u8], limits: DecodeLimits) -> Result<draco_core::Mesh, String> {
    let read = || {
        let mut mesh = draco_core::Mesh::new();
        let mut buffer = DecoderBuffer::new(stream).with_limits(limits);
        MeshDecoder::new().decode(&mut buffer, &mut mesh).map(|()| mesh)
    };
    guarded(read)
        .map_err(|_| "the decoder panicked".to_owned())
        .and_then(|result| result.map_err(|e| e.to_string()))
        .map_err(|e| format!("the Draco stream does not decode: {e}"))
}

/// Converts the values of a stream's attribute to an accessor's component type, in point order.
fn values(source: &PointAttribute, points: usize, accessor: &Accessor) -> Result<Vec<u8>, String> {
    let (from, to) = (source.data_type(), accessor.component);
    let components = accessor.shape.width();
    if components != usize::from(source.num_components()) || components > 4 {
        let there = source.num_components();
        return Err(format!("{there} components in the stream, {components} in the accessor"));
    }
    let same = own_type(from) == Some(to);
    let (width, size) = (from.byte_length(), components * from.byte_length());
    let data = source.buffer().data();
    let mut bytes = Vec::with_capacity(points * accessor.size());
    for point in 0..points {
        // Points are numbered in 32 bits.
        let value = source.mapped_index(PointIndex(point as u32)).0 as usize;
        let start = value.saturating_mul(size);
        let Some(value) = data.get(start..start.saturating_add(size)) else {
            return Err(format!("point {point} has value {value}, which is out of range"));
        };
        if same {
            bytes.extend_from_slice(value);
        } else {
            for component in value.chunks_exact(width.max(1)) {
                push_integer(from, component, to, &mut bytes)?;
            }
        }
    }
    Ok(bytes)
}

/// Returns the glTF component type of a Draco data type, if there is one.
fn own_type(component: draco_core::DataType) -> Option<Component> {
    use draco_core::DataType as Draco;
    match component {
        Draco::Int8 => Some(Component::I8),
        Draco::Uint8 | Draco::Bool => Some(Component::U8),
        Draco::Int16 => Some(Component::I16),
        Draco::Uint16 => Some(Component::U16),
        Draco::Uint32 => Some(Component::U32),
        Draco::Float32 => Some(Component::F32),
        _ => None,
    }
}

/// Appends an integer converted to another type; fails if it does not fit.
fn push_integer(
    from: draco_core::DataType,
    component: &[u8],
    to: Component,
    bytes: &mut Vec<u8>,
) -> Result<(), String> {
    use draco_core::DataType as Draco;
    let value: i64 = match (from, component) {
        (Draco::Int8, [a]) => i64::from(i8::from_le_bytes([*a])),
        (Draco::Uint8 | Draco::Bool, [a]) => i64::from(*a),
        (Draco::Int16, [a, b]) => i64::from(i16::from_le_bytes([*a, *b])),
        (Draco::Uint16, [a, b]) => i64::from(u16::from_le_bytes([*a, *b])),
        (Draco::Int32, [a, b, c, d]) => i64::from(i32::from_le_bytes([*a, *b, *c, *d])),
        (Draco::Uint32, [a, b, c, d]) => i64::from(u32::from_le_bytes([*a, *b, *c, *d])),
        _ => return Err(format!("{from:?} in the stream can't be read as {to:?}")),
    };
    let fits = match to {
        Component::I8 => i8::try_from(value).map(|v| bytes.extend(v.to_le_bytes())),
        Component::U8 => u8::try_from(value).map(|v| bytes.extend(v.to_le_bytes())),
        Component::I16 => i16::try_from(value).map(|v| bytes.extend(v.to_le_bytes())),
        Component::U16 => u16::try_from(value).map(|v| bytes.extend(v.to_le_bytes())),
        Component::U32 => u32::try_from(value).map(|v| bytes.extend(v.to_le_bytes())),
        Component::F32 => return Err(format!("{from:?} in the stream, FLOAT in the accessor")),
    };
    fits.map_err(|_| format!("{value} in the stream does not fit {to:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use draco_core::{DataType as Draco, GeometryAttributeType};

    fn accessor(component: Component, shape: Shape) -> Accessor {
        Accessor::zeros(0, 3, shape, component)
    }

    #[test]
    fn values_come_out_point_by_point_in_the_accessors_type() {
        let mut joints = PointAttribute::new();
        joints.init(GeometryAttributeType::Generic, 1, Draco::Uint16, false, 2);
        joints.buffer_mut().write(0, &[7, 0, 9, 0]);
        joints.set_explicit_mapping(3);
        for (point, value) in [1u32, 0, 1].into_iter().enumerate() {
            joints.set_point_map_entry(PointIndex(point as u32), value.into());
        }
        let bytes = accessor(Component::U8, Shape::Scalar);
        assert_eq!(values(&joints, 3, &bytes), Ok(vec![9, 7, 9]));
        let words = accessor(Component::U16, Shape::Scalar);
        assert_eq!(values(&joints, 3, &words), Ok(vec![9, 0, 7, 0, 9, 0]));
        joints.buffer_mut().write(0, &[0, 1]);
        assert!(values(&joints, 3, &bytes).unwrap_err().contains("256 in the stream"));
        let floats = accessor(Component::F32, Shape::Scalar);
        assert!(values(&joints, 3, &floats).is_err());
        let pairs = accessor(Component::U16, Shape::Vec2);
        assert!(values(&joints, 3, &pairs).is_err(), "one component is not two");
        assert!(values(&joints, 4, &words).is_err(), "point 3 has no value");
    }
}
