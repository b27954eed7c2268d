//! Rules of the surface of meshes: VERTEX_FAR, WINDING_ODD.

use std::collections::HashSet;

use glam::Vec3;
use rayon::prelude::*;

use super::cards::card_triangles;
use super::mesh::mesh_called;
use super::rig::Rig;
use super::sides::turned_triangles;
use super::{Code, Finding};
use rigview_model::{Aabb, Mesh, MorphTarget, Primitive, Topology, short_name};

pub(super) fn findings(rig: &Rig) -> Vec<Finding> {
    let meshes = rig.model.meshes.par_iter().enumerate();
    meshes.flat_map_iter(|(index, mesh)| of_mesh(rig, index, mesh)).collect()
}

fn of_mesh(rig: &Rig, index: usize, mesh: &Mesh) -> Vec<Finding> {
    let (name, called) = (mesh.name.as_deref(), mesh_called(rig, index));
    let mut found = Vec::new();
    let diagonals = rig.threshold(Code::VertexFar);
    if let Some(far) = far_vertex(mesh, diagonals) {
        let Far { primitive, vertex, distance, diagonal } = far;
        let text = format!(
            "vertex {vertex} of primitive {primitive} of {called} lies {:.1} times the size of the others outside of them",
            distance / diagonal
        );
        let metres = rig.metres_per_mesh_unit(index);
        let finding = Finding::new(Code::VertexFar, text).of(name);
        let finding =
            finding.measured(metres * distance, "m").limited(metres * diagonals * diagonal);
        found.push(finding.at(format!("/meshes/{index}/primitives/{primitive}")));
    }
    found.extend(far_targets(rig, index, mesh));
    let limit = rig.threshold(Code::WindingOdd);
    for (i, primitive) in mesh.primitives.iter().enumerate() {
        let has_normals = primitive.attributes.iter().any(|name| name == "NORMAL");
        let (counts, how) = match has_normals {
            true => (odd_windings(rig, primitive), "have normals on their other side"),
            false => (turned_triangles(primitive), "are wound against their neighbours"),
        };
        let Some((odd, all)) = counts.filter(|(_, all)| *all > 0) else { continue };
        let share = odd as f64 / all as f64;
        if share > limit {
            let text = format!("{odd} of {all} triangles of primitive {i} of {called} {how}");
            let finding = Finding::new(Code::WindingOdd, text).of(name);
            let finding = finding.measured(share, "share of the triangles").limited(limit);
            found.push(finding.at(format!("/meshes/{index}/primitives/{i}")));
        }
    }
    found
}

/// A part that a morph target moves counts this many times as much as the whole mesh, if the target moves it by more than
/// this share of the mesh's diagonal.
const PART: f64 = 2.0;
const FAR_SHARE: f64 = 0.25;

/// A part of fewer vertices has no size. One whose vertices all move about as far, by this share of the furthest, is moved away as
/// a whole, as to hide it.
const LEAST_OF_PART: usize = 4;
const ALL_ALIKE: f64 = 0.9;

/// A part collapses if what is left of it is smaller than this share.
const COLLAPSED: f64 = 0.1;

/// Finds morph targets that move a vertex by more than some diagonals of the mesh, or of the part that they move. One finding
/// per target.
fn far_targets(rig: &Rig, index: usize, mesh: &Mesh) -> Vec<Finding> {
    let diagonals = rig.threshold(Code::VertexFar);
    let (diagonal, metres) = (mesh_diagonal(mesh), rig.metres_per_mesh_unit(index));
    if diagonals * diagonal <= 0.0 {
        return Vec::new();
    }
    let suspect = diagonal * diagonals.min(FAR_SHARE);
    let target = |target: usize| {
        let primitives = mesh.primitives.iter().enumerate();
        let far = primitives
            .filter(|(_, p)| p.bounds.targets.get(target).is_some_and(|b| longest(b) > suspect))
            .filter_map(|(i, primitive)| Some((i, furthest_delta(primitive.targets.get(target)?))));
        let (i, far) = far.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let (size, what) = match moved_part(mesh, target).filter(|_| far <= diagonals * diagonal) {
            Some(part) if far > FAR_SHARE * diagonal => (PART * part, "part that it moves"),
            _ => (diagonal, "mesh"),
        };
        if far <= diagonals * size {
            return None;
        }
        let named = mesh.target_names.get(target).filter(|name| !name.is_empty());
        let named = named.map_or_else(String::new, |name| format!(" \"{}\"", short_name(name)));
        let times = far / if what == "mesh" { size } else { size / PART };
        let text = format!(
            "morph target {target}{named} of {} moves a vertex by {times:.1} times the size of the {what}",
            mesh_called(rig, index),
        );
        let finding = Finding::new(Code::VertexFar, text).of(mesh.name.as_deref());
        let finding = finding.measured(metres * far, "m").limited(metres * diagonals * size);
        Some(finding.at(format!("/meshes/{index}/primitives/{i}/targets/{target}")))
    };
    (0..mesh.target_count()).filter_map(target).collect()
}

