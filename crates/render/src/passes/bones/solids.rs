//! Joints and bones as solids in the scene: their shapes, sizes and colours. A bone points to its child; a joint
//! without a child has a short one. Sizes are those of the bones.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use super::joints::{AXES, Marks, ShownBones, Stress};
use crate::scene::plan::Plan;
use rigview_look::{BoneShape, BoneStyle};
use rigview_model::Stage;

/// Radius of an octahedron, as a fraction of its length.
const WIDTH: f32 = 0.1;

/// Radius of a joint's ball beside octahedra and of one that is drawn alone, as a fraction of the joint's length.
const SMALL_BALL: f32 = 0.055;
const BALL: f32 = 0.13;

/// Length and radius of a joint's axes, as fractions of its length.
const AXIS: f32 = 0.5;
const AXIS_WIDTH: f32 = 0.035;

/// Length of the bone of a joint without a child, as a fraction of the bone above it.
const LEAF: f32 = 0.35;

/// Colours of solids that do not stand out: bones, joints.
const PLAIN_BONE: [u8; 4] = [0xe8, 0xbc, 0x52, 255];
const PLAIN_JOINT: [u8; 4] = [0xf0, 0xea, 0xda, 255];

/// A solid as the GPU reads it; see `shaders/solids.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Solid {
    /// Ends in world space; equal for a ball.
    pub head: [f32; 3],
    pub tail: [f32; 3],
    /// Unit vector at a right angle to the bone.
    pub side: [f32; 3],
    /// sRGB.
    pub color: [u8; 4],
    pub radius: f32,
    pub padding: f32,
}

/// The solids of a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolidList {
    pub octahedra: Vec<Solid>,
    pub balls: Vec<Solid>,
}

/// Whether a style has solids; lines have none.
pub fn has_solids(style: BoneStyle) -> bool {
    style.solid && style.shape != BoneShape::Lines
}

impl SolidList {
    /// Adds the solids of a posed skeleton.
    pub fn add(&mut self, plan: &Plan, stage: &Stage, shown: ShownBones) {
        let bones = Marks::marked(plan, shown.selected);
        let lengths = Lengths::new(plan, stage);
        let seen = |(_, bone): &(usize, &rigview_model::Bone)| !stage.is_hidden(bone.joint);
        for (i, bone) in plan.bones.iter().enumerate().filter(seen) {
            let skeleton = Skeleton { plan, stage, shown, bones: &bones };
            if let Some(parent) = bone.parent {
                let stress = bones.of_bone(plan, i, shown);
                let tail = stage.position(bone.joint);
                self.add_bone(&skeleton, parent, tail, stress);
            }
            let own = Joint { index: i, node: bone.joint, length: lengths.drawn_length(i) };
            self.add_joint(&skeleton, own);
            if lengths.is_leaf[i] {
                let tail = stage.position(bone.joint) + lengths.leaf(plan, stage, i);
                self.add_bone(&skeleton, bone.joint, tail, bones.stress(i));
            }
        }
    }

    /// Adds the octahedron from a joint to a place.
    fn add_bone(&mut self, skeleton: &Skeleton<'_>, joint: usize, tail: Vec3, stress: Stress) {
        let Skeleton { plan, stage, shown, .. } = *skeleton;
        let head = stage.position(joint);
        let length = head.distance(tail);
        let is_shown = shown.all || stress > Stress::Plain;
        let has_length = length.is_finite() && length > 0.0;
        if !is_shown || !has_length || shown.style.shape != BoneShape::Bones {
            return;
        }
        let color = stress.color_of(plan, joint, shown.style).unwrap_or(PLAIN_BONE);
        let radius = WIDTH * length * shown.style.size;
        self.octahedra.push(Solid {
            head: head.to_array(),
            tail: tail.to_array(),
            side: side(stage, joint, (tail - head) / length).to_array(),
            color: opaque(color),
            radius,
            padding: 0.0,
        });
    }

    /// Adds the ball of a joint, or its axes.
    fn add_joint(&mut self, skeleton: &Skeleton<'_>, joint: Joint) {
        let Skeleton { plan, stage, shown, bones } = *skeleton;
        let stress = bones.stress(joint.index);
        let at = stage.position(joint.node);
        let size = joint.length * shown.style.size;
        let is_shown = shown.all || stress > Stress::Plain;
        let has_size = at.is_finite() && size.is_finite() && size > 0.0;
        if !is_shown || !has_size {
            return;
        }
        if shown.style.shape == BoneShape::Axes {
            let axes = glam::Mat3::from(stage.world.world_from_node(joint.node).matrix3);
            let ends = [axes.x_axis, axes.y_axis, axes.z_axis].map(Vec3::normalize_or_zero);
            for (axis, color) in ends.into_iter().zip(AXES).filter(|(axis, _)| axis.length() > 0.0)
            {
                self.octahedra.push(Solid {
                    head: at.to_array(),
                    tail: (at + AXIS * size * axis).to_array(),
                    side: axis.any_orthonormal_vector().to_array(),
                    color,
                    radius: AXIS_WIDTH * size,
                    padding: 0.0,
                });
            }
        }
        let ball = if shown.style.shape == BoneShape::Spheres { BALL } else { SMALL_BALL };
        let color = stress.color_of(plan, joint.node, shown.style).unwrap_or(PLAIN_JOINT);
        self.balls.push(Solid {
            head: at.to_array(),
            tail: at.to_array(),
            side: [1.0, 0.0, 0.0],
            color: opaque(color),
            radius: ball * size,
            padding: 0.0,
        });
    }
}

/// What the solids are made of.
#[derive(Clone, Copy)]
struct Skeleton<'a> {
    plan: &'a Plan,
    stage: &'a Stage,
    shown: ShownBones,
    bones: &'a Marks,
}

