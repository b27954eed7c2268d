//! How far a skin's joints at rest are from where its inverse bind matrices put them.

use glam::{Affine3A, DAffine3, DMat3, DVec3};

use rigview_anim::Skin;
use rigview_model::{Aabb, Model, Stage};

/// How far a joint at rest is from its bind pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FromBind {
    /// The distance of its origin, in metres.
    pub metres: f64,
    /// The angle of its turn.
    pub degrees: f64,
}

/// Returns for each joint of a skin how far its transform in a stage at rest is from the one that its inverse bind
/// matrix gives, carried to the scene as most joints say. `None` for a skin whose matrices are all the identity: the
/// file has none. A matrix that can't be inverted gives NaN or infinity.
///
/// # Panics
/// If there is no such skin.
pub fn offsets_from_bind(model: &Model, rest: &Stage, skin: usize) -> Option<Vec<FromBind>> {
    let bound = Bound::find(model, rest, skin)?;
    let offset = |joint: usize| FromBind {
        metres: bound.distance(joint, bound.mesh_from_joint(joint).translation),
        degrees: angle(
            &bound.world(joint),
            &(bound.scene_from_mesh * bound.mesh_from_joint(joint)),
        ),
    };
    Some((0..bound.skin.joints.len()).map(offset).collect())
}

/// Returns for each joint of a skin what the distance, turn and scale from its bind pose do to the skin: the largest
/// distance of its origin or of a corner of the box of its vertices, in metres. `None` as in [`offsets_from_bind`].
///
/// # Panics
/// If there is no such skin.
pub fn skin_offsets_from_bind(model: &Model, rest: &Stage, skin: usize) -> Option<Vec<f64>> {
    let bound = Bound::find(model, rest, skin)?;
    let boxes = boxes_of_joints(model, skin);
    let offset = |joint: usize| {
        let origin = bound.distance(joint, bound.mesh_from_joint(joint).translation);
        let corners = boxes[joint].filter(|all| !all.is_empty()).map(|all| all.corners());
        let corners = corners.iter().flatten().map(|at| bound.distance(joint, at.as_dvec3()));
        corners.fold(origin, f64::max)
    };
    Some((0..bound.skin.joints.len()).map(offset).collect())
}

/// Joints agree up to this share of the skeleton's size.
const AGREED: f64 = 1e-3;

/// Upper limit of joints whose transforms are compared.
const CANDIDATES: usize = 32;

/// A skin with a bind pose, and a stage at rest.
struct Bound<'a> {
    skin: &'a Skin,
    rest: &'a Stage,
    scene_from_mesh: DAffine3,
}

impl<'a> Bound<'a> {
    fn find(model: &'a Model, rest: &'a Stage, skin: usize) -> Option<Self> {
        let skin = &model.skins[skin];
        if skin.joint_from_mesh.iter().all(|matrix| *matrix == Affine3A::IDENTITY) {
            return None;
        }
        let bound = Self { skin, rest, scene_from_mesh: DAffine3::IDENTITY };
        Some(Self { scene_from_mesh: bound.scene_from_mesh()?, ..bound })
    }

    /// Returns the transform from the space of the meshes to the scene that most joints agree on, so that a joint is
    /// compared with the others and not with one that may be off itself. Of several, that of the earliest joint.
    fn scene_from_mesh(&self) -> Option<DAffine3> {
        let joints = self.skin.joint_from_mesh.len();
        let posed =
            |joint: usize| self.world(joint) * self.skin.joint_from_mesh[joint].as_daffine3();
        let all: Vec<DAffine3> = (0..joints).map(posed).collect();
        // Where the joints are in the bind pose: what a transform does to these places says how far two are apart.
        let places: Vec<DVec3> = (0..joints)
            .map(|joint| self.mesh_from_joint(joint).translation)
            .filter(|place| place.is_finite())
            .collect();
        let middle = places.iter().sum::<DVec3>() / places.len().max(1) as f64;
        let size = places.iter().map(|place| place.distance(middle)).fold(0.0, f64::max);
        let axes = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|axis| middle + size * axis);
        let agree = |a: &DAffine3, b: &DAffine3| {
            let near = AGREED * size * a.matrix3.x_axis.length();
            axes.iter().all(|at| a.transform_point3(*at).distance(b.transform_point3(*at)) <= near)
        };
        let votes = |a: &DAffine3| all.iter().filter(|b| agree(a, b)).count();
        let candidates = all.iter().step_by(joints.div_ceil(CANDIDATES).max(1));
        candidates.rev().max_by_key(|a| votes(a)).copied()
    }

    fn world(&self, joint: usize) -> DAffine3 {
        self.rest.world.world_from_node(self.skin.joints[joint] as usize).as_daffine3()
    }

    fn mesh_from_joint(&self, joint: usize) -> DAffine3 {
        self.skin.joint_from_mesh[joint].as_daffine3().inverse()
    }

    /// Returns the distance between the places of a point of the mesh that a joint and that most joints give.
    fn distance(&self, joint: usize, at: DVec3) -> f64 {
        let posed = self.world(joint) * self.skin.joint_from_mesh[joint].as_daffine3();
        posed.transform_point3(at).distance(self.scene_from_mesh.transform_point3(at))
    }
}

/// Returns the box of the vertices that each joint of a skin moves, in the space of the meshes.
fn boxes_of_joints(model: &Model, skin: usize) -> Vec<Option<Aabb>> {
    let mut boxes: Vec<Option<Aabb>> = vec![None; model.skins[skin].joints.len()];
    let drawn = model.nodes.iter().filter(|node| node.skin == Some(skin));
    let meshes = drawn.filter_map(|node| node.mesh);
    for primitive in meshes.flat_map(|mesh| &model.meshes[mesh].primitives) {
        for (joint, own) in &primitive.bounds.joints {
            if let Some(all) = boxes.get_mut(usize::from(*joint)) {
                all.get_or_insert(Aabb::EMPTY).union(own);
            }
        }
    }
    boxes
}

/// Returns the angle between the axes of two transforms, in degrees.
fn angle(a: &DAffine3, b: &DAffine3) -> f64 {
    let axes = |matrix: &DMat3| {
        let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(DVec3::normalize);
        DMat3::from_cols(x, y, z)
    };
    let turn = axes(&a.matrix3).transpose() * axes(&b.matrix3);
    let trace = turn.x_axis.x + turn.y_axis.y + turn.z_axis.z;
    // The sine keeps the precision of small angles.
    let sine = DVec3::new(
        turn.y_axis.z - turn.z_axis.y,
        turn.z_axis.x - turn.x_axis.z,
        turn.x_axis.y - turn.y_axis.x,
    );
    sine.length().atan2(trace - 1.0).to_degrees()
}
