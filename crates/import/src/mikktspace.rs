//! Tangents of a triangle mesh by MikkTSpace, which normal maps are baked with (Mikkelsen,
//! "Simulation of Wrinkled Surfaces Revisited", 2008, and its reference implementation).
//!
//! Triangles that share an edge and whose textures have the same orientation (mirrored or not) form
//! a group at each vertex they share. The group's tangent is the mean of theirs, weighted by the
//! angles at the vertex. This implementation does not recurse, and its time is bounded by that of
//! sorting the edges, whatever the mesh.

use std::collections::VecDeque;

use glam::{Vec2, Vec3};
use hashbrown::HashMap;

use rigview_model::Vertex;

/// Marks a missing index.
const NONE: u32 = u32::MAX;

/// Groups with more triangles are averaged without separating opposite directions: that takes
/// quadratic time, and a single triangle hardly affects the mean.
const MANY: usize = 64;

/// The tangents of a mesh, and the index of each corner's.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Tangents {
    /// Directions of unit length, and the handedness: 1 if the bitangent is the cross product of
    /// normal and tangent.
    pub list: Vec<[f32; 4]>,
    /// By corner, three per triangle: index into `list`, or [`NONE`].
    pub of_corner: Vec<u32>,
}

impl Tangents {
    /// Returns a corner's tangent; zero if it has none because U has no direction there.
    pub fn at(&self, corner: usize) -> [f32; 4] {
        self.list.get(self.of_corner[corner] as usize).copied().unwrap_or([0.0; 4])
    }
}

/// A triangle.
#[derive(Clone, Copy, Debug)]
struct Face {
    /// Directions in which U and V increase, of unit length; zero if they are constant.
    along_u: Vec3,
    along_v: Vec3,
    /// Whether two corners are at the same position.
    degenerate: bool,
    /// Whether its texture has no direction: it may join any group.
    loose: bool,
    /// Whether its texture is not mirrored.
    upright: bool,
}

/// How triangles are connected.
struct Topology<'a> {
    /// The vertices of each face.
    corners: &'a [[u32; 3]],
    /// The faces across the edge that begins at each corner, or [`NONE`].
    neighbors: &'a [[u32; 3]],
}

/// A corner of a face: 0 to 2.
#[derive(Clone, Copy)]
struct Corner {
    face: usize,
    corner: usize,
}

/// Computes the tangents of triangles along the U axis of `uvs` (one per vertex, V up).
///
/// # Panics
/// When an index is out of range, or the number of coordinates is not that of the vertices.
pub(super) fn tangents(vertices: &[Vertex], uvs: &[Vec2], indices: &[u32]) -> Tangents {
    let first = welded(vertices, uvs);
    let corners: Vec<u32> = indices.iter().map(|i| first[*i as usize]).collect();
    drop(first);
    let (corners, _) = corners.as_chunks::<3>();
    let mut faces: Vec<Face> = corners.iter().map(|c| face(vertices, uvs, *c)).collect();
    let neighbors = neighbors(vertices.len(), corners, &faces);
    let topology = Topology { corners, neighbors: &neighbors };
    let mut tangents = Tangents { list: Vec::new(), of_corner: vec![NONE; 3 * corners.len()] };
    let mut group = Group::default();
    for f in 0..corners.len() {
        for c in 0..3 {
            let taken = tangents.of_corner[3 * f + c] != NONE;
            if !taken && !faces[f].loose && !faces[f].degenerate {
                group.gather(Corner { face: f, corner: c }, &mut faces, &topology, &mut tangents);
                group.average(vertices, corners, &faces, &mut tangents);
            }
        }
    }
    // Degenerate triangles use the tangent of the first sound triangle at the same vertex.
    if faces.iter().any(|face| face.degenerate) {
        let mut sound = vec![NONE; vertices.len()];
        for (f, _) in faces.iter().enumerate().filter(|(_, face)| !face.degenerate).rev() {
            (0..3).for_each(|c| sound[corners[f][c] as usize] = (3 * f + c) as u32);
        }
        for (f, _) in faces.iter().enumerate().filter(|(_, face)| face.degenerate) {
            for (c, vertex) in corners[f].iter().enumerate() {
                let from = tangents.of_corner.get(sound[*vertex as usize] as usize);
                tangents.of_corner[3 * f + c] = from.copied().unwrap_or(NONE);
            }
        }
    }
    tangents
}

