//! The rule of sudden changes: POP.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use glam::{DVec3, Vec3};

use super::profiles::words;
use super::rest::FLAT;
use super::shape::{longest, mesh_diagonal};
use super::surface::Surface;
use super::take::Take;
use super::turning::turn;
use super::{Code, Finding};
use rigview_anim::{Channel, Keys, Track, Value};
use rigview_rig::BodySide;

/// The length of a step in seconds.
const STEP: f64 = 1.0 / 30.0;

/// The way of a joint in a step against its parent, as a share of its figure's diagonal, and the change of its scale, as a
/// factor. A contract's threshold changes them in proportion to the angle.
const MOVE: f64 = 0.1;
const GROWTH: f64 = 1.5;

/// How many times as far a joint of an eye may turn: lids close and open within two frames, by up to a quarter of a circle.
const BLINKS: f64 = 2.2;

/// A pop is this many times as far as the median of the steps around.
const FASTER: f64 = 4.0;

/// The steps on either side that it is compared with: the nearest is left out, because a spike returns in it.
const AROUND: [f64; 4] = [2.0, 3.0, 4.0, 5.0];

/// The share of a pop by which the steps before and after must differ from it. A fast movement gathers speed over
/// several frames, and a bad key does not.
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

/// The time from the key before a single one to the key after it, at most: two frames of 24 per second.
const BLINK: f64 = 2.0 / 24.0;

/// Times that differ by less are the same, in seconds.
const SAME: f64 = 1e-5;

