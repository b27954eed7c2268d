//! A clip made ready to be sampled fast: channels that share their keys' times, or nearly, lie on
//! one timeline, eight nodes side by side, frame after frame.
//!
//! `merge` decides which and makes the frames. What doesn't fit on the timeline is sampled track by
//! track from the clip itself. [`Clip::sample`] is the plain evaluator that this one is tested against.

use std::sync::OnceLock;

use glam::Quat;

use super::cursor::{Cursor, find};
use super::lanes::{Eight, LANES, Lanes, Work, load, run};
use super::merge;
use super::slerp::{Arc, Share, slerp};
use super::{Channel, Clip, Keys, LocalPose, Track};

/// A place for a clip's prepared form, empty until it is first used. A copy starts empty, and two
/// places are always equal: it says nothing that the channels don't.
#[derive(Debug, Default)]
pub struct Prepared(OnceLock<PreparedClip>);

impl Clone for Prepared {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Prepared {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Clip {
    /// Poses a rig: the rest pose with the clip at a time over it, as [`Clip::sample`] does it but
    /// for differences below a millionth, and several times faster. At a key's time the key itself. A time
    /// that is NaN counts as 0. Allocates nothing but at the first use of the clip and of the cursor with it.
    ///
    /// # Panics
    /// When a channel's node is not in the pose or has fewer morph targets, or when the clip was first used with a rig of another size.
    pub fn pose(&self, time_secs: f64, rest: &LocalPose, cursor: &mut Cursor, out: &mut LocalPose) {
        run(self.sampling(time_secs, rest, cursor, out));
        self.sample_properties(time_secs, out);
    }

    /// The same by one kernel.
    #[cfg(test)]
    pub(super) fn pose_by<L: Lanes>(
        &self,
        time_secs: f64,
        rest: &LocalPose,
        cursor: &mut Cursor,
        out: &mut LocalPose,
    ) {
        self.sampling(time_secs, rest, cursor, out).run::<L>();
    }

    fn sampling<'a>(
        &'a self,
        time_secs: f64,
        rest: &'a LocalPose,
        cursor: &'a mut Cursor,
        out: &'a mut LocalPose,
    ) -> Sampling<'a> {
        let time = if time_secs.is_nan() { 0.0 } else { time_secs };
        let prepared = self.prepared_for(rest.len());
        out.copy_weights_from(rest);
        cursor.frame = find(&prepared.times, cursor.frame, time);
        cursor.keys.resize(prepared.channels_apart(), 0);
        Sampling { clip: self, prepared, time, rest, cursor, out }
    }

    /// The prepared form for rigs of so many nodes, made now unless it is there.
    ///
    /// # Panics
    /// As [`Clip::pose`] does.
    pub fn prepared_for(&self, nodes: usize) -> &PreparedClip {
        let prepared = self.prepared.0.get_or_init(|| merge::prepare(self, nodes));
        assert_eq!(prepared.nodes, nodes, "a rig of the size that the clip was first used with");
        prepared
    }
}

/// What [`Clip::pose`] reads.
#[derive(Clone, Debug, Default)]
pub struct PreparedClip {
    /// Of the rigs it is for.
    pub(super) nodes: usize,
    /// First rows, by threes, of what no block overwrites: the rest pose's.
    pub(super) kept: Vec<Block>,
    /// The common timeline, in seconds: all times at which a channel on it has a key.
    pub(super) times: Vec<f32>,
    /// What changes along the timeline. `frames` has their rows in this order, time by time.
    pub(super) moving: Vec<Block>,
    pub(super) frames: Vec<Eight>,
    /// Rows of a frame.
    pub(super) width: usize,
    /// What stays the same all the time, with its rows in `held`.
    pub(super) still: Vec<Block>,
    pub(super) held: Vec<Eight>,
    /// For blocks of which not all nodes are driven: 1 where one is not.
    pub(super) undriven: Vec<Eight>,
    /// Channels that are sampled by themselves: linear rotations, and all others.
    pub(super) turned_apart: Vec<u32>,
    pub(super) apart: Vec<u32>,
}

/// One property of eight nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Its first row in a pose.
    pub(super) row: u32,
    /// Which entry of `undriven` is its; [`ALL_DRIVEN`] if none.
    pub(super) undriven: u32,
    /// Four rows of a rotation, or three.
    pub(super) turns: bool,
    /// A block before it drives other nodes of the same rows.
    pub(super) again: bool,
}

