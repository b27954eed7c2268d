//! Numbers of materials, clamped to the range that glTF gives them.

use super::fault::{ImportError, Warnings};
use rigview_document::At;
use rigview_model::WarningCode;

/// Reads `N` factors from 0 to 1; others are clamped.
pub(super) fn fractions<const N: usize>(
    at: &At,
    key: &str,
    warnings: &mut Warnings,
) -> Result<Option<[f32; N]>, ImportError> {
    let Some(factors) = at.numbers::<N>(key)? else { return Ok(None) };
    if let Some(odd) = factors.iter().find(|f| !(0.0..=1.0).contains(*f)) {
        let message = format!("{key} has {odd}, it must be from 0 to 1: clamped");
        warnings.add_at(at, WarningCode::FactorRange, message);
    }
    Ok(Some(factors.map(|f| f.clamp(0.0, 1.0))))
}

/// Reads a factor from 0 to 1; others are clamped.
pub(super) fn fraction(
    at: &At,
    key: &str,
    warnings: &mut Warnings,
) -> Result<Option<f32>, ImportError> {
    let Some(factor) = at.number_at(key)? else { return Ok(None) };
    if !(0.0..=1.0).contains(&factor) {
        let message = format!("{key} is {factor}, it must be from 0 to 1: clamped");
        warnings.add_at(at, WarningCode::FactorRange, message);
    }
    Ok(Some(factor.clamp(0.0, 1.0)))
}

/// Reads an index of refraction: at least 1, or 0, which disables refraction.
pub(super) fn ior(
    at: &At,
    key: &str,
    instead: f32,
    warnings: &mut Warnings,
) -> Result<f32, ImportError> {
    let ior = at.number_at(key)?.unwrap_or(instead);
    if ior == 0.0 || ior >= 1.0 {
        return Ok(ior);
    }
    warnings.add_at(
        at,
        WarningCode::FactorRange,
        format!("{key} is {ior}, it must be 1 or more: clamped"),
    );
    Ok(1.0)
}

/// Reads a number that must not be negative; others are clamped to 0.
pub(super) fn not_negative(
    at: &At,
    key: &str,
    instead: f32,
    warnings: &mut Warnings,
) -> Result<f32, ImportError> {
    let number = at.number_at(key)?.unwrap_or(instead);
    if number < 0.0 {
        let message = format!("{key} is {number}, it must not be below 0: clamped");
        warnings.add_at(at, WarningCode::FactorRange, message);
    }
    Ok(number.max(0.0))
}
