//! How two rigs at rest differ: in size, in the way that they face, and in where their limbs point.

use std::collections::BTreeMap;

use glam::{DMat3, DQuat, DVec3};

use super::rig_map::RigMap;
use rigview_anim::RigAtRest;
use rigview_model::{BonePart as Part, HumanBone};

/// A limb that points elsewhere on the two rigs.
#[derive(Clone, Debug, PartialEq)]
pub struct BentLimb {
    /// The joint of the model.
    pub node: usize,
    /// The angle between the directions of both rigs in degrees.
    pub degrees: f64,
}

/// The bones that both rigs have: nodes of the model and of the clip file.
type Bones = BTreeMap<HumanBone, (usize, usize)>;

/// The bones of limbs, each with the one at its end, from the body outwards.
const LIMBS: [(Part, Part); 15] = [
    (Part::UpperArm, Part::LowerArm),
    (Part::LowerArm, Part::Hand),
    (Part::Hand, Part::MiddleProximal),
    (Part::UpperLeg, Part::LowerLeg),
    (Part::LowerLeg, Part::Foot),
    (Part::ThumbMetacarpal, Part::ThumbProximal),
    (Part::ThumbProximal, Part::ThumbDistal),
    (Part::IndexProximal, Part::IndexIntermediate),
    (Part::IndexIntermediate, Part::IndexDistal),
    (Part::MiddleProximal, Part::MiddleIntermediate),
    (Part::MiddleIntermediate, Part::MiddleDistal),
    (Part::RingProximal, Part::RingIntermediate),
    (Part::RingIntermediate, Part::RingDistal),
    (Part::LittleProximal, Part::LittleIntermediate),
    (Part::LittleIntermediate, Part::LittleDistal),
];

/// Angles in degrees between limbs up to which rest poses count as alike.
const ALIKE_DEGREES: f64 = 20.0;

/// Angles in degrees to quarters of a turn, up to which other axes are the reason of a turn, and not the pose.
const NEAR_QUARTER_DEGREES: f64 = 30.0;

/// A model and a clip file at rest, and the joints that follow each other.
pub(crate) struct RigFit<'a> {
    pub to: &'a RigAtRest<'a>,
    pub from: &'a RigAtRest<'a>,
    pub map: &'a RigMap,
    bones: Bones,
}

impl<'a> RigFit<'a> {
    pub(crate) fn new(to: &'a RigAtRest<'a>, from: &'a RigAtRest<'a>, map: &'a RigMap) -> Self {
        Self { to, from, map, bones: map.bones() }
    }

    fn bone(&self, part: Part, is_right: bool) -> Option<(usize, usize)> {
        self.bones.get(&HumanBone { part, is_right }).copied()
    }

    /// Returns the size of the model relative to the clip file: the ratio of the heights of the hips with straight
    /// legs. Without legs, that of the summed lengths of the bones that both have; without any, that of the hips over
    /// the ground, and 1 if they are not above it.
    pub(crate) fn size(&self) -> f64 {
        let (mut own, mut other) = (0.0, 0.0);
        let mut add = |(a, b): (usize, usize), (c, d): (usize, usize)| {
            own += self.to.position(a).distance(self.to.position(c));
            other += self.from.position(b).distance(self.from.position(d));
        };
        let leg = |is_right| {
            let parts = [Part::UpperLeg, Part::LowerLeg, Part::Foot];
            let [upper, lower, foot] = parts.map(|part| self.bone(part, is_right));
            Some([self.bone(Part::Hips, false)?, upper?, lower?, foot?])
        };
        let legs: Vec<_> = [false, true].into_iter().filter_map(leg).collect();
        for leg in &legs {
            leg.windows(2).for_each(|ends| add(ends[0], ends[1]));
        }
        if legs.is_empty() {
            for (node, pair) in self.map.pairs.iter().enumerate() {
                let Some(source) = pair.map(|pair| pair.source) else { continue };
                let parents = (self.to.tree.parent(node), self.from.tree.parent(source));
                if let (Some(parent), Some(above)) = parents
                    && self.map.pairs[parent].is_some_and(|pair| pair.source == above)
                {
                    add((node, source), (parent, above));
                }
            }
        }
        let hips = self.bone(Part::Hips, false);
        let up = self.up();
        let other_up = self.facing().inverse() * up;
        let heights =
            hips.map(|(a, b)| self.to.position(a).dot(up) / self.from.position(b).dot(other_up));
        let sizes = [Some(own / other), heights].into_iter().flatten();
        sizes.into_iter().find(|size| *size > 0.0 && size.is_finite()).unwrap_or(1.0)
    }

