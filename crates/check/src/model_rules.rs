//! Rules of what a contract declares of the model: LIMIT, and CONTRACT of its height, its up axis and the way it faces.

use std::collections::HashSet;

use glam::Vec3;

use super::profiles::words;
use super::rig::Rig;
use super::{Axis, Code, Finding, Limits, ModelRules};
use rigview_model::{Aabb, DrawnVertices, Model, Primitive, Topology};
use rigview_rig::BodySide;

/// Returns the number of vertices of all meshes. Primitives that share their vertices, as several materials of a mesh do in many
/// files, count once.
fn vertices(model: &Model) -> u64 {
    let mut seen = HashSet::new();
    let all = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let own = all.filter(|p| p.source_positions.is_none_or(|positions| seen.insert(positions)));
    own.map(|p| u64::from(p.source_vertices)).sum()
}

pub(super) fn limits(rig: &Rig, bytes: Option<u64>, limits: &Limits) -> Vec<Finding> {
    let model = rig.model;
    let primitives = || model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let triangles = |p: &Primitive| match p.mode.topology() {
        Topology::Triangles => p.indices.len() as u64 / 3,
        Topology::Points | Topology::Lines => 0,
    };
    let image = model.images.iter().enumerate().max_by_key(|(_, i)| i.width.max(i.height));
    let numbers = [
        ("joints", limits.joints, Some(rig.joints.len() as u64), "joints"),
        (
            "influences",
            limits.influences,
            primitives().map(|p| u64::from(p.source_influences)).max(),
            "joints of a vertex",
        ),
        ("triangles", limits.triangles, Some(primitives().map(triangles).sum()), "triangles"),
        ("vertices", limits.vertices, Some(vertices(model)), "vertices"),
        ("clips", limits.clips, Some(model.clips.len() as u64), "clips"),
        (
            "texture_size",
            limits.texture_size,
            image.map(|(_, image)| u64::from(image.width.max(image.height))),
            "pixels",
        ),
        ("materials", limits.materials, Some(model.materials.len() as u64), "materials"),
        ("file_bytes", limits.file_bytes, bytes, "bytes"),
    ];
    let mut found = Vec::new();
    for (key, limit, number, unit) in numbers {
        let Some((limit, number)) = limit.zip(number).filter(|(limit, number)| number > limit)
        else {
            continue;
        };
        let text = format!("{number} {unit}; the contract allows {limit} ({key})");
        let finding = Finding::new(Code::Limit, text).of(Some(key));
        let finding = finding.measured(number as f64, unit).limited(limit as f64);
        found.push(match image.filter(|_| key == "texture_size") {
            Some((index, _)) => finding.at(format!("/images/{index}")),
            None => finding,
        });
    }
    found
}

/// Rounding of heights, relative.
const ROUNDING: f64 = 1e-4;

pub(super) fn stance(rig: &Rig, rules: &ModelRules) -> Vec<Finding> {
    let mut found = Vec::new();
    if let Some(range) = rules.height {
        found.extend(height(rig, range, rules.up.unwrap_or(Axis::PositiveY)));
    }
    if rules.up.is_some() || rules.facing.is_some() {
        let stance = Stance::new(rig);
        let axes = [
            ("the hips are below the head along", "up axis", rules.up, stance.up),
            ("the model faces", "facing", rules.facing, stance.facing()),
        ];
        for (says, what, wanted, direction) in axes {
            let Some(wanted) = wanted else { continue };
            let axis = direction.and_then(Axis::nearest);
            if axis == Some(wanted) {
                continue;
            }
            let text = match axis {
                Some(axis) => format!(
                    "at rest, {says} {}; the contract declares {}",
                    axis.name(),
                    wanted.name()
                ),
                None => format!(
                    "the {what} can't be told: no joints are named as hips and head, or as left and right"
                ),
            };
            found.push(Finding::new(Code::Contract, text).of(Some(what)));
        }
    }
    found
}

/// Compares the height of what is drawn at rest with the declared range.
fn height(rig: &Rig, [lowest, highest]: [f64; 2], up: Axis) -> Option<Finding> {
    let mut bounds = Aabb::EMPTY;
    DrawnVertices::new(rig.model, &rig.stage).add_to(&mut bounds, rig.model, &rig.stage);
    let size = bounds.size();
    let height = f64::from(up.vector().abs().dot(size));
    let rounding = ROUNDING * height;
    if height >= lowest - rounding && height <= highest + rounding {
        return None;
    }
    let text = match height.is_finite() {
        true => format!(
            "the model is {height:.3} m high; the contract declares {lowest} to {highest} m"
        ),
        false => "the model has no height, since nothing is drawn".to_owned(),
    };
    let finding = Finding::new(Code::Contract, text).of(Some("height"));
    let limit = if height < lowest { lowest } else { highest };
    Some(if height.is_finite() { finding.measured(height, "m").limited(limit) } else { finding })
}

/// The directions of a body at rest.
struct Stance {
    /// From the hips to the head.
    up: Option<Vec3>,
    /// From the right side to the left.
    left: Option<Vec3>,
}

impl Stance {
    fn new(rig: &Rig) -> Self {
        let place = |joint: usize| rig.stage.position(joint);
        let by_name = |wanted: &[&str]| {
            let is_one = |joint: &&usize| {
                let name = rig.name(**joint).unwrap_or_default();
                words(name).iter().any(|word| wanted.contains(&word.as_str()))
            };
            rig.joints.iter().find(is_one).copied()
        };
        let is_left = |joint: &usize| {
            rig.name(*joint).is_some_and(|name| BodySide::of_name(name) == BodySide::Left)
        };
        let left = rig.joints.iter().copied().filter(is_left);
        let pairs = left.filter_map(|joint| Some((joint, rig.other_side[joint]?)));
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let left: Vec3 = pairs.iter().map(|(left, right)| place(*left) - place(*right)).sum();
        let hips = by_name(&["hips", "hip", "pelvis"])
            .or_else(|| rig.joints.iter().copied().min_by_key(|joint| rig.depth[*joint]));
        let head = ["head", "neck", "chest", "spine"].iter().find_map(|word| by_name(&[word]));
        let up = hips.zip(head).map(|(hips, head)| place(head) - place(hips));
        let left = (!pairs.is_empty()).then_some(left);
        Self { up, left }
    }

    fn facing(&self) -> Option<Vec3> {
        let (up, left) = (self.up?.try_normalize()?, self.left?);
        Some((left - left.dot(up) * up).cross(up))
    }
}
