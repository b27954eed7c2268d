//! Nodes and scenes.

use glam::Affine3A;

/// A node's contents. Its transform is stored in the model's rest pose, its parent in the hierarchy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// The node's name; may be empty, or shared by other nodes.
    pub name: Option<String>,
    /// The mesh that the node draws.
    pub mesh: Option<usize>,
    /// Matrices of the mesh's instances, relative to the node. If empty, the mesh is drawn once at the
    /// node. Always empty for a skinned mesh.
    pub instances: Vec<Affine3A>,
    /// The skin that moves the mesh; the node's own transform is then ignored.
    pub skin: Option<usize>,
    /// The camera, which looks along the node's -Z.
    pub camera: Option<usize>,
    /// The light (KHR_lights_punctual), which shines along the node's -Z.
    pub light: Option<usize>,
    /// Whether the node and its descendants are hidden, including lights (KHR_node_visibility).
    pub hidden: bool,
}

/// A set of nodes that are shown together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The scene's name.
    pub name: Option<String>,
    /// Its root nodes, each once.
    pub roots: Vec<usize>,
}
