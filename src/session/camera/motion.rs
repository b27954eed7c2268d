//! The camera that moves by itself: a turntable, a flight, and with a node.

use glam::DVec3;

/// The fastest turntable, in radians per second.
pub(super) const FASTEST_TURN: f64 = std::f64::consts::TAU;

/// How the camera moves as time passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::session) struct Motion {
    /// Whether it turns around its target.
    pub turns: bool,
    /// Radians per second.
    pub turn_speed: f64,
    /// To the right, up and ahead, in speeds; zero while it does not fly.
    pub flight: DVec3,
    /// Half diagonals of the model's box per second.
    pub fly_speed: f64,
}

impl Default for Motion {
    fn default() -> Self {
        let turn_speed = std::f64::consts::TAU / 12.0;
        Self { turns: false, turn_speed, flight: DVec3::ZERO, fly_speed: 1.0 }
    }
}
