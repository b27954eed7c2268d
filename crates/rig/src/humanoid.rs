//! Which joints of a model are the bones of a humanoid: by the names of known conventions and the hierarchy.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use crate::BodySide;
use crate::limb_chain;
use crate::naming::{NAMINGS, Naming, PlainName};
use crate::skeleton_copies::SkeletonCopies;
use rigview_anim::RigAtRest;
use rigview_model::{BonePart, HumanBone, Model};

/// The convention of files that declare their bones.
const DECLARED: &str = "VRM";

/// Upper limit of joints between hips and neck, which bounds the time for chains of thousands of joints.
const MOST_OF_TRUNK: usize = 32;

/// The bones between hips and neck.
const TRUNK: [BonePart; 3] = [BonePart::Spine, BonePart::Chest, BonePart::UpperChest];

/// Words in the names of joints that turn or place others and are not part of a body.
const HELPERS: [&str; 14] = [
    "twist", "roll", "helper", "pivot", "offset", "control", "ctrl", "assimp", "dummy", "socket",
    "attach", "target", "null", "weapon",
];

/// A joint with an unknown name that is closer to its parent than this share of the way from hips to neck is not part of
/// the trunk: it is a helper in the same place.
const APART: f64 = 0.01;

/// The bones of a humanoid that a model has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Humanoid {
    /// The convention of its names; empty if it has no bones.
    pub convention: &'static str,
    /// The nodes of the bones, except those between hips and neck.
    pub bones: BTreeMap<HumanBone, usize>,
    /// The nodes between hips and neck, from below. Rigs differ in their number.
    pub trunk: Vec<usize>,
}

impl Humanoid {
    /// Whether the file itself declares the bones.
    pub(crate) fn is_declared(&self) -> bool {
        self.convention == DECLARED
    }

    /// Whether the bones make a body: hips, a head or spine, and an arm and a leg on both sides. A few names that fit a
    /// convention by chance don't, such as those of a quadruped.
    pub fn is_body(&self) -> bool {
        let has = |part, is_right| self.node(part, is_right).is_some();
        let has_limb = |parts: [BonePart; 2]| {
            [false, true].iter().all(|is_right| parts.iter().any(|part| has(*part, *is_right)))
        };
        has(BonePart::Hips, false)
            && (has(BonePart::Head, false) || !self.trunk.is_empty())
            && has_limb([BonePart::UpperArm, BonePart::LowerArm])
            && has_limb([BonePart::UpperLeg, BonePart::LowerLeg])
    }

    /// Returns the number of bones.
    fn len(&self) -> usize {
        self.bones.len() + self.trunk.len()
    }

    /// Returns a bone's node.
    pub fn node(&self, part: BonePart, is_right: bool) -> Option<usize> {
        self.bones.get(&HumanBone { part, is_right }).copied()
    }

    /// Returns the nodes of all bones.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        self.bones.values().chain(&self.trunk).copied()
    }
}

impl Humanoid {
    /// Finds the bones by the convention that explains most names, and by the order of the joints where a limb or the trunk has
    /// names of others. Of a skeleton that the model holds several times, they are those of the leading one.
    /// A VRM file declares them itself.
    pub fn find(model: &Model) -> Self {
        if let Some(vrm) = model.vrm.as_ref().filter(|vrm| !vrm.bones.is_empty()) {
            let bones = vrm.bones.iter().filter(|(bone, _)| !TRUNK.contains(&bone.part));
            let bones = bones.map(|(bone, node)| (*bone, *node)).collect();
            let trunk = declared_trunk(model).map(|(_, node)| node).collect();
            return Self { convention: DECLARED, bones, trunk };
        }
        let mut names = plain_names(model);
        let copies = SkeletonCopies::find(model);
        for (node, name) in names.iter_mut().enumerate() {
            if copies.original(node).is_some() {
                *name = PlainName::new("");
            }
        }
        let order = search_order(model);
        let mut best = Self::default();
        let mut numbers_the_neck = false;
        for naming in NAMINGS {
            let found = named_by(model, naming, &names, &order);
            if found.len() > best.len() {
                (best, numbers_the_neck) = (found, naming.numbers_the_neck);
            }
        }
        if best.len() == 0 {
            return best;
        }
        add_hips(model, &mut best, &names);
        limb_chain::complete(model, &mut best.bones, &names);
        if !numbers_the_neck && let Some(trunk) = trunk_joints(model, &best, &names) {
            best.trunk = trunk;
        }
        best.bones.extend(fingers(&names, &order));
        best
    }

