//! Over the picture of two models: their files' names, and the line that divides them.

use egui::accesskit::Action as Request;
use egui::{
    Align2, Area, Color32, CursorIcon, EventFilter, Frame, Id, Key, Margin, Order, Rect, Role,
    Sense, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2,
};

use super::list::fitting;
use super::text::{field_text, one_line};
use super::theme;
use rigview_session::{
    Action, Apart, CompareMode, Compared, ComparedAction, Document, PickAction, SelectionAction,
    Session,
};

/// The width in points of the line's handle, in which the pointer grips it.
const GRIP: f32 = 14.0;

/// The share of the picture by which an arrow key moves the line.
const STEP: f64 = 0.01;

/// The width of a file's name in points, at most.
const NAME: f32 = 260.0;

/// The height in points that the files' names take from the picture's top.
const NAMES: f32 = 24.0;

/// A model's share of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Side {
    /// The picture of the model, which the mouse relates to.
    pub picture: Rect,
    /// Whether it is that of the second model.
    pub second: bool,
}

/// Returns the picture of the first model, to which the selection belongs.
pub(super) fn first_picture(picture: Rect, compared: &Compared) -> Rect {
    match compared.mode() {
        CompareMode::Beside if compared.is_shown() => picture.split_left_right_at_fraction(0.5).0,
        _ => picture,
    }
}

/// Returns the part of the picture below the files' names.
pub(super) fn below_names(picture: Rect, compared: &Compared) -> Rect {
    if compared.is_shown() {
        picture.with_min_y((picture.top() + NAMES).min(picture.bottom()))
    } else {
        picture
    }
}

/// Returns the side that the pointer is over.
pub(super) fn side_under_pointer(ui: &Ui, picture: Rect, compared: &Compared) -> Side {
    let first = Side { picture, second: false };
    let Some(pointer) = ui.input(|i| i.pointer.latest_pos()).filter(|_| compared.is_shown()) else {
        return first;
    };
    match compared.mode() {
        CompareMode::Beside => {
            let (left, right) = picture.split_left_right_at_fraction(0.5);
            let second = pointer.x >= right.left();
            Side { picture: if second { right } else { left }, second }
        }
        CompareMode::Wipe => Side { second: pointer.x >= line(picture, compared), ..first },
        CompareMode::Ghost | CompareMode::Heat => first,
    }
}

impl Side {
    /// Removes questions about what is under the pointer, if that is the second model: only the first one is selected.
    pub fn leave_out_picks(self, session: &Session, actions: &mut Vec<Action>) {
        if self.second {
            actions.retain(|action| !matches!(action, Action::Pick(PickAction::Ask(_))));
            if session.selection().hovered().is_some() {
                actions.push(SelectionAction::Hover(None).into());
            }
        }
    }
}

/// Shows the names and the line. Returns the places of the names.
pub(super) fn sides_ui(
    ui: &mut Ui,
    picture: Rect,
    session: &Session,
    actions: &mut Vec<Action>,
) -> Vec<Rect> {
    let compared = session.compared();
    let both = session.playback().document().zip(compared.document());
    let Some((a, b)) = both.filter(|_| picture.width() > 2.0 * GRIP) else { return Vec::new() };
    let mut cards = Vec::new();
    let (left, right) = picture.split_left_right_at_fraction(0.5);
    let of = |file: &Document, other: &Document| file.source.name_beside(&other.source);
    let (a, b) = (of(a, b), of(b, a));
    let names = match compared.mode() {
        CompareMode::Beside => {
            let stroke = Stroke::new(1.0, theme::colors(ui).line);
            ui.painter().vline(picture.center().x, picture.y_range(), stroke);
            [(left, Align2::LEFT_TOP, &a), (right, Align2::LEFT_TOP, &b)]
        }
        CompareMode::Wipe => {
            wipe_ui(ui, picture, compared, actions);
            [(left, Align2::LEFT_TOP, &a), (right, Align2::RIGHT_TOP, &b)]
        }
        CompareMode::Ghost | CompareMode::Heat => {
            [(left, Align2::LEFT_TOP, &a), (right, Align2::RIGHT_TOP, &b)]
        }
    };
    let together = compared.mode();
    for (i, (room, align, name)) in names.into_iter().enumerate() {
        let what = match (together, i) {
            (CompareMode::Ghost, 1) => " (ghost)",
            (CompareMode::Heat, 0) => " (coloured)",
            _ => "",
        };
        let missing = if i == 1 { missing_clip(session) } else { None };
        let apart = compared.far_apart().filter(|_| i == 1);
        let apart = apart.and_then(|apart| told_apart(apart, together));
        let lines: Vec<String> = apart.into_iter().chain(missing).collect();
        cards.extend(name_ui(ui, room, align, i, &(one_line(name) + what), &lines));
    }
    cards
}

