//! A list of names to choose one from, with a filter, which scrolls to the chosen row. A prefix that all names share
//! is left out, and names that are too wide are shortened at their start.

use std::borrow::Cow;
use std::ops::Range;

use egui::accesskit::{self, Role};
use egui::text::{LayoutJob, TextFormat};
use egui::{
    Button, Color32, Event, FontSelection, Id, Key, Rect, Response, RichText, ScrollArea, TextEdit,
    Ui, Vec2,
};

use super::icon::{Icon, icon_button_ui};
use super::text::one_line;
use super::theme;
use rigview_report::plural;

/// Shorter lists have no filter.
const FILTER_FROM: usize = 9;

/// The gap between two rows in points.
pub(super) const GAP: f32 = 2.0;

/// Characters that end a namespace. A namespace that all names share is dropped.
const NAMESPACES: &[char] = &[':', '|'];

/// Characters that end a word in a name.
const SEPARATORS: &[char] = &[':', '|', '_', '-', '.', '/', '\\', '@', '#', ' '];

/// Minimum length in characters of a shared prefix that is dropped although it is not a namespace.
const LONG_PREFIX: usize = 16;

/// A list's state between frames.
#[derive(Debug, Default)]
pub(super) struct NameList {
    filter: String,
    /// The chosen row, the number of rows and the height in the last frame. When they change, the list scrolls to
    /// the chosen row.
    seen: Option<(usize, usize, u32)>,
}

/// A coloured text before the note of a row.
#[derive(Debug)]
pub(super) struct Sign {
    pub text: String,
    pub color: Color32,
}

/// The contents of a list.
pub(super) struct Names<'a> {
    /// Identifies the list.
    pub id: &'static str,
    /// The noun for one entry.
    pub noun: &'static str,
    /// All entries.
    pub names: Vec<Cow<'a, str>>,
    /// What is before the note of an entry's row, if anything.
    pub sign: &'a dyn Fn(usize) -> Option<&'a Sign>,
    /// The text at the right end of an entry's row.
    pub note: &'a dyn Fn(usize) -> String,
    /// Further lines of an entry's hover text; empty for none.
    pub hint: &'a dyn Fn(usize) -> String,
    /// The chosen entry.
    pub chosen: Option<usize>,
    /// Maximum height of all rows together, in points.
    pub height: f32,
}

impl NameList {
    /// Shows the list. Returns the entry that was picked.
    pub fn show(&mut self, ui: &mut Ui, list: &Names<'_>) -> Option<usize> {
        ui.spacing_mut().item_spacing.y = GAP;
        let entered = self.filter_ui(ui, list);
        let words: Vec<String> = self.filter.split_whitespace().map(str::to_lowercase).collect();
        let matches = |name: &str| {
            let name = if words.is_empty() { String::new() } else { name.to_lowercase() };
            words.iter().all(|word| name.contains(word))
        };
        let shown: Vec<usize> =
            (0..list.names.len()).filter(|i| matches(&list.names[*i])).collect();
        let prefix = dropped_prefix(&list.names);
        if !prefix.is_empty() {
            let text =
                RichText::new(one_line(prefix) + "…").size(12.0).color(theme::colors(ui).weak);
            ui.add(egui::Label::new(text).truncate()).on_hover_text(one_line(prefix));
        }
        if shown.is_empty() && !list.names.is_empty() {
            ui.weak(format!("No {} matches.", list.noun));
        }
        let picked = self.rows_ui(ui, list, &shown, prefix.len());
        picked.or(shown.first().copied().filter(|_| entered))
    }

    /// Shows the filter and a button that clears it. Returns whether Enter was pressed in a filter that is not empty.
    fn filter_ui(&mut self, ui: &mut Ui, list: &Names<'_>) -> bool {
        if list.names.len() < FILTER_FROM {
            self.filter.clear();
            return false;
        }
        ui.horizontal(|ui| {
            theme::edge_ui(ui);
            let room = if self.filter.is_empty() { 0.0 } else { 30.0 };
            let hint = super::text::counted(list.names.len(), list.noun);
            let field = TextEdit::singleline(&mut self.filter)
                .id_salt((list.id, "filter"))
                .hint_text(format!("Filter {hint}"))
                .desired_width(ui.available_width() - room);
            let name = format!("Filter {}", plural(list.names.len(), list.noun));
            let response = ui.add(field).accessible_name(name);
            let entered = response.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
            if room > 0.0
                && icon_button_ui(ui, Icon::Close, 22.0, "Clear the filter", "Clear").clicked()
            {
                self.filter.clear();
            }
            entered && !self.filter.trim().is_empty()
        })
        .inner
    }

