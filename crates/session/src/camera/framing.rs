//! The extent of a scene over a clip, and the view of a camera of the file.

use glam::{DAffine3, DVec3};

use super::file_camera::FileCamera;
use super::orbit::projection_around;
use rigview_anim::Clip;
use rigview_look::View;
use rigview_model::{HeldRoot, Model, Projection, SceneBox, Stage, clip_hull, pose_hull};

/// Returns the outermost points of a scene over a whole clip (or at rest), in scene space. A root may be held in its
/// place. Leaves the stage in another pose.
pub fn scene_hull(
    model: &Model,
    stage: &mut Stage,
    clip: Option<&Clip>,
    held: Option<HeldRoot>,
) -> Vec<DVec3> {
    let points = clip_hull(model, stage, clip, held);
    points.into_iter().map(|p| p.as_dvec3() + stage.origin).collect()
}

/// Returns the outermost points of a posed scene, in scene space.
pub fn instant_hull(model: &Model, stage: &Stage) -> Vec<DVec3> {
    pose_hull(model, stage).into_iter().map(|p| p.as_dvec3() + stage.origin).collect()
}

/// Returns the view of a camera of the file in the stage's pose; `None` if no node of the scene has that
/// camera. A missing far plane is placed behind the box.
pub fn file_camera_view(
    model: &Model,
    stage: &Stage,
    camera: FileCamera,
    bounds: SceneBox,
) -> Option<View> {
    let (node, camera) = camera.place(model, &stage.nodes)?;
    let placed = *stage.world.world_from_node(node);
    let eye = glam::Vec3::from(placed.translation).as_dvec3() + stage.origin;
    // Only position and direction count: a scaled or sheared node does not distort the projection.
    let column = |c: glam::Vec3A| glam::Vec3::from(c).as_dvec3();
    let back = column(placed.matrix3.z_axis).try_normalize().unwrap_or(DVec3::Z);
    let axes = View::look_at(DVec3::ZERO, -back, column(placed.matrix3.y_axis), unit_lens());
    let world_from_camera = DAffine3::from_mat3_translation(axes.world_from_camera.matrix3, eye);
    let projection = match stage.properties.cameras[camera].projection {
        Projection::Perspective { fov_y, aspect, near, far: None } => {
            projection_around(eye, -back, bounds, |_, far| Projection::Perspective {
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

/// Returns the box of a node and everything below it in the stage's pose, in scene space: of its meshes, and for a
/// joint, of the joints below it. It has at least a twentieth of the size of `whole`, the box of the model. `None` if
/// there is no such node, or its place is not finite.
pub(crate) fn node_box(
    model: &Model,
    stage: &Stage,
    node: usize,
    whole: SceneBox,
) -> Option<SceneBox> {
    /// Smallest edge, as a fraction of the diagonal of the model's box.
    const LEAST: f64 = 0.05;
    let joints = stage.joints(model);
    let is_joint = |node: &usize| joints.binary_search(node).is_ok();
    let own = (0..model.nodes.len()).map(|i| i == node).collect();
    let inside = model.hierarchy.with_descendants(own);
    let mut points = Vec::new();
    for below in model.hierarchy.parents_first().filter(|node| inside[*node]) {
        let mesh = stage.node_bounds(model, below);
        if !mesh.is_empty() {
            points.extend([mesh.min, mesh.max]);
        }
        if is_joint(&below) {
            points.push(stage.position(below));
        }
    }
    if points.is_empty() {
        points.extend((node < model.nodes.len()).then(|| stage.position(node)));
    }
    let points: Vec<DVec3> = points.into_iter().map(|p| p.as_dvec3() + stage.origin).collect();
    let bounds = SceneBox::around(&points)?;
    let least = LEAST * whole.size().length();
    let room = 0.5 * (least - bounds.size().max_element()).max(0.0);
    Some(bounds.grown(DVec3::splat(room)))
}

pub(crate) fn unit_lens() -> Projection {
    Projection::Orthographic { half_width: 1.0, half_height: 1.0, near: 0.0, far: 1.0 }
}
