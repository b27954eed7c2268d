//! Repairs of clips: times of keys, loops, pops, drift, and channels that say nothing.

use std::collections::{BTreeSet, HashSet};

use glam::DVec3;

use super::change::{Change, Changes, Context};
use super::document::Document;
use super::rotations::change_of;
use super::tracks::{ChannelPlace, StoredKeys, slerp};
use crate::check::Finding;
use crate::model::Stage;

/// Times closer than this are the same, in seconds.
const SAME: f32 = 1e-3;

/// Frames per second of the grids that keys may lie on, as the check has them.
const RATES: [f64; 8] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0];

/// The largest difference of a key that equals the rest value, relative to numbers above 1.
const STILL: f64 = 1e-6;

/// The largest difference of scale keys from the rest scale that counts as noise, relative to it.
const NOISE: f64 = 1e-3;

/// A single bad key is this many times further from the line between its neighbours than these are from each
/// other.
const ALONE: f64 = 2.0;

/// Seconds around the time of a pop in which its key is looked for.
const NEAR_POP: f64 = 2.0 / 30.0;

/// Sorts keys, keeps one per time, and lets curves begin at 0.
pub fn mend_times(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    for clip in 0..document.list("animations").len() {
        for place in document.channels(clip) {
            let Ok(mut keys) = document.keys(&place) else { continue };
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
            let count = before.len() - keys.len();
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
        changes.leave(change_at(finding), finding.message.clone());
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
        let (Some(clip), Some(time)) = (clip_of(finding), finding.time) else { continue };
        let named = |place: &ChannelPlace| {
            let node = place.node.and_then(|node| context.model.nodes.get(node));
            node.is_some_and(|node| node.name == finding.object) && place.path != "weights"
        };
        let found = document.channels(clip).into_iter().filter(named).find_map(|place| {
            let keys = document.keys(&place).ok()?;
            lone_key(&keys, time).map(|key| (place, keys, key))
        });
        let Some((place, mut keys, key)) = found else {
            let reason =
                "the motion stays on the other side of the jump: which side is right is not known";
            changes.leave(change_at(finding), reason);
            continue;
        };
        let kept: Vec<usize> = (0..keys.len()).filter(|other| *other != key).collect();
        keys.keep(&kept);
        document.set_keys(&place, &keys);
        changes.made.push(change_of(document, context, &place, 1));
    }
    changes
}

/// Returns the key near a time that lies furthest off the line between its neighbours, if these are close to
/// each other.
fn lone_key(keys: &StoredKeys, time: f64) -> Option<usize> {
    let near = |key: &usize| (f64::from(keys.times[*key]) - time).abs() <= NEAR_POP;
    let off = |key: usize| {
        let [before, at, after] = [key - 1, key, key + 1].map(|key| f64::from(keys.times[key]));
        let u = (at - before) / (after - before);
        let (a, b) = (keys.value(key - 1), keys.value(key + 1));
        let between = match keys.width {
            4 => slerp(a, b, u),
            _ => a.iter().zip(b).map(|(a, b)| a + u * (b - a)).collect(),
        };
        (apart(keys.value(key), &between), apart(a, b))
    };
    let inner = 1..keys.len().saturating_sub(1);
    let (key, (far, step)) =
        inner.filter(near).map(|key| (key, off(key))).max_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
    (far > ALONE * step).then_some(key)
}

/// Returns the distance of two vectors, or the angle between two quaternions in radians.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let side = if a.len() == 4 && dot < 0.0 { -1.0 } else { 1.0 };
    let chord = a.iter().zip(b).map(|(a, b)| (a - side * b).powi(2)).sum::<f64>().sqrt();
    if a.len() == 4 { 4.0 * (0.5 * chord).min(1.0).asin() } else { chord }
}

