//! Rules of meshes and of the joints that they use: JOINT_UNUSED, JOINTS_MANY, TRIANGLES_FLAT.

use super::rig::Rig;
use super::{Code, Finding};
use rigview_model::{Mode, Primitive, Topology, short_name};
use rigview_report::counted;

/// The height of a flat triangle, relative to its longest edge, at most.
const FLAT: f64 = 1e-6;

pub(super) fn findings(rig: &Rig) -> Vec<Finding> {
    let mut found = unused_joints(rig);
    let [many, few] = [Code::JointsMany, Code::TrianglesFlat].map(|code| rig.threshold(code));
    for (index, mesh) in rig.model.meshes.iter().enumerate() {
        let name = mesh.name.as_deref();
        let called = mesh_called(rig, index);
        for (i, primitive) in mesh.primitives.iter().enumerate() {
            let joints = primitive.bounds.joints.len() as f64;
            if joints > many {
                let text = format!("primitive {i} of {called} uses {joints} joints");
                let finding = Finding::new(Code::JointsMany, text).of(name);
                let finding = finding.measured(joints, "joints").limited(many);
                found.push(finding.at(format!("/meshes/{index}/primitives/{i}")));
            }
        }
        let flat: usize = mesh.primitives.iter().map(|it| flat_triangles(it).len()).sum();
        if flat as f64 > few {
            let text = format!("{} of {called} without area", counted(flat, "triangle"));
            let finding = Finding::new(Code::TrianglesFlat, text).of(name);
            let finding = finding.measured(flat as f64, "triangles").limited(few);
            found.push(finding.at(format!("/meshes/{index}")));
        }
    }
    found
}

/// Returns a mesh's name in quotes, or its number.
pub(super) fn mesh_called(rig: &Rig, mesh: usize) -> String {
    let name = rig.model.meshes[mesh].name.as_deref().filter(|name| !name.is_empty());
    name.map_or_else(|| format!("mesh {mesh}"), |name| format!("mesh \"{}\"", short_name(name)))
}

/// Joints of skins that no mesh uses are not judged: such a file carries a skeleton or clips only. A joint that carries
/// a rigid mesh, a camera or a light is used, and so is one whose weights in the file are too small to be kept.
fn unused_joints(rig: &Rig) -> Vec<Finding> {
    let model = rig.model;
    let mut judged = vec![false; model.nodes.len()];
    for node in &model.nodes {
        let Some((mesh, skin)) = node.mesh.zip(node.skin) else { continue };
        if model.meshes[mesh].primitives.iter().any(|primitive| primitive.influences.is_some()) {
            let joints = &model.skins[skin].joints;
            joints.iter().for_each(|joint| judged[*joint as usize] = true);
        }
    }
    let idle = rig.joints.iter().filter(|joint| judged[**joint] && !rig.moves_seen[**joint]);
    idle.map(|&joint| {
        let text = format!("joint {} moves no vertex", rig.called(joint));
        Finding::new(Code::JointUnused, text).at(format!("/nodes/{joint}")).of(rig.name(joint))
    })
    .collect()
}

/// Returns the triangles without area in any pose, by their vertices in the file. In strips, triangles that use a vertex
/// twice only join two rows; they don't count.
pub fn flat_triangles(primitive: &Primitive) -> Vec<[u32; 3]> {
    if primitive.mode.topology() != Topology::Triangles {
        return Vec::new();
    }
    let is_strip = primitive.mode == Mode::TriangleStrip;
    let source = |vertex: u32| match &primitive.source_vertex {
        Some(source) => source[vertex as usize],
        None => vertex,
    };
    let triangles = primitive.indices.chunks_exact(3).filter_map(|corners| {
        let corners = [corners[0], corners[1], corners[2]];
        let [a, b, c] = corners.map(source);
        let joins = is_strip && (a == b || b == c || c == a);
        (!joins && stays_flat(primitive, corners)).then_some([a, b, c])
    });
    triangles.collect()
}

/// Whether a triangle has no area, and neither a joint nor a morph target can give it one.
fn stays_flat(primitive: &Primitive, corners: [u32; 3]) -> bool {
    let [a, b, c] = corners.map(|vertex| vertex as usize);
    let place = |vertex: usize| primitive.vertices[vertex].position;
    let is_one = |a: usize, b: usize| place(a) == place(b) && moves_alike(primitive, a, b);
    is_flat([a, b, c].map(place))
        && (is_one(a, b)
            || is_one(b, c)
            || is_one(c, a)
            || (moves_alike(primitive, a, b) && moves_alike(primitive, a, c)))
}

/// Whether two vertices of a triangle have the same weights of the same joints, and morph targets move them by the same.
fn moves_alike(primitive: &Primitive, a: usize, b: usize) -> bool {
    let weights = |vertex: usize| {
        let sets = primitive.influences.iter().flat_map(move |all| all.of_vertex(vertex));
        let pairs = sets.flat_map(|set| set.joints.into_iter().zip(set.weights));
        // The joint of a weight of 0 does not matter.
        pairs.filter(|(_, weight)| *weight != 0.0)
    };
    let mut targets = primitive.targets.iter().map(|target| &target.positions);
    a == b || (weights(a).eq(weights(b)) && targets.all(|deltas| deltas.get(a) == deltas.get(b)))
}

/// Whether a triangle has no area.
fn is_flat(corners: [[f32; 3]; 3]) -> bool {
    let [a, b, c] = corners.map(|at| glam::Vec3::from(at).as_dvec3());
    let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
    // Twice the area is the longest edge times the height on it.
    (b - a).cross(c - a).length() <= FLAT * longest
}
