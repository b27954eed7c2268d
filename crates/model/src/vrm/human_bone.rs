//! The bones of a humanoid, as VRM 1.0 names them.

use std::fmt;

/// A kind of bone. Those of limbs exist once per side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names are those of VRM 1.0")]
pub enum BonePart {
    Hips,
    Spine,
    Chest,
    UpperChest,
    Neck,
    Head,
    Eye,
    Jaw,
    UpperLeg,
    LowerLeg,
    Foot,
    Toes,
    Shoulder,
    UpperArm,
    LowerArm,
    Hand,
    ThumbMetacarpal,
    ThumbProximal,
    ThumbDistal,
    IndexProximal,
    IndexIntermediate,
    IndexDistal,
    MiddleProximal,
    MiddleIntermediate,
    MiddleDistal,
    RingProximal,
    RingIntermediate,
    RingDistal,
    LittleProximal,
    LittleIntermediate,
    LittleDistal,
}

use BonePart as Part;

/// The parts with their names, in the order of VRM 1.0.
const PARTS: [(Part, &str); 31] = [
    (Part::Hips, "hips"),
    (Part::Spine, "spine"),
    (Part::Chest, "chest"),
    (Part::UpperChest, "upperChest"),
    (Part::Neck, "neck"),
    (Part::Head, "head"),
    (Part::Jaw, "jaw"),
    (Part::Eye, "Eye"),
    (Part::UpperLeg, "UpperLeg"),
    (Part::LowerLeg, "LowerLeg"),
    (Part::Foot, "Foot"),
    (Part::Toes, "Toes"),
    (Part::Shoulder, "Shoulder"),
    (Part::UpperArm, "UpperArm"),
    (Part::LowerArm, "LowerArm"),
    (Part::Hand, "Hand"),
    (Part::ThumbMetacarpal, "ThumbMetacarpal"),
    (Part::ThumbProximal, "ThumbProximal"),
    (Part::ThumbDistal, "ThumbDistal"),
    (Part::IndexProximal, "IndexProximal"),
    (Part::IndexIntermediate, "IndexIntermediate"),
    (Part::IndexDistal, "IndexDistal"),
    (Part::MiddleProximal, "MiddleProximal"),
    (Part::MiddleIntermediate, "MiddleIntermediate"),
    (Part::MiddleDistal, "MiddleDistal"),
    (Part::RingProximal, "RingProximal"),
    (Part::RingIntermediate, "RingIntermediate"),
    (Part::RingDistal, "RingDistal"),
    (Part::LittleProximal, "LittleProximal"),
    (Part::LittleIntermediate, "LittleIntermediate"),
    (Part::LittleDistal, "LittleDistal"),
];

impl BonePart {
    /// Whether it is in the middle of the body, so that there is one of it.
    pub fn is_central(self) -> bool {
        use BonePart::{Chest, Head, Hips, Jaw, Neck, Spine, UpperChest};
        matches!(self, Hips | Spine | Chest | UpperChest | Neck | Head | Jaw)
    }

    /// Returns the parts of a finger from the hand outwards; finger 0 is the thumb, 4 the little finger.
    pub fn finger(finger: usize) -> [Self; 3] {
        let first = PARTS.len() - 15 + 3 * finger.min(4);
        [PARTS[first].0, PARTS[first + 1].0, PARTS[first + 2].0]
    }
}

/// A bone of a humanoid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HumanBone {
    /// Its kind.
    pub part: BonePart,
    /// Whether it is the one of the right side; false for bones in the middle.
    pub is_right: bool,
}

impl HumanBone {
    /// Returns a bone in the middle of the body.
    pub const fn central(part: BonePart) -> Self {
        Self { part, is_right: false }
    }

    /// Returns all bones in the order of VRM 1.0, the left one of two first.
    pub fn all() -> impl Iterator<Item = Self> {
        PARTS.iter().flat_map(|(part, _)| {
            let right = (!part.is_central()).then_some(Self { part: *part, is_right: true });
            std::iter::once(Self { part: *part, is_right: false }).chain(right)
        })
    }

    /// Returns the bone of a name of VRM 1.0, such as `leftUpperArm`.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|bone| bone.to_string() == name)
    }
}

impl fmt::Display for HumanBone {
    /// Writes the name of VRM 1.0.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = PARTS.iter().find(|(part, _)| *part == self.part).map_or("", |(_, name)| name);
        let side = match (self.part.is_central(), self.is_right) {
            (true, _) => "",
            (false, true) => "right",
            (false, false) => "left",
        };
        write!(f, "{side}{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_the_55_bones_of_vrm_with_names_of_their_own() {
        let names: Vec<String> = HumanBone::all().map(|bone| bone.to_string()).collect();
        assert_eq!(names.len(), 55);
        for bone in HumanBone::all() {
            assert_eq!(HumanBone::named(&bone.to_string()), Some(bone));
        }
        for name in ["hips", "upperChest", "jaw", "leftEye", "rightLittleDistal", "leftToes"] {
            assert!(names.iter().any(|n| n == name), "{name}");
        }
        assert_eq!(BonePart::finger(4)[2], BonePart::LittleDistal);
        assert_eq!(BonePart::finger(0)[0], BonePart::ThumbMetacarpal);
    }
}
