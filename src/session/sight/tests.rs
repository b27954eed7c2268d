//! Tests of the view.

use glam::{DQuat, DVec2, DVec3};

use super::Sight;
use crate::model::Projection;
use crate::session::{ExplicitCamera, Side, SightAction, StartView};

fn sight() -> Sight {
    let mut sight = Sight::default();
    sight.set_hull(&[DVec3::new(-1.0, 0.0, -0.5), DVec3::new(1.0, 2.0, 0.5)]);
    sight
}

#[test]
fn a_framed_camera_follows_the_aspect_until_a_person_moves_it() {
    let mut sight = sight();
    let wide = sight.orbit.distance;
    sight.apply(SightAction::SetAspect(0.25), None);
    let narrow = sight.orbit.distance;
    assert!(narrow > wide);
    sight.apply(SightAction::Orbit(DVec2::new(0.1, 0.0)), None);
    sight.apply(SightAction::SetAspect(4.0), None);
    assert_eq!(sight.orbit.distance, narrow);
    sight.apply(SightAction::FrameAll, None);
    assert!(sight.orbit.distance < narrow);
}

#[test]
fn a_turning_camera_keeps_its_distance_and_shows_the_model_from_every_side() {
    let mut sight = Sight::default();
    // Seen from the front the model is narrow, from the side it is wide.
    let hull = [DVec3::new(-0.2, 0.0, -2.0), DVec3::new(0.2, 1.0, 2.0)];
    sight.set_hull(&hull);
    sight.start(StartView::default(), None);
    sight.apply(SightAction::SetAspect(1.0), None);
    let still = sight.view(None).world_from_camera.translation;
    sight.apply(SightAction::SetTurn(Some(0.0)), None);
    let target = sight.orbit.target;
    let far = (sight.view(None).world_from_camera.translation - target).length();
    assert!(far > (still - target).length() * 1.2);
    for turn in [0.4, 1.3, 2.9, 5.0] {
        sight.apply(SightAction::SetTurn(Some(turn)), None);
        let view = sight.view(None);
        assert!(((view.world_from_camera.translation - target).length() - far).abs() < 1e-9);
        let to_picture = view.projection_matrix(1.0) * view.camera_from_world(DVec3::ZERO);
        for point in hull {
            let at = to_picture.project_point3(point);
            assert!(at.x.abs() < 1.0 && at.y.abs() < 1.0, "{turn}: {at}");
        }
    }
    sight.apply(SightAction::SetTurn(None), None);
    assert!((sight.view(None).world_from_camera.translation - still).length() < 1e-12);
}

#[test]
fn moving_away_from_a_camera_in_numbers_goes_on_from_where_it_stood() {
    let mut sight = sight();
    let camera = ExplicitCamera {
        eye: DVec3::new(4.0, 2.0, 3.0),
        target: DVec3::new(0.0, 1.0, 0.0),
        up: DVec3::Y,
        fov_y: 0.5,
        height: None,
        near: None,
        far: None,
    };
    sight.start(StartView::Explicit(camera), None);
    let fixed = sight.view(None);
    sight.apply(SightAction::Orbit(DVec2::ZERO), None);
    let free = sight.view(None);
    let off = free.world_from_camera.translation - camera.eye;
    assert!(off.length() < 1e-9, "{off}");
    let turned = DQuat::from_mat3(&free.world_from_camera.matrix3)
        .angle_between(DQuat::from_mat3(&fixed.world_from_camera.matrix3));
    assert!(turned < 1e-6, "{turned}");
}

#[test]
fn a_zoom_of_two_halves_the_distance_and_a_height_sets_it() {
    let mut sight = sight();
    let whole = sight.orbit.distance;
    let framed = |zoom, orthographic, height| StartView::Framed {
        azimuth: 30f64.to_radians(),
        elevation: 15f64.to_radians(),
        zoom,
        orthographic,
        height,
        pose: false,
    };
    sight.start(framed(2.0, false, None), None);
    assert!((sight.orbit.distance - 0.5 * whole).abs() < 1e-12);
    sight.start(framed(1.0, true, Some(5.0)), None);
    let Projection::Orthographic { half_height, .. } = sight.view(None).projection else {
        panic!("not parallel");
    };
    assert!((half_height - 2.5).abs() < 1e-6);
}

#[test]
fn sides_are_looked_at_from_the_axes() {
    let mut sight = sight();
    let sides = [(Side::Front, DVec3::Z), (Side::Right, DVec3::X), (Side::Top, DVec3::Y)];
    let others = [(Side::Back, -DVec3::Z), (Side::Left, -DVec3::X), (Side::Bottom, -DVec3::Y)];
    for (side, back) in sides.into_iter().chain(others) {
        sight.apply(SightAction::LookFrom(side), None);
        assert!((sight.orbit.axes().z_axis - back).length() < 1e-12, "{side:?}");
    }
}
