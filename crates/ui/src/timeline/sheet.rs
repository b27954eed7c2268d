//! The dope sheet: a row per channel with a mark per key. Only rows and keys in sight are drawn; the keys that fall on one
//! pixel are one mark.

use egui::{
    Align2, Color32, CursorIcon, FontId, Rect, Response, Role, ScrollArea, Sense, Shape, Stroke,
    StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2,
};

use super::axis::{Clock, MARGIN, TimeAxis, nearest, seek};
use super::rows::{Row, in_sight};
use crate::list::{fitting, fitting_name};
use crate::node_menu::node_menu_ui;
use crate::text::{counted, one_line};
use crate::theme;
use crate::time_bar::key_bands;
use crate::time_slider::{Asked, TimeSlider};
use rigview_anim::{Clip, Interpolation};
use rigview_session::{Action, Document, Item, SelectionAction, Session, key_from};

/// The height of a row in points.
const ROW: f32 = 20.0;

/// Half the size of a mark, and the distance at which the pointer reaches it, in points.
const MARK: f32 = 4.0;
const REACH: f32 = 5.0;

/// The rows of a frame.
pub(super) struct Sheet<'a> {
    pub axis: TimeAxis,
    pub clock: Clock,
    pub rows: &'a [Row],
    /// The times of all keys of the rows, increasing.
    pub keys: &'a [f32],
    pub clip: &'a Clip,
    pub document: &'a Document,
    pub session: &'a Session,
}

/// Keys of one row as they are drawn.
struct Keys<'a> {
    times: &'a [f32],
    /// `None` for keys of several channels.
    interpolation: Option<Interpolation>,
    color: Color32,
}

