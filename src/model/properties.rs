//! Properties that animations drive beside transforms and weights: what a pose's slots mean, and a
//! model's cameras, lights, materials and visibility as they are at one instant. Which JSON pointer is which
//! slot is for `import`.

use std::slice::from_mut;

use super::{Camera, Light, LightKind, Material, MaterialField, Node, Projection};
use crate::anim::LocalPose;

/// A property of one thing of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// Which property.
    pub field: Field,
    /// Whose: the number of a node, camera, light or material.
    pub item: usize,
}

/// A property that has values: one, or as many as a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// Whether a node and what is below it are shown: 0 is no.
    NodeVisible,
    /// A perspective camera's vertical angle of view, radians.
    PerspectiveFovY,
    /// The distance of its near plane.
    PerspectiveNear,
    /// The distance of its far plane, where it has one.
    PerspectiveFar,
    /// An orthographic camera's half width.
    OrthographicHalfWidth,
    /// Its half height.
    OrthographicHalfHeight,
    /// The distance of its near plane.
    OrthographicNear,
    /// The distance of its far plane.
    OrthographicFar,
    /// A light's linear colour.
    LightColor,
    /// A light's intensity.
    LightIntensity,
    /// How far a light reaches, where that is limited.
    LightRange,
    /// A spot light's angle up to which it has its whole intensity, radians.
    LightInnerCone,
    /// A spot light's angle from which on it has none, radians.
    LightOuterCone,
    /// A material's.
    Material(MaterialField),
}

/// What a model's things are at one instant. At rest they are the model's own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Properties {
    /// By node: 0 hides it and all below it.
    pub shown: Vec<f32>,
    /// By camera.
    pub cameras: Vec<Camera>,
    /// By light.
    pub lights: Vec<Light>,
    /// By material.
    pub materials: Vec<Material>,
    /// The materials that slots change, each once.
    pub moving_materials: Vec<usize>,
}

impl Properties {
    /// Those of these things at rest.
    pub fn of(
        nodes: &[Node],
        cameras: &[Camera],
        lights: &[Light],
        materials: &[Material],
    ) -> Self {
        Self {
            materials: materials.to_vec(),
            moving_materials: Vec::new(),
            shown: nodes.iter().map(|node| if node.hidden { 0.0 } else { 1.0 }).collect(),
            cameras: cameras.to_vec(),
            lights: lights.to_vec(),
        }
    }

    /// The same, to be changed by these slots.
    pub fn moved_by(mut self, slots: &[Slot]) -> Self {
        let material = |slot: &Slot| matches!(slot.field, Field::Material(_)).then_some(slot.item);
        self.moving_materials = slots.iter().filter_map(material).collect();
        self.moving_materials.sort_unstable();
        self.moving_materials.dedup();
        self
    }

    /// Puts in the values of a pose's slots, brought to what each property may be: interpolation
    /// can overshoot.
    pub fn put(&mut self, slots: &[Slot], pose: &LocalPose) {
        for (number, slot) in slots.iter().enumerate() {
            let (least, most) = slot.field.range();
            if let Some(values) = self.values(*slot) {
                for (to, from) in values.iter_mut().zip(pose.property(number)) {
                    *to = from.clamp(least, most);
                }
            }
        }
        for slot in slots {
            self.settle(*slot);
        }
    }

    /// The values of a slot: none where there is no such thing, or it has no such property.
    pub fn values(&mut self, Slot { field, item }: Slot) -> Option<&mut [f32]> {
        match field {
            Field::NodeVisible => self.shown.get_mut(item).map(from_mut),
            Field::LightColor => Some(&mut self.lights.get_mut(item)?.color),
            Field::LightIntensity => Some(from_mut(&mut self.lights.get_mut(item)?.intensity)),
            Field::LightRange => self.lights.get_mut(item)?.range.as_mut().map(from_mut),
            Field::LightInnerCone | Field::LightOuterCone => {
                match (&mut self.lights.get_mut(item)?.kind, field) {
                    (LightKind::Spot { inner, .. }, Field::LightInnerCone) => Some(from_mut(inner)),
                    (LightKind::Spot { outer, .. }, _) => Some(from_mut(outer)),
                    _ => None,
                }
            }
            Field::Material(field) => field.values(self.materials.get_mut(item)?),
            _ => lens(&mut self.cameras.get_mut(item)?.projection, field),
        }
    }

