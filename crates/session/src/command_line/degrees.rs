//! Angles in degrees, with as few decimals as say the same.

/// Returns an angle in degrees that gives the same radians, or the nearest one if none does.
pub(super) fn degrees(radians: f64) -> f64 {
    shortest(radians.to_degrees(), |degrees| degrees.to_radians() == radians)
}

/// The same for radians in single precision.
pub(super) fn degrees_of_single(radians: f32) -> f64 {
    shortest(f64::from(radians).to_degrees(), |degrees| degrees.to_radians() as f32 == radians)
}

/// Returns a number with as few decimals as are the same, or the number itself if none are.
fn shortest(number: f64, is_same: impl Fn(f64) -> bool) -> f64 {
    let round = |decimals: usize| format!("{number:.decimals$}").parse().unwrap_or(number);
    (0..16).map(round).find(|rounded| is_same(*rounded)).unwrap_or(number)
}
