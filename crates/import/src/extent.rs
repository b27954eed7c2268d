//! Checks the `min` and `max` of accessors against their data. The data decides; a difference is a
//! warning.

use super::accessor::Accessors;
use super::attribute::Attribute;
use super::fault::{ImportError, Warnings};
use rigview_document::{At, Component};
use rigview_model::{Vertex, WarningCode};

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
    check(&accessors.place_of(&attribute.accessor)?, &min, &max, warnings);
    Ok(())
}

/// Warns if an accessor states other bounds than these, or none.
pub(super) fn check(accessor: &At, min: &[f32], max: &[f32], warnings: &mut Warnings) {
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
