//! The rows of the inspector: numbers that a click copies, matrices, and names that a click selects.

use egui::{
    CollapsingHeader, Color32, FontFamily, FontId, Response, RichText, Role, Sense, Ui, Vec2,
    WidgetInfo,
};

use crate::list::fitting;
use crate::section::section_ui;
use crate::text::{decimals, one_line};
use crate::theme;
use rigview_model::Model;
use rigview_session::{Action, Item, NoticeKind, SelectionAction};

/// The width of labels in points, and the share of a row that a longer label may take.
const LABEL: f32 = 84.0;
const MOST_LABEL: f32 = 0.55;

/// The height of a row in points.
const ROW: f32 = 18.0;

/// Numbers below this are shown as 0, and so is the share of the largest of several numbers below which they are only
/// its rounding error.
const NOTHING: f32 = 1e-9;
const NOISE: f32 = 1e-7;

/// Maximum number of links in a list.
const MOST_LINKS: usize = 200;

/// A page of the inspector, or a section of one.
pub(super) struct Page<'a> {
    pub ui: &'a mut Ui,
    pub model: &'a Model,
    pub actions: &'a mut Vec<Action>,
    /// The section's title, which accessible names begin with.
    title: &'a str,
}

impl<'a> Page<'a> {
    pub fn new(ui: &'a mut Ui, model: &'a Model, actions: &'a mut Vec<Action>) -> Self {
        ui.spacing_mut().item_spacing = Vec2::new(6.0, 2.0);
        ui.spacing_mut().interact_size.y = ROW;
        Self { ui, model, actions, title: "" }
    }

