//! Curves to linear keys with a bounded error.
//!
//! Between two keys of the file a curve may be anything: cubic, constant, or linear in Euler angles, which is
//! neither linear nor spherically linear in quaternions. Each such segment is compared with its linear
//! interpolation, and divided until no sample is further off than a tolerance. Curves that are linear keep
//! their keys, and constant ones lose those between the ends.

use std::collections::BTreeMap;

use glam::DQuat;

/// Where segments are compared. The outer fractions are irrational, so that no number of whole turns hides between them.
const PROBES: [f64; 3] = [0.236_067_977_499_79, 0.5, 0.786_151_377_757_423];

/// Where parts of a segment are compared: on both sides, since a curve that turns may meet its chord in the middle.
const PART_PROBES: [f64; 2] = [PROBES[0], PROBES[2]];

/// The most halvings of a segment. A division into more parts counts as the halvings that give as many.
const DEPTH: u32 = 14;

/// The most parts into which a segment is divided at once.
const PARTS: f64 = 1024.0;

/// How much smaller parts are made than even bending needs, because curves bend a little more at one end than at the other.
const MARGIN: f64 = 1.2;

/// The parts of a segment that are compared with the curve; those at both ends are among them. A curve between two keys bends
/// evenly, or most at its ends; one that does not is found by the parts between.
const COMPARED: usize = 6;

/// The cosine of half the angle between two rotations, from which on the way between them is clear: 173 degrees.
/// Half a turn goes either way, as the rounding of its two ends has it.
const CLEAR: f64 = 0.06;

/// The error of a rotation, in radians, from which on it says nothing of how the curve bends: the node may have turned any number
/// of times.
const LOST: f64 = 1.0;

/// Halvings of the span in which something goes on or off.
const HALVINGS: u32 = 32;

/// Seconds before and after a jump at which its two values are evaluated.
pub(super) const ASIDE: f64 = 1e-7;

/// How the numbers of a property are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// The largest difference of a number.
    Linear,
    /// The angle between two rotations, in radians.
    Rotation,
}

/// One property among the numbers that are evaluated together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    pub first: usize,
    pub width: usize,
    pub kind: Kind,
    /// The allowed error.
    pub tolerance: f64,
}

/// A time at which curves have keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Break {
    /// Seconds in the file.
    pub time: f64,
    /// Whether a curve jumps just before or just after it.
    pub jumps: bool,
}

/// The keys of one property.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Keys {
    /// Seconds in the clip, increasing strictly.
    pub times: Vec<f32>,
    /// `width` numbers per key.
    pub values: Vec<f64>,
    /// Whether the values hold until the next key.
    pub is_step: bool,
}

/// The evaluations that the properties of a node may take beyond those at its own keys. Each segment has the same number,
/// and what one does not need is left to those after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    of_segment: u64,
    left: u64,
    /// The largest error that is left because nothing was left to lessen it, as a multiple of its tolerance; at most 1 if
    /// there is none.
    pub excess: f64,
}

impl Allowance {
    pub fn new(of_segment: u64) -> Self {
        Self { of_segment, left: 0, excess: 0.0 }
    }

    fn next_segment(&mut self) {
        self.left = self.left.saturating_add(self.of_segment);
    }

