//! Fields and sliders for the values of a node that can be set by hand.

use egui::{
    DragValue, Response, RichText, Role, Sense, Slider, SliderClamping, TextEdit, Vec2, WidgetInfo,
};
use glam::{Quat, Vec3};

use super::page::Page;
use crate::report::{EulerOrder, HandMade};
use crate::session::{HandField, HandValue, PoseAction, Session};
use crate::ui::choice::{Choice, Entry};
use crate::ui::list::fitting;
use crate::ui::theme;
use crate::ui::words::{one_line, unsigned_zero};

/// Fewer morph targets have no filter.
const FILTER_FROM: usize = 9;

/// Maximum number of morph targets that are shown at once.
const MOST_TARGETS: usize = 200;

/// The gap between the fields of a row in points.
const GAP: f32 = 4.0;

/// The width of the list of orders, and the height of fields, in points.
const LIST: f32 = 62.0;
const FIELD: f32 = 20.0;

/// The fields' state between frames.
#[derive(Debug)]
pub(super) struct Fields {
    order: &'static str,
    /// The node and its rotation with the angles that are shown for it, so that turning on past 180 degrees changes
    /// one angle only.
    shown: Option<(usize, [f32; 4], [f64; 3])>,
    filter: String,
}

impl Default for Fields {
    fn default() -> Self {
        Self { order: EulerOrder::NAMES[0], shown: None, filter: String::new() }
    }
}

/// A number that is dragged or typed.
#[derive(Clone, Copy)]
struct Number {
    value: f64,
    /// Change per point of a drag.
    speed: f64,
    decimals: usize,
    width: f32,
}

impl Fields {
    /// Shows the fields of a node, and its morph targets.
    pub fn show(&mut self, page: &mut Page<'_>, session: &Session, node: usize) {
        let Some(stage) = session.exhibit().stage() else { return };
        let local = stage.local.transform(node);
        let hand = session.hand_pose().of(node).cloned().unwrap_or_default();
        page.section("Pose", |page| {
            if !session.can_pose(node) {
                page.ui.weak("Its matrix can't be posed: it is not made of T, R and S.");
                return;
            }
            let set = hand.translation.is_some();
            title(page, "Translation", "m", set.then_some((node, HandField::Translation)));
            if let Some(to) = vector(page, "Translation", local.translation, 0.005) {
                page.set(node, HandValue::Translation(to));
            }
            let set = hand.rotation.is_some().then_some((node, HandField::Rotation));
            title(page, "Rotation", "degrees, quaternion", set);
            self.rotation(page, node, local.rotation);
            let set = hand.scale.is_some().then_some((node, HandField::Scale));
            title(page, "Scale", "", set);
            if let Some(to) = vector(page, "Scale", local.scale, 0.005) {
                page.set(node, HandValue::Scale(to));
            }
        });
        let weights = stage.local.weights(node);
        if !weights.is_empty() {
            page.section("Morph targets", |page| self.morphs(page, node, weights, &hand));
        }
    }

    fn rotation(&mut self, page: &mut Page<'_>, node: usize, rotation: Quat) {
        let before = match self.shown {
            Some((of, _, degrees)) if of == node => degrees,
            _ => [0.0; 3],
        };
        let order = EulerOrder::from_name(self.order);
        let Some(order) = order else { return };
        let degrees = match self.shown {
            Some((of, shown, degrees)) if of == node && shown == rotation.to_array() => degrees,
            _ => {
                order.angles(&rotation.to_array(), before.map(f64::to_radians)).map(f64::to_degrees)
            }
        };
        let mut new = degrees;
        let mut turned = None;
        page.ui.horizontal(|ui| {
            compact(ui);
            let width = field_width(ui.available_width() - LIST - GAP, 3);
            for (i, axis) in ["X", "Y", "Z"].into_iter().enumerate() {
                let number = Number { value: degrees[i], speed: 0.5, decimals: 2, width };
                let name = format!("Pose rotation {axis}");
                if let Some(to) = number.show(ui, page.actions, &name) {
                    new[i] = to;
                    turned = Some(order.rotation(new.map(f64::to_radians)).as_quat());
                }
            }
            let list = Choice {
                name: "Euler order",
                label: None,
                text: self.order.to_uppercase(),
                hint: "Order of the turns about the parent's axes, the first one first",
                width: LIST,
            };
            let entries =
                || EulerOrder::NAMES.map(|name| Entry::new(name, name.to_uppercase())).into();
            if let Some(order) = list.show(ui, &self.order, entries) {
                self.order = order;
                self.shown = None;
            }
        });
        let mut parts = rotation.to_array();
        page.ui.horizontal(|ui| {
            compact(ui);
            let width = field_width(ui.available_width(), 4);
            for (i, part) in ["X", "Y", "Z", "W"].into_iter().enumerate() {
                let value = f64::from(parts[i]);
                let number = Number { value, speed: 0.002, decimals: 4, width };
                let name = format!("Pose quaternion {part}");
                if let Some(to) = number.show(ui, page.actions, &name) {
                    parts[i] = to as f32;
                    let to = Quat::from_array(parts);
                    turned = (to.length() > 1e-6).then(|| to.normalize());
                    new = order.angles(&to.to_array(), degrees.map(f64::to_radians));
                    new = new.map(f64::to_degrees);
                }
            }
        });
        let order_changed = self.shown.is_none() && turned.is_none() && before != [0.0; 3];
        let to = turned.unwrap_or(rotation);
        self.shown = (!order_changed).then_some((node, to.to_array(), new));
        if let Some(to) = turned {
            page.set(node, HandValue::Rotation(to));
        }
    }

