//! Repairs of clips: times of keys, pops, and clips that repeat another one.

use std::collections::{BTreeSet, HashMap, HashSet};

use glam::DQuat;

use super::change::{Change, Changes, Context, change_at, clip_of};
use super::channel_place::ChannelPlace;
use super::document::Document;
use super::rotations::{change_of, is_aligned};
use super::tracks::{StoredKeys, UNREAD};
use rigview_check::Finding;
use rigview_export::is_known_extension;

/// Times closer than this are the same, in seconds.
const SAME: f32 = 1e-3;

/// Frames per second of the grids that keys may lie on, as the check has them.
const RATES: [f64; 8] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0];

/// A single bad key is this many times further from the line between its neighbours than these are from each
/// other.
const ALONE: f64 = 2.0;

/// Seconds around the time of a pop in which its key is looked for.
pub const NEAR_POP: f64 = 2.0 / 30.0;

/// Sorts keys, keeps one per time, and lets curves begin at 0.
pub fn mend_times(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    let mut unread: HashMap<String, &str> = HashMap::new();
    for clip in 0..document.list("animations").len() {
        for place in document.channels(clip) {
            let mut keys = match document.keys(&place) {
                Ok(keys) => keys,
                Err(reason) => {
                    unread.insert(place.pointer(), reason);
                    continue;
                }
            };
            let in_order = keys.times.windows(2).all(|pair| pair[0] < pair[1]);
            if in_order && keys.times[0] >= 0.0 {
                continue;
            }
            let before = keys.times.clone();
            let mut order: Vec<usize> = (0..keys.len()).collect();
            order.sort_by(|a, b| before[*a].total_cmp(&before[*b]));
            // Of several keys at one time, the last one in the file stays.
            let kept: Vec<usize> = order
                .chunk_by(|a, b| before[*a] == before[*b])
                .filter_map(|same| same.last().copied())
                .collect();
            keys.keep(&kept);
            keys.start_at_zero();
            // A cut may add keys.
            let count = before.len().abs_diff(keys.len());
            let moved = kept.iter().enumerate().filter(|(at, key)| at != *key).count();
            document.set_keys(&place, &keys);
            changes.made.push(change_of(document, context, &place, count.max(moved).max(1)));
        }
    }
    let made: HashSet<&str> = changes.made.iter().map(|change| change.pointer.as_str()).collect();
    let left: Vec<&&Finding> = context
        .findings
        .iter()
        .filter(|finding| !finding.pointer.as_deref().is_some_and(|at| made.contains(at)))
        .collect();
    for finding in left {
        let unread = finding.pointer.as_ref().and_then(|at| unread.get(at));
        changes.leave(change_at(finding), unread.copied().unwrap_or(&finding.message));
    }
    changes
}

/// Moves the keys of clips so that the first one is at 0.
pub fn begin_at_zero(document: &mut Document, context: &Context) -> Changes {
    each_clip(document, context, |document, clip| {
        let samplers = samplers(document, clip)?;
        let first = samplers.iter().map(|(_, keys)| keys.times[0]).reduce(f32::min).unwrap_or(0.0);
        for (place, keys) in &samplers {
            let earlier = |time: &f32| (f64::from(*time) - f64::from(first)) as f32;
            document.set_times(place, &keys.times.iter().map(earlier).collect::<Vec<_>>());
        }
        Ok(samplers.iter().map(|(_, keys)| keys.len()).sum())
    })
}

/// Moves keys to the nearest frame of the grid that the fewest keys are off.
pub fn snap_to_grid(document: &mut Document, context: &Context) -> Changes {
    each_clip(document, context, |document, clip| {
        let samplers = samplers(document, clip)?;
        let frame = |time: f32, rate: f64| ((f64::from(time) * rate).round() / rate) as f32;
        let off = |rate: f64| {
            let times = samplers.iter().flat_map(|(_, keys)| &keys.times);
            times.filter(|time| (**time - frame(**time, rate)).abs() > SAME).count()
        };
        let rate = RATES.into_iter().min_by_key(|rate| off(*rate)).unwrap_or(RATES[0]);
        let moved: Vec<Vec<f32>> = samplers
            .iter()
            .map(|(_, keys)| keys.times.iter().map(|time| frame(*time, rate)).collect())
            .collect();
        if moved.iter().any(|times| times.windows(2).any(|pair| pair[0] >= pair[1])) {
            return Err(format!("two keys would meet on a frame of {rate} frames per second"));
        }
        let count = off(rate);
        for ((place, _), times) in samplers.iter().zip(&moved) {
            document.set_times(place, times);
        }
        Ok(count)
    })
}

