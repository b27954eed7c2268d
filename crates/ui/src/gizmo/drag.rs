//! The exact effect of a drag on a node: along an axis, in a plane, about an axis, by a factor.
//!
//! Everything is computed from the state at the start of the drag, so that nothing adds up. Turns are computed in the
//! space of the node's parent: there a rotation is a rotation, also below parents that are scaled unevenly or
//! mirrored. Places in the picture are measured from its centre in units of its height, with Y down.

use glam::{DMat3, DQuat, DVec2, DVec3};

use super::grabbed::{Grabbed, Handle, ring, to_camera};
use rigview_look::View;
use rigview_model::Ray;
use rigview_session::orbit::project;
use rigview_session::{Axes, HandValue};

/// What is snapped to: metres, factors, and radians.
const STEP: f64 = 0.1;
const TURN: f64 = 5.0 * std::f64::consts::PI / 180.0;

/// Smallest sine of the angle between a line of sight and an axis or a plane at which the two still meet well.
const LEAST_SINE: f64 = 0.02;

/// Smallest cosine between a line of sight and a ring's axis at which the pointer's place on the ring's plane gives
/// the angle. Below it, the ring is seen almost from its edge, and the way along it counts.
const LEAST_FACING: f64 = 0.2;

/// A drag that has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drag {
    pub handle: Handle,
    pub grabbed: Grabbed,
    pub axes: Axes,
    pub view: View,
    /// The place at which it began.
    pub start: DVec2,
    /// The gizmo's radius in heights of the picture.
    pub radius: f64,
}

/// The effect of a drag.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DragResult {
    pub value: HandValue,
    /// The amount, in metres, radians or as a factor.
    pub amount: f64,
}

impl Drag {
    /// Returns the effect of a drag to a place, or `None` if the line of sight there does not meet the axis or plane.
    pub fn to(&self, place: DVec2, snaps: bool) -> Option<DragResult> {
        let effect = match self.handle {
            Handle::Move(axis) => self.moved_along(axis, place, snaps)?,
            Handle::MovePlane(axis) => self.moved_in_plane(axis, place, snaps)?,
            Handle::MoveFree => self.moved_freely(place, snaps)?,
            Handle::Turn(axis) => {
                self.turned(self.grabbed.turn_axis(self.axes, axis)?, place, snaps)?
            }
            Handle::TurnView => {
                let sight = self.sight()?;
                self.turned(self.grabbed.in_parent(sight)?, place, snaps)?
            }
            Handle::Roll => self.rolled(place, snaps)?,
            Handle::Scale(axis) => self.scaled(axis, place, snaps)?,
            Handle::ScaleAll => {
                let by = place - self.start;
                let factor = snapped(((by.x - by.y) / self.radius).exp2(), STEP, snaps);
                let scale = self.grabbed.scale * factor;
                DragResult { value: HandValue::Scale(scale.as_vec3()), amount: factor }
            }
        };
        let finite = match effect.value {
            HandValue::Translation(v) | HandValue::Scale(v) => v.is_finite(),
            HandValue::Rotation(rotation) => rotation.is_finite(),
            HandValue::Weight(_, weight) => weight.is_finite(),
        };
        finite.then_some(effect)
    }

    fn moved_along(&self, axis: usize, place: DVec2, snaps: bool) -> Option<DragResult> {
        let axis = self.grabbed.axis(self.axes, axis)?;
        let along = |place| along_axis(self.view.ray(place), self.grabbed.center(), axis);
        let way = snapped(along(place)? - along(self.start)?, STEP, snaps);
        Some(self.moved(way * axis, way))
    }

    fn moved_in_plane(&self, axis: usize, place: DVec2, snaps: bool) -> Option<DragResult> {
        let a = self.grabbed.axis(self.axes, (axis + 1) % 3)?;
        let b = self.grabbed.axis(self.axes, (axis + 2) % 3)?;
        self.moved_between(a, b, place, snaps)
    }

    fn moved_freely(&self, place: DVec2, snaps: bool) -> Option<DragResult> {
        let camera = self.view.world_from_camera.matrix3;
        self.moved_between(camera.x_axis, camera.y_axis, place, snaps)
    }