    fn rows_ui(
        &mut self,
        ui: &mut Ui,
        list: &Names<'_>,
        shown: &[usize],
        dropped: usize,
    ) -> Option<usize> {
        let mut picked = None;
        let at = list.chosen.and_then(|chosen| shown.binary_search(&chosen).ok());
        let now = at.map(|at| (at, shown.len(), list.height as u32));
        let before = std::mem::replace(&mut self.seen, now);
        let area = ScrollArea::vertical()
            .id_salt(list.id)
            .max_height(list.height)
            .min_scrolled_height(list.height)
            .auto_shrink([false, true]);
        let step = theme::ROW + GAP;
        let mut requested = None;
        let inside = area.show_rows(ui, theme::ROW, shown.len(), |ui, rows| {
            let top = ui.max_rect().top() - rows.start as f32 * step;
            requested = hidden_rows_ui(ui, list, shown, &rows);
            for row in rows {
                let i = shown[row];
                let (name, chosen) = (&*list.names[i], list.chosen == Some(i));
                let hint = || (list.hint)(i);
                let (sign, note) = ((list.sign)(i), (list.note)(i));
                let shown = Row { name, dropped, sign, note: &note, hint: Some(&hint), chosen };
                let response = shown.show(ui);
                if response.clicked() {
                    picked = Some(i);
                }
                if is_scrolled_to(ui, response.id) {
                    requested = Some(row);
                }
            }
            if let Some(at) = requested.or(at.filter(|_| now != before)) {
                // With a neighbour on each side, so that the row is not faded out.
                let row = row_rect(ui.max_rect(), top + at as f32 * step);
                ui.scroll_to_rect(row.expand2(Vec2::new(0.0, step)), None);
            }
        });
        // A step to another row also scrolls the column that the list is in.
        let stepped = before.zip(now).filter(|(before, now)| before.0 != now.0);
        if let Some(at) = requested.or(stepped.map(|(_, (at, ..))| at)) {
            let view_camera = inside.inner_rect;
            let rows = (view_camera.height() / step).floor().max(1.0);
            // The row's place once the list has scrolled, which takes until the next frame.
            let y = view_camera.top() + at as f32 * step - inside.state.clamped_offset().y;
            let y = y.clamp(view_camera.top(), view_camera.top() + (rows - 1.0) * step);
            ui.scroll_to_rect(row_rect(view_camera, y), None);
        }
        picked
    }
}

/// Adds rows that are out of sight to the accessibility tree, if there is one. Returns the row among them that
/// is to be scrolled to.
fn hidden_rows_ui(
    ui: &Ui,
    list: &Names<'_>,
    shown: &[usize],
    in_sight: &Range<usize>,
) -> Option<usize> {
    let mut requested = None;
    for (row, i) in shown.iter().enumerate().filter(|(row, _)| !in_sight.contains(row)) {
        let id = ui.scope_id().with(("row", *i));
        let described = ui.ctx().accesskit_node_builder(id, |node| {
            node.set_role(Role::Button);
            node.set_label(one_line(&list.names[*i]));
            node.set_toggled((list.chosen == Some(*i)).into());
            node.set_bounds(Default::default());
        });
        described?;
        if is_scrolled_to(ui, id) {
            requested = Some(row);
        }
    }
    requested
}

/// Whether a request of this frame asks to scroll to a widget.
pub(super) fn is_scrolled_to(ui: &Ui, id: Id) -> bool {
    let asks = |event: &Event| match event {
        Event::AccessKitActionRequest(request) => {
            request.action == accesskit::Action::ScrollIntoView
                && request.target_node == id.accesskit_id()
        }
        _ => false,
    };
    // egui removes the request from the other list of events when the widget is shown.
    ui.input(|i| i.raw.events.iter().any(asks))
}

