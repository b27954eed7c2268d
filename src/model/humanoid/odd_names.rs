//! Single bones whose names are of another convention than all others of their rig, as after a joint was renamed by hand.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use super::human_bone::{BonePart, HumanBone};
use super::naming::{NAMINGS, PlainName};
use crate::model::{BodySide, Model};

/// The parts of an arm and of a leg, from the trunk outwards.
const LIMBS: [[BonePart; 4]; 2] = [
    [BonePart::Shoulder, BonePart::UpperArm, BonePart::LowerArm, BonePart::Hand],
    [BonePart::UpperLeg, BonePart::LowerLeg, BonePart::Foot, BonePart::Toes],
];

/// Adds to the nodes of bones missing hips and parts of limbs whose names mean that part in any convention, where the
/// tree leaves one choice: a part of a limb is between those that are known, and hips are where the legs part.
pub(super) fn add(
    model: &Model,
    bones: &mut BTreeMap<HumanBone, usize>,
    trunk: &[usize],
    names: &[PlainName],
) {
    let known: HashSet<usize> = bones.values().chain(trunk).copied().collect();
    let known_node = |part, is_right| bones.get(&HumanBone { part, is_right }).copied();
    let is_above = |above: usize, node: usize| model.hierarchy.ancestors(node).any(|n| n == above);
    let only = |bone: HumanBone, side: BodySide, fits: &dyn Fn(usize) -> bool| {
        let means = |node: &usize| {
            let PlainName { side: said, text } = &names[*node];
            *said == side && !known.contains(node) && is_spelling(bone.part, text) && fits(*node)
        };
        let mut found = (0..names.len()).filter(means);
        found.next().filter(|_| found.next().is_none())
    };
    let mut added = Vec::new();
    let legs = [false, true].map(|is_right| known_node(BonePart::UpperLeg, is_right));
    if let ([Some(left), Some(right)], None) = (legs, known_node(BonePart::Hips, false)) {
        let hips = HumanBone::central(BonePart::Hips);
        let parting = model.hierarchy.ancestors(left).find(|node| is_above(*node, right));
        let fits = |node: usize| parting == Some(node);
        added.extend(only(hips, BodySide::Center, &fits).map(|node| (hips, node)));
    }
    for (is_right, side) in [(false, BodySide::Left), (true, BodySide::Right)] {
        for limb in LIMBS {
            let nodes = limb.map(|part| known_node(part, is_right));
            for at in (0..limb.len()).filter(|at| nodes[*at].is_none()) {
                let inner = nodes[..at].iter().rev().flatten().next().copied();
                let outer = nodes[at..].iter().flatten().next().copied();
                if inner.or(outer).is_none() {
                    continue;
                }
                let fits = |node: usize| {
                    inner.is_none_or(|inner| is_above(inner, node))
                        && outer.is_none_or(|outer| is_above(node, outer))
                };
                let bone = HumanBone { part: limb[at], is_right };
                added.extend(only(bone, side, &fits).map(|node| (bone, node)));
            }
        }
    }
    // A name that could be two parts is neither.
    let mut seen = HashSet::new();
    let twice: HashSet<usize> =
        added.iter().map(|(_, node)| *node).filter(|node| !seen.insert(*node)).collect();
    bones.extend(added.into_iter().filter(|(_, node)| !twice.contains(node)));
}

/// The parts that a plain name means in the conventions.
static PARTS: LazyLock<HashMap<&str, Vec<BonePart>>> = LazyLock::new(|| {
    let mut parts: HashMap<&str, Vec<BonePart>> = HashMap::new();
    for (part, names) in NAMINGS.iter().flat_map(|naming| naming.parts.iter()) {
        names.split(' ').for_each(|name| parts.entry(name).or_default().push(part));
    }
    parts
});

/// Whether a plain name means a part in any convention.
fn is_spelling(part: BonePart, text: &str) -> bool {
    PARTS.get(text).is_some_and(|parts| parts.contains(&part))
}
