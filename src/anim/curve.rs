//! Cubic pieces between two keys, as Hermite and as Bezier, and each as the other.
//!
//! Both are evaluated by their basis functions (Bernstein's and Hermite's polynomials), which for
//! f32 values agree with de Casteljau's six interpolations to 1e-6 of the largest of them. Of rotations these are the
//! plain polynomials of four numbers: whoever wants a rotation normalises.

use super::Value;

/// A piece as glTF has it: two values and a slope at either, in values per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hermite<T> {
    /// The value of the first key.
    pub start: T,
    /// The slope on leaving it.
    pub out_tangent: T,
    /// The value of the second key.
    pub end: T,
    /// The slope on arriving there.
    pub in_tangent: T,
}

/// A piece by four control values, of which the inner two are not met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bezier<T> {
    /// The value of the first key.
    pub start: T,
    /// A third of the interval behind the first key.
    pub out_handle: T,
    /// A third of the interval before the second key.
    pub in_handle: T,
    /// The value of the second key.
    pub end: T,
}

impl<T: Value> Hermite<T> {
    /// The value at `u` in 0..1 of an interval of `span_secs` (glTF 2.0, C.5).
    pub fn at(&self, u: f64, span_secs: f64) -> T {
        let values = [self.start, self.out_tangent, self.end, self.in_tangent];
        T::weighted(hermite_basis(u, span_secs), values)
    }

    /// The same curve by control values: `C1 = P1 + m dt / 3`, `C2 = P2 - n dt / 3`.
    pub fn to_bezier(&self, span_secs: f64) -> Bezier<T> {
        let third = span_secs / 3.0;
        let Self { start, out_tangent, end, in_tangent } = *self;
        Bezier {
            start,
            out_handle: T::weighted([1.0, third, 0.0, 0.0], [start, out_tangent, end, in_tangent]),
            in_handle: T::weighted([0.0, 0.0, 1.0, -third], [start, out_tangent, end, in_tangent]),
            end,
        }
    }
}

impl<T: Value> Bezier<T> {
    /// The value at `u` in 0..1.
    pub fn at(&self, u: f64) -> T {
        T::weighted(bernstein_basis(u), [self.start, self.out_handle, self.in_handle, self.end])
    }

    /// The same curve by tangents in values per second: `m = 3 (C1 - P1) / dt`, `n = 3 (P2 - C2) / dt`.
    pub fn to_hermite(&self, span_secs: f64) -> Hermite<T> {
        let slope = 3.0 / span_secs;
        let Self { start, out_handle, in_handle, end } = *self;
        let values = [start, out_handle, in_handle, end];
        Hermite {
            start,
            out_tangent: T::weighted([-slope, slope, 0.0, 0.0], values),
            end,
            in_tangent: T::weighted([0.0, 0.0, -slope, slope], values),
        }
    }
}

/// The weights of value, out-tangent, next value and its in-tangent at `u` in 0..1 of an interval
/// of `span_secs`. The tangents' weights contain the span, since tangents are values per second.
pub fn hermite_basis(u: f64, span_secs: f64) -> [f64; 4] {
    let (u2, u3) = (u * u, u * u * u);
    [
        2.0 * u3 - 3.0 * u2 + 1.0,
        span_secs * (u3 - 2.0 * u2 + u),
        -2.0 * u3 + 3.0 * u2,
        span_secs * (u3 - u2),
    ]
}

/// The weights of the four control values at `u` in 0..1.
pub fn bernstein_basis(u: f64) -> [f64; 4] {
    let v = 1.0 - u;
    [v * v * v, 3.0 * v * v * u, 3.0 * v * u * u, u * u * u]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3, Vec4};
    use proptest::prelude::*;

    /// De Casteljau's construction: three interpolations, two of their results, one of those.
    fn six_lerps(b: &Bezier<Vec3>, u: f64) -> Vec3 {
        let lerp = |a: Vec3, b: Vec3| a.lerp(b, u as f32);
        let (d, e, f) = (
            lerp(b.start, b.out_handle),
            lerp(b.out_handle, b.in_handle),
            lerp(b.in_handle, b.end),
        );
        let (g, h) = (lerp(d, e), lerp(e, f));
        lerp(g, h)
    }

    fn vector() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0f32..1.0).prop_map(Vec3::from)
    }

    fn bezier() -> impl Strategy<Value = Bezier<Vec3>> {
        [vector(), vector(), vector(), vector()].prop_map(|[start, out_handle, in_handle, end]| {
            Bezier { start, out_handle, in_handle, end }
        })
    }

    proptest! {
        #[test]
        fn the_bases_give_what_six_interpolations_give(b in bezier(), u in 0.0f64..=1.0, span in 0.01f64..30.0) {
            let want = six_lerps(&b, u);
            prop_assert!((b.at(u) - want).abs().max_element() < 1e-6);
            let slope = (b.to_hermite(span).at(u, span) - want).abs().max_element();
            prop_assert!(slope < 1e-6, "{slope:e}");
        }

        #[test]
        fn bezier_to_hermite_to_bezier_is_the_identity(b in bezier(), span in 0.001f64..100.0) {
            let back = b.to_hermite(span).to_bezier(span);
            for (a, b) in [(back.start, b.start), (back.end, b.end)] {
                prop_assert_eq!(a, b);
            }
            for (a, b) in [(back.out_handle, b.out_handle), (back.in_handle, b.in_handle)] {
                prop_assert!((a - b).abs().max_element() < 1e-6);
            }
        }

        #[test]
        fn hermites_factored_form_is_its_expanded_one(u in 0.0f64..=1.0, span in 0.01f64..30.0) {
            let v = 1.0 - u;
            let factored = [
                (1.0 + 2.0 * u) * v * v,
                span * u * v * v,
                u * u * (3.0 - 2.0 * u),
                -span * u * u * v,
            ];
            for (a, b) in hermite_basis(u, span).into_iter().zip(factored) {
                prop_assert!((a - b).abs() < 1e-13 * span.max(1.0));
            }
        }
    }

    #[test]
    fn a_gltf_tangent_is_three_times_the_handle_over_the_interval() {
        let b = Bezier { start: 1.0f32, out_handle: 3.0, in_handle: 4.0, end: 10.0 };
        let h = b.to_hermite(0.5);
        assert_eq!((h.out_tangent, h.in_tangent), (12.0, 36.0));
        // The slope of the curve itself, in values per second.
        let slope = (h.at(1e-4, 0.5) - h.start) / (1e-4 * 0.5);
        assert!((slope - 12.0).abs() < 0.02, "{slope}");
    }

    #[test]
    fn a_rotation_is_four_plain_numbers_here() {
        let (a, m) = (Quat::from_xyzw(0.0, 0.0, 0.6, 0.8), Quat::from_xyzw(5.0, 0.0, 0.0, -7.0));
        let h = Hermite { start: a, out_tangent: m, end: -a, in_tangent: m };
        // u = 1/2: half of each key, an eighth of the span of each tangent, which cancel.
        assert!(Vec4::from(h.at(0.5, 2.0)).length() < 1e-6);
    }
}
