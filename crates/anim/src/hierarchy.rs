//! The node tree, and the loop that resolves a pose to matrices in the scene.

use glam::{Affine3A, DVec3, Vec3};

use super::kernel::run;
use super::lanes::{F32x8, Half, LANES, Lanes, Matrix, Work, load};
use super::pose::{ROTATION, ROWS, SCALE};
use super::{Channel, LocalPose, WorldPose};

/// A node is its own ancestor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("node {node} is its own ancestor")]
pub struct CycleError {
    /// One node of the cycle.
    pub node: usize,
}

/// A node whose matrix cannot be expressed as translation, rotation and scale, such as a sheared
/// one. Poses do not change it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedNode {
    /// Index of the node.
    pub node: u32,
    /// Its matrix.
    pub parent_from_node: Affine3A,
}

/// The node tree, with an order in which parents precede their children.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hierarchy {
    parents: Vec<Option<u32>>,
    /// Breadth first.
    order: Vec<u32>,
    /// In the order of their nodes.
    fixed: Vec<FixedNode>,
    roots: Vec<u32>,
    /// All other nodes in `order`'s order, so that consecutive links rarely depend on each other.
    links: Vec<Link>,
}

/// A node and its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Link {
    node: u32,
    parent: u32,
}

impl Hierarchy {
    /// Makes the tree of these parents, one entry per node and `None` for roots. The matrices of
    /// `fixed` nodes replace those of a pose.
    ///
    /// # Errors
    /// If a node is its own ancestor.
    ///
    /// # Panics
    /// If a parent's index is out of range.
    pub fn new(parents: Vec<Option<u32>>, mut fixed: Vec<FixedNode>) -> Result<Self, CycleError> {
        let order = breadth_first(&parents);
        if order.len() < parents.len() {
            return Err(CycleError { node: node_in_cycle(&parents, &order) });
        }
        fixed.sort_by_key(|fixed| fixed.node);
        let (mut roots, mut links) = (Vec::new(), Vec::new());
        for &node in &order {
            match parents[node as usize] {
                Some(parent) => links.push(Link { node, parent }),
                None => roots.push(node),
            }
        }
        Ok(Self { parents, order, fixed, roots, links })
    }

    /// Returns the nodes whose matrices no pose changes.
    pub fn fixed(&self) -> &[FixedNode] {
        &self.fixed
    }

    /// Returns a node's matrix if no pose changes it.
    #[inline]
    pub fn fixed_matrix(&self, node: usize) -> Option<&Affine3A> {
        let found = self.fixed.binary_search_by_key(&node, |fixed| fixed.node as usize).ok()?;
        Some(&self.fixed[found].parent_from_node)
    }

    /// Whether a channel changes anything: a node whose matrix no pose changes keeps its place, but not its morph weights.
    pub fn is_driven(&self, channel: &Channel) -> bool {
        channel.is_weights() || self.fixed_matrix(channel.node()).is_none()
    }

    /// Returns the number of nodes.
    #[inline]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether it has no nodes.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Returns a node's parent, `None` for roots.
    #[inline]
    pub fn parent(&self, node: usize) -> Option<usize> {
        self.parents[node].map(|p| p as usize)
    }

    /// Returns all nodes, parents before children.
    #[inline]
    pub fn parents_first(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.order.iter().map(|node| *node as usize)
    }

    /// Returns the nodes above a node, its parent first.
    #[inline]
    pub fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.parent(node), |node| self.parent(*node))
    }

    /// Returns a node and the nodes above it.
    #[inline]
    pub fn path_to_root(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::once(node).chain(self.ancestors(node))
    }

    /// Returns the number of ancestors of each node.
    pub fn depths(&self) -> Vec<usize> {
        let mut depths = vec![0; self.len()];
        for link in &self.links {
            depths[link.node as usize] = depths[link.parent as usize] + 1;
        }
        depths
    }

    /// Adds all nodes below the nodes of a set to it.
    pub fn with_descendants(&self, mut set: Vec<bool>) -> Vec<bool> {
        for link in &self.links {
            set[link.node as usize] |= set[link.parent as usize];
        }
        set
    }

    /// Adds all nodes above the nodes of a set to it.
    pub fn with_ancestors(&self, mut set: Vec<bool>) -> Vec<bool> {
        for link in self.links.iter().rev() {
            set[link.parent as usize] |= set[link.node as usize];
        }
        set
    }

    /// Returns each node's nearest ancestor in a set.
    pub fn nearest_above(&self, is_in: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
        let mut above = vec![None; self.len()];
        for link in &self.links {
            let parent = link.parent as usize;
            above[link.node as usize] = if is_in(parent) { Some(parent) } else { above[parent] };
        }
        above
    }

    /// Computes the matrices of all nodes in the scene: `world = parent's world * local`.
    ///
    /// The result is relative to `origin`, which is subtracted from the roots' translations in double
    /// precision before everything else is computed in single precision. Rigs far from the scene's
    /// origin so keep their precision.
    ///
    /// # Panics
    /// If the pose has another number of nodes.
    pub fn resolve(&self, local: &LocalPose, origin: DVec3, out: &mut WorldPose) {
        assert_eq!(local.len(), self.parents.len(), "the pose must be of this tree");
        run(Resolve { tree: self, local, origin, out: out.padded_mut(self.len()) });
    }

    /// Resolves with one kernel.
    #[cfg(test)]
    pub(super) fn resolve_with<L: Lanes>(
        &self,
        local: &LocalPose,
        origin: DVec3,
        out: &mut WorldPose,
    ) {
        Resolve { tree: self, local, origin, out: out.padded_mut(self.len()) }.run::<L>();
    }
}