    /// Takes some evaluations; false if there are not as many.
    fn take(&mut self, count: usize) -> bool {
        let left = self.left.checked_sub(count as u64);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    fn leave(&mut self, error: f64) {
        self.excess = self.excess.max(error);
    }
}

/// Returns a time in the clip as glTF stores it: what moves fast is elsewhere at another one.
pub(super) fn representable(secs: f64) -> f64 {
    f64::from(secs as f32)
}

/// Sorts key times and keeps those strictly inside a range, which gets the ends as further ones.
pub(super) fn within(mut breaks: Vec<Break>, begin: f64, end: f64) -> Vec<Break> {
    breaks.push(Break { time: begin, jumps: false });
    breaks.push(Break { time: end, jumps: false });
    breaks.retain(|b| b.time >= begin && b.time <= end);
    breaks.sort_by(|a, b| a.time.total_cmp(&b.time));
    breaks.dedup_by(|later, kept| {
        let same = later.time == kept.time;
        kept.jumps |= same && later.jumps;
        same
    });
    breaks
}

/// A value and its time in the file.
#[derive(Clone, Debug)]
struct Instant {
    time: f64,
    value: Vec<f64>,
}

/// Samples some properties that are evaluated together. `breaks` are sorted; the first one is the clip's
/// begin.
pub(super) fn sample(
    breaks: &[Break],
    lanes: &[Lane],
    allowance: &mut Allowance,
    mut evaluate: impl FnMut(f64) -> Vec<f64>,
) -> Vec<Keys> {
    let Some(begin) = breaks.first().map(|b| b.time) else {
        return vec![Keys::default(); lanes.len()];
    };
    let mut sampler = Sampler {
        lanes,
        allowance,
        begin,
        evaluate: &mut evaluate,
        keys: vec![Keys::default(); lanes.len()],
        is_linear: vec![false; lanes.len()],
    };
    let all = (0..lanes.len()).collect::<Vec<_>>();
    let mut from = sampler.at(begin);
    if breaks[0].jumps {
        from = Instant { time: begin, ..sampler.at(begin + ASIDE) };
    }
    sampler.push(&from, &all);
    for pair in breaks.windows(2) {
        let (start, stop) = (pair[0], pair[1]);
        let exact = sampler.at(stop.time);
        let mut to = exact.clone();
        if stop.jumps && stop.time - start.time > 2.0 * ASIDE {
            to.value = (sampler.evaluate)(stop.time - ASIDE);
        }
        let moving: Vec<usize> =
            all.iter().copied().filter(|lane| sampler.differs(*lane, &from, &to)).collect();
        sampler.is_linear.iter_mut().enumerate().for_each(|(lane, linear)| {
            *linear |= moving.contains(&lane);
        });
        sampler.allowance.next_segment();
        sampler.refine(&from, &to, &all, Division { depth: 0, error: f64::INFINITY });
        sampler.push(&to, &all);
        from = exact;
        if stop.jumps {
            sampler.push_jump(&from, &all);
            if stop.time < breaks[breaks.len() - 1].time {
                from = Instant { time: stop.time, ..sampler.at(stop.time + ASIDE) };
                sampler.push_jump(&from, &all);
            }
        }
    }
    let Sampler { keys, is_linear, .. } = sampler;
    let tidy = |((mut keys, lane), linear): ((Keys, &Lane), bool)| {
        keys.is_step = !linear;
        keys.drop_repeats(lane.width);
        keys
    };
    keys.into_iter().zip(lanes).zip(is_linear).map(tidy).collect()
}

/// Returns the instants at which something goes on or off, as keys of 1 and 0 from the first break to the last. Between
/// two breaks it goes at most once.
pub(super) fn switched(breaks: &[Break], is_on: impl Fn(f64) -> bool) -> Keys {
    let mut keys = Keys { is_step: true, ..Keys::default() };
    let (Some(first), Some(last)) = (breaks.first(), breaks.last()) else { return keys };
    let mut put = |time: f64, on: bool| {
        let (time, value) = ((time - first.time) as f32, f64::from(u8::from(on)));
        if keys.values.last() == Some(&value) {
            return;
        }
        match keys.times.last() {
            Some(before) if *before >= time => keys.values[keys.times.len() - 1] = value,
            _ => {
                keys.times.push(time);
                keys.values.push(value);
            }
        }
    };
    put(first.time, is_on(first.time));
    for pair in breaks.windows(2) {
        let (mut off, mut end) = (pair[0].time + ASIDE, pair[1].time - ASIDE);
        if off < end {
            let before = is_on(off);
            put(pair[0].time, before);
            if is_on(end) != before {
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (off + end);
                    let side = if is_on(middle) == before { &mut off } else { &mut end };
                    *side = middle;
                }
                put(end, !before);
            }
        }
        put(pair[1].time, is_on(pair[1].time));
    }
    let end = (last.time - first.time) as f32;
    if keys.times.len() > 1 && keys.times.last().is_some_and(|last| *last < end) {
        keys.times.push(end);
        keys.values.extend_from_within(keys.values.len() - 1..);
    }
    keys
}

