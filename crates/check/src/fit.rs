//! Rules of how a mesh fits its skeleton: SKIN_UNITS, SKIN_TURNED, BIND_IDENTITY, WEIGHT_FAR where each joint holds the
//! vertices of its neighbour in the list, and REST_NOT_BIND where an inverse bind matrix is not that of its joint.
//!
//! Joints are taken in the bind pose, so a rest pose that differs from it does not matter; only the lengths of bones are
//! compared with those at rest. A joint is compared with the middle of the vertices that it holds most: in a skin that fits,
//! these middles lie about as the joints do. A single middle says little, since the vertices of a joint may lie anywhere
//! around it, so the rules ask for several.

use std::collections::BTreeSet;

use glam::{DMat3, DQuat, DVec3};
use rayon::prelude::*;

use super::bones::{Bones, diagonal, for_each_vertex};
use super::carried::carried_meshes;
use super::mesh::mesh_called;
use super::rest::{HIDDEN, meshes_by_skin};
use super::rig::Rig;
use super::turned::{BindSpace, ByJoint, by_joint, other_spaces, space_of_mesh};
use super::{Axis, Code, Finding, Level};
use rigview_model::short_name;

/// The fewest joints that hold vertices for a mesh to be judged, and the fewest bones for a skeleton.
const LEAST_JOINTS: usize = 6;
const LEAST_BONES: usize = 3;

/// The least correlation of the middles with the joints that counts as the same shape.
const ALIKE: f64 = 0.9;

/// The largest correlation that counts as another shape. The arms of a figure with spread arms outweigh the rest of it, so a turn
/// about them leaves much of the shape.
const NOT_ALIKE: f64 = 0.85;

/// The least distance of the middles, as a share of the distance of the joints, of a mesh that lies around joints whose bind
/// matrices are the identity. Vertices that are given in the space of their joints lie closer together.
const AROUND_JOINTS: f64 = 0.5;

/// The distance from the joint that holds a vertex, as a share of the diagonal of the bind pose, that most vertices of a mesh in
/// the right unit do not have, nor the mean of all.
const AWAY: f64 = 0.5;

/// A joint has an inverse bind matrix of another one if the lengths of its bones at rest differ from those in the bind pose by more
/// than this share of the diagonal at rest, and one of them by more than this factor. Joints that may be moved against their
/// parents differ too, but then their children move with them: so a joint has at least two bones, all of which differ.
const OTHER_LENGTH: f64 = 3.0;
const OTHER_SHARE: f64 = 0.1;
const LEAST_OTHERS: usize = 2;

/// Vertices are those of a neighbour in the list if they are nearer to it than this share of the distance of their own joint.
const NEARER: f64 = 0.5;

/// The least shares of joints that are not above or below their neighbour in the list: of those whose vertices are
/// nearer to the neighbour at all, and by [`NEARER`]. Such neighbours are apart, as those along a limb are not.
const SHIFTED: f64 = 0.9;
const CLEARLY_SHIFTED: f64 = 0.7;
const LEAST_APART: usize = 3;

/// The least share of all joints whose vertices are nearer to the neighbour.
const MOST: f64 = 0.5;

/// How meshes fit their skeletons.
pub(super) struct Fit {
    pub findings: Vec<Finding>,
    /// Skins and their meshes that are turned against the joints, or have another size, which makes each weight look wrong.
    pub misfits: BTreeSet<(usize, usize)>,
}

impl Fit {
    pub fn of(rig: &Rig) -> Self {
        let above = rig.nearest_joint_above();
        let skins: Vec<(usize, BTreeSet<usize>)> = meshes_by_skin(rig).into_iter().collect();
        let bones = skins.par_iter().map(|(skin, _)| (*skin, Bones::of(rig, *skin, &above)));
        let bones: Vec<(usize, Bones)> = bones.collect();
        let skins = skins.par_iter().zip(0..bones.len());
        let by_joint = by_joint(&bones);
        let of_skin = |own, meshes| Self::of_skin(rig, &bones, &by_joint, own, meshes);
        let of_skins = skins.map(|((_, meshes), own)| of_skin(own, meshes));
        let mut all = Self { findings: Vec::new(), misfits: BTreeSet::new() };
        for of_skin in of_skins.collect::<Vec<_>>() {
            all.findings.extend(of_skin.findings);
            all.misfits.extend(of_skin.misfits);
        }
        all
    }

