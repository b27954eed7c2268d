//! The part with the scene's nodes: a tree with a search, where nodes are selected, hidden and shown alone.

use egui::accesskit::{Action as Request, Role};
use egui::{
    Color32, EventFilter, Frame, Id, Key, Margin, Modifiers, Pos2, Rect, Response, RichText,
    ScrollArea, Sense, TextEdit, Ui, Vec2, WidgetInfo, pos2,
};

use super::icon::{Icon, icon_button_ui, paint_icon};
use super::list::{fitting, is_scrolled_to};
use super::node_menu::{framing, node_menu_ui};
use super::text::{counted, one_line};
use super::theme;
use super::tree::{Tree, TreeRow};
use rigview_model::Model;
use rigview_session::{Action, Document, HiddenAction, Item, SelectionAction, Session};

/// The height of a row in points.
const ROW: f32 = 22.0;

/// The indent per level, and the share of the width that indents may take, in points.
const INDENT: f32 = 12.0;
const MOST_INDENT: f32 = 0.45;

/// The width of the triangle that folds a row, and of the eye at its end, in points.
const FOLD: f32 = 18.0;
const EYE: f32 = 24.0;

/// Rows out of sight are in the accessibility tree only if there are at most this many rows.
const MOST_DESCRIBED: usize = 2000;

/// The part's state between frames.
#[derive(Debug, Default)]
pub(super) struct Scene {
    tree: Tree,
    search: String,
    /// Of [`Desktop::searches`](rigview_session::Desktop::searches) in the last frame.
    searches: u32,
    /// The selected node in the last frame, to see that another one was selected.
    selected: Option<usize>,
}

impl Scene {
    /// Clears the search.
    pub fn forget(&mut self) {
        self.search.clear();
    }

    /// Shows the part.
    pub fn show(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let frame = Frame::new().inner_margin(Margin { right: 4, ..Margin::symmetric(10, 8) });
        frame.show(ui, |ui| {
            let playback = session.playback();
            let (Some(document), Some(stage)) = (playback.document(), playback.stage()) else {
                ui.weak("Open a file to see its nodes.");
                return;
            };
            let model = &*document.model;
            let (load, scene) = (document.load, stage.scene);
            let another = self.tree.show_scene(&document.model, &document.source, load, scene);
            let searches = session.desktop().searches();
            let wanted = std::mem::replace(&mut self.searches, searches) != searches;
            self.search_ui(ui, document, wanted, actions);
            let searched = self.tree.set_search(model, &self.search);
            self.status_ui(ui, session, actions);
            let selected = session.selection().node();
            let moved = selected != std::mem::replace(&mut self.selected, selected);
            // When the search is cleared, the tree shows where the selected node is.
            let moved = moved || another || searched && self.search.trim().is_empty();
            if let Some(node) = selected.filter(|_| moved) {
                self.tree.reveal(model, node);
            }
            if self.tree.rows().is_empty() {
                let none = if self.search.trim().is_empty() {
                    "This scene is empty."
                } else {
                    "No node matches."
                };
                ui.weak(none);
                return;
            }
            let found = searched.then(|| self.tree.first_found()).flatten();
            self.rows_ui(ui, session, selected.filter(|_| moved).or(found), actions);
        });
    }

    /// Shows the search, and how many nodes it finds. Enter selects the first of them. Puts
    /// the cursor there if that is `wanted`.
    fn search_ui(
        &mut self,
        ui: &mut Ui,
        document: &Document,
        wanted: bool,
        actions: &mut Vec<Action>,
    ) {
        ui.horizontal(|ui| {
            theme::edge_ui(ui);
            let room = if self.search.is_empty() { 4.0 } else { 34.0 };
            let hint = format!("Search {}", counted(document.model.nodes.len(), "node"));
            let field = TextEdit::singleline(&mut self.search)
                .id_salt("search nodes")
                .hint_text(hint)
                .desired_width(ui.available_width() - room);
            let field = ui.add(field).accessible_name("Search nodes");
            if wanted {
                field.request_focus();
            }
            let entered = field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
            if let Some(node) = self.tree.first_found().filter(|_| entered) {
                actions.push(SelectionAction::Select(Some(Item::Node(node))).into());
            }
            let name = "Clear the search";
            if room > 4.0 && icon_button_ui(ui, Icon::Close, 22.0, name, "Clear").clicked() {
                self.search.clear();
            }
        });
    }