    /// Returns joints that lie where a bone of a limb is missing, with that bone.
    pub fn joints_without_role(&self, model: &Model) -> Vec<(usize, HumanBone)> {
        limb_chain::joints_without_role(model, self)
    }
}

/// Returns the bone of a part on a side. `None` if bones of this part are on sides and this is the middle, or the other
/// way round.
fn bone_on_side(part: BonePart, side: BodySide) -> Option<HumanBone> {
    (part.is_central() == (side == BodySide::Center))
        .then_some(HumanBone { part, is_right: side == BodySide::Right })
}

/// Returns the bones between hips and neck that a VRM file declares, from below.
pub(crate) fn declared_trunk(model: &Model) -> impl Iterator<Item = (HumanBone, usize)> {
    let bones = model.vrm.iter().flat_map(|vrm| &vrm.bones);
    let trunk = bones.filter(|(bone, _)| TRUNK.contains(&bone.part));
    trunk.map(|(bone, node)| (*bone, *node))
}

/// Returns the nodes in the order in which they are considered: joints first, parents before children.
fn search_order(model: &Model) -> Vec<usize> {
    let is_joint = model.skin_joints();
    let all = || model.hierarchy.parents_first();
    all().filter(|n| is_joint[*n]).chain(all().filter(|n| !is_joint[*n])).collect()
}

/// Returns the plain names of all nodes. Numbers that an exporter appended to nearly every name are left out.
fn plain_names(model: &Model) -> Vec<PlainName> {
    const FEW: usize = 8;
    let names = || model.nodes.iter().map(|node| node.name.as_deref().unwrap_or_default());
    let numbered = names().filter(|name| without_number(name).is_some()).count();
    let named = names().filter(|name| !name.is_empty()).count();
    let all_numbered = named >= FEW && 10 * numbered >= 9 * named;
    let plain =
        |name| PlainName::new(without_number(name).filter(|_| all_numbered).unwrap_or(name));
    names().map(plain).collect()
}

/// Returns a name without `_07` at its end.
fn without_number(name: &str) -> Option<&str> {
    let (before, number) = name.rsplit_once('_')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !before.is_empty()).then_some(before)
}

/// Finds the bones by one convention.
fn named_by(model: &Model, naming: &Naming, names: &[PlainName], order: &[usize]) -> Humanoid {
    let spellings = naming.parts.iter().flat_map(|(part, names)| {
        names.split(' ').enumerate().map(move |(rank, name)| (name, (part, rank)))
    });
    let spellings: HashMap<&str, (BonePart, usize)> = spellings.collect();
    let mut ranked: BTreeMap<HumanBone, (usize, usize)> = BTreeMap::new();
    let mut trunk = Vec::new();
    for &node in order {
        let PlainName { side, text } = &names[node];
        let said = spellings.get(text.as_str()).map(|spelled| (spelled, *side));
        if let Some(((part, rank), side)) = said.or_else(|| glued(&spellings, *side, text))
            && let Some(bone) = bone_on_side(*part, side)
        {
            let best = ranked.entry(bone).or_insert((*rank, node));
            if *rank < best.0 {
                *best = (*rank, node);
            }
        } else if trunk.len() < MOST_OF_TRUNK
            && *side == BodySide::Center
            && naming.trunk.contains(&text.as_str())
        {
            trunk.push(node);
        }
    }
    let bones = ranked.into_iter().map(|(bone, (_, node))| (bone, node)).collect();
    let mut found = Humanoid { convention: naming.name, bones, trunk: Vec::new() };
    // Joints beside the way to the head, such as helpers, are not of the trunk.
    let end = found.node(BonePart::Neck, false).or_else(|| found.node(BonePart::Head, false));
    if let Some(end) = end.filter(|_| !naming.numbers_the_neck) {
        let above: HashSet<usize> = model.hierarchy.ancestors(end).collect();
        trunk.retain(|node| above.contains(node));
    }
    let mut trunk = chain(model, found.node(BonePart::Hips, false), trunk);
    if naming.numbers_the_neck {
        let rest = trunk.split_off(end_of_trunk(model, &found, &trunk));
        let parts = [BonePart::Neck, BonePart::Head];
        let bones = match rest[..] {
            [neck, .., head] => vec![neck, head],
            _ => rest,
        };
        found.bones.extend(parts.into_iter().map(HumanBone::central).zip(bones));
    }
    found.trunk = trunk;
    found
}

