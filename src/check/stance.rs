//! The rule of what a contract declares of the model at rest: its height, its up axis and the way it faces.

use glam::Vec3;

use super::profiles::words;
use super::rig::Rig;
use super::{Axis, Code, Finding, ModelRules};
use crate::model::{Aabb, BodySide, DrawnVertices};

/// Rounding of heights, relative.
const ROUNDING: f64 = 1e-4;

pub(super) fn findings(rig: &Rig, rules: &ModelRules) -> Vec<Finding> {
    let mut found = Vec::new();
    if let Some(range) = rules.height {
        found.extend(height(rig, range, rules.up.unwrap_or(Axis::PositiveY)));
    }
    if rules.up.is_some() || rules.facing.is_some() {
        let stance = Stance::of(rig);
        let axes = [
            ("the hips are below the head along", "up axis", rules.up, stance.up),
            ("the model faces", "facing", rules.facing, stance.facing()),
        ];
        for (says, what, wanted, direction) in axes {
            let Some(wanted) = wanted else { continue };
            let axis = direction.and_then(Axis::nearest);
            if axis == Some(wanted) {
                continue;
            }
            let text = match axis {
                Some(axis) => format!(
                    "at rest, {says} {}; the contract declares {}",
                    axis.name(),
                    wanted.name()
                ),
                None => format!(
                    "the {what} can't be told: no joints are named as hips and head, or as left and right"
                ),
            };
            found.push(Finding::new(Code::Contract, text).of(Some(what)));
        }
    }
    found
}

/// Compares the height of what is drawn at rest with the declared range.
fn height(rig: &Rig, [lowest, highest]: [f64; 2], up: Axis) -> Option<Finding> {
    let mut bounds = Aabb::EMPTY;
    DrawnVertices::new(rig.model, &rig.stage).add_to(&mut bounds, rig.model, &rig.stage);
    let size = bounds.size();
    let height = f64::from(up.vector().abs().dot(size));
    let rounding = ROUNDING * height;
    if height >= lowest - rounding && height <= highest + rounding {
        return None;
    }
    let text = match height.is_finite() {
        true => format!(
            "the model is {height:.3} m high; the contract declares {lowest} to {highest} m"
        ),
        false => "the model has no height, since nothing is drawn".to_owned(),
    };
    let finding = Finding::new(Code::Contract, text).of(Some("height"));
    let limit = if height < lowest { lowest } else { highest };
    Some(if height.is_finite() { finding.measured(height, "m").limited(limit) } else { finding })
}

/// The directions of a body at rest.
struct Stance {
    /// From the hips to the head.
    up: Option<Vec3>,
    /// From the right side to the left.
    left: Option<Vec3>,
}

impl Stance {
    fn of(rig: &Rig) -> Self {
        let place = |joint: usize| rig.stage.position(joint);
        let by_name = |wanted: &[&str]| {
            let is_one = |joint: &&usize| {
                let name = rig.name(**joint).unwrap_or_default();
                words(name).iter().any(|word| wanted.contains(&word.as_str()))
            };
            rig.joints.iter().find(is_one).copied()
        };
        let is_left = |joint: &usize| {
            rig.name(*joint).is_some_and(|name| BodySide::of_name(name) == BodySide::Left)
        };
        let left = rig.joints.iter().copied().filter(is_left);
        let pairs = left.filter_map(|joint| Some((joint, rig.other_side[joint]?)));
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let left: Vec3 = pairs.iter().map(|(left, right)| place(*left) - place(*right)).sum();
        let hips = by_name(&["hips", "hip", "pelvis"]).or_else(|| highest_joint(rig));
        let head = ["head", "neck", "chest", "spine"].iter().find_map(|word| by_name(&[word]));
        // Without a named head: the joint in the middle that is the most steps away from the hips.
        let head = head.or_else(|| {
            let middle = rig.joints.iter().copied();
            let middle = middle.filter(|joint| {
                rig.name(*joint).is_some_and(|n| BodySide::of_name(n) == BodySide::Center)
            });
            middle.max_by_key(|joint| rig.depth[*joint]).filter(|_| !pairs.is_empty())
        });
        let up = hips.zip(head).map(|(hips, head)| place(head) - place(hips));
        Self { up, left: (!pairs.is_empty()).then_some(left) }
    }

    fn facing(&self) -> Option<Vec3> {
        let (up, left) = (self.up?.try_normalize()?, self.left?);
        Some((left - left.dot(up) * up).cross(up))
    }
}

/// Returns the joint with the fewest nodes above it.
fn highest_joint(rig: &Rig) -> Option<usize> {
    rig.joints.iter().copied().min_by_key(|joint| rig.depth[*joint])
}
