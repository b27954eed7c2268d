//! Rules of clips that are the same, or nearly: CLIP_TWIN, CLIP_NEAR_TWIN.

use std::collections::HashMap;

use glam::{Quat, Vec3};

use super::take::Take;
use super::{Code, Finding};
use rigview_anim::rotation::angle_between;
use rigview_anim::{Channel, PropertyChannel, Track, Value};

/// The largest difference of equal curves, relative to numbers above 1.
const SAME: f64 = 1e-6;

/// Pairs of clips that are compared at most, so that a file with a hundred thousand clips ends.
const MOST_PAIRS: usize = 2_000_000;

/// The fewest channels that move from which on clips are nearly the same.
const LEAST_MOVING: usize = 4;

/// Compares each clip with the earlier ones that drive the same. Clips without channels are no twins.
pub(super) fn findings(takes: &[Take]) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut pairs = 0;
    let mut originals: HashMap<Vec<ChannelKey>, Vec<SortedTake>> = HashMap::new();
    for take in takes.iter().filter(|take| !take.clip.is_empty()) {
        let (targets, sorted) = sorted_by_target(take);
        let alike = originals.entry(targets).or_default();
        pairs += alike.len();
        if pairs > MOST_PAIRS {
            log::warn!(
                "too many clips drive the same; from {} on they are not compared",
                take.called()
            );
            break;
        }
        match alike.iter().find(|other| is_twin(other, &sorted)) {
            Some(other) => {
                let text = format!("{} is the same as {}", take.called(), other.take.called());
                let finding = Finding::new(Code::ClipTwin, text).in_clip(take.name());
                found.push(finding.at(take.pointer()));
            }
            None => {
                let limit = take.rig.threshold(Code::ClipNearTwin);
                let near = |other: &SortedTake| {
                    let share = share_that_differs(other, &sorted, limit)?;
                    Some((share, other.take.called()))
                };
                if let Some((share, other)) = alike.iter().find_map(near) {
                    let text = format!(
                        "{} is the same as {other} but for {:.0} % of the channels that move",
                        take.called(),
                        100.0 * share
                    );
                    let finding = Finding::new(Code::ClipNearTwin, text).in_clip(take.name());
                    let finding = finding.measured(share, "share of the channels").limited(limit);
                    found.push(finding.at(take.pointer()));
                }
                alike.push(sorted);
            }
        }
    }
    found
}

/// A node, path and first value, or a property slot.
type ChannelKey = (Option<&'static str>, usize, usize, usize);

/// A clip's channels and properties, sorted by target.
struct SortedTake<'a> {
    take: &'a Take<'a>,
    channels: Vec<&'a Channel>,
    properties: Vec<&'a PropertyChannel>,
}

fn sorted_by_target<'a>(take: &'a Take<'a>) -> (Vec<ChannelKey>, SortedTake<'a>) {
    let of_channel = |channel: &&Channel| {
        let values = channel.values();
        (Some(channel.path()), channel.node(), values.start, values.end)
    };
    let of_property =
        |property: &&PropertyChannel| (None, property.slot, 0, property.track.width());
    let mut channels: Vec<&Channel> = take.clip.channels().iter().collect();
    channels.sort_by_key(of_channel);
    let mut properties: Vec<&PropertyChannel> = take.clip.properties().iter().collect();
    properties.sort_by_key(|property| property.slot);
    let keys = channels.iter().map(of_channel).chain(properties.iter().map(of_property)).collect();
    (keys, SortedTake { take, channels, properties })
}

/// Whether two clips end at the same time.
fn end_together(a: &SortedTake, b: &SortedTake) -> bool {
    let [a, b] = [a, b].map(|sorted| f64::from(sorted.take.clip.duration_secs()));
    (a - b).abs() <= SAME * a.max(1.0)
}

fn is_twin(a: &SortedTake, b: &SortedTake) -> bool {
    let mut properties = a.properties.iter().zip(&b.properties);
    end_together(a, b)
        && a.channels.iter().zip(&b.channels).all(|(a, b)| same_channel(a, b))
        && properties.all(|(a, b)| same_curve(&a.track, &b.track, near))
}

