//! The joint that makes two poses differ.

use glam::{Affine3A, Quat};

use super::pairs::Pairs;
use super::side::{Posed, Side};
use crate::model::{Model, VertexPlace};

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
    /// Returns the node of `a` whose own local transform differs most between two poses: one that moves this
    /// vertex if there is such a node, else any node of the scene. Of nodes that differ by the same amount, the
    /// first of the hierarchy is returned.
    pub fn cause(&self, a: &Posed, b: &Posed, place: Option<VertexPlace>) -> Option<usize> {
        let model = self.a.model;
        let moving = place.map(|place| self.above_movers(place));
        let nodes = || a.stage.nodes.iter().copied();
        let chain = moving.and_then(|moves| self.most(a, b, nodes().filter(|node| moves[*node])));
        chain.or_else(|| self.most(a, b, nodes())).filter(|node| *node < model.nodes.len())
    }

    /// For each node of `a`, whether it or a node below it moves the vertex.
    fn above_movers(&self, place: VertexPlace) -> Vec<bool> {
        let hierarchy = &self.a.model.hierarchy;
        let mut moves = vec![false; self.a.model.nodes.len()];
        for (mover, _) in self.a.movers(place) {
            let mut at = Some(mover);
            while let Some(node) = at.filter(|node| !moves[*node]) {
                moves[node] = true;
                at = hierarchy.parent(node);
            }
        }
        moves
    }

    fn most(&self, a: &Posed, b: &Posed, nodes: impl Iterator<Item = usize>) -> Option<usize> {
        let off: Vec<(usize, f32)> =
            nodes.filter_map(|node| Some((node, self.off(a, b, node)?))).collect();
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
    model.hierarchy.fixed().iter().any(|fixed| fixed.node as usize == node)
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
