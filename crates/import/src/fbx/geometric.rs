//! Geometric transforms, which move what a node shows but not its children. They are applied to the vertices of a mesh that
//! one node shows, and are a node of their own if several nodes do. Skins have them in the matrices of their clusters.

use ufbx::{Matrix, Mesh, Node, Vec3};

/// The geometric transform of a mesh that is shown by one node and has no skin.
#[derive(Clone, Copy)]
pub(super) struct Geometric {
    node_from_geometry: Matrix,
    /// For normals, which are perpendicular to surfaces also after an uneven scale.
    for_normals: Matrix,
    /// What gives normals their length again, exactly if the scale is even.
    normal_scale: f64,
}

impl Geometric {
    /// Returns the transform to apply to the vertices of a mesh without a skin, if any.
    pub fn of(mesh: &Mesh) -> Option<Self> {
        let mut nodes = mesh.element.instances.iter();
        let (Some(node), None) = (nodes.next(), nodes.next()) else { return None };
        if !node.has_geometry_transform {
            return None;
        }
        let for_normals = ufbx::matrix_for_normals(&node.geometry_to_node);
        let size = ufbx::matrix_determinant(&for_normals).abs().cbrt();
        let normal_scale = if size.is_normal() { size.recip() } else { 1.0 };
        Some(Self { node_from_geometry: node.geometry_to_node, for_normals, normal_scale })
    }

    /// Whether it turns triangles inside out.
    pub fn mirrors(&self) -> bool {
        ufbx::matrix_determinant(&self.node_from_geometry) < 0.0
    }

    pub fn position(&self, position: Vec3) -> Vec3 {
        ufbx::transform_position(&self.node_from_geometry, position)
    }

    /// Transforms the offset of a position by a blend shape.
    pub fn offset(&self, offset: Vec3) -> Vec3 {
        ufbx::transform_direction(&self.node_from_geometry, offset)
    }

    /// Transforms a normal, or its offset by a blend shape.
    pub fn normal(&self, normal: Vec3) -> Vec3 {
        let Vec3 { x, y, z } = ufbx::transform_direction(&self.for_normals, normal);
        Vec3 { x: x * self.normal_scale, y: y * self.normal_scale, z: z * self.normal_scale }
    }
}

/// Whether a node needs another one below it for the mesh that it shows, which has no skin.
pub(super) fn is_apart(mesh: &Mesh, node: &Node) -> bool {
    node.has_geometry_transform && mesh.element.instances.len() > 1
}
