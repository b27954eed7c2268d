//! The tolerance for numbers of materials, cameras, lights and constraints.

/// Differences of a number up to this are rounding: quantization, and decimal digits in JSON. For numbers above
/// the unit it is relative.
const ROUNDING: f32 = 1e-5;

/// Whether two numbers differ by no more than rounding, which is a share of those above `unit`.
pub(crate) fn are_like(a: f32, b: f32, unit: f32) -> bool {
    let most = a.abs().max(b.abs());
    a == b || most.is_finite() && (a - b).abs() <= ROUNDING * most.max(unit)
}
