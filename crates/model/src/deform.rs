//! Morphing and skinning on the CPU, as in `shaders/skin.wgsl`.

use glam::{Affine3A, Mat4, Vec3};

use super::{DrawnPrimitive, Influence, Model, Primitive, Stage};
use rigview_anim::Skin;

impl Stage {
    /// Returns the posed positions of a primitive's vertices, relative to `origin`, at the node itself and
    /// not at its instances. `None` if the node has no mesh.
    pub fn deformed(&self, model: &Model, node: usize, primitive: usize) -> Option<Vec<Vec3>> {
        let mut out = Vec::new();
        let all = |p: &Primitive| 0..p.vertices.len() as u32;
        self.deform(model, DrawnPrimitive { node, primitive }, all, |at| out.push(at))?;
        Some(out)
    }

    /// Returns the posed positions of some vertices, given by increasing indices; otherwise like
    /// [`Stage::deformed`].
    pub fn deformed_at(
        &self,
        model: &Model,
        drawn: DrawnPrimitive,
        vertices: &[u32],
    ) -> Option<Vec<Vec3>> {
        let mut out = Vec::with_capacity(vertices.len());
        let some = |_: &Primitive| vertices.iter().copied();
        self.deform(model, drawn, some, |at| out.push(at))?;
        Some(out)
    }

    /// Calls `each` with the posed positions of a primitive's outermost vertices, at each of these
    /// instances, or at the node itself if there are none.
    pub fn outermost(
        &self,
        model: &Model,
        drawn: DrawnPrimitive,
        instances: &[Affine3A],
        mut each: impl FnMut(Vec3),
    ) {
        let DrawnPrimitive { node, primitive } = drawn;
        let Some(mesh) = model.nodes[node].mesh.filter(|_| !instances.is_empty()) else {
            let outermost = |p: &Primitive| p.bounds.outermost.clone().into_iter();
            let _ = self.deform(model, drawn, outermost, each);
            return;
        };
        let primitive = &model.meshes[mesh].primitives[primitive];
        let world_from_node = *self.world.world_from_node(node);
        for vertex in &primitive.bounds.outermost {
            let at = morphed(primitive, *vertex as usize, self.local.weights(node));
            for instance in instances {
                each((world_from_node * *instance).transform_point3(at));
            }
        }
    }

    /// Calls `each` with the posed positions of the outermost points that textures leave visible; otherwise like
    /// [`Stage::outermost`].
    pub fn outermost_seen(
        &self,
        model: &Model,
        drawn: DrawnPrimitive,
        instances: &[Affine3A],
        mut each: impl FnMut(Vec3),
    ) {
        let Some(mesh) = model.nodes[drawn.node].mesh else { return };
        let primitive = &model.meshes[mesh].primitives[drawn.primitive];
        let Some(points) = &primitive.bounds.seen else {
            return self.outermost(model, drawn, instances, each);
        };
        let mut corners: Vec<u32> = points.iter().flat_map(|point| point.corners).collect();
        corners.sort_unstable();
        corners.dedup();
        let places = if instances.is_empty() {
            self.deformed_at(model, drawn, &corners).unwrap_or_default()
        } else {
            primitive.morphed(&corners, self.local.weights(drawn.node))
        };
        let place = |vertex: u32| places[corners.partition_point(|corner| *corner < vertex)];
        let world_from_node = *self.world.world_from_node(drawn.node);
        for at in points.iter().map(|point| point.interpolate(place)) {
            if instances.is_empty() {
                each(at);
            }
            instances
                .iter()
                .for_each(|instance| each((world_from_node * *instance).transform_point3(at)));
        }
    }

    /// Poses the vertices that `which` returns, in increasing order.
    fn deform<I: Iterator<Item = u32>>(
        &self,
        model: &Model,
        DrawnPrimitive { node, primitive }: DrawnPrimitive,
        which: impl FnOnce(&Primitive) -> I,
        mut each: impl FnMut(Vec3),
    ) -> Option<()> {
        let mesh = &model.meshes[model.nodes[node].mesh?];
        let primitive = &mesh.primitives[primitive];
        let weights = self.local.weights(node);
        let skin = model.nodes[node].skin.filter(|_| primitive.influences.is_some());
        let world_from_node = self.world.world_from_node(node);
        let mut wanted = which(primitive).peekable();
        for part in &primitive.parts {
            if wanted.peek().is_none_or(|v| *v >= part.vertices.end) {
                continue;
            }
            let skin = skin.map(|skin| &model.skins[skin]).filter(|_| !part.joints.is_empty());
            let joint = |skin: &Skin, joint: u16| {
                Mat4::from(skin.joint_matrix(usize::from(joint), &self.world))
            };
            // For few vertices, computing the whole palette is not worth it.
            let is_whole = wanted.size_hint().0 >= part.joints.len();
            let palette: Vec<Mat4> = skin.filter(|_| is_whole).map_or_else(Vec::new, |skin| {
                part.joints.iter().map(|index| joint(skin, *index)).collect()
            });
            while let Some(vertex) = wanted.next_if(|v| *v < part.vertices.end) {
                let vertex = vertex as usize;
                let at = morphed(primitive, vertex, weights);
                let Some(skin) = skin else {
                    each(world_from_node.transform_point3(at));
                    continue;
                };
                let sets = primitive.influences.iter().flat_map(|i| i.of_vertex(vertex));
                let matrix = blended(joint_weights(sets), |index| match palette.get(index) {
                    Some(matrix) => *matrix,
                    None => joint(skin, part.joints[index]),
                });
                each(matrix.transform_point3(at));
            }
        }
        Some(())
    }
}

impl Primitive {
    /// Returns the positions of some vertices in the mesh's space, with these morph weights.
    #[inline]
    pub(super) fn morphed(&self, vertices: &[u32], weights: &[f32]) -> Vec<Vec3> {
        vertices.iter().map(|vertex| morphed(self, *vertex as usize, weights)).collect()
    }
}

/// Returns a vertex position plus the weighted deltas of the morph targets.
#[inline]
pub(super) fn morphed(primitive: &Primitive, vertex: usize, weights: &[f32]) -> Vec3 {
    let mut at = Vec3::from(primitive.vertices[vertex].position);
    for (target, weight) in primitive.targets.iter().zip(weights) {
        if let Some(delta) = target.positions.get(vertex)
            && *weight != 0.0
        {
            at += *weight * Vec3::from(*delta);
        }
    }
    at
}

/// Returns the joints of a vertex, as indices into those of its part, with weights other than 0.
#[inline]
pub(super) fn joint_weights<'a>(
    sets: impl IntoIterator<Item = &'a Influence>,
) -> impl Iterator<Item = (usize, f32)> {
    let pairs = sets.into_iter().flat_map(|set| set.joints.into_iter().zip(set.weights));
    pairs.filter(|(_, weight)| *weight != 0.0).map(|(joint, weight)| (usize::from(joint), weight))
}

/// Returns the weighted sum of joint matrices; zero for a vertex without joints.
#[inline]
pub(super) fn blended(
    mut influences: impl Iterator<Item = (usize, f32)>,
    matrix: impl Fn(usize) -> Mat4,
) -> Mat4 {
    let Some((joint, weight)) = influences.next() else { return Mat4::ZERO };
    influences.fold(weight * matrix(joint), |sum, (joint, weight)| sum + weight * matrix(joint))
}
