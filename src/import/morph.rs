//! Morph targets: what each adds to positions and normals.

use gltf::accessor::Dimensions;

use super::accessor::Accessors;
use super::attribute::{self, Attribute, DIRECTION_TYPES, POSITION_TYPES};
use super::document::At;
use super::escape::quoted;
use super::fault::{ImportError, Warnings};
use crate::model::MorphTarget;

/// The targets of a primitive with `vertices` vertices.
pub(super) fn read(
    primitive: &At,
    vertices: usize,
    has_normals: bool,
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<Vec<MorphTarget>, ImportError> {
    let mut targets = Vec::new();
    for at in primitive.list("targets")? {
        let mut target = MorphTarget::default();
        for attribute in attribute::list(&at, accessors)? {
            let count = attribute.accessor.count;
            if count != vertices {
                let name = quoted(attribute.name);
                let message = format!("{name} has {count} entries for {vertices} vertices");
                return Err(attribute.at.error(message));
            }
            match attribute.name {
                "POSITION" => {
                    attribute.require(&[Dimensions::Vec3], POSITION_TYPES)?;
                    target.positions = deltas(&attribute, accessors, warnings)?;
                }
                "NORMAL" => {
                    attribute.require(&[Dimensions::Vec3], DIRECTION_TYPES)?;
                    if has_normals {
                        target.normals = deltas(&attribute, accessors, warnings)?;
                    } else {
                        let message = "NORMAL is left out: the primitive has none to change";
                        attribute.at.warn(warnings, "TARGET_WITHOUT_BASE", message);
                    }
                }
                "TANGENT" => attribute.require(&[Dimensions::Vec3], DIRECTION_TYPES)?,
                name if matches!(attribute::semantic(name), ("TEXCOORD" | "COLOR", Some(_))) => {
                    let message = format!("{} is left out: it does not change", quoted(name));
                    attribute.at.warn(warnings, "TARGET_UNREAD", message);
                }
                name if name.starts_with('_') => {}
                name => {
                    let message = format!("attribute {} is unknown: left out", quoted(name));
                    attribute.at.warn(warnings, "ATTRIBUTE_UNKNOWN", message);
                }
            }
        }
        targets.push(target);
    }
    Ok(targets)
}

/// One delta a vertex; 0 where the file has no number.
fn deltas(
    attribute: &Attribute,
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<Vec<[f32; 3]>, ImportError> {
    let count = attribute.accessor.count;
    accessors.charge(&attribute.at, count, size_of::<[f32; 3]>())?;
    let mut deltas = vec![[0.0; 3]; count];
    accessors.floats(&attribute.accessor, |i, delta| deltas[i] = delta);
    let mut odd = 0;
    for delta in &mut deltas {
        if !delta.iter().all(|x| x.is_finite()) {
            *delta = [0.0; 3];
            odd += 1;
        }
    }
    attribute.warn_not_finite(odd, "read as 0", warnings);
    Ok(deltas)
}
