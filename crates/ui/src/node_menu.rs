//! The menu of a node, which a right click opens in the tree, in the time line and over the picture.

use egui::{Area, Frame, Id, Key, Order, Pos2, Rect, Ui};

use super::text::one_line;
use rigview_session::{
    Action, Anchor, HiddenAction, Item, MeasureAction, SelectionAction, Session, WindowPart,
};

/// The actions that select a node and frame it.
pub(super) fn framing(node: usize) -> [Action; 2] {
    [SelectionAction::Select(Some(Item::Node(node))).into(), Action::FrameSelection]
}

/// Shows the entries of the menu. Returns whether one was chosen.
pub(super) fn node_menu_ui(
    ui: &mut Ui,
    session: &Session,
    node: usize,
    actions: &mut Vec<Action>,
) -> bool {
    let Some(document) = session.playback().document() else { return true };
    let hidden = session.hidden();
    ui.weak(one_line(&document.short_name(node)));
    ui.separator();
    let select = || Action::from(SelectionAction::Select(Some(Item::Node(node))));
    let mut chosen = Vec::new();
    if ui.button("Frame the node").clicked() {
        chosen.extend(framing(node));
    }
    let verb = if hidden.has(node) { "Show" } else { "Hide" };
    if ui.button(verb).clicked() {
        chosen.push(HiddenAction::Toggle(node).into());
    }
    let alone = if hidden.solo() == Some(node) { "Show the others again" } else { "Show alone" };
    if ui.button(alone).clicked() {
        chosen.push(HiddenAction::ToggleSolo(node).into());
    }
    let mut copied = false;
    if ui.button("Copy the name").clicked() {
        ui.ctx().copy_text(document.model.node_name(node).into_owned());
        copied = true;
    }
    if ui.button("Measure from here").clicked() {
        // Measuring begins without points.
        chosen.extend(session.measuring().is_on().then_some(Action::from(MeasureAction::Toggle)));
        chosen.push(MeasureAction::Toggle.into());
        chosen.push(MeasureAction::Mark(Anchor::Node(node)).into());
    }
    if ui.button("Keys of this node").clicked() {
        chosen.push(select());
        let closed = !session.window_parts().has(WindowPart::TimeLine);
        chosen.extend(closed.then_some(Action::TogglePart(WindowPart::TimeLine)));
    }
    let done = copied || !chosen.is_empty();
    actions.extend(chosen);
    done
}

/// The menu over the picture, which has no widget to belong to.
#[derive(Debug, Default)]
pub(super) struct PictureMenu {
    open: Option<(Pos2, usize)>,
}

impl PictureMenu {
    /// Opens the menu for the node under the pointer, if there is one.
    pub fn open(&mut self, at: Pos2, session: &Session) {
        self.open = session.selection().hovered().map(|node| (at, node));
    }

    /// Shows the menu while it is open.
    pub fn show(&mut self, ui: &Ui, picture: Rect, session: &Session, actions: &mut Vec<Action>) {
        let Some((at, node)) = self.open else { return };
        let exists =
            session.playback().document().is_some_and(|open| node < open.model.nodes.len());
        let area = Area::new(Id::unique("picture menu"))
            .order(Order::Foreground)
            .fade_in(false)
            .constrain_to(picture)
            .fixed_pos(at);
        let shown = area.show(ui.ctx(), |ui| {
            let menu = |ui: &mut Ui| {
                let layout = egui::Layout::top_down_justified(egui::Align::LEFT);
                ui.with_layout(layout, |ui| {
                    ui.set_max_width(180.0);
                    exists && node_menu_ui(ui, session, node, actions)
                })
                .inner
            };
            Frame::popup(ui.style()).show(ui, menu).inner
        });
        let beside = ui.input(|input| {
            let pressed = input.pointer.any_pressed().then(|| input.pointer.interact_pos());
            pressed.flatten().is_some_and(|at| !shown.response.rect.contains(at))
        });
        let escaped = ui.input(|input| input.key_pressed(Key::Escape));
        if shown.inner || beside || escaped || !exists {
            self.open = None;
        }
    }
}