    fn morphs(&mut self, page: &mut Page<'_>, node: usize, weights: &[f32], hand: &HandMade) {
        let mesh = page.model.nodes[node].mesh.and_then(|mesh| page.model.meshes.get(mesh));
        let name = |i: usize| match mesh.and_then(|mesh| mesh.target_names.get(i)) {
            Some(name) if !name.trim().is_empty() => one_line(name),
            _ => format!("target {i}"),
        };
        if weights.len() >= FILTER_FROM {
            let hint = format!("Filter {} targets", weights.len());
            let field = TextEdit::singleline(&mut self.filter)
                .id_salt("filter morph targets")
                .hint_text(hint)
                .desired_width(page.ui.available_width() - 4.0);
            page.ui.add(field).accessible_name("Filter morph targets");
        } else {
            self.filter.clear();
        }
        if !hand.weights.is_empty() && page.ui.small_button("Reset weights").clicked() {
            page.actions.push(PoseAction::Reset(node, HandField::Weights).into());
        }
        let words: Vec<String> = self.filter.split_whitespace().map(str::to_lowercase).collect();
        let matches = |i: &usize| {
            let name = name(*i).to_lowercase();
            words.iter().all(|word| name.contains(word))
        };
        let found: Vec<usize> = (0..weights.len()).filter(matches).collect();
        if found.is_empty() {
            page.ui.weak("No target matches.");
        }
        for &target in found.iter().take(MOST_TARGETS) {
            let set = hand.weights.iter().any(|(other, _)| *other == target);
            morph(page, (node, target), &name(target), weights[target], set);
        }
        if let Some(more) = found.len().checked_sub(MOST_TARGETS).filter(|more| *more > 0) {
            page.ui.weak(format!("and {more} more: filter them"));
        }
    }
}

/// Shows the slider of a morph target with its name above it.
fn morph(page: &mut Page<'_>, (node, target): (usize, usize), name: &str, weight: f32, set: bool) {
    title(page, name, "", set.then_some((node, HandField::Weight(target))));
    let mut to = weight;
    page.ui.horizontal(|ui| {
        compact(ui);
        ui.spacing_mut().slider_width = (ui.available_width() - 68.0).max(40.0);
        ui.visuals_mut().selection.bg_fill = theme::of(ui).accent;
        let slider = Slider::new(&mut to, 0.0..=1.0).show_value(false);
        let slider = ui.add(slider.clamping(SliderClamping::Never));
        let slider = slider.accessible_name(format!("Weight of {name}"));
        note_drag(&slider, page.actions);
        if slider.changed() {
            page.actions.push(PoseAction::Set(node, HandValue::Weight(target, to)).into());
        }
        end_drag(&slider, page.actions);
        let number = Number { value: f64::from(weight), speed: 0.01, decimals: 4, width: 60.0 };
        if let Some(to) = number.show(ui, page.actions, &format!("Weight of {name} value")) {
            let value = HandValue::Weight(target, to as f32);
            page.actions.push(PoseAction::Set(node, value).into());
        }
    });
}

