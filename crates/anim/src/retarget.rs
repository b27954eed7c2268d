//! Retargeting: converts a clip for another rig.
//!
//! What a joint does is its turn from rest in axes of the scene, `D(t) = Q(t) Q_rest^-1`. The joint that takes it
//! over makes the same turn from its own rest, whatever its parents do, so bone rolls and local axes don't matter:
//!
//! - rotation: `q'(t) = Q'_parent(t)^-1 F D(t) F^-1 Q'_rest`
//! - places of joints without a mapped joint above: `P'(t) = P'_rest + k F (P(t) - P_rest)`
//! - translation of the others: `x'(t) = x'_rest + A'^-1 k F A (x(t) - x_rest)` with the axes `A` of both parents
//! - scale: `s'(t) = s'_rest s(t) / s_rest`
//!
//! `k` is the ratio of the rigs' sizes and `F` turns from the way that one rig faces to that of the other. Where
//! only one animated joint lies between a joint and the next mapped one above, all of this is linear in its key:
//! keys are converted one by one, with their tangents, and the interpolation keeps its shape. Elsewhere the motion
//! is sampled at all keys involved, and as often between them as the error asks for.

use glam::{DAffine3, DMat3, DQuat, DVec3, Quat, Vec3};

use super::exact::affine;
use super::resample::{Bends, TooManyKeys, resampled};
use super::rig_at_rest::RigAtRest;
use super::rotation::{angle_between, normalized_f64};
use super::{Channel, Clip, ClipParts, Keys, LocalPose, Track, TrackError, Value};
use std::ops::Range;

/// The morph weights of a node of the clip's rig that a node of the other rig follows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightMapping {
    /// Index of the node on the other rig.
    pub node: usize,
    /// Index of the node on the clip's rig.
    pub source: usize,
    /// For each morph weight of the node, the index of the clip's weight that drives it, or `None`
    /// to keep the rest value.
    pub columns: Vec<Option<usize>>,
}

/// How clips of one rig are converted for another.
#[derive(Clone, Debug)]
pub struct RigPair<'a> {
    /// The rig that the clips were made for.
    pub from: &'a RigAtRest<'a>,
    /// The other rig.
    pub to: &'a RigAtRest<'a>,
    /// The node of the first rig that each node of the other one follows.
    pub follows: &'a [Option<usize>],
    /// The morph weights that follow. Several mappings of one node drive different weights.
    pub weights: &'a [WeightMapping],
    /// Size of the other rig relative to the first.
    pub size: f64,
    /// The turn from the way that the first rig faces to that of the other.
    pub facing: DQuat,
    /// Turns in the scene that the nodes of the first rig make before its rest pose is compared, with one entry
    /// per node; empty for none.
    pub aligned: &'a [DQuat],
    /// The largest number of bytes that the clips may take.
    pub most_bytes: usize,
}

/// A clip whose keys for the other rig take too much memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the clip has too many keys to be converted for this rig")]
pub struct TooLarge;

/// The largest angle in radians between a sampled rotation and the exact one.
const MOST_ANGLE: f64 = 1e-4;
/// The largest distance between a sampled place and the exact one, as a share of the way that the joint goes.
const MOST_DISTANCE: f64 = 1e-4;
/// Changes up to this size are ignored, so that keys keep their bits.
const NOTHING: f64 = 1e-7;

impl Clip {
    /// Converts the clip for another rig. Channels that no mapped node depends on are dropped. Properties are
    /// dropped too, because their slots belong to their own model. The duration stays. Where both rest poses are
    /// equal, keys keep their bits.
    ///
    /// # Errors
    /// If the converted keys take more memory than is allowed.
    ///
    /// # Panics
    /// If a mapping names a node or weight that does not exist, or the clip is of another rig.
    pub fn retargeted(&self, rigs: &RigPair) -> Result<Self, TooLarge> {
        let mut transfer = Transfer::new(self, rigs);
        for (node, source) in rigs.follows.iter().enumerate() {
            if let Some(source) = source {
                transfer.joint(node, *source).map_err(|TooManyKeys| TooLarge)?;
            }
        }
        for mapping in rigs.weights {
            transfer.weights(mapping).map_err(|TooManyKeys| TooLarge)?;
        }
        Ok(Self::new(ClipParts {
            name: self.name().map(str::to_owned),
            channels: transfer.in_order(),
            properties: Vec::new(),
            start_secs: self.start_secs(),
            duration_secs: self.duration_secs(),
        }))
    }
}