/// Says how a second model is shown that one view can't show together with the first one, or how it would be seen.
fn told_apart(apart: Apart, together: CompareMode) -> Option<String> {
    let times = apart.scale().max(1.0 / apart.scale());
    let times = field_text(times, 0);
    let is_scaled = match together {
        CompareMode::Beside => true,
        CompareMode::Wipe | CompareMode::Ghost => false,
        // The second model is not drawn.
        CompareMode::Heat => return None,
    };
    const REMEDY: &str = "Side by side shows both as large.";
    Some(match apart.scale() {
        scale if scale < 0.95 && is_scaled => format!("enlarged {times} times, to the size of A"),
        scale if scale > 1.05 && is_scaled => format!("reduced {times} times, to the size of A"),
        _ if is_scaled => "shown at the place of A".to_owned(),
        scale if scale < 0.95 => format!("{times} times smaller than A. {REMEDY}"),
        scale if scale > 1.05 => format!("{times} times larger than A. {REMEDY}"),
        _ => "Far away from A. Side by side shows both.".to_owned(),
    })
}

/// Returns a text for a second model that does not have the clip of the first one, and is shown at rest.
fn missing_clip(session: &Session) -> Option<String> {
    let playback = session.playback();
    let clip = playback.document()?.clip_name(playback.clip_index()?)?;
    let is_at_rest = session.compared().playback().clip_index().is_none();
    is_at_rest.then(|| format!("at rest (no clip \"{}\")", one_line(clip)))
}

/// Shows a file's name in a corner of its side, and below it lines about how its model is shown. Returns its place.
fn name_ui(
    ui: &Ui,
    room: Rect,
    align: Align2,
    index: usize,
    name: &str,
    lines: &[String],
) -> Option<Rect> {
    let inner = room.shrink(10.0);
    let width = (inner.width() - 20.0).min(NAME);
    if width < 40.0 {
        return None;
    }
    let area = Area::new(Id::unique("compared file").with(index))
        .order(Order::Middle)
        .fade_in(false)
        .interactable(false)
        .pivot(align)
        .fixed_pos(align.pos_in_rect(&inner));
    let shown = area.show(ui.ctx(), |ui| {
        let card = Frame::new()
            .fill(theme::colors(ui).card.gamma_multiply(0.92))
            .corner_radius(4)
            .inner_margin(Margin::symmetric(8, 3));
        card.show(ui, |ui| {
            ui.set_max_width(width);
            let text = fitting(ui, name, width);
            ui.add(egui::Label::new(egui::RichText::new(text).size(12.5)).extend());
            for line in lines {
                let text = egui::RichText::new(line).size(12.5).color(theme::colors(ui).warning);
                ui.add(egui::Label::new(text).wrap());
            }
        });
    });
    Some(shown.response.rect)
}

/// Returns the line's place.
fn line(picture: Rect, compared: &Compared) -> f32 {
    picture.left() + compared.wipe() as f32 * picture.width()
}

/// Shows the line with its handle, which the mouse drags and the arrow keys move.
fn wipe_ui(ui: &Ui, picture: Rect, compared: &Compared, actions: &mut Vec<Action>) {
    let x = line(picture, compared);
    let grip = Rect::from_center_size(pos2(x, picture.center().y), vec2(GRIP, picture.height()));
    let area = Area::new(Id::unique("wipe"))
        .order(Order::Middle)
        .fade_in(false)
        .constrain(false)
        .fixed_pos(grip.min);
    area.show(ui.ctx(), |ui| {
        let (rect, response) = ui.allocate_exact_size(grip.size(), Sense::click_and_drag());
        let response = response.on_hover_cursor(CursorIcon::ResizeHorizontal);
        response.widget_info(|| WidgetInfo::slider(true, compared.wipe(), "Wipe line"));
        ui.ctx().accesskit_node_builder(response.id, |node| {
            node.set_role(Role::Slider);
            node.set_min_numeric_value(0.0);
            node.set_max_numeric_value(1.0);
            node.set_numeric_value_step(STEP);
            node.add_action(Request::Increment);
            node.add_action(Request::Decrement);
        });
        let mut share = compared.wipe();
        if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.dragged()) {
            share = f64::from((pointer.x - picture.left()) / picture.width());
        }
        if response.has_focus() {
            let arrows = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
            ui.memory_mut(|m| m.set_focus_lock_filter(response.id, arrows));
            let pressed = |key| ui.input(|i| i.num_presses(key)) as f64;
            share += STEP * (pressed(Key::ArrowRight) - pressed(Key::ArrowLeft));
        }
        let asked = |request| ui.input(|i| i.num_accesskit_action_requests(response.id, request));
        share += STEP * (asked(Request::Increment) as f64 - asked(Request::Decrement) as f64);
        let share = share.clamp(0.0, 1.0);
        if share != compared.wipe() {
            actions.push(ComparedAction::SetWipe(share).into());
        }
        // In both themes: the picture behind the line is the same.
        let color = if response.dragged() || response.hovered() || response.has_focus() {
            Color32::WHITE
        } else {
            Color32::from_gray(0xdd)
        };
        let painter = ui.painter().with_clip_rect(picture);
        painter.vline(x, picture.y_range(), Stroke::new(2.0, color));
        let knob = Rect::from_center_size(rect.center(), Vec2::new(GRIP, 36.0));
        painter.rect_filled(knob, 5.0, color);
        for dx in [-2.0, 2.0] {
            let mark = egui::Rangef::new(knob.center().y - 7.0, knob.center().y + 7.0);
            painter.vline(x + dx, mark, Stroke::new(1.0, Color32::from_gray(0x18)));
        }
    });
}