/// Returns the share of the channels that move in either clip and differ, if it is not above a limit.
fn share_that_differs(a: &SortedTake, b: &SortedTake, limit: f64) -> Option<f64> {
    if !end_together(a, b) {
        return None;
    }
    let pairs = a.channels.iter().copied().zip(b.channels.iter().copied());
    let moving: Vec<(&Channel, &Channel)> = pairs
        .filter(|(a, b)| a.times().len() > 1 || b.times().len() > 1)
        .filter(|(a, b)| !is_constant(a) || !is_constant(b))
        .collect();
    let properties =
        a.properties.iter().map(|a| &a.track).zip(b.properties.iter().map(|b| &b.track));
    let changing: Vec<_> = properties.filter(|(a, b)| !all_same(a) || !all_same(b)).collect();
    let all = moving.len() + changing.len();
    if all < LEAST_MOVING {
        return None;
    }
    let most = (limit * all as f64) as usize;
    let same = moving.iter().map(|(a, b)| same_channel(a, b));
    let same = same.chain(changing.iter().map(|(a, b)| same_curve(a, b, near)));
    let differ = same.filter(|same| !same).take(most + 1).count();
    (differ <= most).then(|| differ as f64 / all as f64)
}

/// Whether all keys of a track are the same.
fn all_same<T: Value + PartialEq>(track: &Track<T>) -> bool {
    let values = track.keys().values();
    let first = &values[..track.width().min(values.len())];
    values.chunks(track.width().max(1)).all(|key| key == first)
}

/// Whether all keys of a channel are the same.
fn is_constant(channel: &Channel) -> bool {
    match channel {
        Channel::Translation { track, .. } | Channel::Scale { track, .. } => all_same(track),
        Channel::Rotation { track, .. } => all_same(track),
        Channel::Weights { track, .. } => all_same(track),
    }
}

fn near(a: f32, b: f32) -> bool {
    f64::from((a - b).abs()) <= SAME * f64::from(b.abs()).max(1.0)
}

fn same_channel(a: &Channel, b: &Channel) -> bool {
    let vectors = |a: Vec3, b: Vec3| (0..3).all(|i| near(a[i], b[i]));
    match (a, b) {
        (Channel::Translation { track: a, .. }, Channel::Translation { track: b, .. })
        | (Channel::Scale { track: a, .. }, Channel::Scale { track: b, .. }) => {
            same_curve(a, b, vectors)
        }
        (Channel::Rotation { track: a, .. }, Channel::Rotation { track: b, .. }) => {
            same_curve(a, b, |a: Quat, b: Quat| angle_between(a, b) <= SAME)
        }
        (Channel::Weights { track: a, .. }, Channel::Weights { track: b, .. }) => {
            same_curve(a, b, near)
        }
        _ => false,
    }
}

/// Whether two curves are the same: at all keys of both, and thrice between every two.
fn same_curve<T: Value + PartialEq>(
    a: &Track<T>,
    b: &Track<T>,
    near: impl Fn(T, T) -> bool,
) -> bool {
    if a == b {
        return true;
    }
    let Some(first) = first_key(a) else { return false };
    let (mut at_a, mut at_b) = (vec![first; a.width()], vec![first; b.width()]);
    let mut same_at = |time: f64| {
        a.sample_into(time, &mut at_a);
        b.sample_into(time, &mut at_b);
        at_a.iter().zip(&at_b).all(|(a, b)| near(*a, *b))
    };
    let mut times: Vec<f32> = [a.times(), b.times()].concat();
    times.sort_unstable_by(f32::total_cmp);
    // The ends first: most clips that differ do so there.
    [times[0], times[times.len() - 1]].into_iter().all(|time| same_at(f64::from(time)))
        && times.windows(2).all(|pair| {
            let [start, end] = [pair[0], pair[1]].map(f64::from);
            [0.0, 0.25, 0.5, 0.75].into_iter().all(|u| same_at(start + u * (end - start)))
        })
}

fn first_key<T: Value>(track: &Track<T>) -> Option<T> {
    track.keys().values().first().copied()
}
