//! Tracks of a motion that is a function of time: keys where the function may bend or jump, and as many between
//! them as linear interpolation needs.

use super::{Keys, Track, Value};

/// How often the time between two keys is halved at most.
const MOST_HALVINGS: u32 = 8;

/// A track that would have more keys than are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManyKeys;

/// The instants at which the curves of several tracks bend or jump.
#[derive(Clone, Debug, Default)]
pub(super) struct Bends {
    times: Vec<f32>,
}

impl Bends {
    /// Adds the keys of a track. The jump at a key of a STEP track becomes a very short segment.
    pub(super) fn add<T>(&mut self, track: &Track<T>)
    where
        T: Value,
    {
        self.times.extend_from_slice(track.times());
        if matches!(track.keys(), Keys::Step(_)) {
            let jumps = track.times().iter().skip(1).map(|time| time.next_down());
            self.times.extend(jumps.filter(|time| *time >= 0.0));
        }
    }

    /// Returns the times in order, each once.
    pub(super) fn sorted(mut self) -> Vec<f32> {
        self.times.sort_unstable_by(f32::total_cmp);
        self.times.dedup();
        self.times
    }
}

/// Makes a LINEAR track of a function. At `times` and at the times that are added it has the function's values; in
/// between, `is_near` tells which differences are small enough. `None` if there are no times.
///
/// # Errors
/// If the track would have more than `most` keys.
pub(super) fn resampled<T: Value>(
    times: &[f32],
    most: usize,
    mut value: impl FnMut(f64) -> T,
    is_near: impl Fn(T, T) -> bool,
) -> Result<Option<Track<T>>, TooManyKeys> {
    let Some(first) = times.first() else { return Ok(None) };
    let mut keys = vec![(*first, value(f64::from(*first)))];
    // Ends of segments that are not finished, the earliest one last.
    let mut ends: Vec<(f32, T, u32)> = Vec::new();
    for time in &times[1..] {
        ends.push((*time, value(f64::from(*time)), 0));
        while let Some((end, at_end, halvings)) = ends.pop() {
            let (start, at_start) = keys[keys.len() - 1];
            let middle = start + 0.5 * (end - start);
            if halvings < MOST_HALVINGS && middle > start && middle < end {
                let (a, b) = (f64::from(start), f64::from(end));
                let is_straight = [0.5, 0.25, 0.75]
                    .into_iter()
                    .all(|u| is_near(T::lerp(at_start, at_end, u), value(a + u * (b - a))));
                if !is_straight {
                    ends.push((end, at_end, halvings + 1));
                    ends.push((middle, value(f64::from(middle)), halvings + 1));
                    continue;
                }
            }
            if keys.len() >= most {
                return Err(TooManyKeys);
            }
            keys.push((end, at_end));
        }
    }
    let (times, values) = keys.into_iter().unzip();
    Ok(Track::new(times, Keys::Linear(values), 1).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f32, b: f32) -> bool {
        (a - b).abs() < 1e-3
    }

    #[test]
    fn a_curve_gets_the_keys_that_it_needs_and_a_line_none() {
        let curve = |time: f64| (time * time) as f32;
        let track = resampled(&[0.0, 1.0, 3.0], 1000, curve, near).unwrap().unwrap();
        for step in 0..=300 {
            let time = f64::from(step) / 100.0;
            assert!((track.sample(time) - curve(time)).abs() < 2e-3, "at {time}");
        }
        assert!((20..200).contains(&track.times().len()), "{}", track.times().len());
        let line = resampled(&[0.0, 1.0, 3.0], 3, |time| 2.0 * time as f32, near).unwrap().unwrap();
        assert_eq!(line.times(), [0.0, 1.0, 3.0]);
        assert_eq!(resampled(&[0.0, 1.0, 3.0], 9, curve, near).unwrap_err(), TooManyKeys);
        assert_eq!(resampled(&[], 9, curve, near), Ok(None));
    }

    #[test]
    fn a_jump_takes_one_unit_in_the_last_place() {
        let step = Track::new(vec![0.0, 1.0], Keys::Step(vec![0.0, 5.0]), 1).unwrap();
        let mut bends = Bends::default();
        bends.add(&step);
        let track = resampled(&bends.sorted(), 99, |t| step.sample(t), near).unwrap().unwrap();
        assert_eq!(track.times(), [0.0, 1.0f32.next_down(), 1.0]);
        assert_eq!((track.sample(0.999), track.sample(1.0)), (0.0, 5.0));
    }
}
