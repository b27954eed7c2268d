//! Intersects rays with the surface of a posed scene, skinned and morphed as in pictures.

use glam::{Affine3A, DVec3, Vec3};

use super::deform::morphed;
use super::{Aabb, DrawnPrimitive, Model, Stage, Topology};

/// A ray. Distances along it are multiples of the length of `ahead`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// The point that it starts at.
    pub start: DVec3,
    /// Its direction.
    pub ahead: DVec3,
}

/// The place where a ray meets a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub distance: f64,
    /// Shares of the second and the third corner in the place; that of the first is the rest.
    pub shares: [f64; 2],
    /// Whether the ray meets the front: the corners are counter-clockwise.
    pub front: bool,
}

impl Stage {
    /// Returns the first point of the scene's triangles along a ray, in the scene's space. Hidden nodes
    /// and the back faces of single-sided materials are ignored. `variant` is the selected material
    /// variant.
    pub fn surface_along(
        &self,
        model: &Model,
        variant: Option<usize>,
        scene_ray: Ray,
    ) -> Option<DVec3> {
        let ray = scene_ray.moved(-self.origin);
        let mut nearest = f64::INFINITY;
        for &node in self.nodes.iter().filter(|node| self.visible[**node]) {
            let Some(mesh) = model.nodes[node].mesh else { continue };
            for (i, primitive) in model.meshes[mesh].primitives.iter().enumerate() {
                let bounds = self.primitive_bounds(model, node, i);
                if primitive.mode.topology() != Topology::Triangles || !ray.meets(&bounds) {
                    continue;
                }
                let material = primitive.material_in(variant).map(|m| &model.materials[m]);
                let double_sided = material.is_some_and(|m| m.double_sided);
                let drawn = DrawnPrimitive { node, primitive: i };
                self.for_each_posed(model, drawn, &ray, |positions, mirrored| {
                    let sides = match mirrored {
                        Some(mirrored) if !double_sided => Sides::Fronts { mirrored },
                        _ => Sides::Both,
                    };
                    nearest = nearest.min(ray.first(&primitive.indices, positions, sides));
                });
            }
        }
        nearest.is_finite().then(|| scene_ray.at(nearest))
    }

    /// Calls `each` with the posed vertices of a primitive, for each instance that the ray may meet, and
    /// with whether its matrix mirrors: `None` if that may differ between vertices.
    fn for_each_posed(
        &self,
        model: &Model,
        drawn: DrawnPrimitive,
        ray: &Ray,
        mut each: impl FnMut(&[Vec3], Option<bool>),
    ) {
        let DrawnPrimitive { node, primitive: number } = drawn;
        let Some(mesh) = model.nodes[node].mesh else { return };
        let primitive = &model.meshes[mesh].primitives[number];
        let skinned = model.nodes[node].skin.is_some() && primitive.influences.is_some();
        let world_from_node = *self.world.world_from_node(node);
        let mirrors = |matrix: &Affine3A| matrix.matrix3.determinant() < 0.0;
        let instances = &model.nodes[node].instances;
        if skinned || instances.is_empty() {
            let mirrored = if skinned {
                (!self.may_mirror()).then_some(false)
            } else {
                Some(mirrors(&world_from_node))
            };
            if let Some(positions) = self.deformed(model, node, number) {
                each(&positions, mirrored);
            }
            return;
        }
        let weights = self.local.weights(node);
        for instance in instances {
            let matrix = world_from_node * *instance;
            if ray.meets(&primitive.bounds.rigid(&matrix, weights)) {
                let place = |v| matrix.transform_point3(morphed(primitive, v, weights));
                let positions: Vec<Vec3> = (0..primitive.vertices.len()).map(place).collect();
                each(&positions, Some(mirrors(&matrix)));
            }
        }
    }
}

/// The sides of triangles that a ray can meet.
#[derive(Clone, Copy, Debug)]
enum Sides {
    Both,
    /// Triangles with counter-clockwise corners, or clockwise if they are mirrored.
    Fronts {
        mirrored: bool,
    },
}

impl Ray {
    /// Returns the point at a distance.
    pub fn at(self, distance: f64) -> DVec3 {
        self.start + distance * self.ahead
    }

    /// Returns the ray with its start moved by a vector.
    pub(super) fn moved(self, by: DVec3) -> Self {
        Self { start: self.start + by, ..self }
    }

    /// Whether the ray may meet the contents of a box.
    fn meets(&self, bounds: &Aabb) -> bool {
        // The margin keeps flat boxes; a box that overflows is left to the triangle test.
        let room = 1e-5 * f64::from((bounds.max - bounds.min).max_element().max(0.0));
        let (mut enter, mut leave) = (0.0f64, f64::INFINITY);
        for axis in 0..3 {
            let low = f64::from(bounds.min[axis]) - room - self.start[axis];
            let high = f64::from(bounds.max[axis]) + room - self.start[axis];
            if self.ahead[axis] == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return false;
                }
                continue;
            }
            let (a, b) = (low / self.ahead[axis], high / self.ahead[axis]);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        enter <= leave
    }

    /// Returns the distance to the first triangle; infinity if there is none.
    fn first(&self, indices: &[u32], positions: &[Vec3], sides: Sides) -> f64 {
        let mut nearest = f64::INFINITY;
        for corners in indices.chunks_exact(3) {
            let Some(crossing) = self.crossing([0, 1, 2].map(|i| positions[corners[i] as usize]))
            else {
                continue;
            };
            let is_met = match sides {
                Sides::Both => true,
                Sides::Fronts { mirrored } => crossing.front != mirrored,
            };
            if is_met {
                nearest = nearest.min(crossing.distance);
            }
        }
        nearest
    }

    /// Returns where the ray meets a triangle, if it does, from either side (Moeller and Trumbore, "Fast, Minimum
    /// Storage Ray/Triangle Intersection", 1997).
    pub(super) fn crossing(&self, corners: [Vec3; 3]) -> Option<Crossing> {
        let [a, b, c] = corners.map(Vec3::as_dvec3);
        let (ab, ac) = (b - a, c - a);
        let across = self.ahead.cross(ac);
        let facing = ab.dot(across);
        let from = self.start - a;
        let u = from.dot(across) / facing;
        let along = from.cross(ab);
        let v = self.ahead.dot(along) / facing;
        let distance = ac.dot(along) / facing;
        // The tolerance keeps rays from slipping between two triangles.
        let inside = u.min(v).min(1.0 - u - v) >= -1e-9;
        (facing != 0.0 && inside && distance >= 0.0).then_some(Crossing {
            distance,
            shares: [u, v],
            front: facing > 0.0,
        })
    }
}