/// Returns the nodes that are reachable from roots, breadth first. Iterative, because files may nest
/// nodes to any depth.
fn breadth_first(parents: &[Option<u32>]) -> Vec<u32> {
    let n = parents.len();
    // Counting sort by parent.
    let mut first_child = vec![0u32; n + 1];
    for parent in parents.iter().flatten() {
        first_child[*parent as usize + 1] += 1;
    }
    for i in 0..n {
        first_child[i + 1] += first_child[i];
    }
    let mut slot = first_child.clone();
    let mut children = vec![0u32; first_child[n] as usize];
    for (node, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            let at = &mut slot[*parent as usize];
            children[*at as usize] = node as u32;
            *at += 1;
        }
    }
    let mut order: Vec<u32> = (0..n as u32).filter(|i| parents[*i as usize].is_none()).collect();
    let mut next = 0;
    while next < order.len() {
        let node = order[next] as usize;
        let range = first_child[node] as usize..first_child[node + 1] as usize;
        order.extend_from_slice(&children[range]);
        next += 1;
    }
    order
}

/// Returns a node of a cycle, given the nodes that are reachable from roots. Every other node is in a
/// cycle or below one.
fn node_in_cycle(parents: &[Option<u32>], reachable: &[u32]) -> usize {
    let mut reached = vec![false; parents.len()];
    reachable.iter().for_each(|i| reached[*i as usize] = true);
    let mut node = reached.iter().position(|r| !r).unwrap_or(0);
    // As many steps towards the root as there are nodes end inside the cycle.
    for _ in 0..parents.len() {
        node = parents[node].map_or(node, |p| p as usize);
    }
    node
}

/// [`Hierarchy::resolve`] with any kernel: first the local matrices, eight nodes at a time, then the
/// products with the parents' matrices in place.
struct Resolve<'a> {
    tree: &'a Hierarchy,
    local: &'a LocalPose,
    origin: DVec3,
    out: &'a mut [Matrix],
}

impl Work for Resolve<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { tree, local, origin, out } = self;
        let (eights, _) = out.as_chunks_mut();
        for (rows, eight) in local.rows().chunks_exact(ROWS).zip(eights) {
            put_matrices::<L>(rows, eight);
        }
        for fixed in &tree.fixed {
            out[fixed.node as usize].0 = fixed.parent_from_node;
        }
        // A zero origin changes nothing; skip it, because every child waits for its parent.
        if origin != DVec3::ZERO {
            for root in &tree.roots {
                let at = &mut out[*root as usize].0.translation;
                *at = (DVec3::from(Vec3::from(*at)) - origin).as_vec3a();
            }
        }
        for Link { node, parent } in &tree.links {
            out[*node as usize].0 = L::compose(&out[*parent as usize].0, &out[*node as usize].0);
        }
    }
}

