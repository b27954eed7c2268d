//! The window's controls by their accessible names, taken from egui's accessibility tree. Scripts click them by
//! name and list them.

use std::cmp::Ordering;
use std::collections::HashMap;

use egui::accesskit::{Node, NodeId, Role, Toggled, TreeUpdate};
use egui::{Context, Order, Pos2, Rect, WidgetRect, pos2};
use serde_json::{Value, json};

/// Number of similar names that a message lists.
const NEAR_NAMES: usize = 5;

/// Minimum similarity of a name that a message lists, from 0 to 1.
const NEAR: f64 = 0.6;

/// Something in a panel that a person can click, drag, choose or type into.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Control {
    pub id: NodeId,
    pub name: String,
    role: Role,
    /// The whole rectangle in points, also where it is scrolled out of sight.
    rect: Rect,
    value: Value,
    pub enabled: bool,
}

/// Returns the controls of a frame, from top to bottom.
pub(super) fn controls_of(tree: &TreeUpdate) -> Vec<Control> {
    let nodes: HashMap<NodeId, &Node> = tree.nodes.iter().map(|(id, node)| (*id, node)).collect();
    let control = |(id, node): &(NodeId, Node)| {
        let bounds = node.bounds().filter(|_| egui::accessibility::is_input(node.role()))?;
        let [x0, y0, x1, y1] = [bounds.x0, bounds.y0, bounds.x1, bounds.y1].map(|n| n as f32);
        Some(Control {
            id: *id,
            name: name_of(node, &nodes),
            role: node.role(),
            rect: Rect::from_min_max(pos2(x0, y0), pos2(x1, y1)),
            value: value_of(node),
            enabled: !node.is_disabled(),
        })
    };
    let mut controls: Vec<Control> = tree.nodes.iter().filter_map(control).collect();
    controls.sort_by(|a, b| by_place(a.rect.min, b.rect.min).then(a.name.cmp(&b.name)));
    controls
}

fn by_place(a: Pos2, b: Pos2) -> Ordering {
    a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x))
}

/// The control's own name, or the text of the labels beside it, or the hint of a text field.
fn name_of(node: &Node, nodes: &HashMap<NodeId, &Node>) -> String {
    let text = |node: &&Node| node.label().or(node.value()).map(str::to_owned);
    let labels = || {
        let labels = node.labelled_by().iter().filter_map(|id| text(nodes.get(id)?));
        labels.collect::<Vec<_>>().join(" ")
    };
    let name = node.label().map_or_else(labels, str::to_owned);
    if name.is_empty() { node.placeholder().unwrap_or_default().to_owned() } else { name }
}

/// Whether it is on, its number, its text, or whether it is unfolded; null for a plain button.
fn value_of(node: &Node) -> Value {
    match (node.toggled(), node.numeric_value(), node.value(), node.is_expanded()) {
        (Some(toggled), ..) => json!(toggled == Toggled::True),
        (_, Some(number), ..) => json!(number),
        (_, _, Some(text), _) => json!(text),
        (.., Some(unfolded)) => json!(unfolded),
        _ => Value::Null,
    }
}

impl Control {
    /// Returns the control as a script lists it. The rectangle is in pixels of the window.
    pub fn to_json(&self, pixels_per_point: f32) -> Value {
        let (min, size) = (self.rect.min, self.rect.size());
        let pixels = |points: f32| (points * pixels_per_point).round() as i64;
        let rect = [min.x, min.y, size.x, size.y].map(pixels);
        json!({
            "name": self.name,
            "role": role_name(self.role),
            "rect": rect,
            "value": self.value,
        })
    }
}

/// The role's name in WAI-ARIA where it has one.
fn role_name(role: Role) -> String {
    match role {
        Role::TextInput | Role::MultilineTextInput => "textbox".to_owned(),
        Role::DisclosureTriangle => "button".to_owned(),
        Role::Splitter => "separator".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    }
}

/// Returns the only control of a name.
///
/// # Errors
/// If there is none, with similar names; if there are several, with their places in pixels.
pub(super) fn control_named<'a>(
    controls: &'a [Control],
    name: &str,
    pixels_per_point: f32,
) -> Result<&'a Control, String> {
    let named: Vec<&Control> = controls.iter().filter(|control| control.name == name).collect();
    match named[..] {
        [control] => Ok(control),
        [] => Err(format!("no control \"{name}\"{}", near_names(controls, name))),
        ref several => {
            let place = |control: &&Control| {
                let json = control.to_json(pixels_per_point);
                format!("{} at {}", role_name(control.role), json["rect"])
            };
            let places: Vec<String> = several.iter().map(place).collect();
            let count = several.len();
            Err(format!("{count} controls are named \"{name}\": {}", places.join(", ")))
        }
    }
}