    /// Keeps near before far and the inner cone in the outer one.
    fn settle(&mut self, Slot { field, item }: Slot) {
        match field {
            Field::PerspectiveNear
            | Field::PerspectiveFar
            | Field::OrthographicNear
            | Field::OrthographicFar => match &mut self.cameras[item].projection {
                Projection::Perspective { near, far: Some(far), .. }
                | Projection::Orthographic { near, far, .. } => *far = far.max(*near * 1.001),
                Projection::Perspective { .. } => {}
            },
            Field::LightInnerCone | Field::LightOuterCone => {
                if let LightKind::Spot { inner, outer } = &mut self.lights[item].kind {
                    *inner = inner.min(*outer * 0.999);
                }
            }
            _ => {}
        }
    }
}

fn lens(projection: &mut Projection, field: Field) -> Option<&mut [f32]> {
    let value = match (projection, field) {
        (Projection::Perspective { fov_y, .. }, Field::PerspectiveFovY) => fov_y,
        (Projection::Perspective { near, .. }, Field::PerspectiveNear) => near,
        (Projection::Perspective { far: Some(far), .. }, Field::PerspectiveFar) => far,
        (Projection::Orthographic { half_width, .. }, Field::OrthographicHalfWidth) => half_width,
        (Projection::Orthographic { half_height, .. }, Field::OrthographicHalfHeight) => {
            half_height
        }
        (Projection::Orthographic { near, .. }, Field::OrthographicNear) => near,
        (Projection::Orthographic { far, .. }, Field::OrthographicFar) => far,
        _ => return None,
    };
    Some(from_mut(value))
}

impl Field {
    /// Least and greatest value.
    fn range(self) -> (f32, f32) {
        const ALL: (f32, f32) = (f32::MIN, f32::MAX);
        match self {
            Field::NodeVisible => ALL,
            Field::PerspectiveFovY => (1e-4, 3.0),
            Field::PerspectiveNear
            | Field::PerspectiveFar
            | Field::OrthographicHalfWidth
            | Field::OrthographicHalfHeight
            | Field::OrthographicNear
            | Field::OrthographicFar
            | Field::LightRange => (1e-6, f32::MAX),
            Field::LightColor | Field::LightIntensity => (0.0, f32::MAX),
            Field::LightInnerCone => (0.0, std::f32::consts::FRAC_PI_2),
            Field::LightOuterCone => (1e-3, std::f32::consts::FRAC_PI_2),
            Field::Material(field) => field.range(),
        }
    }

    /// Whether it is a yes or a no, and no number.
    pub fn is_flag(self) -> bool {
        self == Field::NodeVisible
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::Transform;

    fn properties() -> Properties {
        let lens = Projection::Perspective { fov_y: 0.8, aspect: None, near: 0.1, far: Some(10.0) };
        let camera = Camera { name: None, projection: lens };
        Properties::of(&[Node::default(), Node::default()], &[camera], &[], &[])
    }

    fn pose(values: &[Vec<f32>]) -> LocalPose {
        LocalPose::new(vec![Transform::IDENTITY], &[vec![]]).with_properties(values)
    }

    #[test]
    fn slots_change_what_they_name_and_no_more() {
        let slots = [
            Slot { field: Field::NodeVisible, item: 1 },
            Slot { field: Field::PerspectiveFovY, item: 0 },
        ];
        let mut properties = properties();
        properties.put(&slots, &pose(&[vec![0.0], vec![0.25]]));
        assert_eq!(properties.shown, [1.0, 0.0]);
        let changed =
            Projection::Perspective { fov_y: 0.25, aspect: None, near: 0.1, far: Some(10.0) };
        assert_eq!(properties.cameras[0].projection, changed);
    }

    #[test]
    fn what_overshoots_stays_a_camera() {
        let slots = [Field::PerspectiveFovY, Field::PerspectiveNear, Field::PerspectiveFar];
        let slots = slots.map(|field| Slot { field, item: 0 });
        let mut properties = properties();
        properties.put(&slots, &pose(&[vec![-1.0], vec![20.0], vec![5.0]]));
        let Projection::Perspective { fov_y, near, far: Some(far), .. } =
            properties.cameras[0].projection
        else {
            panic!("another projection");
        };
        assert!(fov_y > 0.0 && near == 20.0 && far > near);
    }

    #[test]
    fn things_without_a_property_have_no_values() {
        let mut properties = properties();
        for (field, item) in
            [(Field::OrthographicHalfWidth, 0), (Field::PerspectiveFovY, 1), (Field::LightColor, 0)]
        {
            assert_eq!(properties.values(Slot { field, item }), None, "{field:?} of {item}");
        }
    }
}
