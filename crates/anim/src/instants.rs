//! The instants at which clips are measured: all their keys, and a grid of 30 frames per second.

use super::Clip;

/// Frames per second of the grid.
const RATE: f64 = 30.0;

/// Upper limit of the instants of the grid: one hour. The longer a clip is beyond that, the fewer it has, evenly, down to
/// [`FEWEST_FRAMES`]: such an end is rather a bad key time than a motion, and would cost as much as an hour of motion.
const MOST_FRAMES: f64 = 108_000.0;
const FEWEST_FRAMES: f64 = 1_000.0;

/// Returns the key times of these clips and every 1/30 s from 0 to the longest duration, in seconds,
/// ascending. An instant of the grid that equals a key's time to single precision is left out, so that a
/// clip with keys on the grid has no instant twice. Without clips, or if none has a duration, returns 0.
pub fn instants(clips: &[&Clip]) -> Vec<f64> {
    let end = clips.iter().map(|clip| f64::from(clip.duration_secs())).fold(0.0, f64::max);
    let mut keys: Vec<f64> =
        clips.iter().flat_map(|clip| clip.key_times()).map(f64::from).collect();
    keys.sort_unstable_by(f64::total_cmp);
    keys.dedup();
    let mut frames = (end * RATE + 1e-6).floor();
    let mut step = 1.0 / RATE;
    if frames > MOST_FRAMES {
        frames = (MOST_FRAMES * MOST_FRAMES / frames).floor().max(FEWEST_FRAMES);
        step = end / frames;
    }
    let mut out = Vec::with_capacity(keys.len() + frames as usize + 1);
    let mut keys = keys.into_iter().peekable();
    for frame in 0..=frames as usize {
        let time = frame as f64 * step;
        // Two units in the last place of single precision, and a microsecond near 0.
        let tolerance = 1e-6 + time * 2.0 * f64::from(f32::EPSILON);
        while let Some(key) = keys.next_if(|key| *key <= time + tolerance) {
            out.push(key);
        }
        if out.last().is_none_or(|last| *last < time - tolerance) {
            out.push(time);
        }
    }
    out.extend(keys);
    out
}

/// Returns at most this many items of a list, evenly, with the first and the last one. The number is at least 2.
pub fn some_of<T>(all: Vec<T>, most: usize) -> Vec<T> {
    let (count, last) = (all.len(), all.len().saturating_sub(1));
    if count <= most {
        return all;
    }
    let mut next = 0;
    let is_kept = |(at, item)| {
        let kept = at == next * last / (most - 1);
        next += usize::from(kept);
        kept.then_some(item)
    };
    all.into_iter().enumerate().filter_map(is_kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Channel, ClipParts, Keys, Track};
    use glam::Vec3;

    fn clip(times: &[f32]) -> Clip {
        let track = Track::new(times.to_vec(), Keys::Linear(vec![Vec3::ZERO; times.len()]), 1);
        Clip::new(ClipParts {
            channels: vec![Channel::Translation { node: 0, track: track.unwrap() }],
            duration_secs: times[times.len() - 1],
            ..ClipParts::default()
        })
    }

    #[test]
    fn keys_on_the_grid_count_once_and_keys_between_are_kept() {
        let on_grid: Vec<f32> = (0..=300).map(|frame| frame as f32 / 30.0).collect();
        assert_eq!(instants(&[&clip(&on_grid)]).len(), 301);
        let between = clip(&[0.01, 0.05, 0.1]);
        let times = instants(&[&between]);
        assert_eq!(times.len(), 6, "{times:?}");
        assert!(times.is_sorted() && times.contains(&f64::from(0.01f32)));
        let longer = clip(&[0.0, 0.2]);
        assert_eq!(instants(&[&between, &longer]).len(), 9);
        assert_eq!(instants(&[]), [0.0]);
    }

    #[test]
    fn the_grid_goes_to_the_end_of_a_clip_without_a_key_there() {
        let lasting =
            |secs| Clip::new(ClipParts { duration_secs: secs, ..clip(&[0.0]).into_parts() });
        let times = instants(&[&lasting(10.0)]);
        assert_eq!((times.len(), times[300]), (301, 10.0));
        // An hour is not longer than an hour, though a part of a frame is left.
        let hour = instants(&[&lasting(3600.02)]);
        assert_eq!((hour.len(), hour[1]), (MOST_FRAMES as usize + 1, 1.0 / RATE));
    }

    #[test]
    fn a_key_two_units_in_the_last_place_off_the_grid_is_on_it() {
        for (units, want) in [(0, 1), (2, 1), (3, 2)] {
            let off = f32::from_bits(1024f32.to_bits() + units);
            let times = instants(&[&clip(&[0.0, off, 1025.0])]);
            let near = times.iter().filter(|time| (**time - 1024.0).abs() < 0.01);
            assert_eq!(near.count(), want, "{units}");
        }
    }

    #[test]
    fn a_clip_of_any_length_has_a_limited_number_of_instants() {
        let times = instants(&[&clip(&[0.0, f32::MAX])]);
        assert_eq!(times.len(), FEWEST_FRAMES as usize + 1);
        assert!(times.is_sorted() && times.last() == Some(&f64::from(f32::MAX)));
        // No step back where the limit begins.
        let longer = instants(&[&clip(&[0.0, 3601.0])]);
        assert!((MOST_FRAMES as usize - 100..=MOST_FRAMES as usize).contains(&longer.len()));
    }

    #[test]
    fn of_many_places_some_are_kept_evenly() {
        assert_eq!(some_of((0..=100).collect(), 5), [0, 25, 50, 75, 100]);
        assert_eq!(some_of(vec![1, 2, 3], 3), [1, 2, 3]);
        assert_eq!(some_of((0..1000).collect(), 2), [0, 999]);
    }
}
