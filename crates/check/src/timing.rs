//! Rules of the times of keys: CLIP_LATE, CHANNELS_UNEVEN, KEYS_OFF_GRID, KEYS_GAP.

use glam::DVec3;

use super::take::Take;
use super::{Code, Finding};
use rigview_anim::{Channel, LocalPose};

/// The distance up to which a key lies on a frame, in seconds.
pub(super) const SAME: f64 = 1e-3;

/// Frames per second of the grids that keys may lie on.
const RATES: [f64; 8] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0];

pub(super) fn findings(take: &Take) -> Vec<Finding> {
    let mut found = Vec::new();
    let start = f64::from(take.clip.start_secs());
    let called = take.called();
    let limit = take.rig.threshold(Code::ClipLate);
    if start > limit {
        let text = format!("{called} starts with its first key at {start:.3} s, not at 0");
        let finding = Finding::new(Code::ClipLate, text).measured(start, "s").limited(limit);
        found.push(finding.when(start));
    }
    let channels = take.clip.channels().iter().map(Channel::times);
    let properties = take.clip.properties().iter().map(|property| property.track.times());
    let all = || channels.clone().chain(properties.clone());
    let limit = take.rig.threshold(Code::ChannelsUneven);
    if let Some((first, last)) = last_keys(all()).filter(|(first, last)| last - first > limit) {
        let text = format!("channels of {called} end between {first:.3} s and {last:.3} s");
        let finding = Finding::new(Code::ChannelsUneven, text).measured(last - first, "s");
        found.push(finding.limited(limit).when(first));
    }
    let place = |finding: Finding| finding.at(take.pointer()).in_clip(take.name());
    if !take.rig.model.source.has_own_keys() {
        return found.into_iter().map(place).collect();
    }
    let limit = take.rig.threshold(Code::KeysOffGrid);
    if let Some((rate, share)) = off_grid(all()).filter(|(_, share)| *share > limit) {
        let text = format!(
            "{:.1} % of the keys of {called} are off the nearest grid, {rate} frames per second",
            100.0 * share
        );
        let finding = Finding::new(Code::KeysOffGrid, text).measured(share, "share of the keys");
        found.push(finding.limited(limit));
    }
    if let Some(Gap { start, frames, others }) = gap(take) {
        let text = format!(
            "{called} has no key for {frames:.1} frames after {start:.3} s; its {others} others are one frame apart"
        );
        let finding = Finding::new(Code::KeysGap, text).measured(frames, "frames");
        found.push(finding.limited(take.rig.threshold(Code::KeysGap)).when(start));
    }
    found.into_iter().map(place).collect()
}

/// A stretch of time without a key in a clip that otherwise has one on every frame.
struct Gap {
    /// The time of the key before it, in seconds.
    start: f64,
    frames: f64,
    /// The number of pairs of neighbouring keys elsewhere.
    others: usize,
}

/// Returns the longest gap of a clip with a key on every other frame. Keys may be left out where a pose is held, and where
/// everything goes on at the speed of the frames beside the gap.
fn gap(take: &Take) -> Option<Gap> {
    /// The fewest steps that show a rhythm, and the share of them that may break it.
    const LEAST: usize = 8;
    const BREAKS: usize = 20;
    /// The longest frame, in seconds, and how much frames may differ.
    const LONGEST: f64 = 0.1;
    const EVEN: f64 = 0.1;
    let mut keys: Vec<f64> = take.clip.key_times().map(f64::from).collect();
    keys.sort_unstable_by(f64::total_cmp);
    keys.dedup();
    let steps: Vec<f64> = keys.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if steps.len() < LEAST {
        return None;
    }
    let mut sorted = steps.clone();
    let frame = *sorted.select_nth_unstable_by(steps.len() / 2, f64::total_cmp).1;
    let is_even = |step: &f64| (step / frame - 1.0).abs() < EVEN;
    let others = steps.iter().filter(|step| is_even(step)).count();
    let breaks = steps.len() - others;
    if frame > LONGEST || breaks * BREAKS > steps.len().max(BREAKS) {
        return None;
    }
    let limit = frame * take.rig.threshold(Code::KeysGap);
    let pose = |key: f64| take.stage_at(key).local;
    let slots = take.rig.model.slots.len();
    let gaps = (0..steps.len()).filter(|at| steps[*at] > limit);
    let at = gaps
        .filter(|at| {
            let poses = |at: usize| [pose(keys[at]), pose(keys[at + 1])];
            let gap = Step { poses: poses(*at), secs: steps[*at] };
            let beside = at.checked_sub(1).into_iter().chain(Some(at + 1));
            let mut beside = beside.filter(|at| *at < steps.len());
            let goes_on =
                |at: usize| gap.is_as_fast_as(&Step { poses: poses(at), secs: steps[at] }, slots);
            gap.poses[0] != gap.poses[1] && !beside.all(goes_on)
        })
        .max_by(|a, b| steps[*a].total_cmp(&steps[*b]))?;
    Some(Gap { start: keys[at], frames: steps[at] / frame, others })
}

