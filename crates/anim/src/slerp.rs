//! Spherical interpolation without sines, roots or divisions: eight rotations at a time in single
//! precision, and one in double precision for preparing clips.
//!
//! On the great circle from `a` to `b`, an angle t apart, the point at `u` is
//! `(sin((1-u) t) a + sin(u t) b) / sin t`. With `P(y) = sin(sqrt y) / sqrt y` the weight of b is
//! `u P(u u t t) / P(t t)`; that of a is the same with `1 - u`. A [`SlerpArc`] holds what depends on
//! the keys and is stored in a clip's frames; [`SlerpWeights`] holds what depends on the time. The
//! angle is computed from `z = 1 - cos t`, in which its square is smooth: `t t = z Q(z)`. P and Q are
//! polynomials, so every machine gives the same bits.

use super::lanes::Lanes;

/// Coefficients of `acos(1 - z)^2 / z` for z in 0..1. The error of the angle is below 2e-11.
const Q: [f64; 12] = [
    1.9999999999680802,
    0.33333334251157515,
    0.08888845490456539,
    0.02857940914849379,
    0.010083515220786222,
    0.004262223928316409,
    9.412435017298476e-05,
    0.003807657984326826,
    -0.004361081988306717,
    0.0043534013060061065,
    -0.002226986428050915,
    0.0005870393072146682,
];
/// Coefficients of `sin(sqrt y) / sqrt y` for y in 0..(pi/2)^2, with an error below 1e-15.
const P: [f64; 8] = [
    0.9999999999999999,
    -0.16666666666666072,
    0.008333333333282756,
    -0.00019841269824861897,
    2.7557316609073673e-06,
    -2.505188194671259e-08,
    1.6048168318165643e-10,
    -7.374387503862757e-13,
];
/// Coefficients of the same function for single precision, with an error below 5e-9.
const P_SHORT: [f64; 5] = [0.999999996, -0.16666658, 0.00833305106, -0.000198090753, 2.60522491e-6];

/// The arc between two rotations along the shorter way. If both ways are equally long, neither
/// quaternion is negated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlerpArc<T> {
    /// The square of the angle between the quaternions.
    pub squared: T,
    /// `t / sin t`, negative if the second quaternion must be negated.
    pub scale: T,
}

impl SlerpArc<f64> {
    /// The arc from a rotation to itself.
    pub const EMPTY: Self = Self { squared: 0.0, scale: 1.0 };

    /// Returns the arc from `a` to `b`, which are unit quaternions to within single precision. The
    /// direction is decided in single precision with glam's order of summation, so that keys half
    /// a turn apart go the same way as with [`super::rotation::slerp`]. Two zeros have an empty arc.
    pub fn between(a: [f32; 4], b: [f32; 4]) -> Self {
        let far = (a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3]) < 0.0;
        let dot = |a: [f32; 4], b: [f32; 4]| -> f64 {
            a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(b)).sum()
        };
        let cosine = dot(a, b).abs() / (dot(a, a) * dot(b, b)).sqrt();
        // Rounding may make it negative, and of zeros it is NaN; both become 0.
        let z = (1.0 - cosine).max(0.0);
        let squared = z * exactly(&Q, z);
        let scale = 1.0 / exactly(&P, squared);
        Self { squared, scale: if far { -scale } else { scale } }
    }
}

/// The weights of the first and of the second rotation at one time, as polynomials in the square of
/// the angle.
#[derive(Clone, Copy)]
pub struct SlerpWeights<L> {
    from: [L; 5],
    to: [L; 5],
}

impl<L: Lanes> SlerpWeights<L> {
    /// Returns the weights at `u` in 0..1.
    #[inline(always)]
    pub fn new(u: L) -> Self {
        let v = L::splat(1.0) - u;
        Self { from: Self::weight(v), to: Self::weight(u) }
    }

    /// Returns the coefficients of `u P(u u y)` as a polynomial in y.
    #[inline(always)]
    fn weight(u: L) -> [L; 5] {
        let mut power = u;
        let mut out = [power; 5];
        for (out, c) in out.iter_mut().zip(P_SHORT) {
            *out = power * L::splat(c as f32);
            power = power * (u * u);
        }
        out
    }
}

/// Interpolates between unit quaternions along their arc. At `u = 0` the result is `a` only to within
/// rounding.
#[inline(always)]
pub fn slerp<L: Lanes>(
    a: [L; 4],
    b: [L; 4],
    arc: SlerpArc<L>,
    weights: &SlerpWeights<L>,
) -> [L; 4] {
    let from = arc.scale.abs() * polynomial(&weights.from, arc.squared);
    let to = arc.scale * polynomial(&weights.to, arc.squared);
    [
        from * a[0] + to * b[0],
        from * a[1] + to * b[1],
        from * a[2] + to * b[2],
        from * a[3] + to * b[3],
    ]
}

#[inline(always)]
fn polynomial<L: Lanes, const N: usize>(coefficients: &[L; N], x: L) -> L {
    let mut sum = coefficients[N - 1];
    for c in coefficients[..N - 1].iter().rev() {
        sum = sum * x + *c;
    }
    sum
}

