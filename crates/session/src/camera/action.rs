//! The changes of the view.

use glam::{DVec2, DVec3};

use super::orbit::OrbitCamera;
use crate::FileCamera;
use rigview_model::SceneBox;

/// A side of the model to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The face, from +Z.
    Front,
    /// From +X.
    Right,
    /// From +Y.
    Top,
    /// From -Z.
    Back,
    /// From -X.
    Left,
    /// From -Y.
    Bottom,
}

/// A change of the view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CameraAction {
    /// Sets the picture's width divided by its height.
    SetAspect(f64),
    /// Orbits by a drag, in picture heights.
    Orbit(DVec2),
    /// Pans by a drag, in picture heights.
    Pan(DVec2),
    /// Scales the camera's distance to the surface under the pointer, which keeps its place.
    Zoom {
        /// Below 1 moves nearer.
        factor: f64,
        /// In picture heights from the picture's centre, Y down.
        pointer: DVec2,
    },
    /// Makes the surface under a place of the picture the centre of orbits. The place is in picture heights
    /// from the picture's centre, Y down.
    CenterOn(DVec2),
    /// Frames the model over its whole clip, from the present direction.
    FrameAll,
    /// Frames the model in its present pose, from the present direction.
    FramePose,
    /// Frames a box in scene space from the present direction.
    FrameBox(SceneBox),
    /// Returns to the view after loading.
    ResetCamera,
    /// Puts the orbiting camera somewhere, if it is in use; it frames nothing any more.
    StandAt(OrbitCamera),
    /// Looks at a side of the model.
    LookFrom(Side),
    /// Switches between parallel and perspective projection.
    ToggleOrthographic,
    /// Looks through a camera of the file; with `None`, through the orbiting camera where it was before.
    SelectCamera(Option<FileCamera>),
    /// Turns the camera by an angle in radians about the vertical axis through its target, from where it
    /// stands otherwise. While it is turned, even by 0, a framed model fits from every side. `None` ends this.
    /// Cameras of the file do not turn.
    SetTurn(Option<f64>),
    /// Turns the camera around its target as time passes, or stops where it is.
    ToggleTurntable,
    /// Sets the speed of the turntable in radians per second; below 0 the other way round.
    SetTurnSpeed(f64),
    /// Moves the camera with the selected node, or no longer.
    ToggleFollow,
    /// Flies as time passes: to the right (X), up (Y) and ahead (Z) of the camera, in multiples of its speed. Zero stops.
    SetFlight(DVec3),
    /// Multiplies the speed of flights.
    ScaleFlySpeed(f64),
    /// Turns the camera where it stands by a drag, in picture heights.
    LookAround(DVec2),
    /// Seconds have passed, for a camera that moves by itself.
    Advance(f64),
}
