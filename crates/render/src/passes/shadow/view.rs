//! The view of the scene from the light that casts the shadow.

use glam::{Affine3A, Mat3A, Mat4, Vec3, Vec3A};

use crate::scene::uniforms::ShadowMapUniform;
use rigview_model::Aabb;

/// Width and height of the map in texels.
pub const MAP_SIZE: u32 = 1024;

/// Width of the penumbra per distance between caster and receiver.
const SOFTNESS: f32 = 0.2;

/// Radius of the widest penumbra, as a fraction of the map.
const WIDEST: f32 = 0.05;

/// Sine of the lowest elevation of a light whose shadow on the ground is shown whole.
const LOWEST: f32 = 0.25;

/// The view of the scene from the light that casts the shadow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowView {
    /// From world space to clip space of the map's render pass.
    pub projection_from_world: Mat4,
    /// From world space to the map: x right and y down, both 0 to 1; z from 0 nearest to the light to 1.
    pub map_from_world: Mat4,
    /// Size of the map, and of its penumbras.
    pub map: ShadowMapUniform,
    /// Whether the light is above the horizon.
    pub is_above: bool,
    /// The part of the ground that shadow can fall on.
    pub ground: GroundSquare,
}

/// A square on the ground, parallel to the X and Z axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundSquare {
    pub center: Vec3,
    /// Half the length of a side.
    pub reach: f32,
    /// Moves points along the light to the ground. `None` if the light is so low that their shadows are far away.
    pub from_world: Option<Affine3A>,
    /// Width of the widest penumbra there.
    pub spread: f32,
}

impl ShadowView {
    /// Returns the view of a light in the unit direction `towards` that contains a box and the shadow that it
    /// casts on a ground at height `floor`. The shadow of a low light is cut off. `None` for a box that is
    /// empty, a point or not finite.
    pub fn new(bounds: &Aabb, floor: f32, towards: Vec3) -> Option<Self> {
        let size = bounds.size().length();
        if !(bounds.min.is_finite() && bounds.max.is_finite() && size > 0.0) {
            return None;
        }
        let right = Vec3::Y.cross(towards).normalize_or(Vec3::X);
        let up = towards.cross(right);
        let axes = Mat4::from_cols(
            Vec3::new(right.x, up.x, towards.x).extend(0.0),
            Vec3::new(right.y, up.y, towards.y).extend(0.0),
            Vec3::new(right.z, up.z, towards.z).extend(0.0),
            glam::Vec4::W,
        );
        let mut seen = Aabb::EMPTY;
        let mut thrown = Aabb::EMPTY;
        for corner in bounds.corners() {
            let below = corner - towards * ((corner.y - floor).max(0.0) / towards.y.max(LOWEST));
            seen.add(axes.transform_point3(corner));
            seen.add(axes.transform_point3(below));
            thrown.add(below);
        }
        // Leave room for the penumbra, and use the same scale in both directions.
        let edge = (1.0 + 3.0 * WIDEST) * seen.size().x.max(seen.size().y).max(1e-3 * size);
        let depth = 1.02 * seen.size().z.max(1e-3 * size);
        let middle = seen.center();
        let near = middle.z + 0.5 * depth;
        let from_axes = |scale: Vec3, offset: Vec3| {
            Mat4::from_translation(offset)
                * Mat4::from_scale(scale)
                * Mat4::from_translation(-middle.with_z(near))
                * axes
        };
        let reach = 0.5 * edge;
        Some(Self {
            projection_from_world: from_axes(
                Vec3::new(2.0 / edge, 2.0 / edge, -1.0 / depth),
                Vec3::ZERO,
            ),
            map_from_world: from_axes(
                Vec3::new(1.0 / edge, -1.0 / edge, -1.0 / depth),
                Vec3::new(0.5, 0.5, 0.0),
            ),
            map: ShadowMapUniform {
                texels: MAP_SIZE as f32,
                penumbra_per_depth: 0.5 * SOFTNESS * depth / edge,
                texel_depth: edge / MAP_SIZE as f32 / depth,
                widest_penumbra: WIDEST,
            },
            is_above: towards.y > 0.05,
            ground: GroundSquare {
                center: thrown.center().with_y(floor),
                reach: 0.5 * thrown.size().x.max(thrown.size().z) + WIDEST * reach * 4.0,
                from_world: (towards.y >= LOWEST).then(|| along(towards, floor)),
                // Samples are filtered over the texels next to them.
                spread: (WIDEST + 2.0 / MAP_SIZE as f32) * edge / towards.y.max(LOWEST),
            },
        })
    }
}

/// Returns what moves points along a light, that is not level, to a ground at height `floor`.
fn along(towards: Vec3, floor: f32) -> Affine3A {
    let per_height = Vec3A::from(towards / towards.y);
    Affine3A {
        matrix3: Mat3A::from_cols(Vec3A::X, Vec3A::Y - per_height, Vec3A::Z),
        translation: floor * per_height,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_look::Lighting;

    #[test]
    fn the_map_contains_the_box_and_its_shadow_on_the_ground() {
        let bounds = Aabb { min: Vec3::new(-1.0, 0.5, -0.2), max: Vec3::new(0.5, 3.0, 0.2) };
        let view = ShadowView::new(&bounds, 0.0, Lighting::default().key.towards).unwrap();
        let towards = Lighting::default().key.towards;
        for corner in bounds.corners() {
            let below = corner - towards * (corner.y / towards.y);
            let (a, b) =
                (view.map_from_world * corner.extend(1.0), view.map_from_world * below.extend(1.0));
            assert!((a - b).truncate().truncate().length() < 1e-5, "on one light ray");
            for p in [a, b] {
                assert!(p.min_element() >= -1e-5 && p.max_element() <= 1.0 + 1e-5, "{p}");
            }
            assert!(a.z < b.z, "the ground is farther from the light");
            let GroundSquare { center, reach, from_world, .. } = view.ground;
            let off = (below - center).abs();
            assert!(off.x <= reach && off.z <= reach);
            assert!(from_world.unwrap().transform_point3(corner).distance(below) < 1e-5);
        }
    }

    #[test]
    fn an_empty_box_or_a_point_has_no_view() {
        assert_eq!(ShadowView::new(&Aabb::EMPTY, 0.0, Vec3::Y), None);
        let point = Aabb { min: Vec3::ONE, max: Vec3::ONE };
        assert_eq!(ShadowView::new(&point, 0.0, Vec3::Y), None);
    }
}