/// Interpolates between two unit quaternions in double precision.
pub fn slerp_exactly(a: [f32; 4], b: [f32; 4], u: f64) -> [f32; 4] {
    let arc = SlerpArc::between(a, b);
    let weight = |u: f64| u * exactly(&P, arc.squared * u * u);
    let (from, to) = (weight(1.0 - u), weight(u) * arc.scale.signum());
    let q: [f64; 4] = std::array::from_fn(|i| from * f64::from(a[i]) + to * f64::from(b[i]));
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| (x / length) as f32)
}

fn exactly(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::run;
    use crate::lanes::{F32x8, Work};
    use glam::DQuat;

    struct Slerps<'a>(DQuat, DQuat, f64, &'a mut [F32x8; 4]);

    impl Work for Slerps<'_> {
        fn run<L: Lanes>(self) {
            let q = |q: DQuat| q.to_array().map(|x| L::splat(x as f32));
            let (a, b, weights) =
                (q(self.0), q(self.1), SlerpWeights::new(L::splat(self.2 as f32)));
            let parts = |q: DQuat| q.to_array().map(|x| x as f32);
            let arc = SlerpArc::between(parts(self.0), parts(self.1));
            let [squared, scale] = [arc.squared, arc.scale].map(|x| L::splat(x as f32));
            let out = slerp(a, b, SlerpArc { squared, scale }, &weights);
            out.into_iter().zip(self.3).for_each(|(x, row)| x.store(row));
        }
    }

    #[test]
    fn the_polynomials_keep_to_their_errors() {
        for i in 1..=1000 {
            let x = f64::from(i) / 1000.0;
            let squared = x * exactly(&Q, x);
            let angle = (1.0 - x).acos();
            assert!((squared.sqrt() - angle).abs() < 2e-11, "Q at {x}");
            let y = x * std::f64::consts::FRAC_PI_2.powi(2);
            let want = y.sqrt().sin() / y.sqrt();
            assert!((exactly(&P, y) - want).abs() < 1e-15, "P at {y}");
            assert!((exactly(&P_SHORT, y) - want).abs() < 5e-9, "P_SHORT at {y}");
        }
    }

    #[test]
    fn an_arc_is_the_angle_whatever_the_rounding_of_the_lengths() {
        let axis = glam::DVec3::new(1.0, 2.0, -0.5).normalize();
        let parts = |q: DQuat| q.to_array().map(|x| x as f32);
        for (degrees, stretch) in [(0.01, 1.0 + 1e-7), (0.5, 1.0 - 1e-7), (90.0, 1.0 + 1e-7)] {
            let a = DQuat::from_xyzw(0.1, -0.5, 0.7, 0.4).normalize();
            let b = a * DQuat::from_axis_angle(axis, f64::to_radians(degrees));
            let (a, b) = (parts(a * stretch), parts(b * stretch));
            let exact = |q: [f32; 4]| DQuat::from_array(q.map(f64::from)).normalize();
            let half_chord = 0.5 * (exact(a) - exact(b)).length();
            let want = (2.0 * half_chord.asin()).powi(2);
            for (b, sign) in [(b, 1.0), (b.map(|x| -x), -1.0)] {
                let SlerpArc { squared, scale } = SlerpArc::between(a, b);
                assert!((squared / want - 1.0).abs() < 1e-6, "{degrees}: {squared} not {want}");
                let ratio = sign * want.sqrt() / want.sqrt().sin();
                assert!((scale / ratio - 1.0).abs() < 1e-9, "{degrees}: {scale} not {ratio}");
            }
        }
        let half_a_turn = SlerpArc::between([0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]);
        assert!(half_a_turn.scale > 0.0, "neither is negated");
        assert_eq!(SlerpArc::between([0.0; 4], [0.0; 4]).squared, 0.0);
    }

    #[test]
    fn within_a_millionth_of_the_truth_at_every_angle() {
        let a = DQuat::from_xyzw(0.1, -0.5, 0.7, 0.4).normalize();
        let axis = glam::DVec3::new(1.0, 2.0, -0.5).normalize();
        for degrees in [0.0, 1e-5, 0.5, 3.0, 10.0, 45.0, 90.0, 150.0, 179.99] {
            for step in 0..=16 {
                let (angle, u) = (f64::to_radians(degrees), f64::from(step) / 16.0);
                let b = a * DQuat::from_axis_angle(axis, angle);
                let want = a * DQuat::from_axis_angle(axis, angle * u);
                for b in [b, -b] {
                    let mut rows = [F32x8::default(); 4];
                    run(Slerps(a, b, u, &mut rows));
                    let parts = |q: DQuat| q.to_array().map(|x| x as f32);
                    let lanes = rows.map(|row| row.0[5]);
                    for got in [lanes, slerp_exactly(parts(a), parts(b), u)] {
                        let off = (DQuat::from_array(got.map(f64::from)) - want).length();
                        assert!(off < 5e-7, "{degrees} degrees at {u}: {off:e} away");
                    }
                }
            }
        }
    }
}
