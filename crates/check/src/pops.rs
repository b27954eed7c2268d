//! The rule of sudden changes: POP.
//!
//! Fast movement gathers speed over several frames, and a bad key does not: a pop is far, much farther than the steps around,
//! and unlike the two beside it.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use glam::{DVec3, Vec3};

use super::rig::{median, turn};
use super::scale::FLAT;
use super::surface::Surface;
use super::take::Take;
use super::{Code, Finding};
use rigview_anim::{Channel, Keys, Track, Value};

/// The length of a step in seconds.
const STEP: f64 = 1.0 / 30.0;

/// The way of a joint in a step against its parent, as a share of the skin's diagonal, and the change of its scale, as a
/// factor. A contract's threshold changes them in proportion to the angle.
const MOVE: f64 = 0.1;
const GROWTH: f64 = 1.5;

/// A pop is this many times as far as the median of the steps around.
const FASTER: f64 = 4.0;

/// The steps on either side that it is compared with: the nearest is left out, because a spike returns in it.
const AROUND: [f64; 4] = [2.0, 3.0, 4.0, 5.0];

/// The share of a pop by which the steps before and after must differ from it.
const ABRUPT: f64 = 0.5;

/// The same where a clip starts or ends beside the pop, so that only one side is known: a movement may begin fast.
const ABRUPT_AT_END: f64 = 0.9;

/// The share of a spike that may be left where it has returned.
const RETURNED: f64 = 0.5;

/// A turn may go either way if it is at most this much less than half a circle: 30 degrees in a frame of 24 per second, of
/// which a step shows four fifths.
const EITHER_WAY: f64 = PI / 3.0;

/// Joints scaled to a smaller share of their largest scale are hidden, as is what hangs on them; so are those that
/// always have a smaller scale.
const HIDDEN: f32 = 0.01;
const NOTHING: f32 = 1e-4;

/// Times that differ by less are the same, in seconds.
const SAME: f64 = 1e-5;

/// Judges joints and the nodes above them. STEP channels jump by design, and morph weights by frames of a baked face.
pub(super) fn findings(take: &Take, surface: Option<&Surface>) -> Vec<Finding> {
    let rig = take.rig;
    let degrees = rig.threshold(Code::Pop);
    let share = degrees / Code::Pop.threshold().map_or(1.0, |(usual, _)| usual);
    // The furthest pop of each joint, and how many times the limit it is.
    let mut worst: BTreeMap<usize, (f64, Finding)> = BTreeMap::new();
    for channel in take.clip.channels().iter().filter(|channel| rig.carries[channel.node()]) {
        let node = channel.node();
        // A node above the joints carries the figure, and may put it elsewhere at once.
        let returns = !rig.is_joint[node];
        let sought = |limit: f64| Sought { limit, node, returns };
        let pop = match channel {
            Channel::Rotation { track, .. } => {
                sudden(take, track, sought(degrees.to_radians()), turn, turns_apart)
            }
            Channel::Translation { track, .. } => {
                let metres = rig.metres_per_unit(node);
                let limit = share * MOVE * surface.map_or(0.0, Surface::size);
                let way = |a: Vec3, b: Vec3| metres * (b.as_dvec3() - a.as_dvec3());
                let find = || sudden(take, track, sought(limit), way, DVec3::distance);
                (limit > 0.0).then(find).flatten()
            }
            Channel::Scale { track, .. } => {
                sudden(take, track, sought(share * GROWTH.ln()), growth, DVec3::distance)
            }
            Channel::Weights { .. } => None,
        };
        let Some(pop) = pop else { continue };
        let (length, excess) = (pop.change.length(), pop.change.length() / pop.limit);
        if worst.get(&node).is_some_and(|(most, _)| *most >= excess) {
            continue;
        }
        let (text, value, limit, unit) = match channel {
            Channel::Rotation { .. } => {
                let angle = length.to_degrees();
                (format!("turns by {angle:.0} degrees"), angle, degrees, "degrees")
            }
            Channel::Translation { .. } => {
                (format!("moves by {length:.3} m"), length, pop.limit, "m")
            }
            _ => {
                let factor = length.exp().min(FLAT);
                (format!("changes its scale {factor:.2} times"), factor, pop.limit.exp(), "ratio")
            }
        };
        let text = format!(
            "{} {} {text} within 1/30 s in {}, at {:.3} s",
            rig.kind(node),
            rig.called(node),
            take.called(),
            pop.start
        );
        let finding = Finding::new(Code::Pop, text).of(rig.name(node)).in_clip(take.name());
        let finding = finding.when(pop.start).measured(value, unit).limited(limit);
        let finding = finding.at(take.pointer()).about(super::ChannelTarget::of(channel));
        worst.insert(node, (excess, finding));
    }
    worst.into_values().map(|(_, finding)| finding).collect()
}

