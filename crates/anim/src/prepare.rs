//! Builds [`ClipFrames`]: decides which channels go onto the common timeline and resamples them.
//!
//! The timeline is the union of the channels' key times. Another channel's key inside a segment
//! does not change the segment's curve: both halves stay on the same line or great circle. A channel
//! whose times would grow the whole beyond four times the clip's size is sampled separately.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::frames::{ALL_DRIVEN, Block, ClipFrames};
use super::lanes::{F32x8, LANES};
use super::pose::{ROTATION, ROWS, SCALE};
use super::slerp::{SlerpArc, slerp_exactly};
use super::{Channel, Interpolation, Keys, Track, Value};

/// Maximum size of the prepared form as a multiple of the clip's own size.
const MAX_GROWTH: usize = 4;

/// Maximum number of distinct lists of key times to try. A file can have thousands, and so many
/// hardly share one timeline.
const MAX_TIME_LISTS: usize = 256;

/// Builds the frames for rigs of this many nodes.
///
/// # Panics
/// If a channel drives a node that such a rig lacks.
pub(super) fn prepare(channels: &[Channel], nodes: usize) -> ClipFrames {
    if let Some(node) = channels.iter().map(Channel::node).find(|node| *node >= nodes) {
        panic!("a channel drives node {node}; node count of the rig: {nodes}");
    }
    let effective = effective(channels);
    let BlockLayout { times, moving, still } = layout(channels, &effective);
    let mut out = ClipFrames { nodes, ..ClipFrames::default() };
    out.still = still.blocks(nodes, &mut out.rest_masks);
    out.still_rows = still.rows(channels, &[0.0]);
    out.moving = moving.blocks(nodes, &mut out.rest_masks);
    for block in &mut out.moving {
        block.is_second = still.driven.contains_key(&(block.row as usize));
    }
    out.rows = moving.rows(channels, &times);
    out.width = out.moving.iter().map(Block::width).sum();
    out.undriven = (0..nodes.div_ceil(LANES) * ROWS)
        .filter(|row| [0, ROTATION, SCALE].contains(&(row % ROWS)))
        .filter(|row| !still.driven.contains_key(row) && !moving.driven.contains_key(row))
        .map(block)
        .collect();
    out.times = times;
    let placed: BTreeSet<usize> = still.channels.iter().chain(&moving.channels).copied().collect();
    for i in effective.into_iter().filter(|i| !placed.contains(i)) {
        let linear = channels[i].interpolation() == Interpolation::Linear;
        match &channels[i] {
            Channel::Rotation { .. } if linear => out.separate_rotations.push(i as u32),
            _ => out.separate_others.push(i as u32),
        }
    }
    out
}

/// Returns the indices of the channels that have an effect: the last one of each target.
fn effective(channels: &[Channel]) -> Vec<usize> {
    let mut last = BTreeMap::new();
    for (i, channel) in channels.iter().enumerate() {
        last.insert(channel.target(), i);
    }
    let mut effective: Vec<usize> = last.into_values().collect();
    effective.sort_unstable();
    effective
}

/// The channels that go into blocks, and their timeline.
struct BlockLayout {
    times: Vec<f32>,
    moving: BlockSet,
    still: BlockSet,
}

/// Selects the channels that go into blocks within the memory budget.
fn layout(channels: &[Channel], effective: &[usize]) -> BlockLayout {
    // Keys that several channels share are in memory once.
    let mut seen = HashSet::new();
    let own = effective.iter().map(|i| &channels[*i]).filter(|c| seen.insert(c.keys_id()));
    let budget = MAX_GROWTH * own.map(Channel::bytes).sum::<usize>();
    let budget = budget.saturating_sub(effective.len() * size_of::<u32>());
    let mut still = BlockSet::default();
    let mut linear = Vec::new();
    for &i in effective {
        let channel = &channels[i];
        if row(channel).is_none() {
            continue;
        }
        if is_constant(channel) {
            still.add(channels, &[i]);
        } else if channel.interpolation() == Interpolation::Linear {
            linear.push(i);
        }
    }
    if still.bytes(1) > budget {
        still = BlockSet::default();
    }
    // The times that most channels share go first; a list that exceeds the budget is skipped.
    let own_times = |i: &usize| channels[*i].times();
    linear.sort_by(|a, b| own_times(a).partial_cmp(own_times(b)).unwrap_or(Ordering::Equal));
    let mut sets: Vec<&[usize]> = linear.chunk_by(|a, b| own_times(a) == own_times(b)).collect();
    sets.sort_by_key(|set| Reverse((set.len(), own_times(&set[0]).len())));
    let (mut times, mut moving) = (Vec::new(), BlockSet::default());
    for set in sets.into_iter().take(MAX_TIME_LISTS) {
        let (all, mut more) = (union(&times, own_times(&set[0])), moving.clone());
        more.add(channels, set);
        if still.bytes(1) + more.bytes(all.len()) <= budget {
            (times, moving) = (all, more);
        }
    }
    BlockLayout { times, moving, still }
}

/// Channels that share blocks.
#[derive(Clone, Debug, Default)]
struct BlockSet {
    /// Indices of the channels.
    channels: Vec<usize>,
    /// The driven nodes of each block, one bit per lane, by the block's first row in a pose.
    driven: BTreeMap<usize, u8>,
}