struct Sampler<'a> {
    lanes: &'a [Lane],
    allowance: &'a mut Allowance,
    begin: f64,
    evaluate: &'a mut dyn FnMut(f64) -> Vec<f64>,
    keys: Vec<Keys>,
    /// Whether a lane changes within a segment, and not only at jumps.
    is_linear: Vec<bool>,
}

impl Sampler<'_> {
    fn at(&mut self, time: f64) -> Instant {
        Instant { time, value: (self.evaluate)(time) }
    }

    /// Appends a key to some lanes, unless it is at the time of the key before.
    fn push(&mut self, at: &Instant, lanes: &[usize]) {
        let time = (at.time - self.begin) as f32;
        for lane in lanes {
            let Lane { first, width, .. } = self.lanes[*lane];
            let keys = &mut self.keys[*lane];
            if keys.times.last().is_none_or(|last| *last < time) {
                keys.times.push(time);
                keys.values.extend_from_slice(&at.value[first..first + width]);
            }
        }
    }

    /// Appends another value at the time of the last key: that key moves to just before. A value within the
    /// tolerance replaces that of the last key, since the lane moves there and does not jump.
    fn push_jump(&mut self, at: &Instant, lanes: &[usize]) {
        let time = (at.time - self.begin) as f32;
        for lane in lanes {
            let of_lane = self.lanes[*lane];
            let Lane { first, width, .. } = of_lane;
            let keys = &mut self.keys[*lane];
            let value = &at.value[first..first + width];
            let last = keys.values.len() - width;
            if of_lane.distance(&keys.values[last..], value) <= of_lane.tolerance {
                keys.values[last..].copy_from_slice(value);
                continue;
            }
            let count = keys.times.len();
            let before = if count < 2 { f32::NEG_INFINITY } else { keys.times[count - 2] };
            let earlier = time.next_down();
            match earlier > before && earlier >= 0.0 {
                true => keys.times[count - 1] = earlier,
                // No room: the last value counts.
                false => {
                    keys.times.pop();
                    keys.values.truncate(last);
                }
            }
            keys.times.push(time);
            keys.values.extend_from_slice(value);
        }
    }

    fn differs(&self, lane: usize, a: &Instant, b: &Instant) -> bool {
        let Lane { first, width, .. } = self.lanes[lane];
        a.value[first..first + width] != b.value[first..first + width]
    }

    /// Adds keys between two others to the lanes that need them.
    fn refine(&mut self, a: &Instant, b: &Instant, lanes: &[usize], above: Division) {
        if b.time - a.time < 4.0 * ASIDE {
            return;
        }
        if above.depth >= DEPTH {
            return self.allowance.leave(above.error);
        }
        let fractions = if above.depth == 0 { &PROBES[..] } else { &PART_PROBES };
        let Some(probes) = self.probe(a, b, fractions) else {
            return self.allowance.leave(above.error);
        };
        let mut divided: BTreeMap<usize, (Vec<usize>, f64)> = BTreeMap::new();
        for lane in lanes {
            let off = self.lanes[*lane].off(a, b, &probes);
            let parts = parts_for(off);
            if parts > 1 {
                let (lanes, most) = divided.entry(parts).or_default();
                lanes.push(*lane);
                *most = most.max(off);
            }
        }
        // If too few evaluations are left, each has its share of them.
        let needed: usize = divided.keys().map(|parts| parts - 1).sum();
        let left = self.allowance.left.min(needed as u64) as usize;
        for (wanted, (lanes, off)) in divided {
            lanes.iter().for_each(|lane| self.is_linear[*lane] = true);
            let parts = 1 + (wanted - 1) * left / needed;
            let depth = above.depth + parts.next_power_of_two().ilog2();
            let division = Division { depth, error: off / (parts * parts) as f64 };
            let mut points = vec![a.clone()];
            for part in 1..parts {
                self.allowance.take(1);
                let time = a.time + part as f64 / parts as f64 * (b.time - a.time);
                points.push(self.at(self.begin + representable(time - self.begin)));
            }
            points.push(b.clone());
            if parts < wanted {
                self.allowance.leave(division.error);
            }
            let is_fine = parts < wanted || self.are_close(&points, &lanes);
            for pair in points.windows(2) {
                if !is_fine {
                    self.refine(&pair[0], &pair[1], &lanes, division);
                }
                if pair[1].time < b.time {
                    self.push(&pair[1], &lanes);
                }
            }
        }
    }

    /// Returns values between two others; `None` if there are no evaluations left for them.
    fn probe(
        &mut self,
        a: &Instant,
        b: &Instant,
        fractions: &[f64],
    ) -> Option<Vec<(f64, Instant)>> {
        let time = |u: f64| a.time + u * (b.time - a.time);
        let is_paid = self.allowance.take(fractions.len());
        is_paid.then(|| fractions.iter().map(|u| (*u, self.at(time(*u)))).collect())
    }

    /// Whether lanes are close enough to many parts of a segment, so that these need not be compared one by one.
    fn are_close(&mut self, points: &[Instant], lanes: &[usize]) -> bool {
        let parts = points.len() - 1;
        parts > COMPARED
            && (0..COMPARED).all(|i| {
                let part = i * (parts - 1) / (COMPARED - 1);
                let (a, b) = (&points[part], &points[part + 1]);
                let probes = self.probe(a, b, &PART_PROBES);
                probes.is_some_and(|probes| {
                    lanes.iter().all(|lane| self.lanes[*lane].off(a, b, &probes) <= 1.0)
                })
            })
    }
}

