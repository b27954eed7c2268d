//! Rules of clips that loop: LOOP_GAP, LOOP_KINK.

use glam::{DVec3, Quat, Vec3};

use super::clip_names::goes_round;
use super::motion::root;
use super::rig::turn;
use super::surface::Surface;
use super::take::Take;
use super::{Code, Finding, Level};
use rigview_anim::{Channel, Interpolation, Track};

/// A clip nearly loops if its gap is a smaller share of the vertex's travel.
const NEARLY: f64 = 0.1;

/// The longest frame in seconds, the fewest of a clip, and how much the gap may differ from the steps before and after it, as
/// a share of it, to be that of a missing frame.
const LONGEST_FRAME: f64 = 0.1;
const LEAST_FRAMES: f64 = 8.0;
const ALIKE: f64 = 0.5;

/// Times that differ by less are the same, in seconds.
const SAME_TIME: f64 = 1e-4;

/// How many times the largest change inside the clip the change at the seam must be. What is only the largest of many
/// alike is no defect.
const STANDS_OUT: f64 = 1.5;

/// The rounding of velocities from single precision, in degrees per second.
const ROUNDING: f64 = 0.01;

/// A clip rests at an end if its fastest point moves there at less than this share of its mean speed, which is twice its travel
/// per duration. What is played once from one stance to another rests at both.
const AT_REST: f64 = 0.4;

/// Steps inside a clip that are measured at most.
const MOST_STEPS: usize = 3000;

/// The furthest that a key beside the seam is from it, in seconds, and the least: a frame of 24 per second. Clips are resampled,
/// so a key that is nearer says nothing of where the frame was.
const BESIDE: f64 = 0.1;
const FRAME: f64 = 1.0 / 24.0;

/// A clip that is not declared to loop moves on both sides of its seam: the joint that turns fastest on the slower side has at
/// least this share of the change. A clip that is played once starts fast and comes to rest in its first pose.
const MOVES_ON: f64 = 0.25;

/// The time over which turning velocities are measured, in seconds.
const STEP: f64 = 1.0 / 30.0;

pub(super) fn findings(take: &Take, surface: &Surface) -> Vec<Finding> {
    if take.rules.loops == Some(false) || take.end() <= 0.0 {
        return Vec::new();
    }
    let declared = take.rules.loops == Some(true);
    let limit = take.rig.threshold(Code::LoopGap);
    let Some(gap) = Gap::of(take, surface, take.rules.in_place == Some(false)) else {
        return Vec::new();
    };
    let gapes = gap.metres > limit;
    let lacks_frame = gapes && gap.missing_frame(take, surface).is_some();
    if gapes && !declared && !lacks_frame {
        // A clip without a name is as likely a gait, which resampling may have given a still frame.
        let may_end = take.name().is_some_and(|name| !goes_round(name));
        if gap.metres >= NEARLY * gap.travel(take, surface) || (may_end && rests(take, surface)) {
            return Vec::new();
        }
    }
    let mut found = if declared || !gapes { kinks(take, declared) } else { Vec::new() };
    if gapes {
        let joint = surface.mover(take.rig, gap.point);
        let text = format!(
            "the first and the last pose of {} differ by {:.1} mm at the skin of {}{}",
            take.called(),
            1000.0 * gap.metres,
            take.rig.called(joint),
            if lacks_frame { ", as far as in a frame: the last one may be missing" } else { "" }
        );
        let finding = Finding::new(Code::LoopGap, text).of(take.rig.name(joint));
        let finding = finding.measured(gap.metres, "m").limited(limit).when(take.end());
        let level = if declared { Level::Error } else { Level::Warning };
        found.push(finding.with_level(level).in_clip(take.name()).at(take.pointer()));
    }
    found
}

/// The point whose places in the first and the last pose differ most.
struct Gap {
    metres: f64,
    point: usize,
    start: Vec3,
}

