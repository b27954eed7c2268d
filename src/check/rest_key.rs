//! The rule of a rest pose that an exporter left at an end of a clip: CLIP_REST_KEY.

use glam::Quat;

use super::take::Take;
use super::{Code, Finding};
use crate::anim::rotation::angle_between;
use crate::anim::{Channel, Interpolation, Track};

/// The fewest joints that leave the rest pose at once.
const LEAST_JOINTS: usize = 3;

/// A joint is at rest up to this angle, in radians.
const AT_REST: f64 = 0.01;

/// A joint leaves the rest pose at once if it turns this many times as far as in any of the steps that follow.
const ABRUPT: f64 = 4.0;

/// The steps that follow.
const STEPS: usize = 4;

/// The longest step, in seconds: keys further apart may mean to blend from the rest pose.
const DENSE: f64 = 0.05;

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
            take.rig.is_joint[*node] && track.keys().interpolation() != Interpolation::Step
        })
        .collect();
    let mut times: Vec<f32> = tracks.iter().flat_map(|(_, track)| track.times()).copied().collect();
    times.sort_unstable_by(f32::total_cmp);
    times.dedup_by(|later, earlier| *later - *earlier < SAME);
    let ends = [times.clone(), times.into_iter().rev().collect()];
    let ends = ["first", "last"].into_iter().zip(ends);
    ends.filter_map(|(end, times)| at_end(take, &tracks, end, &times)).collect()
}

/// Finds the rest pose at the first of some times, which count from an end of the clip inwards.
fn at_end(
    take: &Take,
    tracks: &[(usize, &Track<Quat>)],
    end: &str,
    times: &[f32],
) -> Option<Finding> {
    let other_end = f64::from(*times.last()?);
    let times: Vec<f64> = times.get(..STEPS + 2)?.iter().copied().map(f64::from).collect();
    if (times[1] - times[0]).abs() > DENSE {
        return None;
    }
    let least = take.rig.threshold(Code::ClipRestKey).to_radians();
    let rest = &take.rig.model.rest;
    let mut leaving: Vec<(usize, f64)> = Vec::new();
    for (node, track) in tracks {
        let keys: Vec<Quat> = times.iter().map(|time| track.sample(*time)).collect();
        let is_at_rest =
            |turn: Quat| angle_between(turn, rest.transform(*node).rotation) <= AT_REST;
        // A motion from rest to rest, such as a recoil, may begin as fast as it likes.
        if !is_at_rest(keys[0]) || is_at_rest(track.sample(other_end)) {
            continue;
        }
        let steps: Vec<f64> = keys.windows(2).map(|pair| angle_between(pair[0], pair[1])).collect();
        let later = steps[1..].iter().copied().fold(0.0, f64::max);
        if steps[0] > least && steps[0] > ABRUPT * later {
            leaving.push((*node, steps[0]));
        }
    }
    let (node, angle) = leaving.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
    if leaving.len() < LEAST_JOINTS {
        return None;
    }
    let (called, count, degrees) = (take.rig.called(node), leaving.len(), angle.to_degrees());
    let text = format!(
        "the {end} key of {} is the rest pose: {count} joints leave it at once, {called} by {degrees:.0} degrees",
        take.called()
    );
    let finding = Finding::new(Code::ClipRestKey, text).of(take.rig.name(node));
    let finding = finding.measured(degrees, "degrees").limited(least.to_degrees());
    Some(finding.in_clip(take.name()).when(times[0]).at(take.pointer()))
}
