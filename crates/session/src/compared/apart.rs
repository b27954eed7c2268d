//! Two models side by side of which one view can show only one readably, since the other one is far larger or far away.
//! The second one is then seen by a view of its own, as large as the first one.

use glam::DVec3;

use rigview_look::View;
use rigview_model::{Projection, SceneBox};

/// The ratio of sizes, and the distance in sizes of the larger one, up to which one view shows both models.
const MOST: f64 = 4.0;

/// How the space of the first model is mapped to that of the second one: by a scale, and from one point to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    scale: f64,
    from: DVec3,
    to: DVec3,
}

impl Apart {
    /// Returns the mapping between two boxes at rest. `None` if one view can show both, or a box has no size.
    pub(super) fn of([a, b]: [SceneBox; 2]) -> Option<Self> {
        let [small, large] = [a, b].map(|of| of.size().max_element());
        let (small, large) = (small.min(large), small.max(large));
        let (from, to) = (a.center(), b.center());
        let is_far = large > MOST * small || from.distance(to) > MOST * large;
        let scale = b.size().max_element() / a.size().max_element();
        (small > 0.0 && scale.is_finite() && is_far).then_some(Self { scale, from, to })
    }

    /// The size of the second model, divided by that of the first one.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Returns the view that shows the second model as a view shows the first one.
    pub fn view(&self, view: View) -> View {
        let mut world_from_camera = view.world_from_camera;
        let eye = world_from_camera.translation;
        world_from_camera.translation = self.to + self.scale * (eye - self.from);
        let scaled = |x: f32| (self.scale * f64::from(x)) as f32;
        let projection = match view.projection {
            Projection::Perspective { fov_y, aspect, near, far } => {
                Projection::Perspective { fov_y, aspect, near: scaled(near), far: far.map(scaled) }
            }
            Projection::Orthographic { half_width, half_height, near, far } => {
                Projection::Orthographic {
                    half_width: scaled(half_width),
                    half_height: scaled(half_height),
                    near: scaled(near),
                    far: scaled(far),
                }
            }
        };
        View { world_from_camera, projection, ..view }
    }

    /// Returns the place in the space of the first model that looks like this place of the second one.
    pub(super) fn in_first(&self, at: DVec3) -> DVec3 {
        self.from + (at - self.to) / self.scale
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;

    fn cube(center: DVec3, side: f64) -> SceneBox {
        let half = DVec3::splat(0.5 * side);
        SceneBox { min: center - half, max: center + half }
    }

    #[test]
    fn models_of_similar_size_and_place_share_a_view() {
        let a = cube(DVec3::ZERO, 1.0);
        assert_eq!(Apart::of([a, cube(DVec3::X, 3.9)]), None);
        assert_eq!(Apart::of([a, cube(DVec3::X, 0.0)]), None);
        assert!(Apart::of([a, cube(DVec3::X, 4.1)]).is_some());
        assert!(Apart::of([a, cube(5.0 * DVec3::X, 1.0)]).is_some());
    }

    #[test]
    fn a_place_of_the_second_model_is_seen_where_the_first_one_has_it() {
        let boxes = [cube(DVec3::Y, 2.0), cube(DVec3::new(30.0, -40.0, 5.0), 200.0)];
        let apart = Apart::of(boxes).unwrap();
        assert_eq!(apart.scale(), 100.0);
        let far = Some(50.0);
        for projection in [
            Projection::Perspective { fov_y: 0.7, aspect: None, near: 0.5, far },
            Projection::Orthographic { half_width: 2.0, half_height: 2.0, near: 0.5, far: 50.0 },
        ] {
            let view = View::look_at(DVec3::new(3.0, 2.0, 5.0), DVec3::Y, DVec3::Y, projection);
            let at = DVec2::new(0.2, -0.1);
            let (here, there) = (view.ray(at), apart.view(view).ray(at));
            assert!(apart.in_first(there.start).distance(here.start) < 1e-4);
            assert!(there.ahead.distance(here.ahead) < 1e-6);
        }
    }
}
