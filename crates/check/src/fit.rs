//! Rules of how a mesh fits its skeleton: SKIN_UNITS, SKIN_TURNED.
//!
//! Joints are taken in the bind pose, so a rest pose that differs from it does not matter. A joint is compared with the middle of
//! the vertices that it holds most: in a skin that fits, these middles lie about as the joints do. A single middle says
//! little, since the vertices of a joint may lie anywhere around it, so the rules ask for several.

use std::collections::BTreeSet;

use glam::{DMat3, DQuat, DVec3};
use rayon::prelude::*;

use super::bones::{Bones, for_each_vertex};
use super::mesh::mesh_called;
use super::rig::{Rig, meshes_by_skin};
use super::{Axis, Code, Finding};

/// The fewest joints that hold vertices for a mesh to be judged.
const LEAST_JOINTS: usize = 6;

/// The least correlation of the middles with the joints that counts as the same shape. Sound skins have 0.95 and more.
const ALIKE: f64 = 0.9;

/// The largest correlation that counts as another shape. The arms of a figure with spread arms outweigh the rest of it, so a turn
/// about them leaves much of the shape.
const NOT_ALIKE: f64 = 0.85;

/// How meshes fit their skeletons.
pub(super) struct Fit {
    pub findings: Vec<Finding>,
    /// Skins and their meshes that are turned against the joints, or have another size, which makes each weight look wrong.
    pub misfits: BTreeSet<(usize, usize)>,
}

impl Fit {
    pub fn new(rig: &Rig) -> Self {
        let above = rig.nearest_joint_above();
        let skins: Vec<(usize, BTreeSet<usize>)> = meshes_by_skin(rig).into_iter().collect();
        let found = skins.par_iter().flat_map_iter(|(skin, meshes)| {
            let bones = Bones::new(rig, *skin, &above);
            let found = meshes
                .iter()
                .filter_map(|mesh| Some(((*skin, *mesh), misfit(rig, &bones, *mesh)?)));
            found.collect::<Vec<_>>()
        });
        let (misfits, findings) = found.unzip();
        Self { findings, misfits }
    }
}

/// Returns each joint's place and the middle of the vertices that it holds most.
fn middles(rig: &Rig, bones: &Bones, mesh: usize) -> Vec<[DVec3; 2]> {
    let mut held = vec![(0.0, DVec3::ZERO); bones.places.len()];
    for primitive in &rig.model.meshes[mesh].primitives {
        for_each_vertex(primitive, |at, joints| {
            let joint = joints.max_by(|a, b| a.1.total_cmp(&b.1));
            let held = joint.and_then(|(joint, _)| held.get_mut(joint)).filter(|_| at.is_finite());
            if let Some((count, sum)) = held {
                (*count, *sum) = (*count + 1.0, *sum + at.as_dvec3());
            }
        });
    }
    let holding = held.into_iter().zip(&bones.places);
    let holding = holding.filter(|((count, _), place)| *count > 0.0 && place.is_finite());
    holding.map(|((count, sum), place)| [place.as_dvec3(), sum / count]).collect()
}

/// Compares the size and the axes of a mesh with those of the joints that hold it.
fn misfit(rig: &Rig, bones: &Bones, mesh: usize) -> Option<Finding> {
    let pairs = middles(rig, bones, mesh);
    if !bones.has_bind || pairs.len() < LEAST_JOINTS {
        return None;
    }
    let alignment = Alignment::new(&pairs);
    let turns = axis_turns().into_iter().map(|turn| (turn, alignment.correlation(turn)));
    let (turn, alike) = turns.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (factor, upright) = (alignment.factor(turn), alignment.correlation(DMat3::IDENTITY));
    let ratio = factor.max(1.0 / factor);
    let [most_units, most_turned] =
        [Code::SkinUnits, Code::SkinTurned].map(|code| rig.threshold(code));
    let called = mesh_called(rig, mesh);
    let finding = if alike > ALIKE && ratio > most_units {
        let than = if factor > 1.0 { "larger" } else { "smaller" };
        let text = format!("{called} is {ratio:.0} times {than} than the joints that hold it");
        Finding::new(Code::SkinUnits, text).measured(ratio, "ratio").limited(most_units)
    } else if alike > most_turned && upright < NOT_ALIKE {
        let text =
            format!("{called} lies as if it was {} against the joints that hold it", turned(turn));
        Finding::new(Code::SkinTurned, text).measured(alike, "correlation").limited(most_turned)
    } else {
        return None;
    };
    let name = rig.model.meshes[mesh].name.as_deref();
    Some(finding.of(name).at(format!("/meshes/{mesh}")))
}

/// How joints and the middles of their vertices lie, each around the middle of all: what a least-squares fit needs.
struct Alignment {
    /// The sum of the products: of a middle, and of a joint along each column.
    products: DMat3,
    joints: f64,
    middles: f64,
}

impl Alignment {
    fn new(pairs: &[[DVec3; 2]]) -> Self {
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
