//! Vertex attributes: the types that each may have, and their conversion to the vertex layout; and the `min` and `max` of
//! accessors, which are checked against the data. The data decides; a difference is a warning.

use super::accessor::{Accessor, Accessors};
use super::fault::{ImportError, Warnings};
use rigview_document::{At, Component, Shape};
use rigview_model::{UndrawnAttribute, Vertex, WarningCode, quoted};

/// Component types of POSITION; the integers come from KHR_mesh_quantization.
pub(super) const POSITION_TYPES: &[Component] =
    &[Component::F32, Component::I8, Component::U8, Component::I16, Component::U16];
/// Component types of NORMAL and TANGENT; the integers come from KHR_mesh_quantization.
pub(super) const DIRECTION_TYPES: &[Component] = &[Component::F32, Component::I8, Component::I16];
/// Component types of fractions from 0 to 1.
pub(super) const FRACTION_TYPES: &[Component] = &[Component::F32, Component::U8, Component::U16];
/// Component types of morph deltas of fractions.
pub(super) const DELTA_TYPES: &[Component] = POSITION_TYPES;
/// Component types of JOINTS_n.
pub(super) const JOINT_TYPES: &[Component] = &[Component::U8, Component::U16];

/// A vertex without attributes: zero, and white.
pub(super) const BLANK: Vertex = Vertex {
    position: [0.0; 3],
    normal: [0.0; 3],
    tangent: [0.0; 4],
    uv: [[0.0; 2]; 2],
    color: [u16::MAX; 4],
};

/// A named accessor of a primitive or of a morph target.
pub(super) struct Attribute<'a> {
    /// The file's name for it.
    pub name: &'a str,
    /// The place that names the accessor.
    pub at: At<'a>,
    /// Its data.
    pub accessor: Accessor,
}

/// Lists the attributes of an `attributes` object or a morph target, in file order.
pub(super) fn list<'a>(
    at: &At<'a>,
    accessors: &Accessors,
) -> Result<Vec<Attribute<'a>>, ImportError> {
    let mut list = Vec::new();
    for (name, at) in at.entries()? {
        let accessor = accessors.named_by(&at)?.clone();
        list.push(Attribute { name, at, accessor });
    }
    Ok(list)
}

/// Splits a name into semantic and set: `TEXCOORD_1` is `TEXCOORD` and 1. A name without a number,
/// or whose number has a leading zero, has no set.
pub(super) fn semantic(name: &str) -> (&str, Option<usize>) {
    let numbered =
        name.rsplit_once('_').and_then(|(stem, set)| Some((stem, super::pointer::index(set)?)));
    match numbered {
        Some((stem, set)) if !stem.is_empty() => (stem, Some(set)),
        _ => (name, None),
    }
}

/// Whether an attribute is an application's own, or a further set of texture coordinates or colours.
fn is_undrawn(name: &str) -> bool {
    match semantic(name) {
        _ if name.starts_with('_') => true,
        ("TEXCOORD", Some(set)) => set > 1,
        ("COLOR", Some(set)) => set > 0,
        _ => false,
    }
}

/// Reads the attributes that nothing draws. Matrices are left out.
pub(super) fn undrawn(
    attributes: &[Attribute],
    accessors: &Accessors,
) -> Result<Vec<UndrawnAttribute>, ImportError> {
    let mut list = Vec::new();
    for Attribute { name, at, accessor } in attributes.iter().filter(|of| is_undrawn(of.name)) {
        let width = accessor.shape.width();
        if width > 4 {
            continue;
        }
        accessors.charge(at, accessor.count, width * size_of::<f32>())?;
        let mut values = vec![0.0; accessor.count * width];
        let mut put = |i: usize, of: &[f32]| values[i * width..][..width].copy_from_slice(of);
        match width {
            1 => accessors.floats(accessor, |i, of: [f32; 1]| put(i, &of)),
            2 => accessors.floats(accessor, |i, of: [f32; 2]| put(i, &of)),
            3 => accessors.floats(accessor, |i, of: [f32; 3]| put(i, &of)),
            _ => accessors.floats(accessor, |i, of: [f32; 4]| put(i, &of)),
        }
        list.push(UndrawnAttribute { name: (*name).to_owned(), width, values });
    }
    Ok(list)
}

