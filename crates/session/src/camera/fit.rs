//! How the orbiting camera is fitted to the model: what it frames, in which picture, and until when.

use std::f64::consts::TAU;

use glam::DVec3;

use crate::OrbitCamera;
use rigview_model::SceneBox;

/// Number of sides from which a model is framed that the camera turns about.
const SIDES: u32 = 72;

/// What a framed camera shows instead of exactly the whole model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Framed {
    /// Divides the distance from which the whole model is visible.
    pub zoom: f64,
    /// The visible height at the target, for a parallel view that was given one.
    pub height: Option<f64>,
}

impl Framed {
    /// Exactly the whole model.
    pub const WHOLE: Self = Self { zoom: 1.0, height: None };
}

/// The points to frame and the picture to frame them in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fit {
    /// While set, the camera follows the points and the aspect. A person who moves the camera clears it.
    pub framed: Option<Framed>,
    /// The angle of [`CameraAction::SetTurn`](crate::CameraAction::SetTurn).
    pub turn: Option<f64>,
    aspect: f64,
    /// The outermost points over the clip, and the box around them.
    hull: Vec<DVec3>,
    bounds: SceneBox,
    /// Points of overlays, which are framed with the points over the clip.
    overlays: Vec<DVec3>,
    /// The outermost points of one instant, which are framed instead.
    instant: Option<Vec<DVec3>>,
}

impl Default for Fit {
    fn default() -> Self {
        Self {
            framed: Some(Framed::WHOLE),
            turn: None,
            aspect: 4.0 / 3.0,
            hull: Vec::new(),
            bounds: SceneBox { min: DVec3::splat(-0.5), max: DVec3::splat(0.5) },
            overlays: Vec::new(),
            instant: None,
        }
    }
}

impl Fit {
    /// The box around the model over the clip, in scene space.
    pub fn bounds(&self) -> SceneBox {
        self.bounds
    }

    /// Replaces the points to frame, and those of an instant. An empty list keeps the former ones.
    pub fn set_hull(&mut self, hull: &[DVec3]) {
        if let Some(bounds) = SceneBox::around(hull) {
            (self.hull, self.bounds, self.instant) = (hull.to_vec(), bounds, None);
        }
    }

    /// Frames the points of one instant instead, or with `None` those over the clip again.
    pub fn set_instant(&mut self, points: Option<Vec<DVec3>>) {
        self.instant = points.filter(|points| SceneBox::around(points).is_some());
    }

    /// Whether one instant is framed instead of the clip.
    pub fn shows_instant(&self) -> bool {
        self.instant.is_some()
    }

    /// Replaces the points of overlays.
    pub fn set_overlays(&mut self, overlays: Vec<DVec3>) {
        self.overlays = overlays;
    }

    /// Whether these are the points of overlays.
    pub fn has_overlays(&self, overlays: &[DVec3]) -> bool {
        self.overlays == overlays
    }

    /// The box around the model and the overlays, in scene space.
    pub fn drawn_bounds(&self) -> SceneBox {
        let of = |at: &DVec3| SceneBox { min: *at, max: *at };
        self.overlays.iter().map(of).fold(self.bounds, SceneBox::union)
    }

    fn points(&self) -> Vec<DVec3> {
        match &self.instant {
            Some(points) => points.clone(),
            None => [&self.hull[..], &self.overlays].concat(),
        }
    }

    /// Whether the picture has this width divided by its height.
    pub fn has_aspect(&self, aspect: f64) -> bool {
        self.aspect == aspect
    }

    /// Sets the picture's width divided by its height. Ignores values that are not positive.
    pub fn set_aspect(&mut self, aspect: f64) {
        if aspect.is_finite() && aspect > 0.0 {
            self.aspect = aspect;
        }
    }

    /// Moves the camera so that it frames the points, if it is to.
    pub fn apply(&self, orbit: &mut OrbitCamera) {
        let Some(Framed { zoom, height }) = self.framed else { return };
        let points = self.points();
        if self.turn.is_some() {
            orbit.frame_around_middle(&points, self.aspect);
            orbit.distance = self.farthest(&points, orbit);
        } else {
            orbit.frame(&points, self.aspect);
        }
        orbit.distance /= zoom;
        if let Some(height) = height {
            orbit.distance = 0.5 * height / (0.5 * orbit.fov_y).tan();
        }
    }

    /// Moves the camera so that it frames a box. It no longer follows the model then.
    pub fn frame(&mut self, bounds: SceneBox, orbit: &mut OrbitCamera) {
        self.framed = None;
        orbit.frame(&bounds.corners(), self.aspect);
    }

    /// Returns the greatest distance that the camera needs when it turns about the points.
    fn farthest(&self, points: &[DVec3], orbit: &OrbitCamera) -> f64 {
        let sides = (1..SIDES).map(|side| TAU * f64::from(side) / f64::from(SIDES));
        let distances = sides.map(|side| {
            let mut turned = orbit.turned(side);
            turned.frame_around_middle(points, self.aspect);
            turned.distance
        });
        distances.fold(orbit.distance, f64::max)
    }
}