    /// Moves in the plane of two unit vectors, which need not be at right angles.
    fn moved_between(&self, a: DVec3, b: DVec3, place: DVec2, snaps: bool) -> Option<DragResult> {
        let normal = a.cross(b).try_normalize()?;
        let hit = |place| on_plane(self.view.ray(place), self.grabbed.center(), normal);
        let way = hit(place)? - hit(self.start)?;
        let parts = DMat3::from_cols(a, b, normal).inverse() * way;
        let (x, y) = (snapped(parts.x, STEP, snaps), snapped(parts.y, STEP, snaps));
        let way = x * a + y * b;
        Some(self.moved(way, way.length()))
    }

    fn moved(&self, way: DVec3, amount: f64) -> DragResult {
        let way = self.grabbed.scene_from_parent.matrix3.inverse() * way;
        let to = (self.grabbed.translation + way).as_vec3();
        DragResult { value: HandValue::Translation(to), amount }
    }

    /// Turns about a unit vector in the parent's space.
    fn turned(&self, axis: DVec3, place: DVec2, snaps: bool) -> Option<DragResult> {
        let angle = self.angle(axis, place)?;
        Some(self.turned_by(axis, snapped(angle, TURN, snaps)))
    }

    fn turned_by(&self, axis: DVec3, angle: f64) -> DragResult {
        let rotation = DQuat::from_axis_angle(axis, angle) * self.grabbed.rotation;
        let value = HandValue::Rotation(rotation.normalize().as_quat().normalize());
        DragResult { value, amount: angle }
    }

    /// The angle about an axis of the parent's space, from the start of the drag to a place.
    fn angle(&self, axis: DVec3, place: DVec2) -> Option<f64> {
        let parent_from_scene = self.grabbed.scene_from_parent.inverse();
        let center = self.grabbed.translation;
        let ray = |place| {
            let Ray { start, ahead } = self.view.ray(place);
            Ray {
                start: parent_from_scene.transform_point3(start),
                ahead: parent_from_scene.transform_vector3(ahead).normalize(),
            }
        };
        let facing = |place| ray(place).ahead.dot(axis).abs() >= LEAST_FACING;
        if facing(self.start) && facing(place) {
            let hit = |place| on_plane(ray(place), center, axis);
            let (from, to) = (hit(self.start)? - center, hit(place)? - center);
            let angle = axis.dot(from.cross(to)).atan2(from.dot(to));
            return angle.is_finite().then_some(angle);
        }
        // The way of the ring's point that was grabbed, per radian.
        let (from, _) = self.ring_point(axis, self.start)?;
        let at = |angle: f64| {
            let point = center + DQuat::from_axis_angle(axis, angle) * from;
            let point = self.grabbed.scene_from_parent.transform_point3(point);
            project(&self.view, point, 1.0).0
        };
        let tangent = (at(1e-4) - at(-1e-4)) / 2e-4;
        let angle = (place - self.start).dot(tangent) / tangent.length_squared();
        angle.is_finite().then_some(angle)
    }

    /// Returns the point of a ring that is shown nearest to a place, relative to the ring's centre in the parent's
    /// space, and its distance in the picture.
    fn ring_point(&self, axis: DVec3, place: DVec2) -> Option<(DVec3, f64)> {
        let points = ring(&self.grabbed, axis, &self.view, self.radius)?;
        let points = points.into_iter().map(|point| {
            let scene = self.grabbed.scene_from_parent.transform_point3(point);
            let (at, ahead) = project(&self.view, scene, 1.0);
            (point - self.grabbed.translation, at.distance(place), ahead)
        });
        // Of the two sides of a ring that is seen from its edge, the nearer one is grabbed.
        let nearest = points.min_by(|a, b| {
            let step = |off: f64| (off / (0.1 * self.radius)).round();
            step(a.1).total_cmp(&step(b.1)).then(a.2.total_cmp(&b.2))
        })?;
        Some((nearest.0, nearest.1))
    }

    fn rolled(&self, place: DVec2, snaps: bool) -> Option<DragResult> {
        let by = place - self.start;
        let camera = self.view.world_from_camera.matrix3;
        let axis = camera.x_axis * by.y + camera.y_axis * by.x;
        let Some(axis) = axis.try_normalize() else { return Some(self.turned_by(DVec3::X, 0.0)) };
        // A mirroring parent turns the other way round.
        let side = self.grabbed.scene_from_parent.matrix3.determinant().signum();
        let angle = snapped(by.length() / self.radius, TURN, snaps);
        Some(self.turned_by(self.grabbed.in_parent(axis)?, side * angle))
    }