/// The tracks that drive a node; of several with one target the last one wins.
#[derive(Clone, Debug, Default)]
struct NodeTracks<'a> {
    translation: Option<(usize, &'a Track<Vec3>)>,
    rotation: Option<(usize, &'a Track<Quat>)>,
    scale: Option<(usize, &'a Track<Vec3>)>,
    /// The channels of morph weights.
    weights: Vec<usize>,
}

/// A clip while it is converted.
struct Transfer<'a> {
    rigs: &'a RigPair<'a>,
    clip: &'a Clip,
    tracks: Vec<NodeTracks<'a>>,
    /// The channels so far, with the place in the clip of the one that each replaces.
    channels: Vec<(usize, Channel)>,
    bytes: usize,
}

impl<'a> Transfer<'a> {
    fn new(clip: &'a Clip, rigs: &'a RigPair<'a>) -> Self {
        let mut tracks = vec![NodeTracks::default(); rigs.from.rest.len()];
        for (at, channel) in clip.channels().iter().enumerate() {
            let node = &mut tracks[channel.node()];
            match channel {
                Channel::Translation { track, .. } => node.translation = Some((at, track)),
                Channel::Rotation { track, .. } => node.rotation = Some((at, track)),
                Channel::Scale { track, .. } => node.scale = Some((at, track)),
                Channel::Weights { .. } => node.weights.push(at),
            }
        }
        Self { rigs, clip, tracks, channels: Vec::new(), bytes: 0 }
    }

    /// Returns the channels in the order of those that they replace.
    fn in_order(mut self) -> Vec<Channel> {
        self.channels.sort_by_key(|(at, _)| *at);
        self.channels.into_iter().map(|(_, channel)| channel).collect()
    }

    fn push(&mut self, at: usize, channel: Channel) -> Result<(), TooManyKeys> {
        self.bytes = self.bytes.saturating_add(channel.bytes());
        self.channels.push((at, channel));
        if self.bytes > self.rigs.most_bytes { Err(TooManyKeys) } else { Ok(()) }
    }

    /// Returns how many further keys of a size there is room for.
    fn most_keys<T>(&self) -> usize {
        self.rigs.most_bytes.saturating_sub(self.bytes) / (size_of::<f32>() + size_of::<T>())
    }

    /// Converts all that one node takes over, except morph weights.
    fn joint(&mut self, node: usize, source: usize) -> Result<(), TooManyKeys> {
        let above = self.mapped_above(node);
        self.rotation(node, source, above)?;
        match above {
            Some(_) => self.offset(node, source)?,
            None => self.scene_translation(node, source)?,
        }
        self.scale(node, source)
    }

    /// Converts the morph weights of a mapping.
    fn weights(&mut self, mapping: &WeightMapping) -> Result<(), TooManyKeys> {
        for at in self.tracks[mapping.source].weights.clone() {
            for channel in weight_channels(&self.clip.channels()[at], self.rigs, mapping) {
                self.push(at, channel)?;
            }
        }
        Ok(())
    }

    /// Returns what the next mapped node above a node follows.
    fn mapped_above(&self, node: usize) -> Option<usize> {
        let mut above = self.rigs.to.tree.ancestors(node);
        above.find_map(|node| self.rigs.follows[node])
    }

    /// Returns the rotation of a node of the clip's rig at rest, after it was aligned.
    fn aligned(&self, node: usize) -> DQuat {
        let turn = self.rigs.from.turn(node);
        self.rigs.aligned.get(node).map_or(turn, |aligned| *aligned * turn)
    }

    /// Converts the rotation: `q' = left (what the clip's joints turn between the two) right`.
    fn rotation(
        &mut self,
        node: usize,
        source: usize,
        above: Option<usize>,
    ) -> Result<(), TooManyKeys> {
        let RigPair { from, to, facing, .. } = self.rigs;
        let path = Path::between(from, above, source);
        let moving = |node: &usize| self.tracks[*node].rotation.is_some();
        let moves = path.up.iter().chain(&path.down).filter(|node| moving(node)).count();
        // Only an aligned rest pose differs from the rig's own, and joints that do not move hold it too.
        if moves == 0 && self.rigs.aligned.is_empty() {
            return Ok(());
        }
        let before = above.map_or(DQuat::IDENTITY, |above| self.aligned(above));
        let left = to.parent_turn(node).inverse() * *facing * before;
        let right = self.aligned(source).inverse() * facing.inverse() * to.turn(node);
        let at_rest = |node: &usize| normalized_f64(from.rest.transform(*node).rotation);
        if moves == 0 {
            let product = |nodes: &[usize]| nodes.iter().map(at_rest).product::<DQuat>();
            let held = left * product(&path.up).inverse() * product(&path.down) * right;
            let held = held.normalize().as_quat();
            let is_rest = angle_between(held, to.rest.transform(node).rotation) < MOST_ANGLE;
            // Never an error: one time, and one key.
            let track = Track::new(vec![0.0], Keys::Step(vec![held]), 1).ok();
            return track
                .filter(|_| !is_rest)
                .map_or(Ok(()), |track| self.push(usize::MAX, Channel::Rotation { node, track }));
        }
        if let (1, Some(at)) = (moves, path.down.iter().position(moving)) {
            let product = |nodes: &[usize]| nodes.iter().map(at_rest).product::<DQuat>();
            let left = left * product(&path.up).inverse() * product(&path.down[..at]);
            let right = product(&path.down[at + 1..]) * right;
            let Some((order, track)) = self.tracks[path.down[at]].rotation else { return Ok(()) };
            let track = turned(track, left, right);
            return track
                .map_or(Ok(()), |track| self.push(order, Channel::Rotation { node, track }));
        }
        let mut bends = Bends::default();
        let mut order = usize::MAX;
        for (at, track) in path.nodes().filter_map(|node| self.tracks[node].rotation) {
            bends.add(track);
            order = order.min(at);
        }
        let value = |time: f64| {
            let local = |node: &usize| match self.tracks[*node].rotation {
                Some((_, track)) => normalized_f64(track.sample(time)),
                None => at_rest(node),
            };
            let up: DQuat = path.up.iter().map(local).product();
            let down: DQuat = path.down.iter().map(local).product();
            (left * up.inverse() * down * right).normalize().as_quat()
        };
        let near = |a: Quat, b: Quat| angle_between(a, b) < MOST_ANGLE;
        let track = resampled(&bends.sorted(), self.most_keys::<Quat>(), value, near)?;
        track.map_or(Ok(()), |track| self.push(order, Channel::Rotation { node, track }))
    }

    /// Converts the place in the scene, for a node without a mapped one above.
    fn scene_translation(&mut self, node: usize, source: usize) -> Result<(), TooManyKeys> {
        let RigPair { from, to, facing, size, .. } = self.rigs;
        let path = Path::between(from, None, source);
        let above = &path.down[..path.down.len() - 1];
        if above.iter().all(|node| self.tracks[*node].is_still()) {
            return self.offset(node, source);
        }
        let mut bends = Bends::default();
        let mut order = usize::MAX;
        for node in &path.down {
            let tracks = &self.tracks[*node];
            for (at, track) in tracks.translation.iter().chain(&tracks.scale) {
                bends.add(track);
                order = order.min(*at);
            }
            if let Some((at, track)) = tracks.rotation {
                bends.add(track);
                order = order.min(at);
            }
        }
        let (start, own) = (from.position(source), to.position(node));
        let parent = to.parent_matrix(node);
        let local = parent.inverse();
        if is_flat(parent.matrix3) || !local.is_finite() {
            return Ok(());
        }
        let value = |time: f64| {
            let product = |world: DAffine3, node: &usize| {
                world * self.tracks[*node].at(time, from.rest, *node)
            };
            let place = path.down.iter().fold(DAffine3::IDENTITY, product).translation;
            local.transform_point3(own + *size * (*facing * (place - start))).as_vec3()
        };
        let times = bends.sorted();
        let center = to.rest.transform(node).translation;
        let far = times.iter().map(|time| value(f64::from(*time)).distance(center));
        let most = f64::from(far.fold(0.0, f32::max)) * MOST_DISTANCE;
        let near = |a: Vec3, b: Vec3| f64::from(a.distance(b)) <= most;
        let track = resampled(&times, self.most_keys::<Vec3>(), value, near)?;
        track.map_or(Ok(()), |track| self.push(order, Channel::Translation { node, track }))
    }

    /// Converts the translation relative to the parent.
    fn offset(&mut self, node: usize, source: usize) -> Result<(), TooManyKeys> {
        let Some((order, track)) = self.tracks[source].translation else { return Ok(()) };
        let RigPair { from, to, facing, size, aligned, .. } = self.rigs;
        let axes = from.parent_axes(source);
        let turn = from.tree.parent(source).and_then(|parent| aligned.get(parent));
        let axes = DMat3::from_quat(*facing * *turn.unwrap_or(&DQuat::IDENTITY)) * axes;
        let own_axes = to.parent_axes(node);
        let by = own_axes.inverse() * axes * *size;
        let is_known = !is_flat(own_axes) && by.is_finite();
        let by = if is_known { by } else { DMat3::from_diagonal(DVec3::splat(*size)) };
        let (start, own) = (from.rest.transform(source), to.rest.transform(node));
        let (start, own) = (start.translation, own.translation);
        let same = start == own && is_nothing(by - DMat3::IDENTITY);
        let (start, own) = (start.as_dvec3(), own.as_dvec3());
        let moved = |t: Vec3| (own + by * (t.as_dvec3() - start)).as_vec3();
        let tangent = |t: Vec3| (by * t.as_dvec3()).as_vec3();
        let track = mapped(track, same, moved, tangent);
        track.map_or(Ok(()), |track| self.push(order, Channel::Translation { node, track }))
    }

    /// Converts the scale. Uneven factors are exact where the axes of both nodes are parallel.
    fn scale(&mut self, node: usize, source: usize) -> Result<(), TooManyKeys> {
        let Some((order, track)) = self.tracks[source].scale else { return Ok(()) };
        let RigPair { from, to, facing, .. } = self.rigs;
        let own_axes = DMat3::from_quat(facing.inverse() * to.turn(node));
        let turn = DMat3::from_quat(self.aligned(source)).transpose() * own_axes;
        let shares = DMat3::from_cols_array(&turn.to_cols_array().map(|x| x * x)).transpose();
        let (start, own) = (from.rest.transform(source).scale, to.rest.transform(node).scale);
        let same = start == own && is_nothing(shares - DMat3::IDENTITY);
        // A rest scale of 0 has no ratio; such axes keep the other rig's rest scale.
        let has_ratio = start.cmpne(Vec3::ZERO);
        let ratio = |s: Vec3, without: Vec3| {
            let ratio = Vec3::select(has_ratio, s / start, without).as_dvec3();
            (own.as_dvec3() * (shares * ratio)).as_vec3()
        };
        let track = mapped(track, same, |s| ratio(s, Vec3::ONE), |s| ratio(s, Vec3::ZERO));
        track.map_or(Ok(()), |track| self.push(order, Channel::Scale { node, track }))
    }
}

impl NodeTracks<'_> {
    fn is_still(&self) -> bool {
        self.translation.is_none() && self.rotation.is_none() && self.scale.is_none()
    }

    /// Returns the node's matrix at a time.
    fn at(&self, time: f64, rest: &LocalPose, node: usize) -> DAffine3 {
        let rest = rest.transform(node);
        affine(
            self.translation.map_or(rest.translation, |(_, track)| track.sample(time)),
            self.rotation.map_or(rest.rotation, |(_, track)| track.sample(time)),
            self.scale.map_or(rest.scale, |(_, track)| track.sample(time)),
        )
    }
}

