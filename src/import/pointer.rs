//! KHR_animation_pointer: which JSON pointer names which property of a model, and the slots that a
//! file's animations ask for.

use crate::model::{Camera, Field, Light, Node, Properties, Slot};

/// Pointers to properties: what stands before the number of the thing, what behind it, and which
/// property that is.
const POINTERS: &[(&str, &str, Field)] = &[
    ("/nodes/", "/extensions/KHR_node_visibility/visible", Field::NodeVisible),
    ("/cameras/", "/perspective/yfov", Field::PerspectiveFovY),
    ("/cameras/", "/perspective/znear", Field::PerspectiveNear),
    ("/cameras/", "/perspective/zfar", Field::PerspectiveFar),
    ("/cameras/", "/orthographic/xmag", Field::OrthographicHalfWidth),
    ("/cameras/", "/orthographic/ymag", Field::OrthographicHalfHeight),
    ("/cameras/", "/orthographic/znear", Field::OrthographicNear),
    ("/cameras/", "/orthographic/zfar", Field::OrthographicFar),
    (LIGHTS, "/color", Field::LightColor),
    (LIGHTS, "/intensity", Field::LightIntensity),
    (LIGHTS, "/range", Field::LightRange),
    (LIGHTS, "/spot/innerConeAngle", Field::LightInnerCone),
    (LIGHTS, "/spot/outerConeAngle", Field::LightOuterCone),
];

const LIGHTS: &str = "/extensions/KHR_lights_punctual/lights/";

/// The property slots of a file: each that some channel drives, once.
pub(super) struct Slots {
    properties: Properties,
    list: Vec<Slot>,
    /// Each slot's values at rest.
    rest: Vec<Vec<f32>>,
}

impl Slots {
    /// None yet, of a file that has these things.
    pub fn new(nodes: &[Node], cameras: &[Camera], lights: &[Light]) -> Self {
        let properties = Properties::of(nodes, cameras, lights);
        Self { properties, list: Vec::new(), rest: Vec::new() }
    }

    /// The number of the slot that a pointer names and how many values it has; none where it names
    /// nothing that the file and the viewer have.
    pub fn named_by(&mut self, pointer: &str) -> Option<(usize, usize)> {
        let slot = parsed(pointer)?;
        let values = self.properties.values(slot)?;
        let width = values.len();
        let number = self.list.iter().position(|s| *s == slot).unwrap_or_else(|| {
            self.list.push(slot);
            self.rest.push(values.to_vec());
            self.list.len() - 1
        });
        Some((number, width))
    }

    /// Which property a slot is.
    pub fn field(&self, slot: usize) -> Field {
        self.list[slot].field
    }

    /// The slots, and the values of each at rest.
    pub fn finish(self) -> (Vec<Slot>, Vec<Vec<f32>>) {
        (self.list, self.rest)
    }
}

fn parsed(pointer: &str) -> Option<Slot> {
    POINTERS.iter().find_map(|(before, behind, field)| {
        Some(Slot { field: *field, item: number_between(pointer, before, behind)? })
    })
}

/// The number that stands between two texts and is all that does, written as JSON pointers write
/// indices.
fn number_between(pointer: &str, before: &str, behind: &str) -> Option<usize> {
    index(pointer.strip_prefix(before)?.strip_suffix(behind)?)
}

/// An index of a JSON pointer: no sign, no leading zero.
pub(super) fn index(digits: &str) -> Option<usize> {
    let canonical = digits == "0" || !digits.starts_with(['0', '+']);
    digits.parse().ok().filter(|_| canonical)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LightKind, Projection};

    fn slots() -> Slots {
        let projection = Projection::Perspective { fov_y: 1.0, aspect: None, near: 0.5, far: None };
        let camera = Camera { name: None, projection };
        let (color, intensity) = ([1.0, 0.5, 0.25], 2.0);
        let kind = LightKind::Point;
        let light = Light { name: None, kind, color, intensity, range: None };
        Slots::new(&[Node::default(), Node::default()], &[camera], &[light])
    }

    #[test]
    fn pointers_name_slots_with_their_values_at_rest() {
        let mut slots = slots();
        let color = "/extensions/KHR_lights_punctual/lights/0/color";
        let visible = "/nodes/1/extensions/KHR_node_visibility/visible";
        assert_eq!(slots.named_by(color), Some((0, 3)));
        assert_eq!(slots.named_by(visible), Some((1, 1)));
        assert_eq!(slots.named_by("/cameras/0/perspective/znear"), Some((2, 1)));
        assert_eq!(slots.named_by(color), Some((0, 3)), "one slot a property");
        let (list, rest) = slots.finish();
        assert_eq!(rest, [vec![1.0, 0.5, 0.25], vec![1.0], vec![0.5]]);
        assert_eq!(list[1], Slot { field: Field::NodeVisible, item: 1 });
    }

    #[test]
    fn what_is_not_there_is_no_slot() {
        let mut slots = slots();
        for pointer in [
            "",
            "/cameras/0/perspective",
            "/cameras/0/perspective/zfar",
            "/cameras/0/orthographic/znear",
            "/cameras/1/perspective/yfov",
            "/cameras/00/perspective/yfov",
            "/cameras/+0/perspective/yfov",
            "/cameras/-1/perspective/yfov",
            "/cameras/4294967296/perspective/yfov",
            "/cameras/0/0/perspective/yfov",
            "/extensions/KHR_lights_punctual/lights/0/range",
            "/extensions/KHR_lights_punctual/lights/0/spot/outerConeAngle",
            "/nodes/2/extensions/KHR_node_visibility/visible",
        ] {
            assert_eq!(slots.named_by(pointer), None, "{pointer}");
        }
        assert!(slots.finish().0.is_empty());
    }
}