    /// Returns the turn from the way that the clip file's rig faces to that of the model, by quarters of a turn. Of
    /// rigs that are no humanoids, it is the turn between the places of their joints. None where the two differ by other
    /// angles.
    pub(crate) fn facing(&self) -> DQuat {
        let frames = (self.frame(self.to, |nodes| nodes.0), self.frame(self.from, |nodes| nodes.1));
        let (Some(own), Some(other)) = frames else { return self.turn_of_places() };
        let turn = own * other.transpose();
        let nearest = quarter_turns().into_iter().max_by(|a, b| {
            let alike = |m: &DMat3| {
                m.x_axis.dot(turn.x_axis) + m.y_axis.dot(turn.y_axis) + m.z_axis.dot(turn.z_axis)
            };
            alike(a).total_cmp(&alike(b))
        });
        let nearest = nearest.map_or(DQuat::IDENTITY, |turn| DQuat::from_mat3(&turn).normalize());
        let off = nearest.angle_between(DQuat::from_mat3(&turn).normalize()).to_degrees();
        if off <= NEAR_QUARTER_DEGREES { nearest } else { DQuat::IDENTITY }
    }

    /// Returns the quarters of a turn that take the joints of the clip file to the places of those that follow them, seen
    /// from their middle. None where no turn does, or several do, as with joints on a line.
    fn turn_of_places(&self) -> DQuat {
        /// Correlations of places from which on two rigs are one in two directions.
        const SAME: f64 = 0.95;
        /// How much better than others the turn must be.
        const BETTER: f64 = 0.05;
        let pairs = self.map.pairs.iter().enumerate();
        let pairs = pairs.filter_map(|(node, pair)| Some((node, (*pair)?.source)));
        let places: Vec<[DVec3; 2]> =
            pairs.map(|(own, other)| [self.to.position(own), self.from.position(other)]).collect();
        let count = places.len() as f64;
        let middle = [0, 1].map(|side| places.iter().map(|pair| pair[side]).sum::<DVec3>() / count);
        let spread = [0, 1].map(|side| {
            places.iter().map(|pair| pair[side].distance_squared(middle[side])).sum::<f64>()
        });
        let size = (spread[0] * spread[1]).sqrt();
        let alike = |turn: &DMat3| {
            let product =
                |pair: &[DVec3; 2]| (pair[0] - middle[0]).dot(*turn * (pair[1] - middle[1]));
            places.iter().map(product).sum::<f64>() / size
        };
        let mut turns: Vec<(f64, DMat3)> =
            quarter_turns().into_iter().map(|turn| (alike(&turn), turn)).collect();
        turns.sort_by(|a, b| b.0.total_cmp(&a.0));
        match turns[..] {
            [(best, turn), (second, _), ..] if best >= SAME && best - second >= BETTER => {
                DQuat::from_mat3(&turn).normalize()
            }
            _ => DQuat::IDENTITY,
        }
    }

    /// Returns the axis of the scene along which the model's humanoid stands up: +Y if the model is not a humanoid, or leans.
    pub(crate) fn up(&self) -> DVec3 {
        let body = self.frame(self.to, |nodes| nodes.0).map_or(DVec3::Y, |frame| frame.y_axis);
        let nearest = DVec3::AXES.map(|axis| axis * body.dot(axis).signum());
        let upright = |axis: &DVec3| body.angle_between(*axis).to_degrees() <= NEAR_QUARTER_DEGREES;
        nearest.into_iter().find(upright).unwrap_or(DVec3::Y)
    }

