//! Properties that animations drive besides transforms and weights: the meaning of a pose's slots, and a
//! model's cameras, lights, materials and visibility at one time. `import` maps JSON pointers to slots.

use std::slice::from_mut;

use super::{Camera, Light, LightKind, Material, MaterialField, Node, Projection};
use rigview_anim::LocalPose;

/// An animated property of one object of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The property.
    pub field: Field,
    /// Index of the node, camera, light or material.
    pub item: usize,
}

/// An animated property of one or more numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// Whether a node and its descendants are visible; 0 hides them.
    NodeVisible,
    /// A perspective camera's vertical field of view in radians.
    PerspectiveFovY,
    /// A perspective camera's near plane distance.
    PerspectiveNear,
    /// A perspective camera's far plane distance, if it is finite.
    PerspectiveFar,
    /// An orthographic camera's half width.
    OrthographicHalfWidth,
    /// An orthographic camera's half height.
    OrthographicHalfHeight,
    /// An orthographic camera's near plane distance.
    OrthographicNear,
    /// An orthographic camera's far plane distance.
    OrthographicFar,
    /// A light's linear colour.
    LightColor,
    /// A light's intensity.
    LightIntensity,
    /// A light's range, if it is limited.
    LightRange,
    /// The angle in radians up to which a spot light has full intensity.
    LightInnerCone,
    /// The angle in radians from which on a spot light has no intensity.
    LightOuterCone,
    /// A property of a material.
    Material(MaterialField),
}

/// The kind of object that has an animated property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotOwner {
    /// A node.
    Node,
    /// A material.
    Material,
    /// A light.
    Light,
    /// A camera.
    Camera,
}

impl Field {
    /// Returns the kind of object that has this property.
    pub fn owner(self) -> SlotOwner {
        match self {
            Field::NodeVisible => SlotOwner::Node,
            Field::Material(_) => SlotOwner::Material,
            Field::LightColor
            | Field::LightIntensity
            | Field::LightRange
            | Field::LightInnerCone
            | Field::LightOuterCone => SlotOwner::Light,
            Field::PerspectiveFovY
            | Field::PerspectiveNear
            | Field::PerspectiveFar
            | Field::OrthographicHalfWidth
            | Field::OrthographicHalfHeight
            | Field::OrthographicNear
            | Field::OrthographicFar => SlotOwner::Camera,
        }
    }
}

/// The animated objects of a model at one time. At rest they equal the model's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Properties {
    /// For each node, 0 if it and its descendants are hidden.
    pub shown: Vec<f32>,
    /// The cameras.
    pub cameras: Vec<Camera>,
    /// The lights.
    pub lights: Vec<Light>,
    /// The materials.
    pub materials: Vec<Material>,
    /// Indices of the materials that slots change, each once.
    pub moving_materials: Vec<usize>,
}

impl Properties {
    /// Returns the properties of these objects at rest.
    pub fn at_rest(
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

    /// Declares the slots that change the properties.
    pub fn moved_by(mut self, slots: &[Slot]) -> Self {
        let material = |slot: &Slot| matches!(slot.field, Field::Material(_)).then_some(slot.item);
        self.moving_materials = slots.iter().filter_map(material).collect();
        self.moving_materials.sort_unstable();
        self.moving_materials.dedup();
        self
    }

    /// Applies the values of a pose's slots, clamped to valid ranges, because interpolation can overshoot.
    pub fn apply(&mut self, slots: &[Slot], pose: &LocalPose) {
        for (number, slot) in slots.iter().enumerate() {
            let (least, most) = slot.field.range();
            if let Some(values) = self.values(*slot) {
                for (to, from) in values.iter_mut().zip(pose.property(number)) {
                    // KHR_materials_ior has 0 for full reflection, below its least number.
                    let is_mirror =
                        slot.field == Field::Material(MaterialField::Ior) && *from == 0.0;
                    *to = if is_mirror { 0.0 } else { from.clamp(least, most) };
                }
            }
        }
        for slot in slots {
            self.settle(*slot);
        }
    }

    /// Returns the values of a slot; `None` if there is no such object, or it has no such property.
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

    /// Keeps the near plane in front of the far plane, and the inner cone inside the outer one.
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
    /// Returns the valid range.
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

    /// Whether the property is a boolean.
    pub fn is_flag(self) -> bool {
        self == Field::NodeVisible
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_anim::Transform;

    fn properties() -> Properties {
        let lens = Projection::Perspective { fov_y: 0.8, aspect: None, near: 0.1, far: Some(10.0) };
        let camera = Camera { name: None, projection: lens };
        Properties::at_rest(&[Node::default(), Node::default()], &[camera], &[], &[])
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
        properties.apply(&slots, &pose(&[vec![0.0], vec![0.25]]));
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
        properties.apply(&slots, &pose(&[vec![-1.0], vec![20.0], vec![5.0]]));
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