    fn scaled(&self, axis: usize, place: DVec2, snaps: bool) -> Option<DragResult> {
        let direction = self.grabbed.axis(Axes::Local, axis)?;
        let along = |place| along_axis(self.view.ray(place), self.grabbed.center(), direction);
        let from = along(self.start).filter(|from| from.abs() > 0.0)?;
        let factor = snapped(along(place)? / from, STEP, snaps);
        let mut scale = self.grabbed.scale;
        // What is scaled to nothing grows again.
        scale[axis] = if scale[axis] == 0.0 { factor - 1.0 } else { scale[axis] * factor };
        Some(DragResult { value: HandValue::Scale(scale.as_vec3()), amount: factor })
    }

    /// The direction from the node to the camera, as a unit vector.
    fn sight(&self) -> Option<DVec3> {
        to_camera(&self.view, self.grabbed.center())
    }
}

/// Returns how far along an axis its point nearest to a ray is, measured from a point of the axis. `None` if the ray
/// runs along the axis. The vectors are unit vectors.
fn along_axis(ray: Ray, center: DVec3, axis: DVec3) -> Option<f64> {
    let cosine = ray.ahead.dot(axis);
    let square = 1.0 - cosine * cosine;
    let from = ray.start - center;
    (square > LEAST_SINE * LEAST_SINE)
        .then(|| (from.dot(axis) - cosine * from.dot(ray.ahead)) / square)
}

/// Returns the point at which a ray meets a plane. `None` if it runs along the plane or away from it.
fn on_plane(ray: Ray, center: DVec3, normal: DVec3) -> Option<DVec3> {
    let sine = ray.ahead.dot(normal);
    let distance = (center - ray.start).dot(normal) / sine;
    (sine.abs() > LEAST_SINE && distance > 0.0).then(|| ray.at(distance))
}

fn snapped(x: f64, step: f64, snaps: bool) -> f64 {
    if snaps { (x / step).round() * step } else { x }
}

#[cfg(test)]
mod tests {
    use glam::DAffine3;

    use super::*;
    use rigview_model::Projection;

    const LENS: Projection =
        Projection::Perspective { fov_y: 0.8, aspect: None, near: 0.01, far: Some(100.0) };

    fn view(eye: DVec3) -> View {
        View::look_at(eye, DVec3::ZERO, DVec3::Y, LENS)
    }

    fn parallel(eye: DVec3) -> View {
        let lens =
            Projection::Orthographic { half_width: 2.0, half_height: 2.0, near: 0.1, far: 50.0 };
        View::look_at(eye, DVec3::ZERO, DVec3::Y, lens)
    }

    fn grabbed(scene_from_parent: DAffine3) -> Grabbed {
        Grabbed {
            scene_from_parent,
            translation: DVec3::new(0.2, -0.1, 0.3),
            rotation: DQuat::from_euler(glam::EulerRot::XYZ, 0.4, -0.8, 1.2),
            scale: DVec3::new(1.0, 2.0, 0.5),
        }
    }