/// Ends channels with their first values. The root keeps its way if the clip travels.
pub fn close_loops(document: &mut Document, context: &Context) -> Changes {
    let gaps: Vec<(usize, f64)> = context
        .findings
        .iter()
        .filter_map(|finding| Some((clip_of(finding)?, finding.value?)))
        .collect();
    each_clip(document, context, |document, clip| {
        let gap = gaps.iter().find(|(of, _)| *of == clip).map_or(0.0, |(_, gap)| *gap);
        let root = root_of(document, context, clip);
        // A way that is longer than the gap was not counted as one: the contract lets the clip travel.
        let travels = root.is_some_and(|root| {
            drift(context, clip, root).is_some_and(|drift| drift.length() > 1.01 * gap)
        });
        let mut count = 0;
        for place in document.channels(clip).iter().filter(|place| place.path != "pointer") {
            let Ok(mut keys) = document.keys(place) else { continue };
            if keys.len() < 2 || travels && place.node == root && place.path == "translation" {
                continue;
            }
            let last = keys.len() - 1;
            let mut first = keys.value(0).to_vec();
            let dot: f64 = first.iter().zip(keys.value(last)).map(|(a, b)| a * b).sum();
            if place.path == "rotation" && dot < 0.0 {
                first.iter_mut().for_each(|x| *x = -*x);
            }
            if keys.value(last) != first {
                keys.value_mut(last).copy_from_slice(&first);
                document.set_keys(place, &keys);
                count += 1;
            }
        }
        Ok(count)
    })
}

/// Takes the horizontal drift off the root, evenly over the clip.
pub fn stay_in_place(document: &mut Document, context: &Context) -> Changes {
    each_clip(document, context, |document, clip| {
        let root = root_of(document, context, clip).ok_or("no joint of the clip moves")?;
        let drift = drift(context, clip, root).ok_or("the root's place is not finite")?;
        let place = document
            .channels(clip)
            .into_iter()
            .rfind(|place| place.node == Some(root) && place.path == "translation");
        let place = place.ok_or("the root has no translation keys")?;
        let mut keys = document.keys(&place).map_err(str::to_owned)?;
        let mut stage = Stage::new(context.model, context.model.default_scene);
        stage.pose(context.model, context.model.clips.get(clip), 0.0);
        let scene_from_parent = stage.scene_from_parent(context.model, root).matrix3;
        let drift = scene_from_parent.inverse() * drift;
        if !drift.is_finite() {
            return Err("the root's parent is flattened".to_owned());
        }
        let end = context.model.clips.get(clip).map_or(0.0, |clip| clip.duration_secs());
        if keys.times[0] > 0.0 {
            keys.begin_held_at_zero();
        }
        if keys.times[keys.len() - 1] < end {
            keys.hold_until(end);
        }
        let slope = drift / f64::from(end);
        for key in 0..keys.len() {
            let time = f64::from(keys.times[key]);
            let is_cubic = keys.key(key).len() > keys.width;
            for (at, number) in keys.key_mut(key).iter_mut().enumerate() {
                let is_value = !is_cubic || at / 3 == 1;
                *number -= slope[at % 3] * if is_value { time } else { 1.0 };
            }
        }
        document.set_keys(&place, &keys);
        Ok(keys.len())
    })
}

/// Returns the horizontal way of a node from the start to the end of a clip in the scene, in metres.
fn drift(context: &Context, clip: usize, node: usize) -> Option<DVec3> {
    let model = context.model;
    let clip = model.clips.get(clip)?;
    let mut stage = Stage::new(model, model.default_scene);
    let mut at = |time: f64| {
        stage.pose(model, Some(clip), time);
        stage.position(node).as_dvec3()
    };
    let way = -at(0.0) + at(f64::from(clip.duration_secs()));
    way.is_finite().then(|| DVec3::new(way.x, 0.0, way.z))
}