/// The division of a segment that one of its parts comes from.
#[derive(Clone, Copy, Debug)]
struct Division {
    /// Halvings that give as many parts.
    depth: u32,
    /// The expected error of a part, as a multiple of the tolerance.
    error: f64,
}

/// Returns into how many parts a segment is divided for an error, so that linear interpolation is close enough in each. The
/// error of a curve that bends evenly falls with the square of their number.
fn parts_for(off: f64) -> usize {
    match off {
        off if off <= 1.0 => 1,
        off if off.is_finite() => (MARGIN * off).sqrt().ceil().min(PARTS) as usize,
        _ => 2,
    }
}

impl Lane {
    /// Returns how far linear interpolation of a segment is off, as a multiple of the tolerance: in the middle, where the
    /// error of a curve that bends evenly is largest. Of three values between the ends, the middle one divides the segment in
    /// two; if these bend differently, it is the error of a curve that bends everywhere as a cubic does at its end.
    fn off(&self, a: &Instant, b: &Instant, probes: &[(f64, Instant)]) -> f64 {
        let share = |a: &Instant, b: &Instant, u: f64, at: &Instant| {
            self.error(a, b, u, at) / (4.0 * u * (1.0 - u))
        };
        let mut off = probes.iter().map(|(u, at)| share(a, b, *u, at)).fold(0.0, f64::max);
        if let [(u, at), (middle, halfway), (v, beyond)] = probes {
            let rest = 1.0 - middle;
            let first = share(a, halfway, u / middle, at) / (middle * middle);
            let second = share(halfway, b, (v - middle) / rest, beyond) / (rest * rest);
            off = off.max(2.0 * first.max(second) - share(a, b, *middle, halfway));
        }
        off / self.tolerance
    }

    /// Returns how far linear interpolation at a fraction is from a value. Numbers that are not finite
    /// count as no error, since no key would lessen it.
    fn error(&self, a: &Instant, b: &Instant, u: f64, at: &Instant) -> f64 {
        let of = |at: &Instant, i: usize| at.value[self.first + i];
        if self.kind == Kind::Rotation {
            let quaternion = |at: &Instant| rotation(&at.value[self.first..]);
            let (a, b) = (quaternion(a), quaternion(b));
            if a.dot(b).abs() < CLEAR {
                return f64::INFINITY;
            }
            let off = angle(a.slerp(b, u), quaternion(at));
            return if off > LOST { f64::INFINITY } else { off };
        }
        let off = |i: usize| {
            let expected = of(a, i) + u * (of(b, i) - of(a, i));
            (expected - of(at, i)).abs()
        };
        (0..self.width).map(off).filter(|x| x.is_finite()).fold(0.0, f64::max)
    }

