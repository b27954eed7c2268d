//! The joints and bones of the overlay: which stand out, and in what colours.

use super::plan::Plan;

/// Colour of joints and bones that do not stand out: the shader has one for each.
const PLAIN: [u8; 4] = [0; 4];

/// Colour of the joints above the selected one, and of the bones between them. Alpha 0 tells a bone from a line.
const CHAIN: [u8; 4] = [0xa4, 0xdc, 0xff, 0];

/// Colour of the selected joint and of the bones that it turns.
const SELECTED: [u8; 4] = [0x1e, 0xa7, 0xff, 0];

/// How much a joint stands out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Stress {
    #[default]
    Plain,
    /// It is above the selected joint.
    Chain,
    Selected,
}

impl Stress {
    const ALL: [Stress; 3] = [Stress::Plain, Stress::Chain, Stress::Selected];

    fn color(self) -> [u8; 4] {
        match self {
            Stress::Plain => PLAIN,
            Stress::Chain => CHAIN,
            Stress::Selected => SELECTED,
        }
    }
}

/// How much each joint of a plan stands out.
#[derive(Debug, Default)]
pub struct Bones {
    stress: Vec<Stress>,
}

/// The bones to draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShownBones {
    /// Whether all are drawn, or only those that stand out.
    pub all: bool,
    /// The selected node; nothing stands out if it is no joint.
    pub selected: Option<usize>,
}

impl Bones {
    /// Makes room for the joints of a plan.
    pub fn new(plan: &Plan) -> Self {
        Self { stress: vec![Stress::Plain; plan.bones.len()] }
    }

    /// Calls `draw` with the ends and the colour of each shown bone, then of a disc per joint, which covers the
    /// bones' ends. Those that stand out come last.
    pub fn draw(
        &mut self,
        plan: &Plan,
        shown: ShownBones,
        mut draw: impl FnMut(usize, usize, [u8; 4]),
    ) {
        self.mark(plan, shown.selected);
        let levels = Stress::ALL.into_iter().filter(|level| shown.all || *level > Stress::Plain);
        for level in levels.clone() {
            for (i, bone) in plan.bones.iter().enumerate() {
                let Some(parent) = bone.parent else { continue };
                let own = match self.stress[i] {
                    _ if Some(parent) == shown.selected => Stress::Selected,
                    // The bone that ends at the selected joint belongs to the one above it.
                    stress => stress.min(Stress::Chain),
                };
                if own == level {
                    draw(parent, bone.joint, level.color());
                }
            }
        }
        for level in levels {
            for (bone, _) in plan.bones.iter().zip(&self.stress).filter(|(_, s)| **s == level) {
                draw(bone.joint, bone.joint, level.color());
            }
        }
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

/// Returns the number of lines that [`Bones::draw`] makes for a stage at most.
pub fn most_lines(plan: &Plan) -> u64 {
    // Each joint has a disc, and all but the roots have a bone.
    2 * plan.bones.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Bone;

    #[test]
    fn the_selected_joint_its_bones_and_the_chain_above_it_stand_out() {
        let joints = [(2, None), (4, Some(2)), (5, Some(4)), (7, Some(5)), (9, Some(2))];
        let bones = joints.map(|(joint, parent)| Bone { joint, parent }).to_vec();
        let plan = Plan { bones, ..Plan::default() };
        let mut bones = Bones::new(&plan);
        let mut drawn = |all, selected| {
            let mut list = Vec::new();
            let shown = ShownBones { all, selected };
            bones.draw(&plan, shown, |head, tail, color| list.push((head, tail, color)));
            list
        };
        let chain = [
            (2, 4, CHAIN),
            (4, 5, CHAIN),
            (5, 7, SELECTED),
            (2, 2, CHAIN),
            (4, 4, CHAIN),
            (5, 5, SELECTED),
        ];
        assert_eq!(drawn(false, Some(5)), chain);
        let all = drawn(true, Some(5));
        assert_eq!(all.len() as u64, most_lines(&plan) - 1);
        assert_eq!(all[0], (2, 9, PLAIN));
        assert!(chain.iter().all(|line| all.contains(line)));
        assert_eq!(drawn(false, Some(3)), [], "no joint");
        assert!(drawn(true, None).iter().all(|(.., color)| *color == PLAIN));
    }
}