impl BlockSet {
    fn add(&mut self, channels: &[Channel], indices: &[usize]) {
        for &i in indices {
            let channel = &channels[i];
            let row = row(channel).expect("weights have no row");
            *self.driven.entry(row).or_default() |= 1 << (channel.node() % LANES);
            self.channels.push(i);
        }
    }

    /// Returns the size for this many times, with a rest mask for each block.
    fn bytes(&self, times: usize) -> usize {
        let rows: usize = self.driven.keys().map(|row| width(*row)).sum();
        let per_block = size_of::<Block>() + size_of::<F32x8>();
        self.driven.len() * per_block + times * (rows * size_of::<F32x8>() + size_of::<f32>())
    }

    /// Returns the blocks in the order of their rows, and appends the masks that they need.
    fn blocks(&self, nodes: usize, rest_masks: &mut Vec<F32x8>) -> Vec<Block> {
        let with_mask = |(&row, &driven): (&usize, &u8)| {
            // Lanes past the last node are padding.
            let used = (nodes - row / ROWS * LANES).min(LANES);
            let keeps_rest: [f32; LANES] =
                std::array::from_fn(|i| f32::from(i < used && driven >> i & 1 == 0));
            let mut rest_mask = ALL_DRIVEN;
            if keeps_rest.contains(&1.0) {
                rest_mask = rest_masks.len() as u32;
                rest_masks.push(F32x8(keeps_rest));
            }
            Block { rest_mask, ..block(row) }
        };
        self.driven.iter().map(with_mask).collect()
    }

    /// Returns the rows of the blocks at each of the times. Lanes that no channel drives are 0.
    fn rows(&self, channels: &[Channel], times: &[f32]) -> Vec<F32x8> {
        let mut offsets = BTreeMap::new();
        let mut frame = 0;
        for &row in self.driven.keys() {
            offsets.insert(row, frame);
            frame += width(row);
        }
        let mut out = vec![F32x8::default(); frame * times.len()];
        for &i in &self.channels {
            let channel = &channels[i];
            let at = offsets[&row(channel).expect("weights have no row")];
            resample(channel, times, |time, value| {
                for (row, part) in out[time * frame + at..].iter_mut().zip(value) {
                    row.0[channel.node() % LANES] = *part;
                }
            });
        }
        for (_, at) in offsets.into_iter().filter(|(row, _)| row % ROWS == ROTATION) {
            put_arcs(&mut out, frame, at);
        }
        out
    }
}

/// Calls `put` with the index of each time and the channel's value there.
fn resample(channel: &Channel, times: &[f32], mut put: impl FnMut(usize, &[f32])) {
    match channel {
        Channel::Translation { track, .. } | Channel::Scale { track, .. } => {
            for_each_time(track, times, |time, a, b, u| {
                let at = |i: usize| (f64::from(a[i]) * (1.0 - u) + f64::from(b[i]) * u) as f32;
                put(time, &if u == 0.0 { a.to_array() } else { [at(0), at(1), at(2)] });
            });
        }
        Channel::Rotation { track, .. } => for_each_time(track, times, |time, a, b, u| {
            let (a, b) = (a.to_array(), b.to_array());
            put(time, &if u == 0.0 { a } else { slerp_exactly(a, b, u) });
        }),
        Channel::Weights { .. } => {}
    }
}

/// Fills the two rows after a block's rotations with the arcs to the rotations of the next time. The
/// last time gets empty arcs.
fn put_arcs(rows: &mut [F32x8], frame: usize, at: usize) {
    for now in (at..rows.len()).step_by(frame) {
        for lane in 0..LANES {
            let rotation = |first: usize| std::array::from_fn(|i| rows[first + i].0[lane]);
            let arc = if now + frame < rows.len() {
                SlerpArc::between(rotation(now), rotation(now + frame))
            } else {
                SlerpArc::EMPTY
            };
            rows[now + 4].0[lane] = arc.squared as f32;
            rows[now + 5].0[lane] = arc.scale as f32;
        }
    }
}

/// Calls `put` for each time with its index, the values of the keys before and after it, and the
/// fraction of the way between them: 0 at a key's own time and outside the track.
fn for_each_time<T: Value>(track: &Track<T>, times: &[f32], mut put: impl FnMut(usize, T, T, f64)) {
    let own = track.times();
    let value = |key: usize| match track.keys() {
        Keys::Step(values) | Keys::Linear(values) => values[key],
        // Only cubic rotations are not normalised by the track.
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

/// Returns the channel's first row in a pose; `None` for weights, which are not stored in rows.
fn row(channel: &Channel) -> Option<usize> {
    let first = match channel {
        Channel::Translation { .. } => 0,
        Channel::Rotation { .. } => ROTATION,
        Channel::Scale { .. } => SCALE,
        Channel::Weights { .. } => return None,
    };
    Some(channel.node() / LANES * ROWS + first)
}

/// Returns the width of the block that starts at a row of a pose.
fn width(row: usize) -> usize {
    block(row).width()
}

/// Returns the block that starts at a row of a pose, with all nodes driven.
fn block(row: usize) -> Block {
    Block {
        row: row as u32,
        rest_mask: ALL_DRIVEN,
        is_rotation: row % ROWS == ROTATION,
        is_second: false,
    }
}

/// Whether the value has the same bits at all times.
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

/// Merges two strictly increasing lists into one.
fn union(a: &[f32], b: &[f32]) -> Vec<f32> {
    let mut out = [a, b].concat();
    out.sort_by(f32::total_cmp);
    // 0 and -0 are one time.
    out.dedup_by(|a, b| a == b);
    out
}