/// A sudden change of a channel, within a step.
#[derive(Clone, Copy)]
struct SuddenStep {
    /// The time at which the step starts.
    start: f64,
    change: DVec3,
    /// Changes up to this length are ignored.
    limit: f64,
}

/// What counts as sudden.
#[derive(Clone, Copy)]
struct Sought {
    /// Changes up to this length are ignored.
    limit: f64,
    node: usize,
    /// Whether only changes count that return.
    returns: bool,
}

/// Returns the change of a scale as the logarithm of its factors: along the axis that changes most.
fn growth(a: Vec3, b: Vec3) -> DVec3 {
    let tiny = f64::from(f32::MIN_POSITIVE);
    let [a, b] = [a, b].map(|scale| scale.as_dvec3().abs().max(DVec3::splat(tiny)));
    let change = DVec3::new((b.x / a.x).ln(), (b.y / a.y).ln(), (b.z / a.z).ln());
    let most = change.abs().max_element();
    if change.abs().x == most {
        DVec3::X * change.x
    } else if change.abs().y == most {
        DVec3::Y * change.y
    } else {
        DVec3::Z * change.z
    }
}

/// Returns how far apart two turns are. One of nearly half a circle may go either way, so the farther counts: a joint that
/// is turned over for one frame turns by half a circle twice, and both turns may have one direction.
fn turns_apart(a: DVec3, b: DVec3) -> f64 {
    let angle = b.length();
    if angle < PI - EITHER_WAY {
        return a.distance(b);
    }
    a.distance(b).max(a.distance(b - b * (TAU / angle)))
}

/// Returns the furthest sudden step of a track. `step` is the change between
/// two values, and `apart` how much two changes differ.
fn sudden<T: Value>(
    take: &Take,
    track: &Track<T>,
    sought: Sought,
    step: impl Fn(T, T) -> DVec3,
    apart: impl Fn(DVec3, DVec3) -> f64,
) -> Option<SuddenStep> {
    let Sought { limit, node, returns: must_return } = sought;
    let end = take.end();
    let way = match track.keys() {
        Keys::Step(_) => return None,
        Keys::Linear(values) => Some(Way::of(values, &step)),
        Keys::Cubic { .. } => None,
    };
    if way.as_ref().is_some_and(|way| way.whole() <= limit) {
        return None;
    }
    let after = |start: f64| step(track.sample(start), track.sample(start + STEP));
    let is_inside = |start: f64| start >= -SAME && start + STEP <= end + SAME;
    let mut worst: Option<SuddenStep> = None;
    for &start in take.times.iter().filter(|start| is_inside(**start)) {
        let most = worst.map_or(limit, |worst| worst.change.length());
        if way.as_ref().is_some_and(|way| way.between(track, start, start + STEP) <= most) {
            continue;
        }
        let change = after(start);
        let length = change.length();
        if !(length > most && length.is_finite()) {
            continue;
        }
        let beside: Vec<f64> =
            beside(track, start).into_iter().filter(|start| is_inside(*start)).collect();
        let abrupt = if beside.len() > 1 { ABRUPT } else { ABRUPT_AT_END };
        let is_abrupt = |start: &f64| apart(change, after(*start)) > abrupt * length;
        let around = AROUND.iter().flat_map(|i| [start - i * STEP, start + i * STEP]);
        let around = around.filter(|start| is_inside(*start)).map(|start| after(start).length());
        if !beside.is_empty()
            && beside.iter().all(is_abrupt)
            && length > FASTER * median(around.collect()).unwrap_or(0.0)
            && (!must_return || returns(track, start, &step, length))
            && !is_hidden(take, node, start)
        {
            worst = Some(SuddenStep { start, change, limit });
        }
    }
    worst
}