/// Adds missing hips: the node where the legs part, if its name means hips in any convention.
fn add_hips(model: &Model, humanoid: &mut Humanoid, names: &[PlainName]) {
    let hips = HumanBone::central(BonePart::Hips);
    let legs = [false, true].map(|is_right| humanoid.node(BonePart::UpperLeg, is_right));
    if let ([Some(left), Some(right)], None) = (legs, humanoid.bones.get(&hips)) {
        let above: HashSet<usize> = model.hierarchy.ancestors(right).collect();
        let parting = model.hierarchy.ancestors(left).find(|node| above.contains(node));
        let means_hips = |node: &usize| {
            let PlainName { side, text } = &names[*node];
            let meant = limb_chain::PARTS.get(text.as_str());
            *side == BodySide::Center && meant.is_some_and(|parts| parts.contains(&hips.part))
        };
        let is_free = |node: &usize| humanoid.nodes().all(|bone| bone != *node);
        if let Some(node) = parting.filter(means_hips).filter(is_free) {
            humanoid.bones.insert(hips, node);
        }
    }
}

/// Returns the part and side of a name that begins with the letter of its side, `lthigh`. Only names of sides do.
fn glued<'a>(
    spellings: &'a HashMap<&str, (BonePart, usize)>,
    side: BodySide,
    text: &str,
) -> Option<(&'a (BonePart, usize), BodySide)> {
    let (letter, rest) = text.split_at_checked(1)?;
    let said = match letter {
        "l" => BodySide::Left,
        "r" => BodySide::Right,
        _ => return None,
    };
    let spelled = spellings.get(rest).filter(|(part, _)| !part.is_central())?;
    (side == BodySide::Center).then_some((spelled, said))
}

/// Returns the nodes of a list that follow each other down the tree, below the hips if there are any.
fn chain(model: &Model, hips: Option<usize>, nodes: Vec<usize>) -> Vec<usize> {
    let below = |node, above| model.hierarchy.ancestors(node).any(|n| n == above);
    let mut chain: Vec<usize> = Vec::new();
    for node in nodes {
        let above = chain.last().copied().or(hips);
        if above.is_none_or(|above| below(node, above)) {
            chain.push(node);
        }
    }
    chain
}

/// Finds the joints of fingers; the first three of each count.
fn fingers(names: &[PlainName], order: &[usize]) -> BTreeMap<HumanBone, usize> {
    let mut joints: BTreeMap<(bool, usize), BTreeMap<u32, usize>> = BTreeMap::new();
    for &node in order {
        let name = &names[node];
        if name.side == BodySide::Center {
            continue;
        }
        if let Some((finger, joint)) = name.finger() {
            let finger = joints.entry((name.side == BodySide::Right, finger)).or_default();
            finger.entry(joint).or_insert(node);
        }
    }
    let of_finger = |((is_right, finger), joints): ((bool, usize), BTreeMap<u32, usize>)| {
        let parts = BonePart::finger(finger).into_iter();
        let bones = parts.map(move |part| HumanBone { part, is_right });
        bones.zip(joints.into_values())
    };
    joints.into_iter().flat_map(of_finger).collect()
}

