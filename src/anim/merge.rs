//! Prepares a clip: which channels go onto one timeline, and their values at its times.
//!
//! The timeline is the union of the channels' key times. A piece between two keys that is cut by
//! another channel's key stays the same curve, straight or on its great circle. A channel whose times
//! would make the whole larger than four times the clip stays apart.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

use super::lanes::{Eight, LANES};
use super::pose::{ROTATION, ROWS, SCALE};
use super::prepared::{ALL_DRIVEN, Block, PreparedClip};
use super::slerp::{Arc, slerp_exactly};
use super::{Channel, Clip, Keys, Track, Value};

/// How many times the clip's own bytes the prepared form may take.
const MOST_BYTES: usize = 4;

/// How many different lists of times are tried: more than that many hardly share one timeline, and
/// a file can have thousands.
const MOST_SETS: usize = 256;

/// Makes the prepared form for rigs of so many nodes. Reads the channels' keys twice: once to
/// find out what changes and when, once to fill the frames.
pub(super) fn prepare(clip: &Clip, nodes: usize) -> PreparedClip {
    // Of two channels on one target the later wins: the earlier one is never looked at.
    let mut last = BTreeMap::new();
    for (i, channel) in clip.channels.iter().enumerate() {
        last.insert(channel.target(), i);
    }
    let mut channels: Vec<usize> = last.into_values().collect();
    channels.sort_unstable();

    let budget = MOST_BYTES * channels.iter().map(|c| bytes(&clip.channels[*c])).sum::<usize>();
    let budget = budget.saturating_sub(channels.len() * size_of::<u32>());
    let mut still = Layer::default();
    let mut linear = Vec::new();
    for &i in &channels {
        let channel = &clip.channels[i];
        if row(channel).is_none() {
            continue;
        }
        if is_constant(channel) {
            still.add(clip, &[i]);
        } else if channel.interpolation() == super::Interpolation::Linear && !is_huge(channel) {
            linear.push(i);
        }
    }
    if still.bytes(1) > budget {
        still = Layer::default();
    }
    // What most channels share comes first; a set that makes it too large stays apart.
    let own_times = |i: &usize| clip.channels[*i].times();
    linear.sort_by(|a, b| own_times(a).partial_cmp(own_times(b)).unwrap_or(Ordering::Equal));
    let mut sets: Vec<&[usize]> = linear.chunk_by(|a, b| own_times(a) == own_times(b)).collect();
    sets.sort_by_key(|set| Reverse((set.len(), own_times(&set[0]).len())));
    let (mut times, mut moving) = (Vec::new(), Layer::default());
    for set in sets.into_iter().take(MOST_SETS) {
        let (all, mut more) = (union(&times, own_times(&set[0])), moving.clone());
        more.add(clip, set);
        if still.bytes(1) + more.bytes(all.len()) <= budget {
            (times, moving) = (all, more);
        }
    }

    let mut out = PreparedClip { nodes, ..PreparedClip::default() };
    out.still = still.blocks(nodes, &mut out.undriven);
    out.held = still.frames(clip, &[0.0]);
    out.moving = moving.blocks(nodes, &mut out.undriven);
    for block in &mut out.moving {
        block.again = still.driven.contains_key(&(block.row as usize));
    }
    out.frames = moving.frames(clip, &times);
    out.width = out.moving.iter().map(Block::width).sum();
    out.kept = (0..nodes.div_ceil(LANES) * ROWS)
        .filter(|row| [0, ROTATION, SCALE].contains(&(row % ROWS)))
        .filter(|row| !still.driven.contains_key(row) && !moving.driven.contains_key(row))
        .map(block)
        .collect();
    out.times = times;
    let placed: BTreeSet<usize> = still.channels.iter().chain(&moving.channels).copied().collect();
    for i in channels.into_iter().filter(|i| !placed.contains(i)) {
        let linear = clip.channels[i].interpolation() == super::Interpolation::Linear;
        match &clip.channels[i] {
            Channel::Rotation { .. } if linear => out.turned_apart.push(i as u32),
            _ => out.apart.push(i as u32),
        }
    }
    out
}

