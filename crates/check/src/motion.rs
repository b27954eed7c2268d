//! Rules of the way of a clip over the ground: ROOT_MOVES, FOOT_SLIDES.

use glam::Vec3;

use super::rig::median;
use super::take::Take;
use super::{Code, Finding, Level};
use rigview_anim::moved_root;
use rigview_model::short_name;

/// The height over the ground up to which a foot stands, in metres, and the least share of the frames in which it does.
const STANDING: f64 = 0.02;
const STANDS: f64 = 0.1;

/// Frames per second of the steps between which speeds are measured.
const RATE: f64 = 30.0;

pub(super) fn findings(take: &Take) -> Vec<Finding> {
    let feet =
        take.rules.feet.iter().filter_map(|foot| {
            take.rig.named(foot).and_then(|joint| foot_slides(take, foot, joint))
        });
    let found = root_moves(take).into_iter().chain(feet);
    found.map(|finding| finding.in_clip(take.name()).at(take.pointer())).collect()
}

/// Returns the joint nearest to the root that a clip moves; the first one, if there are several.
pub(super) fn root(take: &Take) -> Option<usize> {
    moved_root(take.clip.channels(), |node| take.rig.is_joint[node].then(|| take.rig.depth[node]))
}

/// Judges the root. With `in_place = true`, a node above the joints counts where no joint moves, and any node in a file
/// without joints.
fn root_moves(take: &Take) -> Option<Finding> {
    let rig = take.rig;
    let level = match take.rules.in_place {
        Some(false) => return None,
        Some(true) => Level::Error,
        None => Level::Note,
    };
    let carries = |node: usize| rig.joints.is_empty() || rig.carries[node];
    let carrier =
        || moved_root(take.clip.channels(), |node| carries(node).then(|| rig.depth[node]));
    let root = root(take).or_else(|| carrier().filter(|_| level == Level::Error))?;
    root_moves_away(take, root, level)
}

fn root_moves_away(take: &Take, root: usize, level: Level) -> Option<Finding> {
    let limit = take.rig.threshold(Code::RootMoves);
    let [start, end] = [0.0, take.end()].map(|time| take.stage_at(time).position(root));
    let way = over_ground(start, end);
    if !way.is_finite() || way <= limit {
        return None;
    }
    let text = format!(
        "{} {} ends {:.2} m from where {} starts",
        take.rig.kind(root),
        take.rig.called(root),
        way,
        take.called()
    );
    let finding = Finding::new(Code::RootMoves, text).with_level(level).of(take.rig.name(root));
    Some(finding.measured(way, "m").limited(limit).when(take.end()))
}

fn foot_slides(take: &Take, foot: &str, joint: usize) -> Option<Finding> {
    let speeds = standing_speeds(take, joint);
    // Within a pose nothing slides.
    if take.end() - f64::from(take.clip.start_secs()) < 2.0 / RATE {
        return None;
    }
    if speeds.is_empty() {
        let name = short_name(foot);
        let text =
            format!("{name} never stands in {}, so whether it slides can't be told", take.called());
        let finding = Finding::new(Code::FootSlides, text).with_level(Level::Note);
        return Some(finding.of(Some(foot)));
    }
    let (_, time) = *speeds.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    // Feet roll while they are set down and lifted, and swing past the ground, but most of the time they stand.
    let speed = median(speeds.into_iter().map(|(speed, _)| speed).collect())?;
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
/// which are near the ground. Until its first key a clip holds its first pose, which does not count.
pub(super) fn standing_speeds(take: &Take, joint: usize) -> Vec<(f64, f64)> {
    let places = take.at_each(&take.times, |stage| stage.position(joint));
    let first = f64::from(take.clip.start_secs());
    // Keys are in single precision.
    let is_frame = |time: f64| {
        let off = (time * RATE).round() / RATE - time;
        off.abs() < 1e-5 + 2.0 * time * f64::from(f32::EPSILON) && time + 1e-5 >= first
    };
    let frames = take.times.iter().zip(&places).filter(|(time, _)| is_frame(**time));
    let mut frames: Vec<(&f64, &Vec3)> = frames.collect();
    // A key may lie beside a frame. Over the time between them, rounding would be a speed.
    frames.dedup_by_key(|(time, _)| (**time * RATE).round());
    let Some(ground) = ground(frames.iter().map(|(_, at)| f64::from(at.y)).collect()) else {
        return Vec::new();
    };
    let stands = |at: &Vec3| f64::from(at.y) - ground <= STANDING;
    let steps = frames.windows(2).filter(|step| step.iter().all(|(_, at)| stands(at)));
    let speeds = steps.map(|step| {
        let [(start, a), (end, b)] = [step[0], step[1]];
        (over_ground(*a, *b) / (end - start), *start)
    });
    speeds.collect()
}

/// Returns the height that a joint stands on: the lowest one above which it stays for a share of the frames. A single low key
/// is no ground. `None` if it never stays.
fn ground(mut heights: Vec<f64>) -> Option<f64> {
    heights.retain(|height| height.is_finite());
    heights.sort_unstable_by(f64::total_cmp);
    let least = ((STANDS * heights.len() as f64).ceil() as usize).max(2);
    let stays = heights.windows(least).find(|held| held[least - 1] - held[0] <= STANDING)?;
    Some(stays[0])
}

/// Returns the horizontal distance of two points. Up is +Y, as everywhere in glTF.
pub(super) fn over_ground(a: Vec3, b: Vec3) -> f64 {
    let way = b.as_dvec3() - a.as_dvec3();
    way.x.hypot(way.z)
}
