//! Joints and bones as lines and discs: their shapes and colours, and which stand out.

use glam::{Mat3, Vec3};

use crate::scene::plan::Plan;
use rigview_look::{BoneShape, BoneStyle};
use rigview_model::Stage;
use rigview_rig::BodySide;

/// Colour of joints and bones without another: the shader has one for each. Alpha 0 tells bones from lines.
const PLAIN: [u8; 4] = [0; 4];

/// Colours of the body's sides.
const LEFT: [u8; 4] = [0x3f, 0xd0, 0xa0, 0];
const RIGHT: [u8; 4] = [0xff, 0x76, 0x62, 0];

/// Colour of the joints above the selected one, and of the bones between them.
const CHAIN: [u8; 4] = [0xa4, 0xdc, 0xff, 0];

/// Colour of the selected joint and of the bones that it turns.
const SELECTED: [u8; 4] = [0x1e, 0xa7, 0xff, 0];

/// Colours of thin lines where the shader's colour of bones is not used.
const THIN: [u8; 4] = [0xf8, 0xcc, 0x5c, 255];

/// Colours of a joint's axes.
pub const AXES: [[u8; 4]; 3] =
    [[0xe8, 0x4a, 0x4a, 255], [0x5f, 0xc2, 0x4e, 255], [0x4c, 0x8d, 0xf5, 255]];

/// Length of a joint's axes, as a fraction of the mean length of bones.
const AXIS: f32 = 0.4;

/// Size of discs that are drawn alone.
const SPHERE: f32 = 1.7;

/// A line of the overlay in world space, with an sRGB colour and alpha. With alpha 0 it is a bone of this colour, or a
/// disc if both ends are equal; in black, the shader's own colour is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlayLine {
    pub head: Vec3,
    pub tail: Vec3,
    pub color: [u8; 4],
    /// Factor of its width.
    pub size: f32,
}

/// How much a joint stands out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stress {
    #[default]
    Plain,
    /// It is above the selected joint.
    Chain,
    Selected,
}

impl Stress {
    const ALL: [Stress; 3] = [Stress::Plain, Stress::Chain, Stress::Selected];

    /// Returns the colour of a joint that stands out this much; `None` for the plain one.
    pub fn color_of(self, plan: &Plan, joint: usize, style: BoneStyle) -> Option<[u8; 4]> {
        Some(color(self, side(plan, joint, style))).filter(|color| *color != PLAIN)
    }
}

/// How much each joint of a plan stands out.
#[derive(Debug, Default)]
pub struct Marks {
    stress: Vec<Stress>,
}

/// The bones to draw.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShownBones {
    /// Whether all are drawn, or only those that stand out.
    pub all: bool,
    /// The selected node; nothing stands out if it is no joint.
    pub selected: Option<usize>,
    pub style: BoneStyle,
}

impl Marks {
    /// Makes room for the joints of a plan.
    pub fn new(plan: &Plan) -> Self {
        Self { stress: vec![Stress::Plain; plan.bones.len()] }
    }

    /// Returns how much the joints of a plan stand out.
    pub fn marked(plan: &Plan, selected: Option<usize>) -> Self {
        let mut bones = Self::new(plan);
        bones.mark(plan, selected);
        bones
    }

    /// How much the joint of a bone stands out, by the bone's index.
    pub fn stress(&self, index: usize) -> Stress {
        self.stress[index]
    }

    /// Calls `draw` with the lines of a posed skeleton. Joints come after bones, whose ends they cover; what stands
    /// out comes last.
    pub fn draw(
        &mut self,
        plan: &Plan,
        stage: &Stage,
        shown: ShownBones,
        mut draw: impl FnMut(OverlayLine),
    ) {
        self.mark(plan, shown.selected);
        let BoneStyle { shape, size, .. } = shown.style;
        let levels = Stress::ALL.into_iter().filter(|level| shown.all || *level > Stress::Plain);
        for level in levels.clone().filter(|_| shape != BoneShape::Spheres) {
            for (i, bone) in plan.bones.iter().enumerate() {
                let stands_out = self.of_bone(plan, i, shown) == level;
                let seen = stands_out && !stage.is_hidden(bone.joint);
                let Some(parent) = bone.parent.filter(|_| seen) else { continue };
                let color = color(level, side(plan, parent, shown.style));
                let color = if shape == BoneShape::Bones { color } else { thin(color) };
                let [head, tail] = [parent, bone.joint].map(|joint| stage.position(joint));
                draw(OverlayLine { head, tail, color, size });
            }
        }
        if shape == BoneShape::Axes {
            self.draw_axes(plan, stage, shown, &mut draw);
        }
        let size = if shape == BoneShape::Spheres { SPHERE * size } else { size };
        for level in levels.filter(|level| shape != BoneShape::Axes || *level > Stress::Plain) {
            let joints = plan.bones.iter().zip(&self.stress).filter(|(_, s)| **s == level);
            for (bone, _) in joints.filter(|(bone, _)| !stage.is_hidden(bone.joint)) {
                let at = stage.position(bone.joint);
                let color = color(level, side(plan, bone.joint, shown.style));
                draw(OverlayLine { head: at, tail: at, color, size });
            }
        }
    }

    fn draw_axes(
        &self,
        plan: &Plan,
        stage: &Stage,
        shown: ShownBones,
        draw: &mut impl FnMut(OverlayLine),
    ) {
        let length = AXIS * shown.style.size * mean_length(plan, stage);
        for (bone, stress) in plan.bones.iter().zip(&self.stress) {
            if !shown.all && *stress == Stress::Plain || stage.is_hidden(bone.joint) {
                continue;
            }
            let head = stage.position(bone.joint);
            let axes = Mat3::from(stage.world.world_from_node(bone.joint).matrix3);
            for (axis, color) in [axes.x_axis, axes.y_axis, axes.z_axis].into_iter().zip(AXES) {
                let tail = head + length * axis.normalize_or_zero();
                draw(OverlayLine { head, tail, color, size: 2.0 * shown.style.size });
            }
        }
    }

