//! Interpolation between rotations: the textbook formulas in double precision.
//!
//! Rotations are unit quaternions `(x, y, z, w)`; q and -q are the same rotation. The reference
//! evaluator, curves and tests use these functions; `slerp` has the form that samples eight rotations
//! at a time. Other operations (axis and angle, matrices, products) are glam's; the tests below
//! compare them with double precision.

use glam::{DQuat, DVec4, Quat};

/// Above this dot product of two unit quaternions [`slerp`] interpolates along the chord: dividing
/// by the small sine would lose more than the 3e-7 rad by which chord and arc differ.
pub const CHORD_ABOVE: f64 = 0.9995;

/// Returns the quaternion at length 1, or the identity if it is zero or not finite.
#[inline]
pub fn normalized(q: Quat) -> Quat {
    unit(wide(q))
}

/// Returns a rotation in double precision, of length 1 to that precision; the identity for one without a direction.
#[inline]
pub fn normalized_f64(q: Quat) -> DQuat {
    let rotation = q.as_dquat();
    let length = rotation.length();
    if length > 0.0 && length.is_finite() { rotation * length.recip() } else { DQuat::IDENTITY }
}

/// Interpolates between unit quaternions on the sphere at constant speed along the shorter way, `u`
/// in 0..1 (glTF 2.0, C.4). If the rotations are half a turn apart, both ways are equally long and
/// neither quaternion is negated.
pub fn slerp(a: Quat, b: Quat, u: f64) -> Quat {
    let (a, b) = (wide(a), wide(nearer(a, b)));
    let dot = a.dot(b);
    if dot > CHORD_ABOVE {
        return unit((1.0 - u) * a + u * b);
    }
    let angle = dot.clamp(-1.0, 1.0).acos();
    unit(((1.0 - u) * angle).sin() * a + (u * angle).sin() * b)
}

/// Interpolates along the chord by the shorter way and normalises: the same path as [`slerp`], but
/// faster in its middle. Between keys 90 degrees apart the two differ by up to 0.9 degrees,
/// between keys 179 degrees apart by up to 8.
pub fn nlerp(a: Quat, b: Quat, u: f64) -> Quat {
    unit((1.0 - u) * wide(a) + u * wide(nearer(a, b)))
}

/// Returns `b` or `-b`, whichever is on the hemisphere of `a`.
#[inline]
pub fn nearer(a: Quat, b: Quat) -> Quat {
    if a.dot(b) < 0.0 { -b } else { b }
}

/// Returns the angle between two rotations, 0 to pi. It is computed from the chord, because the
/// arc cosine of a dot product has no precision at small angles.
#[inline]
pub fn angle_between(a: Quat, b: Quat) -> f64 {
    let (a, b) = (wide(a).normalize_or(DVec4::W), wide(nearer(a, b)).normalize_or(DVec4::W));
    4.0 * (0.5 * a.distance(b)).min(1.0).asin()
}

#[inline]
fn wide(q: Quat) -> DVec4 {
    DVec4::from_array(q.to_array().map(f64::from))
}

