//! Skins: joints that move nothing, and rows of matrices.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::change::{Change, Changes, Context};
use super::document::Document;
use super::tracks::UNREAD;
use rigview_export::index;

/// Numbers of a matrix.
const MATRIX: usize = 16;

/// The last row of a matrix, and the places of its numbers, column after column.
const LAST_ROW: [(usize, f64); 4] = [(3, 0.0), (7, 0.0), (11, 0.0), (15, 1.0)];

/// Writes 0 0 0 1 as the last row of inverse bind matrices and of nodes' matrices.
pub fn mend_last_rows(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    for skin in 0..document.list("skins").len() {
        let Some(accessor) =
            document.list("skins")[skin].get("inverseBindMatrices").and_then(index)
        else {
            continue;
        };
        let pointer = format!("/skins/{skin}/inverseBindMatrices");
        let object =
            document.list("skins")[skin].get("name").and_then(Value::as_str).map(str::to_owned);
        let change =
            |count| Change { pointer: pointer.clone(), object: object.clone(), clip: None, count };
        let Some(mut numbers) = document.numbers(accessor) else {
            if context.findings.iter().any(|f| f.pointer.as_deref() == Some(&pointer)) {
                changes.leave(change(0), UNREAD);
            }
            continue;
        };
        let count =
            numbers.chunks_exact_mut(MATRIX).filter_map(|m| mend_last_row(m).then_some(())).count();
        if count > 0
            && let Some(new) = document.append_like(accessor, &numbers)
            && let Some(item) = document.item_mut("skins", skin)
        {
            item.insert("inverseBindMatrices".into(), new.into());
            changes.made.push(change(count));
        }
    }
    for node in 0..document.list("nodes").len() {
        let Some(item) = document.item_mut("nodes", node) else { continue };
        let Some(Value::Array(matrix)) = item.get_mut("matrix") else { continue };
        let mut numbers: Vec<f64> = matrix.iter().filter_map(Value::as_f64).collect();
        if numbers.len() == MATRIX && mend_last_row(&mut numbers) {
            for (place, number) in LAST_ROW {
                matrix[place] = (number as i64).into();
            }
            let object = item.get("name").and_then(Value::as_str).map(str::to_owned);
            let pointer = format!("/nodes/{node}/matrix");
            changes.made.push(Change { pointer, object, clip: None, count: 1 });
        }
    }
    changes
}

/// Sets the last row of a matrix, and returns whether it was another one.
fn mend_last_row(matrix: &mut [f64]) -> bool {
    let is_odd = LAST_ROW.iter().any(|(place, number)| matrix[*place] != *number);
    LAST_ROW.iter().for_each(|(place, number)| matrix[*place] = *number);
    is_odd
}

/// Takes the joints that findings name out of their skins, and renumbers the joints of the meshes that use these.
pub fn drop_unused(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    let unused: BTreeMap<usize, Change> = context
        .findings
        .iter()
        .filter_map(|finding| {
            let pointer = finding.pointer.clone()?;
            let node = pointer.strip_prefix("/nodes/")?.parse().ok()?;
            let object = finding.object.clone();
            Some((node, Change { pointer, object, clip: None, count: 1 }))
        })
        .collect();
    let mut dropped = BTreeSet::new();
    let mut reasons = BTreeMap::new();
    for skin in 0..document.list("skins").len() {
        let joints: Vec<usize> = joints_of(document, skin);
        let gone: BTreeSet<usize> =
            (0..joints.len()).filter(|at| unused.contains_key(&joints[*at])).collect();
        if gone.is_empty() {
            continue;
        }
        let nodes = gone.iter().map(|at| joints[*at]);
        match shorten(document, skin, &joints, &gone) {
            Ok(()) => dropped.extend(nodes),
            Err(reason) => reasons.extend(nodes.map(|node| (node, reason))),
        }
    }
    for (node, change) in unused {
        match (dropped.contains(&node), reasons.get(&node)) {
            (_, Some(reason)) => changes.leave(change, *reason),
            (true, None) => changes.made.push(change),
            (false, None) => changes.leave(change, "no skin of the file lists it"),
        }
    }
    changes
}

fn joints_of(document: &Document, skin: usize) -> Vec<usize> {
    let joints = document.list("skins")[skin].get("joints").and_then(Value::as_array);
    joints.into_iter().flatten().filter_map(index).collect()
}

