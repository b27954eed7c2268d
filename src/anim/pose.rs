//! A pose: where every node is at one instant, seen from its parent or from the scene.

use std::slice::{from_mut, from_ref};
use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3};

use super::lanes::{Eight, LANES};

/// A node's translation, rotation and scale against its parent. It composes as `T * R * S`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// In the parent's lengths.
    pub translation: Vec3,
    /// A unit quaternion.
    pub rotation: Quat,
    /// Factors along the node's own axes; may be 0 or negative.
    pub scale: Vec3,
}

impl Transform {
    /// Changes nothing.
    pub const IDENTITY: Self =
        Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// The matrix `T * R * S`.
    pub fn parent_from_node(&self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

/// The transforms of all nodes against their parents, in the file's node order, and the morph
/// weights of those that have morph targets; and the values of property slots, numbers whose
/// meaning is not for this room.
///
/// Eight nodes lie side by side, each of their ten numbers a row of its own, so that sampling and
/// resolving do eight nodes at once.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalPose {
    /// Ten rows to eight nodes; the nodes that fill up the last eight are at rest.
    rows: Vec<Eight>,
    nodes: usize,
    /// All nodes' morph weights, one after the other.
    weights: Vec<f32>,
    /// Where each node's weights begin, and at the end where the last one's stop.
    weight_offsets: Arc<[u32]>,
    /// All property slots' values, one after the other, and where each one's begin, with the end.
    properties: Vec<f32>,
    property_offsets: Arc<[u32]>,
}

/// Rows of eight nodes: three of the translation, four of the rotation, three of the scale.
pub(super) const ROWS: usize = 10;
/// Where the rotation's rows begin.
pub(super) const ROTATION: usize = 3;
/// Where the scale's rows begin.
pub(super) const SCALE: usize = 7;

impl Default for LocalPose {
    /// The pose of no nodes.
    fn default() -> Self {
        Self::new(Vec::new(), &[[0.0; 0]; 0])
    }
}

impl LocalPose {
    /// A pose of these transforms and weights, one entry a node (an empty list where a node has
    /// no morph targets).
    ///
    /// # Panics
    /// When the two differ in length.
    pub fn new(transforms: Vec<Transform>, weights: &[impl AsRef<[f32]>]) -> Self {
        assert_eq!(transforms.len(), weights.len(), "one list of weights a node");
        let nodes = transforms.len();
        let mut pose = Self {
            rows: vec![Eight::default(); nodes.div_ceil(LANES) * ROWS],
            nodes,
            weights: weights.iter().flat_map(|list| list.as_ref()).copied().collect(),
            weight_offsets: offsets(weights),
            properties: Vec::new(),
            property_offsets: offsets::<[f32; 0]>(&[]),
        };
        let padded = transforms.into_iter().chain(std::iter::repeat(Transform::IDENTITY));
        for (node, transform) in (0..nodes.next_multiple_of(LANES)).zip(padded) {
            pose.put(node, 0, &transform.translation.to_array());
            pose.put(node, ROTATION, &transform.rotation.to_array());
            pose.put(node, SCALE, &transform.scale.to_array());
        }
        pose
    }

    /// The same with these property slots.
    pub fn with_properties(self, values: &[Vec<f32>]) -> Self {
        Self { properties: values.concat(), property_offsets: offsets(values), ..self }
    }

    /// Nodes there are.
    pub fn len(&self) -> usize {
        self.nodes
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes == 0
    }

    /// A node's transform.
    ///
    /// # Panics
    /// When there is no such node; so do all that name one.
    pub fn transform(&self, node: usize) -> Transform {
        Transform {
            translation: Vec3::from_array(self.get(node, 0)),
            rotation: Quat::from_array(self.get(node, ROTATION)),
            scale: Vec3::from_array(self.get(node, SCALE)),
        }
    }

    /// Gives a node another transform.
    pub fn set_transform(&mut self, node: usize, transform: Transform) {
        self.set_translation(node, transform.translation);
        self.set_rotation(node, transform.rotation);
        self.set_scale(node, transform.scale);
    }

    /// Moves a node.
    pub fn set_translation(&mut self, node: usize, translation: Vec3) {
        assert!(node < self.nodes, "node {node} of {}", self.nodes);
        self.put(node, 0, &translation.to_array());
    }

    /// Turns a node; the rotation is a unit quaternion.
    pub fn set_rotation(&mut self, node: usize, rotation: Quat) {
        assert!(node < self.nodes, "node {node} of {}", self.nodes);
        self.put(node, ROTATION, &rotation.to_array());
    }

    /// Scales a node.
    pub fn set_scale(&mut self, node: usize, scale: Vec3) {
        assert!(node < self.nodes, "node {node} of {}", self.nodes);
        self.put(node, SCALE, &scale.to_array());
    }

