//! The rule of what a contract declares of the model at rest: its height, its up axis and the way it faces.

use glam::Vec3;

use super::profiles::words;
use super::rig::Rig;
use super::{Axis, Code, Finding, ModelRules};
use rigview_model::{Aabb, DrawnVertices};
use rigview_rig::BodySide;

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
            (stance.up_is, "up axis", rules.up, stance.up),
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
    /// From the hips to the head; of a body that stands on legs across this direction, as those of animals do, against the legs.
    up: Option<Vec3>,
    /// The meaning of `up`, as the beginning of a message.
    up_is: &'static str,
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
        let left = (!pairs.is_empty()).then_some(left);
        let trunk = hips.zip(up);
        match trunk.and_then(|(hips, trunk)| hanging_legs(rig, &pairs, place(hips), trunk)) {
            Some(legs) => {
                Self { up: Some(-legs), up_is: "the legs are below the trunk along", left }
            }
            None => Self { up, up_is: "the hips are below the head along", left },
        }
    }

    fn facing(&self) -> Option<Vec3> {
        let (up, left) = (self.up?.try_normalize()?, self.left?);
        Some((left - left.dot(up) * up).cross(up))
    }
}

/// The least length of the mean of a limb of the left side and its namesake, as a share of theirs, with which both point the same
/// way. Arms that are spread do not.
const SAME_WAY: f32 = 0.7;

/// The largest cosine between legs and the trunk that lies on them.
const ACROSS: f32 = 0.5;

/// The least length of a leg, as a share of the trunk: shorter limbs are ears, toes or helpers.
const LEAST_LEG: f32 = 0.15;

/// The height above the hips from which on a limb along the trunk is an arm or a folded wing, as a share of the trunk.
const ABOVE_HIPS: f32 = 0.25;

/// Returns the direction in which two pairs of limbs hang across the trunk, as the legs of animals do; `None` of a body that stands
/// upright, or has fewer. `pairs` has the joints of the left side and their namesakes, `hips` the place of the hips, `trunk` the way from
/// there to the head.
fn hanging_legs(rig: &Rig, pairs: &[(usize, usize)], hips: Vec3, trunk: Vec3) -> Option<Vec3> {
    let above = rig.nearest_joint_above();
    let place = |joint: usize| rig.stage.position(joint);
    let is_paired = |joint: usize| pairs.iter().any(|(left, _)| *left == joint);
    let tops = pairs.iter().filter(|(left, _)| above[*left].is_none_or(|it| !is_paired(it)));
    let (mut count, mut sum, mut lengths) = (0, Vec3::ZERO, 0.0);
    for &(top, other_top) in tops {
        // The foot is the joint furthest from the top of its limb.
        let limb = pairs.iter().filter(|(left, _)| {
            std::iter::successors(Some(*left), |joint| above[*joint]).any(|joint| joint == top)
        });
        let ways =
            limb.map(|(left, right)| [place(*left) - place(top), place(*right) - place(other_top)]);
        let Some([left, right]) = ways.max_by(|a, b| a[0].length().total_cmp(&b[0].length()))
        else {
            continue;
        };
        let (mean, length) = (0.5 * (left + right), 0.5 * (left.length() + right.length()));
        let is_across = mean.normalize_or_zero().dot(trunk.normalize_or_zero()).abs() < ACROSS;
        if length < LEAST_LEG * trunk.length() || mean.length() <= SAME_WAY * length {
            continue;
        }
        // Legs along the trunk are those of a body that stands upright.
        let is_low = (place(top) - hips).dot(trunk) < ABOVE_HIPS * trunk.length_squared();
        if is_low && mean.dot(trunk) < -ACROSS * mean.length() * trunk.length() {
            return None;
        }
        if is_across {
            (count, sum, lengths) = (count + 1, sum + mean, lengths + length);
        }
    }
    (count >= 2 && sum.length() > SAME_WAY * lengths).then_some(sum)
}

/// Returns the joint with the fewest nodes above it.
fn highest_joint(rig: &Rig) -> Option<usize> {
    rig.joints.iter().copied().min_by_key(|joint| rig.depth[*joint])
}
