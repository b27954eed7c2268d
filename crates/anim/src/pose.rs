//! Poses: the transforms of all nodes at one instant, relative to their parents or in the scene.

use std::slice::{from_mut, from_ref};
use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3};

use super::lanes::{F32x8, LANES, Matrix};

/// A node's translation, rotation and scale relative to its parent. It composes as `T * R * S`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// In the parent's units of length.
    pub translation: Vec3,
    /// A unit quaternion.
    pub rotation: Quat,
    /// Factors along the node's own axes. They may be 0 or negative.
    pub scale: Vec3,
}

impl Transform {
    /// The transform that changes nothing.
    pub const IDENTITY: Self =
        Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// Returns the matrix `T * R * S`.
    #[inline]
    pub fn parent_from_node(&self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

/// The transforms of all nodes relative to their parents, in the file's node order, with the nodes'
/// morph weights and the values of property slots. The model defines what a slot means.
///
/// Eight nodes are stored side by side with one row for each of their ten numbers, so that sampling
/// and resolving process eight nodes at a time.
#[derive(Clone, Debug)]
pub struct LocalPose {
    /// [`ROWS`] rows per eight nodes. The lanes past the last node are padding with any values.
    rows: Vec<F32x8>,
    nodes: usize,
    /// The morph weights of all nodes in order.
    weights: Vec<f32>,
    /// Index of each node's first weight, and the total count.
    weight_offsets: Arc<[u32]>,
    /// The values of all property slots in order.
    properties: Vec<f32>,
    /// Index of each slot's first value, and the total count.
    property_offsets: Arc<[u32]>,
}

/// Rows per eight nodes: three for the translation, four for the rotation, three for the scale.
pub(super) const ROWS: usize = 10;
/// Index of the first row of the rotation.
pub(super) const ROTATION: usize = 3;
/// Index of the first row of the scale.
pub(super) const SCALE: usize = 7;

impl Default for LocalPose {
    /// Returns a pose without nodes.
    fn default() -> Self {
        Self::new(Vec::new(), &[[0.0; 0]; 0])
    }
}

impl PartialEq for LocalPose {
    fn eq(&self, other: &Self) -> bool {
        self.is_like(other)
            && (0..self.nodes).all(|node| self.transform(node) == other.transform(node))
            && self.weights == other.weights
            && self.properties == other.properties
    }
}

impl LocalPose {
    /// Makes a pose of one transform and one list of morph weights per node. The list is empty if
    /// the node has no morph targets.
    ///
    /// # Panics
    /// If the two differ in length.
    pub fn new(transforms: Vec<Transform>, weights: &[impl AsRef<[f32]>]) -> Self {
        assert_eq!(transforms.len(), weights.len(), "one list of weights per node");
        let nodes = transforms.len();
        let mut pose = Self {
            rows: vec![F32x8::default(); nodes.div_ceil(LANES) * ROWS],
            nodes,
            weights: weights.iter().flat_map(|list| list.as_ref()).copied().collect(),
            weight_offsets: offsets(weights),
            properties: Vec::new(),
            property_offsets: offsets::<[f32; 0]>(&[]),
        };
        let padded = transforms.into_iter().chain(std::iter::repeat(Transform::IDENTITY));
        for (node, transform) in (0..nodes.next_multiple_of(LANES)).zip(padded) {
            pose.write_lane(node, 0, &transform.translation.to_array());
            pose.write_lane(node, ROTATION, &transform.rotation.to_array());
            pose.write_lane(node, SCALE, &transform.scale.to_array());
        }
        pose
    }

    /// Returns the pose with these property slots instead of its own.
    pub fn with_properties(self, values: &[Vec<f32>]) -> Self {
        Self { properties: values.concat(), property_offsets: offsets(values), ..self }
    }

    /// Returns the number of nodes.
    #[inline]
    pub fn len(&self) -> usize {
        self.nodes
    }

    /// Whether it has no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes == 0
    }

    /// Returns a node's transform.
    ///
    /// # Panics
    /// If the index is out of range, like all methods that take a node.
    #[inline]
    pub fn transform(&self, node: usize) -> Transform {
        Transform {
            translation: Vec3::from_array(self.get(node, 0)),
            rotation: Quat::from_array(self.get(node, ROTATION)),
            scale: Vec3::from_array(self.get(node, SCALE)),
        }
    }

    /// Sets a node's transform.
    #[inline]
    pub fn set_transform(&mut self, node: usize, transform: Transform) {
        self.set_translation(node, transform.translation);
        self.set_rotation(node, transform.rotation);
        self.set_scale(node, transform.scale);
    }

    /// Sets a node's translation.
    #[inline]
    pub fn set_translation(&mut self, node: usize, translation: Vec3) {
        assert!(node < self.nodes, "node {node} is out of range; node count: {}", self.nodes);
        self.write_lane(node, 0, &translation.to_array());
    }

    /// Sets a node's rotation, a unit quaternion.
    #[inline]
    pub fn set_rotation(&mut self, node: usize, rotation: Quat) {
        assert!(node < self.nodes, "node {node} is out of range; node count: {}", self.nodes);
        self.write_lane(node, ROTATION, &rotation.to_array());
    }

    /// Sets a node's scale.
    pub fn set_scale(&mut self, node: usize, scale: Vec3) {
        assert!(node < self.nodes, "node {node} is out of range; node count: {}", self.nodes);
        self.write_lane(node, SCALE, &scale.to_array());
    }

    /// Returns a node's morph weights; empty if its mesh has no morph targets.
    #[inline]
    pub fn weights(&self, node: usize) -> &[f32] {
        &self.weights[self.weight_range(node)]
    }

    /// Returns a node's morph weights for writing.
    pub fn weights_mut(&mut self, node: usize) -> &mut [f32] {
        let range = self.weight_range(node);
        &mut self.weights[range]
    }

    /// Returns a property slot's values.
    ///
    /// # Panics
    /// If the index is out of range.
    #[inline]
    pub fn property(&self, slot: usize) -> &[f32] {
        &self.properties[self.property_range(slot)]
    }

    /// Returns a property slot's values for writing.
    ///
    /// # Panics
    /// If the index is out of range.
    pub fn property_mut(&mut self, slot: usize) -> &mut [f32] {
        let range = self.property_range(slot);
        &mut self.properties[range]
    }

    /// Whether any scale is negative. If not, no node mirrors its subtree.
    pub fn has_negative_scale(&self) -> bool {
        let scales = self.rows.chunks_exact(ROWS).flat_map(|eight| &eight[SCALE..]);
        scales.fold(false, |any, row| row.0.iter().fold(any, |any, scale| any | (*scale < 0.0)))
    }

    /// Whether both poses have the same numbers of nodes, of weights per node and of values per
    /// property slot.
    pub fn is_like(&self, other: &Self) -> bool {
        self.nodes == other.nodes
            && self.weight_offsets == other.weight_offsets
            && self.property_offsets == other.property_offsets
    }

    /// Copies the values of another pose without allocating.
    ///
    /// # Panics
    /// If the poses differ in shape ([`LocalPose::is_like`]).
    pub fn copy_from(&mut self, other: &Self) {
        self.rows.copy_from_slice(&other.rows);
        self.copy_weights_from(other);
    }

    /// Copies only the morph weights and properties.
    pub(super) fn copy_weights_from(&mut self, other: &Self) {
        self.weights.copy_from_slice(&other.weights);
        self.properties.copy_from_slice(&other.properties);
    }

    /// Returns [`ROWS`] rows per eight nodes.
    pub(super) fn rows(&self) -> &[F32x8] {
        &self.rows
    }

    /// Returns the rows for writing.
    pub(super) fn rows_mut(&mut self) -> &mut [F32x8] {
        &mut self.rows
    }

    #[inline]
    fn get<const N: usize>(&self, node: usize, first: usize) -> [f32; N] {
        assert!(node < self.nodes, "node {node} is out of range; node count: {}", self.nodes);
        let row = node / LANES * ROWS + first;
        std::array::from_fn(|i| self.rows[row + i].0[node % LANES])
    }

    #[inline]
    fn write_lane(&mut self, node: usize, first: usize, values: &[f32]) {
        let row = node / LANES * ROWS + first;
        for (row, value) in self.rows[row..].iter_mut().zip(values) {
            row.0[node % LANES] = *value;
        }
    }

    /// Returns the number of lists: one per morph weight, node by node, then one per property slot.
    /// A blend weight applies to a whole list.
    pub(super) fn list_count(&self) -> usize {
        self.weights.len() + self.property_offsets.len() - 1
    }

    pub(super) fn list(&self, list: usize) -> &[f32] {
        match list.checked_sub(self.weights.len()) {
            None => from_ref(&self.weights[list]),
            Some(slot) => self.property(slot),
        }
    }

    pub(super) fn list_mut(&mut self, list: usize) -> &mut [f32] {
        match list.checked_sub(self.weights.len()) {
            None => from_mut(&mut self.weights[list]),
            Some(slot) => self.property_mut(slot),
        }
    }

    /// Returns the index of each node's first list, and at the end that of the first property slot.
    pub(super) fn weight_offsets(&self) -> &Arc<[u32]> {
        &self.weight_offsets
    }

    fn weight_range(&self, node: usize) -> std::ops::Range<usize> {
        self.weight_offsets[node] as usize..self.weight_offsets[node + 1] as usize
    }

    fn property_range(&self, slot: usize) -> std::ops::Range<usize> {
        self.property_offsets[slot] as usize..self.property_offsets[slot + 1] as usize
    }
}

/// Returns the index of the first value of each list in their concatenation, and its total length.
fn offsets<T: AsRef<[f32]>>(lists: &[T]) -> Arc<[u32]> {
    let ends = lists.iter().scan(0, |end, list| {
        *end += list.as_ref().len() as u32;
        Some(*end)
    });
    [0].into_iter().chain(ends).collect()
}

/// The matrices of all nodes in the scene, in the file's node order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldPose {
    /// A multiple of eight; those past the last node are padding.
    matrices: Vec<Matrix>,
}

