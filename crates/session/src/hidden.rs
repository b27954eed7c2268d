//! The nodes that a person hides, and the node that is shown alone.

use std::collections::BTreeSet;

use crate::NodesByName;
use rigview_model::{Model, Stage};

/// The nodes that the person hid, and the one that is shown alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    nodes: BTreeSet<usize>,
    solo: Option<usize>,
}

/// A change of what is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenAction {
    /// Hides a node with its descendants, or shows it again.
    Toggle(usize),
    /// Shows only the meshes of a node and its descendants, or all again if that is the case already.
    ToggleSolo(usize),
    /// [`HiddenAction::Toggle`] for the selected node.
    ToggleSelected,
    /// [`HiddenAction::ToggleSolo`] for the selected node.
    ToggleSoloSelected,
    /// Shows all nodes.
    ShowAll,
}

impl Hidden {
    /// The hidden nodes. Their descendants are hidden with them.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = usize> {
        self.nodes.iter().copied()
    }

    /// Whether a node itself is hidden.
    pub fn has(&self, node: usize) -> bool {
        self.nodes.contains(&node)
    }

    /// The node that is shown alone.
    pub fn solo(&self) -> Option<usize> {
        self.solo
    }

    /// Whether nothing is hidden.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.solo.is_none()
    }

    /// Changes what is hidden. Nodes that the model does not have are ignored.
    pub(super) fn apply(&mut self, action: HiddenAction, selected: Option<usize>, model: &Model) {
        let has = |node: &usize| *node < model.nodes.len();
        match action {
            HiddenAction::Toggle(node) => self.toggle(Some(node).filter(has)),
            HiddenAction::ToggleSelected => self.toggle(selected),
            HiddenAction::ToggleSolo(node) => self.toggle_solo(Some(node).filter(has)),
            HiddenAction::ToggleSoloSelected => self.toggle_solo(selected),
            HiddenAction::ShowAll => *self = Self::default(),
        }
    }

    fn toggle(&mut self, node: Option<usize>) {
        let Some(node) = node else { return };
        if !self.nodes.remove(&node) {
            self.nodes.insert(node);
        }
    }

    fn toggle_solo(&mut self, node: Option<usize>) {
        if let Some(node) = node {
            self.solo = Some(node).filter(|node| self.solo != Some(*node));
        }
    }

    /// Keeps the nodes that a file that was read again has, by index and name or else by name.
    pub(super) fn carry_over(&mut self, before: &Model, after: &Model) {
        let by_name = NodesByName::new(after);
        let again = |node: usize| by_name.again(node, before);
        self.nodes = self.nodes().filter_map(again).collect();
        self.solo = self.solo.and_then(again);
    }

    /// Leaves the hidden nodes out of a stage.
    pub(super) fn hide_nodes(&self, model: &Model, stage: &mut Stage) {
        stage.hide_nodes(if self.is_empty() { Vec::new() } else { self.hidden(model) });
    }

    /// Returns for each node whether it is left out. A node that is shown alone is shown whether or not one of its
    /// ancestors is hidden. Lights stay, so that it does not turn dark.
    fn hidden(&self, model: &Model) -> Vec<bool> {
        let count = model.nodes.len();
        let (mut hidden, mut alone) = (vec![false; count], vec![false; count]);
        for node in model.hierarchy.parents_first() {
            let of_parent = |list: &[bool]| model.hierarchy.parent(node).is_some_and(|p| list[p]);
            let is_solo = self.solo == Some(node);
            alone[node] = is_solo || of_parent(&alone);
            hidden[node] = !is_solo && (self.nodes.contains(&node) || of_parent(&hidden));
        }
        let others =
            |node: usize| self.solo.is_some() && !alone[node] && model.nodes[node].mesh.is_some();
        (0..count).map(|node| hidden[node] || others(node)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_anim::Transform;
    use rigview_model::Node;

    /// Returns a chain of three nodes and a node beside them, each with a mesh but the last, which has a light.
    fn model() -> Model {
        let shape = Node { mesh: Some(0), ..Node::default() };
        let lamp = Node { light: Some(0), ..Node::default() };
        let nodes = vec![shape.clone(), shape.clone(), shape, lamp];
        Model {
            nodes,
            ..Model::from_nodes(&[None, Some(0), Some(1), None], [Transform::IDENTITY; 4]).unwrap()
        }
    }

    fn after(actions: &[HiddenAction]) -> Vec<bool> {
        let mut hidden = Hidden::default();
        for action in actions {
            hidden.apply(*action, Some(2), &model());
        }
        hidden.hidden(&model())
    }

    #[test]
    fn a_hidden_node_takes_its_descendants_with_it() {
        use HiddenAction::*;
        assert_eq!(after(&[Toggle(1)]), [false, true, true, false]);
        assert_eq!(after(&[Toggle(1), Toggle(1)]), [false; 4]);
        assert_eq!(after(&[ToggleSelected, Toggle(9)]), [false, false, true, false]);
        assert_eq!(after(&[Toggle(0), Toggle(3), ShowAll]), [false; 4]);
        assert_eq!(after(&[Toggle(3)]), [false, false, false, true]);
    }

    #[test]
    fn a_node_alone_is_shown_under_a_hidden_parent_and_keeps_the_lights() {
        use HiddenAction::*;
        assert_eq!(after(&[ToggleSolo(1)]), [true, false, false, false]);
        assert_eq!(after(&[Toggle(0), ToggleSolo(1)]), [true, false, false, false]);
        assert_eq!(after(&[Toggle(2), ToggleSolo(1)]), [true, false, true, false]);
        assert_eq!(after(&[ToggleSoloSelected, ToggleSoloSelected]), [false; 4]);
    }

    #[test]
    fn reading_again_keeps_what_has_the_same_name() {
        let (before, mut again) = (model(), model());
        let mut hidden = Hidden::default();
        for action in
            [HiddenAction::Toggle(1), HiddenAction::Toggle(2), HiddenAction::ToggleSolo(0)]
        {
            hidden.apply(action, None, &before);
        }
        again.nodes[2].name = Some("another".into());
        hidden.carry_over(&before, &again);
        assert_eq!((hidden.nodes().collect::<Vec<_>>(), hidden.solo()), (vec![1], Some(0)));
        again.nodes[0].name = Some("another".into());
        hidden.carry_over(&before, &again);
        assert_eq!(hidden.solo(), None);
    }
}
