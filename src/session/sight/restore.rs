//! Places the camera as session files and command lines say.

use super::fit::Framed;
use super::place::{FramedDirection, Placed, Source};
use crate::session::{ExplicitCamera, OrbitCamera, Sight};

impl Sight {
    /// The direction from which the whole model is framed; `None` if the camera stands elsewhere.
    pub(in crate::session) fn framed_direction(&self) -> Option<FramedDirection> {
        let Framed { zoom, height } = self.fit.framed.filter(|_| self.source == Source::Orbit)?;
        let OrbitCamera { azimuth, elevation, orthographic, .. } = self.orbit;
        (self.fit.turn.is_none() && !self.fit.shows_instant()).then_some(FramedDirection {
            angles: [azimuth, elevation],
            zoom,
            orthographic,
            height,
        })
    }

    /// Where the camera stands.
    pub(in crate::session) fn placed(&self) -> Placed {
        let turn = self.fit.turn.unwrap_or(0.0);
        match (self.source, self.framed_direction()) {
            (Source::File(camera), _) => Placed::File(camera),
            (Source::Explicit(camera), _) => Placed::Explicit(camera),
            (Source::Orbit, Some(framed)) => Placed::Framed(framed),
            (Source::Orbit, None) => Placed::Orbit(self.orbit.turned(turn)),
        }
    }

    /// Puts the camera where it stood. A camera of the file must be one of those that `has` allows.
    pub(in crate::session) fn place(&mut self, placed: Placed, has: impl Fn(usize) -> bool) {
        self.awaits_pose = false;
        self.fit.framed = None;
        match placed {
            Placed::Framed(FramedDirection { angles, zoom, orthographic, height }) => {
                self.source = Source::Orbit;
                [self.orbit.azimuth, self.orbit.elevation] = angles;
                self.orbit.orthographic = orthographic;
                self.refit(|fit| {
                    fit.framed = Some(Framed { zoom, height });
                    fit.set_instant(None);
                });
            }
            Placed::Orbit(orbit) => (self.source, self.orbit) = (Source::Orbit, orbit),
            Placed::Explicit(camera) => self.source = Source::Explicit(camera),
            Placed::File(camera) if has(camera) => self.source = Source::File(camera),
            Placed::File(_) => {}
        }
    }

    /// The camera in numbers, unless it is one of the file's.
    pub(in crate::session) fn explicit_camera(&self) -> ExplicitCamera {
        let turn = self.fit.turn.unwrap_or(0.0);
        if let Source::Explicit(camera) = self.source {
            return if turn == 0.0 { camera } else { camera.turned(turn) };
        }
        let orbit = self.orbit.turned(turn);
        let (min, max) = self.bounds();
        let height = 2.0 * orbit.distance * (0.5 * orbit.fov_y).tan();
        ExplicitCamera {
            eye: orbit.view(min, max).world_from_camera.translation,
            target: orbit.target,
            up: orbit.axes().y_axis,
            fov_y: orbit.fov_y,
            height: orbit.orthographic.then_some(height),
            near: None,
            far: None,
        }
    }
}
