//! The rule of what a contract declares of clips and joints: CONTRACT.

use std::collections::{BTreeSet, HashSet};

use glam::Vec3;

use super::motion::{over_ground, root, standing_speeds};
use super::rig::{Rig, median};
use super::scale::HIDDEN;
use super::take::Take;
use super::timing::{SAME, is_off};
use super::{Code, Contract, Finding, Pattern};
use rigview_anim::rotation::angle_between;
use rigview_anim::{Channel, Keys, Track};
use rigview_model::short_name;

/// Rounding of durations, in seconds and relative.
const ROUNDING: f64 = 1e-6;

/// The share of a frame up to which a key lies on it: at high rates, frames are hardly longer than [`SAME`].
const SAME_SHARE: f64 = 0.1;

/// How far a joint's translation may be from that at rest: a share of its length, between a least and a largest
/// distance in metres. Exporters round, and rest poses are adjusted by hand.
const STRETCH: f64 = 0.04;
const LEAST_STRETCH: f64 = 1e-3;
const MOST_STRETCH: f64 = 5e-3;

/// The change of a joint's scale that counts.
const GROWN: f64 = 1e-3;

pub(super) fn findings(rig: &Rig, takes: &[Take], contract: &Contract) -> Vec<Finding> {
    let names: Vec<&str> = takes.iter().map(|take| take.clip.name().unwrap_or_default()).collect();
    let missing = contract.missing_clips(&names).into_iter().map(|clip| {
        let clip = short_name(clip);
        let text = format!("the contract declares clip \"{clip}\"; the file has none of that name");
        Finding::new(Code::Contract, text).in_clip(Some(clip))
    });
    let mut found: Vec<Finding> = missing.collect();
    for take in takes {
        found.extend(duration(take));
        found.extend(frame_rate(take));
        found.extend(moves(take));
        found.extend(speed(take));
        if take.rules.rigid == Some(true) {
            found.extend(not_rigid(take));
        }
    }
    let feet = takes.iter().flat_map(|take| &take.rules.feet);
    let declared: BTreeSet<&String> = contract.skeleton.required.iter().chain(feet).collect();
    found.extend(declared.into_iter().filter_map(|name| missing_joint(rig, name)));
    if let Some(profile) = contract.skeleton.profile {
        found.extend(profile.findings(rig));
    }
    found
}

fn duration(take: &Take) -> Option<Finding> {
    let [shortest, longest] = take.rules.duration?;
    let (lasts, rounding) = (take.end(), ROUNDING * take.end().max(1.0));
    if lasts >= shortest - rounding && lasts <= longest + rounding {
        return None;
    }
    let text = format!(
        "{} lasts {lasts:.3} s; the contract declares {shortest} to {longest} s",
        take.called()
    );
    let finding = Finding::new(Code::Contract, text).in_clip(take.name()).measured(lasts, "s");
    let limit = if lasts < shortest { shortest } else { longest };
    Some(finding.limited(limit).at(take.pointer()))
}

/// Compares the times of all keys with the declared grid.
fn frame_rate(take: &Take) -> Option<Finding> {
    let rate = take.rules.fps?;
    let most = SAME.min(SAME_SHARE / rate);
    let (mut off, mut all, mut first) = (0, 0, None);
    for time in take.clip.key_times() {
        all += 1;
        if is_off(time, rate, most) {
            off += 1;
            first = first.or(Some(time));
        }
    }
    let text = format!(
        "{off} of {all} key times of {} are off the declared grid of {rate} frames per second",
        take.called()
    );
    let finding = Finding::new(Code::Contract, text).in_clip(take.name()).when(f64::from(first?));
    let finding = finding.measured(f64::from(off), "key times").limited(0.0);
    Some(finding.at(take.pointer()))
}

/// Looks for the joints that must move in relation to their parents: all that a pattern matches. Another node is meant only
/// where no joint is.
fn moves(take: &Take) -> Vec<Finding> {
    let rig = take.rig;
    let moving: HashSet<usize> =
        take.clip.channels().iter().filter(|c| is_moving(c)).map(Channel::node).collect();
    let finding = |text: String, object: Option<&str>| {
        let text = format!("{text} in {}, as the contract declares", take.called());
        Finding::new(Code::Contract, text).of(object).in_clip(take.name()).at(take.pointer())
    };
    let still = |pattern: &Pattern| {
        let is_meant = |node: &usize| rig.name(*node).is_some_and(|name| pattern.matches(name));
        let mut meant: Vec<usize> = rig.joints.iter().copied().filter(is_meant).collect();
        if meant.is_empty() {
            // A node that draws a skin moves nothing.
            let others = (0..rig.model.nodes.len()).filter(|n| rig.model.nodes[*n].skin.is_none());
            meant.extend(others.filter(is_meant));
        }
        if meant.is_empty() {
            let text = format!("no joint \"{}\" moves", short_name(pattern.text()));
            return vec![finding(text, Some(pattern.text()))];
        }
        let still = meant.into_iter().filter(|node| !moving.contains(node)).map(|node| {
            let text = format!("{} {} does not move", rig.kind(node), rig.called(node));
            finding(text, rig.name(node))
        });
        still.collect()
    };
    take.rules.moves.iter().flat_map(still).collect()
}