/// Returns `; near: "Loop", "Once"`, or where the full list is if no name is similar.
fn near_names(controls: &[Control], name: &str) -> String {
    let wanted = name.to_lowercase();
    let likeness = |control: &Control| {
        let own = control.name.to_lowercase();
        let part = !wanted.is_empty() && own.contains(&wanted);
        if part { 1.0 } else { strsim::jaro_winkler(&wanted, &own) }
    };
    let mut near: Vec<(f64, &str)> =
        controls.iter().map(|control| (likeness(control), control.name.as_str())).collect();
    near.retain(|(likeness, _)| *likeness >= NEAR);
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.dedup();
    near.truncate(NEAR_NAMES);
    if near.is_empty() {
        return "; {\"controls\":\"-\"} lists all names".to_owned();
    }
    let quoted: Vec<String> = near.iter().map(|(_, name)| format!("\"{name}\"")).collect();
    format!("; near: {}", quoted.join(", "))
}

/// The place where a click reaches a control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reach {
    /// At this point, in points.
    At(Pos2),
    /// Nowhere until it is scrolled to.
    OutOfSight,
    /// Something else is over it.
    Covered,
}

/// Finds where a click reaches a control: in its middle if that is in sight, else in the middle of the part
/// that is in sight, if `part` allows that.
pub(super) fn reach(ctx: &Context, control: &Control, part: bool) -> Reach {
    let Some(widget) = widget_of(ctx, control.id) else { return Reach::OutOfSight };
    let seen = widget.interact_rect.intersect(ctx.content_rect());
    let middle = control.rect.center();
    let at = if seen.contains(middle) {
        middle
    } else if part && seen.width() >= 1.0 && seen.height() >= 1.0 {
        seen.center()
    } else {
        return Reach::OutOfSight;
    };
    let above = ctx.layer_id_at(at).filter(|top| top.order != Order::Background);
    match above {
        Some(top) if top != widget.layer_id => Reach::Covered,
        _ => Reach::At(at),
    }
}

/// The widget that a node describes, as the last frame laid it out. Rows of a list that are out of sight are
/// nodes without a widget.
fn widget_of(ctx: &Context, id: NodeId) -> Option<WidgetRect> {
    ctx.viewport(|viewport| {
        let mut widgets = viewport.prev_pass.widgets.layers().flat_map(|(_, widgets)| widgets);
        widgets.find(|widget| widget.id.accesskit_id() == id).copied()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(name: &str, y: f32) -> Control {
        Control {
            id: NodeId(1),
            name: name.into(),
            role: Role::Button,
            rect: Rect::from_min_size(pos2(10.0, y), egui::vec2(30.0, 20.0)),
            value: Value::Null,
            enabled: true,
        }
    }

    #[test]
    fn a_name_that_none_or_two_have_is_refused_with_similar_names_or_places() {
        let controls = [control("Loop", 0.0), control("Once", 1.0), control("Weight", 2.0)];
        assert_eq!(control_named(&controls, "Once", 1.0), Ok(&controls[1]));
        let error = control_named(&controls, "lop", 1.0).unwrap_err();
        assert_eq!(error, "no control \"lop\"; near: \"Loop\"");
        let error = control_named(&controls, "Zxq", 1.0).unwrap_err();
        assert!(error.starts_with("no control \"Zxq\"; {\"controls\":\"-\"}"), "{error}");
        let twice = [control("Weight", 2.0), control("Weight", 40.0)];
        let error = control_named(&twice, "Weight", 2.0).unwrap_err();
        assert!(error.starts_with("2 controls are named \"Weight\": button at [20"), "{error}");
    }

    #[test]
    fn names_come_from_labels_and_values_are_typed() {
        let mut label = Node::new(Role::Label);
        label.set_value("Exposure");
        let mut slider = Node::new(Role::Slider);
        slider.set_labelled_by(vec![NodeId(1)]);
        slider.set_numeric_value(1.5);
        slider.set_bounds(egui::accesskit::Rect { x0: 1.0, y0: 2.0, x1: 5.0, y1: 12.0 });
        let tree = TreeUpdate {
            nodes: vec![(NodeId(1), label), (NodeId(2), slider)],
            tree: None,
            tree_id: egui::accesskit::TreeId::ROOT,
            focus: NodeId(1),
        };
        let controls = controls_of(&tree);
        let expected = json!({"name": "Exposure", "role": "slider", "rect": [2, 4, 8, 20],
            "value": 1.5});
        assert_eq!(controls.iter().map(|c| c.to_json(2.0)).collect::<Vec<_>>(), [expected]);
    }
}
