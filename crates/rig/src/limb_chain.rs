//! The bones of limbs by the order in which their joints hang on each other.
//!
//! One name means several bones, depending on the convention: a shoulder is a clavicle or an upper arm, a leg a thigh or a
//! shin. And joints of one limb may have names of several conventions. The order of the joints decides then.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use crate::naming::{NAMINGS, PlainName};
use crate::{BodySide, Humanoid};
use rigview_model::{BonePart, HumanBone, Model};

/// The parts of an arm and of a leg, from the trunk outwards.
const LIMBS: [[BonePart; 4]; 2] = [
    [BonePart::Shoulder, BonePart::UpperArm, BonePart::LowerArm, BonePart::Hand],
    [BonePart::UpperLeg, BonePart::LowerLeg, BonePart::Foot, BonePart::Toes],
];

/// The joint of each part of a limb.
type Roles = [Option<usize>; 4];

/// Upper limits of the joints of a side whose names mean a part of a limb, and of those in one chain, because all ways
/// to give them parts are tried.
const MOST_JOINTS: usize = 256;
const MOST_IN_CHAIN: usize = 8;

/// Number of parts of a limb that suffice where the rig's convention names none of them: fewer fit by chance.
const ENOUGH_ALONE: usize = 3;

/// Gives joints of limbs other roles where more of their names fit then, whatever their conventions, or as many without a gap.
pub(crate) fn complete(model: &Model, bones: &mut BTreeMap<HumanBone, usize>, names: &[PlainName]) {
    for (is_right, side) in [(false, BodySide::Left), (true, BodySide::Right)] {
        for parts in LIMBS {
            let bone = |part| HumanBone { part, is_right };
            let known = parts.map(|part| bones.get(&bone(part)).copied());
            let Some(roles) = better(model, names, side, &parts, known) else { continue };
            for (part, node) in parts.into_iter().zip(roles) {
                match node {
                    Some(node) => drop(bones.insert(bone(part), node)),
                    None => drop(bones.remove(&bone(part))),
                }
            }
        }
    }
}

/// Returns the joints without a known role that lie where a bone is missing: between two others of its limb, or between a limb
/// and the hips or the trunk.
pub(crate) fn joints_without_role(model: &Model, humanoid: &Humanoid) -> Vec<(usize, HumanBone)> {
    let is_joint = model.skin_joints();
    let is_bone: Vec<usize> = humanoid.nodes().collect();
    let mut found = Vec::new();
    for (is_right, parts) in [false, true].into_iter().flat_map(|side| LIMBS.map(|it| (side, it))) {
        let roles = parts.map(|part| humanoid.node(part, is_right));
        for (outer, node) in roles.iter().enumerate().skip(1) {
            let Some(node) = node.filter(|_| roles[outer - 1].is_none()) else { continue };
            let between = model.hierarchy.ancestors(node).take_while(|it| !is_bone.contains(it));
            let bone = HumanBone { part: parts[outer - 1], is_right };
            let ends_at = model.hierarchy.ancestors(node).find(|it| is_bone.contains(it));
            let between = between.filter(|it| ends_at.is_some() && is_joint[*it]);
            // A shoulder is not needed.
            found.extend(between.map(|it| (it, bone)).filter(|it| it.1.part != BonePart::Shoulder));
        }
    }
    found
}

/// How well joints fit the parts of a limb: the number of parts, and how few are missing between them.
type Fit = (usize, std::cmp::Reverse<usize>);

fn fit(roles: &Roles) -> Fit {
    let of_parts = || (0..roles.len()).filter(|part| roles[*part].is_some());
    let span = of_parts().next_back().map_or(0, |last| last + 1) - of_parts().next().unwrap_or(0);
    (of_parts().count(), std::cmp::Reverse(span - of_parts().count()))
}

/// Returns the number of parts that both give to the same joint.
fn alike(a: &Roles, b: &Roles) -> usize {
    a.iter().zip(b).filter(|(a, b)| a.is_some() && a == b).count()
}

