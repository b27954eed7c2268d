//! The bind pose: the one that the inverse bind matrices belong to.

use glam::{Affine3A, DAffine3};

use super::{Model, Stage};
use rigview_anim::{LocalPose, Transform};

/// Returns the pose in which the joints of all skins are where their inverse bind matrices put them, carried to the
/// scene by each skin's first joint, so that skinned meshes keep the shape that the file stores. Other nodes keep their
/// transforms relative to their parents. `rest` is a stage of the model at rest.
///
/// A joint of several skins is placed by the first one. Skins whose matrices are all the identity (the file has none),
/// matrices that can't be inverted, and nodes that no pose changes are left at rest. A place that translation, rotation
/// and scale can't express, because a parent is scaled unevenly, is approximated.
pub fn bind_pose(model: &Model, rest: &Stage) -> LocalPose {
    let mut pose = model.rest.clone();
    let bound = bound_places(model, rest);
    let mut scene_from_node = vec![DAffine3::IDENTITY; model.nodes.len()];
    for node in model.hierarchy.parents_first() {
        let above = match model.hierarchy.parent(node) {
            Some(parent) => scene_from_node[parent],
            None => rest.scene_from_parent(model, node),
        };
        let fixed = model.hierarchy.fixed_matrix(node);
        let own = match fixed {
            Some(fixed) => fixed.as_daffine3(),
            None => model.rest.transform(node).parent_from_node().as_daffine3(),
        };
        scene_from_node[node] = above * own;
        let Some(place) = bound[node].filter(|_| fixed.is_none()) else { continue };
        let local = above.inverse() * place;
        let (scale, rotation, translation) = local.to_scale_rotation_translation();
        let (scale, translation) = (scale.as_vec3(), translation.as_vec3());
        let rotation = rotation.as_quat();
        if scale.is_finite() && rotation.is_normalized() && translation.is_finite() {
            pose.set_transform(node, Transform { translation, rotation, scale });
            scene_from_node[node] = place;
        }
    }
    pose
}

/// Returns the place of each node in the bind pose, for the joints that have one.
fn bound_places(model: &Model, rest: &Stage) -> Vec<Option<DAffine3>> {
    let mut places = vec![None; model.nodes.len()];
    for skin in &model.skins {
        let Some((first, joint)) = skin.joint_from_mesh.first().zip(skin.joints.first()) else {
            continue;
        };
        if skin.joint_from_mesh.iter().all(|matrix| *matrix == Affine3A::IDENTITY) {
            continue;
        }
        let mut world = rest.world.world_from_node(*joint as usize).as_daffine3();
        world.translation += rest.origin;
        let scene_from_mesh = world * first.as_daffine3();
        for (joint, joint_from_mesh) in skin.joints.iter().zip(&skin.joint_from_mesh) {
            let place = scene_from_mesh * joint_from_mesh.as_daffine3().inverse();
            places[*joint as usize] =
                places[*joint as usize].or(Some(place).filter(DAffine3::is_finite));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::PoseSource;
    use rigview_anim::Skin;

    /// Returns a model of a turned root with two joints in a chain, whose inverse bind matrices are of other places.
    fn model() -> Model {
        let at = |x: f32, y: f32| Transform {
            translation: Vec3::new(x, y, 0.0),
            rotation: glam::Quat::from_rotation_z(0.3),
            scale: Vec3::splat(2.0),
        };
        let bound = |y: f32| {
            Affine3A::from_rotation_translation(
                glam::Quat::from_rotation_x(0.5),
                Vec3::new(0.0, y, 1.0),
            )
        };
        let skin = Skin {
            name: None,
            joints: vec![1, 2],
            joint_from_mesh: vec![bound(1.0).inverse(), bound(4.0).inverse()],
        };
        let rest = [at(1.0, 0.0), at(0.0, 1.0), at(0.5, 1.0)];
        Model { skins: vec![skin], ..Model::from_nodes(&[None, Some(0), Some(1)], rest).unwrap() }
    }

    #[test]
    fn joints_are_where_the_matrices_put_them_and_the_first_one_stays() {
        let model = model();
        let rest = Stage::new(&model, 0);
        let mut stage = rest.clone();
        let pose = bind_pose(&model, &rest);
        stage.pose_with(&model, PoseSource::Transforms(&pose), None, |_| {});
        let joint = |stage: &Stage, i: usize| {
            stage.scene_from_node(i + 1) * model.skins[0].joint_from_mesh[i]
        };
        let wanted = joint(&rest, 0);
        for i in 0..2 {
            assert!(joint(&stage, i).abs_diff_eq(wanted, 1e-5), "{i}");
        }
        assert!(!joint(&rest, 1).abs_diff_eq(wanted, 0.1));
        assert_eq!(pose.transform(0), model.rest.transform(0));
    }
}
