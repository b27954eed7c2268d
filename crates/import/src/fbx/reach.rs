//! How far an error of a node's transform moves vertices.

use ufbx::{Matrix, Node, Scene};

use super::{shapes, skin};

/// Returns, for each FBX node, an upper bound of the distance of the vertices that it moves, in metres.
pub(super) fn reaches(scene: &Scene) -> Vec<f64> {
    let mut reach = vec![0.0f64; scene.nodes.len()];
    let place = |node: &Node| {
        let m = &node.node_to_world;
        glam::DVec3::new(m.m03, m.m13, m.m23)
    };
    for mesh in &scene.meshes {
        for node in &mesh.element.instances {
            let matrix = &node.geometry_to_world;
            let far = |vertex: &ufbx::Vec3| {
                let at = ufbx::transform_position(matrix, *vertex);
                (glam::DVec3::new(at.x, at.y, at.z) - place(node)).length()
            };
            let most = mesh.vertices.iter().map(far).filter(|x| x.is_finite()).fold(0.0, f64::max);
            let own = &mut reach[node.element.typed_id as usize];
            *own = own.max(most);
        }
        for cluster in skin::deformers(mesh).flat_map(|skin| &skin.clusters) {
            let Some(bone) = &cluster.bone_node else { continue };
            let far = |point: &u32| {
                let vertex = mesh.vertices.get(*point as usize)?;
                let at = ufbx::transform_position(&cluster.geometry_to_world, *vertex);
                Some((glam::DVec3::new(at.x, at.y, at.z) - place(bone)).length())
            };
            let all = cluster.vertices.iter().filter_map(far).filter(|x| x.is_finite());
            let own = &mut reach[bone.element.typed_id as usize];
            *own = all.fold(*own, f64::max);
        }
    }
    // Children follow their parents in the list.
    for node in scene.nodes.iter().rev() {
        let Some(parent) = &node.parent else { continue };
        let distance = (place(node) - place(parent)).length();
        let far = reach[node.element.typed_id as usize] + distance;
        let own = &mut reach[parent.element.typed_id as usize];
        if far.is_finite() {
            *own = own.max(far);
        }
    }
    reach
}

/// Returns, for each FBX node, the sum of numbers of nodes along the chain from a root to a leaf through it that has the
/// largest one.
pub(super) fn chain_sums(scene: &Scene, number: impl Fn(&Node) -> usize) -> Vec<usize> {
    let own: Vec<usize> = scene.nodes.iter().map(|node| number(node)).collect();
    let index = |node: &Node| node.element.typed_id as usize;
    let (mut above, mut below) = (own.clone(), vec![0; own.len()]);
    // Children follow their parents in the list.
    for node in &scene.nodes {
        if let Some(parent) = &node.parent {
            above[index(node)] += above[index(parent)];
        }
    }
    for node in scene.nodes.iter().rev() {
        if let Some(parent) = &node.parent {
            let sum = own[index(node)] + below[index(node)];
            let most = &mut below[index(parent)];
            *most = sum.max(*most);
        }
    }
    above.iter().zip(below).map(|(above, below)| above + below).collect()
}

/// Returns the largest scale of the space that a node's translation is in, at rest.
pub(super) fn parent_scale(node: &Node) -> f64 {
    let Some(parent) = &node.parent else { return 1.0 };
    largest_scale([&parent.node_to_world])
}

/// Returns the largest length of an axis of matrices; 1 if all are 0.
fn largest_scale<'a>(matrices: impl IntoIterator<Item = &'a Matrix>) -> f64 {
    let axes = |m: &Matrix| [[m.m00, m.m10, m.m20], [m.m01, m.m11, m.m21], [m.m02, m.m12, m.m22]];
    let length = |axis: [f64; 3]| axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    let lengths = matrices.into_iter().flat_map(axes).map(length);
    let most = lengths.filter(|x| x.is_finite()).fold(0.0, f64::max);
    if most > 0.0 { most } else { 1.0 }
}

/// Returns the length of the largest offset of a mesh's blend shapes, in metres at rest.
pub(super) fn largest_offset(mesh: &ufbx::Mesh) -> f64 {
    let shapes =
        shapes::channels(mesh).flat_map(|channel| &channel.keyframes).map(|key| &key.shape);
    let length = |v: &ufbx::Vec3| (v.x * v.x + v.y * v.y + v.z * v.z).sqrt();
    let all = shapes.flat_map(|shape| shape.position_offsets.iter().map(length));
    let nodes = mesh.element.instances.iter().map(|node| &node.geometry_to_world);
    let clusters = skin::deformers(mesh).flat_map(|skin| &skin.clusters);
    let scale = largest_scale(nodes.chain(clusters.map(|cluster| &cluster.geometry_to_world)));
    all.filter(|x| x.is_finite()).fold(0.0, f64::max) * scale
}
