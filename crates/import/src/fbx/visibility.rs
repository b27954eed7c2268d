//! Whether nodes are shown: FBX fades them with a number from 0 to 1, where glTF has a switch.

use ufbx::{Anim, Node};

/// The property of FBX that shows a node.
pub(super) const VISIBILITY: &str = "Visibility";

/// Whether a node is shown by its own visibility, at rest or at a time of a take: while it is above 0.
pub(super) fn is_shown(node: &Node, at: Option<(&Anim, f64)>) -> bool {
    // ufbx evaluates only properties that an element or its template has.
    let Some(rest) = at_rest(node) else { return true };
    let now =
        |(anim, time)| ufbx::evaluate_prop(anim, &node.element, VISIBILITY, time).value_vec4.x;
    at.map_or(rest, now) > 0.0
}

/// Whether a node is partly visible at rest.
pub(super) fn is_partial(node: &Node) -> bool {
    at_rest(node).is_some_and(|rest| rest > 0.0 && rest < 1.0)
}

fn at_rest(node: &Node) -> Option<f64> {
    node.element.props.find_prop(VISIBILITY).map(|property| property.value_vec4.x)
}
