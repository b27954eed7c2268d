//! The joint that makes two poses differ.

use glam::{Affine3A, Quat, Vec3};

use super::pairing::pairs::Pairs;
use super::side::{Posed, Side};
use rigview_model::Model;

/// Differences of local transforms up to this share of the model's size are rounding.
const ROUNDING: f32 = 2e-6;

/// Transforms whose differences are equal up to this share differ by the same amount.
const EQUAL: f32 = 1e-3;

/// Two models and the pairs of their nodes.
#[derive(Clone, Copy)]
pub(super) struct Rigs<'a> {
    pub a: &'a Side<'a>,
    pub b: &'a Side<'a>,
    pub nodes: &'a Pairs,
    /// The size of the model of `a` in metres: the lever of rotations and scales.
    pub size: f32,
}

impl Rigs<'_> {
    /// Returns the node of `a` whose own local transform makes two poses differ most: the one that moves a point of
    /// `a`, which is posed at the given place, farthest if only that node's transform is exchanged. If none moves it, or no vertex
    /// is given, it is the node whose transform differs most. Of nodes that differ by the same amount, the first of the
    /// hierarchy is returned.
    pub fn cause(&self, a: &Posed, b: &Posed, vertex: Option<(usize, Vec3)>) -> Option<usize> {
        let nodes = || a.stage.nodes.iter().copied();
        let by_vertex = vertex.and_then(|(point, at)| {
            let shares = self.shares(point);
            let moving = nodes().filter(|node| shares[*node] > 0.0);
            self.most(moving, |node| Some(shares[node] * self.moved(a, b, node, at)?))
        });
        by_vertex.or_else(|| self.most(nodes(), |node| self.off(a, b, node)))
    }

    /// For each node of `a`, the sum of the weights with which it and the nodes below it move the vertex.
    fn shares(&self, point: usize) -> Vec<f32> {
        let mut shares = vec![0.0; self.a.model.nodes.len()];
        for (mover, weight) in self.a.movers(point) {
            let path = self.a.model.hierarchy.path_to_root(mover);
            path.for_each(|node| shares[node] += weight);
        }
        shares
    }

    /// Returns how far a place moves with a node whose local transform is exchanged for that of `b`, in metres. `None`
    /// if the node has no partner, or has no inverse.
    fn moved(&self, a: &Posed, b: &Posed, node: usize, at: Vec3) -> Option<f32> {
        let other = self.nodes.b_of(node)?;
        let own = a.parent_from_node(self.a.model, node);
        let exchanged = b.parent_from_node(self.b.model, other);
        let inside = a.world_from_node(node).inverse().transform_point3(at);
        let parent = self.a.model.hierarchy.parent(node).map(|parent| a.world_from_node(parent));
        let turned = exchanged.transform_point3(inside) - own.transform_point3(inside);
        let moved = parent.map_or(turned, |parent| parent.transform_vector3(turned)).length();
        moved.is_finite().then_some(moved)
    }

    fn most(
        &self,
        nodes: impl Iterator<Item = usize>,
        off: impl Fn(usize) -> Option<f32>,
    ) -> Option<usize> {
        let off: Vec<(usize, f32)> = nodes.filter_map(|node| Some((node, off(node)?))).collect();
        let most = off.iter().map(|(_, off)| *off).fold(0.0, f32::max);
        let floor = (ROUNDING * self.size).max(f32::MIN_POSITIVE);
        let first = off.iter().find(|(_, off)| *off >= most * (1.0 - EQUAL));
        first.filter(|_| most > floor).map(|(node, _)| *node)
    }

    /// Returns by how much a node's local transform differs, in metres at the model's size. `None` if the node
    /// has no partner.
    fn off(&self, a: &Posed, b: &Posed, node: usize) -> Option<f32> {
        let other = self.nodes.b_of(node)?;
        let [x, y] =
            [a.parent_from_node(self.a.model, node), b.parent_from_node(self.b.model, other)];
        let parent = self.a.model.hierarchy.parent(node);
        let metres = parent.map_or(1.0, |parent| {
            a.stage.world.world_from_node(parent).matrix3.determinant().abs().cbrt()
        });
        let moved = (x.translation - y.translation).length() * metres;
        let turned = match is_fixed(self.a.model, node) || is_fixed(self.b.model, other) {
            true => linear_difference(&x, &y),
            false => {
                let [x, y] = [a.stage.local.transform(node), b.stage.local.transform(other)];
                let scaled = (x.scale - y.scale).abs().max_element();
                turn(x.rotation, y.rotation) + scaled / x.scale.abs().max_element().max(1e-6)
            }
        };
        let off = moved + turned * self.size;
        off.is_finite().then_some(off)
    }
}

fn is_fixed(model: &Model, node: usize) -> bool {
    model.hierarchy.fixed_matrix(node).is_some()
}

fn linear_difference(x: &Affine3A, y: &Affine3A) -> f32 {
    let axes = [0, 1, 2].map(|axis| (x.matrix3.col(axis) - y.matrix3.col(axis)).length());
    axes.into_iter().fold(0.0, f32::max)
}

/// Returns the angle between two rotations in radians. It keeps its precision for small angles.
pub(super) fn turn(a: Quat, b: Quat) -> f32 {
    let between = a.conjugate() * b;
    2.0 * between.xyz().length().atan2(between.w.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_angles_are_precise_and_signs_do_not_count() {
        let a = Quat::from_rotation_y(0.7);
        for angle in [1e-5, 0.01745, 3.0] {
            let b = a * Quat::from_rotation_x(angle);
            assert!((turn(a, b) - angle).abs() < 1e-6 && (turn(a, -b) - angle).abs() < 1e-6);
        }
    }
}
