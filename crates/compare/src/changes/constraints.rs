//! Differences of the constraints that turn nodes.

use std::collections::HashMap;

use super::rounding::are_like;
use crate::pairing::pairs::{Models, Pairs, entry_name};
use rigview_model::{Constraint, ConstraintKind, Model};

/// The constraints of two models, by the node that turns.
pub(crate) struct Constraints<'a> {
    models: Models<'a>,
    of: [HashMap<usize, &'a Constraint>; 2],
}

impl<'a> Constraints<'a> {
    pub fn new(models: Models<'a>) -> Self {
        let by_node = |model: &'a Model| model.constraints.iter().map(|of| (of.node, of)).collect();
        Self { models, of: [models.a, models.b].map(by_node) }
    }

    /// Describes how the constraint of a node of A differs from that of its partner in B; `None` if it does not.
    pub fn change(&self, a: usize, b: usize) -> Option<String> {
        let nodes = &self.models.pairs.nodes;
        match (self.of[0].get(&a).copied(), self.of[1].get(&b).copied()) {
            (None, None) => None,
            (Some(x), Some(y)) if follow_alike(nodes, x, y) => {
                let is_changed = !are_like(x.weight, y.weight, 1.0);
                is_changed.then(|| format!("constraint: weight {} -> {}", x.weight, y.weight))
            }
            (x, y) => {
                let [before, after] = [(self.models.a, x), (self.models.b, y)].map(text);
                Some(format!("constraint {before} -> {after}"))
            }
        }
    }
}

/// Whether two constraints follow the same node in the same way.
fn follow_alike(nodes: &Pairs, x: &Constraint, y: &Constraint) -> bool {
    nodes.agree(Some(x.source), Some(y.source)) && x.kind == y.kind
}

fn text((model, constraint): (&Model, Option<&Constraint>)) -> String {
    let Some(Constraint { source, kind, weight, .. }) = constraint else { return "none".into() };
    let axis = match kind {
        ConstraintKind::Roll(axis) | ConstraintKind::Aim(axis) => {
            let sign = if axis.element_sum() < 0.0 { "-" } else { "" };
            format!(" {sign}{}", ["X", "Y", "Z"][axis.abs().max_position()])
        }
        ConstraintKind::Rotation => String::new(),
    };
    let source = entry_name(&model.nodes[*source].name, *source);
    format!("{}{axis} of \"{source}\" at weight {weight}", kind.name())
}