    /// Judges the meshes of a skin; `all` has the bones of the skins that draw something.
    fn of_skin(
        rig: &Rig,
        all: &[(usize, Bones)],
        by_joint: &ByJoint,
        own: usize,
        meshes: &BTreeSet<usize>,
    ) -> Self {
        let (skin, bones) = (all[own].0, &all[own].1);
        let held = meshes.iter().map(|mesh| Held::of_mesh(rig, bones, *mesh));
        let held: Vec<Vec<Held>> = held.collect();
        let mut found = Vec::new();
        if let Some(lengths) = BoneLengths::of(rig, skin, bones) {
            found.extend(bone_units(rig, skin, &lengths));
            found.extend(other_lengths(rig, skin, bones, &lengths));
            found.extend(other_scales(rig, skin, bones, &lengths, &held));
        }
        let fits = meshes.iter().zip(&held);
        let fits = fits.map(|(mesh, held)| fit(rig, skin, bones, *mesh, held));
        let fits: Vec<Option<Misfit>> = fits.collect();
        let turns = fits.iter().flatten().filter_map(|it| it.turn);
        // A contract that asks for more than the best correlation leaves the rule out.
        let spaces = match rig.threshold(Code::SkinTurned) < 1.0 {
            true => other_spaces(rig, all, by_joint, own, turns),
            false => Vec::new(),
        };
        let spaces: Vec<(BindSpace, Bones)> =
            spaces.into_iter().map(|space| (space, bones.moved(&space.from_bind))).collect();
        let carried = carried_meshes(rig, bones, meshes);
        let mut misfits = BTreeSet::new();
        for ((&mesh, held), fits) in meshes.iter().zip(&held).zip(fits) {
            let other_space = || {
                let space = space_of_mesh(rig, bones, mesh, &spaces)?;
                Some(skin_turned(rig, mesh, space.turn))
            };
            let misfit = fits.map(|it| it.finding).or_else(other_space);
            let codes = [Code::SkinUnits, Code::SkinTurned].map(Code::as_str);
            if misfit.as_ref().is_some_and(|it| codes.iter().any(|code| it.code == *code)) {
                misfits.insert((skin, mesh));
            } else {
                found.extend(shift(rig, bones, mesh, held));
            }
            let is_away = || away(rig, bones, mesh, held).filter(|_| !carried.contains(&mesh));
            found.extend(misfit.or_else(is_away));
        }
        Self { findings: found, misfits }
    }
}

/// The vertices that a joint holds most.
#[derive(Clone, Copy, Default)]
struct Held {
    count: usize,
    sum: DVec3,
    /// The vertices that are [`AWAY`].
    away: usize,
    /// Sums of the distances from the joint before it in the list, from itself, and from the one after it.
    distances: [f64; 3],
}

impl Held {
    fn of_mesh(rig: &Rig, bones: &Bones, mesh: usize) -> Vec<Self> {
        let mut held = vec![Self::default(); bones.places.len()];
        let most = AWAY * diagonal(bones.places.iter().copied());
        for primitive in &rig.model.meshes[mesh].primitives {
            for_each_vertex(primitive, |at, joints| {
                let Some((joint, _)) = joints.max_by(|a, b| a.1.total_cmp(&b.1)) else { return };
                let of_joint = held.get_mut(joint).filter(|_| at.is_finite());
                let Some(of_joint) = of_joint else { return };
                of_joint.count += 1;
                of_joint.sum += at.as_dvec3();
                of_joint.away += usize::from(f64::from(bones.distance(joint, at)) > most);
                for (side, sum) in of_joint.distances.iter_mut().enumerate() {
                    let other = neighbour(joint, side, bones);
                    *sum += other.map_or(f64::NAN, |it| f64::from(bones.distance(it, at)));
                }
            });
        }
        held
    }
}

/// Returns the joint before one in the list (0), itself (1), or the one after it (2).
fn neighbour(joint: usize, side: usize, bones: &Bones) -> Option<usize> {
    (joint + side).checked_sub(1).filter(|other| *other < bones.places.len())
}

/// A mesh that does not fit its joints, and the turn of the joints with which it would.
struct Misfit {
    finding: Finding,
    turn: Option<DMat3>,
}