/// Finds an attribute by its name.
pub(super) fn find<'l, 'a>(list: &'l [Attribute<'a>], name: &str) -> Option<&'l Attribute<'a>> {
    list.iter().find(|attribute| attribute.name == name)
}

impl Attribute<'_> {
    /// Whether the components are floats.
    pub fn is_float(&self) -> bool {
        self.accessor.component == Component::F32
    }

    /// Fails unless the accessor has one of these shapes and one of these component types.
    pub fn require(&self, shapes: &[Shape], types: &[Component]) -> Result<(), ImportError> {
        let (shape, component) = (self.accessor.shape, self.accessor.component);
        if shapes.contains(&shape) && types.contains(&component) {
            return Ok(());
        }
        let shapes: Vec<_> = shapes.iter().map(|s| s.name()).collect();
        let types: Vec<_> = types.iter().map(|t| t.name()).collect();
        Err(self
            .at
            .error(format!(
                "{} of accessor {} is {} of {}, it must be {} of {}",
                quoted(self.name),
                self.accessor.index,
                shape.name(),
                component.name(),
                shapes.join(" or "),
                types.join(", "),
            ))
            .into())
    }

    /// Warns if integers that are indices are marked as normalized.
    pub fn warn_if_normalized(&self, warnings: &mut Warnings) {
        if self.accessor.normalized {
            let message = format!("normalized means nothing for {}", quoted(self.name));
            warnings.add_at(&self.at, WarningCode::NormalizedIndices, message);
        }
    }

    /// Warns if a component type needs KHR_mesh_quantization and the file does not declare it.
    pub fn warn_if_quantized(&self, is_core: bool, warnings: &mut Warnings) {
        let declared = |key: &str| {
            let list = self.at.document.root().value.get(key).and_then(|l| l.as_array());
            list.is_some_and(|l| l.iter().any(|e| e == "KHR_mesh_quantization"))
        };
        if !is_core && !declared("extensionsUsed") && !declared("extensionsRequired") {
            let component = self.accessor.component.name();
            let name = quoted(self.name);
            let message = format!("{name} is {component} without KHR_mesh_quantization");
            warnings.add_at(&self.at, WarningCode::QuantizedUndeclared, message);
        }
    }

    /// Returns the accessor with its integers read as fractions, marked as normalized or not.
    pub fn as_fractions(&self, warnings: &mut Warnings) -> Accessor {
        if !self.is_float() && !self.accessor.normalized {
            let name = quoted(self.name);
            let message =
                format!("{name} has integers that are not normalized: read as if they were");
            warnings.add_at(&self.at, WarningCode::NotNormalized, message);
        }
        self.accessor.fractions()
    }

    /// Warns of `count` entries that are NaN or infinite.
    pub fn warn_not_finite(&self, count: usize, instead: &str, warnings: &mut Warnings) {
        if count > 0 {
            let all = self.accessor.count;
            let name = quoted(self.name);
            let message =
                format!("{count} of {all} entries of {name} are NaN or infinite: {instead}");
            warnings.add_at(&self.at, WarningCode::NotFinite, message);
        }
    }
}

/// Copies POSITION. Entries that are NaN or infinite are kept; `mesh` leaves out what uses them.
pub(super) fn copy_positions(
    attribute: &Attribute,
    accessors: &Accessors,
    vertices: &mut [Vertex],
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    attribute.require(&[Shape::Vec3], POSITION_TYPES)?;
    attribute.warn_if_quantized(attribute.is_float(), warnings);
    accessors.floats(&attribute.accessor, |i, position| vertices[i].position = position);
    Ok(())
}

/// Copies NORMAL, at unit length.
pub(super) fn copy_normals(
    attribute: &Attribute,
    accessors: &Accessors,
    vertices: &mut [Vertex],
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    attribute.require(&[Shape::Vec3], DIRECTION_TYPES)?;
    attribute.warn_if_quantized(attribute.is_float(), warnings);
    let mut lengths = Lengths::default();
    accessors.floats(&attribute.as_fractions(warnings), |i, normal: [f32; 3]| {
        vertices[i].normal = lengths.unit(normal);
    });
    lengths.warn(attribute, "replaced by flat ones", warnings);
    Ok(())
}