/// No node of the block keeps its rest value.
pub(super) const ALL_DRIVEN: u32 = u32::MAX;

impl Block {
    /// Rows it has in a frame: its values, and of a rotation the arc to the next frame's.
    pub(super) fn width(&self) -> usize {
        if self.turns { 6 } else { 3 }
    }
}

impl PreparedClip {
    /// The bytes it holds, beside the clip's own.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.times[..])
            + size_of_val(&self.moving[..])
            + size_of_val(&self.frames[..])
            + size_of_val(&self.still[..])
            + size_of_val(&self.held[..])
            + size_of_val(&self.undriven[..])
            + size_of_val(&self.turned_apart[..])
            + size_of_val(&self.apart[..])
    }

    /// How many channels did not fit on the common timeline and are sampled by themselves.
    pub fn channels_apart(&self) -> usize {
        self.turned_apart.len() + self.apart.len()
    }
}

/// [`Clip::pose`] by any kernel, over the rest pose, the cursor's frame being found.
struct Sampling<'a> {
    clip: &'a Clip,
    prepared: &'a PreparedClip,
    time: f64,
    rest: &'a LocalPose,
    cursor: &'a mut Cursor,
    out: &'a mut LocalPose,
}

impl Work for Sampling<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { clip, prepared, time, rest, cursor, out } = self;
        let mut to = Rows { rest: rest.rows(), rows: out.rows_mut(), undriven: &prepared.undriven };
        to.keep::<L>(&prepared.kept);
        to.hold::<L>(&prepared.still, &prepared.held);
        if !prepared.times.is_empty() {
            let at = cursor.frame;
            let start = f64::from(prepared.times[at]);
            let width = prepared.width;
            let (now, next) = prepared.frames[at * width..].split_at(width);
            match prepared.times.get(at + 1) {
                Some(end) if time > start => {
                    let u = ((time - start) / (f64::from(*end) - start)) as f32;
                    to.between::<L>(&prepared.moving, now, &next[..width], u);
                }
                _ => to.hold::<L>(&prepared.moving, now),
            }
        }
        if prepared.channels_apart() > 0 {
            let (turned, others) = cursor.keys.split_at_mut(prepared.turned_apart.len());
            for (channels, keys) in
                prepared.turned_apart.chunks(LANES).zip(turned.chunks_mut(LANES))
            {
                turn_apart::<L>(clip, (channels, keys), time, out);
            }
            sample_apart(clip, (&prepared.apart, others), time, out);
        }
    }
}

/// Where blocks are put.
struct Rows<'a> {
    rest: &'a [Eight],
    rows: &'a mut [Eight],
    undriven: &'a [Eight],
}

impl Rows<'_> {
    #[inline(always)]
    fn put<L: Lanes, const N: usize>(&mut self, block: &Block, values: [L; N]) {
        let rows = &mut self.rows[block.row as usize..][..N];
        if block.undriven == ALL_DRIVEN {
            for (value, row) in values.iter().zip(rows) {
                value.store(row);
            }
        } else {
            // What was just stored takes long to be there again, so the rest pose is read if it may be.
            let rest = &self.rest[block.row as usize..][..N];
            let under = if block.again { load::<L, N>(rows) } else { load::<L, N>(rest) };
            let undriven = L::splat(0.0).below(L::load(&self.undriven[block.undriven as usize]));
            for ((value, under), row) in values.iter().zip(under).zip(rows) {
                L::select(undriven, under, *value).store(row);
            }
        }
    }

    /// The rest pose's rows.
    #[inline(always)]
    fn keep<L: Lanes>(&mut self, blocks: &[Block]) {
        for block in blocks {
            let rest = &self.rest[block.row as usize..];
            if block.turns {
                self.put::<L, 4>(block, load(&rest[..4]));
            } else {
                self.put::<L, 3>(block, load(&rest[..3]));
            }
        }
    }

    /// The blocks' rows as they are.
    #[inline(always)]
    fn hold<L: Lanes>(&mut self, blocks: &[Block], mut from: &[Eight]) {
        for block in blocks {
            let (rows, rest) = from.split_at(block.width());
            if block.turns {
                self.put::<L, 4>(block, load(rows));
            } else {
                self.put::<L, 3>(block, load(rows));
            }
            from = rest;
        }
    }

    /// The blocks' rows `u` of the way from one frame to the next.
    #[inline(always)]
    fn between<L: Lanes>(&mut self, blocks: &[Block], now: &[Eight], next: &[Eight], u: f32) {
        let (mut now, mut next) = (now, next);
        let share = Share::new(L::splat(u));
        let (v, u) = (L::splat(1.0 - u), L::splat(u));
        for block in blocks {
            let ((a, now_rest), (b, next_rest)) =
                (now.split_at(block.width()), next.split_at(block.width()));
            if block.turns {
                let [squared, scale] = load::<L, 2>(&a[4..]);
                let turned = slerp(load(a), load(b), Arc { squared, scale }, &share);
                self.put::<L, 4>(block, turned);
            } else {
                let (a, b) = (load::<L, 3>(a), load::<L, 3>(b));
                self.put::<L, 3>(
                    block,
                    [v * a[0] + u * b[0], v * a[1] + u * b[1], v * a[2] + u * b[2]],
                );
            }
            (now, next) = (now_rest, next_rest);
        }
    }
}