/// Whether a channel moves its joint so that it can be seen.
fn is_moving(channel: &Channel) -> bool {
    /// Radians, shares of the length and of the scale.
    const VISIBLE: f64 = 2e-3;
    let far = |a: Vec3, b: Vec3| {
        f64::from(a.distance(b)) > VISIBLE * f64::from(a.length().max(b.length()))
    };
    match channel {
        Channel::Rotation { track, .. } => track.changes(|a, b| angle_between(a, b) > VISIBLE),
        Channel::Translation { track, .. } | Channel::Scale { track, .. } => track.changes(far),
        Channel::Weights { .. } => false,
    }
}

/// Measures how fast a clip travels: by its root or, if that stays in place, by how fast declared feet move backwards
/// while they stand.
fn speed(take: &Take) -> Option<Finding> {
    let [slowest, fastest] = take.rules.speed?;
    let speed = travel_speed(take);
    if speed.is_some_and(|speed| speed >= slowest && speed <= fastest) {
        return None;
    }
    let how = match speed {
        Some(speed) => format!("{} travels at {speed:.2} m/s", take.called()),
        None => format!(
            "the speed of {} can't be told, since nothing moves over the ground",
            take.called()
        ),
    };
    let text = format!("{how}; the contract declares {slowest} to {fastest} m/s");
    let finding = Finding::new(Code::Contract, text).in_clip(take.name()).at(take.pointer());
    let Some(speed) = speed else { return Some(finding) };
    let limit = if speed < slowest { slowest } else { fastest };
    Some(finding.measured(speed, "m/s").limited(limit))
}

fn travel_speed(take: &Take) -> Option<f64> {
    // Until its first key a clip holds its first pose.
    let first = f64::from(take.clip.start_secs());
    let lasts = take.end() - first;
    if lasts <= 0.0 {
        return None;
    }
    let [start, end] = [first, take.end()].map(|time| take.stage_at(time));
    let way = root(take).map(|root| over_ground(start.position(root), end.position(root)));
    let limit = take.rig.threshold(Code::RootMoves);
    if let Some(way) = way.filter(|way| way.is_finite() && *way > limit) {
        return Some(way / lasts);
    }
    let feet = take.rules.feet.iter().filter_map(|foot| take.rig.named(foot));
    median(feet.flat_map(|joint| standing_speeds(take, joint)).map(|(speed, _)| speed).collect())
}

/// Finds joints other than the root whose length or scale is not that of the rest pose. The root is the highest joint that the
/// clip moves. The nodes above it carry it over the ground, so only their scale is judged.
fn not_rigid(take: &Take) -> Vec<Finding> {
    let root = root(take);
    let (rig, rest) = (take.rig, &take.rig.model.rest);
    let joints = take
        .clip
        .channels()
        .iter()
        .filter(|channel| rig.carries[channel.node()] && Some(channel.node()) != root);
    let found = joints.filter_map(|channel| {
        let node = channel.node();
        let (what, value, limit, unit, time) = match channel {
            Channel::Translation { track, .. } if rig.is_joint[node] => {
                let metres = take.rig.metres_per_unit(node);
                let at_rest = rest.transform(node).translation;
                let length = metres * f64::from(at_rest.length());
                let limit = (STRETCH * length).clamp(LEAST_STRETCH, MOST_STRETCH);
                let off = |value: Vec3| metres * f64::from(value.distance(at_rest));
                let (off, time) = furthest(track, off);
                ("is away from its place at rest", off, limit, "m", time)
            }
            Channel::Scale { track, .. } => {
                let at_rest = rest.transform(node).scale;
                // A joint that is hidden by a scale of 0 has no share of it.
                let size = at_rest.abs().max(Vec3::splat(HIDDEN));
                let off = |value: Vec3| f64::from(((value - at_rest) / size).abs().max_element());
                let (off, time) = furthest(track, off);
                ("has another scale than at rest", off, GROWN, "share", time)
            }
            _ => return None,
        };
        if value <= limit {
            return None;
        }
        let text = format!(
            "{} {} {what} by {value:.4} {unit} in {}, which the contract declares rigid",
            take.rig.kind(node),
            take.rig.called(node),
            take.called()
        );
        let finding = Finding::new(Code::Contract, text).of(take.rig.name(node)).when(time);
        let finding = finding.measured(value, unit).limited(limit);
        Some(finding.in_clip(take.name()).at(take.pointer()))
    });
    found.collect()
}

/// Returns the largest number of a track's values, and its time: at the keys and, on cubic curves, between them.
fn furthest(track: &Track<Vec3>, number: impl Fn(Vec3) -> f64) -> (f64, f64) {
    /// Instants between two keys. The largest value of a bump is missed by a fiftieth of its height.
    const BETWEEN: u32 = 8;
    let values = track.keys().values();
    let keys = values.iter().zip(track.times()).map(|(v, time)| (number(*v), f64::from(*time)));
    let is_cubic = matches!(track.keys(), Keys::Cubic { .. });
    let spans = track.times().windows(2).filter(|_| is_cubic);
    let between = spans.flat_map(|span| {
        let [from, to] = [span[0], span[1]].map(f64::from);
        (1..BETWEEN).map(move |i| from + (to - from) * f64::from(i) / f64::from(BETWEEN))
    });
    let between = between.map(|time| (number(track.sample(time)), time));
    keys.chain(between).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
}

fn missing_joint(rig: &Rig, name: &str) -> Option<Finding> {
    if rig.joints.iter().any(|joint| rig.name(*joint) == Some(name)) {
        return None;
    }
    let name = &short_name(name);
    let text = match rig.named(name) {
        Some(node) => format!("the declared joint \"{name}\" is node {node}, which no skin uses"),
        None => format!("the declared joint \"{name}\" is missing"),
    };
    Some(Finding::new(Code::Contract, text).of(Some(name)))
}