/// Returns the joint nearest to the root that a clip moves.
fn root_of(document: &Document, context: &Context, clip: usize) -> Option<usize> {
    let model = context.model;
    let joints: HashSet<usize> =
        model.skins.iter().flat_map(|skin| &skin.joints).map(|joint| *joint as usize).collect();
    let moved = document.channels(clip).into_iter().filter(|place| place.path != "weights");
    let moved: BTreeSet<usize> = moved.filter_map(|place| place.node).collect();
    let depth = |node: usize| {
        std::iter::successors(Some(node), |node| model.hierarchy.parent(*node)).count()
    };
    moved.into_iter().filter(|node| joints.contains(node)).min_by_key(|node| depth(*node))
}

/// Repeats the last keys of channels at the clip's end.
pub fn hold_to_the_end(document: &mut Document, context: &Context) -> Changes {
    each_clip(document, context, |document, clip| {
        let channels: Vec<_> = document
            .channels(clip)
            .into_iter()
            .filter_map(|place| document.keys(&place).ok().map(|keys| (place, keys)))
            .collect();
        let last = |keys: &StoredKeys| keys.times[keys.len() - 1];
        let end = channels.iter().map(|(_, keys)| last(keys)).fold(0.0, f32::max);
        let early = |keys: &StoredKeys| keys.len() > 1 && last(keys) < end - SAME;
        let mut count = 0;
        for (place, mut keys) in channels.into_iter().filter(|(_, keys)| early(keys)) {
            keys.hold_until(end);
            document.set_keys(&place, &keys);
            count += 1;
        }
        Ok(count)
    })
}

/// Removes all but the last of the channels that drive one property.
pub fn drop_overridden(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    for clip in 0..document.list("animations").len() {
        let mut driven = HashSet::new();
        let channels = document.channels(clip);
        let overridden: Vec<&ChannelPlace> = channels
            .iter()
            .rev()
            .filter(|place| place.node.is_some_and(|node| !driven.insert((node, &place.path))))
            .collect();
        changes.made.extend(overridden.iter().map(|place| change_of(document, context, place, 1)));
        let channels: Vec<usize> = overridden.iter().map(|place| place.channel).collect();
        document.remove_channels(clip, &channels);
    }
    changes
}

/// Removes channels that never leave the rest value.
pub fn drop_still(document: &mut Document, context: &Context) -> Changes {
    drop_channels(document, context, clips(context), |place, keys, rest| {
        place.path != "pointer" && !rest.is_empty() && furthest(keys, rest) <= STILL
    })
}

/// Removes scale channels that stay within a thousandth of the rest scale.
pub fn drop_scale_noise(document: &mut Document, context: &Context) -> Changes {
    let clips = (0..document.list("animations").len()).collect();
    drop_channels(document, context, clips, |place, keys, rest| {
        let far = furthest(keys, rest);
        place.path == "scale" && far > STILL && far <= NOISE
    })
}

fn drop_channels(
    document: &mut Document,
    context: &Context,
    clips: BTreeSet<usize>,
    is_dropped: impl Fn(&ChannelPlace, &StoredKeys, &[f64]) -> bool,
) -> Changes {
    let mut changes = Changes::default();
    for clip in clips {
        let channels = document.channels(clip);
        let dropped: Vec<&ChannelPlace> = channels
            .iter()
            .filter(|place| {
                let rest = rest_of(context, place);
                document.keys(place).is_ok_and(|keys| is_dropped(place, &keys, &rest))
            })
            .collect();
        if dropped.is_empty() {
            continue;
        }
        let mut made: Vec<Change> =
            dropped.iter().map(|place| change_of(document, context, place, 1)).collect();
        if dropped.len() == channels.len() {
            // A clip must have a channel.
            let kept = made.remove(0);
            changes.leave(kept, "the clip needs at least one channel");
        }
        let first = dropped.len() - made.len();
        let gone: Vec<usize> = dropped[first..].iter().map(|place| place.channel).collect();
        document.remove_channels(clip, &gone);
        changes.made.extend(made);
    }
    changes
}