/// Returns, for each vertex, the first one with the same position, normal and coordinates.
fn welded(vertices: &[Vertex], uvs: &[Vec2]) -> Vec<u32> {
    let mut first: HashMap<[u32; 8], u32> = HashMap::with_capacity(vertices.len());
    let number = |((i, vertex), uv): ((usize, &Vertex), &Vec2)| {
        let ([px, py, pz], [nx, ny, nz]) = (vertex.position, vertex.normal);
        // Maps -0 to 0.
        let key = [px, py, pz, nx, ny, nz, uv.x, uv.y].map(|x| (x + 0.0).to_bits());
        *first.entry(key).or_insert(i as u32)
    };
    vertices.iter().enumerate().zip(uvs).map(number).collect()
}

fn face(vertices: &[Vertex], uvs: &[Vec2], corners: [u32; 3]) -> Face {
    let [a, b, c] = corners.map(|v| Vec3::from(vertices[v as usize].position));
    let [uv_a, uv_b, uv_c] = corners.map(|v| uvs[v as usize]);
    let (ab, ac, uv_ab, uv_ac) = (b - a, c - a, uv_b - uv_a, uv_c - uv_a);
    let area = uv_ab.perp_dot(uv_ac);
    let sign = if area > 0.0 { 1.0 } else { -1.0 };
    let (u, v) = (uv_ac.y * ab - uv_ab.y * ac, uv_ab.x * ac - uv_ac.x * ab);
    let grows = |way: Vec3| way.length() / area.abs() > f32::MIN_POSITIVE;
    Face {
        along_u: sign * unit(u),
        along_v: sign * unit(v),
        degenerate: a == b || b == c || c == a,
        loose: !(area.abs() > f32::MIN_POSITIVE && grows(u) && grows(v)),
        upright: area > 0.0,
    }
}

/// Returns a vector at unit length; zero if it has no direction.
fn unit(v: Vec3) -> Vec3 {
    let size = v.length();
    if size > 0.0 && size.is_finite() { v * (1.0 / size) } else { Vec3::ZERO }
}

/// Projects a direction onto the plane of a normal, at unit length.
fn on_plane(v: Vec3, normal: Vec3) -> Vec3 {
    unit(v - normal.dot(v) * normal)
}

/// Returns, by corner, the face across the edge to the next corner. If more than two faces share an
/// edge, they are paired in face order.
fn neighbors(vertices: usize, corners: &[[u32; 3]], faces: &[Face]) -> Vec<[u32; 3]> {
    let edge = |at: u32| {
        let [face, corner] = [at / 3, at % 3].map(|i| i as usize);
        (corners[face][corner], corners[face][(corner + 1) % 3])
    };
    // All edges sorted by their lower vertex, then in face order.
    let edges = || {
        let sound = faces.iter().enumerate().filter(|(_, face)| !face.degenerate);
        sound.flat_map(|(f, _)| (0..3).map(move |c| (3 * f + c) as u32))
    };
    let lower = |at: u32| {
        let (from, to) = edge(at);
        from.min(to) as usize
    };
    let mut ends = vec![0u32; vertices + 1];
    edges().for_each(|at| ends[lower(at) + 1] += 1);
    for v in 0..vertices {
        ends[v + 1] += ends[v];
    }
    let mut list = vec![0u32; ends[vertices] as usize];
    let mut next = ends.clone();
    for at in edges() {
        let place = &mut next[lower(at)];
        list[*place as usize] = at;
        *place += 1;
    }
    drop(next);
    let mut neighbors = vec![[NONE; 3]; corners.len()];
    // The faces of the current edge that are not paired yet: all have the same direction.
    let mut waiting: VecDeque<u32> = VecDeque::new();
    for v in 0..vertices {
        let here = &mut list[ends[v] as usize..ends[v + 1] as usize];
        let upper = |at: u32| {
            let (from, to) = edge(at);
            from.max(to)
        };
        here.sort_unstable_by_key(|at| (upper(*at), *at));
        for same in here.chunk_by(|a, b| upper(*a) == upper(*b)) {
            waiting.clear();
            for &at in same {
                let turned = |other: &u32| edge(*other).0 != edge(at).0;
                match waiting.front().copied().filter(turned) {
                    Some(other) => {
                        waiting.pop_front();
                        neighbors[at as usize / 3][at as usize % 3] = other / 3;
                        neighbors[other as usize / 3][other as usize % 3] = at / 3;
                    }
                    None => waiting.push_back(at),
                }
            }
        }
    }
    neighbors
}