/// Up to eight linear rotations, each between keys of its own.
#[inline(always)]
fn turn_apart<L: Lanes>(
    clip: &Clip,
    (channels, keys): (&[u32], &mut [u32]),
    time: f64,
    out: &mut LocalPose,
) {
    let mut rows = [[Eight::default(); 4]; 2];
    let (mut u, mut squared, mut scale) = (Eight::default(), Eight::default(), Eight::default());
    for (lane, (channel, key)) in channels.iter().zip(keys.iter_mut()).enumerate() {
        let Channel::Rotation { track, .. } = &clip.channels[*channel as usize] else { continue };
        let Keys::Linear(values) = track.keys() else { continue };
        let at = keep_place(track, key, time);
        let start = f64::from(track.times()[at]);
        let mut ends = [values[at].to_array(); 2];
        if let Some(end) = track.times().get(at + 1)
            && time > start
        {
            ends[1] = values[at + 1].to_array();
            u.0[lane] = ((time - start) / (f64::from(*end) - start)) as f32;
        }
        let arc = Arc::between(ends[0], ends[1]);
        (squared.0[lane], scale.0[lane]) = (arc.squared as f32, arc.scale as f32);
        for (rows, q) in rows.iter_mut().zip(ends) {
            q.iter().zip(rows).for_each(|(part, row)| row.0[lane] = *part);
        }
    }
    let (a, share) = (load::<L, 4>(&rows[0]), L::load(&u));
    let arc = Arc { squared: L::load(&squared), scale: L::load(&scale) };
    let turned = slerp(a, load(&rows[1]), arc, &Share::new(share));
    let between = L::splat(0.0).below(share);
    for ((turned, a), row) in turned.iter().zip(&a).zip(&mut rows[0]) {
        L::select(between, *turned, *a).store(row);
    }
    for (lane, channel) in channels.iter().enumerate() {
        let rotation = Quat::from_array(rows[0].map(|row| row.0[lane]));
        out.set_rotation(clip.channels[*channel as usize].node(), rotation);
    }
}

/// Channels of any kind by their tracks' own arithmetic, which has no sine in it but for linear
/// rotations.
fn sample_apart(
    clip: &Clip,
    (channels, keys): (&[u32], &mut [u32]),
    time: f64,
    out: &mut LocalPose,
) {
    for (channel, key) in channels.iter().zip(keys) {
        let channel = &clip.channels[*channel as usize];
        match channel {
            Channel::Translation { node, track } => {
                let mut value = [glam::Vec3::ZERO];
                track.sample_from(keep_place(track, key, time), time, &mut value);
                out.set_translation(*node, value[0]);
            }
            Channel::Rotation { node, track } => {
                let mut value = [Quat::IDENTITY];
                track.sample_from(keep_place(track, key, time), time, &mut value);
                out.set_rotation(*node, value[0]);
            }
            Channel::Scale { node, track } => {
                let mut value = [glam::Vec3::ZERO];
                track.sample_from(keep_place(track, key, time), time, &mut value);
                out.set_scale(*node, value[0]);
            }
            Channel::Weights { node, track, .. } => {
                let at = keep_place(track, key, time);
                track.sample_from(at, time, &mut out.weights_mut(*node)[channel.values()]);
            }
        }
    }
}

/// The key at or before a time, and the cursor left there.
fn keep_place<T: super::Value>(track: &Track<T>, key: &mut u32, time: f64) -> usize {
    let at = find(track.times(), *key as usize, time);
    *key = at as u32;
    at
}
