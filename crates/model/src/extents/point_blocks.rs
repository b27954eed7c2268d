//! Boxes of blocks of points, to tell where a posed block may be without posing its points.
//!
//! A skinned point is a weighted mean of its positions under each joint, so it lies in the hull of the block's box
//! under each of the block's joints. Neighbours in a file are mostly neighbours in space, so blocks are small.

use std::ops::Range;

use glam::{Affine3A, Mat4, Vec3, Vec3A};

use crate::Aabb;

/// Points per block.
const BLOCK: usize = 256;

/// The rounding of a posed point, as a share of the largest terms that it is summed from, with room to spare.
const ROUNDING: f32 = 1e-5;

/// What moves points: the joint matrices of a skin, and the node that draws them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mover<'a> {
    /// `None` without a skin.
    pub palette: Option<&'a [Mat4]>,
    pub world_from_node: Affine3A,
}

/// The blocks of the points of a primitive, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct PointBlocks {
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
    pub fn new<'a>(positions: &[Vec3], influences_of: impl Fn(usize) -> &'a [(u16, f32)]) -> Self {
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
    /// with their node. Morph targets move points by what `reach` contains.
    pub fn posed<'a>(
        &'a self,
        Mover { palette, world_from_node }: Mover<'a>,
        reach: Aabb,
    ) -> impl Iterator<Item = (Range<usize>, Aabb)> + 'a {
        let node = Mat4::from(world_from_node);
        self.blocks.iter().enumerate().map(move |(i, block)| {
            let bounds = block.bounds.moved_by(&reach);
            let mut all = Aabb::EMPTY;
            let mut add = |matrix: &Mat4| {
                let terms = terms(&bounds, matrix);
                all.union(&moved(&bounds, matrix, (ROUNDING + block.slack) * terms));
            };
            if let Some(palette) = palette {
                self.joints_of(block).for_each(|joint| add(&palette[joint]));
            }
            if palette.is_none() || block.has_rigid {
                add(&node);
            }
            (self.points_of(i), all)
        })
    }

    /// Returns the points of each block, and a distance that none of them exceeds between two poses, the first of which is
    /// moved by `offset`. `reach` is that of both poses; without it, the distance is infinite.
    pub fn apart<'a>(
        &'a self,
        movers: [Mover<'a>; 2],
        reach: Option<Aabb>,
        offset: Vec3,
    ) -> impl Iterator<Item = (Range<usize>, f32)> + 'a {
        let [palette, other_palette] = movers.map(|mover| mover.palette);
        let [node, other_node] = movers.map(|mover| Mat4::from(mover.world_from_node));
        self.blocks.iter().enumerate().map(move |(i, block)| {
            let Some(reach) = &reach else { return (self.points_of(i), f32::INFINITY) };
            let bounds = block.bounds.moved_by(reach);
            let mut all = Aabb::EMPTY;
            let mut add = |a: &Mat4, b: &Mat4| {
                let terms = terms(&bounds, a) + terms(&bounds, b) + Vec3A::from(offset.abs());
                // The offset is a linear function of the point.
                let mut between = *a - *b;
                between.w_axis += offset.extend(0.0);
                all.union(&moved(&bounds, &between, (ROUNDING + block.slack) * terms));
            };
            if let (Some(a), Some(b)) = (palette, other_palette) {
                self.joints_of(block).for_each(|joint| add(&a[joint], &b[joint]));
            }
            if palette.is_none() || block.has_rigid {
                add(&node, &other_node);
            }
            (self.points_of(i), all.min.abs().max(all.max.abs()).length())
        })
    }

    fn points_of(&self, block: usize) -> Range<usize> {
        block * BLOCK..((block + 1) * BLOCK).min(self.points)
    }

    fn joints_of(&self, block: &Block) -> impl Iterator<Item = usize> {
        self.joints[block.joints.clone()].iter().map(|joint| usize::from(*joint))
    }
}

/// Returns the box of all points of a box that are transformed by a matrix, with a margin. It is infinite if anything
/// overflows.
fn moved(bounds: &Aabb, matrix: &Mat4, margin: Vec3A) -> Aabb {
    let (center, half) = (bounds.center(), 0.5 * bounds.size());
    let [x, y, z, place] = axes(matrix);
    let middle = x * center.x + y * center.y + z * center.z + place;
    let reach = x.abs() * half.x + y.abs() * half.y + z.abs() * half.z + margin;
    if !(middle.is_finite() && reach.is_finite()) {
        return Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
    }
    Aabb { min: (middle - reach).into(), max: (middle + reach).into() }
}

/// Returns at least the largest sums of absolute terms that any point of a box is transformed by a matrix with.
fn terms(bounds: &Aabb, matrix: &Mat4) -> Vec3A {
    let most = bounds.min.abs().max(bounds.max.abs());
    let [x, y, z, place] = axes(matrix).map(Vec3A::abs);
    x * most.x + y * most.y + z * most.z + place
}

fn axes(matrix: &Mat4) -> [Vec3A; 4] {
    [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis].map(Vec3A::from_vec4)
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
        let blocks = PointBlocks::new(&positions, |point| &influences[point..=point]);
        let palette: Vec<Mat4> =
            (0..JOINTS).map(|joint| Mat4::from_rotation_x(joint as f32)).collect();
        let mover = Mover { palette: Some(&palette), world_from_node: Affine3A::IDENTITY };
        let within = Aabb { min: Vec3::splat(-0.1), max: Vec3::new(0.9, 0.1, 0.1) };
        let still = Aabb { min: Vec3::ZERO, max: Vec3::ZERO };
        let posed = blocks.posed(mover, still);
        let outside: Vec<Range<usize>> =
            posed.filter(|(_, block)| !within.contains(block)).map(|(points, _)| points).collect();
        assert_eq!(outside.first().map(|points| points.start), Some(57 * BLOCK));
        assert_eq!((outside.len(), outside.last().map(|last| last.end)), (7, Some(points)));
    }
}