    /// How much a bone stands out. That of the selected joint starts there; the one that ends there belongs to the
    /// joint above.
    pub fn of_bone(&self, plan: &Plan, index: usize, shown: ShownBones) -> Stress {
        if shown.selected.is_some() && plan.bones[index].parent == shown.selected {
            return Stress::Selected;
        }
        self.stress[index].min(Stress::Chain)
    }

    fn mark(&mut self, plan: &Plan, selected: Option<usize>) {
        self.stress.fill(Stress::Plain);
        let mut next = selected;
        while let Some(index) = next.and_then(|joint| index_of(plan, joint)) {
            let is_first = next == selected;
            self.stress[index] = if is_first { Stress::Selected } else { Stress::Chain };
            next = plan.bones[index].parent;
        }
    }
}

/// Whether a node is a joint of the plan.
pub fn is_joint(plan: &Plan, node: usize) -> bool {
    index_of(plan, node).is_some()
}

fn index_of(plan: &Plan, joint: usize) -> Option<usize> {
    plan.bones.binary_search_by_key(&joint, |bone| bone.joint).ok()
}

fn side(plan: &Plan, joint: usize, style: BoneStyle) -> BodySide {
    let index = index_of(plan, joint).filter(|_| style.sides);
    index.map_or(BodySide::Center, |index| plan.sides[index])
}

fn color(level: Stress, side: BodySide) -> [u8; 4] {
    match (level, side) {
        (Stress::Selected, _) => SELECTED,
        (Stress::Chain, _) => CHAIN,
        (Stress::Plain, BodySide::Left) => LEFT,
        (Stress::Plain, BodySide::Right) => RIGHT,
        (Stress::Plain, BodySide::Center) => PLAIN,
    }
}

/// Returns the colour of a thin line instead of a bone.
fn thin(color: [u8; 4]) -> [u8; 4] {
    if color == PLAIN { THIN } else { [color[0], color[1], color[2], 255] }
}

/// Returns the mean length of the bones in a pose; 0 without any.
fn mean_length(plan: &Plan, stage: &Stage) -> f32 {
    let length = |bone: &rigview_model::Bone| {
        Some(stage.position(bone.parent?).distance(stage.position(bone.joint)))
    };
    let finite = plan.bones.iter().filter_map(length).filter(|length| length.is_finite());
    let (sum, count) = finite.fold((0.0, 0.0f32), |(sum, count), l| (sum + l, count + 1.0));
    sum / count.max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_anim::Transform;
    use rigview_model::{Bone, Model};

    /// Joints in a row along X, of a second branch, and a node that is no joint.
    fn chain() -> (Plan, Stage) {
        let above = [None, Some(0), Some(1), Some(2), Some(0), Some(0)];
        let along = |x| Transform { translation: Vec3::X * x, ..Transform::IDENTITY };
        let model = Model::from_nodes(&above, (0..6).map(|i| along(i as f32))).unwrap();
        let bone = |joint: usize| Bone { joint, parent: above[joint].map(|joint| joint as usize) };
        let sides = [BodySide::Center, BodySide::Left].repeat(3)[..5].to_vec();
        let plan = Plan { bones: (0..5).map(bone).collect(), sides, ..Plan::default() };
        let stage = Stage::new(&model, 0);
        (plan, stage)
    }

    fn drawn(shown: ShownBones) -> Vec<OverlayLine> {
        let (plan, stage) = chain();
        let mut lines = Vec::new();
        Marks::new(&plan).draw(&plan, &stage, shown, |line| lines.push(line));
        lines
    }

    #[test]
    fn the_selected_joint_its_bones_and_the_chain_above_it_stand_out() {
        let shown = ShownBones { selected: Some(2), ..ShownBones::default() };
        let colors: Vec<_> = drawn(shown).iter().map(|line| line.color).collect();
        assert_eq!(colors, [CHAIN, CHAIN, SELECTED, CHAIN, CHAIN, SELECTED]);
        let all = drawn(ShownBones { all: true, ..shown });
        assert_eq!(all.len(), 4 + 5);
        assert_eq!(all.iter().filter(|line| line.color == SELECTED).count(), 2);
        assert_eq!(
            drawn(ShownBones { selected: Some(5), ..ShownBones::default() }),
            [],
            "no joint"
        );
        let none = drawn(ShownBones { all: true, ..ShownBones::default() });
        assert!(none.iter().all(|line| line.color == PLAIN));
    }

    #[test]
    fn shapes_have_their_lines_and_sides_their_colours() {
        let lines = |shape, sides| {
            let style = BoneStyle { shape, sides, size: 2.0, ..BoneStyle::default() };
            drawn(ShownBones { all: true, style, selected: None })
        };
        let thin = lines(BoneShape::Lines, false);
        assert_eq!(thin.iter().filter(|line| line.color == THIN).count(), 4);
        assert!(lines(BoneShape::Spheres, false).iter().all(|line| line.head == line.tail));
        let axes = lines(BoneShape::Axes, false);
        assert_eq!(axes.iter().filter(|line| AXES.contains(&line.color)).count(), 15);
        let left = lines(BoneShape::Bones, true);
        assert_eq!(left.iter().filter(|line| line.color == LEFT).count(), 1 + 2);
        assert!(left.iter().all(|line| line.size == 2.0));
    }
}
