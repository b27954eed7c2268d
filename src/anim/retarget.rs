//! A clip made for one rig, for another: relative to both rest poses.
//!
//! What is carried over is how far a key lies from its own rig's rest pose, put on the other rig's:
//!
//! - rotation: `q' = rest' rest^-1 q`, so a key at rest is the other's rest, whatever either stands like
//! - translation: `t' = rest' + k (t - rest)`, `k` being how much larger the other rig is: bones keep
//!   their own lengths, a step becomes as long as the legs
//! - scale: `s' = rest' s / rest`
//!
//! All three are linear in the key, so cubic tangents go the same way (without the constant part)
//! and what lies between keys stays what it was. It is what game engines call relative or
//! scaled retargeting of joints of one name; nothing is solved for the feet.

use std::ops::Range;

use glam::{Quat, Vec3};

use super::{Channel, Clip, Keys, LocalPose, Track, TrackError, Value};

/// Where a node's channels go on another rig.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    /// Its node there.
    pub node: usize,
    /// For each of that node's morph weights, which of the clip's it takes; one without keeps its rest value.
    /// None leaves all weights out.
    pub weights: Option<Vec<Option<usize>>>,
}

/// Two rigs that a clip goes between.
#[derive(Clone, Copy, Debug)]
pub struct Rigs<'a> {
    /// The rest pose of the rig that the clip is of.
    pub from: &'a LocalPose,
    /// That of the other.
    pub to: &'a LocalPose,
    /// How many times larger the other is.
    pub size: f32,
}

impl Clip {
    /// The clip for another rig; `places` has an entry for each node of its own. Channels without a
    /// place are left out, and so are properties, whose slots are their own model's; the clip lasts as long as before. Where both rest poses are the
    /// same, keys stay as they are to the bit.
    ///
    /// # Panics
    /// When a channel's node has no entry, or a place names a node or weight that is not there.
    pub fn retargeted(&self, places: &[Option<Place>], rigs: &Rigs) -> Self {
        let channels = self.channels.iter().flat_map(|channel| {
            let place = places[channel.node()].as_ref();
            // The times are those of a track, and so is the number of values.
            place.and_then(|place| retargeted(channel, place, rigs).ok()).unwrap_or_default()
        });
        Self {
            name: self.name.clone(),
            channels: channels.collect(),
            start_secs: self.start_secs,
            duration_secs: self.duration_secs,
            ..Self::default()
        }
    }
}

fn retargeted(channel: &Channel, place: &Place, rigs: &Rigs) -> Result<Vec<Channel>, TrackError> {
    let node = place.node;
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
            // A key over a rest of 0 says nothing of another rig.
            let told = from.scale.cmpne(Vec3::ZERO);
            let scaled = |s: Vec3| Vec3::select(told, ratio * s, to.scale);
            let tangent = |s: Vec3| Vec3::select(told, ratio * s, Vec3::ZERO);
            Channel::Scale { node, track: mapped(track, same, scaled, tangent)? }
        }
        Channel::Weights { track, .. } => {
            let Some(columns) = &place.weights else { return Ok(Vec::new()) };
            let driven = channel.values();
            if driven.len() < rigs.from.weights(channel.node()).len() {
                return weights_apart(track, &driven, node, columns);
            }
            let track = rearranged(track, columns, rigs.to.weights(node))?;
            Channel::Weights { node, first: 0, track }
        }
    }])
}

/// Some of a node's morph weights, each to where it is taken.
fn weights_apart(
    track: &Track<f32>,
    driven: &Range<usize>,
    node: usize,
    columns: &[Option<usize>],
) -> Result<Vec<Channel>, TrackError> {
    let taken = columns.iter().enumerate().filter_map(|(first, column)| {
        let column = column.filter(|column| driven.contains(column))?;
        Some((first, column - driven.start))
    });
    let channel = |(first, column)| {
        let track = rearranged(track, &[Some(column)], &[])?;
        Ok(Channel::Weights { node, first, track })
    };
    taken.map(channel).collect()
}

/// A track with other keys at the same times.
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

/// A track of weights whose columns are others, or the rest value.
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
        Clip {
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
            ..Clip::default()
        }
    }

    fn place(weights: &[Option<usize>]) -> [Option<Place>; 1] {
        [Some(Place { node: 0, weights: Some(weights.to_vec()) })]
    }

    #[test]
    fn onto_the_same_rest_pose_it_stays_the_same() {
        let rest = pose(transform(2.0), &[0.0, 0.0]);
        let rigs = Rigs { from: &rest, to: &rest, size: 1.0 };
        let clip = clip(&transform(2.0));
        assert_eq!(clip.retargeted(&place(&[Some(0), Some(1)]), &rigs), clip);
        assert_eq!(clip.retargeted(&[None], &rigs).channels, []);
        assert_eq!(clip.retargeted(&[None], &rigs).duration_secs, 1.0);
    }

    #[test]
    fn a_key_at_rest_is_the_other_rest_and_what_lies_between_keys_goes_along() {
        let (from, to) = (pose(transform(2.0), &[0.0; 2]), pose(transform(3.0), &[0.125; 3]));
        let rigs = Rigs { from: &from, to: &to, size: 1.5 };
        let clip = clip(&transform(2.0));
        let other = clip.retargeted(&place(&[Some(1), None, Some(0)]), &rigs);
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
        let rigs = Rigs { from: &from, to: &to, size: 1.0 };
        let track = Track::new(vec![0.0, 1.0], Keys::Linear(vec![0.0, 0.5]), 1).unwrap();
        let channels = vec![Channel::Weights { node: 0, first: 1, track }];
        let clip = Clip { channels, ..Clip::default() };
        let mut out = to.clone();
        clip.retargeted(&place(&[Some(1), Some(0), Some(1)]), &rigs).sample(0.5, &mut out);
        assert_eq!(out.weights(0), [0.25, 0.125, 0.25]);
        let elsewhere = clip.retargeted(&place(&[Some(0), None, None]), &rigs);
        assert_eq!(elsewhere.channels, []);
    }
}