/// Returns the rectangle of a row whose upper edge is at `top`.
fn row_rect(list: Rect, top: f32) -> Rect {
    Rect::from_x_y_ranges(list.x_range(), top..=top + theme::ROW)
}

/// A row of a list.
#[derive(Default)]
pub(super) struct Row<'a> {
    pub name: &'a str,
    /// The number of bytes at the start of the name that are not shown.
    pub dropped: usize,
    /// What is before the note.
    pub sign: Option<&'a Sign>,
    /// The text at the right end.
    pub note: &'a str,
    /// Further lines of the hover text, empty for none.
    pub hint: Option<&'a dyn Fn() -> String>,
    pub chosen: bool,
}

impl Row<'_> {
    /// Shows the row.
    pub fn show(self, ui: &mut Ui) -> Response {
        let Self { name, dropped, sign, note, hint, chosen } = self;
        let color = if chosen { theme::colors(ui).strong } else { theme::colors(ui).text };
        let full = ui.available_width();
        let font = FontSelection::from(egui::FontId::monospace(12.0)).resolve(ui.style());
        let sign =
            sign.map_or((String::new(), color), |sign| (sign.text.clone() + "  ", sign.color));
        let mut text = LayoutJob::default();
        for (part, color) in [(&*sign.0, sign.1), (note, theme::colors(ui).weak)] {
            text.append(part, 0.0, TextFormat::simple(font.clone(), color));
        }
        let note = sign.0 + note;
        let wide = ui.painter().layout_no_wrap(note.clone(), font, color).size().x;
        let gaps = 2.0 * ui.spacing().button_padding.x + 2.0 * ui.spacing().item_spacing.x;
        let whole = one_line(&name[dropped..]);
        let shown = fitting_name(ui, &whole, full - wide - gaps);
        let is_whole = dropped == 0 && shown == whole;
        let mut button = Button::selectable(chosen, RichText::new(shown).color(color))
            .truncate()
            .min_size(Vec2::new(full, theme::ROW));
        if !note.is_empty() {
            button = button.right_text(text);
        }
        let response = ui.add(button).accessible_name(one_line(name));
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_value(&*note));
        let hint = hint.filter(|_| response.hovered()).map(|hint| hint());
        let hint = hint.filter(|hint| !hint.is_empty());
        // A text that repeats the row would only cover the next one.
        let response = if is_whole && hint.is_none() {
            response
        } else {
            response.on_hover_ui(|ui| {
                ui.label(one_line(name));
                hint.map(|hint| ui.weak(hint));
            })
        };
        if chosen {
            let rect = response.rect;
            let mark = Rect::from_min_size(rect.min, Vec2::new(3.0, rect.height()));
            ui.painter().rect_filled(mark, 1.5, theme::colors(ui).accent);
        }
        response
    }
}

/// Shortens a text in its middle to a width in points, in the font of buttons.
pub(super) fn fitting(ui: &Ui, text: &str, width: f32) -> String {
    shortened(text, 0.5, is_as_wide(ui, width))
}

/// Shortens a name at its start to a width in points, in the font of buttons: names of a rig differ at their ends.
pub(super) fn fitting_name(ui: &Ui, name: &str, width: f32) -> String {
    shortened(name, 0.0, is_as_wide(ui, width))
}

/// Returns numbers and a name after them, which is shortened at its start so that both have a width in points.
pub(super) fn fitting_after(ui: &Ui, numbers: &str, name: &str, width: f32) -> String {
    let fits = is_as_wide(ui, width);
    let after = |name: &str| format!("{numbers} · {name}");
    after(&shortened(name, 0.0, |name| fits(&after(name))))
}

/// Returns a function that says whether a text is at most as wide as this, in the font of buttons.
fn is_as_wide(ui: &Ui, width: f32) -> impl Fn(&str) -> bool {
    let font = egui::TextStyle::Button.resolve(ui.style());
    move |text| {
        let galley = ui.painter().layout_no_wrap(text.to_owned(), font.clone(), Color32::WHITE);
        galley.size().x <= width
    }
}