/// Shows a label, and for values that were set by hand a dot and a button that lets them follow the clip.
fn title(page: &mut Page<'_>, text: &str, unit: &str, set: Option<(usize, HandField)>) {
    let actions = &mut *page.actions;
    page.ui.horizontal(|ui| {
        let room = ui.available_width() - if set.is_some() { 64.0 } else { 0.0 };
        let shown = fitting(ui, text, room);
        ui.label(RichText::new(shown).size(12.0).color(theme::of(ui).weak));
        if !unit.is_empty() {
            ui.label(RichText::new(unit).size(11.0).color(theme::of(ui).weak));
        }
        let Some((node, field)) = set else { return };
        let (rect, dot) = ui.allocate_exact_size(Vec2::splat(8.0), Sense::hover());
        ui.painter().circle_filled(rect.center(), 3.0, theme::of(ui).accent);
        let name = format!("{text} is set by hand");
        dot.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
        let reset =
            ui.small_button("Reset").accessible_name(format!("Reset {}", text.to_lowercase()));
        if reset.on_hover_text("Follow the clip again").clicked() {
            actions.push(PoseAction::Reset(node, field).into());
        }
    });
}

/// Shows three fields. Returns the vector if one of them was changed; the others keep their bits.
fn vector(page: &mut Page<'_>, what: &str, values: Vec3, speed: f64) -> Option<Vec3> {
    let mut new = None;
    page.ui.horizontal(|ui| {
        compact(ui);
        let width = field_width(ui.available_width(), 3);
        for (i, axis) in ["X", "Y", "Z"].into_iter().enumerate() {
            let number = Number { value: f64::from(values[i]), speed, decimals: 4, width };
            let name = format!("Pose {} {axis}", what.to_lowercase());
            if let Some(to) = number.show(ui, page.actions, &name) {
                let mut all = values;
                all[i] = to as f32;
                new = Some(all);
            }
        }
    });
    new
}

/// Makes a row's fields small enough to stand beside each other.
fn compact(ui: &mut egui::Ui) {
    let spacing = ui.spacing_mut();
    spacing.item_spacing.x = GAP;
    spacing.button_padding = Vec2::new(4.0, 1.0);
    spacing.interact_size = Vec2::new(36.0, FIELD);
    ui.style_mut().drag_value_text_style = egui::TextStyle::Small;
}

/// The width of each of several fields that share a row.
fn field_width(room: f32, count: usize) -> f32 {
    ((room - GAP * (count - 1) as f32) / count as f32).max(36.0)
}

impl Page<'_> {
    fn set(&mut self, node: usize, value: HandValue) {
        // The drag of a field has ended by then, so that the value comes before the end.
        let at = match self.actions.last() {
            Some(crate::session::Action::Pose(PoseAction::End)) => self.actions.len() - 1,
            _ => self.actions.len(),
        };
        self.actions.insert(at, PoseAction::Set(node, value).into());
    }
}

impl Number {
    /// Shows the field. Returns the number if a person changed it.
    fn show(
        self,
        ui: &mut egui::Ui,
        actions: &mut Vec<crate::session::Action>,
        name: &str,
    ) -> Option<f64> {
        let mut value = self.value;
        let field = DragValue::new(&mut value)
            .speed(self.speed)
            .max_decimals(self.decimals)
            .custom_formatter(|x, decimals| {
                unsigned_zero(egui::emath::format_with_decimals_in_range(x, decimals))
            })
            .update_while_editing(false);
        let size = Vec2::new(self.width, FIELD);
        let field = ui.add_sized(size, field).accessible_name(name);
        note_drag(&field, actions);
        end_drag(&field, actions);
        // A field that is left as it was shown keeps the digits that it does not show.
        let shown = |x: f64| format!("{x:.0$}", self.decimals);
        let changed = field.changed() && (field.dragged() || shown(value) != shown(self.value));
        (changed && value.is_finite()).then_some(value)
    }
}

fn note_drag(widget: &Response, actions: &mut Vec<crate::session::Action>) {
    if widget.drag_started() {
        actions.push(PoseAction::Begin.into());
    }
}

fn end_drag(widget: &Response, actions: &mut Vec<crate::session::Action>) {
    if widget.drag_stopped() {
        actions.push(PoseAction::End.into());
    }
}
