//! Cubic segments between two keys in Hermite and Bezier form, and the conversions between them.
//!
//! Both are evaluated by their basis functions (Hermite's and Bernstein's polynomials). For f32
//! values these agree with de Casteljau's algorithm to 1e-6 of the largest value. Rotations are
//! interpolated as four plain numbers; the caller normalises.

use glam::Quat;

use super::Value;
use super::rotation::normalized;

/// A segment in glTF's form: two values, each with a tangent in values per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hermite<T> {
    /// The value of the first key.
    pub start: T,
    /// The tangent at the first key.
    pub out_tangent: T,
    /// The value of the second key.
    pub end: T,
    /// The tangent at the second key.
    pub in_tangent: T,
}

/// A segment by four control values. The curve passes through the first and the last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bezier<T> {
    /// The value of the first key.
    pub start: T,
    /// The control value a third of the interval after the first key.
    pub out_handle: T,
    /// The control value a third of the interval before the second key.
    pub in_handle: T,
    /// The value of the second key.
    pub end: T,
}

impl<T: Value> Hermite<T> {
    /// Returns the value at `u` in 0..1 of an interval of `span_secs` (glTF 2.0, C.5).
    pub fn at(&self, u: f64, span_secs: f64) -> T {
        let values = [self.start, self.out_tangent, self.end, self.in_tangent];
        T::weighted(hermite_basis(u, span_secs), values)
    }

    /// Returns the slope in values per second at `u` in 0..1 of an interval of `span_secs`.
    pub fn slope_at(&self, u: f64, span_secs: f64) -> T {
        let values = [self.start, self.out_tangent, self.end, self.in_tangent];
        T::weighted(hermite_slope_basis(u, span_secs), values)
    }

    /// Converts to control values: `C1 = P1 + m dt / 3`, `C2 = P2 - n dt / 3`.
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

impl Hermite<Quat> {
    /// Returns the normalised value at `u` in 0..1 along the shorter way: if the second key lies on
    /// the other hemisphere, it is negated together with its tangent. The curve then represents the
    /// same key rotations and does not fold.
    ///
    /// glTF does not allow this: its curves are the polynomial of the keys' own signs
    /// ([`crate::Track::sample_into`]). It is for tangents from other sources.
    pub fn at_nearest(&self, u: f64, span_secs: f64) -> Quat {
        let is_far = self.start.dot(self.end) < 0.0;
        let (end, in_tangent) =
            if is_far { (-self.end, -self.in_tangent) } else { (self.end, self.in_tangent) };
        normalized(Hermite { end, in_tangent, ..*self }.at(u, span_secs))
    }
}

impl<T: Value> Bezier<T> {
    /// Returns the value at `u` in 0..1.
    pub fn at(&self, u: f64) -> T {
        T::weighted(bernstein_basis(u), [self.start, self.out_handle, self.in_handle, self.end])
    }

    /// Converts to tangents in values per second: `m = 3 (C1 - P1) / dt`, `n = 3 (P2 - C2) / dt`.
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

/// Returns the weights of the first value, its out-tangent, the second value and its in-tangent at
/// `u` in 0..1 of an interval of `span_secs`. The tangents' weights include the span, because
/// tangents are values per second.
pub fn hermite_basis(u: f64, span_secs: f64) -> [f64; 4] {
    let (u2, u3) = (u * u, u * u * u);
    [
        2.0 * u3 - 3.0 * u2 + 1.0,
        span_secs * (u3 - 2.0 * u2 + u),
        -2.0 * u3 + 3.0 * u2,
        span_secs * (u3 - u2),
    ]
}

/// Returns the weights for the slope per second, in the order of [`hermite_basis`]: its derivative by time.
pub fn hermite_slope_basis(u: f64, span_secs: f64) -> [f64; 4] {
    let u2 = u * u;
    [
        (6.0 * u2 - 6.0 * u) / span_secs,
        3.0 * u2 - 4.0 * u + 1.0,
        (6.0 * u - 6.0 * u2) / span_secs,
        3.0 * u2 - 2.0 * u,
    ]
}

/// Returns the weights of the four control values at `u` in 0..1.
pub fn bernstein_basis(u: f64) -> [f64; 4] {
    let v = 1.0 - u;
    [v * v * v, 3.0 * v * v * u, 3.0 * v * u * u, u * u * u]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation::angle_between;
    use glam::{Vec3, Vec4};
    use proptest::prelude::*;

    /// De Casteljau's algorithm.
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
        let slope = (h.at(1e-4, 0.5) - h.start) / (1e-4 * 0.5);
        assert!((slope - 12.0).abs() < 0.02, "{slope}");
    }

    #[test]
    fn a_rotation_is_four_plain_numbers_here() {
        let (a, m) = (Quat::from_xyzw(0.0, 0.0, 0.6, 0.8), Quat::from_xyzw(5.0, 0.0, 0.0, -7.0));
        let h = Hermite { start: a, out_tangent: m, end: -a, in_tangent: m };
        // At u = 1/2 each key counts half and each tangent an eighth of the span; all of them cancel.
        assert!(Vec4::from(h.at(0.5, 2.0)).length() < 1e-6);
    }

    #[test]
    fn keys_equally_near_to_both_signs_keep_theirs() {
        let (a, b) = (Quat::IDENTITY, Quat::from_xyzw(1.0, 0.0, 0.0, 0.0));
        let m = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        for b in [b, -b] {
            let piece = Hermite { start: a, out_tangent: m, end: b, in_tangent: m };
            assert_eq!(piece.at_nearest(0.5, 1.0), normalized(piece.at(0.5, 1.0)));
        }
    }

    #[test]
    fn a_cubic_piece_across_hemispheres_takes_its_tangent_along() {
        // `turned` has the same key rotations, the second with the opposite sign.
        let (a, b) = (Quat::from_rotation_x(0.2), Quat::from_rotation_y(1.1));
        let (m, n) = (Quat::from_xyzw(0.3, 0.1, -0.2, 0.5), Quat::from_xyzw(-0.1, 0.4, 0.2, -0.3));
        let piece = Hermite { start: a, out_tangent: m, end: b, in_tangent: n };
        let turned = Hermite { end: -b, in_tangent: -n, ..piece };
        let only_the_key = Hermite { end: -b, ..piece };
        for step in 0..=10 {
            let u = f64::from(step) / 10.0;
            let want = normalized(piece.at(u, 2.0));
            assert_eq!(piece.at_nearest(u, 2.0), want);
            assert_eq!(turned.at_nearest(u, 2.0), want);
        }
        let left_behind = only_the_key.at_nearest(0.5, 2.0);
        let off = angle_between(left_behind, normalized(piece.at(0.5, 2.0))).to_degrees();
        assert!(off > 10.0, "a tangent left behind shows: {off} degrees");
    }
}