/// Channels that go into blocks together.
#[derive(Clone, Debug, Default)]
struct Layer {
    channels: Vec<usize>,
    /// The nodes of each block, by the block's first row in a pose: a bit a lane.
    driven: BTreeMap<usize, u8>,
}

impl Layer {
    fn add(&mut self, clip: &Clip, channels: &[usize]) {
        for &i in channels {
            let channel = &clip.channels[i];
            let row = row(channel).expect("weights have no row");
            *self.driven.entry(row).or_default() |= 1 << (channel.node() % LANES);
            self.channels.push(i);
        }
    }

    /// What it takes with so many frames, with a list of undriven nodes for each block.
    fn bytes(&self, frames: usize) -> usize {
        let rows: usize = self.driven.keys().map(|row| width(*row)).sum();
        let a_block = size_of::<Block>() + size_of::<Eight>();
        self.driven.len() * a_block + frames * (rows * size_of::<Eight>() + size_of::<f32>())
    }

    fn blocks(&self, nodes: usize, undriven: &mut Vec<Eight>) -> Vec<Block> {
        let with_mask = |(&row, &driven): (&usize, &u8)| {
            // Lanes behind the last node are nobody's.
            let there = (nodes - row / ROWS * LANES).min(LANES);
            let kept: [f32; LANES] =
                std::array::from_fn(|i| f32::from(i < there && driven >> i & 1 == 0));
            let mut entry = ALL_DRIVEN;
            if kept.contains(&1.0) {
                entry = undriven.len() as u32;
                undriven.push(Eight(kept));
            }
            Block { undriven: entry, ..block(row) }
        };
        self.driven.iter().map(with_mask).collect()
    }

    /// The blocks' rows at each of the times.
    fn frames(&self, clip: &Clip, times: &[f32]) -> Vec<Eight> {
        let mut places = BTreeMap::new();
        let mut frame = 0;
        for &row in self.driven.keys() {
            places.insert(row, frame);
            frame += width(row);
        }
        let mut out = vec![Eight::default(); frame * times.len()];
        // Lanes that nobody drives turn by nothing.
        for (&first, at) in places.iter().filter(|(row, _)| *row % ROWS == ROTATION) {
            let free = !self.driven[&first];
            for rows in out.chunks_exact_mut(frame) {
                let lanes = rows[at + 3].0.iter_mut().enumerate();
                lanes.filter(|(i, _)| free >> i & 1 == 1).for_each(|(_, w)| *w = 1.0);
            }
        }
        for &i in &self.channels {
            let channel = &clip.channels[i];
            let at = places[&row(channel).expect("weights have no row")];
            let lane = channel.node() % LANES;
            let mut put = |time: usize, value: &[f32]| {
                for (row, part) in out[time * frame + at..].iter_mut().zip(value) {
                    row.0[lane] = *part;
                }
            };
            match channel {
                Channel::Translation { track, .. } | Channel::Scale { track, .. } => {
                    fill(track, times, |time, a, b, u| {
                        let at =
                            |i: usize| (f64::from(a[i]) * (1.0 - u) + f64::from(b[i]) * u) as f32;
                        let cut = if u == 0.0 { a.to_array() } else { [at(0), at(1), at(2)] };
                        put(time, &cut);
                    });
                }
                Channel::Rotation { track, .. } => fill(track, times, |time, a, b, u| {
                    let (a, b) = (a.to_array(), b.to_array());
                    put(time, &if u == 0.0 { a } else { slerp_exactly(a, b, u) });
                }),
                Channel::Weights { .. } => {}
            }
        }
        for (_, at) in places.into_iter().filter(|(row, _)| row % ROWS == ROTATION) {
            put_arcs(&mut out, frame, at);
        }
        out
    }
}

