//! Lights: KHR_lights_punctual.

use super::fault::{ImportError, Warnings};
use rigview_document::{At, Document};
use rigview_model::{Light, LightKind, WarningCode, quoted};

/// Reads all lights.
pub(super) fn read(
    document: &Document,
    warnings: &mut Warnings,
) -> Result<Vec<Light>, ImportError> {
    let Some(extension) = document.root().extension("KHR_lights_punctual")? else {
        return Ok(Vec::new());
    };
    extension.list("lights")?.iter().map(|at| light(at, warnings)).collect()
}

fn light(at: &At, warnings: &mut Warnings) -> Result<Light, ImportError> {
    let place = at.required("type")?;
    let kind = match place.text()? {
        "directional" => LightKind::Directional,
        "point" => LightKind::Point,
        "spot" => cone(at, warnings)?,
        other => {
            return Err(place.error(format!("light type {} is unknown", quoted(other))).into());
        }
    };
    let mut intensity = at.number_at("intensity")?.unwrap_or(1.0);
    let mut color = at.numbers::<3>("color")?.unwrap_or([1.0; 3]);
    if intensity < 0.0 || color.iter().any(|c| *c < 0.0) {
        warnings.add_at(at, WarningCode::LightOdd, "negative intensity or colour: clamped to 0");
        intensity = intensity.max(0.0);
        color = color.map(|c| c.max(0.0));
    }
    if color.iter().any(|c| *c > 1.0) {
        warnings.add_at(at, WarningCode::LightOdd, "color is above 1: used as it is");
    }
    let range = at.number_at("range")?;
    if range.is_some_and(|range| range <= 0.0) {
        warnings.add_at(at, WarningCode::LightOdd, "range is not above 0: ignored");
    }
    let range = range.filter(|range| *range > 0.0);
    Ok(Light { name: at.name()?, kind, color, intensity, range })
}

/// Reads a spot light's cone. Invalid angles are clamped or replaced.
fn cone(at: &At, warnings: &mut Warnings) -> Result<LightKind, ImportError> {
    const WIDEST: f32 = std::f32::consts::FRAC_PI_2;
    let default = std::f32::consts::FRAC_PI_4;
    let Some(spot) = at.get("spot") else {
        warnings.add_at(
            at,
            WarningCode::LightOdd,
            "a spot light without spot: the default cone is used",
        );
        return Ok(LightKind::Spot { inner: 0.0, outer: default });
    };
    let inner = spot.number_at("innerConeAngle")?.unwrap_or(0.0);
    let outer = spot.number_at("outerConeAngle")?.unwrap_or(default);
    if !(0.0 <= inner && inner < outer) {
        let message = format!("innerConeAngle {inner} is not below outerConeAngle {outer}");
        warnings.add_at(&spot, WarningCode::LightOdd, message);
    }
    if outer <= 0.0 || outer > WIDEST {
        let message = format!("outerConeAngle is {outer}, it must be above 0 and at most pi / 2");
        warnings.add_at(&spot, WarningCode::LightOdd, message);
    }
    let outer = if outer > 0.0 { outer.min(WIDEST) } else { default };
    Ok(LightKind::Spot { inner: inner.clamp(0.0, outer), outer })
}