    /// Returns how far two values of the property are apart.
    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        if self.kind == Kind::Rotation {
            return angle(rotation(a), rotation(b));
        }
        let off = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        off.filter(|x| x.is_finite()).fold(0.0, f64::max)
    }
}

fn rotation(value: &[f64]) -> DQuat {
    DQuat::from_xyzw(value[0], value[1], value[2], value[3])
}

/// Returns the angle between two rotations, from its half's sine: the cosine of a small one has no digits left.
fn angle(a: DQuat, b: DQuat) -> f64 {
    2.0 * (a.conjugate() * b).xyz().length()
}

impl Keys {
    /// Drops keys whose neighbours have the same value; steps also lose keys that repeat the one before. The
    /// first and the last key stay, unless all are equal: then one does.
    fn drop_repeats(&mut self, width: usize) {
        let count = self.times.len();
        let value = |i: usize| &self.values[i * width..(i + 1) * width];
        if (1..count).all(|i| value(i) == value(0)) {
            self.times.truncate(1);
            self.values.truncate(width);
            return;
        }
        let is_kept = |i: usize| {
            let repeats_before = i > 0 && value(i) == value(i - 1);
            let repeats_after = i + 1 < count && value(i) == value(i + 1);
            i == 0 || i + 1 == count || !(repeats_before && (self.is_step || repeats_after))
        };
        let kept: Vec<usize> = (0..count).filter(|i| is_kept(*i)).collect();
        if kept.len() < count {
            self.values = kept.iter().flat_map(|i| value(*i)).copied().collect();
            self.times = kept.iter().map(|i| self.times[*i]).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: [Lane; 1] = [Lane { first: 0, width: 1, kind: Kind::Linear, tolerance: 1e-3 }];

    fn at(time: f64) -> Break {
        Break { time, jumps: false }
    }

    fn sampled(breaks: &[Break], curve: impl Fn(f64) -> f64) -> Keys {
        sample(breaks, &PLAIN, &mut Allowance::new(1 << 20), |t| vec![curve(t)]).remove(0)
    }

    #[test]
    fn linear_curves_keep_their_keys_and_constant_ones_have_one() {
        let line = sampled(&[at(1.0), at(2.0), at(4.0)], |t| 3.0 * t);
        assert_eq!(line.times, [0.0, 1.0, 3.0]);
        assert_eq!(line.values, [3.0, 6.0, 12.0]);
        assert!(!line.is_step);
        assert_eq!(sampled(&[at(1.0), at(2.0), at(4.0)], |_| 5.0).times, [0.0]);
    }

    #[test]
    fn other_curves_get_keys_until_the_error_is_small_everywhere() {
        let keys = sampled(&[at(0.0), at(1.0), at(2.0)], f64::sin);
        for step in 0..=2000 {
            let t = f64::from(step) / 1000.0;
            let after =
                keys.times.partition_point(|k| f64::from(*k) <= t).min(keys.times.len() - 1);
            let (a, b) = (f64::from(keys.times[after - 1]), f64::from(keys.times[after]));
            let u = (t - a) / (b - a);
            let value = keys.values[after - 1] * (1.0 - u) + keys.values[after] * u;
            assert!((value - t.sin()).abs() < 1.1e-3, "{t}: {value}");
        }
        assert!(keys.times.len() < 50, "{}", keys.times.len());
    }

    #[test]
    fn smooth_curves_are_divided_with_few_evaluations() {
        let lanes = [Lane { tolerance: 1e-6, ..PLAIN[0] }];
        let mut evaluations = 0;
        let curve = |t: f64| {
            evaluations += 1;
            vec![t.sin()]
        };
        let breaks = [at(0.0), at(1.5), at(3.0), at(6.0)];
        let keys = sample(&breaks, &lanes, &mut Allowance::new(1 << 20), curve).remove(0);
        assert!(evaluations < 4 * keys.times.len(), "{evaluations} for {} keys", keys.times.len());
        for pair in keys.times.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(f64::from);
            let off = (0.5 * (a.sin() + b.sin()) - (0.5 * (a + b)).sin()).abs();
            assert!(off < 1.1e-6, "{off}");
        }
    }

    #[test]
    fn steps_stay_steps_and_a_jump_between_slopes_is_as_short_as_a_float() {
        let jump = |time| Break { time, jumps: true };
        let steps = sampled(&[at(0.0), jump(1.0), jump(2.0), at(3.0)], |t| t.floor().min(2.0));
        assert!(steps.is_step);
        assert_eq!(steps.values, [0.0, 1.0, 2.0, 2.0]);
        assert_eq!(steps.times, [0.0, 1.0, 2.0, 3.0]);
        let saw = sampled(&[at(0.0), jump(1.0), at(2.0)], |t| t.fract());
        assert!(!saw.is_step);
        assert_eq!(saw.times[1..3], [1.0f32.next_down(), 1.0]);
        // The slope is 1, and both sides are looked at a moment away from the jump.
        let off = [saw.values[1] - 1.0, saw.values[2]];
        assert!(off.iter().all(|off| off.abs() < 1.001 * ASIDE), "{off:?}");
    }

    #[test]
    fn whole_turns_between_two_keys_are_seen() {
        let lanes = [Lane { first: 0, width: 4, kind: Kind::Rotation, tolerance: 1e-3 }];
        for turns in [0.5, 1.0, 2.0, 4.0] {
            let turn = |t: f64| {
                let angle = t * turns * std::f64::consts::TAU;
                DQuat::from_rotation_y(angle).to_array().to_vec()
            };
            let keys = sample(&[at(0.0), at(1.0)], &lanes, &mut Allowance::new(1 << 20), turn);
            let (pairs, _) = keys[0].values.as_chunks::<4>();
            assert!((pairs.len() - 1) as f64 > 2.0 * turns, "{turns}: {}", pairs.len());
            for pair in pairs.windows(2) {
                let cosine = rotation(&pair[0]).dot(rotation(&pair[1]));
                assert!(cosine.abs() >= CLEAR, "{turns}: {cosine}");
            }
        }
    }

    #[test]
    fn what_goes_on_and_off_has_keys_where_it_does() {
        let keys = switched(&[at(1.0), at(2.0), at(4.0)], |t| (1.5..3.0).contains(&t));
        assert_eq!(keys.times, [0.0, 0.5, 2.0, 3.0]);
        assert_eq!(keys.values, [0.0, 1.0, 0.0, 0.0]);
        assert!(keys.is_step);
        assert_eq!(switched(&[at(1.0), at(2.0)], |_| false).times, [0.0]);
        let step = switched(&[at(0.0), at(1.0), at(2.0)], |t| t >= 1.0);
        assert_eq!((step.times, step.values), (vec![0.0, 1.0, 2.0], vec![0.0, 1.0, 1.0]));
    }

    #[test]
    fn nothing_is_halved_when_no_evaluation_is_left() {
        let mut allowance = Allowance::new(2);
        let keys = sample(&[at(0.0), at(1.0)], &PLAIN, &mut allowance, |t| vec![t.sin()]);
        assert_eq!(keys[0].times.len(), 2);
        assert!(allowance.excess > 1.0);
    }

    #[test]
    fn few_evaluations_are_spread_evenly_and_the_error_that_is_left_is_known() {
        let lanes = [Lane { tolerance: 1e-6, ..PLAIN[0] }];
        let breaks: Vec<Break> = (0..40).map(|i| at(f64::from(i) / 4.0)).collect();
        let mut allowance = Allowance::new(20);
        let keys = sample(&breaks, &lanes, &mut allowance, |t| vec![t.sin()]).remove(0);
        let mut worst = 0.0f64;
        for (pair, values) in keys.times.windows(2).zip(keys.values.windows(2)) {
            let middle = 0.5 * (f64::from(pair[0]) + f64::from(pair[1]));
            worst = worst.max((0.5 * (values[0] + values[1]) - middle.sin()).abs());
        }
        // A segment in 18 parts, of which 88 would be close enough.
        assert!((10e-6..40e-6).contains(&worst), "{worst}");
        let said = 1e-6 * allowance.excess;
        assert!((0.9..1.5).contains(&(said / worst)), "{said} for {worst}");
    }
}