/// Copies TANGENT, at unit length and with a handedness of 1 or -1.
pub(super) fn copy_tangents(
    attribute: &Attribute,
    accessors: &Accessors,
    vertices: &mut [Vertex],
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    attribute.require(&[Shape::Vec4], DIRECTION_TYPES)?;
    attribute.warn_if_quantized(attribute.is_float(), warnings);
    let (mut lengths, mut unhanded) = (Lengths::default(), 0);
    accessors.floats(&attribute.as_fractions(warnings), |i, [x, y, z, w]: [f32; 4]| {
        unhanded += usize::from(w.abs() != 1.0);
        let [x, y, z] = lengths.unit([x, y, z]);
        let none = [x, y, z] == [0.0; 3];
        let w = match w {
            _ if none => 0.0,
            w if w < 0.0 => -1.0,
            _ => 1.0,
        };
        vertices[i].tangent = [x, y, z, w];
    });
    lengths.warn(attribute, "computed", warnings);
    if unhanded > 0 {
        let all = attribute.accessor.count;
        let message = format!("{unhanded} of {all} tangents have a w that is neither 1 nor -1");
        warnings.add_at(&attribute.at, WarningCode::TangentSign, message);
    }
    Ok(())
}

/// Copies TEXCOORD_0 or TEXCOORD_1.
pub(super) fn copy_uvs(
    attribute: &Attribute,
    set: usize,
    accessors: &Accessors,
    vertices: &mut [Vertex],
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    attribute.require(&[Shape::Vec2], POSITION_TYPES)?;
    let Accessor { component, normalized, .. } = attribute.accessor;
    let is_fraction = normalized && FRACTION_TYPES.contains(&component);
    attribute.warn_if_quantized(attribute.is_float() || is_fraction, warnings);
    let mut odd = 0;
    accessors.floats(&attribute.accessor, |i, uv: [f32; 2]| {
        let finite = uv.iter().all(|x| x.is_finite());
        odd += usize::from(!finite);
        vertices[i].uv[set] = if finite { uv } else { [0.0; 2] };
    });
    attribute.warn_not_finite(odd, "read as 0", warnings);
    Ok(())
}

/// Copies COLOR_0, with an alpha of 1 where it has none.
pub(super) fn copy_colors(
    attribute: &Attribute,
    accessors: &Accessors,
    vertices: &mut [Vertex],
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    attribute.require(&[Shape::Vec3, Shape::Vec4], FRACTION_TYPES)?;
    let accessor = attribute.as_fractions(warnings);
    let mut odd = 0;
    // The cast saturates and converts NaN to 0.
    let mut narrow = |x: f32| {
        odd += usize::from(!(0.0..=1.0).contains(&x));
        (x * 65535.0).round() as u16
    };
    if accessor.shape == Shape::Vec3 {
        accessors.floats(&accessor, |i, [r, g, b]: [f32; 3]| {
            vertices[i].color = [narrow(r), narrow(g), narrow(b), u16::MAX];
        });
    } else {
        accessors.floats(&accessor, |i, color: [f32; 4]| {
            vertices[i].color = color.map(&mut narrow);
        });
    }
    if odd > 0 {
        let name = quoted(attribute.name);
        let message = format!("{odd} numbers of {name} are not from 0 to 1: clamped");
        warnings.add_at(&attribute.at, WarningCode::ColorRange, message);
    }
    Ok(())
}

/// Normalises directions and counts those that were not of unit length.
#[derive(Default)]
struct Lengths {
    /// Directions that are NaN or infinite.
    not_finite: usize,
    /// Directions of length 0.
    zero: usize,
    /// Other directions whose length is not 1.
    uneven: usize,
    /// The length furthest from 1.
    worst: f64,
}

impl Lengths {
    /// Deviation from length 1 that is warned of. Directions stored as bytes are off by up to
    /// 0.007.
    const TOLERANCE: f64 = 0.01;