/// A joint and the length that its sizes are fractions of.
#[derive(Clone, Copy)]
struct Joint {
    /// Index into the plan's bones.
    index: usize,
    node: usize,
    length: f32,
}

/// The lengths of joints: the mean of the bones that start there; without any, a fraction of the bone above.
struct Lengths {
    own: Vec<f32>,
    is_leaf: Vec<bool>,
    /// The mean of all bones; a tenth of the model's size if there are none.
    mean: f32,
}

impl Lengths {
    fn new(plan: &Plan, stage: &Stage) -> Self {
        let count = plan.bones.len();
        let (mut sums, mut counts) = (vec![0.0; count], vec![0.0f32; count]);
        let mut above = vec![0.0; count];
        for (i, bone) in plan.bones.iter().enumerate() {
            let Some(parent) = bone.parent else { continue };
            let length = stage.position(parent).distance(stage.position(bone.joint));
            let at = plan.bones.binary_search_by_key(&parent, |bone| bone.joint);
            if let Some(at) = at.ok().filter(|_| length.is_finite()) {
                sums[at] += length;
                counts[at] += 1.0;
                above[i] = length;
            }
        }
        let all: f32 = sums.iter().sum();
        let bones: f32 = counts.iter().sum();
        let mean = if bones > 0.0 { all / bones } else { 0.1 };
        let own = |i: usize| match counts[i] {
            n if n > 0.0 => sums[i] / n,
            _ if above[i] > 0.0 => LEAF * above[i],
            _ => LEAF * mean,
        };
        let is_leaf = counts.iter().map(|count| *count == 0.0).collect();
        Self { own: (0..count).map(own).collect(), is_leaf, mean }
    }

    /// Returns the length of a joint, which is not much less than the mean.
    fn drawn_length(&self, index: usize) -> f32 {
        self.own[index].max(0.15 * self.mean)
    }

    /// Returns the bone of a joint without a child: along the bone above it, or along its own +Y.
    fn leaf(&self, plan: &Plan, stage: &Stage, index: usize) -> Vec3 {
        let bone = plan.bones[index];
        let at = stage.position(bone.joint);
        let along = bone.parent.map(|parent| (at - stage.position(parent)).normalize_or_zero());
        let up = || Vec3::from(stage.world.world_from_node(bone.joint).matrix3.y_axis);
        let along = along.filter(|along| *along != Vec3::ZERO);
        self.own[index] * along.unwrap_or_else(|| up().normalize_or_zero())
    }
}

/// Returns a unit vector at a right angle to a bone, which turns with its joint.
fn side(stage: &Stage, joint: usize, along: Vec3) -> Vec3 {
    let axes = glam::Mat3::from(stage.world.world_from_node(joint).matrix3);
    let across = |axis: Vec3| axis.normalize_or_zero().reject_from_normalized(along);
    let sides = [axes.x_axis, axes.z_axis].map(across);
    let best = sides.into_iter().max_by(|a, b| a.length().total_cmp(&b.length()));
    let best = best.filter(|side| side.is_finite()).and_then(Vec3::try_normalize);
    best.unwrap_or_else(|| along.any_orthonormal_vector())
}

fn opaque([r, g, b, _]: [u8; 4]) -> [u8; 4] {
    [r, g, b, 255]
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_anim::Transform;
    use rigview_model::{Bone, Model};
    use rigview_rig::BodySide;

    /// Two joints a metre apart, the second one a leaf.
    fn solids(style: BoneStyle) -> SolidList {
        let up = Transform { translation: Vec3::Y, ..Transform::IDENTITY };
        let model = Model::from_nodes(&[None, Some(0)], [Transform::IDENTITY, up]).unwrap();
        let bone = |joint, parent| Bone { joint, parent };
        let bones = vec![bone(0, None), bone(1, Some(0))];
        let plan = Plan { bones, sides: vec![BodySide::Center; 2], ..Plan::default() };
        let mut list = SolidList::default();
        let shown = ShownBones { all: true, selected: None, style };
        list.add(&plan, &Stage::new(&model, 0), shown);
        list
    }

    #[test]
    fn a_bone_points_to_its_child_and_a_leaf_has_a_short_one() {
        let style = BoneStyle { solid: true, ..BoneStyle::default() };
        let list = solids(style);
        let ends: Vec<_> = list.octahedra.iter().map(|solid| (solid.head, solid.tail)).collect();
        let [bone, leaf] = ends[..] else { panic!("{ends:?}") };
        assert_eq!(bone, ([0.0; 3], [0.0, 1.0, 0.0]));
        assert_eq!(leaf, ([0.0, 1.0, 0.0], [0.0, 1.0 + LEAF, 0.0]));
        let side = Vec3::from(list.octahedra[0].side);
        assert_eq!((side.dot(Vec3::Y), side.length()), (0.0, 1.0));
        assert_eq!(list.octahedra[0].radius, WIDTH);
        assert_eq!(list.balls.len(), 2);
        let wide = solids(BoneStyle { size: 2.0, ..style });
        assert_eq!(wide.octahedra[0].radius, 2.0 * WIDTH);
    }

    #[test]
    fn spheres_are_balls_and_axes_three_spikes_per_joint() {
        let of = |shape| solids(BoneStyle { solid: true, shape, ..BoneStyle::default() });
        let spheres = of(BoneShape::Spheres);
        assert_eq!((spheres.octahedra.len(), spheres.balls.len()), (0, 2));
        let axes = of(BoneShape::Axes);
        assert_eq!((axes.octahedra.len(), axes.balls.len()), (6, 2));
        assert_eq!(axes.octahedra[1].tail, [0.0, AXIS, 0.0]);
        assert_eq!(axes.octahedra[1].color, AXES[1]);
    }
}
