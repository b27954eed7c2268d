//! Rotations between rotations, in the textbook's form and in double precision.
//!
//! Unit quaternions `(x, y, z, w)`; q and -q are one rotation. This is what the plain evaluator,
//! curves and tests use; `slerp.rs` holds the form that eight rotations at a time are sampled by. What
//! glam has (axis and angle, matrices, products) is used as it is, and held to f64 by the tests here.

use glam::{DVec4, Quat};

use super::Hermite;

/// Above this dot product of two unit quaternions [`slerp`] takes the chord instead of the arc: the
/// sine that it would divide by loses more than the 3e-7 rad between the two.
pub const CHORD_ABOVE: f64 = 0.9995;

/// The unit quaternion of the same direction, whatever its finite length; the identity where there
/// is no direction: of zero, and of what is not finite.
pub fn normalized(q: Quat) -> Quat {
    unit(wide(q))
}

/// Spherical interpolation at constant speed, by the shorter way, between unit quaternions, `u`
/// in 0..1 (glTF 2.0, C.4). Of keys half a turn apart, where both ways are equally long, neither
/// is negated.
pub fn slerp(a: Quat, b: Quat, u: f64) -> Quat {
    let (a, b) = (wide(a), wide(nearer(a, b)));
    let dot = a.dot(b);
    if dot > CHORD_ABOVE {
        return unit((1.0 - u) * a + u * b);
    }
    let angle = dot.clamp(-1.0, 1.0).acos();
    unit(((1.0 - u) * angle).sin() * a + (u * angle).sin() * b)
}

/// The chord by the shorter way, normalised: the same path as [`slerp`], faster in its middle. Of
/// keys 90 degrees apart it strays up to 0.9 degrees from it, of 179 up to 8.
pub fn nlerp(a: Quat, b: Quat, u: f64) -> Quat {
    unit((1.0 - u) * wide(a) + u * wide(nearer(a, b)))
}

/// A cubic piece by the shorter way, normalised: where the end lies on the other hemisphere, it is
/// negated and its tangent with it, so the curve is of the same rotations and does not fold.
///
/// Not for glTF, whose curves are the plain polynomial of the keys' own signs
/// ([`crate::anim::Track::sample_into`]), but for tangents from elsewhere.
pub fn hermite_nearest(piece: &Hermite<Quat>, u: f64, span_secs: f64) -> Quat {
    let far = piece.start.dot(piece.end) < 0.0;
    let (end, in_tangent) = match far {
        true => (-piece.end, -piece.in_tangent),
        false => (piece.end, piece.in_tangent),
    };
    normalized(Hermite { end, in_tangent, ..*piece }.at(u, span_secs))
}

/// Of `b` and `-b` the one on the hemisphere of `a`.
pub fn nearer(a: Quat, b: Quat) -> Quat {
    if a.dot(b) < 0.0 { -b } else { b }
}

/// The angle of the rotation between two, 0 to pi; of small ones by the chord, where the arc cosine
/// of a dot product would lose all.
pub fn angle_between(a: Quat, b: Quat) -> f64 {
    let (a, b) = (wide(a).normalize_or(DVec4::W), wide(nearer(a, b)).normalize_or(DVec4::W));
    4.0 * (0.5 * a.distance(b)).min(1.0).asin()
}

fn wide(q: Quat) -> DVec4 {
    DVec4::from_array(q.to_array().map(f64::from))
}

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
    use glam::{DMat3, DQuat, DVec3, Mat3, Vec3, Vec4};

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
    fn a_cubic_piece_across_hemispheres_takes_its_tangent_along() {
        // The same rotations, the second key and its tangent written with the other sign.
        let (a, b) = (Quat::from_rotation_x(0.2), Quat::from_rotation_y(1.1));
        let (m, n) = (Quat::from_xyzw(0.3, 0.1, -0.2, 0.5), Quat::from_xyzw(-0.1, 0.4, 0.2, -0.3));
        let piece = Hermite { start: a, out_tangent: m, end: b, in_tangent: n };
        let turned = Hermite { end: -b, in_tangent: -n, ..piece };
        let only_the_key = Hermite { end: -b, ..piece };
        for step in 0..=10 {
            let u = f64::from(step) / 10.0;
            let want = normalized(piece.at(u, 2.0));
            assert_eq!(hermite_nearest(&piece, u, 2.0), want);
            assert_eq!(hermite_nearest(&turned, u, 2.0), want);
        }
        let left_behind = hermite_nearest(&only_the_key, 0.5, 2.0);
        let off = angle_between(left_behind, normalized(piece.at(0.5, 2.0))).to_degrees();
        assert!(off > 10.0, "a tangent left behind shows: {off} degrees");
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