    /// A node's morph weights; empty where its mesh has no morph targets.
    pub fn weights(&self, node: usize) -> &[f32] {
        &self.weights[self.weight_range(node)]
    }

    /// A node's morph weights, to be changed.
    pub fn weights_mut(&mut self, node: usize) -> &mut [f32] {
        let range = self.weight_range(node);
        &mut self.weights[range]
    }

    /// A property slot's values.
    ///
    /// # Panics
    /// When there is no such slot.
    pub fn property(&self, slot: usize) -> &[f32] {
        &self.properties[self.property_range(slot)]
    }

    /// A property slot's values, to be changed.
    ///
    /// # Panics
    /// When there is no such slot.
    pub fn property_mut(&mut self, slot: usize) -> &mut [f32] {
        let range = self.property_range(slot);
        &mut self.properties[range]
    }

    /// Whether any scale is negative: without one, no node mirrors what hangs on it.
    pub fn has_negative_scale(&self) -> bool {
        let scales = self.rows.chunks_exact(ROWS).flat_map(|eight| &eight[SCALE..]);
        scales.fold(false, |any, row| row.0.iter().fold(any, |any, scale| any | (*scale < 0.0)))
    }

    /// Whether it is a pose of a rig of as many nodes and properties with as many values each.
    pub fn is_like(&self, other: &Self) -> bool {
        self.nodes == other.nodes
            && self.weight_offsets == other.weight_offsets
            && self.property_offsets == other.property_offsets
    }

    /// Takes another pose's values without allocating.
    ///
    /// # Panics
    /// When the other is a pose of another rig.
    pub fn copy_from(&mut self, other: &Self) {
        self.rows.copy_from_slice(&other.rows);
        self.copy_weights_from(other);
    }

    /// Takes only its morph weights and properties.
    pub(super) fn copy_weights_from(&mut self, other: &Self) {
        self.weights.copy_from_slice(&other.weights);
        self.properties.copy_from_slice(&other.properties);
    }

    /// [`ROWS`] rows to eight nodes.
    pub(super) fn rows(&self) -> &[Eight] {
        &self.rows
    }

    /// The rows, to be changed.
    pub(super) fn rows_mut(&mut self) -> &mut [Eight] {
        &mut self.rows
    }

    fn get<const N: usize>(&self, node: usize, first: usize) -> [f32; N] {
        assert!(node < self.nodes, "node {node} of {}", self.nodes);
        let row = node / LANES * ROWS + first;
        std::array::from_fn(|i| self.rows[row + i].0[node % LANES])
    }

    fn put(&mut self, node: usize, first: usize, values: &[f32]) {
        let row = node / LANES * ROWS + first;
        for (row, value) in self.rows[row..].iter_mut().zip(values) {
            row.0[node % LANES] = *value;
        }
    }

    /// Lists of numbers beside the transforms: each morph weight by itself, node by node, then each
    /// property slot.
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

    /// Where each node's weights begin among those lists, and at the end where the last one's stop.
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

/// Where each of these lists begins when they lie one behind the other, and the end of the last.
fn offsets<T: AsRef<[f32]>>(lists: &[T]) -> Arc<[u32]> {
    let ends = lists.iter().scan(0, |end, list| {
        *end += list.as_ref().len() as u32;
        Some(*end)
    });
    [0].into_iter().chain(ends).collect()
}

/// Where every node is in the scene, in the file's node order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldPose {
    /// Whole eights: the last ones belong to no node.
    matrices: Vec<Matrix>,
}

/// A matrix in a cache line of its own, for no store to touch two.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(64))]
pub(super) struct Matrix(pub Affine3A);

impl WorldPose {
    /// A node's matrix into the scene, relative to the origin that
    /// [`crate::anim::Hierarchy::resolve`] was given.
    ///
    /// # Panics
    /// When the pose that was resolved has no such node.
    pub fn world_from_node(&self, node: usize) -> &Affine3A {
        &self.matrices[node].0
    }

    /// Turns the whole pose about the origin that it is relative to.
    pub fn turn(&mut self, turn: &Affine3A) {
        self.matrices.iter_mut().for_each(|matrix| matrix.0 = *turn * matrix.0);
    }

    /// Whole eights of matrices for so many nodes.
    pub(super) fn eights_mut(&mut self, nodes: usize) -> &mut [Matrix] {
        self.matrices.resize(nodes.next_multiple_of(LANES), Matrix::default());
        &mut self.matrices
    }

    /// All matrices.
    pub(super) fn matrices(&self) -> &[Matrix] {
        &self.matrices
    }
}
