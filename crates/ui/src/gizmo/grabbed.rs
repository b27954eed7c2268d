//! The node that the gizmo is about, the parts by which it is grabbed, and their lengths in the scene.

use glam::{DAffine3, DMat3, DQuat, DVec2, DVec3};

use rigview_look::View;
use rigview_session::Axes;
use rigview_session::orbit::project;

/// A part of the gizmo that is dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handle {
    /// Moves along an axis.
    Move(usize),
    /// Moves in the plane of the two other axes.
    MovePlane(usize),
    /// Moves in the plane of the picture.
    MoveFree,
    /// Turns about an axis.
    Turn(usize),
    /// Turns about the line of sight.
    TurnView,
    /// Turns as if the pointer rolled a ball.
    Roll,
    /// Scales along one of the node's own axes.
    Scale(usize),
    /// Scales evenly.
    ScaleAll,
}

/// A node as it is when it is grabbed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grabbed {
    /// The space that the node's transform is relative to.
    pub scene_from_parent: DAffine3,
    pub translation: DVec3,
    pub rotation: DQuat,
    pub scale: DVec3,
}

impl Grabbed {
    /// The node's position in the scene.
    pub fn center(&self) -> DVec3 {
        self.scene_from_parent.transform_point3(self.translation)
    }

    /// Whether the pointer's way can be carried to the node: not below a parent that is scaled to nothing.
    pub fn is_reachable(&self) -> bool {
        let inverse = self.scene_from_parent.matrix3.inverse();
        inverse.is_finite() && self.center().is_finite()
    }

    /// A unit vector along an axis, in the scene. `None` if a scale of 0 leaves it no direction.
    pub fn axis(&self, axes: Axes, axis: usize) -> Option<DVec3> {
        let unit = DMat3::IDENTITY.col(axis);
        let parent = self.scene_from_parent.matrix3;
        match axes {
            Axes::Local => parent * (self.rotation * unit),
            Axes::Parent => parent * unit,
            Axes::World => unit,
        }
        .try_normalize()
    }

    /// A unit vector along the axis of a turn, in the parent's space. A turn about it leaves [`Grabbed::axis`] as it
    /// is.
    pub fn turn_axis(&self, axes: Axes, axis: usize) -> Option<DVec3> {
        let unit = DMat3::IDENTITY.col(axis);
        match axes {
            Axes::Local => Some(self.rotation * unit),
            Axes::Parent => Some(unit),
            Axes::World => self.in_parent(unit),
        }
    }

    /// Returns the direction in the parent's space of one in the scene, as a unit vector.
    pub fn in_parent(&self, direction: DVec3) -> Option<DVec3> {
        (self.scene_from_parent.matrix3.inverse() * direction).try_normalize()
    }
}

/// Returns the unit vector from a point of the scene towards the camera.
pub(super) fn to_camera(view: &View, point: DVec3) -> Option<DVec3> {
    let (place, ahead) = project(view, point, 1.0);
    (place.is_finite() && ahead > 0.0).then(|| -view.ray(place).ahead)
}

/// Returns the length in the scene that is shown as this share of the picture's height at a point.
pub(super) fn length_shown(view: &View, point: DVec3, share: f64) -> Option<f64> {
    let (place, ahead) = project(view, point, 1.0);
    let at = |place: DVec2| view.ray(place).at(view.distance_along(place, ahead));
    let half = DVec2::new(0.0, 0.5);
    let length = share * at(place + half).distance(at(place - half));
    (ahead > 0.0 && length.is_finite() && length > 0.0).then_some(length)
}

/// Returns the points of a ring about a node, in the space of the node's parent: the axis is a unit vector there. Its
/// widest side is shown with this radius in heights of the picture.
pub(super) fn ring(grabbed: &Grabbed, axis: DVec3, view: &View, radius: f64) -> Option<Vec<DVec3>> {
    const POINTS: u32 = 96;
    let parent = grabbed.scene_from_parent.matrix3;
    let (a, b) = axis.any_orthonormal_pair();
    // The longest radius of the ellipse that the parent makes of a circle.
    let (u, v) = (parent * a, parent * b);
    let (sum, difference) = (u.length_squared() + v.length_squared(), {
        let skew = 2.0 * u.dot(v);
        (u.length_squared() - v.length_squared()).hypot(skew)
    });
    let longest = (0.5 * (sum + difference)).sqrt();
    let length = length_shown(view, grabbed.center(), radius)? / longest;
    let point = |i: u32| {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(i) / f64::from(POINTS)).sin_cos();
        grabbed.translation + length * (cos * a + sin * b)
    };
    length.is_finite().then(|| (0..=POINTS).map(point).collect())
}