/// Whether a step is half of a spike: just before or just after it, the value is about what it is at its other end.
fn returns<T: Value>(
    track: &Track<T>,
    start: f64,
    step: impl Fn(T, T) -> DVec3,
    length: f64,
) -> bool {
    let apart = |a: f64, b: f64| step(track.sample(a), track.sample(b)).length();
    let (before, after) = (start - STEP, start + 2.0 * STEP);
    apart(before, start + STEP).min(apart(start, after)) < RETURNED * length
}

/// Returns the starts of the steps before and after one. Between two keys a LINEAR track has one speed, so they are
/// before and after the keys around.
fn beside<T: Value>(track: &Track<T>, start: f64) -> [f64; 2] {
    let (times, end) = (track.times(), start + STEP);
    let first = track.key_index(start + SAME);
    let last = times.partition_point(|time| f64::from(*time) < end - SAME);
    match (track.keys(), times.get(first), times.get(last)) {
        (Keys::Linear(_), Some(first), Some(last)) => {
            [f64::from(*first).min(start) - STEP, f64::from(*last).max(end)]
        }
        _ => [start - STEP, end],
    }
}

/// Whether a joint, or one above it, is scaled to nothing at either end of a step.
fn is_hidden(take: &Take, node: usize, start: f64) -> bool {
    take.rig.model.hierarchy.path_to_root(node).any(|node| {
        let Some(track) = take.scales.get(&node) else {
            let scale = take.rig.model.rest.transform(node).scale;
            return scale.abs().max_element() < NOTHING;
        };
        let sizes = track.keys().values().iter().map(|scale| scale.abs().max_element());
        let largest = sizes.fold(NOTHING / HIDDEN, f32::max);
        let size = |time: f64| track.sample(time).abs().max_element();
        size(start).min(size(start + STEP)) < HIDDEN * largest
    })
}

/// The way that a track has gone from its start to each key: more than the distance from the first value, if it turns
/// back. Used to skip steps that can't be sudden.
struct Way(Vec<f64>);

impl Way {
    fn of<T: Copy>(values: &[T], step: impl Fn(T, T) -> DVec3) -> Self {
        let steps = values.windows(2).map(|pair| step(pair[0], pair[1]).length());
        let sums = steps.scan(0.0, |sum, length| {
            *sum += length;
            Some(*sum)
        });
        Self([0.0].into_iter().chain(sums).collect())
    }

    fn whole(&self) -> f64 {
        self.0[self.0.len() - 1]
    }

    /// Returns at least the way between two times.
    fn between<T: Value>(&self, track: &Track<T>, start: f64, end: f64) -> f64 {
        let at = |time: f64| {
            let key = track.key_index(time);
            let Some(next) = self.0.get(key + 1) else { return self.0[key] };
            let [from, to] = [key, key + 1].map(|key| f64::from(track.times()[key]));
            self.0[key] + (next - self.0[key]) * ((time - from) / (to - from)).clamp(0.0, 1.0)
        };
        // The margin is for the rounding of sums.
        at(end) - at(start) + 1e-6 * self.whole() + 1e-6
    }
}