/// The time between two keys of a clip.
struct Step {
    poses: [LocalPose; 2],
    secs: f64,
}

impl Step {
    /// Whether everything moves at the speed that it has in another step.
    fn is_as_fast_as(&self, other: &Self, slots: usize) -> bool {
        /// The largest difference of two speeds, as a share of them.
        const ALIKE: f64 = 0.05;
        /// The largest change in the other step that is rounding, relative to numbers above 1.
        const ROUNDING: f64 = 1e-5;
        let is_alike = |(way, beside): (&Way, &Way)| {
            let expected = beside.change * (self.secs / other.secs);
            let most = ALIKE * way.change.length() + ROUNDING * way.from.max(1.0);
            way.change.distance(expected) <= most
        };
        self.ways(slots).iter().zip(&other.ways(slots)).all(is_alike)
    }

    /// Returns the changes of all nodes, morph weights and property slots.
    fn ways(&self, slots: usize) -> Vec<Way> {
        let [a, b] = &self.poses;
        let mut ways = Vec::new();
        for node in 0..a.len() {
            let [from, to] = [a, b].map(|pose| pose.transform(node));
            let turn = from.rotation.as_dquat().inverse() * to.rotation.as_dquat();
            let turn = if turn.w < 0.0 { -turn } else { turn };
            ways.push(Way { from: 1.0, change: turn.to_scaled_axis() });
            for [from, to] in [[from.translation, to.translation], [from.scale, to.scale]] {
                let [from, to] = [from.as_dvec3(), to.as_dvec3()];
                ways.push(Way { from: from.length(), change: to - from });
            }
            ways.extend(ways_of_numbers(a.weights(node), b.weights(node)));
        }
        for slot in 0..slots {
            ways.extend(ways_of_numbers(a.property(slot), b.property(slot)));
        }
        ways
    }
}

/// How something changes in a step.
struct Way {
    /// The size of what it was.
    from: f64,
    change: DVec3,
}

fn ways_of_numbers(from: &[f32], to: &[f32]) -> impl Iterator<Item = Way> {
    from.iter().zip(to).map(|(from, to)| {
        let [from, to] = [from, to].map(|number| f64::from(*number));
        Way { from: from.abs(), change: DVec3::X * (to - from) }
    })
}

/// Returns the first and the last time at which a channel of two or more keys ends; `None` without such channels.
fn last_keys<'a>(channels: impl Iterator<Item = &'a [f32]>) -> Option<(f64, f64)> {
    let ends =
        channels.filter(|times| times.len() > 1).map(|times| f64::from(times[times.len() - 1]));
    let (first, last) = ends.fold((f64::MAX, 0.0f64), |(a, b), end| (a.min(end), b.max(end)));
    (first <= last).then_some((first, last))
}

/// Returns the grid that the fewest keys are off and their share of all keys, if there are any.
fn off_grid<'a>(channels: impl Iterator<Item = &'a [f32]>) -> Option<(f64, f64)> {
    let (mut off, mut keys) = ([0usize; RATES.len()], 0);
    // Channels of a clip mostly share their times.
    let mut last: (&[f32], [usize; RATES.len()]) = (&[], [0; RATES.len()]);
    for times in channels {
        if times != last.0 {
            last =
                (times, RATES.map(|rate| times.iter().filter(|t| is_off(**t, rate, SAME)).count()));
        }
        keys += times.len();
        off.iter_mut().zip(last.1).for_each(|(sum, off)| *sum += off);
    }
    let best = (0..RATES.len()).min_by_key(|rate| off[*rate])?;
    (off[best] > 0).then(|| (RATES[best], off[best] as f64 / keys as f64))
}

/// Whether a time is further from the frames of a grid than some seconds, beyond the rounding of single precision.
pub(super) fn is_off(time: f32, rate: f64, most: f64) -> bool {
    let time = f64::from(time);
    let frame = (time * rate).round() / rate;
    (time - frame).abs() > most + time * f64::from(f32::EPSILON)
}