/// Returns the text if it fits, or else as much of its start and its end as fits around an ellipsis. The start gets
/// this share, from 0 to 1.
fn shortened(text: &str, start: f32, fits: impl Fn(&str) -> bool) -> String {
    if fits(text) {
        return text.to_owned();
    }
    let chars: Vec<char> = text.chars().collect();
    let cut = |kept: usize| {
        let first = (start * kept as f32) as usize;
        let (head, tail) = (&chars[..first], &chars[chars.len() - (kept - first)..]);
        head.iter().chain(['…'].iter()).chain(tail).collect::<String>()
    };
    let (mut least, mut most) = (0, chars.len().saturating_sub(1));
    while least < most {
        let middle = (least + most).div_ceil(2);
        if fits(&cut(middle)) {
            least = middle;
        } else {
            most = middle - 1;
        }
    }
    cut(least)
}

/// Returns the prefix of all names that is dropped: shared namespaces, or shared words if they are long. No name
/// becomes empty.
fn dropped_prefix<'a>(names: &'a [Cow<'_, str>]) -> &'a str {
    let [first, rest @ ..] = names else { return "" };
    if rest.is_empty() {
        return "";
    }
    let mut shared: &str = first;
    for name in rest {
        let same = shared.char_indices().zip(name.chars()).find(|((_, a), b)| a != b);
        let end = same.map_or(shared.len().min(name.len()), |((at, _), _)| at);
        shared = &shared[..end];
    }
    // A name that equals the shared prefix must not become empty.
    if let Some(whole) = names.iter().find(|name| name.len() == shared.len()) {
        let last = whole.char_indices().last().map_or(0, |(at, _)| at);
        shared = &shared[..last];
    }
    let up_to = |ends: &[char]| {
        let end =
            shared.rfind(ends).and_then(|at| Some(at + shared[at..].chars().next()?.len_utf8()));
        &shared[..end.unwrap_or(0)]
    };
    let long = up_to(SEPARATORS);
    if long.chars().count() >= LONG_PREFIX { long } else { up_to(NAMESPACES) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dropped(names: &[&str]) -> String {
        let names: Vec<Cow<'_, str>> = names.iter().map(|name| Cow::Borrowed(*name)).collect();
        dropped_prefix(&names).to_owned()
    }

    #[test]
    fn what_all_names_begin_with_is_dropped_at_a_separator() {
        assert_eq!(dropped(&["mixamorig:Hips", "mixamorig:Head"]), "mixamorig:");
        assert_eq!(dropped(&["Rig|walk_1", "Rig|walk_2"]), "Rig|");
        let long = "Armature|Hero_Locomotion_Forward_";
        let names = [format!("{long}01"), format!("{long}02"), format!("{long}10")];
        assert_eq!(dropped(&[&names[0], &names[1], &names[2]]), long);
        for names in [&["Walk_1", "Walk_2"][..], &["Walk", "Wait"], &["Rig|Walk"], &[], &["", ""]] {
            assert_eq!(dropped(names), "", "{names:?}");
        }
        // One name is a part of the other, and wide characters are not cut.
        assert_eq!(dropped(&["a:b:", "a:b:c"]), "a:");
        assert_eq!(dropped(&["骨:頭", "骨:首"]), "骨:");
        assert_eq!(dropped(&["same:x", "same:x"]), "same:");
    }

    #[test]
    fn a_text_that_is_too_wide_loses_its_middle_and_a_name_its_start() {
        let to = |most: usize| move |text: &str| text.chars().count() <= most;
        assert_eq!(shortened("Walk_Forward_01", 0.5, to(15)), "Walk_Forward_01");
        assert_eq!(shortened("Walk_Forward_01", 0.5, to(8)), "Wal…d_01");
        assert_eq!(shortened("歩く歩く歩く", 0.5, to(4)), "歩…歩く");
        assert_eq!(shortened("Walk", 0.5, to(0)), "…");
        assert_eq!(shortened("LeftShoulder", 0.0, to(12)), "LeftShoulder");
        assert_eq!(shortened("LeftShoulder", 0.0, to(9)), "…Shoulder");
    }
}