impl Sheet<'_> {
    /// Shows the row of all keys and the rows of the channels.
    pub fn show(&self, ui: &mut Ui, rect: Rect, actions: &mut Vec<Action>) {
        let summary = Rect::from_min_size(rect.min, vec2(rect.width(), ROW));
        self.summary_ui(ui, summary, actions);
        let below = Rect::from_min_max(summary.left_bottom(), rect.max);
        let mut inside = ui.new_child(egui::UiBuilder::new().max_rect(below));
        inside.shrink_clip_rect(below);
        inside.spacing_mut().item_spacing.y = 0.0;
        if self.rows.is_empty() {
            inside.add_space(4.0);
            inside.weak(self.nothing());
            return;
        }
        // The wheel scrolls over the names and zooms over the keys.
        let pointer = inside.input(|input| input.pointer.hover_pos());
        if pointer.is_some_and(|at| at.x > self.names_end()) {
            inside.input_mut(|input| input.smooth_scroll_delta = Vec2::ZERO);
        }
        let area = ScrollArea::vertical().id_salt("channels").auto_shrink(false);
        area.show_rows(&mut inside, ROW, self.rows.len(), |ui, shown| {
            for row in &self.rows[shown] {
                self.row_ui(ui, *row, actions);
            }
        });
    }

    fn names_end(&self) -> f32 {
        self.axis.x.min - MARGIN
    }

    /// Says why there are no rows.
    fn nothing(&self) -> String {
        match self.session.selection().node() {
            Some(node) if !self.clip.is_empty() => {
                let name = one_line(&self.document.model.node_name(node));
                format!("The clip does not move {name}.")
            }
            _ => "The clip has no channels.".to_owned(),
        }
    }

    /// Shows the keys of all rows in one row.
    fn summary_ui(&self, ui: &Ui, rect: Rect, actions: &mut Vec<Action>) {
        ui.painter().rect_filled(rect, 0.0, theme::colors(ui).card);
        let text = counted(self.rows.len(), "channel");
        let at = pos2(rect.left() + 4.0, rect.center().y);
        ui.painter().text(
            at,
            Align2::LEFT_CENTER,
            text,
            FontId::proportional(12.0),
            theme::colors(ui).weak,
        );
        let keys = Keys { times: self.keys, interpolation: None, color: theme::colors(ui).handle };
        let lane = rect.with_min_x(self.names_end());
        let response = ui.interact(lane, ui.scope_id().with("all keys"), Sense::click());
        let asked = self.asked(ui, &response, "All keys", keys.times);
        self.keys_ui(ui, lane, &keys, &response);
        if let Some(secs) = self.clicked(&response, keys.times).or(asked) {
            seek(self.session.playback(), secs, actions);
        }
    }

    fn row_ui(&self, ui: &mut Ui, row: Row, actions: &mut Vec<Action>) {
        let model = &self.document.model;
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
        let path = one_line(&row.path(self.clip, model));
        let node = row.node.map(|node| one_line(&model.node_name(node)));
        let name = node.as_ref().map_or_else(|| path.clone(), |node| format!("{path} of {node}"));
        let is_selected = row.node.is_some() && row.node == self.session.selection().node();
        let names = rect.with_max_x(self.names_end());
        let title = ui.interact(names, ui.scope_id().with(("name", row)), Sense::CLICK);
        title.widget_info(|| WidgetInfo::selected(Role::ListBoxOption, true, is_selected, &name));
        let keys = Keys {
            times: row.times(self.clip),
            interpolation: Some(row.interpolation(self.clip)),
            color: if is_selected { theme::colors(ui).accent } else { theme::colors(ui).text },
        };
        let interpolation = row.interpolation(self.clip).name();
        let value = format!("{}, {interpolation}", counted(keys.times.len(), "key"));
        ui.ctx().accesskit_node_builder(title.id, |node| node.set_value(value.clone()));
        if title.hovered() {
            ui.painter().rect_filled(rect, 0.0, theme::colors(ui).card);
        }
        if is_selected {
            ui.painter().rect_filled(names, 3.0, theme::colors(ui).chosen);
        }
        let short = row.node.map(|node| one_line(&self.document.short_name(node)));
        self.name_ui(ui, names, short.as_deref(), &path);
        let line = rect.with_min_x(self.names_end());
        ui.painter().hline(line.x_range(), line.bottom(), Stroke::new(1.0, theme::colors(ui).line));
        let lane = ui.interact(line, title.id.with("keys"), Sense::click());
        let asked = self.asked(ui, &lane, &format!("Keys: {name}"), keys.times);
        self.keys_ui(ui, line, &keys, &lane);
        let clicked = self.clicked(&lane, keys.times);
        if let Some(secs) = clicked.or(asked) {
            seek(self.session.playback(), secs, actions);
        }
        let chosen = clicked.is_some() || title.clicked() || pressed_by_key(&lane);
        if let Some(node) = row.node.filter(|_| chosen && !is_selected) {
            actions.push(SelectionAction::Select(Some(Item::Node(node))).into());
        }
        if let Some(node) = row.node {
            if title.double_clicked() {
                actions.push(Action::FrameSelection);
            }
            title.context_menu(|ui| {
                if node_menu_ui(ui, self.session, node, actions) {
                    ui.close();
                }
            });
        }
        title.on_hover_text(format!("{name}: {value}"));
    }

    /// Writes the node's name, shortened, and the property beside it.
    fn name_ui(&self, ui: &Ui, rect: Rect, node: Option<&str>, path: &str) {
        let small = FontId::proportional(11.0);
        let right = pos2(rect.right() - 6.0, rect.center().y);
        let Some(node) = node else {
            let left = pos2(rect.left() + 4.0, rect.center().y);
            let path = fitting(ui, path, rect.width() - 8.0);
            ui.painter().text(
                left,
                Align2::LEFT_CENTER,
                path,
                FontId::proportional(12.0),
                theme::colors(ui).text,
            );
            return;
        };
        let at =
            ui.painter().text(right, Align2::RIGHT_CENTER, path, small, theme::colors(ui).weak);
        let name = fitting_name(ui, node, at.left() - rect.left() - 10.0);
        let left = pos2(rect.left() + 4.0, rect.center().y);
        let font = egui::TextStyle::Button.resolve(ui.style());
        ui.painter().text(left, Align2::LEFT_CENTER, name, font, theme::colors(ui).text);
    }

    /// Paints the keys in sight, and names the key under the pointer.
    fn keys_ui(&self, ui: &Ui, lane: Rect, keys: &Keys<'_>, response: &Response) {
        let pixel = self.axis.secs_per_point() / f64::from(ui.pixels_per_point());
        let xs = in_sight(keys.times, self.axis.view, |secs| self.axis.x_of(secs), pixel);
        let painter = ui.painter();
        for (from, to, density) in key_bands(xs.into_iter()) {
            if from == to {
                painter.add(mark(keys.interpolation, pos2(from, lane.center().y), keys.color));
            } else {
                let band = Rect::from_x_y_ranges(
                    from..=to,
                    lane.center().y - MARK..=lane.center().y + MARK,
                );
                painter.rect_filled(band, 0.0, keys.color.gamma_multiply(0.8 * density));
            }
        }
        if let Some(secs) = response.hover_pos().and_then(|at| self.reached(keys.times, at.x)) {
            ui.ctx().set_cursor_icon(CursorIcon::PointingHand);
            let kind = keys.interpolation.map_or("", Interpolation::name);
            let text = format!("{} {kind}", self.clock.text(secs));
            response.clone().on_hover_text_at_pointer(text.trim_end().to_owned());
        }
    }

    /// Describes a row of keys as a slider whose steps go from key to key. Returns the time of the key to go to.
    fn asked(&self, ui: &Ui, response: &Response, name: &str, times: &[f32]) -> Option<f64> {
        let secs = self.session.playback().time_secs();
        let ends = [times.first(), times.last()];
        let slider = TimeSlider {
            name,
            text: &self.place_among(times, secs),
            secs,
            range_secs: ends.map(|end| end.map_or(0.0, |end| f64::from(*end))),
            step_secs: None,
        };
        if response.has_focus() {
            let ring = Stroke::new(1.0, theme::colors(ui).accent);
            ui.painter().rect_stroke(response.rect, 2.0, ring, StrokeKind::Inside);
        }
        match slider.ask(ui, response)? {
            Asked::Steps(keys) => key_from(times, secs, keys),
            Asked::Time(secs) => nearest(times, secs),
        }
    }

    /// Says where a time is among keys: `key 2 of 3, 0.500 s`, `after key 2 of 3, 0.750 s`.
    fn place_among(&self, times: &[f32], secs: f64) -> String {
        let time = self.clock.text(secs);
        let count = times.len();
        match times.partition_point(|time| f64::from(*time) <= secs) {
            0 => format!("before the first of {}, {time}", counted(count, "key")),
            n if f64::from(times[n - 1]) == secs => format!("key {n} of {count}, {time}"),
            n => format!("after key {n} of {count}, {time}"),
        }
    }

    /// Returns the time of the key that was clicked.
    fn clicked(&self, response: &Response, times: &[f32]) -> Option<f64> {
        let at = response.interact_pointer_pos().filter(|_| response.clicked())?;
        self.reached(times, at.x)
    }

    /// Returns the time of the key within reach of an x coordinate.
    fn reached(&self, times: &[f32], x: f32) -> Option<f64> {
        let near = nearest(times, self.axis.secs_at(x))?;
        ((self.axis.x_of(near) - x).abs() <= REACH).then_some(near)
    }
}

/// Whether a focused widget was pressed by the keyboard or a screen reader, which have no pointer.
fn pressed_by_key(response: &Response) -> bool {
    response.clicked() && response.interact_pointer_pos().is_none()
}

/// Returns the mark of a key: a square for STEP, a diamond for LINEAR, a disc for CUBICSPLINE.
fn mark(interpolation: Option<Interpolation>, at: egui::Pos2, color: Color32) -> Shape {
    let size = Vec2::splat(1.7 * MARK);
    match interpolation {
        Some(Interpolation::Step) => {
            Shape::rect_filled(Rect::from_center_size(at, size), 0.0, color)
        }
        Some(Interpolation::CubicSpline) => Shape::circle_filled(at, MARK, color),
        Some(Interpolation::Linear) | None => {
            let corners = [vec2(0.0, -MARK), vec2(MARK, 0.0), vec2(0.0, MARK), vec2(-MARK, 0.0)];
            Shape::convex_polygon(corners.map(|corner| at + corner).to_vec(), color, Stroke::NONE)
        }
    }
}