/// Removes single keys that lie off the course of their neighbours.
pub fn remove_pops(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    for finding in context.findings {
        let Some((clip, time)) = clip_of(finding).zip(finding.time) else { continue };
        let is_meant =
            |place: &ChannelPlace| finding.target.is_some_and(|target| place.drives(target));
        let place = document.channels(clip).into_iter().find(is_meant);
        let keys = place.as_ref().map_or(Err(UNREAD), |place| document.keys(place));
        let (place, mut keys) = match (place, keys) {
            (Some(place), Ok(keys)) => (place, keys),
            (_, reason) => {
                changes.leave(change_at(finding), reason.err().unwrap_or(UNREAD));
                continue;
            }
        };
        let Some(key) = lone_key(&keys, time) else {
            let reason =
                "the motion stays on the other side of the jump: which side is right is not known";
            changes.leave(change_at(finding), reason);
            continue;
        };
        let was_aligned = is_aligned(&keys, key - 1) && is_aligned(&keys, key);
        let kept: Vec<usize> = (0..keys.len()).filter(|other| *other != key).collect();
        keys.keep(&kept);
        // A key that was turned over may have led the keys after it to the other side, which KEYS_FLIP would mend.
        if was_aligned && !is_aligned(&keys, key - 1) {
            keys.negate_from(key);
        }
        document.set_keys(&place, &keys);
        changes.made.push(change_of(document, context, &place, 1));
    }
    changes
}

/// Returns the key near a time that lies furthest off its neighbours and the line between them, if these are close to each
/// other. The last key before a jump lies off the line, but not off the key before it.
fn lone_key(keys: &StoredKeys, time: f64) -> Option<usize> {
    let near = |key: &usize| (f64::from(keys.times[*key]) - time).abs() <= NEAR_POP;
    let off = |key: usize| {
        let [before, at, after] = [key - 1, key, key + 1].map(|key| f64::from(keys.times[key]));
        let u = (at - before) / (after - before);
        let (a, b) = (keys.value(key - 1), keys.value(key + 1));
        // Four morph weights are no quaternion.
        if keys.is_rotation {
            let between = DQuat::from_slice(a).slerp(DQuat::from_slice(b), u).to_array();
            let far = [&between[..], a, b].map(|other| angle_apart(keys.value(key), other));
            return (least(far), angle_apart(a, b));
        }
        let between: Vec<f64> = a.iter().zip(b).map(|(a, b)| a + u * (b - a)).collect();
        (least([&between[..], a, b].map(|other| chord(keys.value(key), other))), chord(a, b))
    };
    let inner = 1..keys.len().saturating_sub(1);
    let (key, (far, step)) =
        inner.filter(near).map(|key| (key, off(key))).max_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
    (far > ALONE * step).then_some(key)
}

/// Returns the smallest of some distances.
fn least(distances: [f64; 3]) -> f64 {
    distances.into_iter().fold(f64::INFINITY, f64::min)
}