/// Triangles that share a tangent at a vertex.
#[derive(Default)]
struct Group {
    /// Faces, with the index of the corner that is at the vertex.
    members: Vec<(u32, u8)>,
    waiting: Vec<u32>,
    /// The members' U and V directions, projected onto the plane of the vertex's normal.
    directions: Vec<[Vec3; 2]>,
}

impl Group {
    /// Collects the group of a corner that has none: all triangles reached across edges at the
    /// vertex. Assigns the index of the next tangent to all members.
    fn gather(
        &mut self,
        Corner { face, corner }: Corner,
        faces: &mut [Face],
        &Topology { corners, neighbors }: &Topology,
        tangents: &mut Tangents,
    ) {
        let (vertex, upright) = (corners[face][corner], faces[face].upright);
        let number = tangents.list.len() as u32;
        self.members.clear();
        self.waiting.clear();
        self.waiting.push(face as u32);
        while let Some(at) = self.waiting.pop() {
            let f = at as usize;
            let Some(c) = corners[f].iter().position(|v| *v == vertex) else { continue };
            let of_face = &mut tangents.of_corner[3 * f..3 * f + 3];
            if of_face[c] != NONE {
                continue;
            }
            if faces[f].loose && of_face.iter().all(|group| *group == NONE) {
                // The first group that it joins decides its orientation.
                faces[f].upright = upright;
            }
            if faces[f].upright != upright {
                continue;
            }
            of_face[c] = number;
            self.members.push((at, c as u8));
            let beside = [neighbors[f][c], neighbors[f][(c + 2) % 3]];
            self.waiting.extend(beside.iter().filter(|other| **other != NONE));
        }
    }

    /// Computes the group's tangent. If members have opposite directions, each gets the mean of
    /// those that are not opposite to its own, so there are several tangents.
    fn average(
        &mut self,
        vertices: &[Vertex],
        corners: &[[u32; 3]],
        faces: &[Face],
        tangents: &mut Tangents,
    ) {
        self.members.sort_unstable();
        let Some(&(face, corner)) = self.members.first() else { return };
        let vertex = &vertices[corners[face as usize][usize::from(corner)] as usize];
        let normal = Vec3::from(vertex.normal);
        let directions = self.members.iter().map(|(f, _)| {
            let Face { along_u, along_v, .. } = faces[*f as usize];
            [on_plane(along_u, normal), on_plane(along_v, normal)]
        });
        self.directions.clear();
        self.directions.extend(directions);
        let loose = |i: usize| faces[self.members[i].0 as usize].loose;
        let together = |i: usize, j: usize| {
            let ([u, v], [other_u, other_v]) = (self.directions[i], self.directions[j]);
            i == j || loose(i) || loose(j) || (u.dot(other_u) > -1.0 && v.dot(other_v) > -1.0)
        };
        let mean = |counts: &dyn Fn(usize) -> bool| {
            let mut sum = Vec3::ZERO;
            for i in (0..self.members.len()).filter(|i| !loose(*i) && counts(*i)) {
                let (f, c) = (self.members[i].0 as usize, usize::from(self.members[i].1));
                let at = |c: usize| Vec3::from(vertices[corners[f][c % 3] as usize].position);
                let [next, before] = [c + 1, c + 2].map(|to| on_plane(at(to) - at(c), normal));
                sum += next.dot(before).clamp(-1.0, 1.0).acos() * self.directions[i][0];
            }
            let first = faces[face as usize].upright;
            unit(sum).extend(if first { 1.0 } else { -1.0 }).to_array()
        };
        let all = 0..self.members.len();
        let is_one = all.len() > MANY || all.clone().all(|i| (0..i).all(|j| together(i, j)));
        tangents.list.push(mean(&|i| is_one || together(0, i)));
        if is_one {
            return;
        }
        let first = tangents.list.len() - 1;
        for i in all.skip(1) {
            let tangent = mean(&|j| together(i, j));
            let (f, c) = (self.members[i].0 as usize, usize::from(self.members[i].1));
            let known = tangents.list[first..].iter().position(|known| *known == tangent);
            let number = known.map_or(tangents.list.len(), |at| first + at);
            if known.is_none() {
                tangents.list.push(tangent);
            }
            tangents.of_corner[3 * f + c] = number as u32;
        }
    }
}
