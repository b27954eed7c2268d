//! Blend shapes: a morph target per shape. A channel with in-betweens has several shapes, of which the two
//! next to its weight are mixed.

use serde_json::{Map, Value, json};
use ufbx::{BlendChannel, Mesh};

use super::geometric::Geometric;
use super::mesh::Surface;
use super::scene::{finite, vector};
use crate::draft::{Draft, Use};
use crate::fault::{ImportError, Warnings};
use rigview_model::WarningCode;

/// Limit for the morph targets of a mesh.
const TARGETS: usize = 4096;

/// Returns the channels of a mesh's blend deformers, in the order of its morph targets.
pub(super) fn channels(mesh: &Mesh) -> impl Iterator<Item = &BlendChannel> {
    let all = mesh.blend_deformers.into_iter().flat_map(|deformer| &deformer.channels);
    let mut count = 0;
    all.take_while(move |channel| {
        count += channel.keyframes.len();
        count <= TARGETS
    })
}

/// Returns the names of the morph targets: those of the channels, with the weight of in-betweens.
pub(super) fn names(mesh: &Mesh) -> Vec<String> {
    let of_channel = |channel: &BlendChannel| {
        let last = channel.keyframes.len().saturating_sub(1);
        let name = |(i, key): (usize, &ufbx::BlendKeyframe)| match i == last {
            true => channel.element.name.to_string(),
            false => format!("{} {:.0} %", channel.element.name, key.target_weight * 100.0),
        };
        channel.keyframes.iter().enumerate().map(name).collect::<Vec<_>>()
    };
    channels(mesh).flat_map(of_channel).collect()
}

/// Appends the weights of a channel's shapes at a weight of the channel: those next to it are mixed
/// linearly, and the first and the last ones are extrapolated.
pub(super) fn mix(channel: &BlendChannel, weight: f64, out: &mut Vec<f64>) {
    let keys = &channel.keyframes;
    let first = out.len();
    out.resize(first + keys.len(), 0.0);
    let target = |key: Option<usize>| key.map_or(0.0, |key| keys[key].target_weight);
    // `None` is the base, at weight 0, which lies between the keys below and above it.
    let above = keys.iter().position(|key| key.target_weight >= 0.0).unwrap_or(keys.len());
    let (mut from, mut to) = (None, None);
    if weight > 0.0 {
        from = above.checked_sub(1);
        for key in above..keys.len() {
            (from, to) = (to, Some(key));
            if keys[key].target_weight > weight {
                break;
            }
        }
    } else {
        from = (above < keys.len()).then_some(above).or(from);
        for key in (0..above).rev() {
            (from, to) = (to, Some(key));
            if keys[key].target_weight < weight {
                break;
            }
        }
    }
    let span = target(to) - target(from);
    if span != 0.0 {
        let t = (weight - target(from)) / span;
        for (key, weight) in [(from, 1.0 - t), (to, t)] {
            if let Some(key) = key {
                out[first + key] = weight;
            }
        }
    }
}

/// Applies a geometric transform to an offset.
type Turned = fn(&Geometric, ufbx::Vec3) -> ufbx::Vec3;

/// Adds the morph targets to the surfaces of a mesh.
pub(super) fn write(
    mesh: &Mesh,
    geometric: Option<Geometric>,
    surfaces: &mut [Surface],
    draft: &mut Draft,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    let name = &*mesh.element.name;
    let over = |over| ImportError::over_budget(&format!("mesh \"{name}\""), over);
    let all: usize = mesh.blend_deformers.iter().map(|d| shapes_of(d)).sum();
    let used: usize = channels(mesh).map(|channel| channel.keyframes.len()).sum();
    if used < all {
        let message = format!("mesh \"{name}\": {} of {all} blend shapes are left out", all - used);
        warnings.add(WarningCode::NotShown, "", message);
    }
    // The offset of each control point in a shape.
    const NONE: u32 = u32::MAX;
    let mut offset_of = vec![NONE; mesh.num_vertices];
    let mut odd = 0;
    for shape in channels(mesh).flat_map(|channel| &channel.keyframes).map(|key| &key.shape) {
        for (offset, point) in shape.offset_vertices.iter().enumerate() {
            if let Some(of_point) = offset_of.get_mut(*point as usize) {
                *of_point = offset as u32;
            }
        }
        let with_normals = shape.normal_offsets.len() >= shape.offset_vertices.len()
            && shape.normal_offsets.iter().any(|n| n.x != 0.0 || n.y != 0.0 || n.z != 0.0);
        for surface in surfaces.iter_mut() {
            let moved: Vec<(u32, usize)> = (0u32..)
                .zip(&surface.points)
                .map(|(vertex, point)| (vertex, offset_of[*point as usize]))
                .filter(|(_, offset)| *offset != NONE)
                .map(|(vertex, offset)| (vertex, offset as usize))
                .collect();
            let indices: Vec<u32> = moved.iter().map(|(vertex, _)| *vertex).collect();
            let mut values = |list: &[ufbx::Vec3], turned: Turned| -> Vec<[f32; 3]> {
                let value = |(_, offset): &(u32, usize)| {
                    let weight = shape.offset_weights.get(*offset).copied().unwrap_or(1.0);
                    let own = list[*offset];
                    let own = geometric.map_or(own, |geometric| turned(&geometric, own));
                    vector(own, &mut odd).map(|x| x * finite(weight, &mut 0))
                };
                moved.iter().map(value).collect()
            };
            let count = surface.points.len();
            let mut target = Map::new();
            let positions = values(&shape.position_offsets, Geometric::offset);
            let accessor =
                draft.sparse(count, &indices, &positions, Use::Positions).map_err(over)?;
            target.insert("POSITION".into(), accessor.into());
            if with_normals && surface.attributes.contains_key("NORMAL") {
                let normals = values(&shape.normal_offsets, Geometric::normal);
                let accessor =
                    draft.sparse(count, &indices, &normals, Use::Attribute).map_err(over)?;
                target.insert("NORMAL".into(), accessor.into());
            }
            surface.targets.push(Value::Object(target));
        }
        for point in &shape.offset_vertices {
            if let Some(of_point) = offset_of.get_mut(*point as usize) {
                *of_point = NONE;
            }
        }
    }
    level_normals(surfaces, draft).map_err(over)?;
    if odd > 0 {
        let message =
            format!("mesh \"{name}\": {odd} numbers of blend shapes are not finite: read as 0");
        warnings.add(WarningCode::NotFinite, "", message);
    }
    Ok(())
}

fn shapes_of(deformer: &ufbx::BlendDeformer) -> usize {
    deformer.channels.iter().map(|channel| channel.keyframes.len()).sum()
}

/// Gives all targets of a surface normals if one has them, as glTF requires.
fn level_normals(
    surfaces: &mut [Surface],
    draft: &mut Draft,
) -> Result<(), rigview_model::OverBudget> {
    for surface in surfaces {
        let with = |target: &Value| target.get("NORMAL").is_some();
        if !surface.targets.iter().any(with) || surface.targets.iter().all(with) {
            continue;
        }
        let none = draft.sparse(surface.points.len(), &[0], &[[0.0; 3]], Use::Attribute)?;
        for target in surface.targets.iter_mut().filter(|target| !with(target)) {
            target["NORMAL"] = json!(none);
        }
    }
    Ok(())
}