impl WorldPose {
    /// Returns the matrix from a node to the scene, relative to the origin that was passed to
    /// [`crate::Hierarchy::resolve`].
    ///
    /// # Panics
    /// If the index is out of range.
    #[inline]
    pub fn world_from_node(&self, node: usize) -> &Affine3A {
        &self.matrices[node].0
    }

    /// Applies a transform to the whole pose, about the origin that it is relative to.
    pub fn turn(&mut self, turn: &Affine3A) {
        self.matrices.iter_mut().for_each(|matrix| matrix.0 = *turn * matrix.0);
    }

    /// Returns the matrices for this many nodes, padded to a multiple of eight, for writing.
    pub(super) fn padded_mut(&mut self, nodes: usize) -> &mut [Matrix] {
        self.matrices.resize(nodes.next_multiple_of(LANES), Matrix::default());
        &mut self.matrices
    }

    /// Returns all matrices, with padding.
    pub(super) fn matrices(&self) -> &[Matrix] {
        &self.matrices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two nodes with three morph weights, and two property slots.
    fn pose() -> LocalPose {
        LocalPose::new(vec![Transform::IDENTITY; 2], &[vec![0.0], vec![0.0; 2]])
            .with_properties(&[vec![0.0; 3], vec![0.0]])
    }

    #[test]
    fn a_negative_scale_of_any_axis_of_any_node_is_found() {
        let plain = LocalPose::new(vec![Transform::IDENTITY; 11], &vec![vec![]; 11]);
        assert!(!plain.has_negative_scale());
        let mut flat = plain.clone();
        flat.set_scale(3, Vec3::ZERO);
        flat.set_translation(3, -Vec3::ONE);
        assert!(!flat.has_negative_scale());
        for node in [0, 7, 10] {
            for axis in 0..3 {
                let mut mirrored = plain.clone();
                let mut scale = Vec3::ONE;
                scale[axis] = -0.5;
                mirrored.set_scale(node, scale);
                assert!(mirrored.has_negative_scale(), "axis {axis} of node {node}");
                mirrored.set_scale((node + 1) % 11, -Vec3::ONE);
                assert!(mirrored.has_negative_scale(), "axis {axis} of node {node} and the next");
            }
        }
    }

    #[test]
    fn poses_of_one_shape_are_alike_and_with_the_same_values_equal() {
        let transforms = |n| vec![Transform::IDENTITY; n];
        let others = [
            LocalPose::new(transforms(3), &[vec![0.0], vec![0.0; 2], vec![]])
                .with_properties(&[vec![0.0; 3], vec![0.0]]),
            LocalPose::new(transforms(2), &[vec![0.0; 2], vec![0.0]])
                .with_properties(&[vec![0.0; 3], vec![0.0]]),
            pose().with_properties(&[vec![0.0], vec![0.0; 3]]),
        ];
        for other in others {
            assert!(!pose().is_like(&other) && pose() != other, "{other:?}");
        }
        let mut values: [LocalPose; 5] = std::array::from_fn(|_| pose());
        values[0].set_translation(1, Vec3::X);
        values[1].set_rotation(0, Quat::from_xyzw(1.0, 0.0, 0.0, 0.0));
        values[2].set_scale(1, Vec3::ZERO);
        values[3].weights_mut(1)[1] = 1.0;
        values[4].property_mut(0)[2] = 1.0;
        for other in values {
            assert!(pose().is_like(&other) && pose() != other, "{other:?}");
        }
        assert!(pose() == pose() && !pose().is_empty() && LocalPose::default().is_empty());
    }

    #[test]
    fn each_weight_and_each_property_slot_is_a_list() {
        let mut pose = pose();
        assert_eq!(pose.list_count(), 5);
        pose.list_mut(2)[0] = 0.5;
        pose.list_mut(3).copy_from_slice(&[1.0, 2.0, 3.0]);
        assert_eq!((pose.weights(1), pose.list(2)), (&[0.0, 0.5][..], &[0.5][..]));
        assert_eq!((pose.property(0), pose.property(1)), (&[1.0, 2.0, 3.0][..], &[0.0][..]));
    }

    #[test]
    fn a_turned_pose_is_turned_about_its_origin() {
        let tree = crate::Hierarchy::new(vec![None, Some(0)], vec![]).unwrap();
        let (mut local, mut world) = (pose(), WorldPose::default());
        local.set_translation(0, Vec3::X);
        local.set_translation(1, Vec3::X);
        tree.resolve(&local, glam::DVec3::ZERO, &mut world);
        world.turn(&Affine3A::from_rotation_z(std::f32::consts::FRAC_PI_2));
        let tip = world.world_from_node(1).transform_point3(Vec3::X);
        assert!((tip - 3.0 * Vec3::Y).length() < 1e-6, "{tip}");
    }
}
