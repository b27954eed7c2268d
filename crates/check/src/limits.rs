//! The rule of numbers that a contract limits: LIMIT.

use std::collections::HashSet;

use super::rig::Rig;
use super::{Code, Finding, Limits};
use rigview_model::{Model, Primitive, Topology};

/// Returns the number of vertices of all meshes. Primitives that share their vertices, as several materials of a mesh do in many
/// files, count once.
fn vertices(model: &Model) -> u64 {
    let mut seen = HashSet::new();
    let all = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let own = all.filter(|p| p.source_positions.is_none_or(|positions| seen.insert(positions)));
    own.map(|p| u64::from(p.source_vertices)).sum()
}

pub(super) fn findings(rig: &Rig, bytes: Option<u64>, limits: &Limits) -> Vec<Finding> {
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
