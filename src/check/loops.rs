//! Rules of clips that loop: LOOP_GAP, LOOP_KINK.

use glam::{DQuat, DVec3, Quat, Vec3};

use super::motion::root;
use super::surface::Surface;
use super::take::Take;
use super::{Code, Finding, Level};
use crate::anim::{Channel, Track};

/// The largest gap of a loop at the skin, in metres.
const GAP: f64 = 1e-3;

/// A clip nearly loops if its gap is a smaller share of the vertex's travel.
const NEARLY: f64 = 0.1;

/// The largest change of a joint's turning velocity at the seam, in degrees per second, with the rounding of
/// velocities from single precision.
const KINK: f64 = 90.0;
const ROUNDING: f64 = 0.01;

/// In a clip that is not declared to loop, the seam must also stand out: its change is this many times the
/// root mean square of the changes between steps inside the clip.
const STANDS_OUT: f64 = 2.0;

/// Steps inside a clip that are measured at most.
const MOST_STEPS: usize = 3000;

/// The time over which turning velocities are measured, in seconds.
const STEP: f64 = 1.0 / 30.0;

pub(super) fn findings(take: &Take, surface: &Surface) -> Vec<Finding> {
    if take.rules.loops == Some(false) || take.end() <= 0.0 {
        return Vec::new();
    }
    let declared = take.rules.loops == Some(true);
    let Some(gap) = Gap::of(take, surface) else { return Vec::new() };
    if gap.metres > GAP && !declared && gap.metres >= NEARLY * gap.travel(take, surface) {
        return Vec::new();
    }
    let mut found = kinks(take, declared);
    if gap.metres > GAP {
        let joint = surface.mover(take.rig, gap.point);
        let text = format!(
            "the first and the last pose of {} differ by {:.1} mm at the skin of {}",
            take.called(),
            1000.0 * gap.metres,
            take.rig.called(joint)
        );
        let finding = Finding::new(Code::LoopGap, text).of(take.rig.name(joint));
        let finding = finding.measured(gap.metres, "m").limited(GAP).when(take.end());
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
    /// Measures a clip; `None` if the scene has no points. If the clip is declared to loop and to travel, its
    /// root's way over the ground is no gap.
    fn of(take: &Take, surface: &Surface) -> Option<Self> {
        let [first, last] = [0.0, take.end()].map(|time| take.stage_at(time));
        let travels = take.rules.in_place == Some(false);
        let way = root(take).filter(|_| travels).map_or(Vec3::ZERO, |root| {
            let way = last.position(root) - first.position(root);
            Vec3::new(way.x, 0.0, way.z)
        });
        let [first, last] = [first, last].map(|stage| surface.positions(take.rig, &stage));
        let gaps = first.iter().zip(&last).enumerate();
        let gaps = gaps.map(|(point, (a, b))| (point, distance(*a + way, *b)));
        let (point, metres) =
            gaps.filter(|(_, gap)| gap.is_finite()).max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(Self { metres, point, start: first[point] })
    }

    /// Returns the point's largest distance from its first place.
    fn travel(&self, take: &Take, surface: &Surface) -> f64 {
        let ways = take.at_each(&take.times, |stage| {
            distance(surface.position(take.rig, stage, self.point), self.start)
        });
        ways.into_iter().fold(0.0, f64::max)
    }
}

fn distance(a: Vec3, b: Vec3) -> f64 {
    a.as_dvec3().distance(b.as_dvec3())
}

/// Compares the turning velocities of joints over the last and the first 1/30 s.
fn kinks(take: &Take, declared: bool) -> Vec<Finding> {
    if take.end() < STEP {
        return Vec::new();
    }
    let kinks = take.clip.channels().iter().filter_map(|channel| {
        let Channel::Rotation { node, track } = channel else { return None };
        let last = turning(track, take.end() - STEP);
        let change = last.distance(turning(track, 0.0)).to_degrees();
        if !take.rig.is_joint[*node] || change <= KINK + ROUNDING {
            return None;
        }
        if !declared && change <= STANDS_OUT * usual_change(track, take.end()) {
            return None;
        }
        let called = take.rig.called(*node);
        let text = format!(
            "the turning speed of joint {called} jumps by {change:.0} degrees per second where {} \
             starts again",
            take.called()
        );
        let finding = Finding::new(Code::LoopKink, text).of(take.rig.name(*node));
        let finding = finding.measured(change, "degrees per second").limited(KINK);
        Some(finding.when(take.end()).in_clip(take.name()).at(take.pointer()))
    });
    kinks.collect()
}

/// Returns the root mean square of the changes of the turning velocity between steps of 1/30 s, in degrees per
/// second: fast movement changes its velocity everywhere, not only at the seam.
fn usual_change(track: &Track<Quat>, end: f64) -> f64 {
    let steps = ((end / STEP) as usize).min(MOST_STEPS);
    let velocities: Vec<DVec3> = (0..steps).map(|i| turning(track, i as f64 * STEP)).collect();
    let squares = velocities.windows(2).map(|pair| pair[0].distance_squared(pair[1]));
    let mean = squares.sum::<f64>() / steps.saturating_sub(1).max(1) as f64;
    mean.sqrt().to_degrees()
}

/// Returns the mean turning velocity over 1/30 s about the joint's own axes, in radians per second.
fn turning(track: &Track<Quat>, start: f64) -> DVec3 {
    let [a, b] = [start, start + STEP].map(|time| {
        let [x, y, z, w] = track.sample(time).to_array().map(f64::from);
        DQuat::from_xyzw(x, y, z, w).normalize()
    });
    let turn = a.conjugate() * b;
    let turn = if turn.w < 0.0 { -turn } else { turn };
    turn.to_scaled_axis() / STEP
}