/// Returns the roles of joints by their order, if these are better than the known ones. A part of which several joints are
/// equally good has none.
fn better(
    model: &Model,
    names: &[PlainName],
    side: BodySide,
    parts: &[BonePart; 4],
    known: Roles,
) -> Option<Roles> {
    let means = |node: usize| {
        let PlainName { side: said, text } = &names[node];
        let meant = PARTS.get(text.as_str()).filter(|_| *said == side);
        parts.map(|part| meant.is_some_and(|meant| meant.contains(&part)))
    };
    let joints: HashMap<usize, [bool; 4]> = (0..names.len())
        .map(|node| (node, means(node)))
        .filter(|(_, means)| means.contains(&true))
        .collect();
    if joints.len() > MOST_JOINTS {
        return None;
    }
    let mut best: Vec<Roles> = Vec::new();
    let mut most = (fit(&[None; 4]), 0);
    for node in joints.keys() {
        let line = model.hierarchy.path_to_root(*node);
        let mut chain: Vec<(usize, [bool; 4])> =
            line.filter_map(|node| Some((node, *joints.get(&node)?))).take(MOST_IN_CHAIN).collect();
        chain.reverse();
        for roles in all_roles(&chain) {
            if known != [None; 4] && !roles.iter().flatten().any(|it| known.contains(&Some(*it))) {
                continue;
            }
            let fits = (fit(&roles), alike(&roles, &known));
            if fits > most {
                (most, best) = (fits, Vec::new());
            }
            if fits == most && !best.contains(&roles) {
                best.push(roles);
            }
        }
    }
    let mut roles = *best.first()?;
    for (part, node) in roles.iter_mut().enumerate() {
        node.take_if(|node| best.iter().any(|other| other[part] != Some(*node)));
    }
    let ((count, gaps), before) = (fit(&roles), fit(&known));
    let is_enough = before.0 > 0 || count >= ENOUGH_ALONE;
    let is_one_moved = count == before.0 && gaps > before.1 && alike(&roles, &known) + 1 == count;
    (count > before.0 && is_enough || is_one_moved).then_some(roles)
}

/// Returns all ways to give the parts of a limb to joints whose names mean them, in the order of the joints.
fn all_roles(chain: &[(usize, [bool; 4])]) -> Vec<Roles> {
    let mut all: Vec<(usize, Roles)> = vec![(0, [None; 4])];
    for part in 0..4 {
        for at in 0..all.len() {
            let (from, roles) = all[at];
            for (place, (node, means)) in chain.iter().enumerate().skip(from) {
                if means[part] {
                    let mut roles = roles;
                    roles[part] = Some(*node);
                    all.push((place + 1, roles));
                }
            }
        }
    }
    all.into_iter().map(|(_, roles)| roles).collect()
}

/// The parts that a plain name means in the conventions.
pub(crate) static PARTS: LazyLock<HashMap<&str, Vec<BonePart>>> = LazyLock::new(|| {
    let mut parts: HashMap<&str, Vec<BonePart>> = HashMap::new();
    for (part, names) in NAMINGS.iter().flat_map(|naming| naming.parts.iter()) {
        names.split(' ').for_each(|name| parts.entry(name).or_default().push(part));
    }
    parts
});

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_anim::Transform;

    /// Returns the roles of a left limb whose joints hang on each other.
    fn roles(limb: usize, joints: &[&str], known: Roles) -> Option<Roles> {
        let parents: Vec<_> = (0..joints.len() as u32).map(|at| at.checked_sub(1)).collect();
        let rest = vec![Transform::IDENTITY; joints.len()];
        let joints: Vec<String> = joints.iter().map(|name| format!("{name}_L")).collect();
        let model = Model::from_nodes(&parents, rest).unwrap().with_names(&joints);
        let names: Vec<PlainName> = joints.iter().map(|name| PlainName::new(name)).collect();
        better(&model, &names, BodySide::Left, &LIMBS[limb], known)
    }

    #[test]
    fn the_joint_before_the_elbow_is_the_upper_arm() {
        let all = Some([Some(0), Some(1), Some(2), Some(3)]);
        for arm in [
            ["shoulder", "arm", "elbow", "wrist"],
            ["clavicle", "shoulder", "elbow", "hand"],
            ["clavicle", "arm", "forearm", "wrist"],
        ] {
            assert_eq!(roles(0, &arm, [None; 4]), all, "{arm:?}");
        }
        let arm = ["shoulder", "lowerarm", "hand"];
        let known = [Some(0), None, Some(1), Some(2)];
        assert_eq!(roles(0, &arm, known), Some([None, Some(0), Some(1), Some(2)]));
    }

    #[test]
    fn the_joint_above_the_knee_is_the_upper_leg() {
        let all = Some([Some(0), Some(1), Some(2), Some(3)]);
        for leg in [["leg", "knee", "ankle", "toe"], ["upperleg", "leg", "ankle", "ball"]] {
            assert_eq!(roles(1, &leg, [None; 4]), all, "{leg:?}");
        }
    }

    #[test]
    fn roles_that_fit_stay() {
        let known = [Some(0), Some(1), Some(2), Some(3)];
        assert_eq!(roles(0, &["shoulder", "arm", "forearm", "hand"], known), None);
        assert_eq!(roles(0, &["clavicle", "shoulder", "upperarm", "hand"], [None; 4]), None);
        // An arm may have no forearm.
        assert_eq!(roles(0, &["shoulder", "arm", "hand"], [Some(0), Some(1), None, Some(2)]), None);
        // Of two joints that are equally good, neither is the shin.
        let known = [Some(0), None, None, Some(3)];
        assert_eq!(roles(1, &["thigh", "shin", "calf", "toe"], known), None);
    }
}