/// Fills the two rows behind a block's rotations with the arcs to the next frame's; the last
/// frame's lead nowhere.
fn put_arcs(frames: &mut [Eight], frame: usize, at: usize) {
    for now in (at..frames.len()).step_by(frame) {
        for lane in 0..LANES {
            let turn = |first: usize| std::array::from_fn(|i| frames[first + i].0[lane]);
            let there = now + frame < frames.len();
            let arc = if there { Arc::between(turn(now), turn(now + frame)) } else { Arc::NONE };
            frames[now + 4].0[lane] = arc.squared as f32;
            frames[now + 5].0[lane] = arc.scale as f32;
        }
    }
}

/// For each of the times the keys around it and how far it is from the first to the second: 0 where
/// it is the first one's time, or outside.
fn fill<T: Value>(track: &Track<T>, times: &[f32], mut put: impl FnMut(usize, T, T, f64)) {
    let own = track.times();
    let value = |key: usize| match track.keys() {
        Keys::Step(values) | Keys::Linear(values) => values[key],
        // Only these are as the file has them.
        Keys::Cubic { values, .. } => values[key].prepare(),
    };
    let mut key = 0;
    for (i, &time) in times.iter().enumerate() {
        while own.get(key + 1).is_some_and(|next| *next <= time) {
            key += 1;
        }
        let next = (key + 1).min(own.len() - 1);
        let start = f64::from(own[key]);
        let span = f64::from(own[next]) - start;
        let past = f64::from(time) - start;
        let u = if span > 0.0 && past > 0.0 { past / span } else { 0.0 };
        put(i, value(key), value(next), u);
    }
}

/// A channel's first row in a pose; none for weights.
fn row(channel: &Channel) -> Option<usize> {
    let first = match channel {
        Channel::Translation { .. } => 0,
        Channel::Rotation { .. } => ROTATION,
        Channel::Scale { .. } => SCALE,
        Channel::Weights { .. } => return None,
    };
    Some(channel.node() / LANES * ROWS + first)
}

/// Rows in a frame of the property that begins at a row.
fn width(row: usize) -> usize {
    block(row).width()
}

/// A property of eight nodes that are all driven.
fn block(row: usize) -> Block {
    Block { row: row as u32, undriven: ALL_DRIVEN, turns: row % ROWS == ROTATION, again: false }
}

/// Whether a channel has keys so large that a weighted sum of two in single precision may be none.
fn is_huge(channel: &Channel) -> bool {
    let (Channel::Translation { track, .. } | Channel::Scale { track, .. }) = channel else {
        return false;
    };
    let Keys::Linear(values) = track.keys() else { return false };
    values.iter().any(|value| value.abs().max_element() > 0.5 * f32::MAX)
}

/// Whether every time gives the same bits.
fn is_constant(channel: &Channel) -> bool {
    fn same<T: Value + PartialEq>(track: &Track<T>, bits: impl Fn(&T) -> [u32; 4]) -> bool {
        match track.keys() {
            _ if track.times().len() == 1 => true,
            Keys::Step(values) | Keys::Linear(values) => {
                values.iter().all(|value| bits(value) == bits(&values[0]))
            }
            Keys::Cubic { .. } => false,
        }
    }
    match channel {
        Channel::Translation { track, .. } | Channel::Scale { track, .. } => {
            same(track, |v| v.extend(0.0).to_array().map(f32::to_bits))
        }
        Channel::Rotation { track, .. } => same(track, |q| q.to_array().map(f32::to_bits)),
        Channel::Weights { .. } => false,
    }
}

/// The bytes of a channel's times and values.
pub(super) fn bytes(channel: &Channel) -> usize {
    let times = size_of_val(channel.times());
    let (width, value) = match channel {
        Channel::Translation { .. } | Channel::Scale { .. } => (1, 12),
        Channel::Rotation { .. } => (1, 16),
        Channel::Weights { track, .. } => (track.width(), 4),
    };
    let lists = if channel.interpolation() == super::Interpolation::CubicSpline { 3 } else { 1 };
    times + channel.times().len() * width * value * lists
}

/// Two rising lists as one.
fn union(a: &[f32], b: &[f32]) -> Vec<f32> {
    let mut out = [a, b].concat();
    out.sort_by(f32::total_cmp);
    // 0 and -0 are one time.
    out.dedup_by(|a, b| a == b);
    out
}
