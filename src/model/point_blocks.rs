//! Boxes of blocks of points, to tell where a posed block may be without posing its points.
//!
//! A skinned point is a weighted mean of its positions under each joint, so it lies in the hull of the block's box
//! under each of the block's joints. Neighbours in a file are mostly neighbours in space, so blocks are small.

use std::ops::Range;

use glam::{Affine3A, Mat4, Vec3, Vec3A};

use super::Aabb;

/// Points per block.
const BLOCK: usize = 256;

/// The rounding of a posed point, as a share of the largest terms that it is summed from, with room to spare.
const ROUNDING: f32 = 1e-5;

/// The blocks of the points of a primitive, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct PointBlocks {
    points: usize,
    blocks: Vec<Block>,
    /// The joints of all blocks.
    joints: Vec<u16>,
}

/// Consecutive points.
#[derive(Clone, Debug)]
struct Block {
    /// The box of the points in their mesh's space.
    bounds: Aabb,
    /// The joints that move the points, as a range of `PointBlocks::joints`.
    joints: Range<usize>,
    /// Whether points without joints move with their node.
    has_rigid: bool,
    /// The largest difference of a sum of weights from 1.
    slack: f32,
}

impl PointBlocks {
    /// Lays out points with the joints and weights that move each of them.
    pub fn of<'a>(positions: &[Vec3], influences_of: impl Fn(usize) -> &'a [(u16, f32)]) -> Self {
        let mut out = Self { points: positions.len(), ..Self::default() };
        let mut joints = Vec::new();
        for (block, positions) in positions.chunks(BLOCK).enumerate() {
            let (mut bounds, mut has_rigid, mut slack) = (Aabb::EMPTY, false, 0.0f32);
            joints.clear();
            for (i, at) in positions.iter().enumerate() {
                bounds.add(*at);
                let influences = influences_of(block * BLOCK + i);
                if influences.is_empty() {
                    has_rigid = true;
                    continue;
                }
                joints.extend(influences.iter().map(|(joint, _)| *joint));
                let sum: f32 = influences.iter().map(|(_, weight)| weight).sum();
                slack = slack.max((sum - 1.0).abs());
            }
            joints.sort_unstable();
            joints.dedup();
            let start = out.joints.len();
            out.joints.extend_from_slice(&joints);
            let joints = start..out.joints.len();
            out.blocks.push(Block { bounds, joints, has_rigid, slack });
        }
        out
    }

    /// Returns the points of each block, and a box that contains them when they are posed. Without a palette, they move
    /// with their node. Morph targets move points by up to `reach`, towards the lowest and the highest corner.
    pub fn posed<'a>(
        &'a self,
        palette: Option<&'a [Mat4]>,
        world_from_node: &'a Affine3A,
        (low, high): (Vec3, Vec3),
    ) -> impl Iterator<Item = (Range<usize>, Aabb)> + 'a {
        let node = Mat4::from(*world_from_node);
        self.blocks.iter().enumerate().map(move |(i, block)| {
            let bounds = Aabb { min: block.bounds.min + low, max: block.bounds.max + high };
            let mut all = Aabb::EMPTY;
            let mut add = |matrix: &Mat4| all.union(&moved(&bounds, matrix, block.slack));
            if let Some(palette) = palette {
                let joints = &self.joints[block.joints.clone()];
                joints.iter().for_each(|joint| add(&palette[usize::from(*joint)]));
            }
            if palette.is_none() || block.has_rigid {
                add(&node);
            }
            (i * BLOCK..((i + 1) * BLOCK).min(self.points), all)
        })
    }
}

/// Returns a box that contains all points of a box that are transformed by a matrix, weighted with a sum that is off 1 by
/// `slack`, and rounded.
fn moved(bounds: &Aabb, matrix: &Mat4, slack: f32) -> Aabb {
    let (center, half) = (bounds.center(), 0.5 * bounds.size());
    let [x, y, z, place] = [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis]
        .map(|axis| Vec3A::from(axis.truncate()));
    let middle = x * center.x + y * center.y + z * center.z + place;
    let half_terms = x.abs() * half.x + y.abs() * half.y + z.abs() * half.z;
    let (x_term, y_term, z_term) = (x * center.x, y * center.y, z * center.z);
    let terms = x_term.abs() + y_term.abs() + z_term.abs() + place.abs() + half_terms;
    let reach = half_terms + (ROUNDING + slack) * terms;
    if !(middle.is_finite() && reach.is_finite()) {
        return Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
    }
    Aabb { min: (middle - reach).into(), max: (middle + reach).into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip of points along x, the joint of each of which is turned by its own angle.
    #[test]
    fn only_blocks_near_the_edge_leave_a_box() {
        const JOINTS: usize = 16;
        let points = 64 * BLOCK;
        let positions: Vec<Vec3> =
            (0..points).map(|i| Vec3::new(i as f32 / points as f32, 0.01, 0.0)).collect();
        let influences: Vec<(u16, f32)> =
            (0..points).map(|i| ((i * JOINTS / points) as u16, 1.0)).collect();
        let blocks = PointBlocks::of(&positions, |point| &influences[point..=point]);
        let palette: Vec<Mat4> =
            (0..JOINTS).map(|joint| Mat4::from_rotation_x(joint as f32)).collect();
        let node = Affine3A::IDENTITY;
        let within = Aabb { min: Vec3::splat(-0.1), max: Vec3::new(0.9, 0.1, 0.1) };
        let posed = blocks.posed(Some(&palette), &node, (Vec3::ZERO, Vec3::ZERO));
        let outside: Vec<Range<usize>> =
            posed.filter(|(_, block)| !within.contains(block)).map(|(points, _)| points).collect();
        assert_eq!(outside.first().map(|points| points.start), Some(57 * BLOCK));
        assert_eq!((outside.len(), outside.last().map(|last| last.end)), (7, Some(points)));
    }
}