    /// Shows a section that can be folded.
    pub fn section(&mut self, title: &str, contents: impl FnOnce(&mut Page<'_>)) {
        self.fold(title, true, contents);
    }

    /// Shows a section that is folded at first.
    pub fn folded(&mut self, title: &str, contents: impl FnOnce(&mut Page<'_>)) {
        self.fold(title, false, contents);
    }

    fn fold(&mut self, title: &str, open: bool, contents: impl FnOnce(&mut Page<'_>)) {
        let (model, actions) = (self.model, &mut *self.actions);
        let text = RichText::new(one_line(title)).size(12.5);
        let header = CollapsingHeader::new(text).id_salt(title).default_open(open);
        section_ui(self.ui, header, |ui| contents(&mut Page { ui, model, actions, title }));
    }

    /// Shows a text.
    pub fn text(&mut self, label: &str, text: &str) {
        let text = one_line(text);
        self.row(label, |page, name| page.copied(name, &text, &text));
    }

    /// Shows a whole number.
    pub fn count(&mut self, label: &str, count: usize) {
        self.text(label, &count.to_string());
    }

    /// Shows numbers beside each other. What is copied has all digits.
    pub fn numbers(&mut self, label: &str, numbers: &[f32], unit: &str) {
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let text = shown_together(numbers).join("  ") + &unit;
        self.beside_or_below(label, &text, &exact(numbers), &text);
    }

    /// Shows a direction, or that there is none, with a height that does not depend on it.
    pub fn direction(&mut self, label: &str, direction: Option<[f32; 3]>) {
        const WIDEST: &str = "-0.5774  -0.5774  -0.5774";
        let shown =
            |direction: [f32; 3]| (shown_together(&direction).join("  "), exact(&direction));
        let (text, exact) = direction.map_or(("none".into(), "none".into()), shown);
        self.beside_or_below(label, &text, &exact, WIDEST);
    }

    /// Shows a text of numbers beside its label, or below it if the `widest` such text does not fit there.
    fn beside_or_below(&mut self, label: &str, text: &str, exact: &str, widest: &str) {
        let width = |text: &str, family| {
            let font = FontId::new(12.0, family);
            self.ui
                .painter()
                .layout_no_wrap(text.to_owned(), font, theme::colors(self.ui).text)
                .size()
                .x
        };
        let label_width = LABEL.max(width(label, FontFamily::Proportional));
        if label_width + 12.0 + width(widest, FontFamily::Monospace) <= self.ui.available_width() {
            return self.row(label, |page, name| page.copied(name, text, exact));
        }
        self.row(label, |_, _| {});
        self.below(label, &text.replace("  ", " "), exact);
    }

    /// Shows a colour: a sample of it and its numbers, in linear RGB or RGBA.
    pub fn color(&mut self, label: &str, color: &[f32]) {
        let [r, g, b] = [0, 1, 2].map(|i| color.get(i).copied().unwrap_or_default());
        let sample = Color32::from(egui::Rgba::from_rgb(r.min(1.0), g.min(1.0), b.min(1.0)));
        self.row(label, |page, _| {
            let (rect, _) = page.ui.allocate_exact_size(Vec2::splat(12.0), Sense::hover());
            page.ui.painter().rect_filled(rect, 2.0, sample);
        });
        self.below(label, &shown_together(color).join(" "), &exact(color));
    }

    /// Shows a text of numbers in a line of its own.
    fn below(&mut self, label: &str, text: &str, exact: &str) {
        let name = self.name(label);
        let response = copy_ui(self.ui, &name, text, exact, 11.0);
        self.note_copy(&response, &name);
    }

    /// Shows a matrix, given column by column, as rows.
    pub fn matrix(&mut self, label: &str, columns: &[f32]) {
        self.row(label, |_, _| {});
        let largest = columns.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
        let plain = |x: f32| if x.abs() < NOISE * largest { 0.0 } else { x };
        let row = |r: usize| {
            let cells =
                columns.iter().skip(r).step_by(4).map(|x| format!("{:>8}", cell(plain(*x))));
            cells.collect::<Vec<_>>().join(" ")
        };
        let text = [0, 1, 2, 3].map(row).join("\n");
        let exact = serde_json::to_string(columns).unwrap_or_default();
        let name = self.name(label);
        let shown = copy_ui(self.ui, &name, &text, &exact, 11.0);
        self.note_copy(&shown, &name);
    }

    /// Shows the name of another part, which selects it.
    pub fn link(&mut self, label: &str, item: Item) {
        let text = item_name(self.model, item);
        self.row(label, |page, name| page.linked(name, &text, item));
    }

    /// Shows the names of other parts, which select them.
    pub fn links(&mut self, label: &str, items: impl ExactSizeIterator<Item = Item>) {
        let count = items.len();
        for (i, item) in items.take(MOST_LINKS).enumerate() {
            let text = item_name(self.model, item);
            let shown = if i == 0 { label } else { "" };
            let name = format!("{} {}: {text}", self.title, label.to_lowercase());
            self.row(shown, |page, _| page.linked(&name, &text, item));
        }
        if count > MOST_LINKS {
            self.ui.weak(format!("and {} more", count - MOST_LINKS));
        }
    }

    /// Shows widgets beside each other in a row of a height that does not depend on them.
    pub fn row_of_height(&mut self, height: f32, widgets: impl FnOnce(&mut Page<'_>)) {
        let (model, actions, title) = (self.model, &mut *self.actions, self.title);
        let size = Vec2::new(self.ui.available_width(), height);
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        self.ui.allocate_ui_with_layout(size, layout, |ui| {
            ui.set_min_height(height);
            widgets(&mut Page { ui, model, actions, title });
        });
    }

    /// Shows a label and a widget to its right, which gets its accessible name.
    pub fn row(&mut self, label: &str, widget: impl FnOnce(&mut Page<'_>, &str)) {
        let name = self.name(label);
        let (model, actions, title) = (self.model, &mut *self.actions, self.title);
        self.ui.horizontal(|ui| {
            let left = ui.cursor().left();
            if !label.is_empty() {
                let most = LABEL.max(MOST_LABEL * ui.available_width());
                let text = fitting(ui, &one_line(label), most);
                ui.label(RichText::new(text).size(12.0).color(theme::colors(ui).weak));
            }
            ui.add_space((left + LABEL - ui.cursor().left()).max(0.0));
            widget(&mut Page { ui, model, actions, title }, &name);
        });
    }

    /// The accessible name of a row: `Local translation`.
    fn name(&self, label: &str) -> String {
        format!("{} {}", self.title, label.to_lowercase()).trim().to_owned()
    }

    /// Shows a text that a click copies; `exact` is what is copied.
    pub fn copied(&mut self, name: &str, text: &str, exact: &str) {
        let shown = copy_ui(self.ui, name, text, exact, 12.0);
        self.note_copy(&shown, name);
    }

    fn note_copy(&mut self, shown: &Response, name: &str) {
        if shown.clicked() {
            let text = format!("Copied: {}", name.to_lowercase());
            self.actions.push(Action::Notice(NoticeKind::Done, text));
        }
    }

    /// Shows a name that selects a part.
    fn linked(&mut self, name: &str, text: &str, item: Item) {
        let shown = fitting(self.ui, text, self.ui.available_width() - 4.0);
        let link = RichText::new(shown).size(12.5).color(theme::colors(self.ui).accent);
        let button = egui::Button::new(link).frame(false).min_size(Vec2::new(0.0, ROW));
        let button = self.ui.add(button).accessible_name(name);
        self.ui.ctx().accesskit_node_builder(button.id, |node| node.set_value(text));
        if button.on_hover_text(format!("Select {text}")).clicked() {
            self.actions.push(SelectionAction::Select(Some(item)).into());
        }
    }
}

/// Shows a text of one or more lines that a click copies.
fn copy_ui(ui: &mut Ui, name: &str, text: &str, exact: &str, size: f32) -> Response {
    let font = FontId::new(size, FontFamily::Monospace);
    let most = ui.available_width();
    let mut job =
        egui::text::LayoutJob::simple(text.to_owned(), font, theme::colors(ui).text, f32::INFINITY);
    if !text.contains('\n') {
        job.wrap = egui::text::TextWrapping::wrap_at_width(most);
    }
    let galley = ui.painter().layout_job(job);
    let (rect, response) = ui.allocate_exact_size(galley.size(), Sense::click());
    let enabled = ui.is_enabled();
    response.widget_info(|| WidgetInfo::labeled(Role::Button, enabled, name));
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_value(exact));
    let lit = response.hovered() || response.has_focus();
    if lit {
        ui.painter().rect_filled(rect.expand(2.0), 3.0, theme::colors(ui).chosen);
    }
    let color = if lit { theme::colors(ui).strong } else { theme::colors(ui).text };
    ui.painter().galley_with_override_text_color(rect.min, galley, color);
    if response.clicked() {
        ui.ctx().copy_text(exact.to_owned());
    }
    response.on_hover_text(if exact == text || text.contains('\n') {
        "Click to copy".to_owned()
    } else {
        format!("{exact}\nClick to copy")
    })
}

/// Formats numbers with all digits.
fn exact(numbers: &[f32]) -> String {
    numbers.iter().map(f32::to_string).collect::<Vec<_>>().join(", ")
}

/// Formats numbers that belong together. What is only the rounding error of the largest one is 0.
fn shown_together(numbers: &[f32]) -> Vec<String> {
    let largest = numbers.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
    let is_noise = |x: f32| largest.is_finite() && x.abs() < NOISE * largest;
    numbers.iter().map(|x| shown(if is_noise(*x) { 0.0 } else { *x })).collect()
}

/// Formats a number with at least four significant digits and four decimals, in scientific notation if it is very
/// large or small. The smallest numbers are 0.
fn shown(x: f32) -> String {
    match x.abs() {
        size if size < NOTHING => "0.0000".into(),
        size if !(1e-4..1e6).contains(&size) => format!("{x:.3e}"),
        _ => format!("{x:.0$}", decimals(f64::from(x), 4)),
    }
}

/// Formats a number in at most eight characters, with at least four significant digits where they have room.
fn cell(x: f32) -> String {
    let with = |decimals: usize| format!("{x:.decimals$}");
    let fits = |text: &String| text.len() <= 8;
    match x.abs() {
        size if size < NOTHING => "0.0000".into(),
        size if size >= 1e-3 => {
            let most = decimals(f64::from(x), 4);
            let fixed = (0..=most).rev().map(with).find(fits);
            fixed.unwrap_or_else(|| format!("{x:.1e}"))
        }
        _ => [3, 2, 1].map(|d| format!("{x:.d$e}")).into_iter().find(fits).unwrap_or_default(),
    }
}

/// Returns the name of a part, or its kind and index if it has none.
pub(crate) fn item_name(model: &Model, item: Item) -> String {
    let (name, index) = match item {
        Item::Node(i) => (model.nodes.get(i).and_then(|n| n.name.as_deref()), i),
        Item::Mesh(i) => (model.meshes.get(i).and_then(|m| m.name.as_deref()), i),
        Item::Skin(i) => (model.skins.get(i).and_then(|s| s.name.as_deref()), i),
        Item::Material(i) => (model.materials.get(i).and_then(|m| m.name.as_deref()), i),
        Item::Texture(i) => (model.textures.get(i).and_then(|t| texture_name(model, t)), i),
        Item::Camera(i) => (model.cameras.get(i).and_then(|c| c.name.as_deref()), i),
        Item::Light(i) => (model.lights.get(i).and_then(|l| l.name.as_deref()), i),
        Item::Clip(i) => (model.clips.get(i).and_then(|c| c.name()), i),
    };
    match name {
        Some(name) if !name.trim().is_empty() => one_line(name),
        _ => format!("{} {index}", kind_name(item).to_lowercase()),
    }
}

/// A texture's own name, or that of its image.
fn texture_name<'a>(model: &'a Model, texture: &'a rigview_model::Texture) -> Option<&'a str> {
    let image = texture.image.and_then(|image| model.images.get(image)?.name.as_deref());
    texture.name.as_deref().filter(|name| !name.trim().is_empty()).or(image)
}

/// The kind of a part.
pub(super) fn kind_name(item: Item) -> &'static str {
    match item {
        Item::Node(_) => "Node",
        Item::Mesh(_) => "Mesh",
        Item::Skin(_) => "Skin",
        Item::Material(_) => "Material",
        Item::Texture(_) => "Texture",
        Item::Camera(_) => "Camera",
        Item::Light(_) => "Light",
        Item::Clip(_) => "Clip",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_few_characters_and_hide_nothing() {
        assert_eq!([0.5, -0.0].map(shown), ["0.5000", "0.0000"]);
        assert_eq!([1e-5, 123.456_78, 1e7].map(shown), ["1.000e-5", "123.4568", "1.000e7"]);
        assert_eq!([0.000_397_14, -0.012_346].map(shown), ["0.0003971", "-0.01235"]);
        assert_eq!([-1.213e-20, 1e-12].map(shown), ["0.0000", "0.0000"]);
        assert_eq!(shown_together(&[90.0, -1.5e-6, 0.001]), ["90.0000", "0.0000", "0.001000"]);
        assert_eq!([0.000_397_14, -0.000_397_14].map(cell), ["3.971e-4", "-3.97e-4"]);
        assert_eq!([0.012_346, -0.001_234_5].map(cell), ["0.01235", "-0.00123"]);
        assert_eq!([-0.5, 1234.5678, 1e12].map(cell), ["-0.5000", "1234.568", "1.0e12"]);
        assert_eq!([0.0, 1e-5, -1e-12].map(cell), ["0.0000", "1.000e-5", "0.0000"]);
    }
}
