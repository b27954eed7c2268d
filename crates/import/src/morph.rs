//! Morph targets: the deltas of a primitive's vertex attributes.

use super::accessor::{Accessor, Accessors};
use super::attribute::{self, Attribute, DELTA_TYPES, DIRECTION_TYPES, POSITION_TYPES};
use super::fault::{ImportError, Warnings};
use super::index::gather;
use rigview_document::{At, Shape};
use rigview_model::{MorphTarget, WarningCode, quoted};

/// Bytes per target besides its lists: itself, its bounds, its name and weights.
const TARGET_BYTES: usize = 256;

/// Reads the targets of a primitive with `vertices` vertices and the attributes `base`.
pub(super) fn read(
    primitive: &At,
    vertices: usize,
    base: &[Attribute],
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<Vec<MorphTarget>, ImportError> {
    let mut targets = Vec::new();
    let places = primitive.list("targets")?;
    accessors.charge(primitive, places.len(), TARGET_BYTES)?;
    for at in places {
        let mut target = MorphTarget::default();
        for attribute in attribute::list(&at, accessors)? {
            let count = attribute.accessor.count;
            if count != vertices {
                let name = quoted(attribute.name);
                let message = format!("{name} has {count} entries for {vertices} vertices");
                return Err(attribute.at.error(message).into());
            }
            add(&mut target, &attribute, base, accessors, warnings)?;
        }
        targets.push(target);
    }
    Ok(targets)
}

/// Reads one attribute of a target. Warns if the primitive does not have the attribute.
fn add(
    target: &mut MorphTarget,
    attribute: &Attribute,
    base: &[Attribute],
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    let (shapes, types) = match attribute.name {
        "POSITION" => (&[Shape::Vec3][..], POSITION_TYPES),
        "NORMAL" | "TANGENT" => (&[Shape::Vec3][..], DIRECTION_TYPES),
        "TEXCOORD_0" | "TEXCOORD_1" => (&[Shape::Vec2][..], POSITION_TYPES),
        "COLOR_0" => (&[Shape::Vec3, Shape::Vec4][..], DELTA_TYPES),
        // Application-specific attributes, and below further sets, which are not drawn.
        name if name.starts_with('_') => return Ok(()),
        name if matches!(attribute::semantic(name), ("TEXCOORD" | "COLOR", Some(_))) => {
            return Ok(());
        }
        name => {
            let message = format!("attribute {} is unknown: left out", quoted(name));
            warnings.add_at(&attribute.at, WarningCode::AttributeUnknown, message);
            return Ok(());
        }
    };
    attribute.require(shapes, types)?;
    // glTF ignores tangents without normals.
    let needed = if attribute.name == "TANGENT" { "NORMAL" } else { attribute.name };
    if [needed, attribute.name].iter().any(|name| attribute::find(base, name).is_none()) {
        let message = format!("{} is left out: the primitive has none to change", attribute.name);
        warnings.add_at(&attribute.at, WarningCode::TargetWithoutBase, message);
        return Ok(());
    }
    let accessor = &attribute.accessor;
    match attribute.name {
        "POSITION" => target.positions = deltas(attribute, accessor, accessors, warnings)?,
        "NORMAL" => target.normals = deltas(attribute, accessor, accessors, warnings)?,
        "TANGENT" => target.tangents = deltas(attribute, accessor, accessors, warnings)?,
        "COLOR_0" => {
            let fractions = attribute.as_fractions(warnings);
            target.colors = if fractions.shape == Shape::Vec3 {
                let deltas = deltas(attribute, &fractions, accessors, warnings)?;
                deltas.into_iter().map(|[r, g, b]| [r, g, b, 0.0]).collect()
            } else {
                deltas(attribute, &fractions, accessors, warnings)?
            };
        }
        name => {
            let set = usize::from(name == "TEXCOORD_1");
            let deltas = deltas(attribute, accessor, accessors, warnings)?;
            target.uvs.resize(deltas.len(), [[0.0; 2]; 2]);
            target.uvs.iter_mut().zip(deltas).for_each(|(uvs, delta)| uvs[set] = delta);
        }
    }
    Ok(())
}

/// Reads one delta per vertex; those that are NaN or infinite become 0.
fn deltas<const N: usize>(
    attribute: &Attribute,
    accessor: &Accessor,
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<Vec<[f32; N]>, ImportError> {
    // Charges four components: the size of the entries in the model.
    accessors.charge(&attribute.at, accessor.count, size_of::<[f32; 4]>())?;
    let mut deltas = vec![[0.0; N]; accessor.count];
    accessors.floats(accessor, |i, delta| deltas[i] = delta);
    let mut odd = 0;
    for delta in &mut deltas {
        if !delta.iter().all(|x| x.is_finite()) {
            *delta = [0.0; N];
            odd += 1;
        }
    }
    attribute.warn_not_finite(odd, "read as 0", warnings);
    Ok(deltas)
}

/// Returns the bytes per vertex of all targets together.
pub(super) fn bytes_a_vertex(targets: &[MorphTarget]) -> usize {
    let bytes = |list_is_empty: bool, size: usize| if list_is_empty { 0 } else { size };
    let of_target = |t: &MorphTarget| {
        bytes(t.positions.is_empty(), size_of::<[f32; 3]>())
            + bytes(t.normals.is_empty(), size_of::<[f32; 3]>())
            + bytes(t.tangents.is_empty(), size_of::<[f32; 3]>())
            + bytes(t.uvs.is_empty(), size_of::<[[f32; 2]; 2]>())
            + bytes(t.colors.is_empty(), size_of::<[f32; 4]>())
    };
    targets.iter().map(of_target).sum()
}

/// Replaces the targets' entries by those of `vertices`, in that order.
pub(super) fn renumber(targets: &mut [MorphTarget], vertices: &[u32]) {
    for target in targets {
        target.positions = gather(&target.positions, vertices);
        target.normals = gather(&target.normals, vertices);
        target.tangents = gather(&target.tangents, vertices);
        target.uvs = gather(&target.uvs, vertices);
        target.colors = gather(&target.colors, vertices);
    }
}
