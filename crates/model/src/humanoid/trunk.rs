//! The joints between hips and neck, whatever the convention of their names.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::body::{Humanoid, MOST_OF_TRUNK, end_of_trunk};
use super::human_bone::BonePart;
use super::naming::{NAMINGS, PlainName};
use crate::{BodySide, Model};
use rigview_anim::RigAtRest;

/// Words in the names of joints that turn or place others and are no part of a body.
const HELPERS: [&str; 14] = [
    "twist", "roll", "helper", "pivot", "offset", "control", "ctrl", "assimp", "dummy", "socket",
    "attach", "target", "null", "weapon",
];

/// A joint of an unknown name that is nearer to the one below it is none of the trunk, as a share of the way from hips to neck.
const APART: f64 = 0.01;

/// Returns the joints between hips and neck, from below: those of the trunk so far, those whose names mean one in any
/// convention, and joints of a skin whose names no convention has, up to the one that carries the arms. `None` where hips
/// or neck are not known or not above each other.
pub(super) fn on_the_way(
    model: &Model,
    humanoid: &Humanoid,
    names: &[PlainName],
) -> Option<Vec<usize>> {
    let hips = humanoid.node(BonePart::Hips, false)?;
    let end = [BonePart::Neck, BonePart::Head].into_iter();
    let end = end.filter_map(|part| humanoid.node(part, false)).next()?;
    let mut way: Vec<usize> =
        model.hierarchy.ancestors(end).take_while(|node| *node != hips).collect();
    if model.hierarchy.parent(*way.last()?) != Some(hips) {
        return None;
    }
    way.reverse();
    let known: HashSet<usize> = humanoid.bones.values().copied().collect();
    let rest = RigAtRest::new(&model.hierarchy, &model.rest);
    let least = APART * rest.place(hips).distance(rest.place(end));
    let is_joint = model.skin_joints();
    let arms = end_of_trunk(model, humanoid, &way);
    let is_named =
        |node: usize| humanoid.trunk.contains(&node) || NAMES.contains(names[node].text.as_str());
    let any_named = way.iter().any(|node| is_named(*node));
    let has_skin = is_joint.contains(&true);
    let mut below = hips;
    let mut trunk = Vec::new();
    for (place, node) in way.into_iter().enumerate() {
        let PlainName { side, text } = &names[node];
        // Files of motion without a skin do not tell joints from helpers.
        let is_unnamed_joint = || {
            let counts = if has_skin { is_joint[node] } else { !any_named };
            let is_helper = HELPERS.iter().any(|word| text.contains(word));
            let is_apart = rest.place(node).distance(rest.place(below)) > least;
            counts && place < arms && !is_helper && is_apart
        };
        let is_free = *side == BodySide::Center && !known.contains(&node);
        if is_free && trunk.len() < MOST_OF_TRUNK && (is_named(node) || is_unnamed_joint()) {
            trunk.push(node);
            below = node;
        }
    }
    Some(trunk)
}

/// The plain names of joints between hips and neck in all conventions.
static NAMES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| NAMINGS.iter().flat_map(|naming| naming.trunk).copied().collect());
