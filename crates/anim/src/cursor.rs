//! Cursors: remember where a clip was sampled last, so that playback needs no search.

/// The position of one character on the timelines of its clip. A cursor only makes sampling faster:
/// any cursor gives the same pose with any clip and at any time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cursor {
    /// Index into the clip's common timeline.
    pub(super) frame: usize,
    /// Key indices of the tracks that are sampled separately.
    pub(super) keys: Vec<u32>,
}

/// Returns the index of the last of `times` at or before `time_secs`, or 0 if all are later. Tries
/// `hint` and the index after it first, then the index that evenly spaced times would have, then
/// a binary search.
///
/// The time is rounded to single precision first, as those of keys are: frame 3 at 30 frames per second meets the key
/// that was written for it. So the time found may be later than the one asked for, by less than a unit in the last place.
#[inline]
pub fn find(times: &[f32], hint: usize, time_secs: f64) -> usize {
    let rounded = time_secs as f32;
    let starts = |i: usize| times.get(i).is_some_and(|t| *t <= rounded);
    if starts(hint) {
        if !starts(hint + 1) {
            return hint;
        }
        if !starts(hint + 2) {
            return hint + 1;
        }
    }
    if let [first, .., last] = times {
        let fraction = (time_secs - f64::from(*first)) / f64::from(last - first);
        // Rounds down; the offset absorbs rounding errors at a key's own time.
        let even = (fraction * (times.len() - 1) as f64 + 1e-3) as usize;
        if starts(even) && !starts(even + 1) {
            return even;
        }
    }
    times.partition_point(|t| *t <= rounded).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_frame_finds_the_key_written_for_it() {
        for fps in [24.0, 25.0, 30.0, 60.0] {
            let times: Vec<f32> = (0..1000).map(|frame| (f64::from(frame) / fps) as f32).collect();
            for frame in 0..1000_usize {
                for hint in [0, frame, frame.saturating_sub(1)] {
                    assert_eq!(find(&times, hint, frame as f64 / fps), frame, "{fps} fps");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_hint_finds_what_a_binary_search_finds(
            mut times in prop::collection::vec(0u8..60, 1..20),
            order in prop::collection::vec((0usize..25, -1i32..62), 1..40),
        ) {
            times.sort_unstable();
            times.dedup();
            let times: Vec<f32> = times.into_iter().map(f32::from).collect();
            for (hint, time) in order {
                let time = f64::from(time) + 0.5 * f64::from(hint as u32 % 2);
                let want = times.iter().rposition(|t| f64::from(*t) <= time).unwrap_or(0);
                prop_assert_eq!(find(&times, hint, time), want);
            }
        }
    }
}
