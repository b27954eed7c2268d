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

    /// Returns the angles about x, y and z of a rotation (x, y, z, w) in radians: of the many that mean the same, those
    /// nearest to `before`.
    pub fn angles(&self, quaternion: &[f32], before: [f64; 3]) -> [f64; 3] {
        let numbers: [f64; 4] =
            std::array::from_fn(|i| f64::from(quaternion.get(i).copied().unwrap_or_default()));
        let rotation = DQuat::from_array(numbers).normalize();
        if !rotation.is_finite() {
            return before;
        }
        let (a, b, c) = rotation.to_euler(self.turns);
        let nearest = |turns: [f64; 3]| {
            let mut angles = [0.0; 3];
            for (axis, turn) in self.axes.into_iter().zip(turns) {
                angles[axis] = turn + TAU * ((before[axis] - turn) / TAU).round();
            }
            angles
        };
        let off = |angles: &[f64; 3]| -> f64 {
            angles.iter().zip(before).map(|(angle, before)| (angle - before).powi(2)).sum()
        };
        // The same rotation with its middle turn on the other side.
        let ways = [nearest([a, b, c]), nearest([a + PI, PI - b, c + PI])];
        if off(&ways[0]) <= off(&ways[1]) { ways[0] } else { ways[1] }
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
