//! Moves the camera as time passes.

use glam::DVec3;

use super::motion::Motion;
use super::place::{Shown, Source};
use crate::session::{Sight, SightAction};

impl Sight {
    /// Whether the camera moves with the selected node.
    pub fn follows(&self) -> bool {
        self.follow.on
    }

    /// The speed at which the camera turns around its target in radians per second; `None` while it does not.
    pub fn turn_speed(&self) -> Option<f64> {
        self.motion.turns.then_some(self.motion.turn_speed)
    }

    /// The speed of a flight in metres per second.
    pub fn fly_speed(&self) -> f64 {
        let (min, max) = self.bounds();
        self.motion.fly_speed * 0.5 * (max - min).length()
    }

    /// Whether the view changes as time passes, apart from the model's own motion.
    pub fn is_moving(&self) -> bool {
        let turns = self.motion.turns && self.motion.turn_speed != 0.0;
        turns && !matches!(self.source, Source::File(_)) || self.motion.flight != DVec3::ZERO
    }

    /// Moves the camera with a point, if it follows one.
    pub(in crate::session) fn follow(&mut self, point: Option<(usize, DVec3)>) {
        let target = self.follow.moved(self.orbit.target, point);
        if target != self.orbit.target {
            self.fit.framed = None;
            self.orbit.target = target;
        }
    }

    pub(super) fn toggle_turntable(&mut self, shown: Option<Shown<'_>>) {
        self.motion.turns = !self.motion.turns;
        if self.motion.turns {
            if let Source::File(_) = self.source {
                self.leave_fixed(shown);
            }
            return self.apply(SightAction::SetTurn(Some(0.0)), shown);
        }
        // It stays where it is.
        let turn = self.fit.turn.take().unwrap_or(0.0);
        self.fit.framed = None;
        match &mut self.source {
            Source::Explicit(camera) => *camera = camera.turned(turn),
            _ => self.orbit = self.orbit.turned(turn),
        }
    }

    /// Moves the camera as far as it moves by itself in a time.
    pub(in crate::session) fn advance(&mut self, step_secs: f64, shown: Option<Shown<'_>>) {
        let Motion { turns, turn_speed, flight, .. } = self.motion;
        if let Some(turn) = self.fit.turn.as_mut().filter(|_| turns) {
            *turn = (*turn + turn_speed * step_secs).rem_euclid(std::f64::consts::TAU);
        }
        if flight != DVec3::ZERO {
            let way = step_secs * self.fly_speed() * flight;
            self.take(shown, |orbit| {
                let axes = orbit.axes();
                orbit.target += way.x * axes.x_axis + way.y * axes.y_axis - way.z * axes.z_axis;
            });
        }
    }
}
