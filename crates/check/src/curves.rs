//! Rules of the curves between keys: INTERPOLATION_ODD, CURVE_OVERSHOOTS.

use glam::{DVec3, Vec3};

use super::rig::turn;
use super::surface::Surface;
use super::take::Take;
use super::{Code, Finding};
use rigview_anim::{Channel, Interpolation, Keys, Track, Value};

/// The fewest keys of a channel from which on its interpolation is compared with that of others.
const LEAST_KEYS: usize = 4;

/// The fewest channels of the same path that interpolate, and how many times as many as those that do not.
const LEAST_OTHERS: usize = 3;
const TIMES_OTHERS: usize = 3;

/// The share of the steps between keys in which a STEP channel must move. Holding for a while is what STEP is for.
const MOVING: f64 = 0.5;

/// The longest time between dense keys, in seconds: curves between sparse keys may mean to overshoot.
const DENSE: f64 = 0.1;

/// The least overshoots that count: of rotations in radians, of translations as a share of the skin's diagonal, of
/// scales as a share.
const TURNED: f64 = 0.035;
const MOVED: f64 = 0.01;
const SCALED: f64 = 0.02;

/// The fewest segments of a curve that overshoot. A single one is a cusp that somebody may have drawn.
const LEAST_SEGMENTS: usize = 3;

pub(super) fn findings(take: &Take, surface: Option<&Surface>) -> Vec<Finding> {
    let mut found = odd_interpolations(take);
    found.extend(overshoots(take, surface));
    found.into_iter().map(|f| f.in_clip(take.name()).at(take.pointer())).collect()
}

/// Finds joints whose rotation or translation steps from key to key while those of most others interpolate.
fn odd_interpolations(take: &Take) -> Vec<Finding> {
    let channels = || {
        take.clip.channels().iter().filter(|channel| {
            matches!(channel, Channel::Rotation { .. } | Channel::Translation { .. })
                && take.rig.is_joint[channel.node()]
                && channel.times().len() >= LEAST_KEYS
        })
    };
    let is_step = |channel: &&Channel| channel.interpolation() == Interpolation::Step;
    let odd = channels().filter(is_step).filter_map(|channel| {
        let alike = channels().filter(|other| other.path() == channel.path());
        let steps = alike.clone().filter(is_step).count();
        // What is meant to step, such as eyes that dart, has fewer keys.
        let usual = |other: &&Channel| {
            !is_step(other) && other.times().len() <= 2 * channel.times().len()
        };
        let others = alike.filter(usual).count();
        if others < LEAST_OTHERS.max(TIMES_OTHERS * steps) || moving(channel) < MOVING {
            return None;
        }
        let text = format!(
            "the {} of {} {} in {} has STEP interpolation, and that of {others} other joints has not",
            channel.path(),
            take.rig.kind(channel.node()),
            take.rig.called(channel.node()),
            take.called(),
        );
        Some(Finding::new(Code::InterpolationOdd, text).of(take.rig.name(channel.node())))
    });
    odd.collect()
}

/// Returns the share of the steps between keys in which a channel's value changes.
fn moving(channel: &Channel) -> f64 {
    /// The smallest change, in radians or in the value's unit.
    const CHANGED: f64 = 1e-4;
    let share = |steps: Vec<f64>| {
        let changed = steps.iter().filter(|step| **step > CHANGED).count();
        changed as f64 / steps.len().max(1) as f64
    };
    match channel {
        Channel::Rotation { track, .. } => share(key_steps(track, turn)),
        Channel::Translation { track, .. } | Channel::Scale { track, .. } => {
            share(key_steps(track, way))
        }
        Channel::Weights { .. } => 0.0,
    }
}

fn way(a: Vec3, b: Vec3) -> DVec3 {
    b.as_dvec3() - a.as_dvec3()
}

/// Returns the changes from each key to the next.
fn key_steps<T: Value>(track: &Track<T>, step: impl Fn(T, T) -> DVec3) -> Vec<f64> {
    let values = track.keys().values();
    let prepared = values.windows(2).map(|pair| step(pair[0].prepare(), pair[1].prepare()));
    prepared.map(DVec3::length).collect()
}

fn overshoots(take: &Take, surface: Option<&Surface>) -> Vec<Finding> {
    let limit = take.rig.threshold(Code::CurveOvershoots);
    let found = take.clip.channels().iter().filter_map(|channel| {
        let node = channel.node();
        let worst = match channel {
            Channel::Rotation { track, .. } => overshoot(track, limit, TURNED, turn),
            Channel::Translation { track, .. } => {
                let size = surface?.size();
                let least = MOVED * size / take.rig.metres_per_unit(node);
                (size > 0.0).then(|| overshoot(track, limit, least, way)).flatten()
            }
            Channel::Scale { track, .. } => overshoot(track, limit, SCALED, way),
            _ => None,
        };
        let Overshoot { time, share, segments } = worst?;
        let text = format!(
            "the {} of {} in {} overshoots between {segments} pairs of its keys, most at {time:.3} s",
            channel.path(),
            take.rig.called(node),
            take.called()
        );
        let finding = Finding::new(Code::CurveOvershoots, text).of(take.rig.name(node)).when(time);
        Some(finding.measured(share, "share of the change").limited(limit))
    });
    found.collect()
}

/// The segments of a cubic curve that leave their ends.
struct Overshoot {
    /// The time and the share of the worst one.
    time: f64,
    share: f64,
    segments: usize,
}

/// Compares each segment between dense keys with the straight way between its ends. The limit is a share of the largest
/// change of the segment and its neighbours.
fn overshoot<T: Value>(
    track: &Track<T>,
    limit: f64,
    least: f64,
    step: impl Fn(T, T) -> DVec3,
) -> Option<Overshoot> {
    let Keys::Cubic { values, .. } = track.keys() else { return None };
    let changes = key_steps(track, &step);
    let mut worst: Option<Overshoot> = None;
    let mut segments = 0;
    for (i, pair) in track.times().windows(2).enumerate() {
        let [start, end] = [pair[0], pair[1]].map(f64::from);
        if end - start > DENSE {
            continue;
        }
        let around = &changes[i.saturating_sub(1)..(i + 2).min(changes.len())];
        let change = around.iter().copied().fold(0.0, f64::max);
        let off = [0.25, 0.5, 0.75].map(|u| {
            let straight = T::lerp(values[i].prepare(), values[i + 1].prepare(), u);
            step(straight, track.sample(start + u * (end - start))).length()
        });
        let off = off.into_iter().fold(0.0, f64::max);
        if off > least && off > limit * change {
            segments += 1;
            let share = if change > 0.0 { (off / change).min(1e6) } else { 1e6 };
            if worst.as_ref().is_none_or(|worst| share > worst.share) {
                worst = Some(Overshoot { time: 0.5 * (start + end), share, segments });
            }
        }
    }
    worst.filter(|_| segments >= LEAST_SEGMENTS).map(|worst| Overshoot { segments, ..worst })
}
