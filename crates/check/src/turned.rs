//! Meshes that lie where the bind pose of another skin has their joints, or where a turn of their own does: what SKIN_TURNED
//! says of meshes with few joints or without a shape of their own, such as the legs of a body that is split.
//!
//! Skins that share joints say how the spaces of their meshes lie to each other. A mesh may be stored on other axes, and then
//! its vertices lie around the joints of its own skin; so the distances of the vertices decide.

use std::collections::{BTreeSet, HashMap};

use glam::{DAffine3, DMat3};

use super::bones::{Bones, diagonal, for_each_vertex};
use super::rig::Rig;

/// The least angle between two bind poses, in degrees. Less may be another pose.
const LEAST_TURN: f64 = 45.0;

/// The largest distance between the joints that two skins share, in the bind pose of either, as a share of its diagonal.
const SAME_POSE: f64 = 0.01;

/// The mean distance of the vertices from the joints that hold them, as shares of the diagonal of the bind pose: at most in the
/// other space, and less than in its own by at least as much.
const NEAR: f64 = 0.25;
const NEARER_BY: f64 = 0.05;

/// How many times as near the vertices are at most to the joints in the space of another skin, and in that in which another mesh
/// of the same skin lies.
const NEARER: f64 = 0.6;
const ALSO_NEARER: f64 = 0.9;

/// Maximum number of skins with joints of a skin that it is compared with.
const MOST_OTHERS: usize = 256;
/// Maximum number of spaces in which the meshes of a skin are looked for.
const MOST_SPACES: usize = 8;
/// Maximum number of vertices of a mesh that are measured.
const MOST_VERTICES: usize = 1024;

/// Where the joints of a skin may lie, although their inverse bind matrices say otherwise.
#[derive(Clone, Copy)]
pub(super) struct BindSpace {
    pub from_bind: DAffine3,
    pub turn: DMat3,
    /// Whether another mesh of the skin lies there.
    has_mesh: bool,
}

impl BindSpace {
    /// The space of a mesh whose joints are turned about the origin.
    fn of_turn(turn: DMat3) -> Self {
        Self { from_bind: DAffine3::from_mat3(turn), turn, has_mesh: true }
    }
}

/// By joint, the places in a list of skins of those that have it.
pub(super) type ByJoint = HashMap<usize, Vec<usize>>;

/// Returns the places of skins by their joints.
pub(super) fn by_joint(all: &[(usize, Bones)]) -> ByJoint {
    let mut by_joint = ByJoint::new();
    for (at, (_, bones)) in all.iter().enumerate() {
        bones.nodes.iter().for_each(|node| by_joint.entry(*node).or_default().push(at));
    }
    by_joint
}

/// Returns the spaces in which meshes of a skin may lie: those of `turns`, in which others of its meshes do, and the bind poses of
/// other skins that share joints with it and are turned against its own.
pub(super) fn other_spaces(
    rig: &Rig,
    all: &[(usize, Bones)],
    by_joint: &ByJoint,
    own: usize,
    turns: impl Iterator<Item = DMat3>,
) -> Vec<BindSpace> {
    let (skin, bones) = &all[own];
    if !bones.has_bind {
        return Vec::new();
    }
    let index: HashMap<usize, usize> =
        bones.nodes.iter().enumerate().map(|(i, node)| (*node, i)).collect();
    let mut others = BTreeSet::new();
    for at in bones.nodes.iter().filter_map(|node| by_joint.get(node)).flatten() {
        if others.len() < MOST_OTHERS && *at != own && all[*at].1.has_bind {
            others.insert(*at);
        }
    }
    let of_others = others.into_iter().filter_map(|at| {
        let (other, others) = &all[at];
        let shared = others.nodes.iter().enumerate();
        let shared = shared.filter_map(|(i, node)| Some((*index.get(node)?, i)));
        space_of(rig, [(*skin, bones), (*other, others)], shared)
    });
    let mut spaces: Vec<BindSpace> = Vec::new();
    for space in turns.map(BindSpace::of_turn).chain(of_others) {
        let is_known = |known: &BindSpace| known.from_bind.abs_diff_eq(space.from_bind, 1e-4);
        if spaces.len() < MOST_SPACES && !spaces.iter().any(is_known) {
            spaces.push(space);
        }
    }
    spaces
}

/// Returns the bind pose of the second of two skins in relation to the first; `shared` has the indices of each joint in both.
fn space_of(
    rig: &Rig,
    [(skin, bones), (other, others)]: [(usize, &Bones); 2],
    mut shared: impl Iterator<Item = (usize, usize)>,
) -> Option<BindSpace> {
    let first = shared.next()?;
    let matrix =
        |skin: usize, joint: usize| rig.model.skins[skin].joint_from_mesh[joint].as_daffine3();
    let from_bind = matrix(other, first.1).inverse() * matrix(skin, first.0);
    let most = SAME_POSE * diagonal(others.places.iter().copied());
    let is_same_pose = |(own, other): (usize, usize)| {
        let place = from_bind.transform_point3(bones.places[own].as_dvec3());
        place.distance(others.places[other].as_dvec3()) <= most
    };
    let is_turn = from_bind.is_finite() && from_bind.matrix3.determinant() > 0.0;
    if !is_turn || !shared.all(is_same_pose) {
        return None;
    }
    let (_, turn, _) = from_bind.to_scale_rotation_translation();
    let angle = turn.w.abs().min(1.0).acos() * 2.0;
    let is_far = angle.to_degrees() >= LEAST_TURN;
    is_far.then(|| BindSpace { from_bind, turn: DMat3::from_quat(turn), has_mesh: false })
}

/// Returns the space in which a mesh lies around the joints of its skin, if it does not where their inverse bind matrices say. Each
/// space has the bones as they are there.
pub(super) fn space_of_mesh(
    rig: &Rig,
    bones: &Bones,
    mesh: usize,
    spaces: &[(BindSpace, Bones)],
) -> Option<BindSpace> {
    let own = share(rig, bones, mesh).filter(|_| !spaces.is_empty())?;
    let lies_in = |(space, there): &&(BindSpace, Bones)| {
        let Some(other) = share(rig, there, mesh) else { return false };
        let is_nearer = match space.has_mesh {
            true => other < ALSO_NEARER * own,
            false => other < NEARER * own && own - other > NEARER_BY,
        };
        other < NEAR && is_nearer
    };
    spaces.iter().find(lies_in).map(|(space, _)| *space)
}

/// Returns the mean distance of a mesh's vertices from the joints that hold them most, as a share of the diagonal of these bones;
/// `None` if it has none.
fn share(rig: &Rig, bones: &Bones, mesh: usize) -> Option<f64> {
    let primitives = &rig.model.meshes[mesh].primitives;
    let step = primitives.iter().map(|it| it.vertices.len()).sum::<usize>() / MOST_VERTICES + 1;
    let (mut vertex, mut sum, mut count) = (0_usize, 0.0, 0_usize);
    for primitive in primitives {
        for_each_vertex(primitive, |at, joints| {
            vertex += 1;
            if !vertex.is_multiple_of(step) {
                return;
            }
            let most = joints.max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((joint, _)) = most.filter(|(joint, _)| *joint < bones.places.len()) else {
                return;
            };
            sum += f64::from(bones.distance(joint, at));
            count += 1;
        });
    }
    let mean = sum / count as f64 / diagonal(bones.places.iter().copied());
    mean.is_finite().then_some(mean)
}