impl Gap {
    /// Measures a clip; `None` if the scene has no points. If the clip travels, its root's way over the ground is no
    /// gap.
    fn of(take: &Take, surface: &Surface, travels: bool) -> Option<Self> {
        let [first, last] = [0.0, take.end()].map(|time| take.stage_at(time));
        let way = root(take).filter(|_| travels).map_or(Vec3::ZERO, |root| {
            let way = last.position(root) - first.position(root);
            Vec3::new(way.x, 0.0, way.z)
        });
        let (point, metres, start) = surface.farthest_apart(take.rig, [&first, &last], way)?;
        Some(Self { metres, point, start })
    }

    /// Returns the length of a frame in seconds if the gap is what the point moves in one there, as where a loop was exported
    /// without its last frame.
    fn missing_frame(&self, take: &Take, surface: &Surface) -> Option<f64> {
        let end = take.end();
        let keys = take.clip.key_times().map(f64::from);
        let before = keys.filter(|time| *time < end - SAME_TIME).fold(0.0, f64::max);
        let frame = end - before;
        if frame > LONGEST_FRAME || end < LEAST_FRAMES * frame {
            return None;
        }
        let at = |time| surface.position(take.rig, &take.stage_at(time), self.point).as_dvec3();
        let [first, second, before, last] = [0.0, frame, before, end].map(at);
        let steps = [second - first, last - before];
        let (way, length) = (first - last, (first - last).length());
        steps.iter().all(|step| way.distance(*step) < ALIKE * length).then_some(frame)
    }

    /// Returns the point's largest distance from its first place.
    fn travel(&self, take: &Take, surface: &Surface) -> f64 {
        let ways = take.at_each(&take.times, |stage| {
            distance(surface.position(take.rig, stage, self.point), self.start)
        });
        ways.into_iter().fold(0.0, f64::max)
    }
}

/// Whether nothing moves at both ends of a clip.
fn rests(take: &Take, surface: &Surface) -> bool {
    let end = take.end();
    let rests_from = |time: f64| {
        let stages = [time, time + STEP].map(|time| take.stage_at(time));
        let fastest = surface.farthest_apart(take.rig, [&stages[0], &stages[1]], Vec3::ZERO);
        fastest.is_none_or(|(point, metres, start)| {
            let travel = Gap { metres, point, start }.travel(take, surface);
            metres <= AT_REST * 2.0 * travel * STEP / end
        })
    };
    end > 2.0 * STEP && rests_from(0.0) && rests_from(end - STEP)
}

/// How the ends of a clip fit that is made to loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seam {
    /// The largest distance between the first and the last pose at the skin, in metres; of a clip that travels, without
    /// its root's way over the ground.
    pub gap: f64,
    /// Whether the root goes on over the ground from one loop to the next: as declared, or because nothing is declared
    /// and the clip does not nearly end where it starts.
    pub travels: bool,
    /// The length of the frame in seconds that the clip may lack at its end. A clip that travels is not looked at.
    pub missing_frame: Option<f64>,
}

impl Seam {
    pub(super) fn of(take: &Take, surface: &Surface) -> Self {
        let whole = Gap::of(take, surface, false);
        let limit = take.rig.threshold(Code::LoopGap);
        let gapes = whole.as_ref().filter(|gap| gap.metres > limit);
        let missing_frame = gapes.and_then(|gap| gap.missing_frame(take, surface));
        let ends_elsewhere =
            || whole.as_ref().is_some_and(|gap| gap.metres >= NEARLY * gap.travel(take, surface));
        let travels = match take.rules.in_place {
            Some(in_place) => !in_place,
            None => take.rules.loops != Some(true) && missing_frame.is_none() && ends_elsewhere(),
        };
        let missing_frame = missing_frame.filter(|_| !travels);
        let gap = if travels { Gap::of(take, surface, true) } else { whole };
        Self { gap: gap.map_or(0.0, |gap| gap.metres), travels, missing_frame }
    }
}

fn distance(a: Vec3, b: Vec3) -> f64 {
    a.as_dvec3().distance(b.as_dvec3())
}

