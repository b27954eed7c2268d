//! Fields and sliders for the values of a node that can be set by hand.

use std::collections::BTreeMap;

use egui::{
    Align, DragValue, Response, RichText, Role, Sense, Slider, SliderClamping, TextEdit, Vec2,
    WidgetInfo,
};
use glam::{Quat, Vec3};

use super::page::Page;
use crate::choice::{Choice, Entry};
use crate::list::fitting;
use crate::number::typed;
use crate::text::{field_text, one_line};
use crate::theme;
use rigview_model::{Model, Stage};
use rigview_report::{EulerOrder, HandMade};
use rigview_session::{HandField, HandValue, PoseAction, Session};

/// Fewer morph targets have no filter.
const FILTER_FROM: usize = 9;

/// Maximum number of morph targets that are shown at once.
const MOST_TARGETS: usize = 200;

/// The gap between the fields of a row in points.
const GAP: f32 = 4.0;

/// The width of the list of orders, and the height of fields, in points.
const LIST: f32 = 62.0;
const FIELD: f32 = 20.0;

/// The share of a row that the name of a morph target takes, and the widths of its field and of what resets it, in
/// points.
const MORPH_NAME: f32 = 0.34;
const FIELD_WIDTH: f32 = 50.0;
const RESET: f32 = 14.0;

/// Rotations whose components differ by less are the same.
const SAME: f32 = 1e-6;

/// Rounding errors, which are shown as 0: as a share of a vector's largest part, in degrees, and of a quaternion's part.
const NOISE: f64 = 1e-6;
const NOISE_DEGREES: f64 = 1e-4;
const NOISE_PART: f64 = 1e-6;

/// The fields' state between frames.
#[derive(Debug)]
pub(super) struct Fields {
    order: &'static str,
    /// The angles that were typed for a node, with the rotation that they gave: while the node has it, they stay as
    /// typed, although other angles mean the same.
    typed: BTreeMap<usize, ([f32; 4], [f64; 3])>,
    filter: String,
}

impl Default for Fields {
    fn default() -> Self {
        Self { order: EulerOrder::NAMES[0], typed: BTreeMap::new(), filter: String::new() }
    }
}

/// A number that is dragged or typed.
#[derive(Clone, Copy)]
struct Number {
    value: f64,
    /// Change per point of a drag.
    speed: f64,
    decimals: usize,
    /// Numbers closer to 0 are shown as 0.
    noise: f64,
    width: f32,
}

impl Fields {
    /// Forgets what was typed: another file is shown.
    pub fn forget(&mut self) {
        self.typed.clear();
    }

    /// Shows the fields of a node, and its morph targets.
    pub fn show(&mut self, page: &mut Page<'_>, session: &Session, node: usize) {
        let Some(stage) = session.playback().stage() else { return };
        let local = stage.local.transform(node);
        let hand = session.playback().hand().get(node).cloned().unwrap_or_default();
        page.section("Pose", |page| {
            if !session.playback().can_pose(node) {
                page.ui.weak("Its matrix can't be posed: it is not made of T, R and S.");
                return;
            }
            if session.playback().ignores_transform(node) {
                page.ui.weak("glTF ignores the transform of a skinned mesh: pose its joints.");
            }
            let metres = in_metres(stage, page.model, node);
            let unit = if metres.is_some() { "parent's units" } else { "m" };
            let set = hand.translation.map(|_| (node, HandField::Translation));
            let exact = local.translation.to_array();
            title(page, Title { text: "Translation", unit, exact: Some(&exact), set });
            if let Some(to) = vector(page, "Translation", local.translation, 0.005) {
                page.set(node, HandValue::Translation(to));
            }
            if let Some(metres) = metres {
                page.numbers("In metres", &metres, "");
            }
            let (unit, set) = ("degrees, quaternion", hand.rotation.is_some());
            let set = set.then_some((node, HandField::Rotation));
            let exact = local.rotation.to_array();
            title(page, Title { text: "Rotation", unit, exact: Some(&exact), set });
            self.rotation(page, node, local.rotation);
            let set = hand.scale.map(|_| (node, HandField::Scale));
            let exact = local.scale.to_array();
            title(page, Title { text: "Scale", unit: "", exact: Some(&exact), set });
            if let Some(to) = vector(page, "Scale", local.scale, 0.005) {
                page.set(node, HandValue::Scale(to));
            }
        });
        let weights = stage.local.weights(node);
        if !weights.is_empty() {
            page.section("Morph targets", |page| self.morphs(page, node, weights, &hand));
        }
    }