/// STEP channels jump by what they are, so they are left alone.
pub(super) fn findings(take: &Take, surface: Option<&Surface>) -> Vec<Finding> {
    let rig = take.rig;
    let degrees = rig.threshold(Code::Pop);
    let share = degrees / Code::Pop.threshold().map_or(1.0, |(usual, _)| usual);
    // The furthest pop of each joint, and how many times the limit it is.
    let mut worst: BTreeMap<usize, (f64, Finding)> = BTreeMap::new();
    for channel in take.clip.channels() {
        let node = channel.node();
        let moves = rig.carries[node] || rig.figures.is_part[node];
        if !moves && !matches!(channel, Channel::Weights { .. }) {
            continue;
        }
        let size = surface.map_or(0.0, |surface| surface.size_of_figure(rig, node));
        // A node above the joints carries the figure, and may put it elsewhere at once, as may one that carries a machine.
        let returns = !rig.figures.is_limb[node];
        let most = if is_eye(rig.name(node).unwrap_or_default()) { BLINKS } else { 1.0 };
        let pop = match channel {
            Channel::Rotation { track, .. } => {
                let sought = Sought { limit: most * degrees.to_radians(), node, returns };
                sudden(take, track, sought, turn, turns_apart)
            }
            Channel::Translation { track, .. } => {
                let metres = rig.metres_per_unit(node);
                let limit = share * MOVE * size;
                let way = |a: Vec3, b: Vec3| metres * (b.as_dvec3() - a.as_dvec3());
                let sought = Sought { limit, node, returns };
                (limit > 0.0).then(|| sudden(take, track, sought, way, DVec3::distance)).flatten()
            }
            // Parts of machines are hidden and turned over by their scale.
            Channel::Scale { .. } if !rig.carries[node] => None,
            Channel::Scale { track, .. } => {
                let sought = Sought { limit: share * GROWTH.ln(), node, returns };
                sudden(take, track, sought, growth, DVec3::distance)
            }
            Channel::Weights { first, track, .. } => {
                let pops = (0..track.width())
                    .filter_map(|i| weight_pops(take, node, first + i, &column(track, i)?, size));
                pops.max_by(|a, b| a.excess().total_cmp(&b.excess()))
            }
        };
        let Some(pop) = pop else { continue };
        let (time, length, limit, excess) = (pop.start, pop.length(), pop.limit, pop.excess());
        if worst.get(&node).is_some_and(|(most, _)| *most >= excess) {
            continue;
        }
        let (called, clip) = (rig.called(node), take.called());
        let (text, value, limit, unit) = match channel {
            Channel::Rotation { .. } => {
                let angle = length.to_degrees();
                (format!("turns by {angle:.0} degrees"), angle, most * degrees, "degrees")
            }
            Channel::Translation { .. } => (format!("moves by {length:.3} m"), length, limit, "m"),
            Channel::Weights { .. } => {
                (format!("moves vertices by {length:.3} m by its weights"), length, limit, "m")
            }
            _ => {
                let factor = length.exp().min(FLAT);
                let text = match factor < FLAT {
                    true => format!("changes its scale {factor:.2} times"),
                    false if appears(channel, &pop) => "grows out of nothing".to_owned(),
                    false => "is scaled to nothing".to_owned(),
                };
                (text, factor, limit.exp(), "ratio")
            }
        };
        let kind = rig.kind(node);
        let text = format!("{kind} {called} {text} within 1/30 s in {clip}, at {time:.3} s");
        let finding = Finding::new(Code::Pop, text).of(rig.name(node)).in_clip(take.name());
        let finding = finding.when(time).measured(value, unit).limited(limit).at(take.pointer());
        let finding = finding.about(super::ChannelTarget::of(channel));
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
    /// The length up to which a change is none.
    limit: f64,
}

impl SuddenStep {
    fn length(&self) -> f64 {
        self.change.length()
    }

    /// How many times the limit it is.
    fn excess(&self) -> f64 {
        self.length() / self.limit
    }
}

/// What counts as sudden.
#[derive(Clone, Copy)]
struct Sought {
    /// The length up to which a change is none.
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

/// Whether a scale grows in a step without having shrunk just before it, as it does around a single key.
fn appears(channel: &Channel, pop: &SuddenStep) -> bool {
    let Channel::Scale { track, .. } = channel else { return false };
    let before = growth(track.sample(pop.start - STEP), track.sample(pop.start));
    pop.change.element_sum() > 0.0 && before.element_sum() >= 0.0
}

/// Returns the furthest jump and return of a morph weight, in metres: of the vertex that its target moves most. Mouths and eyes open and close at once, so a jump alone is none.
fn weight_pops(
    take: &Take,
    node: usize,
    target: usize,
    weights: &Track<f32>,
    figure: f64,
) -> Option<SuddenStep> {
    let rig = take.rig;
    let index = rig.model.nodes[node].mesh?;
    let mesh = &rig.model.meshes[index];
    let metres = rig.metres_per_mesh_unit(index);
    let reach = mesh.primitives.iter().filter_map(|p| p.bounds.targets.get(target));
    let reach = metres * reach.map(longest).fold(0.0, f64::max);
    let size = figure.max(metres * mesh_diagonal(mesh));
    let degrees = rig.threshold(Code::Pop);
    let share = degrees / Code::Pop.threshold().map_or(1.0, |(usual, _)| usual);
    let limit = share * MOVE * size;
    if !(limit > 0.0 && reach > 0.0) {
        return None;
    }
    let way = |a: f32, b: f32| DVec3::X * reach * (f64::from(b) - f64::from(a));
    sudden(take, weights, Sought { limit, node, returns: true }, way, DVec3::distance)
}

/// Whether a node is an eye or its lid by its name.
fn is_eye(name: &str) -> bool {
    let has_side = || BodySide::of_name(name) != BodySide::Center;
    words(name).iter().any(|word| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('s');
        word == "blink"
            || ["eye", "eyeball", "eyelid"].iter().any(|end| word.ends_with(end))
            // Boxes have lids too.
            || (word == "lid" && has_side())
    })
}

/// Returns one of the weights of a track; `None` if they jump by what they are.
fn column(track: &Track<f32>, index: usize) -> Option<Track<f32>> {
    let of = |values: &[f32]| values.iter().skip(index).step_by(track.width()).copied().collect();
    let keys = match track.keys() {
        Keys::Step(_) => return None,
        Keys::Linear(values) => Keys::Linear(of(values)),
        Keys::Cubic { in_tangents, values, out_tangents } => Keys::Cubic {
            in_tangents: of(in_tangents),
            values: of(values),
            out_tangents: of(out_tangents),
        },
    };
    Track::new(track.times().to_vec(), keys, 1).ok()
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
        let most = worst.map_or(limit, |worst| worst.length());
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
            && length > FASTER * median(around.collect())
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

/// Returns the median; 0 of nothing.
fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    if values.is_empty() {
        return 0.0;
    }
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Whether a joint, or one above it, is scaled to nothing at either end of a step, and stays so for longer than a key.
fn is_hidden(take: &Take, node: usize, start: f64) -> bool {
    let hierarchy = &take.rig.model.hierarchy;
    std::iter::successors(Some(node), |node| hierarchy.parent(*node)).any(|node| {
        let Some(track) = take.scales.get(&node) else {
            let scale = take.rig.model.rest.transform(node).scale;
            return scale.abs().max_element() < NOTHING;
        };
        let values = track.keys().values();
        let largest =
            values.iter().map(|scale| scale.abs().max_element()).fold(NOTHING / HIDDEN, f32::max);
        let is_nothing = |scale: Vec3| scale.abs().max_element() < HIDDEN * largest;
        [start, start + STEP]
            .into_iter()
            .any(|time| is_nothing(track.sample(time)) && !is_lone(track, time, is_nothing))
    })
}

/// Whether the value at a time is that of a single key, both neighbours of which are near and say something else.
fn is_lone(track: &Track<Vec3>, time: f64, is_meant: impl Fn(Vec3) -> bool) -> bool {
    let (times, values) = (track.times(), track.keys().values());
    let before = track.key_index(time);
    let off = |key: usize| times.get(key).map_or(f64::MAX, |at| (f64::from(*at) - time).abs());
    let nearest = if off(before + 1) < off(before) { before + 1 } else { before };
    let Some(around) = nearest.checked_sub(1).and_then(|first| times.get(first..nearest + 2))
    else {
        return false;
    };
    let is_short = f64::from(around[2]) - f64::from(around[0]) <= BLINK + SAME;
    is_short
        && is_meant(values[nearest])
        && ![nearest - 1, nearest + 1].iter().any(|key| is_meant(values[*key]))
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