/// Returns the rest value of a channel's property; empty if it has none.
fn rest_of(context: &Context, place: &ChannelPlace) -> Vec<f64> {
    let rest = &context.model.rest;
    let Some(node) = place.node.filter(|node| *node < rest.len()) else { return Vec::new() };
    let transform = rest.transform(node);
    let numbers = match place.path.as_str() {
        "translation" => transform.translation.to_array().to_vec(),
        "rotation" => transform.rotation.to_array().to_vec(),
        "scale" => transform.scale.to_array().to_vec(),
        "weights" => rest.weights(node).to_vec(),
        _ => Vec::new(),
    };
    numbers.into_iter().map(f64::from).collect()
}

/// Returns the largest difference of a curve from the rest value, relative to numbers above 1; between keys too.
fn furthest(keys: &StoredKeys, rest: &[f64]) -> f64 {
    if rest.len() != keys.width {
        return f64::INFINITY;
    }
    let off = |value: &[f64]| {
        let dot: f64 = value.iter().zip(rest).map(|(a, b)| a * b).sum();
        let side = if keys.width == 4 && dot < 0.0 { -1.0 } else { 1.0 };
        let off = |(a, b): (&f64, &f64)| (side * a - b).abs() / b.abs().max(1.0);
        value.iter().zip(rest).map(off).fold(0.0, f64::max)
    };
    let at_keys = (0..keys.len()).map(|key| off(keys.value(key)));
    let between = keys.times.windows(2).flat_map(|pair| {
        let [a, b] = [pair[0], pair[1]].map(f64::from);
        [0.25, 0.5, 0.75].map(|u| off(&keys.sample(a + u * (b - a))))
    });
    at_keys.chain(between).fold(0.0, f64::max)
}

/// Removes clips that repeat another one.
pub fn drop_twins(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    for clip in clips(context).into_iter().rev() {
        if let Some(list) = document.root.get_mut("animations").and_then(|list| list.as_array_mut())
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
fn each_clip(
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

/// Returns a change at the place of a finding.
fn change_at(finding: &Finding) -> Change {
    Change {
        pointer: finding.pointer.clone().unwrap_or_default(),
        object: finding.object.clone(),
        clip: finding.clip.clone(),
        count: 0,
    }
}

/// Returns the clips that findings name.
pub fn clips(context: &Context) -> BTreeSet<usize> {
    context.findings.iter().filter_map(|finding| clip_of(finding)).collect()
}

/// Returns the index of the clip that a finding is about.
fn clip_of(finding: &Finding) -> Option<usize> {
    let rest = finding.pointer.as_deref()?.strip_prefix("/animations/")?;
    rest.split('/').next()?.parse().ok()
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
    use crate::anim::Interpolation;

    fn linear(values: &[f64]) -> StoredKeys {
        let times = (0..values.len()).map(|i| i as f32 / 30.0).collect();
        StoredKeys {
            times,
            width: 1,
            interpolation: Interpolation::Linear,
            values: values.to_vec(),
        }
    }

    #[test]
    fn a_key_off_its_neighbours_is_alone_and_a_jump_is_not() {
        assert_eq!(lone_key(&linear(&[0.0, 0.1, 5.0, 0.3, 0.4]), 1.0 / 30.0), Some(2));
        assert_eq!(lone_key(&linear(&[0.0, 0.1, 5.0, 5.1, 5.2]), 1.0 / 30.0), None);
    }

    #[test]
    fn opposite_quaternions_are_one_rotation() {
        assert!(apart(&[0.0, 0.0, 0.0, 1.0], &[0.0, 0.0, 0.0, -1.0]) < 1e-12);
        let half = 0.5f64.sqrt();
        let quarter = apart(&[0.0, 0.0, 0.0, 1.0], &[half, 0.0, 0.0, half]);
        assert!((quarter - std::f64::consts::FRAC_PI_2).abs() < 1e-12, "{quarter}");
    }
}