    /// Shows a rotation as angles, as a quaternion, and as an axis with an angle.
    fn rotation(&mut self, page: &mut Page<'_>, node: usize, rotation: Quat) {
        let Some(order) = EulerOrder::from_name(self.order) else { return };
        let is_same = |typed: &[f32; 4]| {
            typed.iter().zip(rotation.to_array()).all(|(a, b)| (a - b).abs() < SAME)
        };
        let typed = self.typed.get(&node).filter(|(typed, _)| is_same(typed));
        let degrees = match typed {
            Some((_, degrees)) => *degrees,
            None => order.plain_angles(&rotation.to_array()).map(f64::to_degrees),
        };
        let mut new = degrees;
        let mut turned = None;
        page.ui.horizontal(|ui| {
            compact(ui);
            let width = field_width(ui.available_width() - LIST - GAP, 3);
            for (i, axis) in ["X", "Y", "Z"].into_iter().enumerate() {
                let (value, noise) = (degrees[i], NOISE_DEGREES);
                let number = Number { value, speed: 0.5, decimals: 2, noise, width };
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
                self.typed.clear();
            }
        });
        if let Some(to) = turned {
            self.typed.insert(node, (to.to_array(), new));
        }
        let mut parts = rotation.to_array();
        page.ui.horizontal(|ui| {
            compact(ui);
            let width = field_width(ui.available_width(), 4);
            for (i, part) in ["X", "Y", "Z", "W"].into_iter().enumerate() {
                let value = f64::from(parts[i]);
                let noise = NOISE_PART;
                let number = Number { value, speed: 0.002, decimals: 4, noise, width };
                let name = format!("Pose quaternion {part}");
                if let Some(to) = number.show(ui, page.actions, &name) {
                    parts[i] = to as f32;
                    let to = Quat::from_array(parts);
                    turned = (to.length() > 1e-6).then(|| to.normalize());
                }
            }
        });
        let (axis, angle) = axis_angle(rotation);
        page.direction("Axis", axis);
        page.numbers("Angle", &[angle], "°");
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
        // The button keeps its place while no weight is set: the sliders below must not move under the pointer.
        let reset = egui::Button::new("Reset weights").small();
        if page.ui.add_enabled(!hand.weights.is_empty(), reset).clicked() {
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
            morph(page, node, target, &name(target), weights[target], set);
        }
        if let Some(more) = found.len().checked_sub(MOST_TARGETS).filter(|more| *more > 0) {
            page.ui.weak(format!("and {more} more: filter them"));
        }
    }
}

/// Shows a morph target in one row: name, slider, number, and what resets it.
fn morph(page: &mut Page<'_>, node: usize, target: usize, name: &str, weight: f32, set: bool) {
    let mut to = weight;
    page.ui.horizontal(|ui| {
        compact(ui);
        let room = ui.available_width();
        let wide = (MORPH_NAME * room).clamp(40.0, 160.0);
        let field = FIELD_WIDTH.min(0.25 * room);
        let shown = fitting(ui, name, wide);
        let text = RichText::new(&shown).size(12.0).color(theme::colors(ui).weak);
        let label =
            ui.add_sized(Vec2::new(wide, FIELD), egui::Label::new(text).halign(Align::LEFT));
        if shown != name {
            label.on_hover_text(name);
        }
        ui.spacing_mut().slider_width = (room - wide - field - RESET - 4.0 * GAP).max(30.0);
        ui.visuals_mut().selection.bg_fill = theme::colors(ui).accent;
        let slider = Slider::new(&mut to, 0.0..=1.0).show_value(false);
        let slider = ui.add(slider.clamping(SliderClamping::Never));
        let slider = slider.accessible_name(format!("Weight of {name}"));
        note_drag(&slider, page.actions);
        if slider.changed() {
            page.actions.push(PoseAction::Set(node, HandValue::Weight(target, to)).into());
        }
        end_drag(&slider, page.actions);
        let (value, noise) = (f64::from(weight), NOISE_PART);
        let number = Number { value, speed: 0.01, decimals: 3, noise, width: field };
        if let Some(to) = number.show(ui, page.actions, &format!("Weight of {name} value")) {
            let value = HandValue::Weight(target, to as f32);
            page.actions.push(PoseAction::Set(node, value).into());
        }
        let set = set.then_some((node, HandField::Weight(target)));
        reset_ui(ui, page.actions, name, set);
    });
}

/// Shows a dot that resets values which were set by hand. Without any its place stays empty.
fn reset_ui(
    ui: &mut egui::Ui,
    actions: &mut Vec<rigview_session::Action>,
    text: &str,
    set: Option<(usize, HandField)>,
) {
    let sense = if set.is_some() { Sense::CLICK } else { Sense::hover() };
    let (rect, dot) = ui.allocate_exact_size(Vec2::splat(RESET), sense);
    let Some((node, field)) = set else { return };
    let radius = if dot.hovered() || dot.has_focus() { 4.5 } else { 3.0 };
    ui.painter().circle_filled(rect.center(), radius, theme::colors(ui).accent);
    let name = format!("Reset {}", text.to_lowercase());
    dot.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    let by_hand = format!("{text} is set by hand");
    ui.ctx().accesskit_node_builder(dot.id, |node| node.set_value(by_hand.as_str()));
    let hint = format!("{by_hand}. Click to follow the clip again");
    if dot.on_hover_text(hint).clicked() {
        actions.push(PoseAction::Reset(node, field).into());
    }
}

