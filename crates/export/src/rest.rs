//! Writes a pose into a file's nodes, as its rest pose.

use serde_json::{Value, json};

use super::ExportError;
use rigview_anim::LocalPose;
use rigview_document::items;
use rigview_model::Model;

/// Makes a pose the rest pose of a model and of its file. Nodes that the pose leaves as they are stay so, byte for byte;
/// the matrix of one that it changes becomes translation, rotation and scale.
///
/// # Errors
/// If the import did not keep the original file.
///
/// # Panics
/// If the pose is of another rig.
pub fn set_rest(model: &mut Model, pose: &LocalPose) -> Result<(), ExportError> {
    assert!(pose.is_like(&model.rest), "the pose is of another rig");
    let original = model.source.original.as_mut().ok_or(ExportError::NotKept)?;
    let mut root: Value =
        serde_json::from_str(&original.json).map_err(|e| ExportError::Document(e.to_string()))?;
    for (i, node) in items(&mut root, "nodes").enumerate().take(pose.len()) {
        let Some(node) = node.as_object_mut() else { continue };
        let at = pose.transform(i);
        if at != model.rest.transform(i) {
            node.remove("matrix");
            node.insert("translation".into(), json!(at.translation.to_array()));
            node.insert("rotation".into(), json!(at.rotation.to_array()));
            node.insert("scale".into(), json!(at.scale.to_array()));
        }
        if pose.weights(i) != model.rest.weights(i) {
            node.insert("weights".into(), json!(pose.weights(i)));
        }
    }
    original.json = root.to_string();
    model.rest.copy_from(pose);
    Ok(())
}