/// The way from one node of a tree to another: up to the nearest common ancestor, and down from it.
struct Path {
    /// From below the common ancestor down to the first node.
    up: Vec<usize>,
    /// From below the common ancestor down to the second node.
    down: Vec<usize>,
}

impl Path {
    /// Returns the way from a node, or from the scene, to another node.
    fn between(rig: &RigAtRest, from: Option<usize>, to: usize) -> Self {
        if let Some(from) = from {
            let line = rig.tree.path_to_root(to);
            let mut down: Vec<usize> = line.take_while(|node| *node != from).collect();
            let ends_at = down.last().map_or(Some(to), |last| rig.tree.parent(*last));
            if ends_at == Some(from) {
                down.reverse();
                return Self { up: Vec::new(), down };
            }
        }
        let from_root = |node: usize| -> Vec<usize> {
            let mut line: Vec<usize> = rig.tree.path_to_root(node).collect();
            line.reverse();
            line
        };
        let (up, down) = (from.map(from_root).unwrap_or_default(), from_root(to));
        let shared = up.iter().zip(&down).take_while(|(a, b)| a == b).count();
        Self { up: up[shared..].to_vec(), down: down[shared..].to_vec() }
    }

    fn nodes(&self) -> impl Iterator<Item = usize> {
        self.up.iter().chain(&self.down).copied()
    }
}