    /// Shows a line that is always there, so that the rows below it stay where they are: how many nodes the search finds
    /// or are hidden, and a button that shows all.
    fn status_ui(&self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let hidden = session.hidden();
        let text = match (self.search.trim().is_empty(), hidden.solo(), hidden.nodes().len()) {
            (false, ..) => counted(self.tree.match_count(), "node") + " found",
            (true, Some(_), _) => "One node alone".to_owned(),
            (true, None, 0) => String::new(),
            (true, None, count) => counted(count, "node") + " hidden",
        };
        let size = Vec2::new(ui.available_width(), ROW);
        let layout = egui::Layout::right_to_left(egui::Align::Center);
        ui.allocate_ui_with_layout(size, layout, |ui| {
            let all = egui::Button::new("Show all").small();
            if ui.add_enabled(!hidden.is_empty(), all).clicked() {
                actions.push(HiddenAction::ShowAll.into());
            }
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                ui.label(RichText::new(text).size(12.0).color(theme::colors(ui).weak));
            });
        });
    }

    /// Shows the rows that are in sight. Scrolls to that of a node, if there is one to `look_at`.
    fn rows_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        look_at: Option<usize>,
        actions: &mut Vec<Action>,
    ) {
        ui.spacing_mut().item_spacing.y = 0.0;
        let Some(document) = session.playback().document() else { return };
        let model = &*document.model;
        let focus = ui.scope_id().with("nodes");
        let stepped = self.keys(ui, focus, session, actions);
        let mut folds = None;
        let count = self.tree.rows().len();
        let area = ScrollArea::vertical().id_salt("nodes").auto_shrink(false);
        let shown = area.show_rows(ui, ROW, count, |ui, rows| {
            let top = ui.max_rect().top() - rows.start as f32 * ROW;
            let mut wanted = stepped.or(look_at);
            if count <= MOST_DESCRIBED {
                let out = (0..rows.start).chain(rows.end..count);
                wanted = self.describe(ui, model, out).or(wanted);
            }
            for row in &self.tree.rows()[rows] {
                let icon = self.tree.icons[row.node];
                let look = RowLook { model, document, session, icon, row };
                folds = look.show(ui, actions).or(folds);
            }
            if let Some(row) = wanted.and_then(|node| self.tree.row_of(node)) {
                let place = pos2(ui.max_rect().left(), top + row as f32 * ROW);
                let place = Rect::from_min_size(place, Vec2::new(1.0, ROW));
                ui.scroll_to_rect(place.expand2(Vec2::new(0.0, ROW)), None);
            }
        });
        let tree = ui.interact(shown.inner_rect, focus, Sense::focusable_noninteractive());
        tree.widget_info(|| WidgetInfo::labeled(Role::Tree, true, "Nodes"));
        if tree.has_focus() {
            let ring = egui::Stroke::new(1.0, theme::colors(ui).accent);
            ui.painter().rect_stroke(shown.inner_rect, 2.0, ring, egui::StrokeKind::Inside);
        }
        if let Some((node, open)) = folds {
            self.tree.set_open(model, node, open);
        }
    }

    /// Handles the arrow keys while the tree has the focus. Returns the node to scroll to.
    fn keys(
        &mut self,
        ui: &Ui,
        focus: Id,
        session: &Session,
        actions: &mut Vec<Action>,
    ) -> Option<usize> {
        if !ui.memory(|memory| memory.has_focus(focus)) {
            return None;
        }
        let filter = EventFilter {
            vertical_arrows: true,
            horizontal_arrows: true,
            ..EventFilter::default()
        };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(focus, filter));
        let model = &*session.playback().document()?.model;
        let mut selected = self.selected;
        let presses = |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
        let down = presses(Key::ArrowDown) as i64 - presses(Key::ArrowUp) as i64;
        let (right, left) = (presses(Key::ArrowRight) > 0, presses(Key::ArrowLeft) > 0);
        let rows = self.tree.rows();
        let at = selected.and_then(|node| self.tree.row_of(node));
        let last = rows.len().checked_sub(1)?;
        match at.map(|at| (at, rows[at])) {
            None if down != 0 || right || left => selected = Some(rows[0].node),
            None => {}
            Some((at, _)) if down != 0 => {
                let to = (at as i64 + down).clamp(0, last as i64);
                selected = Some(rows[to as usize].node);
            }
            Some((_, TreeRow { node, open: Some(false), .. })) if right => {
                self.tree.set_open(model, node, true);
            }
            Some((at, TreeRow { open: Some(true), .. })) if right => {
                selected = Some(rows[(at + 1).min(last)].node);
            }
            Some((_, TreeRow { node, open: Some(true), .. })) if left => {
                self.tree.set_open(model, node, false);
            }
            Some((_, TreeRow { node, .. })) if left => {
                selected = model.hierarchy.parent(node).or(selected);
            }
            Some(_) => {}
        }
        if selected == self.selected {
            return None;
        }
        actions.push(SelectionAction::Select(selected.map(Item::Node)).into());
        selected
    }

    /// Adds rows out of sight to the accessibility tree. Returns the node that is to be scrolled to.
    fn describe(&self, ui: &Ui, model: &Model, rows: impl Iterator<Item = usize>) -> Option<usize> {
        let mut wanted = None;
        for row in rows.map(|row| &self.tree.rows()[row]) {
            let id = row_id(ui, row.node);
            ui.ctx().accesskit_node_builder(id, |node| {
                node.set_role(Role::TreeItem);
                node.set_label(one_line(&model.node_name(row.node)));
                node.set_bounds(Default::default());
                node.add_action(Request::ScrollIntoView);
            })?;
            if is_scrolled_to(ui, id) {
                wanted = Some(row.node);
            }
        }
        wanted
    }
}