    /// Returns the body's left, up and front as columns.
    fn frame(&self, rig: &RigAtRest, of: impl Fn((usize, usize)) -> usize) -> Option<DMat3> {
        let place = |part, is_right| Some(rig.position(of(self.bone(part, is_right)?)));
        let between = |part| Some(place(part, false)? - place(part, true)?);
        let left = between(Part::UpperLeg).or_else(|| between(Part::UpperArm))?;
        let low = place(Part::Foot, false).or_else(|| place(Part::Hips, false))?;
        let high = place(Part::Head, false).or_else(|| place(Part::UpperArm, false))?;
        let left = left.try_normalize()?;
        let up = (high - low).reject_from_normalized(left).try_normalize()?;
        Some(DMat3::from_cols(left, up, left.cross(up)))
    }

    /// Returns, for each node of the clip file, the turn in the scene after which its limbs point as those of the
    /// model do. What hangs on a limb goes along, except feet, which stay flat.
    pub(crate) fn aligned(&self, facing: DQuat) -> Vec<DQuat> {
        let mut ends = BTreeMap::new();
        for Limb { bone, source, .. } in self.limbs() {
            ends.insert(source, bone);
        }
        let feet: Vec<usize> = [false, true]
            .into_iter()
            .filter_map(|is_right| self.bone(Part::Foot, is_right))
            .map(|foot| foot.1)
            .collect();
        let mut turns = vec![DQuat::IDENTITY; self.from.tree.len()];
        for node in self.from.tree.parents_first() {
            let above = self.from.tree.parent(node).map_or(DQuat::IDENTITY, |parent| turns[parent]);
            turns[node] = above;
            if feet.contains(&node) {
                turns[node] = DQuat::IDENTITY;
            }
            if let Some((own, other)) = ends.get(&node).and_then(|bone| self.directions(*bone)) {
                let wanted = facing.inverse() * own;
                turns[node] = (DQuat::from_rotation_arc(above * other, wanted) * above).normalize();
            }
        }
        turns
    }

    /// Returns the limbs that point elsewhere by more than the rest poses of rigs of one kind do.
    pub(crate) fn bent(&self, facing: DQuat) -> Vec<BentLimb> {
        let big = |limb: &Limb| {
            matches!(
                limb.bone.part,
                Part::UpperArm | Part::LowerArm | Part::UpperLeg | Part::LowerLeg
            )
        };
        let limbs = self.limbs().into_iter().filter(big);
        let angles = limbs.filter_map(|Limb { bone, node, .. }| {
            let (own, other) = self.directions(bone)?;
            let degrees = own.angle_between(facing * other).to_degrees();
            (degrees > ALIKE_DEGREES).then_some(BentLimb { node, degrees })
        });
        angles.collect()
    }

    /// Returns the limbs that both rigs have at both ends.
    fn limbs(&self) -> Vec<Limb> {
        let of_side = |is_right| {
            LIMBS.iter().filter_map(move |(part, end)| {
                let (node, source) = self.bone(*part, is_right)?;
                self.bone(*end, is_right)?;
                Some(Limb { bone: HumanBone { part: *part, is_right }, node, source })
            })
        };
        [false, true].into_iter().flat_map(of_side).collect()
    }

    /// Returns where a limb points on the model and on the clip file's rig.
    fn directions(&self, bone: HumanBone) -> Option<(DVec3, DVec3)> {
        let end = LIMBS.iter().find(|(part, _)| *part == bone.part)?.1;
        let (start, end) = (self.bone(bone.part, bone.is_right)?, self.bone(end, bone.is_right)?);
        let own = self.to.position(end.0) - self.to.position(start.0);
        let other = self.from.position(end.1) - self.from.position(start.1);
        Some((own.try_normalize()?, other.try_normalize()?))
    }
}

/// A limb that both rigs have.
struct Limb {
    bone: HumanBone,
    /// The joint at its start on the model.
    node: usize,
    /// The joint at its start on the clip file's rig.
    source: usize,
}

/// Returns the 24 rotations that take axes to axes.
fn quarter_turns() -> Vec<DMat3> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
    let axes: Vec<DVec3> = axes.collect();
    let of_x = |x: DVec3| {
        let across = axes.iter().filter(move |y| x.dot(**y) == 0.0);
        across.map(move |y| DMat3::from_cols(x, *y, x.cross(*y)))
    };
    axes.iter().flat_map(|x| of_x(*x)).collect()
}
