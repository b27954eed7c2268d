//! The rule of a rest pose that an exporter left at an end of a clip: CLIP_REST_KEY.

use glam::Quat;

use super::take::Take;
use super::{Code, Finding};
use rigview_anim::rotation::angle_between;
use rigview_anim::{Channel, Interpolation, Track};

/// The fewest joints that leave the rest pose at once.
const LEAST_JOINTS: usize = 3;

/// A joint is at rest up to this angle, in radians.
const AT_REST: f64 = 0.01;

/// The time in which a joint leaves the rest pose at once, in seconds: at least a frame of 24 per second. Keys further apart may
/// mean to blend from the rest pose.
const DENSE: f64 = 0.05;

/// A joint leaves at once if it turns this many times as fast as in any of the steps that follow. Their number and length in
/// seconds do not depend on keys, because clips are resampled.
const ABRUPT: f64 = 4.0;
const STEPS: usize = 4;
const STEP: f64 = 1.0 / 30.0;

/// The longest time that the rest pose is held at an end by mistake, in seconds.
const HELD: f64 = 0.1;

/// The least time between keys, in seconds.
const SAME: f32 = 1e-4;

pub(super) fn findings(take: &Take) -> Vec<Finding> {
    let tracks: Vec<(usize, &Track<Quat>)> = take
        .clip
        .channels()
        .iter()
        .filter_map(|channel| match channel {
            Channel::Rotation { node, track } => Some((*node, track)),
            _ => None,
        })
        .filter(|(node, track)| {
            take.rig.figures.is_limb[*node] && track.keys().interpolation() != Interpolation::Step
        })
        .collect();
    let mut times: Vec<f32> = tracks.iter().flat_map(|(_, track)| track.times()).copied().collect();
    times.sort_unstable_by(f32::total_cmp);
    times.dedup_by(|later, earlier| *later - *earlier < SAME);
    let ends = [times.clone(), times.into_iter().rev().collect()];
    let ends = ["first", "last"].into_iter().zip(ends);
    ends.filter_map(|(end, times)| at_end(take, &tracks, end, &times)).collect()
}

/// Finds the rest pose at the first of some times, which count from an end of the clip inwards. It may be held for some keys.
fn at_end(
    take: &Take,
    tracks: &[(usize, &Track<Quat>)],
    end: &str,
    times: &[f32],
) -> Option<Finding> {
    let times: Vec<f64> = times.iter().copied().map(f64::from).collect();
    let (start, other_end) = (*times.first()?, *times.last()?);
    let least = take.rig.threshold(Code::ClipRestKey).to_radians();
    let is_at_rest = |node: usize, turn: Quat| {
        angle_between(turn, take.rig.model.rest.transform(node).rotation) <= AT_REST
    };
    // A motion from rest to rest, such as a recoil, may begin as fast as it likes.
    let mut resting: Vec<&(usize, &Track<Quat>)> =
        tracks.iter().filter(|(node, track)| !is_at_rest(*node, track.sample(other_end))).collect();
    let (held, leaving) = times.windows(2).enumerate().find_map(|(key, pair)| {
        let [left, next] = [pair[0], pair[1]];
        if (left - start).abs() > HELD {
            return None;
        }
        resting.retain(|(node, track)| is_at_rest(*node, track.sample(left)));
        if (next - left).abs() > DENSE || (other_end - left).abs() < DENSE + STEPS as f64 * STEP {
            return None;
        }
        let inwards = (other_end - left).signum();
        let leaves = |track: &Track<Quat>| {
            let at = |time: f64| track.sample(left + inwards * time);
            let angle = angle_between(at(0.0), at(DENSE));
            let steps = (0..STEPS).map(|step| DENSE + step as f64 * STEP);
            let steps = steps.map(|from| angle_between(at(from), at(from + STEP)));
            let steady = DENSE / STEP * steps.fold(0.0, f64::max);
            (angle > least && angle > ABRUPT * steady).then_some(angle)
        };
        let leaving = resting.iter().filter_map(|(node, track)| Some((*node, leaves(track)?)));
        let leaving: Vec<(usize, f64)> = leaving.collect();
        (leaving.len() >= LEAST_JOINTS).then_some((key + 1, leaving))
    })?;
    let (node, angle) = leaving.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (called, count, degrees) = (take.rig.called(node), leaving.len(), angle.to_degrees());
    let keys = match held {
        1 => format!("the {end} key of {} is", take.called()),
        more => format!("the {end} {more} keys of {} are", take.called()),
    };
    let text = format!(
        "{keys} the rest pose: {count} joints leave it at once, {called} by {degrees:.0} degrees"
    );
    let finding = Finding::new(Code::ClipRestKey, text).of(take.rig.name(node));
    let finding = finding.measured(degrees, "degrees").limited(least.to_degrees());
    Some(finding.in_clip(take.name()).when(start).at(take.pointer()))
}
