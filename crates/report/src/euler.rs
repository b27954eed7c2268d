//! Rotation curves in Euler angles, which people read more easily than quaternions.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, EulerRot};

/// The order in which turns about the axes follow each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EulerOrder {
    turns: EulerRot,
    /// Indices of the axes, first turn first.
    axes: [usize; 3],
}

impl EulerOrder {
    /// The names of all orders: the axes of the parent, the first turn first, as in Blender and Maya.
    pub const NAMES: [&'static str; 6] = ["xyz", "xzy", "yxz", "yzx", "zxy", "zyx"];

    /// Returns the order of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        let turns = match name {
            "xyz" => EulerRot::XYZEx,
            "xzy" => EulerRot::XZYEx,
            "yxz" => EulerRot::YXZEx,
            "yzx" => EulerRot::YZXEx,
            "zxy" => EulerRot::ZXYEx,
            "zyx" => EulerRot::ZYXEx,
            _ => return None,
        };
        let axis = |letter: u8| usize::from(letter - b'x');
        let [a, b, c] = [0, 1, 2].map(|turn| axis(name.as_bytes()[turn]));
        Some(Self { turns, axes: [a, b, c] })
    }

    /// Returns the rotation of angles about x, y and z in radians.
    pub fn rotation(&self, angles: [f64; 3]) -> DQuat {
        let [a, b, c] = self.axes.map(|axis| angles[axis]);
        DQuat::from_euler(self.turns, a, b, c)
    }

    /// Returns the angles about x, y and z of a rotation (x, y, z, w) in radians, from -pi to pi, the middle turn from
    /// -pi / 2 to pi / 2. So each rotation has one triple, whatever was shown before.
    pub fn plain_angles(&self, quaternion: &[f32]) -> [f64; 3] {
        let middle = |angles: &[f64; 3]| angles[self.axes[1]].abs();
        let [one, other] = self.ways(quaternion, [0.0; 3]).unwrap_or_default();
        // At a pole both are right; rounding must not choose.
        if middle(&one) <= middle(&other) + 1e-6 { one } else { other }
    }

    /// Returns the angles about x, y and z of a rotation (x, y, z, w) in radians: of the many that mean the same, those
    /// nearest to `before`.
    pub fn angles(&self, quaternion: &[f32], before: [f64; 3]) -> [f64; 3] {
        let Some([one, other]) = self.ways(quaternion, before) else { return before };
        let off = |angles: &[f64; 3]| -> f64 {
            angles.iter().zip(before).map(|(angle, before)| (angle - before).powi(2)).sum()
        };
        if off(&one) <= off(&other) { one } else { other }
    }

    /// Returns both triples of angles of a rotation, each nearest to `before`; the second one has its middle turn on
    /// the other side. `None` if the rotation is not finite.
    fn ways(&self, quaternion: &[f32], before: [f64; 3]) -> Option<[[f64; 3]; 2]> {
        let numbers: [f64; 4] =
            std::array::from_fn(|i| f64::from(quaternion.get(i).copied().unwrap_or_default()));
        let rotation = DQuat::from_array(numbers).normalize();
        if !rotation.is_finite() {
            return None;
        }
        let (a, b, c) = rotation.to_euler(self.turns);
        let nearest = |turns: [f64; 3]| {
            let mut angles = [0.0; 3];
            for (axis, turn) in self.axes.into_iter().zip(turns) {
                angles[axis] = turn + TAU * ((before[axis] - turn) / TAU).round();
            }
            angles
        };
        Some([nearest([a, b, c]), nearest([a + PI, PI - b, c + PI])])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(axis: usize, degrees: f64) -> DQuat {
        let mut vector = [0.0; 3];
        vector[axis] = 1.0;
        DQuat::from_axis_angle(vector.into(), degrees.to_radians())
    }

    #[test]
    fn the_first_turn_of_an_order_comes_first_about_the_parents_axes() {
        let wanted = [20.0, -35.0, 50.0];
        for name in EulerOrder::NAMES {
            let order = EulerOrder::from_name(name).unwrap();
            let of = |letter: char| "xyz".find(letter).unwrap();
            let turns = name.chars().map(|letter| turn(of(letter), wanted[of(letter)]));
            let rotation = turns.fold(DQuat::IDENTITY, |so_far, next| next * so_far);
            let numbers = rotation.to_array().map(|n| n as f32);
            let found = order.angles(&numbers, [0.0; 3]).map(f64::to_degrees);
            let near = found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-3);
            assert!(near, "{name}: {found:?}");
            let again = order.rotation(wanted.map(f64::to_radians));
            assert!(again.angle_between(rotation) < 1e-6, "{name}");
        }
        assert_eq!(EulerOrder::from_name("xyx"), None);
    }

    #[test]
    fn a_rotation_has_one_plain_triple_whose_middle_turn_is_less_than_a_quarter() {
        for name in EulerOrder::NAMES {
            let order = EulerOrder::from_name(name).unwrap();
            for i in 0..500 {
                let wanted = [37 * i % 360 - 180, 91 * i % 178 - 89, 53 * i % 360 - 180];
                let mut angles = [0.0; 3];
                let turns = wanted.map(|degrees| f64::from(degrees).to_radians());
                order.axes.iter().zip(turns).for_each(|(axis, turn)| angles[*axis] = turn);
                let rotation = order.rotation(angles);
                let numbers = rotation.to_array().map(|n| n as f32);
                let found = order.plain_angles(&numbers);
                let off = |(a, b): (&f64, f64)| (a - b + PI).rem_euclid(TAU) - PI;
                let off = found.iter().zip(angles).map(off).fold(0.0, |m: f64, x| m.max(x.abs()));
                assert!(off < 1e-4, "{name} {wanted:?}: {found:?}");
            }
        }
    }

    #[test]
    fn two_whole_turns_and_a_pass_through_the_pole_have_no_jump() {
        let order = EulerOrder::from_name("xyz").unwrap();
        for axis in 0..3 {
            let mut before = [0.0; 3];
            for step in 0..=240 {
                let wanted = 3.0 * f64::from(step);
                // The sign of a quaternion does not matter.
                let sign = if step % 2 == 0 { 1.0 } else { -1.0 };
                let numbers = turn(axis, wanted).to_array().map(|n| (sign * n) as f32);
                before = order.angles(&numbers, before);
                let off = (before[axis].to_degrees() - wanted).abs();
                assert!(off < 0.1, "axis {axis}, {wanted}: {before:?}");
            }
        }
    }
}
