//! Finds the triangle, vertex and joint at a place of a posed primitive, given where a picture shows it.

use glam::{DVec3, Vec3};

use super::deform::morphed;
use super::surface::Ray;
use super::{DrawnPrimitive, FileVertex, Model, Primitive, Stage, Topology};

/// A primitive that a picture shows at a place, and the place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touched {
    /// The primitive and its node.
    pub drawn: DrawnPrimitive,
    /// Index of the node's instance, if it has instances.
    pub instance: Option<usize>,
    /// The ray through the place, away from the camera, in scene space. Its direction is of unit length.
    pub ray: Ray,
    /// Distance along the ray at which the picture shows the primitive.
    pub distance: f64,
}

/// The element of a primitive at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Indices of the triangle's corners into the primitive's vertices. A line repeats its second end, a point is
    /// there three times.
    pub corners: [u32; 3],
    /// The corners' shares in the place; their sum is 1.
    pub shares: [f64; 3],
    /// The corner that is nearest to the place.
    pub nearest: u32,
    /// The place in scene space.
    pub at: DVec3,
}

/// Of two triangles at the same distance, the one whose front is seen wins: the other one seems farther away by this
/// part of the distance.
const BACK: f64 = 1e-7;

impl Stage {
    /// Returns the element of a primitive at a place, in the present pose: the triangle that the ray meets at the
    /// given distance; the nearest line or point. Rounding may let the ray pass by the edge of the triangle that
    /// covers the pixel, and then it is the nearest vertex. `None` if there is no such primitive or instance.
    pub fn touch(&self, model: &Model, touched: &Touched) -> Option<Touch> {
        let Touched { drawn, distance, .. } = *touched;
        let mesh = model.meshes.get(model.nodes.get(drawn.node)?.mesh?)?;
        let primitive = mesh.primitives.get(drawn.primitive)?;
        let positions = self.posed_at_instance(model, touched)?;
        let ray = touched.ray.moved(-self.origin);
        let place = ray.at(distance);
        let found = match primitive.mode.topology() {
            Topology::Triangles => triangle(primitive, &positions, &ray, distance),
            Topology::Lines => line(primitive, &positions, place),
            Topology::Points => None,
        };
        let (corners, shares) = found.or_else(|| point(primitive, &positions, place))?;
        let corner = |i: usize| positions[corners[i] as usize].as_dvec3();
        let at: DVec3 = (0..3).map(|i| shares[i] * corner(i)).sum();
        let far = |i: &usize| corner(*i).distance_squared(at);
        let nearest = (0..3).min_by(|a, b| far(a).total_cmp(&far(b)))?;
        Some(Touch { corners, shares, nearest: corners[nearest], at: at + self.origin })
    }

    /// Returns the posed position of a vertex in scene space; `None` if there is no such vertex or instance.
    pub fn vertex_position(&self, model: &Model, vertex: FileVertex) -> Option<DVec3> {
        let FileVertex { drawn, instance, index } = vertex;
        let mesh = model.meshes.get(model.nodes.get(drawn.node)?.mesh?)?;
        let primitive = mesh.primitives.get(drawn.primitive)?;
        let vertex = primitive.vertex_of_file(index)?;
        let at = match instance {
            None => *self.deformed_at(model, drawn, &[vertex])?.first()?,
            Some(instance) => {
                let matrix = *model.nodes[drawn.node].instances.get(instance)?;
                let matrix = *self.world.world_from_node(drawn.node) * matrix;
                let weights = self.local.weights(drawn.node);
                matrix.transform_point3(morphed(primitive, vertex as usize, weights))
            }
        };
        at.is_finite().then(|| at.as_dvec3() + self.origin)
    }

    fn posed_at_instance(&self, model: &Model, touched: &Touched) -> Option<Vec<Vec3>> {
        let DrawnPrimitive { node, primitive } = touched.drawn;
        let Some(instance) = touched.instance else {
            return self.deformed(model, node, primitive);
        };
        let matrix =
            *self.world.world_from_node(node) * *model.nodes[node].instances.get(instance)?;
        let primitive = &model.meshes[model.nodes[node].mesh?].primitives[primitive];
        let weights = self.local.weights(node);
        let place = |v| matrix.transform_point3(morphed(primitive, v, weights));
        Some((0..primitive.vertices.len()).map(place).collect())
    }
}