/// The line above fields.
struct Title<'a> {
    text: &'a str,
    unit: &'a str,
    /// What a click on the text copies.
    exact: Option<&'a [f32]>,
    /// What was set by hand.
    set: Option<(usize, HandField)>,
}

/// Shows a line above fields. A click on its text copies the numbers.
fn title(page: &mut Page<'_>, title: Title<'_>) {
    let Title { text, unit, exact, set } = title;
    page.row_of_height(FIELD, |page| {
        let name = format!("Pose {}", text.to_lowercase());
        match exact {
            Some(exact) => {
                let exact: Vec<String> = exact.iter().map(f32::to_string).collect();
                page.copied(&name, text, &exact.join(", "));
            }
            None => drop(page.ui.label(text)),
        }
        let ui = &mut *page.ui;
        ui.label(RichText::new(unit).size(11.0).color(theme::colors(ui).weak));
        reset_ui(ui, page.actions, text, set);
    });
}

/// Returns a node's translation in metres, along the axes of its parent; `None` if its parent's units are metres.
fn in_metres(stage: &Stage, model: &Model, node: usize) -> Option<[f32; 3]> {
    let parent = stage.scene_from_parent(model, node).matrix3;
    let lengths = [parent.x_axis, parent.y_axis, parent.z_axis].map(glam::DVec3::length);
    let is_metre = |length: &f64| (length - 1.0).abs() < 1e-3;
    if lengths.iter().all(is_metre) || lengths.iter().any(|length| !length.is_finite()) {
        return None;
    }
    let own = stage.local.transform(node).translation.to_array();
    Some([0, 1, 2].map(|i| (f64::from(own[i]) * lengths[i]) as f32))
}

/// Returns the axis of a rotation, unless it turns nothing, and its angle from 0 to 180 degrees.
fn axis_angle(rotation: Quat) -> (Option<[f32; 3]>, f32) {
    let [x, y, z, w] = rotation.as_dquat().normalize().to_array();
    let vector = if w < 0.0 { [-x, -y, -z] } else { [x, y, z] };
    let sine = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    let angle = 2.0 * sine.atan2(w.abs());
    // A turn by less than this has no axis in single precision.
    if sine < 1e-7 || !sine.is_finite() {
        return (None, 0.0);
    }
    (Some(vector.map(|x| (x / sine) as f32)), angle.to_degrees() as f32)
}

/// Shows three fields. Returns the vector if one of them was changed; the others keep their bits.
fn vector(page: &mut Page<'_>, what: &str, values: Vec3, speed: f64) -> Option<Vec3> {
    let mut new = None;
    page.ui.horizontal(|ui| {
        compact(ui);
        let width = field_width(ui.available_width(), 3);
        for (i, axis) in ["X", "Y", "Z"].into_iter().enumerate() {
            let (value, noise) =
                (f64::from(values[i]), NOISE * f64::from(values.abs().max_element()));
            let number = Number { value, speed, decimals: 4, noise, width };
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
            Some(rigview_session::Action::Pose(PoseAction::End)) => self.actions.len() - 1,
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
        actions: &mut Vec<rigview_session::Action>,
        name: &str,
    ) -> Option<f64> {
        let mut value = self.value;
        let shown = |x: f64| {
            if x.abs() < self.noise { "0".to_owned() } else { field_text(x, self.decimals) }
        };
        let field =
            typed(DragValue::new(&mut value)).speed(self.speed).custom_formatter(|x, _| shown(x));
        // A number that is too long is cut: it must not push the other fields out of the row.
        let (rect, _) = ui.allocate_exact_size(Vec2::new(self.width, FIELD), Sense::hover());
        let layout = egui::Layout::centered_and_justified(egui::Direction::TopDown);
        let mut inner = ui.new_child(egui::UiBuilder::new().max_rect(rect).layout(layout));
        inner.shrink_clip_rect(rect);
        let field = inner.add(field).accessible_name(name);
        note_drag(&field, actions);
        end_drag(&field, actions);
        // A field that is left as it was shown keeps the digits that it does not show.
        let changed = field.changed() && (field.dragged() || shown(value) != shown(self.value));
        (changed && value.is_finite()).then_some(value)
    }
}

fn note_drag(widget: &Response, actions: &mut Vec<rigview_session::Action>) {
    if widget.drag_started() {
        actions.push(PoseAction::Begin.into());
    }
}

fn end_drag(widget: &Response, actions: &mut Vec<rigview_session::Action>) {
    if widget.drag_stopped() {
        actions.push(PoseAction::End.into());
    }
}
