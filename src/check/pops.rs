//! The rule of sudden turns: POP.

use super::take::Take;
use super::{Code, Finding};
use crate::anim::rotation::angle_between;
use crate::anim::{Channel, Keys, Track};
use glam::Quat;

/// The length of a step in seconds.
const STEP: f64 = 1.0 / 30.0;

/// The angle that a joint may turn in a step, in degrees.
const SUDDEN: f64 = 45.0;

/// A pop is this many times as fast as the steps before and after.
const FASTER: f64 = 4.0;

/// Times that differ by less are the same, in seconds.
const SAME: f64 = 1e-5;

pub(super) fn findings(take: &Take) -> Vec<Finding> {
    let pops = take.clip.channels().iter().filter_map(|channel| {
        let Channel::Rotation { node, track } = channel else { return None };
        if !take.rig.is_joint[*node] {
            return None;
        }
        let (time, angle) = worst_pop(track, &take.times, take.end())?;
        let called = take.rig.called(*node);
        let text = format!(
            "joint {called} turns by {angle:.0} degrees within 1/30 s in {}, at {time:.3} s",
            take.called()
        );
        let finding = Finding::new(Code::Pop, text).of(take.rig.name(*node)).in_clip(take.name());
        let finding = finding.when(time).measured(angle, "degrees").limited(SUDDEN);
        Some(finding.at(take.pointer()))
    });
    pops.collect()
}

/// Returns the start and the angle in degrees of the sudden step that turns furthest.
fn worst_pop(track: &Track<Quat>, times: &[f64], end: f64) -> Option<(f64, f64)> {
    let way = Way::of(track);
    let mut worst = None;
    for &start in times.iter().filter(|start| **start + STEP <= end + SAME) {
        let most = worst.map_or(SUDDEN, |(_, angle)| angle);
        if way.as_ref().is_some_and(|way| way.between(track, start, start + STEP) <= most) {
            continue;
        }
        let angle = turned(track, start);
        if angle <= most {
            continue;
        }
        let before = (start - STEP >= -SAME).then(|| turned(track, start - STEP));
        let after = (start + 2.0 * STEP <= end + SAME).then(|| turned(track, start + STEP));
        let slower = |other: Option<f64>| other.is_none_or(|other| angle > FASTER * other);
        if slower(before) && slower(after) && (before.is_some() || after.is_some()) {
            worst = Some((start, angle));
        }
    }
    worst
}

/// Returns the angle of the rotation over a step in degrees, at most 180.
fn turned(track: &Track<Quat>, start: f64) -> f64 {
    angle_between(track.sample(start), track.sample(start + STEP)).to_degrees()
}

/// The angle that a track has turned from its start to each key, in degrees: more than the turn from the
/// first pose, if it turns back. Used to skip steps that can't be sudden.
struct Way(Vec<f64>);

impl Way {
    /// Measures a track; `None` for cubic ones, which turn further than from key to key.
    fn of(track: &Track<Quat>) -> Option<Self> {
        let (Keys::Step(values) | Keys::Linear(values)) = track.keys() else { return None };
        let turns = values.windows(2).map(|pair| angle_between(pair[0], pair[1]).to_degrees());
        let sums = turns.scan(0.0, |sum, turn| {
            *sum += turn;
            Some(*sum)
        });
        Some(Self([0.0].into_iter().chain(sums).collect()))
    }

    fn between(&self, track: &Track<Quat>, start: f64, end: f64) -> f64 {
        let at = |time: f64| {
            let key = track.key_index(time);
            let (Some(next), Keys::Linear(_)) = (self.0.get(key + 1), track.keys()) else {
                return self.0[key];
            };
            let [from, to] = [key, key + 1].map(|key| f64::from(track.times()[key]));
            self.0[key] + (next - self.0[key]) * ((time - from) / (to - from)).clamp(0.0, 1.0)
        };
        // The margin is for the rounding of sums.
        at(end) - at(start) + 1e-6 * self.0[self.0.len() - 1] + 1e-6
    }
}