impl Touch {
    /// Returns the joint with the largest weight at the place, as a node; `None` if the primitive is rigid there.
    pub fn heaviest_joint(&self, model: &Model, drawn: DrawnPrimitive) -> Option<usize> {
        let node = &model.nodes[drawn.node];
        let primitive = &model.meshes[node.mesh?].primitives[drawn.primitive];
        let (skin, influences) = (&model.skins[node.skin?], primitive.influences.as_ref()?);
        // All corners of a triangle are in one part.
        let part = primitive.parts.iter().find(|part| part.vertices.contains(&self.corners[0]))?;
        let mut sums = vec![0.0; part.joints.len()];
        for (corner, share) in self.corners.iter().zip(self.shares) {
            for set in influences.of_vertex(*corner as usize) {
                for (joint, weight) in set.joints.iter().zip(set.weights) {
                    if weight > 0.0 {
                        sums[usize::from(*joint)] += share * f64::from(weight);
                    }
                }
            }
        }
        let weighted = sums.iter().enumerate().filter(|(_, sum)| **sum > 0.0);
        let (joint, _) = weighted.min_by(|a, b| b.1.total_cmp(a.1))?;
        Some(skin.joints[usize::from(part.joints[joint])] as usize)
    }
}

impl Touched {
    /// Returns the vertex that is nearest to the place.
    pub fn nearest_vertex(&self, model: &Model, touch: &Touch) -> Option<FileVertex> {
        let DrawnPrimitive { node, primitive } = self.drawn;
        let mesh = &model.meshes[model.nodes[node].mesh?];
        let index = mesh.primitives[primitive].index_in_file(touch.nearest);
        Some(FileVertex { drawn: self.drawn, instance: self.instance, index })
    }
}

type Element = ([u32; 3], [f64; 3]);

/// Returns the triangle that the ray meets nearest to a distance.
fn triangle(
    primitive: &Primitive,
    positions: &[Vec3],
    ray: &Ray,
    distance: f64,
) -> Option<Element> {
    let mut best: Option<(f64, Element)> = None;
    for corners in primitive.indices.chunks_exact(3) {
        let corners = [corners[0], corners[1], corners[2]];
        let Some(met) = ray.crossing(corners.map(|i| positions[i as usize])) else { continue };
        let back = if met.front { 0.0 } else { BACK * distance };
        let off = (met.distance - distance).abs() + back;
        if best.is_none_or(|(least, _)| off < least) {
            let [u, v] = met.shares;
            best = Some((off, (corners, [1.0 - u - v, u, v])));
        }
    }
    best.map(|(_, element)| element)
}

/// Returns the line that is nearest to a place.
fn line(primitive: &Primitive, positions: &[Vec3], place: DVec3) -> Option<Element> {
    let lines = primitive.indices.chunks_exact(2).map(|ends| {
        let [a, b] = [ends[0], ends[1]].map(|i| positions[i as usize].as_dvec3());
        let along = b - a;
        let share = ((place - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let share = if share.is_nan() { 0.0 } else { share };
        let off = (a + share * along).distance_squared(place);
        (off, ([ends[0], ends[1], ends[1]], [1.0 - share, share, 0.0]))
    });
    let finite = lines.filter(|(off, _)| off.is_finite());
    finite.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, element)| element)
}

/// Returns the drawn vertex that is nearest to a place.
fn point(primitive: &Primitive, positions: &[Vec3], place: DVec3) -> Option<Element> {
    let off = |i: u32| positions[i as usize].as_dvec3().distance_squared(place);
    let drawn = primitive.indices.iter().copied().filter(|i| off(*i).is_finite());
    let nearest = drawn.min_by(|a, b| off(*a).total_cmp(&off(*b)))?;
    Some(([nearest; 3], [1.0, 0.0, 0.0]))
}
