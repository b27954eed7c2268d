//! Another unit and other axes for a whole document.

use std::collections::HashSet;

use glam::{Mat3, Quat, Vec3};
use serde_json::{Value, json};

use super::ExportError;
use super::parts::{index, items, push};

/// A uniform scale, and a turn by quarters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Lengths are multiplied by this.
    pub scale: f32,
    /// The turn of the scene.
    pub rotation: Quat,
}

impl Frame {
    /// Neither scales nor turns.
    pub const IDENTITY: Self = Self { scale: 1.0, rotation: Quat::IDENTITY };

    /// Makes `up` the Y axis and `front` the Z axis. Without a front, that of the shortest turn is taken. Returns
    /// `None` if both are the same axis.
    pub fn new(scale: f32, up: Vec3, front: Option<Vec3>) -> Option<Self> {
        let front = front.unwrap_or_else(|| match up.z {
            0.0 => Vec3::Z,
            z => -z * Vec3::Y,
        });
        if up.dot(front) != 0.0 {
            return None;
        }
        let right = up.cross(front);
        let rotation = Quat::from_mat3(&Mat3::from_cols(right, up, front).transpose());
        Some(Self { scale, rotation })
    }
}

/// Puts the nodes of each scene of a document below one that scales and turns them. Skinned meshes stay at the top, since
/// their joints alone place them. Returns the indices of the new nodes.
///
/// # Errors
/// If a node is in several scenes.
pub fn put_frame(root: &mut Value, frame: Frame) -> Result<Vec<usize>, ExportError> {
    let mut next = super::parts::count(root, "nodes");
    let is_skinned = |node: &mut Value| {
        let children = node.get("children").and_then(Value::as_array);
        node.get("skin").is_some() && children.is_none_or(Vec::is_empty)
    };
    let is_skinned: Vec<bool> = items(root, "nodes").map(is_skinned).collect();
    let (mut nodes, mut seen) = (Vec::new(), HashSet::new());
    for scene in items(root, "scenes") {
        let Some(roots) = scene.get("nodes").and_then(Value::as_array).cloned() else { continue };
        let stays = |root: &Value| index(root).and_then(|i| is_skinned.get(i)) == Some(&true);
        let (mut top, roots): (Vec<Value>, Vec<Value>) = roots.into_iter().partition(stays);
        if roots.is_empty() {
            continue;
        }
        if !roots.iter().filter_map(index).all(|root| seen.insert(root)) {
            return Err(ExportError::SharedRoots);
        }
        nodes.push(json!({
            "name": "scale and axes",
            "children": roots,
            "rotation": frame.rotation.to_array(),
            "scale": [frame.scale, frame.scale, frame.scale],
        }));
        top.push(next.into());
        scene["nodes"] = top.into();
        next += 1;
    }
    let count = nodes.len();
    push(root, "nodes", nodes);
    Ok((next - count..next).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_are_put_below_a_node_each_without_skinned_meshes() {
        let mut root = json!({
            "nodes": [{"mesh": 0, "skin": 0}, {"children": [2]}, {}, {"mesh": 0}],
            "scenes": [{"nodes": [0, 1]}, {"nodes": [3]}, {}],
        });
        let frame = Frame::new(2.0, Vec3::Y, None).unwrap();
        let shared = json!({ "nodes": [{}], "scenes": [{"nodes": [0]}, {"nodes": [0]}] });
        assert_eq!(put_frame(&mut shared.clone(), frame), Err(ExportError::SharedRoots));
        assert_eq!(put_frame(&mut root, frame), Ok(vec![4, 5]));
        assert_eq!(root["scenes"], json!([{"nodes": [0, 4]}, {"nodes": [5]}, {}]));
        assert_eq!(root["nodes"][4]["children"], json!([1]));
        assert_eq!(root["nodes"][4]["scale"], json!([2.0, 2.0, 2.0]));
    }

    #[test]
    fn axes_become_those_of_gltf() {
        for (up, front) in [
            (Vec3::Z, None),
            (Vec3::Z, Some(Vec3::NEG_Y)),
            (Vec3::NEG_Z, None),
            (Vec3::X, None),
            (Vec3::NEG_Y, Some(Vec3::X)),
        ] {
            let turn = Frame::new(2.0, up, front).unwrap().rotation;
            assert!((turn * up).distance(Vec3::Y) < 1e-6, "{up} {front:?}");
            if let Some(front) = front {
                assert!((turn * front).distance(Vec3::Z) < 1e-6, "{up} {front:?}");
            }
        }
        let default = Frame::new(1.0, Vec3::Z, None).unwrap().rotation;
        assert!((default * Vec3::NEG_Y).distance(Vec3::Z) < 1e-6);
        assert!((default * Vec3::X).distance(Vec3::X) < 1e-6);
        assert_eq!(Frame::new(1.0, Vec3::Y, None), Some(Frame::IDENTITY));
        assert_eq!(Frame::new(1.0, Vec3::Y, Some(Vec3::NEG_Y)), None);
    }
}
