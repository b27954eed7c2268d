//! Retargeting: converts a clip for another rig, relative to both rest poses.
//!
//! A key's difference from its own rig's rest pose is applied to the rest pose of the other rig:
//!
//! - rotation: `q' = rest' rest^-1 q`, so a key at rest gives the other rig's rest rotation
//! - translation: `t' = rest' + k (t - rest)`, with `k` the ratio of the rigs' sizes: bones keep
//!   their own lengths, steps scale with the legs
//! - scale: `s' = rest' s / rest`
//!
//! All three are linear in the key, so tangents are converted in the same way (without the constant
//! part) and the interpolation keeps its shape. Game engines call this relative or scaled
//! retargeting. Feet may slide; no inverse kinematics corrects them.

use std::ops::Range;

use glam::{Quat, Vec3};

use super::{Channel, Clip, ClipParts, Keys, LocalPose, Track, TrackError, Value};

/// The node of another rig that takes over the channels of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeMapping {
    /// Index of the node on the other rig.
    pub node: usize,
    /// For each morph weight of that node, the index of the clip's weight that drives it, or `None`
    /// to keep the rest value. `None` for the whole list drops all weights.
    pub weights: Option<Vec<Option<usize>>>,
}

/// The rigs that a clip is converted between.
#[derive(Clone, Copy, Debug)]
pub struct RigPair<'a> {
    /// Rest pose of the rig that the clip was made for.
    pub from: &'a LocalPose,
    /// Rest pose of the other rig.
    pub to: &'a LocalPose,
    /// Size of the other rig relative to the first.
    pub size: f32,
}

impl Clip {
    /// Converts the clip for another rig; `mappings` has one entry per node of its own rig. Channels
    /// of nodes without a mapping are dropped. Properties are dropped too, because their slots belong
    /// to their own model. The duration stays. If both rest poses are equal, keys keep their bits.
    ///
    /// # Panics
    /// If a channel's node has no entry, or a mapping names a node or weight that does not exist.
    pub fn retargeted(&self, mappings: &[Option<NodeMapping>], rigs: &RigPair) -> Self {
        let channels = self.channels().iter().flat_map(|channel| {
            let mapping = mappings[channel.node()].as_ref();
            // Never an error: times and value counts are those of a valid track.
            mapping.and_then(|mapping| retargeted(channel, mapping, rigs).ok()).unwrap_or_default()
        });
        Self::new(ClipParts {
            name: self.name().map(str::to_owned),
            channels: channels.collect(),
            properties: Vec::new(),
            start_secs: self.start_secs(),
            duration_secs: self.duration_secs(),
        })
    }
}

fn retargeted(
    channel: &Channel,
    mapping: &NodeMapping,
    rigs: &RigPair,
) -> Result<Vec<Channel>, TrackError> {
    let node = mapping.node;
    let (from, to) = (rigs.from.transform(channel.node()), rigs.to.transform(node));
    Ok(vec![match channel {
        Channel::Translation { track, .. } => {
            let size = rigs.size;
            let same = size == 1.0 && from.translation == to.translation;
            let moved = |t: Vec3| to.translation + size * (t - from.translation);
            Channel::Translation { node, track: mapped(track, same, moved, |t| size * t)? }
        }
        Channel::Rotation { track, .. } => {
            let turn = (to.rotation * from.rotation.inverse()).normalize();
            let same = from.rotation == to.rotation || !turn.is_finite();
            let turned = |q: Quat| turn * q;
            Channel::Rotation { node, track: mapped(track, same, turned, turned)? }
        }
        Channel::Scale { track, .. } => {
            let same = from.scale == to.scale;
            let ratio = to.scale / from.scale;
            // A rest scale of 0 has no ratio; such axes take the other rig's rest scale.
            let has_ratio = from.scale.cmpne(Vec3::ZERO);
            let scaled = |s: Vec3| Vec3::select(has_ratio, ratio * s, to.scale);
            let tangent = |s: Vec3| Vec3::select(has_ratio, ratio * s, Vec3::ZERO);
            Channel::Scale { node, track: mapped(track, same, scaled, tangent)? }
        }
        Channel::Weights { track, .. } => {
            let Some(columns) = &mapping.weights else { return Ok(Vec::new()) };
            let driven = channel.values();
            if driven.len() < rigs.from.weights(channel.node()).len() {
                return separate_weights(track, &driven, node, columns);
            }
            let track = rearranged(track, columns, rigs.to.weights(node))?;
            Channel::Weights { node, first: 0, track }
        }
    }])
}