/// Compares the size and the axes of a mesh with those of the joints that hold it.
fn fit(rig: &Rig, skin: usize, bones: &Bones, mesh: usize, held: &[Held]) -> Option<Misfit> {
    let holding = held.iter().zip(&bones.places);
    let holding = holding.filter(|(held, place)| held.count > 0 && place.is_finite());
    let pairs: Vec<[DVec3; 2]> =
        holding.map(|(held, at)| [at.as_dvec3(), held.sum / held.count as f64]).collect();
    if pairs.len() < LEAST_JOINTS {
        return None;
    }
    let alignment = Alignment::of(&pairs);
    let turns = axis_turns().into_iter().map(|turn| (turn, alignment.correlation(turn)));
    let (turn, alike) = turns.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (factor, upright) = (alignment.factor(turn), alignment.correlation(DMat3::IDENTITY));
    let called = mesh_called(rig, mesh);
    if !bones.has_bind {
        let lies_around = alike > ALIKE && factor > AROUND_JOINTS;
        return lies_around.then(|| {
            let text = format!(
                "all inverse bind matrices of {} are the identity, but {called} lies around the joints at rest",
                skin_called(rig, skin)
            );
            let finding = Finding::new(Code::BindIdentity, text);
            let finding = finding.of(rig.model.skins[skin].name.as_deref());
            Misfit { finding: finding.at(format!("/skins/{skin}")), turn: None }
        });
    }
    let ratio = factor.max(1.0 / factor);
    let [most_units, most_turned] =
        [Code::SkinUnits, Code::SkinTurned].map(|code| rig.threshold(code));
    if alike > ALIKE && ratio > most_units {
        let than = if factor > 1.0 { "larger" } else { "smaller" };
        let text = format!("{called} is {ratio:.0} times {than} than the joints that hold it");
        let finding =
            Finding::new(Code::SkinUnits, text).measured(ratio, "ratio").limited(most_units);
        let name = rig.model.meshes[mesh].name.as_deref();
        Some(Misfit { finding: finding.of(name).at(format!("/meshes/{mesh}")), turn: None })
    } else if alike > most_turned && upright < NOT_ALIKE {
        let finding = skin_turned(rig, mesh, turn).measured(alike, "correlation");
        Some(Misfit { finding: finding.limited(most_turned), turn: Some(turn) })
    } else {
        None
    }
}

/// Returns the finding of a mesh that lies as its joints would if they were turned.
fn skin_turned(rig: &Rig, mesh: usize, turn: DMat3) -> Finding {
    let text = format!(
        "{} lies as if it was {} against the joints that hold it",
        mesh_called(rig, mesh),
        turned(turn)
    );
    let name = rig.model.meshes[mesh].name.as_deref();
    Finding::new(Code::SkinTurned, text).of(name).at(format!("/meshes/{mesh}"))
}

/// Finds a mesh nearly all of whose vertices are far away from the joints that hold them, however few these are. Of a prop whose
/// joints are close together, part lies at them.
fn away(rig: &Rig, bones: &Bones, mesh: usize, held: &[Held]) -> Option<Finding> {
    let (all, away) = held.iter().fold((0, 0), |(all, away), of| (all + of.count, away + of.away));
    if !bones.has_bind || held.len() < LEAST_JOINTS || 20 * away <= 19 * all {
        return None;
    }
    let sums = held.iter().filter(|of| of.count > 0).map(|of| of.distances[1]);
    let share = sums.sum::<f64>() / all as f64 / diagonal(bones.places.iter().copied());
    if !(share > AWAY && share.is_finite()) {
        return None;
    }
    let text = format!(
        "{} lies away from the joints that hold it, by {share:.1} diagonals of their bind pose: it has another unit or axis",
        mesh_called(rig, mesh)
    );
    let finding = Finding::new(Code::SkinUnits, text).measured(share, "diagonals").limited(AWAY);
    let name = rig.model.meshes[mesh].name.as_deref();
    Some(finding.of(name).at(format!("/meshes/{mesh}")))
}

