//! `VRMC_node_constraint`: nodes whose rotation follows another node.

use std::collections::HashMap;

use glam::Vec3;

use super::parts::{Rig, or_skipped};
use crate::fault::{ImportError, Warnings};
use rigview_document::{At, Document};
use rigview_model::{Constraint, ConstraintKind, WarningCode};

const EXTENSION: &str = "VRMC_node_constraint";

/// Bytes that are charged per node on the way to the root, which each pose follows.
const VISIT: usize = 64;

/// Reads the constraints of all nodes, each after those that it depends on. What is invalid is left out with a warning,
/// as are constraints that depend on each other in a circle.
pub(crate) fn read(
    document: &Document,
    rig: &Rig,
    warnings: &mut Warnings,
) -> Result<Vec<Constraint>, ImportError> {
    let mut found = Vec::new();
    for (node, at) in document.list("nodes")?.iter().enumerate() {
        if let Some(at) = at.extension(EXTENSION)?
            && let Some(constraint) = or_skipped(constraint(&at, node, rig), &at, warnings)
        {
            found.push((constraint, at));
        }
    }
    let of_node: HashMap<usize, usize> =
        found.iter().enumerate().map(|(i, (constraint, _))| (constraint.node, i)).collect();
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); found.len()];
    let mut missing = vec![0; found.len()];
    for (i, (constraint, _)) in found.iter().enumerate() {
        let mut depend = |node: usize| {
            if let Some(other) = of_node.get(&node) {
                dependents[*other].push(i);
                missing[i] += 1;
            }
        };
        match constraint.kind {
            ConstraintKind::Aim(_) => {
                line(rig, constraint.source).for_each(&mut depend);
                line(rig, constraint.node).skip(1).for_each(&mut depend);
            }
            _ => depend(constraint.source),
        }
    }
    let mut order: Vec<usize> = (0..found.len()).filter(|i| missing[*i] == 0).collect();
    let mut next = 0;
    while let Some(done) = order.get(next).copied() {
        next += 1;
        for dependent in &dependents[done] {
            missing[*dependent] -= 1;
            if missing[*dependent] == 0 {
                order.push(*dependent);
            }
        }
    }
    for ((_, at), _) in found.iter().zip(&missing).filter(|(_, missing)| **missing > 0) {
        let message = "left out: constraints depend on each other in a circle";
        warnings.add_at(at, WarningCode::VrmSkipped, message);
    }
    Ok(order.into_iter().map(|i| found[i].0).collect())
}

/// Returns a node and all nodes above it.
fn line<'a>(rig: &'a Rig, node: usize) -> impl Iterator<Item = usize> + 'a {
    std::iter::successors(Some(node), |node| (rig.parents)(*node))
}

fn constraint(at: &At, node: usize, rig: &Rig) -> Result<Constraint, ImportError> {
    let kinds = at.required("constraint")?;
    let (kind, at) = if let Some(roll) = kinds.get("roll") {
        (ConstraintKind::Roll(axis(&roll, "rollAxis", ["X", "Y", "Z"])?), roll)
    } else if let Some(aim) = kinds.get("aim") {
        let names = ["PositiveX", "PositiveY", "PositiveZ", "NegativeX", "NegativeY", "NegativeZ"];
        (ConstraintKind::Aim(axis(&aim, "aimAxis", names)?), aim)
    } else if let Some(rotation) = kinds.get("rotation") {
        (ConstraintKind::Rotation, rotation)
    } else {
        return Err(kinds.error("neither roll, aim nor rotation").into());
    };
    let source = at.required("source")?.index_of("nodes")?;
    if source == node {
        return Err(at.error("the source is the node itself").into());
    }
    if matches!(kind, ConstraintKind::Aim(_)) {
        let steps = line(rig, source).count() + line(rig, node).count();
        rig.budget.take(steps, VISIT).map_err(|over| ImportError::over_budget_at(&at, over))?;
    }
    let weight = at.number_at("weight")?.unwrap_or(1.0).clamp(0.0, 1.0);
    let [node_at_rest, source_at_rest] =
        [node, source].map(|node| rig.rest.transform(node).rotation);
    Ok(Constraint { node, source, kind, weight, node_at_rest, source_at_rest })
}

/// Reads an axis: one of these names, of which the first three are X, Y and Z, and three more their opposites.
fn axis<const N: usize>(at: &At, key: &str, names: [&str; N]) -> Result<Vec3, ImportError> {
    let named = at.required(key)?;
    let text = named.text()?;
    let index = names.iter().position(|name| *name == text);
    let index = index.ok_or_else(|| named.error(format!("not one of {}", names.join(", "))))?;
    Ok(if index < 3 { Vec3::AXES[index] } else { -Vec3::AXES[index - 3] })
}
