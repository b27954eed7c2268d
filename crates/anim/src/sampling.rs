//! The evaluator behind [`crate::Clip::pose`]: eight nodes at a time from [`ClipFrames`], then
//! the channels that are sampled separately.

use glam::{Quat, Vec3};

use super::cursor::find;
use super::frames::{ALL_DRIVEN, Block, ClipFrames};
use super::lanes::{F32x8, LANES, Lanes, Work, load};
use super::slerp::{SlerpArc, SlerpWeights, slerp};
use super::{Channel, Cursor, Keys, LocalPose, Track, Value};

/// Poses a rig, except for its morph weights at rest and its properties.
pub(super) struct Sampling<'a> {
    pub channels: &'a [Channel],
    pub frames: &'a ClipFrames,
    /// In seconds, not NaN.
    pub time: f64,
    pub rest: &'a LocalPose,
    /// Its frame is at the time already; its keys are as many as the separate channels.
    pub cursor: &'a mut Cursor,
    pub out: &'a mut LocalPose,
}

impl Work for Sampling<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { channels, frames, time, rest, cursor, out } = self;
        let masks = &frames.rest_masks;
        let mut to = PoseWriter { rest: rest.rows(), rows: out.rows_mut(), rest_masks: masks };
        to.keep_rest::<L>(&frames.undriven);
        to.hold::<L>(&frames.still, &frames.still_rows);
        if !frames.times.is_empty() {
            let at = cursor.frame;
            let start = f64::from(frames.times[at]);
            let width = frames.width;
            let (now, next) = frames.rows[at * width..].split_at(width);
            match frames.times.get(at + 1) {
                Some(end) if time > start => {
                    let u = ((time - start) / (f64::from(*end) - start)) as f32;
                    to.interpolate::<L>(&frames.moving, now, &next[..width], u);
                }
                _ => to.hold::<L>(&frames.moving, now),
            }
        }
        if frames.separate_channels() > 0 {
            let (keys, other_keys) = cursor.keys.split_at_mut(frames.separate_rotations.len());
            let eights = frames.separate_rotations.chunks(LANES).zip(keys.chunks_mut(LANES));
            for (indices, keys) in eights {
                Separate { channels, indices, keys, time }.rotations::<L>(out);
            }
            let indices = &frames.separate_others;
            Separate { channels, indices, keys: other_keys, time }.others(out);
        }
    }
}

/// Writes blocks into the rows of a pose.
struct PoseWriter<'a> {
    rest: &'a [F32x8],
    rows: &'a mut [F32x8],
    rest_masks: &'a [F32x8],
}

impl PoseWriter<'_> {
    #[inline(always)]
    fn write<L: Lanes, const N: usize>(&mut self, block: &Block, values: [L; N]) {
        let rows = &mut self.rows[block.row as usize..][..N];
        if block.rest_mask == ALL_DRIVEN {
            for (value, row) in values.iter().zip(rows) {
                value.store(row);
            }
        } else {
            // Loading a row right after storing it stalls (store forwarding), so the first block
            // of a row reads the rest pose instead.
            let rest = &self.rest[block.row as usize..][..N];
            let under = if block.is_second { load::<L, N>(rows) } else { load::<L, N>(rest) };
            let mask = L::load(&self.rest_masks[block.rest_mask as usize]);
            let keeps_rest = L::splat(0.0).below(mask);
            for ((value, under), row) in values.iter().zip(under).zip(rows) {
                L::select(keeps_rest, under, *value).store(row);
            }
        }
    }

    /// Writes the rest pose's values.
    #[inline(always)]
    fn keep_rest<L: Lanes>(&mut self, blocks: &[Block]) {
        for block in blocks {
            let rest = &self.rest[block.row as usize..];
            if block.is_rotation {
                self.write::<L, 4>(block, load(&rest[..4]));
            } else {
                self.write::<L, 3>(block, load(&rest[..3]));
            }
        }
    }

    /// Writes the values of one time.
    #[inline(always)]
    fn hold<L: Lanes>(&mut self, blocks: &[Block], mut from: &[F32x8]) {
        for block in blocks {
            let (rows, rest) = from.split_at(block.width());
            if block.is_rotation {
                self.write::<L, 4>(block, load(rows));
            } else {
                self.write::<L, 3>(block, load(rows));
            }
            from = rest;
        }
    }

    /// Writes the values at the fraction `u` of the way from one time to the next.
    #[inline(always)]
    fn interpolate<L: Lanes>(&mut self, blocks: &[Block], now: &[F32x8], next: &[F32x8], u: f32) {
        let (mut now, mut next) = (now, next);
        let weights = SlerpWeights::new(L::splat(u));
        let (v, u) = (L::splat(1.0 - u), L::splat(u));
        for block in blocks {
            let ((a, now_rest), (b, next_rest)) =
                (now.split_at(block.width()), next.split_at(block.width()));
            if block.is_rotation {
                let [squared, scale] = load::<L, 2>(&a[4..]);
                let turned = slerp(load(a), load(b), SlerpArc { squared, scale }, &weights);
                self.write::<L, 4>(block, turned);
            } else {
                // Finite keys never overflow: the products of f32::MAX are rounded down.
                let (a, b) = (load::<L, 3>(a), load::<L, 3>(b));
                self.write::<L, 3>(
                    block,
                    [v * a[0] + u * b[0], v * a[1] + u * b[1], v * a[2] + u * b[2]],
                );
            }
            (now, next) = (now_rest, next_rest);
        }
    }
}

