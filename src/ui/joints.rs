//! The list of joints, from which one is chosen whose weights are shown.

use std::borrow::Cow;

use egui::Ui;

use super::list::{NameList, Names};
use super::{list, theme};
use crate::look::Pass;
use crate::model::Model;
use crate::session::{Action, LookAction, Session};

/// The number of rows that are in sight at most.
const ROWS: f32 = 6.0;

/// The joints of the shown scene, where the pass needs one.
pub(super) fn joints_ui(
    ui: &mut Ui,
    session: &Session,
    list: &mut NameList,
    actions: &mut Vec<Action>,
) {
    let (Some(document), Some(stage)) = (session.exhibit().document(), session.exhibit().stage())
    else {
        return;
    };
    if session.look().pass != Pass::Weights {
        return;
    }
    let joints = stage.joints(&document.model);
    if joints.is_empty() {
        ui.weak("This model has no joints.");
        return;
    }
    let names = Names {
        id: "joints",
        noun: "joint",
        names: joints.iter().map(|joint| joint_name(&document.model, *joint)).collect(),
        note: &|_| String::new(),
        chosen: session.look().joint.and_then(|joint| joints.binary_search(&joint).ok()),
        height: ROWS * (theme::ROW + list::GAP),
    };
    if let Some(picked) = ui.scope(|ui| list.show(ui, &names)).inner {
        actions.push(Action::Look(LookAction::SelectJoint(Some(joints[picked]))));
    }
}

/// A joint's name, or its number as a node.
pub(super) fn joint_name(model: &Model, node: usize) -> Cow<'_, str> {
    match model.nodes.get(node).and_then(|n| n.name.as_deref()) {
        Some(name) if !name.trim().is_empty() => Cow::Borrowed(name),
        _ => Cow::Owned(format!("node {node}")),
    }
}