/// Returns how many of the nodes from the hips upwards belong to the trunk: those up to the one that carries the
/// arms. Where the arms hang elsewhere, three.
fn end_of_trunk(model: &Model, found: &Humanoid, spine: &[usize]) -> usize {
    const USUAL: usize = 3;
    let arm = |is_right| {
        let parts = [BonePart::Shoulder, BonePart::UpperArm];
        parts.into_iter().find_map(|part| found.node(part, is_right))
    };
    let carries = |arm: usize| {
        let mut above = model.hierarchy.ancestors(arm);
        above.find_map(|node| spine.iter().position(|spine| *spine == node))
    };
    let ends: Vec<usize> = [false, true].into_iter().filter_map(arm).filter_map(carries).collect();
    ends.into_iter().min().map_or(USUAL.min(spine.len()), |end| end + 1)
}

/// Returns the joints between hips and neck, from below: those of the trunk so far, those whose names mean one in any
/// convention, and joints of a skin whose names no convention has, up to the one that carries the arms. `None` where hips
/// or neck are not known or not above each other.
fn trunk_joints(model: &Model, humanoid: &Humanoid, names: &[PlainName]) -> Option<Vec<usize>> {
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
    let least = APART * rest.position(hips).distance(rest.position(end));
    let is_joint = model.skin_joints();
    let arms = end_of_trunk(model, humanoid, &way);
    let is_named = |node: usize| {
        humanoid.trunk.contains(&node) || TRUNK_NAMES.contains(names[node].text.as_str())
    };
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
            let is_apart = rest.position(node).distance(rest.position(below)) > least;
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
static TRUNK_NAMES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| NAMINGS.iter().flat_map(|naming| naming.trunk).copied().collect());

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_anim::Transform;

    /// A body of one convention, each name above the next of its limb, with one name changed.
    fn body(from: &str, to: &str) -> Model {
        let names = [
            "Hips",
            "Spine",
            "Head",
            "LeftUpLeg",
            "LeftLeg",
            "LeftFoot",
            "RightUpLeg",
            "RightLeg",
            "RightFoot",
            "LeftArm",
            "LeftForeArm",
            "LeftHand",
            "RightArm",
            "RightForeArm",
            "RightHand",
        ];
        let parents = [
            None,
            Some(0),
            Some(1),
            Some(0),
            Some(3),
            Some(4),
            Some(0),
            Some(6),
            Some(7),
            Some(1),
            Some(9),
            Some(10),
            Some(1),
            Some(12),
            Some(13),
        ];
        let names = names.map(|name| if name == from { to } else { name });
        Model::from_nodes(&parents, vec![Transform::IDENTITY; 15]).unwrap().with_names(names)
    }

    #[test]
    fn helpers_beside_the_way_to_the_head_are_not_of_the_trunk() {
        let names = ["Hips", "Spine", "Spine_skin", "Spine1", "Neck", "Head"];
        let parents = [None, Some(0), Some(1), Some(1), Some(3), Some(4)];
        let rest = vec![Transform::IDENTITY; 6];
        let model = Model::from_nodes(&parents, rest).unwrap().with_names(names);
        assert_eq!(Humanoid::find(&model).trunk, [1, 3]);
    }

    #[test]
    fn one_name_of_another_convention_is_a_bone_where_the_tree_leaves_one_choice() {
        let found = |from, to, part, is_right| Humanoid::find(&body(from, to)).node(part, is_right);
        assert_eq!(found("Hips", "pelvis", BonePart::Hips, false), Some(0));
        assert_eq!(found("LeftLeg", "calf.l", BonePart::LowerLeg, false), Some(4));
        assert_eq!(found("RightHand", "wrist_r", BonePart::Hand, true), Some(14));
        // Not on the other side, and not a part that the name does not mean.
        assert_eq!(found("LeftLeg", "calf.r", BonePart::LowerLeg, false), None);
        assert_eq!(found("LeftLeg", "twist.l", BonePart::LowerLeg, false), None);
        // A name of another part does not count.
        assert_eq!(found("Hips", "head", BonePart::Hips, false), None);
    }
}
