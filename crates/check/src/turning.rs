//! Turns between rotations, as vectors.

use glam::{DQuat, DVec3, Quat};

/// Returns the turn from one rotation to another about the joint's own axes: its axis, as long as its angle in radians,
/// at most half a turn.
pub(super) fn turn(a: Quat, b: Quat) -> DVec3 {
    let [a, b] = [a, b].map(|q| {
        let [x, y, z, w] = q.to_array().map(f64::from);
        DQuat::from_xyzw(x, y, z, w).normalize()
    });
    let turn = a.conjugate() * b;
    let turn = if turn.w < 0.0 { -turn } else { turn };
    turn.to_scaled_axis()
}