/// Converts a channel of some of a node's morph weights to one channel per weight that it drives on
/// the other rig.
fn separate_weights(
    track: &Track<f32>,
    driven: &Range<usize>,
    node: usize,
    columns: &[Option<usize>],
) -> Result<Vec<Channel>, TrackError> {
    let driving = columns.iter().enumerate().filter_map(|(first, column)| {
        let column = column.filter(|column| driven.contains(column))?;
        Some((first, column - driven.start))
    });
    let channel = |(first, column)| {
        let track = rearranged(track, &[Some(column)], &[])?;
        Ok(Channel::Weights { node, first, track })
    };
    driving.map(channel).collect()
}

/// Returns the track with converted values and tangents, or a copy if the rest poses are the `same`.
fn mapped<T: Value>(
    track: &Track<T>,
    same: bool,
    value: impl Fn(T) -> T,
    tangent: impl Fn(T) -> T,
) -> Result<Track<T>, TrackError> {
    if same {
        return Ok(track.clone());
    }
    let values = |list: &[T]| list.iter().map(|v| value(*v)).collect();
    let tangents = |list: &[T]| list.iter().map(|v| tangent(*v)).collect();
    let keys = match track.keys() {
        Keys::Step(list) => Keys::Step(values(list)),
        Keys::Linear(list) => Keys::Linear(values(list)),
        Keys::Cubic { in_tangents, values: list, out_tangents } => Keys::Cubic {
            in_tangents: tangents(in_tangents),
            values: values(list),
            out_tangents: tangents(out_tangents),
        },
    };
    Track::new(track.times().to_vec(), keys, track.width())
}

