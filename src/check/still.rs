//! Rules of a clip as a whole: CLIP_STILL, CLIP_UNITS.

use glam::{DVec3, Vec3};

use super::surface::Surface;
use super::take::Take;
use super::{Code, Finding, Level};
use crate::anim::rotation::angle_between;
use crate::anim::{Channel, Track};

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
    if clip.is_empty() || clip.channels().iter().any(moves) || properties() {
        return None;
    }
    let text = format!("{} moves nothing", take.called());
    let has_one_instant = clip.start_secs() >= clip.duration_secs();
    let level = if has_one_instant { Level::Note } else { Code::ClipStill.level() };
    Some(Finding::new(Code::ClipStill, text).with_level(level))
}

/// The factors between units: centimetres, inches, decimetres and millimetres in a metre.
const UNITS: [f64; 4] = [10.0, 39.37, 100.0, 1000.0];

/// How far from one of these factors the mean of a clip may be, as a factor: clips crouch and jump.
const ABOUT: f64 = 1.35;

/// The largest ratio between the lengths of a translation in a clip, and the least cosine between its mean and the rest
/// pose's. What changes more is movement.
const STEADY: f64 = 3.0;
const ALONG: f64 = 0.9;

/// The length of a translation at rest that matters, as a share of the skin's diagonal.
const MATTERS: f64 = 0.02;

/// Finds joints whose translations or scales are many times those of the rest pose at all keys. One finding per clip:
/// the joint whose translation at rest is the longest.
fn units(take: &Take, surface: Option<&Surface>) -> Option<Finding> {
    let size = surface.map_or(0.0, |surface| f64::from(surface.rest.size().length()));
    let limit = take.rig.threshold(Code::ClipUnits);
    let (mut worst, mut joints): (Option<(f64, usize, f64, &str)>, usize) = (None, 0);
    for channel in take.clip.channels() {
        let node = channel.node();
        if !take.rig.carries[node] {
            continue;
        }
        let rest = take.rig.model.rest.transform(node);
        let (ratio, weight) = match channel {
            Channel::Translation { track, .. } => {
                let length = f64::from(rest.translation.length()) * take.rig.metres_per_unit(node);
                if length <= MATTERS * size || size == 0.0 {
                    continue;
                }
                (ratio(track, rest.translation), length)
            }
            Channel::Scale { track, .. } => (ratio(track, rest.scale), 0.0),
            _ => continue,
        };
        let Some(ratio) = ratio.filter(|ratio| ratio.max(1.0 / ratio) > limit) else {
            continue;
        };
        joints += 1;
        if worst.is_none_or(|(most, ..)| weight > most) {
            worst = Some((weight, node, ratio, channel.path()));
        }
    }
    let (_, node, ratio, path) = worst?;
    let (times, how) = if ratio > 1.0 { (ratio, "larger") } else { (1.0 / ratio, "smaller") };
    let others = match joints {
        1 => String::new(),
        more => format!("; so are channels of {} more joints", more - 1),
    };
    let text = format!(
        "the {path} of {} {} in {} is {times:.0} times {how} than at rest{others}",
        take.rig.kind(node),
        take.rig.called(node),
        take.called()
    );
    let finding = Finding::new(Code::ClipUnits, text).of(take.rig.name(node));
    Some(finding.measured(times, "ratio").limited(limit))
}

/// Returns the mean length of a track's keys in relation to the rest value, if that is about the factor of a unit.
fn ratio(track: &Track<Vec3>, rest: Vec3) -> Option<f64> {
    let values = track.keys().values();
    let rest = rest.as_dvec3();
    let lengths = values.iter().map(|value| value.as_dvec3().length());
    let (least, most) = lengths.fold((f64::MAX, 0.0), |(a, b), l| (l.min(a), l.max(b)));
    let mean = values.iter().map(|value| value.as_dvec3()).sum::<DVec3>() / values.len() as f64;
    let ratio = mean.length() / rest.length();
    let factor = ratio.max(1.0 / ratio);
    let is_unit = UNITS.iter().any(|unit| (factor / unit).max(unit / factor) < ABOUT);
    let is_steady = least > 0.0
        && most <= STEADY * least
        && mean.dot(rest) >= ALONG * mean.length() * rest.length();
    (ratio.is_finite() && is_unit && is_steady).then_some(ratio)
}