    /// Parents: none, turned, scaled unevenly, mirrored, and a node inside of a sheared space.
    fn parents() -> Vec<DAffine3> {
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 1.1, -0.5);
        let at = DVec3::new(-0.2, 0.1, 0.05);
        let of = |scale| DAffine3::from_scale_rotation_translation(scale, turn, at);
        let uneven = of(DVec3::new(2.0, 0.5, 1.2));
        vec![
            DAffine3::IDENTITY,
            of(DVec3::ONE),
            uneven,
            of(DVec3::new(-1.0, 1.0, 1.0)),
            of(DVec3::new(-0.7, -1.3, -1.0)),
            uneven
                * DAffine3::from_rotation_z(0.7)
                * DAffine3::from_scale(DVec3::new(1.0, 3.0, 1.0)),
        ]
    }

    fn projected(view: &View, point: DVec3) -> DVec2 {
        project(view, point, 1.0).0
    }

    fn drag(handle: Handle, grabbed: Grabbed, axes: Axes, view: View, start: DVec2) -> Drag {
        Drag { handle, grabbed, axes, view, start, radius: 0.1 }
    }

    fn moved(drag: &Drag, value: HandValue) -> DVec3 {
        let HandValue::Translation(to) = value else { panic!("{value:?}") };
        drag.grabbed.scene_from_parent.transform_point3(to.as_dvec3())
    }

    #[test]
    fn what_is_moved_along_an_axis_stays_under_the_pointer_below_any_parent() {
        for parent in parents() {
            for view in [view(DVec3::new(3.0, 2.0, 4.0)), parallel(DVec3::new(-3.0, 2.0, 4.0))] {
                for axes in Axes::ALL {
                    for axis in 0..3 {
                        let grabbed = grabbed(parent);
                        let direction = grabbed.axis(axes, axis).unwrap();
                        let from = projected(&view, grabbed.center());
                        let wanted = grabbed.center() + 0.37 * direction;
                        let drag = drag(Handle::Move(axis), grabbed, axes, view, from);
                        let effect = drag.to(projected(&view, wanted), false).unwrap();
                        let off = moved(&drag, effect.value).distance(wanted);
                        assert!(off < 1e-5, "{parent:?} {axes:?} {axis}: {off}");
                        assert!((effect.amount - 0.37).abs() < 1e-6);
                        let snapped = drag.to(projected(&view, wanted), true).unwrap();
                        assert!((snapped.amount - 0.4).abs() < 1e-9);
                    }
                }
            }
        }
    }

    #[test]
    fn a_plane_moves_what_is_grabbed_to_the_pointer() {
        for parent in parents() {
            let view = view(DVec3::new(3.0, 2.0, 4.0));
            let grabbed = grabbed(parent);
            for (axes, axis) in [(Axes::World, 1), (Axes::Local, 0), (Axes::Parent, 2)] {
                let [a, b] = [1, 2].map(|i| grabbed.axis(axes, (axis + i) % 3).unwrap());
                let wanted = grabbed.center() + 0.2 * a - 0.3 * b;
                let from = projected(&view, grabbed.center());
                let drag = drag(Handle::MovePlane(axis), grabbed, axes, view, from);
                let effect = drag.to(projected(&view, wanted), false).unwrap();
                let off = moved(&drag, effect.value).distance(wanted);
                assert!(off < 1e-5, "{parent:?} {axes:?}: {off}");
            }
            let from = projected(&view, grabbed.center());
            let free = drag(Handle::MoveFree, grabbed, Axes::World, view, from);
            let to = free.to(from + DVec2::new(0.1, 0.05), false).unwrap();
            let off = projected(&view, moved(&free, to.value)) - from - DVec2::new(0.1, 0.05);
            assert!(off.length() < 1e-5, "{off}");
        }
    }

    #[test]
    fn a_ring_turns_the_grabbed_point_to_the_pointer_below_any_parent() {
        for parent in parents() {
            let view = view(DVec3::new(3.0, 2.0, 4.0));
            for axes in Axes::ALL {
                for axis in 0..3 {
                    let grabbed = grabbed(parent);
                    let about = grabbed.turn_axis(axes, axis).unwrap();
                    let points = ring(&grabbed, about, &view, 0.1).unwrap();
                    let scene = |point: DVec3| parent.transform_point3(point);
                    let turned = |point: DVec3, angle: f64| {
                        let turn = DQuat::from_axis_angle(about, angle);
                        grabbed.translation + turn * (point - grabbed.translation)
                    };
                    for point in points.iter().step_by(17) {
                        let from = projected(&view, scene(*point));
                        let drag = drag(Handle::Turn(axis), grabbed, axes, view, from);
                        let ray = view.ray(from).ahead;
                        let ray = parent.matrix3.inverse() * ray;
                        if ray.normalize().dot(about).abs() < 0.3 {
                            continue;
                        }
                        let to = projected(&view, scene(turned(*point, 0.4)));
                        let effect = drag.to(to, false).unwrap();
                        assert!((effect.amount - 0.4).abs() < 1e-6, "{parent:?} {axes:?} {axis}");
                        let HandValue::Rotation(rotation) = effect.value else { panic!() };
                        let wanted = DQuat::from_axis_angle(about, 0.4) * grabbed.rotation;
                        assert!(rotation.as_dquat().angle_between(wanted) < 1e-3);
                        assert!(rotation.is_normalized());
                        let snapped = drag.to(to, true).unwrap().amount.to_degrees();
                        assert!((snapped - 25.0).abs() < 1e-9, "{snapped}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_turn_about_an_axis_leaves_that_axis_as_it_is() {
        for parent in parents() {
            let grabbed = grabbed(parent);
            for axis in 0..3 {
                let about = grabbed.turn_axis(Axes::Local, axis).unwrap();
                let turn = DQuat::from_axis_angle(about, 0.7);
                let after = Grabbed { rotation: turn * grabbed.rotation, ..grabbed };
                let [a, b] = [grabbed, after].map(|g| g.axis(Axes::Local, axis).unwrap());
                assert!(a.distance(b) < 1e-12, "{parent:?}");
            }
        }
    }

    #[test]
    fn a_ring_seen_from_its_edge_still_turns_by_the_way_along_it() {
        let view = parallel(DVec3::new(0.0, 0.0, 5.0));
        let centered = Grabbed { translation: DVec3::ZERO, ..grabbed(DAffine3::IDENTITY) };
        // The ring about Y is a horizontal line; its near side moves to the right.
        let drag = drag(Handle::Turn(1), centered, Axes::World, view, DVec2::ZERO);
        let effect = drag.to(DVec2::new(0.05, 0.0), false).unwrap();
        assert!((effect.amount - 0.5).abs() < 0.02, "{}", effect.amount);
        assert!((drag.to(DVec2::new(-0.05, 0.3), false).unwrap().amount + 0.5).abs() < 0.02);
    }

    #[test]
    fn an_axis_that_points_at_the_camera_gives_nothing_rather_than_a_leap() {
        let view = view(DVec3::new(0.0, 0.0, 5.0));
        let centered = Grabbed { translation: DVec3::ZERO, ..grabbed(DAffine3::IDENTITY) };
        let along = drag(Handle::Move(2), centered, Axes::World, view, DVec2::ZERO);
        assert_eq!(along.to(DVec2::new(0.001, 0.0), false), None);
        let plane = drag(Handle::MovePlane(1), centered, Axes::World, view, DVec2::ZERO);
        assert_eq!(plane.to(DVec2::new(0.1, 0.0), false), None);
        let flat = DAffine3::from_scale(DVec3::new(1.0, 0.0, 1.0));
        assert!(!grabbed(flat).is_reachable());
        assert_eq!(grabbed(flat).axis(Axes::Parent, 1), None);
    }

    #[test]
    fn the_ball_rolls_with_the_pointer_also_where_the_parent_mirrors() {
        for parent in [DAffine3::IDENTITY, DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0))] {
            let view = view(DVec3::new(0.0, 0.0, 5.0));
            let grabbed = Grabbed { translation: DVec3::ZERO, ..grabbed(parent) };
            let drag = drag(Handle::Roll, grabbed, Axes::Local, view, DVec2::ZERO);
            let effect = drag.to(DVec2::new(0.05, 0.0), false).unwrap();
            let HandValue::Rotation(rotation) = effect.value else { panic!() };
            // The point of the ball that faces the camera goes to the right.
            let turn = rotation.as_dquat() * grabbed.rotation.inverse();
            let front = parent.inverse().transform_vector3(DVec3::Z);
            let to = parent.transform_vector3(turn * front);
            assert!(to.x > 0.3 && to.y.abs() < 1e-6, "{to}");
        }
    }

    #[test]
    fn a_scale_is_the_ratio_of_the_ways_and_even_if_the_middle_is_dragged() {
        for parent in parents() {
            let view = view(DVec3::new(3.0, 2.0, 4.0));
            let grabbed = grabbed(parent);
            for axis in 0..3 {
                let direction = grabbed.axis(Axes::Local, axis).unwrap();
                let at = |way: f64| projected(&view, grabbed.center() + way * direction);
                let drag = drag(Handle::Scale(axis), grabbed, Axes::World, view, at(0.2));
                let effect = drag.to(at(0.5), false).unwrap();
                let HandValue::Scale(scale) = effect.value else { panic!() };
                let mut wanted = grabbed.scale;
                wanted[axis] *= 2.5;
                assert!(scale.as_dvec3().distance(wanted) < 1e-5, "{scale}");
                let mirrored = drag.to(at(-0.2), true).unwrap();
                assert!((mirrored.amount + 1.0).abs() < 1e-9);
            }
            let drag = drag(Handle::ScaleAll, grabbed, Axes::Local, view, DVec2::ZERO);
            let effect = drag.to(DVec2::new(0.1, 0.0), false).unwrap();
            assert_eq!(effect.value, HandValue::Scale((2.0 * grabbed.scale).as_vec3()));
        }
    }
}
