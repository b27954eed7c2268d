//! The camera that moves by itself: a turntable, a flight, and with a node.

use glam::DVec3;

use rigview_model::Model;

/// What the camera moves with. Its target keeps its distance from the point, exactly: the target is a function of the
/// point's place and of what a person did to the camera, not of the places in between.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Follow {
    pub on: bool,
    held: Option<FollowedPlace>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FollowedPlace {
    node: usize,
    /// From the node to the target.
    offset: DVec3,
    /// The target as it was set last. Another one means that a person moved the camera.
    target: DVec3,
}

impl Follow {
    /// Returns what follows nothing yet.
    pub fn new(on: bool) -> Self {
        Self { on, held: None }
    }

    /// Returns the new target for a point that moved, given by its node and its place in scene space. The first point,
    /// and the first one of another node, move nothing.
    pub fn moved(&mut self, target: DVec3, point: Option<(usize, DVec3)>) -> DVec3 {
        let Some((node, place)) = point.filter(|_| self.on) else {
            self.held = None;
            return target;
        };
        let offset = match self.held.filter(|held| held.node == node) {
            Some(held) if held.target == target => held.offset,
            Some(held) => held.offset + (target - held.target),
            None => target - place,
        };
        let fresh = self.held.is_none_or(|held| held.node != node);
        let target = if fresh { target } else { place + offset };
        self.held = Some(FollowedPlace { node, offset, target });
        target
    }
}

pub(crate) fn moving_node(model: &Model, node: usize) -> usize {
    let skin = model.nodes[node].skin.and_then(|skin| model.skins.get(skin));
    let first = skin.and_then(|skin| skin.joints.first());
    first.map_or(node, |joint| *joint as usize)
}

/// The fastest turntable, in radians per second.
pub(super) const FASTEST_TURN: f64 = std::f64::consts::TAU;

/// How the camera moves as time passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Motion {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;
    use crate::sample::session;
    use crate::{Action, CameraAction, Item, PlaybackAction, SelectionAction};

    #[test]
    fn the_target_keeps_its_distance_from_the_node_and_comes_back_exactly() {
        let mut session = session();
        let target = |session: &mut Session| {
            session.pose();
            session.camera().orbit_camera().target
        };
        session.apply(PlaybackAction::Seek(0.0));
        session.apply(SelectionAction::Select(Some(Item::Node(1))));
        let still = target(&mut session);
        session.apply(PlaybackAction::Seek(0.5));
        assert_eq!(target(&mut session), still, "it does not follow yet");
        session.apply(PlaybackAction::Seek(0.0));
        session.apply(CameraAction::ToggleFollow);
        assert!(session.camera().follows());
        let first = target(&mut session);
        // The node moves along X by one metre per second.
        session.apply(PlaybackAction::Seek(0.5));
        let moved = target(&mut session);
        assert!((moved - first - DVec3::new(0.5, 0.0, 0.0)).length() < 1e-6, "{moved} {first}");
        for time in [0.7, 1.9, 0.1] {
            session.apply(PlaybackAction::Seek(time));
            target(&mut session);
        }
        session.apply(PlaybackAction::Seek(0.5));
        assert_eq!(target(&mut session), moved);
        // A person moves the camera meanwhile.
        session.apply(CameraAction::Pan(glam::DVec2::new(0.1, 0.0)));
        let panned = target(&mut session);
        session.apply(PlaybackAction::Seek(1.5));
        assert!((target(&mut session) - panned - DVec3::X).length() < 1e-6);
        // Another node is followed from where the camera is.
        let before = target(&mut session);
        session.apply(SelectionAction::Select(Some(Item::Node(0))));
        assert_eq!(target(&mut session), before);
        session.apply(CameraAction::ToggleFollow);
        assert!(!session.camera().follows());
    }

    #[test]
    fn a_turntable_and_a_flight_are_functions_of_the_time_that_passed() {
        let quarter = std::f64::consts::FRAC_PI_2;
        let eye = |session: &Session| session.view().world_from_camera.translation;
        let turned = |steps: u32| {
            let mut session = session();
            session.apply(PlaybackAction::Seek(0.0));
            session.apply(CameraAction::ToggleTurntable);
            session.apply(CameraAction::SetTurnSpeed(quarter));
            assert!(session.is_moving() && !session.playback().is_moving());
            (0..steps).for_each(|_| drop(session.apply(Action::Advance(1.0 / f64::from(steps)))));
            session
        };
        let (mut one, many) = (turned(1), turned(64));
        assert!((eye(&one) - eye(&many)).length() < 1e-9);
        let before = eye(&one);
        let target = one.camera().orbit_camera().target;
        one.apply(CameraAction::ToggleTurntable);
        assert!((eye(&one) - before).length() < 1e-9, "it stops where it is");
        assert!(!one.is_moving());
        assert_eq!(one.camera().orbit_camera().target, target);

        let flown = |steps: u32| {
            let mut session = session();
            session.apply(PlaybackAction::Seek(0.0));
            session.apply(CameraAction::SetFlight(DVec3::new(0.0, 0.0, 1.0)));
            (0..steps).for_each(|_| drop(session.apply(Action::Advance(1.0 / f64::from(steps)))));
            session
        };
        let start = eye(&flown(0));
        let (one, many) = (flown(1), flown(64));
        assert!((eye(&one) - eye(&many)).length() < 1e-9);
        let way = eye(&one) - start;
        assert!((way.length() - one.camera().fly_speed()).abs() < 1e-9, "{way}");
        let ahead = -one.view().world_from_camera.matrix3.z_axis;
        assert!((way.normalize() - ahead).length() < 1e-9, "{way} {ahead}");
    }

    #[test]
    fn looking_around_keeps_the_camera_where_it_is() {
        let mut session = session();
        session.apply(CameraAction::Orbit(glam::DVec2::ZERO));
        let before = session.view().world_from_camera;
        session.apply(CameraAction::LookAround(glam::DVec2::new(0.2, -0.1)));
        let after = session.view().world_from_camera;
        assert!((after.translation - before.translation).length() < 1e-9);
        let ahead = |view: glam::DAffine3| -view.matrix3.z_axis;
        // To the right and upwards.
        assert!((ahead(after) - ahead(before)).dot(before.matrix3.x_axis) > 0.1);
        assert!((ahead(after) - ahead(before)).dot(before.matrix3.y_axis) > 0.05);
    }
}