/// Removes joints from a skin's lists. All that can fail is tried before anything is changed.
fn shorten(
    document: &mut Document,
    skin: usize,
    joints: &[usize],
    gone: &BTreeSet<usize>,
) -> Result<(), &'static str> {
    if gone.len() == joints.len() {
        return Err("a skin needs at least one joint");
    }
    let sets = joint_sets(document, &meshes_of(document, skin)?)?;
    let kept: Vec<usize> = (0..joints.len()).filter(|at| !gone.contains(at)).collect();
    let matrices = bind_matrices(document, skin, &kept)?;

    // Weights of 0 may name any joint.
    let mut numbers = vec![0; joints.len()];
    kept.iter().enumerate().for_each(|(new, old)| numbers[*old] = new);
    let number = |joint: usize| numbers.get(joint).map_or(0.0, |number| *number as f64);
    let mut known: BTreeMap<usize, usize> = BTreeMap::new();
    for JointSet { mesh, primitive, name, accessor, joints } in sets {
        let new = *known.entry(accessor).or_insert_with(|| {
            let moved: Vec<f64> = joints.into_iter().map(|joint| number(joint as usize)).collect();
            document.append_like(accessor, &moved).unwrap_or(accessor)
        });
        let place = document.item_mut("meshes", mesh).and_then(|mesh| mesh.get_mut("primitives"));
        if let Some(place) = place.and_then(|primitives| primitives.get_mut(primitive)) {
            place["attributes"][name] = new.into();
        }
    }
    let matrices =
        matrices.and_then(|(accessor, numbers)| document.append_like(accessor, &numbers));
    if let Some(item) = document.item_mut("skins", skin) {
        item.insert("joints".into(), kept.iter().map(|at| Value::from(joints[*at])).collect());
        if let Some(matrices) = matrices {
            item.insert("inverseBindMatrices".into(), matrices.into());
        }
    }
    Ok(())
}

/// Returns the meshes that are drawn with a skin and with no other one.
fn meshes_of(document: &Document, skin: usize) -> Result<BTreeSet<usize>, &'static str> {
    let (mut own, mut others) = (BTreeSet::new(), BTreeSet::new());
    for node in document.list("nodes") {
        if let Some(mesh) = node.get("mesh").and_then(index) {
            let is_own = node.get("skin").and_then(index) == Some(skin);
            if is_own { &mut own } else { &mut others }.insert(mesh);
        }
    }
    match own.is_disjoint(&others) {
        true => Ok(own),
        false => Err("another skin uses the same mesh"),
    }
}

/// An attribute with the joints of a primitive's vertices.
struct JointSet {
    mesh: usize,
    primitive: usize,
    name: String,
    accessor: usize,
    joints: Vec<f64>,
}

/// Returns the joints of all vertices of some meshes.
fn joint_sets(
    document: &Document,
    meshes: &BTreeSet<usize>,
) -> Result<Vec<JointSet>, &'static str> {
    let mut sets = Vec::new();
    for &mesh in meshes {
        let primitives = document.list("meshes").get(mesh).and_then(|mesh| mesh.get("primitives"));
        let primitives = primitives.and_then(Value::as_array).into_iter().flatten();
        for (at, primitive) in primitives.enumerate() {
            let extensions = primitive.get("extensions");
            if extensions.is_some_and(|all| all.get("KHR_draco_mesh_compression").is_some()) {
                return Err(UNREAD);
            }
            let attributes = primitive.get("attributes").and_then(Value::as_object);
            let attributes = attributes.into_iter().flatten();
            for (name, accessor) in attributes.filter(|(name, _)| name.starts_with("JOINTS_")) {
                let accessor = index(accessor).ok_or(UNREAD)?;
                let joints = document.numbers(accessor).ok_or(UNREAD)?;
                sets.push(JointSet { mesh, primitive: at, name: name.clone(), accessor, joints });
            }
        }
    }
    Ok(sets)
}

/// Returns the accessor of a skin's inverse bind matrices, and the numbers of those that are kept; `None` if it has none.
fn bind_matrices(
    document: &Document,
    skin: usize,
    kept: &[usize],
) -> Result<Option<(usize, Vec<f64>)>, &'static str> {
    let accessor = document.list("skins")[skin].get("inverseBindMatrices").and_then(index);
    let Some(accessor) = accessor else { return Ok(None) };
    let numbers = document.numbers(accessor).ok_or(UNREAD)?;
    let of = |joint: &usize| numbers.get(joint * MATRIX..(joint + 1) * MATRIX);
    let rows = kept.iter().map(of).collect::<Option<Vec<_>>>().ok_or(UNREAD)?;
    Ok(Some((accessor, rows.concat())))
}