#[inline]
fn unit(q: DVec4) -> Quat {
    let length = q.length();
    if length > 0.0 && length.is_finite() {
        Quat::from_vec4((q / length).as_vec4())
    } else {
        Quat::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DMat3, DVec3, Mat3, Vec3, Vec4};

    const ANGLES: [f64; 9] = [0.0, 1e-5, 0.5, 3.6, 10.0, 90.0, 150.0, 179.0, 179.99];

    fn near(got: Quat, want: DQuat, what: &str) {
        let off = wide(got).distance(DVec4::from(want)).min(wide(-got).distance(want.into()));
        assert!(off < 1e-6, "{what}: {off:e}");
    }

    fn axis() -> DVec3 {
        DVec3::new(1.0, 2.0, -0.5).normalize()
    }

    #[test]
    fn slerp_is_the_arc_to_a_millionth() {
        let a = DQuat::from_xyzw(0.1, -0.5, 0.7, 0.4).normalize();
        for degrees in ANGLES {
            for step in 0..=16 {
                let (angle, u) = (degrees.to_radians(), f64::from(step) / 16.0);
                let b = (a * DQuat::from_axis_angle(axis(), angle)).as_quat();
                let want = a * DQuat::from_axis_angle(axis(), u * angle);
                for b in [b, -b] {
                    let got = slerp(a.as_quat(), b, u);
                    near(got, want, &format!("{degrees} degrees at {u}"));
                    assert!((got.length() - 1.0).abs() < 1e-6);
                }
            }
        }
    }

    #[test]
    fn of_two_ways_equally_long_the_keys_own_signs_decide() {
        let (a, b) = (Quat::IDENTITY, Quat::from_xyzw(1.0, 0.0, 0.0, 0.0));
        for b in [b, -b] {
            assert_eq!(nearer(a, b), b);
            let quarter = Quat::from_xyzw(0.5f32.sqrt() * b.x, 0.0, 0.0, 0.5f32.sqrt());
            for middle in [slerp(a, b, 0.5), nlerp(a, b, 0.5)] {
                assert!((Vec4::from(middle) - Vec4::from(quarter)).length() < 1e-6, "{middle}");
            }
        }
    }

    #[test]
    fn nlerp_strays_from_slerp_by_the_known_angles() {
        let known =
            [(30.0, 0.033), (60.0, 0.27), (90.0, 0.92), (120.0, 2.2), (150.0, 4.5), (179.0, 8.0)];
        for (degrees, known) in known {
            let b = Quat::from_axis_angle(Vec3::Y, f32::to_radians(degrees));
            let angle = |i: i32| {
                let u = f64::from(i) / 500.0;
                let (x, y) = (slerp(Quat::IDENTITY, b, u), nlerp(Quat::IDENTITY, -b, u));
                angle_between(x, y).to_degrees()
            };
            let worst = (0..=500).map(angle).fold(0.0, f64::max);
            assert!((worst - known).abs() < 0.06 * known, "{degrees}: {worst}, not {known}");
        }
    }

    #[test]
    fn any_length_is_normalised_and_none_is_no_rotation() {
        for scale in [1e-38f32, 1e-20, 1.0, 1e20, 3e38] {
            let q = normalized(Quat::from_xyzw(0.0, 0.6 * scale, 0.0, 0.8 * scale));
            assert!(
                (Vec4::from(q) - Vec4::new(0.0, 0.6, 0.0, 0.8)).length() < 2e-7,
                "{scale}: {q}"
            );
        }
        let nan = Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0);
        for q in [Quat::from_vec4(Vec4::ZERO), nan, nan * f32::INFINITY] {
            assert_eq!(normalized(q), Quat::IDENTITY);
        }
    }

    #[test]
    fn axis_and_angle_to_a_quaternion_and_back() {
        for degrees in ANGLES {
            let angle = degrees.to_radians();
            let q = Quat::from_axis_angle(axis().as_vec3(), angle as f32);
            near(q, DQuat::from_axis_angle(axis(), angle), &format!("{degrees} degrees"));
            let (back, turned) = q.to_axis_angle();
            assert!((f64::from(turned) - angle).abs() < 1e-6, "{degrees}: {turned}");
            if degrees > 0.0 {
                assert!((back.as_dvec3() - axis()).length() < 1e-6, "{degrees}: {back}");
            }
        }
    }

    #[test]
    fn a_quaternion_is_its_matrix_and_turns_as_q_v_q_conjugate() {
        let v = DVec3::new(0.3, -1.2, 0.8);
        for degrees in ANGLES {
            let exact = DQuat::from_axis_angle(axis(), degrees.to_radians());
            for q in [exact.as_quat(), -exact.as_quat()] {
                let matrix = Mat3::from_quat(q);
                let off = (matrix.as_dmat3() - DMat3::from_quat(exact)).to_cols_array();
                assert!(off.iter().all(|x| x.abs() < 1e-6), "{degrees}: {off:?}");
                near(Quat::from_mat3(&matrix), exact, &format!("{degrees} degrees from a matrix"));
                let v32 = v.as_vec3();
                let pure = Quat::from_xyzw(v32.x, v32.y, v32.z, 0.0);
                let sandwich = q * pure * q.conjugate();
                for turned in [q * v32, matrix * v32, sandwich.xyz()] {
                    assert!((turned.as_dvec3() - exact * v).length() < 1e-6, "{degrees}: {turned}");
                }
            }
        }
    }

    #[test]
    fn ninety_degrees_about_each_axis_turn_columns_the_right_way() {
        let quarter = std::f32::consts::FRAC_PI_2;
        for (axis, from, to) in
            [(Vec3::X, Vec3::Y, Vec3::Z), (Vec3::Y, Vec3::Z, Vec3::X), (Vec3::Z, Vec3::X, Vec3::Y)]
        {
            let q = Quat::from_axis_angle(axis, quarter);
            assert!((q * from - to).length() < 1e-6);
            assert!((Mat3::from_quat(q) * from - to).length() < 1e-6);
            let (back, angle) = q.to_axis_angle();
            assert!((back - axis).length() < 1e-6 && (angle - quarter).abs() < 1e-6);
        }
    }

    #[test]
    fn units_multiply_as_hamilton_says_and_an_inverse_is_over_the_square() {
        let q = Quat::from_xyzw;
        let (i, j, k) = (q(1., 0., 0., 0.), q(0., 1., 0., 0.), q(0., 0., 1., 0.));
        assert_eq!([i * j, j * k, k * i], [k, i, j]);
        assert_eq!([j * i, k * j, i * k], [-k, -i, -j]);
        assert_eq!(i * i, -Quat::IDENTITY);
        let long = q(1.0, -2.0, 0.5, 3.0);
        let inverse = long.conjugate() * (1.0 / long.length_squared());
        assert!((Vec4::from(long * inverse) - Vec4::from(Quat::IDENTITY)).length() < 1e-6);
    }
}
