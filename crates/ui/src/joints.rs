//! The list of joints, to choose the joint whose weights are shown.

use egui::Ui;

use super::list::{NameList, Names};
use super::{list, theme};
use rigview_look::{Look, Pass};
use rigview_session::{Action, LookAction, Playback};

/// Maximum number of rows in sight.
const ROWS: f32 = 6.0;

/// Shows the joints of the shown scene, if the pass needs one.
pub(super) fn joints_ui(
    ui: &mut Ui,
    playback: &Playback,
    look: &Look,
    list: &mut NameList,
    actions: &mut Vec<Action>,
) {
    let (Some(document), Some(stage)) = (playback.document(), playback.stage()) else { return };
    if look.pass != Pass::Weights {
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
        names: joints.iter().map(|joint| document.model.node_name(*joint)).collect(),
        sign: &|_| None,
        note: &|_| String::new(),
        hint: &|_| String::new(),
        chosen: look.joint.and_then(|joint| joints.binary_search(&joint).ok()),
        height: ROWS * (theme::ROW + list::GAP),
    };
    if let Some(picked) = ui.scope(|ui| list.show(ui, &names)).inner {
        actions.push(LookAction::SelectJoint(Some(joints[picked])).into());
    }
}
