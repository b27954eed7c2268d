//! Rules of a clip as a whole: CLIP_STILL, CLIP_UNITS.

use std::collections::HashSet;

use glam::Vec3;

use super::surface::Surface;
use super::take::Take;
use super::{Code, Finding, Level};
use rigview_anim::rotation::angle_between;
use rigview_anim::{Channel, Track};

pub(super) fn findings(take: &Take, surface: Option<&Surface>) -> Vec<Finding> {
    let found = still(take).into_iter().chain(units(take, surface)).chain(percent(take));
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
    let text = match clip.channels().iter().find(|channel| moves(channel)) {
        None => format!("{} moves nothing", take.called()),
        Some(channel) if drives_nothing_seen(take) => format!(
            "{} moves nothing that is seen: no mesh, camera or light hangs on {} or on the other nodes that it drives",
            take.called(),
            take.rig.called(channel.node())
        ),
        Some(_) => return None,
    };
    let has_one_instant = clip.start_secs() >= clip.duration_secs();
    let level = if has_one_instant { Level::Note } else { Code::ClipStill.level() };
    Some(Finding::new(Code::ClipStill, text).with_level(level))
}

/// The fewest nodes of a skeleton. Exporters write channels of a skinned mesh's own node, which moves nothing.
const LEAST_DRIVEN: usize = 3;

/// Whether no node that a clip drives moves a skinned vertex or carries a mesh, a camera or a light, although the file has
/// skinned meshes: the clip may drive another copy of the skeleton. Nodes below what is seen are attachments of it.
fn drives_nothing_seen(take: &Take) -> bool {
    let rig = take.rig;
    let driven: HashSet<usize> = take.clip.channels().iter().map(Channel::node).collect();
    let meshes = rig.model.nodes.iter().map(|node| node.mesh.is_some()).collect();
    let carries_mesh = rig.model.hierarchy.with_ancestors(meshes);
    let is_skinned = rig.model.nodes.iter().any(|node| node.mesh.is_some() && node.skin.is_some());
    is_skinned
        && driven.len() >= LEAST_DRIVEN
        // A constraint may follow any node.
        && rig.model.constraints.is_empty()
        && !driven.iter().any(|node| {
            rig.moves_seen[*node] || rig.below_seen[*node] || carries_mesh[*node]
        })
}

/// The factors between units: centimetres, inches, decimetres and millimetres in a metre.
const UNITS: [f64; 4] = [10.0, 39.37, 100.0, 1000.0];

/// How far from one of these factors the mean of a clip may be, as a factor: clips crouch and jump.
const ABOUT: f64 = 1.35;

/// The largest ratio between the translations in a clip, along that of the rest pose, and the least cosine of the key that is
/// most along it. What changes more is movement.
const STEADY: f64 = 3.0;
const ALONG: f64 = 0.9;

/// The length of a translation at rest that matters, as a share of the figure's diagonal.
const MATTERS: f64 = 0.02;

/// A single translation that is smaller by less than inches are to metres may be that of a body that lies.
const LYING: f64 = 39.37 / ABOUT;

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
    let (rig, figures) = (take.rig, &take.rig.figures);
    let limit = rig.threshold(Code::ClipUnits);
    let of_channel = |channel: &'a Channel| -> Option<InOtherUnit<'a>> {
        let (ratio, length) = match channel {
            Channel::Translation { node, track } => {
                let size = surface?.size_of_figure(rig, *node);
                let rest = rig.model.rest.transform(*node).translation;
                let length = f64::from(rest.length()) * rig.metres_per_unit(*node);
                (ratio(track, rest).filter(|_| length > MATTERS * size && size > 0.0)?, length)
            }
            Channel::Scale { node, track } => {
                (ratio(track, rig.model.rest.transform(*node).scale)?, 0.0)
            }
            _ => return None,
        };
        // A part that hangs on nothing is a thing of its own, which may be anywhere.
        let parts = match channel {
            Channel::Translation { .. } => &figures.is_limb,
            _ => &figures.is_part,
        };
        let is_judged = rig.carries[channel.node()] || parts[channel.node()];
        let is_found = is_judged && ratio.max(1.0 / ratio) > limit;
        is_found.then_some(InOtherUnit { channel, ratio, length })
    };
    let found = take.clip.channels().iter().filter_map(of_channel);
    let (mut moved, mut scaled): (Vec<_>, Vec<_>) =
        found.partition(|it| matches!(it.channel, Channel::Translation { .. }));
    // Props are hidden by their scale; a unit is that of the whole figure.
    let figure_of = |it: &InOtherUnit| figures.of_node[it.channel.node()];
    let joints = figures.counts(rig.joints.iter().map(|joint| figures.of_node[*joint]));
    let agreed = figures.counts(scaled.iter().map(figure_of));
    scaled.retain(|it| {
        let figure = figure_of(it);
        let most_agree = figure != figures.rest() && 2 * agreed[figure] >= joints[figure];
        figures.carries_figure[it.channel.node()] || (figures.is_whole[figure] && most_agree)
    });
    let moving = figures.counts(moved.iter().map(figure_of));
    moved.retain(|it| moving[figure_of(it)] > 1 || it.ratio > 1.0 || it.ratio <= 1.0 / LYING);
    let found: Vec<InOtherUnit> = moved.into_iter().chain(scaled).collect();
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

/// Finds morph weights that are far above 1, as those in percent are.
fn percent(take: &Take) -> Option<Finding> {
    let (rig, limit) = (take.rig, take.rig.threshold(Code::ClipUnits));
    let largest = |channel: &Channel| match channel {
        Channel::Weights { node, track, .. } if rig.model.nodes[*node].mesh.is_some() => {
            let weights = track.keys().values().iter().map(|weight| f64::from(weight.abs()));
            Some((*node, weights.filter(|weight| weight.is_finite()).fold(0.0, f64::max)))
        }
        _ => None,
    };
    let weights = take.clip.channels().iter().filter_map(largest);
    let (node, most) = weights.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let text = format!(
        "the morph weights of node {} in {} reach {most:.0}, as if they were percent",
        rig.called(node),
        take.called()
    );
    let finding = || Finding::new(Code::ClipUnits, text).of(rig.name(node));
    (most > limit).then(|| finding().measured(most, "ratio").limited(limit))
}
