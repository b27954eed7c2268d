//! The bones of a humanoid.

use std::collections::BTreeMap;

use super::human_bone::{BonePart, HumanBone};
use crate::Model;

/// The convention of files that declare their bones.
pub(super) const DECLARED: &str = "VRM";

/// Joints that are considered as those between hips and neck, at most.
pub(super) const MOST_OF_TRUNK: usize = 32;

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
    /// Whether the file itself says which joints are the bones.
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
    pub(super) fn len(&self) -> usize {
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

/// Returns how many of the nodes from the hips upwards belong to the trunk: those up to the one that carries the
/// arms. Where the arms hang elsewhere, three.
pub(super) fn end_of_trunk(model: &Model, found: &Humanoid, spine: &[usize]) -> usize {
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
