//! Rules of the way of a clip over the ground: ROOT_MOVES, FOOT_SLIDES.

use glam::Vec3;

use super::still::changes;
use super::take::Take;
use super::{Code, Finding, Level};
use crate::anim::rotation::angle_between;
use crate::anim::{Channel, Clip};
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
    moved_root(take.clip, |node| take.rig.is_joint[node].then(|| take.rig.depth[node]))
}

/// Returns the joint nearest to the root that a clip moves, or else the nearest one that it drives: programs write keys for
/// joints that stand still, such as one on the ground below the hips. `depth` returns the depth of a joint, and `None` for
/// other nodes.
pub fn moved_root(clip: &Clip, depth: impl Fn(usize) -> Option<usize>) -> Option<usize> {
    let transforms = |channel: &&Channel| !matches!(channel, Channel::Weights { .. });
    /// Programs that sample all joints write noise.
    const NOISE: f32 = 1e-5;
    let far = |a: Vec3, b: Vec3| a.distance(b) > NOISE * a.length().max(1.0);
    let moves = |channel: &Channel| match channel {
        Channel::Translation { track, .. } | Channel::Scale { track, .. } => changes(track, far),
        Channel::Rotation { track, .. } => {
            changes(track, |a, b| angle_between(a, b) > f64::from(NOISE))
        }
        Channel::Weights { .. } => false,
    };
    let driven = clip.channels().iter().filter(transforms);
    let joints = driven.filter_map(|channel| Some((channel, depth(channel.node())?)));
    // Those that move come first.
    let nearest = joints.min_by_key(|(channel, depth)| (!moves(channel), *depth, channel.node()));
    nearest.map(|(channel, _)| channel.node())
}

fn root_moves(take: &Take) -> Option<Finding> {
    let level = match take.rules.in_place {
        Some(false) => return None,
        Some(true) => Level::Error,
        None => Level::Note,
    };
    let limit = take.rig.threshold(Code::RootMoves);
    // A contract also means what has no joints.
    let any = || moved_root(take.clip, |node| Some(take.rig.depth[node]));
    let root = root(take).or_else(|| any().filter(|_| level == Level::Error))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::{ClipParts, Keys, Track};

    /// Programs write keys for a joint on the ground, which stands still.
    #[test]
    fn the_root_is_a_joint_that_moves() {
        let moved = |node: usize, to: f32| {
            let keys = Keys::Linear(vec![Vec3::ZERO, Vec3::new(to, 0.0, 0.0)]);
            Channel::Translation { node, track: Track::new(vec![0.0, 1.0], keys, 1).unwrap() }
        };
        let root = |channels: Vec<Channel>| {
            let clip =
                Clip::new(ClipParts { channels, duration_secs: 1.0, ..ClipParts::default() });
            // Node 9 is no joint.
            moved_root(&clip, |node| (node < 9).then_some(node))
        };
        assert_eq!(root(vec![moved(0, 0.0), moved(9, 1.0), moved(2, 1.0), moved(1, 2.0)]), Some(1));
        assert_eq!(root(vec![moved(1, 0.0), moved(0, 1e-7)]), Some(0), "none moves");
        assert_eq!(root(vec![moved(9, 1.0)]), None);
    }
}
