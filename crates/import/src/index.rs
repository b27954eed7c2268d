//! Vertex indices: reads and checks them, and unrolls all seven modes to lists of points, lines or
//! triangles.

use super::accessor::Accessors;
use super::attribute::Attribute;
use super::fault::{ImportError, Warnings};
use rigview_document::{At, Component, Shape};
use rigview_model::{Mode, WarningCode};

/// Reads a primitive's mode; the default is triangles.
pub(super) fn mode(primitive: &At) -> Result<Mode, ImportError> {
    let Some(at) = primitive.get("mode") else { return Ok(Mode::Triangles) };
    match at.whole()? {
        0 => Ok(Mode::Points),
        1 => Ok(Mode::Lines),
        2 => Ok(Mode::LineLoop),
        3 => Ok(Mode::LineStrip),
        4 => Ok(Mode::Triangles),
        5 => Ok(Mode::TriangleStrip),
        6 => Ok(Mode::TriangleFan),
        other => Err(at.error(format!("mode {other} is unknown, 0 to 6 are defined")).into()),
    }
}

/// Returns the accessor of a primitive's indices, if it has one.
pub(super) fn named<'a>(
    primitive: &At<'a>,
    accessors: &Accessors,
) -> Result<Option<Attribute<'a>>, ImportError> {
    let Some(at) = primitive.get("indices") else { return Ok(None) };
    let accessor = accessors.named_by(&at)?.clone();
    Ok(Some(Attribute { name: "indices", at, accessor }))
}

/// The elements of a primitive, before its indices are read.
pub(super) struct Elements<'a> {
    /// The elements that the indices form.
    pub mode: Mode,
    /// The accessor of the indices; `None` if vertices are used in order.
    pub indices: Option<Attribute<'a>>,
    /// Vertices of the primitive.
    pub vertices: usize,
}

/// Reads a primitive's indices and unrolls them to lists of points, lines or triangles.
pub(super) fn read(
    primitive: &At,
    elements: Elements,
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<Vec<u32>, ImportError> {
    let Elements { mode, indices: named, vertices } = elements;
    let mut indices = Vec::new();
    let at = match named {
        Some(attribute) => {
            let at = attribute.at.clone();
            let unsigned = [Component::U8, Component::U16, Component::U32];
            attribute.require(&[Shape::Scalar], &unsigned)?;
            let accessor = &attribute.accessor;
            accessors.warn_if_strided(&at, accessor, warnings);
            attribute.warn_if_normalized(warnings);
            accessors.charge(&at, accessor.count, 4)?;
            indices.resize(accessor.count, 0);
            accessors.integers(accessor, |i, [index]: [u32; 1]| indices[i] = index);
            check(&attribute, &indices, vertices, warnings)?;
            at
        }
        None => {
            accessors.charge(primitive, vertices, 4)?;
            // More vertices than fit in u32 would have exceeded the budget.
            indices.extend(0..vertices as u32);
            primitive.clone()
        }
    };
    let n = indices.len();
    let odd = match mode {
        Mode::Lines => n % 2,
        Mode::Triangles => n % 3,
        Mode::LineLoop | Mode::LineStrip if n == 1 => 1,
        Mode::TriangleStrip | Mode::TriangleFan if n == 1 || n == 2 => n,
        _ => 0,
    };
    if odd > 0 {
        let message = format!("{n} indices for {}: the last {odd} draw nothing", mode.name());
        warnings.add_at(&at, WarningCode::IndicesLeftOver, message);
    }
    let copies = match mode {
        Mode::Points | Mode::Lines | Mode::Triangles => 0,
        Mode::LineLoop | Mode::LineStrip => 2,
        Mode::TriangleStrip | Mode::TriangleFan => 3,
    };
    accessors.charge(&at, n.saturating_mul(copies), 4)?;
    Ok(unroll(mode, indices))
}

/// Fails if an index names a vertex that does not exist.
fn check(
    attribute: &Attribute,
    indices: &[u32],
    vertices: usize,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    let Some(largest) = indices.iter().copied().max() else { return Ok(()) };
    let restart = match attribute.accessor.component {
        Component::U8 => u32::from(u8::MAX),
        Component::U16 => u32::from(u16::MAX),
        _ => u32::MAX,
    };
    if largest as usize >= vertices {
        let at = indices.iter().position(|i| *i as usize >= vertices).unwrap_or(0);
        let accessor = attribute.accessor.index;
        let index = indices[at];
        return Err(attribute
            .at
            .error(format!("index {at} of accessor {accessor} names vertex {index} of {vertices}"))
            .into());
    }
    if largest == restart {
        let message = format!("index {restart} is the restart value: read as a plain vertex");
        warnings.add_at(&attribute.at, WarningCode::RestartValue, message);
    }
    Ok(())
}

/// Unrolls indices to lists of points, lines or triangles; an incomplete last element is left out.
fn unroll(mode: Mode, mut indices: Vec<u32>) -> Vec<u32> {
    let n = indices.len();
    match mode {
        Mode::Points => indices,
        Mode::Lines => {
            indices.truncate(n - n % 2);
            indices
        }
        Mode::Triangles => {
            indices.truncate(n - n % 3);
            indices
        }
        Mode::LineStrip => indices.windows(2).flatten().copied().collect(),
        Mode::LineLoop if n < 2 => Vec::new(),
        Mode::LineLoop => {
            let close = [indices[n - 1], indices[0]];
            indices.windows(2).flatten().copied().chain(close).collect()
        }
        // Every second triangle of a strip has the opposite winding.
        Mode::TriangleStrip => indices
            .windows(3)
            .enumerate()
            .flat_map(|(i, w)| if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[0], w[2], w[1]] })
            .collect(),
        Mode::TriangleFan if n < 3 => Vec::new(),
        Mode::TriangleFan => {
            indices[1..].windows(2).flat_map(|w| [w[0], w[1], indices[0]]).collect()
        }
    }
}

/// Returns the entries at these indices; an empty list stays empty.
pub(super) fn gather<T: Copy>(list: &[T], numbers: &[u32]) -> Vec<T> {
    numbers.iter().filter_map(|i| list.get(*i as usize)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_becomes_a_list_with_the_specifications_winding() {
        let five = || vec![10, 11, 12, 13, 14];
        assert_eq!(unroll(Mode::Points, five()), five());
        assert_eq!(unroll(Mode::Lines, five()), [10, 11, 12, 13]);
        assert_eq!(unroll(Mode::LineStrip, vec![0, 1, 2]), [0, 1, 1, 2]);
        assert_eq!(unroll(Mode::LineLoop, vec![0, 1, 2]), [0, 1, 1, 2, 2, 0]);
        assert_eq!(unroll(Mode::Triangles, five()), [10, 11, 12]);
        assert_eq!(unroll(Mode::TriangleStrip, five()), [10, 11, 12, 11, 13, 12, 12, 13, 14]);
        assert_eq!(unroll(Mode::TriangleFan, five()), [11, 12, 10, 12, 13, 10, 13, 14, 10]);
    }

    #[test]
    fn too_few_indices_are_nothing() {
        for mode in [Mode::LineLoop, Mode::LineStrip, Mode::TriangleStrip, Mode::TriangleFan] {
            assert!(unroll(mode, vec![]).is_empty());
            assert!(unroll(mode, vec![7]).is_empty());
        }
    }
}
