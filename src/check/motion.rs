//! Rules of the way of a clip over the ground: ROOT_MOVES, FOOT_SLIDES.

use glam::Vec3;

use super::rig::Rig;
use super::take::Take;
use super::{Code, Finding, Level};
use crate::anim::moved_root;
use crate::model::short_name;

/// The height over its lowest point up to which a foot stands, in metres.
const STANDING: f64 = 0.02;

/// Frames per second of the steps between which speeds are measured.
const RATE: f64 = 30.0;

pub(super) fn findings(take: &Take) -> Vec<Finding> {
    let feet = take.rules.feet.iter().filter_map(|foot| foot_slides(take, foot));
    let found = root_moves(take).into_iter().chain(feet);
    found.map(|finding| finding.in_clip(take.name()).at(take.pointer())).collect()
}

/// Returns the joint nearest to the root that a clip moves; the first one, if there are several.
pub(super) fn root(take: &Take) -> Option<usize> {
    moved_root(take.clip.channels(), |node| take.rig.is_joint[node].then(|| take.rig.depth[node]))
}

fn root_moves(take: &Take) -> Option<Finding> {
    let level = match take.rules.in_place {
        Some(false) => return None,
        Some(true) => Level::Error,
        None => Level::Note,
    };
    let limit = take.rig.threshold(Code::RootMoves);
    // A contract also means a node above the joints, and a file without joints.
    let carrier = || {
        let carries = above_joints(take.rig);
        moved_root(take.clip.channels(), |node| carries[node].then(|| take.rig.depth[node]))
    };
    let root = root(take).or_else(|| carrier().filter(|_| level == Level::Error))?;
    let [start, end] = [0.0, take.end()].map(|time| take.stage_at(time).position(root));
    let way = over_ground(start, end);
    if !way.is_finite() || way <= limit {
        return None;
    }
    let text = format!(
        "{} {} ends {:.2} m from where {} starts",
        if take.rig.is_joint[root] { "joint" } else { "node" },
        take.rig.called(root),
        way,
        take.called()
    );
    let finding = Finding::new(Code::RootMoves, text).with_level(level).of(take.rig.name(root));
    Some(finding.measured(way, "m").limited(limit).when(take.end()))
}

/// Returns which nodes are above joints; without joints, all.
fn above_joints(rig: &Rig) -> Vec<bool> {
    let mut above = vec![rig.joints.is_empty(); rig.model.nodes.len()];
    for joint in &rig.joints {
        for node in rig.model.hierarchy.ancestors(*joint) {
            if std::mem::replace(&mut above[node], true) {
                break;
            }
        }
    }
    above
}

fn foot_slides(take: &Take, foot: &str) -> Option<Finding> {
    let joint = take.rig.named(foot)?;
    let speeds = standing_speeds(take, joint);
    let (_, time) = *speeds.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    // Feet roll while they are set down and lifted, and swing past the ground, but most of the time they stand.
    let speed = median(speeds)?;
    let limit = take.rig.threshold(Code::FootSlides);
    if !speed.is_finite() || speed <= limit {
        return None;
    }
    let text = format!(
        "{} slides at {speed:.2} m/s while it stands in {}, fastest at {time:.3} s",
        short_name(foot),
        take.called()
    );
    let finding = Finding::new(Code::FootSlides, text).of(Some(foot)).when(time);
    Some(finding.measured(speed, "m/s").limited(limit))
}

/// Returns the speeds over the ground of a joint while it stands, with their times: of all steps of a frame both ends of
/// which are near its lowest point.
pub(super) fn standing_speeds(take: &Take, joint: usize) -> Vec<(f64, f64)> {
    let places = take.at_each(&take.times, |stage| stage.position(joint));
    let lowest = places.iter().map(|at| f64::from(at.y)).fold(f64::INFINITY, f64::min);
    let stands = |at: &Vec3| f64::from(at.y) - lowest <= STANDING;
    // Keys are in single precision.
    let is_frame = |time: f64| {
        let off = (time * RATE).round() / RATE - time;
        off.abs() < 1e-5 + 2.0 * time * f64::from(f32::EPSILON)
    };
    let frames = take.times.iter().zip(&places).filter(|(time, _)| is_frame(**time));
    let mut frames: Vec<(&f64, &Vec3)> = frames.collect();
    // A key may lie beside a frame. Over the time between them, rounding would be a speed.
    frames.dedup_by_key(|(time, _)| (**time * RATE).round());
    let steps = frames.windows(2).filter(|step| step.iter().all(|(_, at)| stands(at)));
    let speeds = steps.map(|step| {
        let [(start, a), (end, b)] = [step[0], step[1]];
        (over_ground(*a, *b) / (end - start), *start)
    });
    speeds.collect()
}

/// Returns the median of some speeds; `None` of none.
pub(super) fn median(speeds: Vec<(f64, f64)>) -> Option<f64> {
    let mut speeds: Vec<f64> = speeds.into_iter().map(|(speed, _)| speed).collect();
    let middle = speeds.len() / 2;
    (!speeds.is_empty()).then(|| *speeds.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// Returns the horizontal distance of two points. Up is +Y, as everywhere in glTF.
pub(super) fn over_ground(a: Vec3, b: Vec3) -> f64 {
    let way = b.as_dvec3() - a.as_dvec3();
    way.x.hypot(way.z)
}