/// Channels that are sampled from their own tracks.
struct Separate<'a> {
    channels: &'a [Channel],
    indices: &'a [u32],
    /// The cursor's keys, one per index.
    keys: &'a mut [u32],
    time: f64,
}

impl Separate<'_> {
    /// Samples up to eight linear rotations together, each between its own keys.
    #[inline(always)]
    fn rotations<L: Lanes>(self, out: &mut LocalPose) {
        let Self { channels, indices, keys, time } = self;
        let mut rows = [[F32x8::default(); 4]; 2];
        let (mut u, mut squared, mut scale) =
            (F32x8::default(), F32x8::default(), F32x8::default());
        for (lane, (channel, key)) in indices.iter().zip(keys.iter_mut()).enumerate() {
            let Channel::Rotation { track, .. } = &channels[*channel as usize] else { continue };
            let Keys::Linear(values) = track.keys() else { continue };
            let at = move_to(key, track, time);
            let start = f64::from(track.times()[at]);
            let mut ends = [values[at].to_array(); 2];
            if let Some(end) = track.times().get(at + 1)
                && time > start
            {
                ends[1] = values[at + 1].to_array();
                u.0[lane] = ((time - start) / (f64::from(*end) - start)) as f32;
            }
            let arc = SlerpArc::between(ends[0], ends[1]);
            (squared.0[lane], scale.0[lane]) = (arc.squared as f32, arc.scale as f32);
            for (rows, q) in rows.iter_mut().zip(ends) {
                q.iter().zip(rows).for_each(|(part, row)| row.0[lane] = *part);
            }
        }
        let (a, u) = (load::<L, 4>(&rows[0]), L::load(&u));
        let arc = SlerpArc { squared: L::load(&squared), scale: L::load(&scale) };
        let turned = slerp(a, load(&rows[1]), arc, &SlerpWeights::new(u));
        // At a key's own time the key is kept bit for bit.
        let between = L::splat(0.0).below(u);
        for ((turned, a), row) in turned.iter().zip(&a).zip(&mut rows[0]) {
            L::select(between, *turned, *a).store(row);
        }
        for (lane, channel) in indices.iter().enumerate() {
            let rotation = Quat::from_array(rows[0].map(|row| row.0[lane]));
            out.set_rotation(channels[*channel as usize].node(), rotation);
        }
    }

    /// Samples channels of any kind, each by its track's own arithmetic.
    fn others(self, out: &mut LocalPose) {
        let Self { channels, indices, keys, time } = self;
        for (channel, key) in indices.iter().zip(keys) {
            let channel = &channels[*channel as usize];
            match channel {
                Channel::Translation { node, track } => {
                    let mut value = [Vec3::ZERO];
                    track.sample_from(move_to(key, track, time), time, &mut value);
                    out.set_translation(*node, value[0]);
                }
                Channel::Rotation { node, track } => {
                    let mut value = [Quat::IDENTITY];
                    track.sample_from(move_to(key, track, time), time, &mut value);
                    out.set_rotation(*node, value[0]);
                }
                Channel::Scale { node, track } => {
                    let mut value = [Vec3::ZERO];
                    track.sample_from(move_to(key, track, time), time, &mut value);
                    out.set_scale(*node, value[0]);
                }
                Channel::Weights { node, track, .. } => {
                    let at = move_to(key, track, time);
                    track.sample_from(at, time, &mut out.weights_mut(*node)[channel.values()]);
                }
            }
        }
    }
}

/// Moves a cursor's key to the key at or before a time, and returns its index.
fn move_to<T: Value>(key: &mut u32, track: &Track<T>, time: f64) -> usize {
    let at = find(track.times(), *key as usize, time);
    *key = at as u32;
    at
}
