//! The distance between a skin's joints at rest and where its inverse bind matrices put them.

use glam::{Affine3A, DAffine3, DMat3, DVec3, Vec3};

use crate::model::{Model, Stage};

/// Returns for each joint of a skin the distance in metres between its place in a stage at rest and the one that
/// its inverse bind matrix gives, carried to the scene by the first joint. `None` for a skin whose matrices are all
/// the identity: the file has none. A matrix that can't be inverted gives NaN or infinity.
///
/// # Panics
/// If there is no such skin.
pub fn distances_from_bind(model: &Model, rest: &Stage, skin: usize) -> Option<Vec<f64>> {
    let skin = &model.skins[skin];
    if skin.joint_from_mesh.iter().all(|matrix| *matrix == Affine3A::IDENTITY) {
        return None;
    }
    let world = |joint: usize| double(rest.world.world_from_node(skin.joints[joint] as usize));
    let first = double(skin.joint_from_mesh.first()?);
    let scene_from_mesh = world(0) * first;
    let distance = |(joint, joint_from_mesh): (usize, &Affine3A)| {
        let bound = scene_from_mesh.transform_point3(double(joint_from_mesh).inverse().translation);
        world(joint).translation.distance(bound)
    };
    Some(skin.joint_from_mesh.iter().enumerate().map(distance).collect())
}

/// Converts a matrix to double precision.
pub(super) fn double(matrix: &Affine3A) -> DAffine3 {
    DAffine3 {
        matrix3: DMat3::from_cols(
            Vec3::from(matrix.matrix3.x_axis).as_dvec3(),
            Vec3::from(matrix.matrix3.y_axis).as_dvec3(),
            Vec3::from(matrix.matrix3.z_axis).as_dvec3(),
        ),
        translation: DVec3::from(Vec3::from(matrix.translation)),
    }
}
