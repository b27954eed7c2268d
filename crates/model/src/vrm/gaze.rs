//! Where the avatar of a VRM animation file looks: the eyes of another one turn with it, or its expressions show it.

use glam::{DQuat, DVec3, Quat};

use crate::{BonePart, HumanBone, LookAt, Model, RangeMap};
use rigview_anim::{Channel, Clip, Keys, RigAtRest, Track};

/// The gaze of a clip, and how the eyes of a rig follow it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gaze<'a> {
    track: &'a Track<Quat>,
    look_at: &'a LookAt,
}

impl<'a> Gaze<'a> {
    /// Returns the gaze of a clip; `None` if it has none, or the rig does not say how its eyes turn.
    pub fn of(rig: &'a Model, source: &Model, clip: &'a Clip) -> Option<Self> {
        let node = source.vrm.as_ref()?.gaze?;
        let look_at = rig.vrm.as_ref()?.look_at.as_ref()?;
        let mut tracks = clip.channels().iter().filter_map(|channel| match channel {
            Channel::Rotation { node: turned, track } if *turned == node => Some(track),
            _ => None,
        });
        tracks.next_back().map(|track| Self { track, look_at })
    }

    /// Returns the clip's track of rotations.
    pub fn track(&self) -> &'a Track<Quat> {
        self.track
    }

    /// Whether expressions show it, rather than the eyes' bones.
    pub fn is_expression(&self) -> bool {
        self.look_at.kind == "expression"
    }

    /// Returns the weight at a time of an expression that shows a direction; `None` for others.
    pub fn weight(&self, expression: &str, time_secs: f64) -> Option<f32> {
        let [yaw, pitch] = self.angles(time_secs);
        let (angle, range) = match expression {
            "lookLeft" => (yaw, self.look_at.outer),
            "lookRight" => (-yaw, self.look_at.outer),
            "lookDown" => (pitch, self.look_at.down),
            "lookUp" => (-pitch, self.look_at.up),
            _ => return None,
        };
        Some(range.output_for(angle.max(0.0)) as f32)
    }

    /// Returns channels that turn the bones of the eyes at these times. `left` returns the share of the gaze that expressions
    /// leave at a time.
    pub fn channels(&self, rig: &Model, times: &[f32], left: impl Fn(f64) -> f32) -> Vec<Channel> {
        let Some(vrm) = &rig.vrm else { return Vec::new() };
        let at_rest = RigAtRest::new(&rig.hierarchy, &rig.rest);
        // Yaw and pitch are about the axes of an avatar that looks along +Z.
        let front = DQuat::from_rotation_y(vrm.front());
        let channel = |is_right: bool| {
            let node = *vrm.bones.get(&HumanBone { part: BonePart::Eye, is_right })?;
            let own = at_rest.turn(node);
            let above = at_rest.parent_turn(node).inverse();
            let turned = |time: &f32| {
                let secs = f64::from(*time);
                let angles = self.angles(secs).map(|angle| angle * f64::from(left(secs)));
                let turn = front * self.turn(is_right, angles) * front.inverse();
                (above * turn * own).normalize().as_quat()
            };
            let keys = Keys::Linear(times.iter().map(turned).collect());
            let track = Track::new(times.to_vec(), keys, 1).ok()?;
            Some(Channel::Rotation { node, track })
        };
        [false, true].into_iter().filter_map(channel).collect()
    }

    /// Returns yaw, to the left, and pitch, down, of the gaze in degrees: VRMC_vrm, lookAt.
    fn angles(&self, time_secs: f64) -> [f64; 2] {
        let ahead = self.track.sample(time_secs).as_dquat() * DVec3::Z;
        [ahead.x.atan2(ahead.z), (-ahead.y).atan2(ahead.x.hypot(ahead.z))].map(f64::to_degrees)
    }

    /// Returns the turn of the left or the right eye in the avatar's axes for yaw and pitch of the gaze.
    fn turn(&self, is_right: bool, [yaw, pitch]: [f64; 2]) -> DQuat {
        let LookAt { inner, outer, down, up, .. } = self.look_at;
        let is_outward = (yaw > 0.0) != is_right;
        let signed = |angle: f64, range: &RangeMap| {
            range.output_for(angle.abs()).copysign(angle).to_radians()
        };
        let yaw = signed(yaw, if is_outward { outer } else { inner });
        let pitch = signed(pitch, if pitch > 0.0 { down } else { up });
        DQuat::from_rotation_y(yaw) * DQuat::from_rotation_x(pitch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eyes_turn_less_inwards_and_expressions_show_one_side() {
        let range = |most_degrees, output| RangeMap { most_degrees, output };
        let look_at = LookAt {
            kind: "bone".into(),
            inner: range(90.0, 8.0),
            outer: range(90.0, 12.0),
            down: range(60.0, 10.0),
            up: range(30.0, 5.0),
        };
        let looks = |yaw: f32, pitch: f32| {
            let turn =
                Quat::from_rotation_y(yaw.to_radians()) * Quat::from_rotation_x(pitch.to_radians());
            Track::new(vec![0.0], Keys::Linear(vec![turn]), 1).unwrap()
        };
        let check = |yaw, pitch, left: [f64; 2], right: [f64; 2]| {
            let track = looks(yaw, pitch);
            let gaze = Gaze { track: &track, look_at: &look_at };
            for (is_right, [yaw, pitch]) in [(false, left), (true, right)] {
                let expected = DQuat::from_rotation_y(yaw.to_radians())
                    * DQuat::from_rotation_x(pitch.to_radians());
                let turn = gaze.turn(is_right, gaze.angles(0.0));
                assert!(turn.angle_between(expected) < 1e-6, "{is_right}: {turn:?}, {expected:?}");
            }
        };
        check(45.0, 30.0, [6.0, 5.0], [4.0, 5.0]);
        check(-45.0, -15.0, [-4.0, -2.5], [-6.0, -2.5]);
        // Beyond the end of a range the eyes stay there.
        check(0.0, -80.0, [0.0, -5.0], [0.0, -5.0]);

        let look_at = LookAt { outer: range(90.0, 1.0), ..look_at };
        let track = looks(-45.0, 0.0);
        let gaze = Gaze { track: &track, look_at: &look_at };
        let weights = ["lookLeft", "lookRight", "lookDown", "lookUp", "happy"]
            .map(|name| gaze.weight(name, 0.0));
        assert_eq!(weights[4], None);
        for (weight, expected) in weights.iter().zip([0.0, 0.5, 0.0, 0.0]) {
            assert!((weight.unwrap() - expected).abs() < 1e-5, "{weights:?}");
        }
    }
}
