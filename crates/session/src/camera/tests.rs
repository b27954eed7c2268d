//! Tests of the view.

use glam::{DQuat, DVec2, DVec3};

use super::ViewCamera;
use crate::{CameraAction, ExplicitCamera, Side, StartView};
use rigview_model::Projection;

fn camera() -> ViewCamera {
    let mut view_camera = ViewCamera::default();
    view_camera.set_hull(&[DVec3::new(-1.0, 0.0, -0.5), DVec3::new(1.0, 2.0, 0.5)]);
    view_camera
}

#[test]
fn a_framed_camera_follows_the_aspect_until_a_person_moves_it() {
    let mut view_camera = camera();
    let wide = view_camera.orbit.distance;
    view_camera.apply(CameraAction::SetAspect(0.25), None);
    let narrow = view_camera.orbit.distance;
    assert!(narrow > wide);
    view_camera.apply(CameraAction::Orbit(DVec2::new(0.1, 0.0)), None);
    view_camera.apply(CameraAction::SetAspect(4.0), None);
    assert_eq!(view_camera.orbit.distance, narrow);
    view_camera.apply(CameraAction::FrameAll, None);
    assert!(view_camera.orbit.distance < narrow);
}

#[test]
fn a_turning_camera_keeps_its_distance_and_shows_the_model_from_every_side() {
    let mut view_camera = ViewCamera::default();
    // Seen from the front the model is narrow, from the side it is wide.
    let hull = [DVec3::new(-0.2, 0.0, -2.0), DVec3::new(0.2, 1.0, 2.0)];
    view_camera.set_hull(&hull);
    view_camera.start(StartView::default(), None);
    view_camera.apply(CameraAction::SetAspect(1.0), None);
    let still = view_camera.view(None).world_from_camera.translation;
    view_camera.apply(CameraAction::SetTurn(Some(0.0)), None);
    let target = view_camera.orbit.target;
    let far = (view_camera.view(None).world_from_camera.translation - target).length();
    assert!(far > (still - target).length() * 1.2);
    for turn in [0.4, 1.3, 2.9, 5.0] {
        view_camera.apply(CameraAction::SetTurn(Some(turn)), None);
        let view = view_camera.view(None);
        assert!(((view.world_from_camera.translation - target).length() - far).abs() < 1e-9);
        let to_picture = view.projection_matrix(1.0) * view.camera_from_world(DVec3::ZERO);
        for point in hull {
            let at = to_picture.project_point3(point);
            assert!(at.x.abs() < 1.0 && at.y.abs() < 1.0, "{turn}: {at}");
        }
    }
    view_camera.apply(CameraAction::SetTurn(None), None);
    assert!((view_camera.view(None).world_from_camera.translation - still).length() < 1e-12);
}

#[test]
fn moving_away_from_a_camera_in_numbers_goes_on_from_where_it_stood() {
    let mut view_camera = camera();
    let camera = ExplicitCamera {
        eye: DVec3::new(4.0, 2.0, 3.0),
        target: DVec3::new(0.0, 1.0, 0.0),
        up: DVec3::Y,
        fov_y: 0.5,
        height: None,
        near: None,
        far: None,
    };
    view_camera.start(StartView::Explicit(camera), None);
    let fixed = view_camera.view(None);
    view_camera.apply(CameraAction::Orbit(DVec2::ZERO), None);
    let free = view_camera.view(None);
    let off = free.world_from_camera.translation - camera.eye;
    assert!(off.length() < 1e-9, "{off}");
    let turned = DQuat::from_mat3(&free.world_from_camera.matrix3)
        .angle_between(DQuat::from_mat3(&fixed.world_from_camera.matrix3));
    assert!(turned < 1e-6, "{turned}");
}

#[test]
fn a_zoom_of_two_halves_the_distance_and_a_height_sets_it() {
    let mut view_camera = camera();
    let whole = view_camera.orbit.distance;
    let framed = |zoom, orthographic, height| StartView::Framed {
        azimuth: Some(30f64.to_radians()),
        elevation: 15f64.to_radians(),
        zoom,
        orthographic,
        height,
        pose: false,
    };
    view_camera.start(framed(2.0, false, None), None);
    assert!((view_camera.orbit.distance - 0.5 * whole).abs() < 1e-12);
    view_camera.start(framed(1.0, true, Some(5.0)), None);
    let Projection::Orthographic { half_height, .. } = view_camera.view(None).projection else {
        panic!("not parallel");
    };
    assert!((half_height - 2.5).abs() < 1e-6);
}

#[test]
fn sides_are_looked_at_from_the_axes() {
    let mut view_camera = camera();
    let sides = [(Side::Front, DVec3::Z), (Side::Right, DVec3::X), (Side::Top, DVec3::Y)];
    let others = [(Side::Back, -DVec3::Z), (Side::Left, -DVec3::X), (Side::Bottom, -DVec3::Y)];
    for (side, back) in sides.into_iter().chain(others) {
        view_camera.apply(CameraAction::LookFrom(side), None);
        assert!((view_camera.orbit.axes().z_axis - back).length() < 1e-12, "{side:?}");
    }
}