/// Writes eight nodes' matrices `T * R * S` by the operations of glam's
/// `Affine3A::from_scale_rotation_translation`.
#[inline(always)]
fn put_matrices<L: Lanes>(rows: &[F32x8], out: &mut [Matrix; LANES]) {
    let [x, y, z, w] = load::<L, 4>(&rows[ROTATION..]);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let one = L::splat(1.0);
    let [sx, sy, sz] = load::<L, 3>(&rows[SCALE..]);
    let x_axis = [(one - (yy + zz)) * sx, (xy + wz) * sx, (xz - wy) * sx];
    let y_axis = [(xy - wz) * sy, (one - (xx + zz)) * sy, (yz + wx) * sy];
    L::put_columns(Half::First, [x_axis, y_axis], out);
    let z_axis = [(xz + wy) * sz, (yz - wx) * sz, (one - (xx + yy)) * sz];
    L::put_columns(Half::Last, [z_axis, load::<L, 3>(rows)], out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Transform;
    use glam::Quat;

    fn pose(transforms: Vec<Transform>) -> LocalPose {
        let weights = vec![Vec::new(); transforms.len()];
        LocalPose::new(transforms, &weights)
    }

    #[test]
    fn children_stored_before_their_parents_resolve_after_them() {
        let tree = Hierarchy::new(vec![Some(1), None], vec![]).unwrap();
        let root = Transform {
            translation: Vec3::new(1.0, 0.0, 0.0),
            rotation: Quat::from_rotation_z(std::f32::consts::FRAC_PI_2),
            scale: Vec3::splat(2.0),
        };
        let child = Transform { translation: Vec3::new(3.0, 0.0, 0.0), ..Transform::IDENTITY };
        let mut world = WorldPose::default();
        tree.resolve(&pose(vec![child, root]), DVec3::ZERO, &mut world);
        let at = world.world_from_node(0).transform_point3(Vec3::ZERO);
        assert!((at - Vec3::new(1.0, 6.0, 0.0)).length() < 1e-5, "{at}");
    }

    #[test]
    fn an_origin_far_away_leaves_small_differences_sharp() {
        let tree = Hierarchy::new(vec![None], vec![]).unwrap();
        let far = Transform { translation: Vec3::new(1e7, 0.0, 0.0), ..Transform::IDENTITY };
        let mut world = WorldPose::default();
        tree.resolve(&pose(vec![far]), DVec3::new(1e7 - 0.125, 0.0, 0.0), &mut world);
        assert_eq!(world.world_from_node(0).translation.x, 0.125);
    }

    #[test]
    fn ancestors_and_descendants_are_found() {
        // 3 - 1 - 0, 3 - 4, and 2 - 5.
        let parents = vec![Some(1), Some(3), None, None, Some(3), Some(2)];
        let tree = Hierarchy::new(parents, vec![]).unwrap();
        assert!(tree.ancestors(0).eq([1, 3]) && tree.path_to_root(0).eq([0, 1, 3]));
        assert!(tree.ancestors(3).next().is_none() && tree.path_to_root(3).eq([3]));
        assert_eq!(tree.depths(), [2, 1, 0, 0, 1, 1]);
        let only = |node: usize| (0..6).map(|i| i == node).collect::<Vec<bool>>();
        assert_eq!(tree.with_descendants(only(1)), [true, true, false, false, false, false]);
        assert_eq!(tree.with_ancestors(only(4)), [false, false, false, true, true, false]);
        let above = tree.nearest_above(|node| node == 3 || node == 0);
        assert_eq!(above, [Some(3), Some(3), None, None, Some(3), None]);
    }

    #[test]
    fn a_cycle_is_an_error_that_names_a_node_in_it() {
        let tree = Hierarchy::new(vec![None, Some(3), Some(4), Some(2), Some(3)], vec![]);
        let node = tree.unwrap_err().node;
        assert!([2, 3, 4].contains(&node), "{node}");
    }

    #[test]
    fn a_nodes_matrix_is_that_of_its_transform_bit_for_bit() {
        let node = |i: usize| Transform {
            translation: Vec3::new(i as f32, -0.5, 0.25),
            rotation: Quat::from_xyzw(0.1, -0.7 + 0.1 * i as f32, 0.3, 0.5).normalize(),
            scale: Vec3::new(0.5, -2.0, 1.5 + i as f32),
        };
        let pose = pose((0..11).map(node).collect());
        let tree = Hierarchy::new(vec![None; 11], vec![]).unwrap();
        let mut world = WorldPose::default();
        tree.resolve(&pose, DVec3::ZERO, &mut world);
        for i in 0..11 {
            assert_eq!(*world.world_from_node(i), node(i).parent_from_node(), "node {i}");
        }
    }

    #[test]
    fn fixed_matrices_are_found_whatever_their_order() {
        let matrix = |x: f32| Affine3A::from_translation(Vec3::new(x, 0.0, 0.0));
        let fixed = [3, 0, 2].map(|node| FixedNode { node, parent_from_node: matrix(node as f32) });
        let tree = Hierarchy::new(vec![None; 4], fixed.to_vec()).unwrap();
        for node in 0..4 {
            let wanted = (node != 1).then(|| matrix(node as f32));
            assert_eq!(tree.fixed_matrix(node), wanted.as_ref(), "{node}");
        }
    }

    #[test]
    fn a_fixed_matrix_replaces_the_poses_one() {
        let sheared = Affine3A::from_cols_array(&[1., 0., 0., 0.5, 1., 0., 0., 0., 1., 0., 0., 7.]);
        let fixed = vec![FixedNode { node: 1, parent_from_node: sheared }];
        let tree = Hierarchy::new(vec![None, Some(0)], fixed.clone()).unwrap();
        assert_eq!((tree.fixed(), tree.len(), tree.is_empty()), (&fixed[..], 2, false));
        assert_eq!((tree.fixed_matrix(0), tree.fixed_matrix(1)), (None, Some(&sheared)));
        let mut world = WorldPose::default();
        let up = Transform { translation: Vec3::Y, ..Transform::IDENTITY };
        tree.resolve(&pose(vec![up; 2]), DVec3::ZERO, &mut world);
        assert_eq!(world.world_from_node(1).transform_point3(Vec3::Y), Vec3::new(0.5, 2.0, 7.0));
        assert!(Hierarchy::default().is_empty());
    }

    #[test]
    fn a_chain_of_200_000_nodes_needs_no_stack() {
        let parents = (0..200_000u32).map(|i| i.checked_sub(1)).collect();
        let tree = Hierarchy::new(parents, vec![]).unwrap();
        let step = Transform { translation: Vec3::new(0.0, 0.5, 0.0), ..Transform::IDENTITY };
        let mut world = WorldPose::default();
        tree.resolve(&pose(vec![step; 200_000]), DVec3::ZERO, &mut world);
        assert_eq!(world.world_from_node(199_999).translation.y, 100_000.0);
    }
}