fn row_id(ui: &Ui, node: usize) -> Id {
    ui.scope_id().with(("node", node))
}

/// A row as it is shown.
struct RowLook<'a> {
    model: &'a Model,
    document: &'a Document,
    session: &'a Session,
    icon: Icon,
    row: &'a TreeRow,
}

impl RowLook<'_> {
    /// Shows the row. Returns the node and whether to unfold it, if that was asked for.
    fn show(&self, ui: &mut Ui, actions: &mut Vec<Action>) -> Option<(usize, bool)> {
        let TreeRow { node, depth, open, .. } = *self.row;
        let name = one_line(&self.model.node_name(node));
        let size = Vec2::new(ui.available_width(), ROW);
        let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
        let indent = (depth as f32 * INDENT).min(MOST_INDENT * rect.width());
        let fold = Rect::from_min_size(rect.min + Vec2::new(indent, 0.0), Vec2::new(FOLD, ROW));
        let eye = Rect::from_min_max(pos2(rect.right() - EYE, rect.top()), rect.max);
        let body =
            Rect::from_min_max(pos2(fold.right(), rect.top()), pos2(eye.left(), rect.bottom()));

        let is_selected = self.session.selection().node() == Some(node);
        let response = ui.interact(body, row_id(ui, node), Sense::CLICK);
        let hovered = ui.rect_contains_pointer(rect);
        response.widget_info(|| WidgetInfo::selected(Role::TreeItem, true, is_selected, &name));
        ui.ctx().accesskit_node_builder(response.id, |item| {
            item.set_level(depth + 1);
            if let Some(open) = open {
                item.set_expanded(open);
                item.add_action(if open { Request::Collapse } else { Request::Expand });
            }
        });
        let fill = match (is_selected, hovered) {
            (true, _) => theme::colors(ui).chosen,
            (false, true) => theme::colors(ui).card,
            _ => Color32::TRANSPARENT,
        };
        ui.painter().rect_filled(rect, 3.0, fill);
        self.name_ui(ui, body, &name, &one_line(&self.document.short_name(node)), &response);
        self.hand_ui(ui, body, &name);
        self.eye_ui(ui, eye, &name, hovered, actions);
        if response.double_clicked() {
            actions.extend(framing(node));
        } else if response.clicked() {
            actions.push(SelectionAction::Select(Some(Item::Node(node))).into());
        }
        response.context_menu(|ui| {
            if node_menu_ui(ui, self.session, node, actions) {
                ui.close();
            }
        });
        let open = open?;
        let asked = if open { Request::Collapse } else { Request::Expand };
        if ui.input(|i| i.has_accesskit_action_request(response.id, asked)) {
            return Some((node, !open));
        }
        let verb = if open { "Fold" } else { "Unfold" };
        let fold = named_button(ui, fold, ("fold", node), &format!("{verb} {name}"));
        let icon = if open { Icon::Down } else { Icon::Right };
        paint_icon(ui.painter(), icon, fold.rect.center(), 4.0, theme::colors(ui).weak);
        fold.clicked().then_some((node, !open))
    }

    /// Writes the name, shortened; the whole name is shown on hover.
    fn name_ui(&self, ui: &Ui, body: Rect, name: &str, short: &str, response: &Response) {
        let node = self.row.node;
        let hidden = self.session.playback().stage().is_some_and(|stage| !stage.visible[node]);
        let color = match (hidden, self.row.found, self.icon) {
            (true, ..) => theme::colors(ui).rail,
            (_, true, _) => theme::colors(ui).strong,
            _ => theme::colors(ui).text,
        };
        let tint = match self.icon {
            _ if hidden => theme::colors(ui).rail,
            Icon::Mesh | Icon::Skin => theme::colors(ui).accent,
            Icon::Camera | Icon::Light => theme::colors(ui).warning,
            _ => theme::colors(ui).weak,
        };
        let center = pos2(body.left() + 7.0, body.center().y);
        paint_icon(ui.painter(), self.icon, center, 6.0, tint);
        let left = body.left() + 20.0;
        // Cut in the middle: sides are at either end, as in `L_arm` and `arm.L`.
        let shown = fitting(ui, short, body.right() - left - 2.0);
        let font = egui::TextStyle::Button.resolve(ui.style());
        let at = Pos2::new(left, body.center().y);
        let is_cut = shown != name;
        let drawn = ui.painter().text(at, egui::Align2::LEFT_CENTER, shown, font, color);
        if let Some(bone) = self.model.vrm.as_ref().and_then(|vrm| vrm.bone_of(node)) {
            let left = drawn.right() + 8.0;
            let font = egui::TextStyle::Small.resolve(ui.style());
            let color = theme::colors(ui).weak;
            let bone = ui.painter().layout_no_wrap(bone.to_string(), font, color);
            // A part of it would name another bone.
            if left + bone.size().x <= body.right() {
                let at = Pos2::new(left, body.center().y - 0.5 * bone.size().y);
                ui.painter().galley(at, bone, color);
            }
        }
        if response.hovered() && is_cut {
            response.clone().on_hover_text(name);
        }
    }

    /// Shows a dot if values of the node were set by hand.
    fn hand_ui(&self, ui: &Ui, body: Rect, name: &str) {
        let node = self.row.node;
        if self.session.playback().hand().get(node).is_some() {
            let center = pos2(body.right() - 5.0, body.center().y);
            ui.painter().circle_filled(center, 3.0, theme::colors(ui).accent);
            let rect = Rect::from_center_size(center, Vec2::splat(8.0));
            let dot = ui.interact(rect, ui.scope_id().with(("hand", node)), Sense::hover());
            let name = format!("{name} is posed by hand");
            dot.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
        }
    }

    /// Shows the button that hides the node; with Alt it is shown alone.
    fn eye_ui(&self, ui: &Ui, rect: Rect, name: &str, hovered: bool, actions: &mut Vec<Action>) {
        let (node, hidden) = (self.row.node, self.session.hidden());
        let is_hidden = hidden.has(node);
        let verb = if is_hidden { "Show" } else { "Hide" };
        let eye = named_button(ui, rect, ("eye", node), &format!("{verb} {name}"));
        if hovered || is_hidden || hidden.solo() == Some(node) || eye.has_focus() {
            let icon = if is_hidden { Icon::EyeShut } else { Icon::Eye };
            let color = match (hidden.solo() == Some(node), eye.hovered()) {
                (true, _) => theme::colors(ui).accent,
                (_, true) => theme::colors(ui).strong,
                _ => theme::colors(ui).weak,
            };
            paint_icon(ui.painter(), icon, rect.center(), 6.0, color);
        }
        if eye.clicked() {
            let alone = ui.input(|input| input.modifiers.alt);
            let action =
                if alone { HiddenAction::ToggleSolo(node) } else { HiddenAction::Toggle(node) };
            actions.push(action.into());
        }
        if eye.hovered() {
            eye.on_hover_text(format!("{verb}; with Alt: this node alone"));
        }
    }
}

/// Makes a rectangle a button with this name, which Tab passes over: a tree is left with one Tab.
fn named_button(ui: &Ui, rect: Rect, id: (&str, usize), name: &str) -> Response {
    let response = ui.interact(rect, ui.scope_id().with(id), Sense::CLICK);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
    response
}
