//! Rules of a clip as a whole: CLIP_STILL, CLIP_UNITS.

use glam::Vec3;

use super::clip_names::lies_down;
use super::surface::Surface;
use super::take::Take;
use super::{Code, Finding, Level};
use rigview_anim::rotation::angle_between;
use rigview_anim::{Channel, Track};

/// The factors between units: centimetres, inches, decimetres and millimetres in a metre.
const UNITS: [f64; 4] = [10.0, 39.37, 100.0, 1000.0];

/// How far from one of these factors the mean of a clip may be, as a factor: clips crouch and jump.
const ABOUT: f64 = 1.35;

/// The largest ratio between the translations in a clip, along that of the rest pose, and the least cosine of the key that is
/// most along it. What changes more is movement.
const STEADY: f64 = 3.0;
const ALONG: f64 = 0.9;

/// The length of a translation at rest that matters, as a share of the skin's diagonal.
const MATTERS: f64 = 0.02;

pub(super) fn findings(take: &Take, surface: Option<&Surface>) -> Vec<Finding> {
    let found = still(take).into_iter().chain(units(take, surface));
    found.map(|finding| finding.in_clip(take.name()).at(take.pointer())).collect()
}

/// A clip of one instant is a pose and can't move, so it is only noted.
fn still(take: &Take) -> Option<Finding> {
    let limit = take.rig.threshold(Code::ClipStill);
    let far = |a: Vec3, b: Vec3| f64::from((a - b).abs().max_element()) > limit;
    let number = |a: f32, b: f32| f64::from((a - b).abs()) > limit;
    let moves = |channel: &Channel| match channel {
        Channel::Translation { track, .. } | Channel::Scale { track, .. } => track.changes(far),
        Channel::Rotation { track, .. } => track.changes(|a, b| angle_between(a, b) > limit),
        Channel::Weights { track, .. } => track.changes(number),
    };
    let clip = take.clip;
    let properties = || clip.properties().iter().any(|p| p.track.changes(number));
    if clip.is_empty() || properties() {
        return None;
    }
    if clip.channels().iter().any(moves) {
        return None;
    }
    let text = format!("{} moves nothing", take.called());
    let has_one_instant = clip.start_secs() >= clip.duration_secs();
    let level = if has_one_instant { Level::Note } else { Code::ClipStill.level() };
    Some(Finding::new(Code::ClipStill, text).with_level(level))
}

/// A channel whose values are in another unit than the rest pose.
struct InOtherUnit<'a> {
    channel: &'a Channel,
    /// The mean of its keys in relation to the rest pose.
    ratio: f64,
    /// The length of the translation at rest, in metres; 0 of a scale.
    length: f64,
}

/// Finds joints whose translations or scales are many times those of the rest pose at all keys. One finding per clip:
/// the joint whose translation at rest is the longest.
fn units<'a>(take: &Take<'a>, surface: Option<&Surface>) -> Option<Finding> {
    let rig = take.rig;
    let (limit, size) = (rig.threshold(Code::ClipUnits), surface.map_or(0.0, Surface::size));
    // Props are hidden by their scale; a unit is that of the whole figure.
    let carries_most = |node: usize| {
        let is_below =
            |joint: &&usize| rig.model.hierarchy.path_to_root(**joint).any(|it| it == node);
        2 * rig.joints.iter().filter(is_below).count() >= rig.joints.len()
    };
    let in_other_unit = |channel: &'a Channel| -> Option<InOtherUnit<'a>> {
        let node = channel.node();
        let rest = rig.model.rest.transform(node);
        let (track, rest, length) = match channel {
            Channel::Translation { track, .. } => {
                let length = f64::from(rest.translation.length()) * rig.metres_per_unit(node);
                (
                    track,
                    rest.translation,
                    Some(length).filter(|it| *it > MATTERS * size && size > 0.0)?,
                )
            }
            Channel::Scale { track, .. } => (track, rest.scale, 0.0),
            _ => return None,
        };
        let ratio = ratio(track, rest).filter(|ratio| ratio.max(1.0 / ratio) > limit)?;
        let is_judged = rig.carries[node] && (length > 0.0 || carries_most(node));
        is_judged.then_some(InOtherUnit { channel, ratio, length })
    };
    let found: Vec<InOtherUnit> = take.clip.channels().iter().filter_map(in_other_unit).collect();
    if let [only] = &found[..]
        && only.length > 0.0
        && only.ratio < 1.0
        && take.name().is_some_and(lies_down)
    {
        return None;
    }
    let longest = found.iter().map(|it| it.length).fold(0.0, f64::max);
    let InOtherUnit { channel, ratio, .. } = found.iter().find(|it| it.length >= longest)?;
    let (times, how) = if *ratio > 1.0 { (*ratio, "larger") } else { (1.0 / ratio, "smaller") };
    let others = match found.len() {
        1 => String::new(),
        all => format!("; so are channels of {} more joints", all - 1),
    };
    let node = channel.node();
    let text = format!(
        "the {} of {} {} in {} is {times:.0} times {how} than at rest{others}",
        channel.path(),
        rig.kind(node),
        rig.called(node),
        take.called()
    );
    let finding = Finding::new(Code::ClipUnits, text).of(rig.name(node));
    Some(finding.measured(times, "ratio").limited(limit))
}

/// Returns the mean of a track's keys along the rest value in relation to it, if that is about the factor of a unit. Across the
/// rest value, a clip may travel.
fn ratio(track: &Track<Vec3>, rest: Vec3) -> Option<f64> {
    let (values, rest) = (track.keys().values(), rest.as_dvec3());
    let along = |value: &Vec3| value.as_dvec3().dot(rest) / rest.length_squared();
    let (least, most) =
        values.iter().map(along).fold((f64::MAX, 0.0), |(a, b), x| (x.min(a), x.max(b)));
    let ratio = values.iter().map(along).sum::<f64>() / values.len() as f64;
    let factor = ratio.max(1.0 / ratio);
    let is_unit = UNITS.iter().any(|unit| (factor / unit).max(unit / factor) < ABOUT);
    let is_steady = least > 0.0 && most <= STEADY * least;
    let cosine = |value: &Vec3| along(value) * rest.length() / value.as_dvec3().length();
    let is_along = || values.iter().any(|value| cosine(value) >= ALONG);
    (ratio.is_finite() && is_unit && is_steady && is_along()).then_some(ratio)
}
