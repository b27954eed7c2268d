//! The rule of vertices far outside of their mesh: VERTEX_FAR.

use glam::Vec3;
use rayon::prelude::*;

use super::mesh::mesh_called;
use super::rig::{Rig, median};
use super::{Code, Finding};
use rigview_model::{Aabb, Mesh};

pub(super) fn findings(rig: &Rig) -> Vec<Finding> {
    let meshes = rig.model.meshes.par_iter().enumerate();
    meshes.filter_map(|(index, mesh)| of_mesh(rig, index, mesh)).collect()
}

fn of_mesh(rig: &Rig, index: usize, mesh: &Mesh) -> Option<Finding> {
    let diagonals = rig.threshold(Code::VertexFar);
    let Far { primitive, vertex, distance, diagonal } = far_vertex(mesh, diagonals)?;
    let text = format!(
        "vertex {vertex} of primitive {primitive} of {} lies {:.1} times the size of the others outside of them",
        mesh_called(rig, index),
        distance / diagonal
    );
    let metres = rig.metres_per_mesh_unit(index);
    let finding = Finding::new(Code::VertexFar, text).of(mesh.name.as_deref());
    let finding = finding.measured(metres * distance, "m").limited(metres * diagonals * diagonal);
    Some(finding.at(format!("/meshes/{index}/primitives/{primitive}")))
}

/// A vertex far outside of its mesh.
struct Far {
    primitive: usize,
    /// The index in the file.
    vertex: u32,
    distance: f64,
    /// The diagonal of the box of the other vertices.
    diagonal: f64,
}

/// Places that are far outside, at most: more of them are a part of the mesh.
const MOST_PLACES: usize = 3;

/// The furthest vertex must be this many times as far from the middle as vertices are on average, before the box of the
/// others is measured.
const SUSPECT: f64 = 4.0;

/// Returns a vertex that lies outside of the box of the others by more than some diagonals of it. A few may lie there.
fn far_vertex(mesh: &Mesh, diagonals: f64) -> Option<Far> {
    let vertices = || {
        mesh.primitives.iter().enumerate().flat_map(|(i, primitive)| {
            let places = primitive.vertices.iter().enumerate();
            let places = places.map(move |(v, vertex)| (i, v, Vec3::from(vertex.position)));
            places.filter(|(.., at)| at.is_finite())
        })
    };
    let middle = middle(mesh)?;
    let (mut sum, mut count) = (0.0, 0);
    for (.., at) in vertices() {
        sum += f64::from(at.distance(middle));
        count += 1;
    }
    let mean = sum / f64::from(count.max(1));
    let mut removed: Vec<Vec3> = Vec::new();
    while removed.len() < MOST_PLACES {
        let others = vertices().filter(|(.., at)| !removed.contains(at));
        let far = others.max_by(|a, b| a.2.distance(middle).total_cmp(&b.2.distance(middle)))?;
        if f64::from(far.2.distance(middle)) < SUSPECT * mean {
            return None;
        }
        removed.push(far.2);
        let mut rest = Aabb::EMPTY;
        vertices().filter(|(.., at)| !removed.contains(at)).for_each(|(.., at)| rest.add(at));
        if rest.is_empty() {
            return None;
        }
        let diagonal = f64::from(rest.size().length());
        let outside = far.2 - far.2.clamp(rest.min, rest.max);
        let distance = f64::from(outside.length());
        let primitive = &mesh.primitives[far.0];
        let is_drawn = || primitive.indices.contains(&(far.1 as u32));
        if diagonal > 0.0 && distance > diagonals * diagonal && is_drawn() {
            let vertex = primitive.index_in_file(far.1 as u32);
            return Some(Far { primitive: far.0, vertex, distance, diagonal });
        }
    }
    None
}

/// Returns the median place of some vertices, which strays do not move.
fn middle(mesh: &Mesh) -> Option<Vec3> {
    const SAMPLES: usize = 101;
    let all: usize = mesh.primitives.iter().map(|primitive| primitive.vertices.len()).sum();
    let vertices = mesh.primitives.iter().flat_map(|primitive| &primitive.vertices);
    let places = vertices.step_by((all / SAMPLES).max(1)).map(|vertex| Vec3::from(vertex.position));
    let places: Vec<Vec3> = places.filter(|at| at.is_finite()).collect();
    let along = |axis: usize| {
        let middle = median(places.iter().map(|at| f64::from(at[axis])).collect());
        middle.map(|middle| middle as f32)
    };
    Some(Vec3::new(along(0)?, along(1)?, along(2)?))
}