/// Returns a track of weights with these columns; those without a source hold the rest value.
fn rearranged(
    track: &Track<f32>,
    columns: &[Option<usize>],
    rest: &[f32],
) -> Result<Track<f32>, TrackError> {
    let pick = |list: &[f32], without: &dyn Fn(usize) -> f32| -> Vec<f32> {
        let rows = list.chunks_exact(track.width());
        let cells = rows.flat_map(|row| {
            let cell = move |(i, column): (usize, &Option<usize>)| {
                column.map_or_else(|| without(i), |c| row[c])
            };
            columns.iter().enumerate().map(cell)
        });
        cells.collect()
    };
    let (values, tangents) = (|i: usize| rest[i], |_: usize| 0.0);
    let keys = match track.keys() {
        Keys::Step(list) => Keys::Step(pick(list, &values)),
        Keys::Linear(list) => Keys::Linear(pick(list, &values)),
        Keys::Cubic { in_tangents, values: list, out_tangents } => Keys::Cubic {
            in_tangents: pick(in_tangents, &tangents),
            values: pick(list, &values),
            out_tangents: pick(out_tangents, &tangents),
        },
    };
    Track::new(track.times().to_vec(), keys, columns.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::Transform;

    fn pose(transform: Transform, weights: &[f32]) -> LocalPose {
        LocalPose::new(vec![transform], &[weights.to_vec()])
    }

    fn transform(x: f32) -> Transform {
        Transform {
            translation: Vec3::new(x, 1.0, 0.0),
            rotation: Quat::from_rotation_z(x) * Quat::from_rotation_x(0.5),
            scale: Vec3::new(x, 1.0, 0.0),
        }
    }

    fn clip(at: &Transform) -> Clip {
        let away = Transform {
            translation: at.translation + Vec3::Y,
            rotation: at.rotation * Quat::from_rotation_y(0.75),
            scale: at.scale * 2.0,
        };
        let track = |a, b| Track::new(vec![0.0, 1.0], Keys::Linear(vec![a, b]), 1).unwrap();
        let turn = Keys::Cubic {
            in_tangents: vec![Quat::from_xyzw(0.1, 0.2, 0.3, 0.4); 2],
            values: vec![at.rotation, away.rotation],
            out_tangents: vec![Quat::from_xyzw(0.4, -0.2, 0.1, 0.0); 2],
        };
        let weights = Keys::Linear(vec![0.0, 1.0, 0.5, 0.25]);
        Clip::new(ClipParts {
            channels: vec![
                Channel::Translation { node: 0, track: track(at.translation, away.translation) },
                Channel::Rotation { node: 0, track: Track::new(vec![0.0, 1.0], turn, 1).unwrap() },
                Channel::Scale {
                    node: 0,
                    track: Track::new(vec![0.0], Keys::Step(vec![at.scale]), 1).unwrap(),
                },
                Channel::Weights {
                    node: 0,
                    first: 0,
                    track: Track::new(vec![0.0, 1.0], weights, 2).unwrap(),
                },
            ],
            duration_secs: 1.0,
            ..ClipParts::default()
        })
    }

    fn mapping(weights: &[Option<usize>]) -> [Option<NodeMapping>; 1] {
        [Some(NodeMapping { node: 0, weights: Some(weights.to_vec()) })]
    }

    #[test]
    fn onto_the_same_rest_pose_it_stays_the_same() {
        let rest = pose(transform(2.0), &[0.0, 0.0]);
        let rigs = RigPair { from: &rest, to: &rest, size: 1.0 };
        let clip = clip(&transform(2.0));
        assert_eq!(clip.retargeted(&mapping(&[Some(0), Some(1)]), &rigs), clip);
        assert_eq!(clip.retargeted(&[None], &rigs).channels(), []);
        assert_eq!(clip.retargeted(&[None], &rigs).duration_secs(), 1.0);
    }

    #[test]
    fn a_key_at_rest_is_the_other_rest_and_what_lies_between_keys_goes_along() {
        let (from, to) = (pose(transform(2.0), &[0.0; 2]), pose(transform(3.0), &[0.125; 3]));
        let rigs = RigPair { from: &from, to: &to, size: 1.5 };
        let clip = clip(&transform(2.0));
        let other = clip.retargeted(&mapping(&[Some(1), None, Some(0)]), &rigs);
        let at = |clip: &Clip, rest: &LocalPose, time| {
            let mut out = rest.clone();
            clip.sample(time, &mut out);
            out
        };
        let start = at(&other, &to, 0.0).transform(0);
        assert!(start.rotation.dot(transform(3.0).rotation).abs() > 1.0 - 1e-6);
        assert_eq!(
            (start.translation, start.scale),
            (transform(3.0).translation, transform(3.0).scale)
        );
        for time in [0.25, 0.5, 1.0] {
            let (own, got) = (at(&clip, &from, time), at(&other, &to, time));
            let turned = transform(2.0).rotation.inverse() * own.transform(0).rotation;
            let want = transform(3.0).rotation * turned;
            assert!(got.transform(0).rotation.dot(want).abs() > 1.0 - 1e-6, "at {time}");
            let up = got.transform(0).translation - transform(3.0).translation;
            assert!((up - 1.5 * time as f32 * Vec3::Y).length() < 1e-6, "{up}");
            let (w, v) = (own.weights(0), got.weights(0));
            assert_eq!(v, [w[1], 0.125, w[0]]);
        }
    }

    #[test]
    fn a_single_weight_goes_where_it_is_taken() {
        let (from, to) = (pose(transform(1.0), &[0.0; 2]), pose(transform(1.0), &[0.125; 3]));
        let rigs = RigPair { from: &from, to: &to, size: 1.0 };
        let track = Track::new(vec![0.0, 1.0], Keys::Linear(vec![0.0, 0.5]), 1).unwrap();
        let channels = vec![Channel::Weights { node: 0, first: 1, track }];
        let clip = Clip::new(ClipParts { channels, ..ClipParts::default() });
        let mut out = to.clone();
        clip.retargeted(&mapping(&[Some(1), Some(0), Some(1)]), &rigs).sample(0.5, &mut out);
        assert_eq!(out.weights(0), [0.25, 0.125, 0.25]);
        let elsewhere = clip.retargeted(&mapping(&[Some(0), None, None]), &rigs);
        assert_eq!(elsewhere.channels(), []);
    }
}