/// Finds a mesh whose joints are off by one: their vertices lie at the joint before or after them in the list.
fn shift(rig: &Rig, bones: &Bones, mesh: usize, held: &[Held]) -> Option<Finding> {
    let holding: Vec<usize> = (0..held.len()).filter(|joint| held[*joint].count > 0).collect();
    if holding.len() < LEAST_JOINTS || !bones.has_bind {
        return None;
    }
    [(0, "before"), (2, "after")].into_iter().find_map(|(side, which)| {
        let (mut all, mut nearer) = (0, 0);
        let (mut apart, mut apart_nearer, mut clearly) = (0, 0, 0);
        // Of the sides of a ring, such as a skirt, the vertices may lie towards the next one.
        let mut has_others_than_siblings = false;
        for &joint in &holding {
            let Some(other) = neighbour(joint, side, bones) else { continue };
            let [own, to_other] = [held[joint].distances[1], held[joint].distances[side]];
            let is_nearer = usize::from(to_other < own);
            (all, nearer) = (all + 1, nearer + is_nearer);
            if bones.parents[joint] != Some(other) && bones.parents[other] != Some(joint) {
                (apart, apart_nearer) = (apart + 1, apart_nearer + is_nearer);
                clearly += usize::from(to_other < NEARER * own);
                has_others_than_siblings |= bones.parents[joint] != bones.parents[other];
            }
        }
        let is_share = |part: usize, least: f64, of: usize| part as f64 >= least * of as f64;
        let is_shifted = apart >= LEAST_APART
            && has_others_than_siblings
            && is_share(apart_nearer, SHIFTED, apart)
            && is_share(clearly, CLEARLY_SHIFTED, apart)
            && is_share(nearer, MOST, all);
        is_shifted.then(|| {
            let text = format!(
                "the joints of {} are off by one: for {nearer} of {all} joints, the vertices lie at the joint {which} it in the skin's list",
                mesh_called(rig, mesh)
            );
            let finding = Finding::new(Code::WeightFar, text).measured(nearer as f64, "joints");
            let finding = finding.limited(MOST * all as f64);
            let name = rig.model.meshes[mesh].name.as_deref();
            finding.of(name).at(format!("/meshes/{mesh}"))
        })
    })
}

/// The lengths of a skin's bones, which no turn of a joint changes.
struct BoneLengths {
    /// At rest and in the bind pose, of the bone that ends at each joint, in metres. `None` of joints without a parent. Those of
    /// the bind pose have the scale that their parent has at rest, so that only lengths differ.
    of_joints: Vec<Option<[f64; 2]>>,
    /// The median ratio of both.
    factor: f64,
    /// Metres per unit of the bind pose, at each joint at rest.
    units: Vec<f64>,
}

impl BoneLengths {
    /// Measures a skin; `None` if it has no bind pose or too few bones.
    fn of(rig: &Rig, index: usize, bones: &Bones) -> Option<Self> {
        if !bones.has_bind {
            return None;
        }
        let skin = &rig.model.skins[index];
        let joints = skin.joints.iter().zip(&skin.joint_from_mesh);
        let units = joints.map(|(joint, joint_from_mesh)| {
            let joint_matrix = *rig.stage.world.world_from_node(*joint as usize) * *joint_from_mesh;
            f64::from(joint_matrix.matrix3.determinant().abs().cbrt())
        });
        let units: Vec<f64> = units.collect();
        let of_joints = bones.parents.iter().enumerate().map(|(joint, parent)| {
            let parent = (*parent)?;
            let [start, end] = [parent, joint].map(|joint| rig.stage.position(bones.nodes[joint]));
            let bind = f64::from(bones.places[parent].distance(bones.places[joint]));
            let lengths = [f64::from(start.distance(end)), units[parent] * bind];
            lengths.iter().all(|length| length.is_finite()).then_some(lengths)
        });
        let of_joints: Vec<Option<[f64; 2]>> = of_joints.collect();
        let ratios = of_joints.iter().flatten().map(|[rest, bind]| rest / bind);
        let ratios: Vec<f64> = ratios.filter(|it| it.is_finite() && *it > 0.0).collect();
        if ratios.len() < LEAST_BONES {
            return None;
        }
        Some(Self { of_joints, factor: median(ratios)?, units })
    }
}

