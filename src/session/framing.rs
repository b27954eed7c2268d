//! The extent of a scene over a clip, and the view of a camera of the file.

use glam::{DAffine3, DVec3};

use super::camera::projection_around;
use crate::anim::Clip;
use crate::look::View;
use crate::model::{Model, Projection, Stage, clip_hull, pose_hull};

/// Returns the outermost points of a scene over a whole clip (or at rest), in scene space. Leaves the stage
/// in another pose.
pub fn scene_hull(model: &Model, stage: &mut Stage, clip: Option<&Clip>) -> Vec<DVec3> {
    let points = clip_hull(model, stage, clip);
    points.into_iter().map(|p| p.as_dvec3() + stage.origin).collect()
}

/// Returns the outermost points of a posed scene, in scene space.
pub fn instant_hull(model: &Model, stage: &Stage) -> Vec<DVec3> {
    pose_hull(model, stage).into_iter().map(|p| p.as_dvec3() + stage.origin).collect()
}

/// Returns the view of a camera of the file in the stage's pose; `None` if no node of the scene has that
/// camera. A missing far plane is placed behind the box `(min, max)`.
pub fn file_camera_view(
    model: &Model,
    stage: &Stage,
    camera: usize,
    (min, max): (DVec3, DVec3),
) -> Option<View> {
    let node = *stage.nodes.iter().find(|n| model.nodes[**n].camera == Some(camera))?;
    let placed = *stage.world.world_from_node(node);
    let eye = glam::Vec3::from(placed.translation).as_dvec3() + stage.origin;
    // Only position and direction count: a scaled or sheared node does not distort the projection.
    let column = |c: glam::Vec3A| glam::Vec3::from(c).as_dvec3();
    let back = column(placed.matrix3.z_axis).try_normalize().unwrap_or(DVec3::Z);
    let axes = View::look_at(DVec3::ZERO, -back, column(placed.matrix3.y_axis), unit_lens());
    let world_from_camera = DAffine3::from_mat3_translation(axes.world_from_camera.matrix3, eye);
    let projection = match stage.properties.cameras[camera].projection {
        Projection::Perspective { fov_y, aspect, near, far: None } => {
            projection_around(eye, -back, min, max, |_, far| Projection::Perspective {
                fov_y,
                aspect,
                near,
                far: Some(far.max(near * 1.001)),
            })
        }
        given => given,
    };
    Some(View { world_from_camera, projection, shift: glam::DVec2::ZERO })
}

fn unit_lens() -> Projection {
    Projection::Orthographic { half_width: 1.0, half_height: 1.0, near: 0.0, far: 1.0 }
}
