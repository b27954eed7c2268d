//! The rule of triangles with normals on their other side: WINDING_ODD.

use glam::Vec3;
use rayon::prelude::*;

use super::mesh::mesh_called;
use super::rig::Rig;
use super::{Code, Finding};
use rigview_model::{Primitive, Topology};

pub(super) fn findings(rig: &Rig) -> Vec<Finding> {
    let meshes = rig.model.meshes.par_iter().enumerate();
    let primitives = meshes.flat_map_iter(|(index, mesh)| {
        mesh.primitives.iter().enumerate().map(move |(i, primitive)| (index, i, primitive))
    });
    primitives.filter_map(|(mesh, i, primitive)| of_primitive(rig, mesh, i, primitive)).collect()
}

fn of_primitive(rig: &Rig, mesh: usize, index: usize, primitive: &Primitive) -> Option<Finding> {
    let limit = rig.threshold(Code::WindingOdd);
    let (odd, all) = odd_windings(primitive);
    let share = odd as f64 / all.max(1) as f64;
    let text = format!(
        "{odd} of {all} triangles of primitive {index} of {} have normals on their other side",
        mesh_called(rig, mesh)
    );
    let finding =
        || Finding::new(Code::WindingOdd, text).of(rig.model.meshes[mesh].name.as_deref());
    (share > limit).then(|| {
        let finding = finding().measured(share, "share of the triangles").limited(limit);
        finding.at(format!("/meshes/{mesh}/primitives/{index}"))
    })
}

/// The least cosine between a normal and the other side of its triangle. Normals along the surface (a tube's at its lid)
/// are on neither side.
const BEHIND: f32 = 0.02;

/// Returns how many triangles have all three normals on their other side, and how many have an area.
fn odd_windings(primitive: &Primitive) -> (usize, usize) {
    let (mut odd, mut all) = (0, 0);
    let has_normals = primitive.attributes.iter().any(|name| name == "NORMAL");
    if !has_normals || primitive.mode.topology() != Topology::Triangles {
        return (odd, all);
    }
    for corners in primitive.indices.chunks_exact(3) {
        let corners = [corners[0], corners[1], corners[2]];
        let corners = corners.map(|corner| &primitive.vertices[corner as usize]);
        let [a, b, c] = corners.map(|vertex| Vec3::from(vertex.position));
        let Some(face) = (b - a).cross(c - a).try_normalize() else { continue };
        let cosines = corners.map(|vertex| face.dot(Vec3::from(vertex.normal)));
        all += 1;
        odd += usize::from(cosines.iter().all(|cosine| *cosine < -BEHIND));
    }
    (odd, all)
}
