//! Nodes and scenes.

use glam::Affine3A;

/// What hangs at a place of the node tree. Its transform is in the model's rest pose, its parent
/// in the hierarchy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// The file's name for it; may be empty or shared.
    pub name: Option<String>,
    /// A mesh drawn here.
    pub mesh: Option<usize>,
    /// Where the mesh is drawn, against this node, instead of once at the node itself; empty
    /// without instances, and of a skinned mesh.
    pub instances: Vec<Affine3A>,
    /// The skin that moves the mesh; the node's own transform is then ignored.
    pub skin: Option<usize>,
    /// A camera that looks along the node's -Z.
    pub camera: Option<usize>,
    /// A light of KHR_lights_punctual that shines along the node's -Z.
    pub light: Option<usize>,
    /// Whether neither it nor anything below it is drawn or shines (KHR_node_visibility).
    pub hidden: bool,
}

/// A set of nodes to be shown together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The file's name for it.
    pub name: Option<String>,
    /// Its root nodes, each once.
    pub roots: Vec<usize>,
}
