//! Rules of the times of keys: CLIP_LATE, CHANNELS_UNEVEN, KEYS_OFF_GRID, KEYS_GAP.

use super::rig::median;
use super::take::Take;
use super::{Code, Finding};
use rigview_anim::Channel;

/// The distance up to which a key lies on a frame, in seconds.
pub(super) const SAME: f64 = 1e-3;

/// Frames per second of the grids that keys may lie on.
const RATES: [f64; 8] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0];

/// Minimum number of steps between keys that show a rhythm.
const LEAST_STEPS: usize = 8;
/// One step in this number may break the rhythm.
const BREAKS: usize = 20;

/// The longest frame of a rhythm in seconds, and how much frames may differ. Slower keys are blocking, not sampling.
const LONGEST_FRAME: f64 = 0.1;
const EVEN: f64 = 0.1;

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

/// Returns the longest gap of a clip with a key on every other frame. Keys may be left out where a pose is held.
fn gap(take: &Take) -> Option<Gap> {
    let mut keys: Vec<f64> = take.clip.key_times().map(f64::from).collect();
    keys.sort_unstable_by(f64::total_cmp);
    keys.dedup();
    let steps: Vec<f64> = keys.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if steps.len() < LEAST_STEPS {
        return None;
    }
    let frame = median(steps.clone())?;
    let is_even = |step: &f64| (step / frame - 1.0).abs() < EVEN;
    let others = steps.iter().filter(|step| is_even(step)).count();
    let breaks = steps.len() - others;
    if frame > LONGEST_FRAME || breaks * BREAKS > steps.len().max(BREAKS) {
        return None;
    }
    let limit = frame * take.rig.threshold(Code::KeysGap);
    let pose = |key: usize| take.stage_at(keys[key]).local;
    let gaps = (0..steps.len()).filter(|at| steps[*at] > limit && pose(*at) != pose(at + 1));
    let at = gaps.max_by(|a, b| steps[*a].total_cmp(&steps[*b]))?;
    Some(Gap { start: keys[at], frames: steps[at] / frame, others })
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