/// Whether axes lie in a plane up to rounding, so that they have no inverse.
fn is_flat(axes: DMat3) -> bool {
    const ROUNDING: f64 = 1e-9;
    let size = axes.x_axis.length() * axes.y_axis.length() * axes.z_axis.length();
    let is_apart = axes.determinant().abs() > ROUNDING * size;
    !is_apart
}

fn is_nothing(difference: DMat3) -> bool {
    difference.to_cols_array().iter().all(|x| x.abs() < NOTHING)
}

/// Returns the track of rotations `left q right`.
fn turned(track: &Track<Quat>, left: DQuat, right: DQuat) -> Option<Track<Quat>> {
    if !left.is_finite() || !right.is_finite() {
        return None;
    }
    let positive = |q: DQuat| if q.w < 0.0 { -q } else { q };
    let (left, right) = (positive(left), positive(right));
    let is_one = |q: DQuat| (q - DQuat::IDENTITY).length() < NOTHING;
    let turned = |q: Quat| (left * q.as_dquat() * right).as_quat();
    mapped(track, is_one(left) && is_one(right), turned, turned)
}

/// Returns the track with converted values and tangents, or a copy if nothing changes.
fn mapped<T: Value>(
    track: &Track<T>,
    same: bool,
    value: impl Fn(T) -> T,
    tangent: impl Fn(T) -> T,
) -> Option<Track<T>> {
    if same {
        return Some(track.clone());
    }
    let values = |list: &[T]| list.iter().map(|v| value(*v)).collect();
    let tangents = |list: &[T]| list.iter().map(|v| tangent(*v)).collect();
    let keys = track.keys().map(values, tangents);
    // Always valid: times and value counts are those of a track.
    Track::new(track.times().to_vec(), keys, track.width()).ok()
}

