//! The face of VRM animation files: the weights that nodes carry become morph weights of an avatar, and its eyes, or its
//! expressions of looking somewhere, follow the gaze.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3, Quat, Vec3};

use crate::expressions::{ExpressionKind, morph_weights, shown_weights};
use rigview_anim::{Channel, Clip, Keys, RigAtRest, Track};
use rigview_model::{BonePart, Expression, HumanBone, LookAt, Model, Override, RangeMap, Vrm};

/// Instants per second between keys, because neither what overrides an expression nor how eyes turn is linear.
const RATE: f64 = 60.0;

/// Returns the nodes of a file that carry weights of expressions, or the gaze.
pub(crate) fn nodes_of_face(source: &Model) -> Vec<usize> {
    let Some(vrm) = &source.vrm else { return Vec::new() };
    vrm.expressions.iter().filter_map(|expression| expression.node).chain(vrm.gaze).collect()
}

/// Returns channels of morph weights for the expressions that a clip drives and a rig has, and of rotations for eyes that
/// follow its gaze. Those that would take more than this number of bytes are left out.
pub(crate) fn channels_of_face(
    rig: &Model,
    source: &Model,
    clip: &Clip,
    most_bytes: usize,
) -> Vec<Channel> {
    let (Some(own), Some(other)) = (&rig.vrm, &source.vrm) else { return Vec::new() };
    let gaze = Gaze::new(rig, source, clip);
    let (shown, turned) = match gaze {
        Some(gaze) if gaze.is_expression() => (Some(gaze), None),
        gaze => (None, gaze),
    };
    let driven = Driven::new(own, other, clip, shown);
    let mut channels = expression_channels(rig, &driven, most_bytes);
    if let Some(gaze) = turned {
        let room = most_bytes.saturating_sub(channels.iter().map(Channel::bytes).sum());
        let overrides = |(e, _): &(&Expression, _)| e.override_look_at != Override::None;
        let overriding = own.expressions.iter().zip(&driven.tracks).filter(overrides);
        let mut keys: Vec<&[f32]> =
            overriding.filter_map(|(_, track)| Some(track.as_ref()?.times())).collect();
        keys.push(gaze.track().times());
        let left_at =
            |secs| ExpressionKind::LookAt.share_left(&own.expressions, &driven.weights(secs));
        // Both eyes have a time and a rotation of four numbers per instant.
        let instants = instants(&keys, 2 * 5, room);
        channels.extend(instants.iter().flat_map(|times| gaze.channels(rig, times, left_at)));
    }
    channels
}

/// The expressions of an avatar with what a clip drives them by.
struct Driven<'a> {
    own: &'a Vrm,
    /// By expression, its weight along X.
    tracks: Vec<Option<&'a Track<Vec3>>>,
    /// The gaze, if expressions show it.
    gaze: Option<Gaze<'a>>,
}

impl<'a> Driven<'a> {
    fn new(own: &'a Vrm, other: &Vrm, clip: &'a Clip, gaze: Option<Gaze<'a>>) -> Self {
        let mut driven: Vec<Option<&Track<Vec3>>> = vec![None; own.expressions.len()];
        for expression in &other.expressions {
            let same = own.expressions.iter().position(|e| e.name == expression.name);
            let (Some(at), Some(node)) = (same, expression.node) else { continue };
            let mut tracks = clip.channels().iter().filter_map(|channel| match channel {
                Channel::Translation { node: moved, track } if *moved == node => Some(track),
                _ => None,
            });
            driven[at] = tracks.next_back().or(driven[at]);
        }
        Self { own, tracks: driven, gaze }
    }

    /// Returns the weight of each expression at a time. Expressions that are shown at rest too add up with those of the clip
    /// before others override them.
    fn weights(&self, secs: f64) -> Vec<f32> {
        let asked = self.own.shown_at_rest.iter().copied().chain(std::iter::repeat(0.0));
        let expressions = self.own.expressions.iter().zip(&self.tracks);
        let of_clip = expressions.map(|(expression, track)| match track {
            Some(track) => track.sample(secs).x,
            None => self.gaze.and_then(|gaze| gaze.weight(&expression.name, secs)).unwrap_or(0.0),
        });
        of_clip.zip(asked).map(|(clip, rest)| clip + rest).collect()
    }
}

fn expression_channels(rig: &Model, driven: &Driven, most_bytes: usize) -> Vec<Channel> {
    let own = driven.own;
    let morphs = own.expressions.iter().flat_map(|expression| &expression.morphs);
    let mut nodes: BTreeMap<usize, Vec<f32>> = morphs.map(|bind| (bind.node, Vec::new())).collect();
    let width: usize = nodes.keys().map(|node| rig.rest.weights(*node).len()).sum();
    let mut keys: Vec<&[f32]> = driven.tracks.iter().flatten().map(|track| track.times()).collect();
    keys.extend(driven.gaze.map(|gaze| gaze.track().times()));
    let Some(times) = instants(&keys, 1 + width, most_bytes) else { return Vec::new() };
    let at_rest = morph_weights(own, &own.shown_at_rest);
    for time in &times {
        let shown = shown_weights(&own.expressions, &driven.weights(f64::from(*time)));
        for (node, values) in &mut nodes {
            let start = values.len();
            let added = |target| at_rest.get(&[*node, target]).copied().unwrap_or(0.0);
            let rest = rig.rest.weights(*node).iter().enumerate();
            values.extend(rest.map(|(target, weight)| weight - added(target)));
            for (expression, weight) in own.expressions.iter().zip(&shown) {
                for bind in expression.morphs.iter().filter(|bind| bind.node == *node) {
                    values[start + bind.target] += weight * bind.weight;
                }
            }
        }
    }
    let channel = |(node, values): (usize, Vec<f32>)| {
        let width = rig.rest.weights(node).len();
        let track = Track::new(times.clone(), Keys::Linear(values), width).ok()?;
        Some(Channel::Weights { node, first: 0, track })
    };
    nodes.into_iter().filter_map(channel).collect()
}

/// Returns the times of keys, and those between them at [`RATE`]. `None` if there are no keys, or if `floats` numbers per
/// instant take more than `most_bytes`.
fn instants(keys: &[&[f32]], floats: usize, most_bytes: usize) -> Option<Vec<f32>> {
    let end = keys.iter().filter_map(|times| times.last()).copied().reduce(f32::max)?;
    let count: usize = keys.iter().map(|times| times.len()).sum();
    let frames = (f64::from(end) * RATE).ceil();
    let bytes = (frames + count as f64) * (floats * size_of::<f32>()) as f64;
    if bytes > most_bytes as f64 {
        return None;
    }
    let mut times: Vec<f32> = keys.iter().copied().flatten().copied().collect();
    times.extend((0..frames as usize).map(|frame| (frame as f64 / RATE) as f32));
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    Some(times)
}

/// The gaze of a clip, and how the eyes of a rig follow it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gaze<'a> {
    track: &'a Track<Quat>,
    look_at: &'a LookAt,
}

impl<'a> Gaze<'a> {
    /// Returns the gaze of a clip; `None` if it has none, or the rig does not say how its eyes turn.
    pub fn new(rig: &'a Model, source: &Model, clip: &'a Clip) -> Option<Self> {
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