/// Returns the distance of two vectors.
fn chord(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// Returns the angle between two quaternions in radians. Opposite ones are one rotation.
fn angle_apart(a: &[f64], b: &[f64]) -> f64 {
    let opposite: Vec<f64> = b.iter().map(|b| -b).collect();
    4.0 * (0.5 * chord(a, b).min(chord(a, &opposite))).min(1.0).asin()
}

/// Repeats the last keys of channels at the clip's end.
pub fn hold_to_the_end(document: &mut Document, context: &Context) -> Changes {
    each_clip(document, context, |document, clip| {
        let channels = document.channels(clip);
        let ends: Vec<f32> =
            channels.iter().map(|place| document.end_of(place).unwrap_or(0.0)).collect();
        let end = ends.iter().copied().fold(0.0, f32::max);
        let early = channels.iter().zip(&ends).filter(|(_, last)| **last < end - SAME);
        let early = early.map(|(place, _)| document.keys(place).map(|keys| (place, keys)));
        let early: Vec<(&ChannelPlace, StoredKeys)> = early.collect::<Result<_, _>>()?;
        let mut count = 0;
        for (place, mut keys) in early.into_iter().filter(|(_, keys)| keys.len() > 1) {
            keys.hold_until(end);
            document.set_keys(place, &keys);
            count += 1;
        }
        Ok(count)
    })
}

/// Removes clips that repeat another one, unless an unknown extension may refer to clips by their index.
pub fn drop_twins(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    let extensions = &context.model.source.extensions;
    if let Some(unknown) = extensions.iter().find(|it| !is_known_extension(&it.name)) {
        let reason = format!(
            "extension \"{}\" may refer to clips by their index, which would change; remove the clip in the program that \
             made the file",
            unknown.name
        );
        for finding in context.findings {
            changes.leave(change_at(finding), reason.clone());
        }
        return changes;
    }
    for clip in clips(context).into_iter().rev() {
        if let Some(list) =
            document.root_mut().get_mut("animations").and_then(|list| list.as_array_mut())
            && clip < list.len()
        {
            let name =
                list.remove(clip).get("name").and_then(|name| name.as_str()).map(str::to_owned);
            let pointer = format!("/animations/{clip}");
            changes.made.push(Change { pointer, object: None, clip: name, count: 1 });
        }
    }
    changes.made.reverse();
    changes
}

/// Runs a repair on each clip that findings name. The repair returns the number of things that it changed, or why
/// it can't be made.
pub fn each_clip(
    document: &mut Document,
    context: &Context,
    mut mend: impl FnMut(&mut Document, usize) -> Result<usize, String>,
) -> Changes {
    let mut changes = Changes::default();
    for finding in context.findings {
        let Some(clip) = clip_of(finding) else { continue };
        let mut change = change_at(finding);
        match mend(document, clip) {
            Ok(count) if count > 0 => {
                change.count = count;
                changes.made.push(change);
            }
            Ok(_) => {}
            Err(reason) => changes.leave(change, reason),
        }
    }
    changes
}

/// Returns the clips that findings name.
pub fn clips(context: &Context) -> BTreeSet<usize> {
    context.findings.iter().filter_map(|finding| clip_of(finding)).collect()
}

/// Returns a clip's samplers that channels use, each once, with its keys.
fn samplers(document: &Document, clip: usize) -> Result<Vec<(ChannelPlace, StoredKeys)>, String> {
    let mut seen = HashSet::new();
    let channels = document.channels(clip).into_iter().filter(|place| seen.insert(place.sampler));
    channels
        .map(|place| {
            let keys = document.keys(&place).map_err(str::to_owned)?;
            Ok((place, keys))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_anim::Interpolation;

    fn linear(values: &[f64]) -> StoredKeys {
        let times = (0..values.len()).map(|i| i as f32 / 30.0).collect();
        StoredKeys {
            times,
            width: 1,
            is_rotation: false,
            interpolation: Interpolation::Linear,
            values: values.to_vec(),
        }
    }

    #[test]
    fn a_key_off_its_neighbours_is_alone_and_a_jump_is_not() {
        assert_eq!(lone_key(&linear(&[0.0, 0.1, 5.0, 0.3, 0.4]), 1.0 / 30.0), Some(2));
        assert_eq!(lone_key(&linear(&[0.0, 0.1, 5.0, 5.1, 5.2]), 1.0 / 30.0), None);
        // A jump among sparse keys.
        let mut sparse = linear(&[0.0, -14.5, 15.0, 0.0]);
        sparse.times = [0.0, 29.0, 30.0, 60.0].map(|frame: f32| frame / 30.0).to_vec();
        assert_eq!(lone_key(&sparse, 29.0 / 30.0), None);
    }

    #[test]
    fn a_spike_of_four_morph_weights_is_alone() {
        // As quaternions, 0 0 0 1 and 0 0 0 -1 would be one rotation.
        let mut keys = linear(&[0.0; 20]);
        keys.times = linear(&[0.0; 5]).times;
        keys.width = 4;
        (0..5).for_each(|key| keys.value_mut(key)[3] = if key == 2 { -1.0 } else { 1.0 });
        assert_eq!(lone_key(&keys, 1.0 / 30.0), Some(2));
    }

    #[test]
    fn opposite_quaternions_are_one_rotation() {
        assert!(angle_apart(&[0.0, 0.0, 0.0, 1.0], &[0.0, 0.0, 0.0, -1.0]) < 1e-12);
        let half = 0.5f64.sqrt();
        let quarter = angle_apart(&[0.0, 0.0, 0.0, 1.0], &[half, 0.0, 0.0, half]);
        assert!((quarter - std::f64::consts::FRAC_PI_2).abs() < 1e-12, "{quarter}");
    }
}