/// Converts a channel of morph weights. Empty if none of them drives a weight of the node.
fn weight_channels(channel: &Channel, rigs: &RigPair, mapping: &WeightMapping) -> Vec<Channel> {
    let Channel::Weights { track, .. } = channel else { return Vec::new() };
    let WeightMapping { node, columns, .. } = mapping;
    let driven = channel.values();
    let drives_all = driven.len() == rigs.from.rest.weights(channel.node()).len();
    let is_only = rigs.weights.iter().filter(|other| other.node == *node).count() == 1;
    let converted = if drives_all && is_only {
        let track = rearranged(track, columns, rigs.to.rest.weights(*node));
        track.map(|track| vec![Channel::Weights { node: *node, first: 0, track }])
    } else {
        separate_weights(track, &driven, *node, columns)
    };
    // Never an error: times and value counts are those of a valid track.
    converted.unwrap_or_default()
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

/// Returns a track of weights with these columns; those without a source hold the rest value.
fn rearranged(
    track: &Track<f32>,
    columns: &[Option<usize>],
    rest: &[f32],
) -> Result<Track<f32>, TrackError> {
    let pick = |list: &[f32], without: fn(f32) -> f32| -> Vec<f32> {
        let rows = list.chunks_exact(track.width());
        let cells = rows.flat_map(|row| {
            let cell = move |(i, column): (usize, &Option<usize>)| {
                column.map_or_else(|| without(rest[i]), |c| row[c])
            };
            columns.iter().enumerate().map(cell)
        });
        cells.collect()
    };
    let keys = track.keys().map(|values| pick(values, |rest| rest), |slopes| pick(slopes, |_| 0.0));
    Track::new(track.times().to_vec(), keys, columns.len())
}