/// Returns the diagonal of the vertices that a morph target moves; `None` if they are few, all move about as far, or
/// collapse to a point, as what a target hides does.
fn moved_part(mesh: &Mesh, target: usize) -> Option<f64> {
    let (mut part, mut moved, mut count) = (Aabb::EMPTY, Aabb::EMPTY, 0);
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for primitive in &mesh.primitives {
        let Some(target) = primitive.targets.get(target) else { continue };
        for (vertex, delta) in primitive.vertices.iter().zip(&target.positions) {
            let length = f64::from(Vec3::from(*delta).length());
            if length > 0.0 && length.is_finite() {
                part.add(Vec3::from(vertex.position));
                moved.add(Vec3::from(vertex.position) + Vec3::from(*delta));
                (least, most, count) = (least.min(length), most.max(length), count + 1);
            }
        }
    }
    let size = f64::from(part.size().length());
    let collapses = f64::from(moved.size().length()) < COLLAPSED * size;
    let is_alike = least >= ALL_ALIKE * most;
    (count >= LEAST_OF_PART && !is_alike && !collapses && size > 0.0).then_some(size)
}

/// Returns the length of the longest vector in a box of vectors, or more.
pub(super) fn longest(deltas: &Aabb) -> f64 {
    let length = f64::from(deltas.min.abs().max(deltas.max.abs()).length());
    if deltas.is_empty() || !length.is_finite() { 0.0 } else { length }
}

/// Returns how far a morph target moves a vertex at most, in units of its mesh.
fn furthest_delta(target: &MorphTarget) -> f64 {
    let lengths = target.positions.iter().map(|delta| f64::from(Vec3::from(*delta).length()));
    lengths.filter(|length| length.is_finite()).fold(0.0, f64::max)
}

/// Returns the diagonal of a mesh without its morph targets, in its units; 0 if it draws nothing.
pub(super) fn mesh_diagonal(mesh: &Mesh) -> f64 {
    let mut all = Aabb::EMPTY;
    mesh.primitives.iter().filter_map(|p| p.bounds.rest.as_ref()).for_each(|rest| all.union(rest));
    if all.is_empty() { 0.0 } else { f64::from(all.size().length()) }
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
    let median = |axis: usize| {
        let mut values: Vec<f32> = places.iter().map(|at| at[axis]).collect();
        let middle = values.len() / 2;
        (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f32::total_cmp).1)
    };
    Some(Vec3::new(median(0)?, median(1)?, median(2)?))
}

/// The least cosine between a normal and the other side of its triangle. Normals along the surface (a tube's at its lid)
/// are on neither side.
const BEHIND: f32 = 0.02;

/// Returns how many triangles have all three normals on their other side, and how many have an area; `None` for a
/// primitive without triangles. Cards that are seen from both sides may have any normals.
fn odd_windings(rig: &Rig, primitive: &Primitive) -> Option<(usize, usize)> {
    if primitive.mode.topology() != Topology::Triangles {
        return None;
    }
    let material = primitive.material.and_then(|index| rig.model.materials.get(index));
    let cards = match material.is_some_and(|material| material.double_sided) {
        true => card_triangles(primitive),
        false => HashSet::new(),
    };
    let (mut odd, mut all) = (0, 0);
    for (index, corners) in primitive.indices.chunks_exact(3).enumerate() {
        if cards.contains(&index) {
            continue;
        }
        let corners = [corners[0], corners[1], corners[2]];
        let corners = corners.map(|corner| &primitive.vertices[corner as usize]);
        let [a, b, c] = corners.map(|vertex| Vec3::from(vertex.position));
        let face = (b - a).cross(c - a);
        let Some(face) = face.try_normalize() else { continue };
        let cosines = corners.map(|vertex| face.dot(Vec3::from(vertex.normal)));
        all += 1;
        odd += usize::from(cosines.iter().all(|cosine| *cosine < -BEHIND));
    }
    Some((odd, all))
}
