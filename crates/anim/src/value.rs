//! The types of key values: weights, translations and scales, rotations.
//!
//! Values are stored in single precision and combined in double precision, so finite keys never
//! overflow in between. The result is rounded once and clamped to the range of single precision.

use glam::{DVec3, DVec4, Quat, Vec3};

use super::rotation::{normalized, slerp};

/// A type of key values.
pub trait Value: Copy {
    /// Returns the value as a pose stores it: rotations are normalised.
    fn prepare(self) -> Self;
    /// Interpolates between two prepared values at `u` in 0..1: linearly, rotations spherically.
    fn lerp(a: Self, b: Self, u: f64) -> Self;
    /// Returns the weighted sum of four values. Rotations are summed as four plain numbers and not
    /// normalised.
    fn weighted(weights: [f64; 4], values: [Self; 4]) -> Self;
}

impl Value for f32 {
    fn prepare(self) -> Self {
        self
    }
    fn lerp(a: Self, b: Self, u: f64) -> Self {
        narrowed((1.0 - u) * f64::from(a) + u * f64::from(b))
    }
    fn weighted(weights: [f64; 4], values: [Self; 4]) -> Self {
        let [a, b, c, d] = values.map(f64::from);
        narrowed(weights[0] * a + weights[1] * b + weights[2] * c + weights[3] * d)
    }
}

impl Value for Vec3 {
    fn prepare(self) -> Self {
        self
    }
    fn lerp(a: Self, b: Self, u: f64) -> Self {
        let sum = (1.0 - u) * a.as_dvec3() + u * b.as_dvec3();
        Self::from_array(sum.to_array().map(narrowed))
    }
    fn weighted(weights: [f64; 4], values: [Self; 4]) -> Self {
        let [a, b, c, d] = values.map(|v| v.as_dvec3());
        let sum: DVec3 = weights[0] * a + weights[1] * b + weights[2] * c + weights[3] * d;
        Self::from_array(sum.to_array().map(narrowed))
    }
}

impl Value for Quat {
    fn prepare(self) -> Self {
        normalized(self)
    }
    fn lerp(a: Self, b: Self, u: f64) -> Self {
        slerp(a, b, u)
    }
    fn weighted(weights: [f64; 4], values: [Self; 4]) -> Self {
        let [a, b, c, d] = values.map(|q| DVec4::from_array(q.to_array().map(f64::from)));
        let sum: DVec4 = weights[0] * a + weights[1] * b + weights[2] * c + weights[3] * d;
        Self::from_array(sum.to_array().map(narrowed))
    }
}

/// Rounds to single precision, clamped to its range.
fn narrowed(x: f64) -> f32 {
    (x as f32).clamp(f32::MIN, f32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Any finite number, with the largest and smallest drawn often.
    fn any() -> impl Strategy<Value = f32> {
        let edges = [f32::MAX, f32::MIN, f32::MIN_POSITIVE, 1e-45, 0.0, -0.0, 1.0];
        prop_oneof![prop::num::f32::NORMAL, prop::sample::select(edges.to_vec())]
    }

    proptest! {
        #[test]
        fn between_finite_values_everything_is_finite(a in any(), b in any(), u in 0.0f64..=1.0) {
            let between = <f32 as Value>::lerp(a, b, u);
            prop_assert!(between >= a.min(b) && between <= a.max(b), "{}", between);
            let q = |x: f32| Quat::from_xyzw(x, 0.5 * x, -x, x).prepare();
            let turned = <Quat as Value>::lerp(q(a), q(b), u);
            prop_assert!((turned.length() - 1.0).abs() < 1e-6);
        }

        #[test]
        fn weighted_sums_saturate(values in prop::array::uniform4(any()), h in -1e38f64..1e38) {
            let sum = <f32 as Value>::weighted([1.0, h, -h, h], values);
            prop_assert!(sum.is_finite());
            let q = Quat::weighted([1.0, h, -h, h], values.map(|x| Quat::from_xyzw(x, x, x, x)));
            prop_assert!(q.is_finite() && (q.prepare().length() - 1.0).abs() < 1e-6);
        }
    }
}
