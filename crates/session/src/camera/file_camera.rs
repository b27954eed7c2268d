//! The cameras of a file, and the points of a scene that a view has to show.

use glam::{DAffine3, DVec3};
use serde::{Deserialize, Serialize};

use crate::camera::orbit::projection_around;
use crate::named_or_numbered;
use crate::same_part::{node_again, same_part};
use rigview_anim::Clip;
use rigview_look::View;
use rigview_model::{HeldRoot, Model, Projection, SceneBox, Stage, clip_hull, pose_hull};

/// A camera of the file, at a node of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FileCamera {
    /// The camera of this index, at the first node of the scene that has it.
    First(usize),
    /// The camera of a node that is not the first one with it.
    Further {
        /// Index of the node.
        node: usize,
    },
}

impl FileCamera {
    /// Returns the cameras at a scene's nodes: each at its first node, in file order, then those at further nodes.
    pub fn all(model: &Model, nodes: &[usize]) -> Vec<Self> {
        let mut met = vec![false; model.cameras.len()];
        let at = |node: &usize| {
            let camera = model.nodes[*node].camera?;
            let is_further = std::mem::replace(&mut met[camera], true);
            Some(if is_further { Self::Further { node: *node } } else { Self::First(camera) })
        };
        let mut cameras: Vec<Self> = nodes.iter().filter_map(at).collect();
        cameras.sort_unstable();
        cameras
    }

    /// Returns the camera that is named so: by its own name, by its index, or else by the name of its node in the scene.
    pub fn named(model: &Model, nodes: &[usize], wanted: &str) -> Option<Self> {
        let is_named = |node: &&usize| model.nodes[**node].name.as_deref() == Some(wanted);
        let mut at_nodes = nodes.iter().filter(is_named).filter_map(|n| Self::at(model, nodes, *n));
        let own = named_or_numbered(model.camera_names(), wanted).map(Self::First);
        own.or_else(|| at_nodes.next())
    }

    /// Returns the camera of a node among these nodes of a scene.
    fn at(model: &Model, nodes: &[usize], node: usize) -> Option<Self> {
        let camera = model.nodes[node].camera?;
        let first = Self::First(camera);
        let is_first = first.find(model, nodes).is_some_and(|(of, _)| of == node);
        Some(if is_first { first } else { Self::Further { node } })
    }

    /// Returns its node and its index; `None` if none of the scene's nodes has it.
    pub fn find(self, model: &Model, nodes: &[usize]) -> Option<(usize, usize)> {
        let has = |node: &&usize| match self {
            Self::First(camera) => model.nodes[**node].camera == Some(camera),
            Self::Further { node: wanted } => **node == wanted,
        };
        let node = *nodes.iter().find(has)?;
        Some((node, model.nodes[node].camera?))
    }

    /// Finds it at a scene's nodes in another version of the model: by index and name of the camera, or of the further node,
    /// which may be the first one now.
    pub(crate) fn again(self, before: &Model, after: &Model, nodes: &[usize]) -> Option<Self> {
        match self {
            Self::First(camera) => {
                let name = before.cameras.get(camera)?.name.as_deref();
                same_part(camera, name, after.camera_names()).map(Self::First)
            }
            Self::Further { node } => {
                node_again(node, before, after).and_then(|node| Self::at(after, nodes, node))
            }
        }
    }
}

/// Returns the outermost points of a scene over a whole clip (or at rest), in scene space. A root may be held in its
/// place. Leaves the stage in another pose.
pub(crate) fn scene_hull(
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
pub(crate) fn file_camera_view(
    model: &Model,
    stage: &Stage,
    camera: FileCamera,
    bounds: SceneBox,
) -> Option<View> {
    let (node, camera) = camera.find(model, &stage.nodes)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::model;

    #[test]
    fn a_camera_of_several_nodes_is_found_at_each_of_them() {
        let mut model = model();
        model.nodes[0].camera = Some(0);
        model.nodes[0].name = Some("left".into());
        model.nodes[1].name = Some("right".into());
        let nodes = [0, 1];
        let [first, further] = [FileCamera::First(0), FileCamera::Further { node: 1 }];
        assert_eq!(FileCamera::all(&model, &nodes), [first, further]);
        let named = |wanted: &str| FileCamera::named(&model, &nodes, wanted);
        assert_eq!([named("Shot"), named("left"), named("0")], [Some(first); 3]);
        assert_eq!((named("right"), named("1"), named("up")), (Some(further), None, None));
        assert_eq!(first.find(&model, &nodes), Some((0, 0)));
        assert_eq!(further.find(&model, &nodes), Some((1, 0)));
        // In a scene without the first node, the other one is the first.
        assert_eq!(FileCamera::named(&model, &[1], "right"), Some(first));
        assert_eq!(further.find(&model, &[0]), None);
        let mut after = model.clone();
        after.nodes.swap(0, 1);
        assert_eq!(further.again(&model, &after, &[0, 1]), Some(first));
        assert_eq!(further.again(&model, &after, &[1, 0]), Some(FileCamera::Further { node: 0 }));
        // Without the first node, the further one is the first.
        assert_eq!(further.again(&model, &model, &[1]), Some(first));
        assert_eq!(further.again(&model, &model, &nodes), Some(further));
        after.nodes[0].camera = None;
        assert_eq!(further.again(&model, &after, &nodes), None);
        let text = serde_json::to_string(&[first, further]).unwrap();
        assert_eq!(text, r#"[0,{"node":1}]"#);
        assert_eq!(serde_json::from_str::<Vec<FileCamera>>(&text).unwrap(), [first, further]);
    }
}