/// Finds a skin whose bind pose has another unit than its joints at rest.
fn bone_units(rig: &Rig, index: usize, lengths: &BoneLengths) -> Option<Finding> {
    let factor = lengths.factor;
    let (ratio, limit) = (factor.max(1.0 / factor), rig.threshold(Code::SkinUnits));
    if ratio <= limit {
        return None;
    }
    let than = if factor > 1.0 { "longer" } else { "shorter" };
    let text = format!(
        "at rest, the bones of {} are {ratio:.0} times {than} than in its bind pose",
        skin_called(rig, index)
    );
    let finding = Finding::new(Code::SkinUnits, text).measured(ratio, "ratio").limited(limit);
    let name = rig.model.skins[index].name.as_deref();
    Some(finding.of(name).at(format!("/skins/{index}")))
}

/// How much a bone at rest differs from that of the bind pose.
#[derive(Clone, Copy)]
struct Difference {
    metres: f64,
    /// Whether it differs by more than [`OTHER_LENGTH`].
    has_factor: bool,
}

/// Finds joints that have the inverse bind matrix of another joint or none at all: their bones have other lengths at rest than in
/// the bind pose. Joints that slide, as those of a crane, have their own: with them, those on both sides are further apart in
/// the bind pose than the bones at rest are long.
fn other_lengths(rig: &Rig, index: usize, bones: &Bones, lengths: &BoneLengths) -> Vec<Finding> {
    let size = diagonal(bones.nodes.iter().map(|node| rig.stage.position(*node)));
    let differences = lengths.of_joints.iter().map(|of_joint| {
        let [rest, bind] = (*of_joint)?;
        let bind = lengths.factor * bind;
        Some(Difference {
            metres: (rest - bind).abs(),
            has_factor: rest.max(bind) > OTHER_LENGTH * rest.min(bind),
        })
    });
    let differences: Vec<Option<Difference>> = differences.collect();
    let limit = OTHER_SHARE * size;
    let pointer = format!("/skins/{index}");
    let finding = |text: String, off: f64| {
        let finding = Finding::new(Code::RestNotBind, text).with_level(Level::Warning);
        finding.measured(off, "m").limited(limit).at(pointer.clone())
    };
    let is_out_of_reach = |joint: usize, child: usize| {
        let (Some(parent), Some([above, _]), Some([below, _])) =
            (bones.parents[joint], lengths.of_joints[joint], lengths.of_joints[child])
        else {
            return false;
        };
        let across = f64::from(bones.places[parent].distance(bones.places[child]));
        lengths.factor * lengths.units[parent] * across > above + below + limit
    };
    let of_joint = |joint: usize| {
        if bones.children_of(joint).iter().any(|child| is_out_of_reach(joint, *child)) {
            return None;
        }
        let below = bones.children_of(joint).iter().map(|child| differences[*child]);
        let around: Vec<Difference> = below.chain([differences[joint]]).flatten().collect();
        let least = around.iter().map(|it| it.metres).fold(f64::MAX, f64::min);
        let has_factor = around.iter().any(|it| it.has_factor);
        if around.len() < LEAST_OTHERS || least <= limit || !has_factor {
            return None;
        }
        let called = rig.called(bones.nodes[joint]);
        let text = format!(
            "the bones at joint {called} have other lengths at rest than in the bind pose, by {least:.2} m or more: its inverse \
             bind matrix is not its own"
        );
        Some(finding(text, least).of(rig.name(bones.nodes[joint])))
    };
    (0..bones.nodes.len()).filter_map(of_joint).collect()
}