    /// Returns the vector at unit length; zero if it has no direction.
    fn unit(&mut self, v: [f32; 3]) -> [f32; 3] {
        let length = v.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        if length > 0.0 && length.is_finite() {
            if (length - 1.0).abs() > Self::TOLERANCE {
                self.uneven += 1;
                if (length - 1.0).abs() > (self.worst - 1.0).abs() || self.uneven == 1 {
                    self.worst = length;
                }
            }
            return v.map(|x| (f64::from(x) / length) as f32);
        }
        match length == 0.0 {
            true => self.zero += 1,
            false => self.not_finite += 1,
        }
        [0.0; 3]
    }

    /// Warns of directions that are not of unit length. `instead` says how those without a
    /// direction are repaired.
    fn warn(&self, attribute: &Attribute, instead: &str, warnings: &mut Warnings) {
        attribute.warn_not_finite(self.not_finite, instead, warnings);
        let (all, name) = (attribute.accessor.count, quoted(attribute.name));
        if self.zero > 0 {
            let message = format!("{} of {all} entries of {name} are 0: {instead}", self.zero);
            warnings.add_at(&attribute.at, WarningCode::DirectionZero, message);
        }
        if self.uneven > 0 {
            let message = format!(
                "{} of {all} entries of {name} are not of length 1, one of {:.3}: normalised",
                self.uneven, self.worst
            );
            warnings.add_at(&attribute.at, WarningCode::DirectionNotUnit, message);
        }
    }
}

/// Tolerance relative to the larger number; exporters round.
const TOLERANCE: f32 = 1e-3;

/// Checks the bounds of POSITION.
pub(super) fn check_positions(
    attribute: &Attribute,
    accessors: &Accessors,
    vertices: &[Vertex],
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    // Bounds of integers are stated before scaling, those of decoded data before compression.
    // Neither is used, so neither is checked.
    if attribute.accessor.component != Component::F32 || attribute.accessor.is_own() {
        return Ok(());
    }
    let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for vertex in vertices {
        for k in 0..3 {
            min[k] = min[k].min(vertex.position[k]);
            max[k] = max[k].max(vertex.position[k]);
        }
    }
    check_bounds(&accessors.place_of(&attribute.accessor)?, &min, &max, warnings);
    Ok(())
}

/// Warns if an accessor states other bounds than these, or none.
pub(super) fn check_bounds(accessor: &At, min: &[f32], max: &[f32], warnings: &mut Warnings) {
    for (key, actual) in [("min", min), ("max", max)] {
        let Some(at) = accessor.get(key) else {
            warnings.add_at(
                accessor,
                WarningCode::BoundsMissing,
                format!("{key} is missing: computed"),
            );
            continue;
        };
        let stated: Option<Vec<f32>> = at
            .value
            .as_array()
            .and_then(|list| list.iter().map(|x| x.as_f64().map(|x| x as f32)).collect());
        let Some(stated) = stated.filter(|stated| stated.len() == actual.len()) else {
            let message = format!("{key} is not {} numbers: computed", actual.len());
            warnings.add_at(&at, WarningCode::BoundsOdd, message);
            continue;
        };
        let off = |(a, b): (&f32, &f32)| {
            a.is_finite() && (a - b).abs() > TOLERANCE * a.abs().max(b.abs()).max(1e-3)
        };
        if let Some(k) = actual.iter().zip(&stated).position(off) {
            let (stated, actual) = (stated[k], actual[k]);
            let message = format!("{key} is {stated}, but {actual} in the data");
            warnings.add_at(&at, WarningCode::BoundsWrong, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_get_unit_length_whatever_they_were() {
        let mut lengths = Lengths::default();
        assert_eq!(lengths.unit([0.0, 3e38, 0.0]), [0.0, 1.0, 0.0]);
        assert_eq!(lengths.unit([0.0, 0.0, -1e-40]), [0.0, 0.0, -1.0]);
        assert_eq!(lengths.unit([0.0, 1.001, 0.0]), [0.0, 1.0, 0.0]);
        assert_eq!((lengths.uneven, lengths.worst > 1e38), (2, true));
        assert_eq!(lengths.unit([0.0; 3]), [0.0; 3]);
        assert_eq!(lengths.unit([f32::NAN, 1.0, 0.0]), [0.0; 3]);
        assert_eq!((lengths.zero, lengths.not_finite), (1, 1));
    }
}
