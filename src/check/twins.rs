//! Rules of clips that are the same, or nearly: CLIP_TWIN, CLIP_NEAR_TWIN.

use std::collections::HashMap;

use glam::{Quat, Vec3};

use super::take::Take;
use super::{Code, Finding};
use crate::anim::rotation::angle_between;
use crate::anim::{Channel, Clip, Track, Value};

/// The largest difference of equal curves, relative to numbers above 1.
const SAME: f64 = 1e-6;

/// Pairs of clips that are compared at most, so that a file with a hundred thousand clips ends.
const MOST_PAIRS: usize = 2_000_000;

/// Compares each clip with the earlier ones that drive the same. Clips without channels are no twins.
pub(super) fn findings(takes: &[Take]) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut pairs = 0;
    let mut originals: HashMap<Vec<ChannelKey>, Vec<(&Take, Order)>> = HashMap::new();
    for take in takes.iter().filter(|take| !take.clip.is_empty()) {
        let (targets, order) = sorted_targets(take.clip);
        let alike = originals.entry(targets).or_default();
        pairs += alike.len();
        if pairs > MOST_PAIRS {
            break;
        }
        let same = |(other, of): &&(&Take, Order)| is_twin((other.clip, of), (take.clip, &order));
        match alike.iter().find(same) {
            Some((other, _)) => {
                let text = format!("{} is the same as {}", take.called(), other.called());
                let finding = Finding::new(Code::ClipTwin, text).in_clip(take.name());
                found.push(finding.at(take.pointer()));
            }
            None => {
                let limit = take.rig.threshold(Code::ClipNearTwin);
                let near = |(other, of): &(&Take, Order)| {
                    let share = other_channels((other.clip, of), (take.clip, &order), limit)?;
                    Some((share, other.called()))
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
                alike.push((take, order));
            }
        }
    }
    found
}

/// A node, path and first value, or a property slot.
type ChannelKey = (Option<&'static str>, usize, usize, usize);

/// Indices of channels and of properties, sorted by target.
type Order = (Vec<usize>, Vec<usize>);

fn sorted_targets(clip: &Clip) -> (Vec<ChannelKey>, Order) {
    let of = |channel: &Channel| {
        let values = channel.values();
        (Some(channel.path()), channel.node(), values.start, values.end)
    };
    let (channels, properties) = (clip.channels(), clip.properties());
    let mut order: Vec<usize> = (0..channels.len()).collect();
    order.sort_by_key(|i| of(&channels[*i]));
    let mut slots: Vec<usize> = (0..properties.len()).collect();
    slots.sort_by_key(|i| properties[*i].slot);
    let slot = |i: &usize| (None, properties[*i].slot, 0, properties[*i].track.width());
    let nodes = order.iter().map(|i| of(&channels[*i]));
    (nodes.chain(slots.iter().map(slot)).collect(), (order, slots))
}

fn is_twin((a, of_a): (&Clip, &Order), (b, of_b): (&Clip, &Order)) -> bool {
    let [end_a, end_b] = [a, b].map(|clip| f64::from(clip.duration_secs()));
    let channels = || of_a.0.iter().zip(&of_b.0);
    let slots = || of_a.1.iter().zip(&of_b.1);
    (end_a - end_b).abs() <= SAME * end_a.max(1.0)
        && channels().all(|(i, k)| same_channel(&a.channels()[*i], &b.channels()[*k]))
        && slots()
            .all(|(i, k)| same_curve(&a.properties()[*i].track, &b.properties()[*k].track, near))
}

/// The fewest channels that move from which on clips are nearly the same.
const LEAST_MOVING: usize = 4;

/// Returns the share of the channels that move in either clip and differ, if it is not above a limit.
fn other_channels(
    (a, of_a): (&Clip, &Order),
    (b, of_b): (&Clip, &Order),
    limit: f64,
) -> Option<f64> {
    let [end_a, end_b] = [a, b].map(|clip| f64::from(clip.duration_secs()));
    if (end_a - end_b).abs() > SAME * end_a.max(1.0) {
        return None;
    }
    let pairs = of_a.0.iter().zip(&of_b.0).map(|(i, k)| (&a.channels()[*i], &b.channels()[*k]));
    let moving: Vec<(&Channel, &Channel)> = pairs
        .filter(|(a, b)| a.times().len() > 1 || b.times().len() > 1)
        .filter(|(a, b)| !is_constant(a) || !is_constant(b))
        .collect();
    if moving.len() < LEAST_MOVING {
        return None;
    }
    let most = (limit * moving.len() as f64) as usize;
    let differ = moving.iter().filter(|(a, b)| !same_channel(a, b)).take(most + 1).count();
    (differ <= most).then(|| differ as f64 / moving.len() as f64)
}

/// Whether all keys of a channel are the same.
fn is_constant(channel: &Channel) -> bool {
    fn all_same<T: Value + PartialEq>(track: &Track<T>) -> bool {
        use crate::anim::Keys;
        let (Keys::Step(values) | Keys::Linear(values) | Keys::Cubic { values, .. }) = track.keys();
        let first = &values[..track.width().min(values.len())];
        values.chunks(track.width().max(1)).all(|key| key == first)
    }
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
    use crate::anim::Keys;
    let (Keys::Step(values) | Keys::Linear(values) | Keys::Cubic { values, .. }) = track.keys();
    values.first().copied()
}
