//! Rules of the times of keys: CLIP_LATE, CHANNELS_UNEVEN, KEYS_OFF_GRID.

use super::take::Take;
use super::{Code, Finding};
use crate::anim::Channel;

/// Times closer than this are the same, in seconds.
const SAME: f64 = 1e-3;

/// Frames per second of the grids that keys may lie on.
const RATES: [f64; 8] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0];

pub(super) fn findings(take: &Take) -> Vec<Finding> {
    let mut found = Vec::new();
    let start = f64::from(take.clip.start_secs());
    let called = take.called();
    if start > SAME {
        let text = format!("{called} starts with its first key at {start:.3} s, not at 0");
        let finding = Finding::new(Code::ClipLate, text).measured(start, "s").limited(SAME);
        found.push(finding.when(start));
    }
    let channels = take.clip.channels().iter().map(Channel::times);
    let properties = take.clip.properties().iter().map(|property| property.track.times());
    let all = || channels.clone().chain(properties.clone());
    if let Some((first, last)) = last_keys(all()) {
        let text = format!("channels of {called} end between {first:.3} s and {last:.3} s");
        let finding = Finding::new(Code::ChannelsUneven, text).measured(last - first, "s");
        found.push(finding.limited(SAME).when(first));
    }
    if let Some((rate, share)) = off_grid(all()) {
        let text = format!(
            "{:.1} % of the keys of {called} are off the nearest grid, {rate} frames per second",
            100.0 * share
        );
        let finding = Finding::new(Code::KeysOffGrid, text).measured(share, "share");
        found.push(finding.limited(0.0));
    }
    let place = |finding: Finding| finding.at(take.pointer()).in_clip(take.name());
    found.into_iter().map(place).collect()
}

/// Returns the first and the last time at which a channel of two or more keys ends, if they differ.
fn last_keys<'a>(channels: impl Iterator<Item = &'a [f32]>) -> Option<(f64, f64)> {
    let ends =
        channels.filter(|times| times.len() > 1).map(|times| f64::from(times[times.len() - 1]));
    let (first, last) = ends.fold((f64::MAX, 0.0f64), |(a, b), end| (a.min(end), b.max(end)));
    (last - first > SAME).then_some((first, last))
}

/// Returns the grid that the fewest keys are off and their share of all keys, if there are any.
fn off_grid<'a>(channels: impl Iterator<Item = &'a [f32]>) -> Option<(f64, f64)> {
    let (mut off, mut keys) = ([0usize; RATES.len()], 0);
    // Channels of a clip mostly share their times.
    let mut last: (&[f32], [usize; RATES.len()]) = (&[], [0; RATES.len()]);
    for times in channels {
        if times != last.0 {
            last = (times, RATES.map(|rate| times.iter().filter(|t| is_off(**t, rate)).count()));
        }
        keys += times.len();
        off.iter_mut().zip(last.1).for_each(|(sum, off)| *sum += off);
    }
    let best = (0..RATES.len()).min_by_key(|rate| off[*rate])?;
    (off[best] > 0).then(|| (RATES[best], off[best] as f64 / keys as f64))
}

/// Whether a time is further from the frames of a grid than [`SAME`], beyond the rounding of single precision.
fn is_off(time: f32, rate: f64) -> bool {
    let time = f64::from(time);
    let frame = (time * rate).round() / rate;
    (time - frame).abs() > SAME + time * f64::from(f32::EPSILON)
}
