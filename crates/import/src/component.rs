//! Component types and shapes of accessors: parsing, names and sizes.

use gltf::accessor::{DataType, Dimensions};

use super::document::At;
use super::fault::ImportError;

/// Parses a `componentType`.
pub(super) fn component(at: &At) -> Result<DataType, ImportError> {
    match at.whole()? {
        5120 => Ok(DataType::I8),
        5121 => Ok(DataType::U8),
        5122 => Ok(DataType::I16),
        5123 => Ok(DataType::U16),
        5125 => Ok(DataType::U32),
        5126 => Ok(DataType::F32),
        other => Err(at.error(format!("componentType {other} is unknown"))),
    }
}

/// Parses an accessor's `type`.
pub(super) fn dimensions(at: &At) -> Result<Dimensions, ImportError> {
    match at.text()? {
        "SCALAR" => Ok(Dimensions::Scalar),
        "VEC2" => Ok(Dimensions::Vec2),
        "VEC3" => Ok(Dimensions::Vec3),
        "VEC4" => Ok(Dimensions::Vec4),
        "MAT2" => Ok(Dimensions::Mat2),
        "MAT3" => Ok(Dimensions::Mat3),
        "MAT4" => Ok(Dimensions::Mat4),
        other => Err(at.error(format!("type {} is unknown", rigview_model::quoted(other)))),
    }
}

/// Returns glTF's name of a component type.
pub(super) fn component_name(component: DataType) -> &'static str {
    match component {
        DataType::I8 => "BYTE",
        DataType::U8 => "UNSIGNED_BYTE",
        DataType::I16 => "SHORT",
        DataType::U16 => "UNSIGNED_SHORT",
        DataType::U32 => "UNSIGNED_INT",
        DataType::F32 => "FLOAT",
    }
}

/// Returns glTF's name of a shape.
pub(super) fn dimensions_name(dimensions: Dimensions) -> &'static str {
    match dimensions {
        Dimensions::Scalar => "SCALAR",
        Dimensions::Vec2 => "VEC2",
        Dimensions::Vec3 => "VEC3",
        Dimensions::Vec4 => "VEC4",
        Dimensions::Mat2 => "MAT2",
        Dimensions::Mat3 => "MAT3",
        Dimensions::Mat4 => "MAT4",
    }
}

/// Returns the size of an element in bytes. The columns of matrices are aligned to four bytes.
pub(super) fn element_size(dimensions: Dimensions, component: DataType) -> usize {
    let columns = match dimensions {
        Dimensions::Mat2 => 2,
        Dimensions::Mat3 => 3,
        Dimensions::Mat4 => 4,
        vector => return vector.multiplicity() * component.size(),
    };
    columns * (columns * component.size()).next_multiple_of(4)
}
