//! Spherical interpolation without sines: eight rotations at a time, and one in double precision
//! for the keys that are made when a clip is prepared.
//!
//! On the great circle from `a` to `b`, an angle t apart, the point at `u` has the direction of
//! `sin((1-u) t) a + sin(u t) b`. Both weights are divided by t, which the direction doesn't
//! notice: `w(u) = u P((u t)^2)` with `P(y) = sin(sqrt y) / sqrt y`. So only t squared is needed,
//! which in `z = 1 - cos t` is smooth: `t^2 = z Q(z)`. P and Q are minimax polynomials; with them the
//! result is within 2e-7 rad of the true one, rounding aside.

use super::lanes::Lanes;

/// Of `acos(1 - z)^2 / z` for z in 0..1.
const Q: [f64; 6] =
    [1.99999544, 0.333635942, 0.0856575666, 0.0409340798, -0.010205291, 0.0173788033];
/// Of `sin(sqrt y) / sqrt y` for y in 0..(pi/2)^2.
const P: [f64; 5] = [0.999999996, -0.16666658, 0.00833305106, -0.000198090753, 2.60522491e-6];

/// Between unit quaternions by the shorter way (where both are equally long, without a change of
/// sign), `u` in 0..1. The end `a` itself only within rounding.
#[inline(always)]
pub fn slerp<L: Lanes>(a: [L; 4], b: [L; 4], u: L) -> [L; 4] {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let v = one - u;
    // Summed as glam does, so that for keys half a turn apart both go the same way.
    let dot = (a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3]);
    let far = dot.below(zero);
    let z = one - L::select(far, zero - dot, dot);
    let squared = z * polynomial(&Q, z);
    let from = v * polynomial(&P, squared * (v * v));
    let to = u * polynomial(&P, squared * (u * u));
    let to = L::select(far, zero - to, to);
    let q = [
        from * a[0] + to * b[0],
        from * a[1] + to * b[1],
        from * a[2] + to * b[2],
        from * a[3] + to * b[3],
    ];
    let scale = one / ((q[0] * q[0] + q[2] * q[2]) + (q[1] * q[1] + q[3] * q[3])).sqrt();
    [q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale]
}

#[inline(always)]
fn polynomial<L: Lanes, const N: usize>(coefficients: &[f64; N], x: L) -> L {
    let mut sum = L::splat(coefficients[N - 1] as f32);
    for c in coefficients[..N - 1].iter().rev() {
        sum = sum * x + L::splat(*c as f32);
    }
    sum
}

/// The same of one pair in double precision; which way is decided in single precision, as above.
pub fn slerp_exactly(a: [f32; 4], b: [f32; 4], u: f64) -> [f32; 4] {
    let far = (a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3]) < 0.0;
    let (a, b) = (a.map(f64::from), b.map(f64::from));
    let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let z = 1.0 - dot.abs();
    let at = |c: &[f64], x: f64| c.iter().rev().fold(0.0, |sum, c| sum * x + c);
    let squared = z * at(&Q, z);
    let v = 1.0 - u;
    let from = v * at(&P, squared * v * v);
    let to = u * at(&P, squared * u * u) * if far { -1.0 } else { 1.0 };
    let q: [f64; 4] = std::array::from_fn(|i| from * a[i] + to * b[i]);
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| (x / length) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::lanes::{Eight, Work, run};
    use glam::DQuat;

    struct Slerps<'a>(DQuat, DQuat, f64, &'a mut [Eight; 4]);

    impl Work for Slerps<'_> {
        fn run<L: Lanes>(self) {
            let q = |q: DQuat| q.to_array().map(|x| L::splat(x as f32));
            let out = slerp(q(self.0), q(self.1), L::splat(self.2 as f32));
            out.into_iter().zip(self.3).for_each(|(x, row)| x.store(row));
        }
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
                    let mut rows = [Eight::default(); 4];
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