/// Finds joints whose scale at rest is another than in the bind pose, in relation to their parents: what hangs on them is larger
/// or smaller. What is only held, and shrinks, may be hidden on purpose.
fn other_scales(
    rig: &Rig,
    index: usize,
    bones: &Bones,
    lengths: &BoneLengths,
    held: &[Vec<Held>],
) -> Vec<Finding> {
    let size = diagonal(bones.places.iter().copied());
    let distance = |joint: usize, other: DVec3| bones.places[joint].as_dvec3().distance(other);
    let of_joint = |joint: usize| {
        let [above, own] = [bones.parents[joint]?, joint].map(|joint| lengths.units[joint]);
        let factor = own / above;
        let ratio = factor.max(1.0 / factor);
        let is_hidden = factor < f64::from(HIDDEN);
        if !ratio.is_finite() || is_hidden || ratio <= OTHER_LENGTH {
            return None;
        }
        let children = bones.children_of(joint).iter();
        let ends = children.map(|child| distance(joint, bones.places[*child].as_dvec3()));
        let middles = held.iter().map(|held| held[joint]).filter(|held| held.count > 0);
        let middles = middles.map(|held| distance(joint, held.sum / held.count as f64));
        let middles = middles.filter(|_| factor > 1.0);
        let furthest = ends.chain(middles).filter(|it| it.is_finite()).fold(0.0, f64::max);
        if (factor - 1.0).abs() * furthest <= OTHER_SHARE * size {
            return None;
        }
        let than = if factor > 1.0 { "larger" } else { "smaller" };
        let text = format!(
            "at rest, the scale of joint {} is {ratio:.0} times {than} than in the bind pose, and what hangs on it has another size",
            rig.called(bones.nodes[joint])
        );
        let finding = Finding::new(Code::RestNotBind, text).with_level(Level::Warning);
        let finding = finding.measured(ratio, "ratio").limited(OTHER_LENGTH);
        Some(finding.of(rig.name(bones.nodes[joint])).at(format!("/skins/{index}")))
    };
    (0..bones.nodes.len()).filter_map(of_joint).collect()
}

/// Returns a skin's name in quotes, or its number.
fn skin_called(rig: &Rig, skin: usize) -> String {
    let name = rig.model.skins[skin].name.as_deref().filter(|name| !name.is_empty());
    name.map_or_else(|| format!("skin {skin}"), |name| format!("skin \"{}\"", short_name(name)))
}

/// Returns the median; `None` of nothing.
fn median(mut values: Vec<f64>) -> Option<f64> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// How joints and the middles of their vertices lie, each around the middle of all: what a least-squares fit needs.
struct Alignment {
    /// The sum of the products: of a middle, and of a joint along each column.
    products: DMat3,
    joints: f64,
    middles: f64,
}

impl Alignment {
    fn of(pairs: &[[DVec3; 2]]) -> Self {
        let count = pairs.len().max(1) as f64;
        let [joint, middle] =
            [0, 1].map(|which| pairs.iter().map(|pair| pair[which]).sum::<DVec3>() / count);
        let mut all = Self { products: DMat3::ZERO, joints: 0.0, middles: 0.0 };
        for pair in pairs {
            let (j, m) = (pair[0] - joint, pair[1] - middle);
            all.products += DMat3::from_cols(m * j.x, m * j.y, m * j.z);
            all.joints += j.length_squared();
            all.middles += m.length_squared();
        }
        all
    }

    /// Returns the sum of the products of the turned joints with the middles.
    fn product(&self, turn: DMat3) -> f64 {
        [0, 1, 2].into_iter().map(|i| turn.col(i).dot(self.products.col(i))).sum()
    }

    /// Returns how much the middles lie as the turned joints do: 1 if they do but for their size.
    fn correlation(&self, turn: DMat3) -> f64 {
        self.product(turn) / (self.joints * self.middles).sqrt()
    }

    /// Returns how many times as far apart the middles are as the turned joints.
    fn factor(&self, turn: DMat3) -> f64 {
        self.product(turn) / self.joints
    }
}

/// Returns a turn in words: its angle, and its axis if that is one of the space.
fn turned(turn: DMat3) -> String {
    let turn = DQuat::from_mat3(&turn);
    let (axis, angle) = if turn.w < 0.0 { -turn } else { turn }.to_axis_angle();
    let degrees = angle.to_degrees().round();
    let about =
        Axis::nearest(axis.as_vec3()).filter(|near| near.vector().as_dvec3().dot(axis) > 0.99);
    let about = about.map_or_else(String::new, |axis| format!(" about {}", axis.name()));
    format!("turned by {degrees} degrees{about}")
}

/// Returns the turns that bring axes onto axes, the identity among them.
fn axis_turns() -> Vec<DMat3> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let axes: Vec<DVec3> = axes.into_iter().flat_map(|axis| [axis, -axis]).collect();
    let pairs = axes.iter().flat_map(|x| axes.iter().map(move |y| (*x, *y)));
    let turns = pairs.filter(|(x, y)| x.dot(*y) == 0.0);
    turns.map(|(x, y)| DMat3::from_cols(x, y, x.cross(y))).collect()
}