/// Compares the turning velocities of joints over the last and the first 1/30 s. Fast movement changes its velocity
/// everywhere, so the seam must also change it by more than anything inside the clip does to this joint or to that of the
/// other side. STEP channels have no velocity.
fn kinks(take: &Take, declared: bool) -> Vec<Finding> {
    if take.end() < STEP {
        return Vec::new();
    }
    let limit = take.rig.threshold(Code::LoopKink);
    let turning = || {
        take.clip.channels().iter().filter_map(|channel| match channel {
            Channel::Rotation { node, track } => Some((node, track)).filter(|_| {
                take.rig.is_joint[*node] && track.keys().interpolation() != Interpolation::Step
            }),
            _ => None,
        })
    };
    let fastest = |start| {
        let speeds = turning().map(|(_, track)| velocity(track, start).length());
        speeds.fold(0.0, f64::max).to_degrees()
    };
    let slower_side = fastest(0.0).min(fastest(take.end() - STEP));
    let kinks = turning().filter_map(|(node, track)| {
        let last = velocity(track, take.end() - STEP);
        let change = last.distance(velocity(track, 0.0)).to_degrees();
        let is_usual = |track| change <= STANDS_OUT * largest_change(track, take.end()) + ROUNDING;
        if change <= limit + ROUNDING
            || (!declared && slower_side < MOVES_ON * change)
            || is_usual(track)
            || other_side(take, *node).is_some_and(is_usual)
        {
            return None;
        }
        let called = take.rig.called(*node);
        let text = format!(
            "the turning speed of joint {called} jumps by {change:.0} degrees per second where {} \
             starts again",
            take.called()
        );
        let finding = Finding::new(Code::LoopKink, text).of(take.rig.name(*node));
        let finding = finding.measured(change, "degrees per second").limited(limit);
        Some(finding.when(take.end()).in_clip(take.name()).at(take.pointer()))
    });
    kinks.collect()
}

/// Returns the rotation of a joint's namesake on the other side of the body. What one foot does where the clip starts
/// again, the other one does in its middle.
fn other_side<'a>(take: &Take<'a>, node: usize) -> Option<&'a Track<Quat>> {
    let other = take.rig.other_side[node]?;
    take.clip.channels().iter().find_map(|channel| match channel {
        Channel::Rotation { node, track } if *node == other => Some(track),
        _ => None,
    })
}

/// Returns the largest change of the turning velocity from the 1/30 s before an instant inside a clip to that after it, in
/// degrees per second. The instants are the keys, since the curve bends there as it does at the seam, and every 1/30 s. A
/// bad first or last key kinks the curve twice, at the seam and at the key beside it, so that one is no part of the inside.
fn largest_change(track: &Track<Quat>, end: f64) -> f64 {
    let times = track.times();
    let beside = |key: Option<f64>| key.unwrap_or(0.0).clamp(FRAME, BESIDE) + 0.5 * STEP;
    let first = beside(times.get(1).map(|time| f64::from(*time)));
    let last = end - beside(times.iter().nth_back(1).map(|time| end - f64::from(*time)));
    let inside = first..last;
    let steps = ((end / STEP + 1e-6) as usize).min(MOST_STEPS);
    let frames = (1..steps).map(|i| i as f64 * STEP);
    let keys = times.iter().take(MOST_STEPS).map(|time| f64::from(*time));
    let instants = frames.chain(keys).filter(|time| {
        inside.contains(time) && *time >= STEP && *time + STEP <= end + ROUNDING * STEP
    });
    let changes = instants.map(|time| velocity(track, time - STEP).distance(velocity(track, time)));
    changes.fold(0.0, f64::max).to_degrees()
}

/// Returns the mean turning velocity over 1/30 s about the joint's own axes, in radians per second.
fn velocity(track: &Track<Quat>, start: f64) -> DVec3 {
    turn(track.sample(start), track.sample(start + STEP)) / STEP
}
