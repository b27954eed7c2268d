//! The joint whose weights [`Pass::Weights`] shows.

use super::{Document, Viewer};
use crate::look::Pass;

impl Viewer {
    pub(super) fn set_pass(&mut self, pass: Pass) {
        self.look.pass = pass;
        self.default_joint();
    }

    /// Shows the weights of a joint of any skin; ignores any other node.
    pub(super) fn select_joint(&mut self, joint: Option<usize>) {
        let Some(document) = &self.document else { return };
        if joint.is_none_or(|joint| is_joint(document, joint)) {
            self.look.joint = joint;
            self.default_joint();
        }
    }

    /// Chooses the joint with the most weight if the pass needs a joint and none is chosen. The search
    /// reads all vertices, so that other passes do without it.
    pub(super) fn default_joint(&mut self) {
        let (Some(document), Some(stage)) = (&self.document, &self.stage) else { return };
        if self.look.pass == Pass::Weights && self.look.joint.is_none() {
            self.look.joint = stage.heaviest_joint(&document.model);
        }
    }

    /// Returns the joint of a file that was read again that stands for the chosen one: the same node if
    /// its name is unchanged, else the first joint of that name.
    pub(super) fn same_joint(&self, again: &Document) -> Option<usize> {
        let joint = self.look.joint?;
        let name_in = |document: &Document| document.model.nodes.get(joint)?.name.clone();
        let name = name_in(self.document.as_ref()?);
        if name == name_in(again) && is_joint(again, joint) {
            return Some(joint);
        }
        again.joint(&name?)
    }
}

fn is_joint(document: &Document, node: usize) -> bool {
    let mut joints = document.model.skins.iter().flat_map(|skin| &skin.joints);
    joints.any(|joint| *joint as usize == node)
}
