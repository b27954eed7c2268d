//! Writes the names that a convention gives to the bones of a humanoid.

use crate::Humanoid;
use crate::naming::PartNames;
use rigview_model::{BonePart as Part, HumanBone};

/// A convention in which joints are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoneNames {
    /// Its name on the command line.
    pub name: &'static str,
    /// Another name of it.
    alias: &'static str,
    /// The names of bones in the middle of the body, and of those on a side.
    patterns: [&'static str; 2],
    /// The words for left and right.
    sides: [&'static str; 2],
    /// The words for the parts; those of fingers and between hips and neck follow.
    parts: PartNames,
    /// The words for the joints between hips and neck, from below.
    trunk: &'static [&'static str],
    /// Whether neck and head continue the numbers of the trunk.
    numbers_the_neck: bool,
    fingers: Option<Fingers>,
}

/// How the joints of fingers are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fingers {
    pattern: &'static str,
    /// From the thumb to the little finger.
    fingers: [&'static str; 5],
    /// From the hand outwards.
    joints: [&'static str; 3],
    /// The same for the thumb.
    thumb: [&'static str; 3],
}

const DIGITS: [&str; 3] = ["1", "2", "3"];

/// Where a word is put into a pattern.
const WORD: &str = "{bone}";
const SIDE: &str = "{side}";

/// The conventions.
const ALL: [BoneNames; 9] = [
    BoneNames {
        name: "mixamo",
        alias: "",
        patterns: ["mixamorig:{bone}", "mixamorig:{side}{bone}"],
        sides: ["Left", "Right"],
        parts: PartNames {
            body: ["Hips", "Neck", "Head", "Jaw", "Eye"],
            arm: ["Shoulder", "Arm", "ForeArm", "Hand"],
            leg: ["UpLeg", "Leg", "Foot", "ToeBase"],
        },
        trunk: &["Spine", "Spine1", "Spine2", "Spine3", "Spine4"],
        numbers_the_neck: false,
        fingers: Some(Fingers {
            pattern: "Hand{finger}{joint}",
            fingers: ["Thumb", "Index", "Middle", "Ring", "Pinky"],
            joints: DIGITS,
            thumb: DIGITS,
        }),
    },
    BoneNames {
        name: "unreal",
        alias: "unreal-mannequin",
        patterns: ["{bone}", "{bone}_{side}"],
        sides: ["l", "r"],
        parts: PartNames {
            body: ["pelvis", "neck_01", "head", "jaw", "eye"],
            arm: ["clavicle", "upperarm", "lowerarm", "hand"],
            leg: ["thigh", "calf", "foot", "ball"],
        },
        trunk: &["spine_01", "spine_02", "spine_03", "spine_04", "spine_05"],
        numbers_the_neck: false,
        fingers: Some(Fingers {
            pattern: "{finger}_0{joint}",
            fingers: ["thumb", "index", "middle", "ring", "pinky"],
            joints: DIGITS,
            thumb: DIGITS,
        }),
    },
    BoneNames {
        name: "vrm",
        alias: "vrm-humanoid",
        patterns: ["{bone}", "{side}{bone}"],
        sides: ["left", "right"],
        parts: PartNames {
            body: ["hips", "neck", "head", "jaw", "Eye"],
            arm: ["Shoulder", "UpperArm", "LowerArm", "Hand"],
            leg: ["UpperLeg", "LowerLeg", "Foot", "Toes"],
        },
        trunk: &["spine", "chest", "upperChest"],
        numbers_the_neck: false,
        fingers: Some(Fingers {
            pattern: "{finger}{joint}",
            fingers: ["Thumb", "Index", "Middle", "Ring", "Little"],
            joints: ["Proximal", "Intermediate", "Distal"],
            thumb: ["Metacarpal", "Proximal", "Distal"],
        }),
    },
    BoneNames {
        name: "unity",
        alias: "",
        patterns: ["{bone}", "{side}{bone}"],
        sides: ["Left", "Right"],
        parts: PartNames {
            body: ["Hips", "Neck", "Head", "Jaw", "Eye"],
            arm: ["Shoulder", "UpperArm", "LowerArm", "Hand"],
            leg: ["UpperLeg", "LowerLeg", "Foot", "Toes"],
        },
        trunk: &["Spine", "Chest", "UpperChest"],
        numbers_the_neck: false,
        fingers: Some(Fingers {
            pattern: "{finger}{joint}",
            fingers: ["Thumb", "Index", "Middle", "Ring", "Little"],
            joints: ["Proximal", "Intermediate", "Distal"],
            thumb: ["Proximal", "Intermediate", "Distal"],
        }),
    },
    BoneNames {
        name: "vroid",
        alias: "",
        patterns: ["J_Bip_C_{bone}", "J_Bip_{side}_{bone}"],
        sides: ["L", "R"],
        parts: PartNames {
            body: ["Hips", "Neck", "Head", "", ""],
            arm: ["Shoulder", "UpperArm", "LowerArm", "Hand"],
            leg: ["UpperLeg", "LowerLeg", "Foot", "ToeBase"],
        },
        trunk: &["Spine", "Chest", "UpperChest"],
        numbers_the_neck: false,
        fingers: Some(Fingers {
            pattern: "{finger}{joint}",
            fingers: ["Thumb", "Index", "Middle", "Ring", "Little"],
            joints: DIGITS,
            thumb: DIGITS,
        }),
    },
    BoneNames {
        name: "rigify",
        alias: "",
        patterns: ["DEF-{bone}", "DEF-{bone}.{side}"],
        sides: ["L", "R"],
        parts: PartNames {
            body: ["spine", "", "", "jaw", "eye"],
            arm: ["shoulder", "upper_arm", "forearm", "hand"],
            leg: ["thigh", "shin", "foot", "toe"],
        },
        trunk: &[
            "spine.001",
            "spine.002",
            "spine.003",
            "spine.004",
            "spine.005",
            "spine.006",
            "spine.007",
        ],
        numbers_the_neck: true,
        fingers: Some(Fingers {
            pattern: "{finger}.0{joint}",
            fingers: ["thumb", "f_index", "f_middle", "f_ring", "f_pinky"],
            joints: DIGITS,
            thumb: DIGITS,
        }),
    },
    BoneNames {
        name: "biped",
        alias: "",
        patterns: ["Bip01 {bone}", "Bip01 {side} {bone}"],
        sides: ["L", "R"],
        parts: PartNames {
            body: ["Pelvis", "Neck", "Head", "", ""],
            arm: ["Clavicle", "UpperArm", "Forearm", "Hand"],
            leg: ["Thigh", "Calf", "Foot", "Toe0"],
        },
        trunk: &["Spine", "Spine1", "Spine2", "Spine3", "Spine4"],
        numbers_the_neck: false,
        fingers: Some(Fingers {
            pattern: "Finger{finger}{joint}",
            fingers: ["0", "1", "2", "3", "4"],
            joints: ["", "1", "2"],
            thumb: ["", "1", "2"],
        }),
    },
    BoneNames {
        name: "cmu",
        alias: "",
        patterns: ["{bone}", "{side}{bone}"],
        sides: ["Left", "Right"],
        parts: PartNames {
            body: ["Hips", "Neck", "Head", "", ""],
            arm: ["Shoulder", "Arm", "ForeArm", "Hand"],
            leg: ["UpLeg", "Leg", "Foot", "ToeBase"],
        },
        trunk: &["LowerBack", "Spine", "Spine1"],
        numbers_the_neck: false,
        fingers: None,
    },
    BoneNames {
        name: "daz",
        alias: "",
        patterns: ["{bone}", "{side}{bone}"],
        sides: ["l", "r"],
        parts: PartNames {
            body: ["hip", "neckLower", "head", "lowerJaw", "Eye"],
            arm: ["Collar", "ShldrBend", "ForearmBend", "Hand"],
            leg: ["ThighBend", "Shin", "Foot", "Toe"],
        },
        trunk: &["abdomenLower", "abdomenUpper", "chestLower", "chestUpper"],
        numbers_the_neck: false,
        fingers: Some(Fingers {
            pattern: "{finger}{joint}",
            fingers: ["Thumb", "Index", "Mid", "Ring", "Pinky"],
            joints: DIGITS,
            thumb: DIGITS,
        }),
    },
];

impl BoneNames {
    /// Returns the convention of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        let name = name.to_lowercase();
        ALL.iter().find(|it| it.name == name || !it.alias.is_empty() && it.alias == name)
    }

    /// Returns the names of all conventions.
    pub fn all_names() -> impl Iterator<Item = &'static str> {
        ALL.iter().map(|it| it.name)
    }

    /// Returns the nodes of a humanoid with their names in this convention. A bone that the convention does not have
    /// has `None`.
    pub fn names_for(&self, humanoid: &Humanoid) -> Vec<(usize, Option<String>)> {
        let central = |word: &str| self.patterns[0].replace(WORD, word);
        let mut names = Vec::new();
        let trunk = self.trunk_of(humanoid.trunk.len());
        for (node, word) in humanoid.trunk.iter().zip(&trunk) {
            names.push((*node, word.map(central)));
        }
        for (bone, node) in &humanoid.bones {
            let name = match (self.numbers_the_neck, bone.part) {
                (true, Part::Neck | Part::Head) => {
                    let last = trunk.iter().flatten().count().max(USUAL_TRUNK);
                    let place = if bone.part == Part::Neck { last } else { last + 2 };
                    self.trunk.get(place).map(|word| central(word))
                }
                _ => self.name_of(*bone),
            };
            names.push((*node, name));
        }
        names
    }

    /// Returns the words for the joints between hips and neck. Of more joints than there are words, the upper one has
    /// the last word, and those below it that are too many have none.
    fn trunk_of(&self, joints: usize) -> Vec<Option<&'static str>> {
        // Neck and head need words of the list.
        let words =
            if self.numbers_the_neck { &self.trunk[..self.trunk.len() - 3] } else { self.trunk };
        let word = |joint: usize| match words.len() {
            count if joint + 1 < count.min(joints) => Some(words[joint]),
            count if joint + 1 == joints => words.get(joint.min(count - 1)).copied(),
            _ => None,
        };
        (0..joints).map(word).collect()
    }

    fn name_of(&self, bone: HumanBone) -> Option<String> {
        let word = match self.parts.iter().find(|(part, _)| *part == bone.part) {
            Some((_, word)) => word.to_owned(),
            None => self.fingers?.word(bone.part)?,
        };
        let side = self.sides[usize::from(bone.is_right)];
        let pattern = self.patterns[usize::from(!bone.part.is_central())];
        Some(pattern.replace(SIDE, side).replace(WORD, &word))
    }
}

/// Joints between hips and neck of most humanoids; the numbers of neck and head follow them.
const USUAL_TRUNK: usize = 3;

impl Fingers {
    fn word(self, part: Part) -> Option<String> {
        let places = (0..5).flat_map(|finger| {
            Part::finger(finger).into_iter().enumerate().map(move |(joint, of)| (finger, joint, of))
        });
        let (finger, joint, _) = places.into_iter().find(|(.., of)| *of == part)?;
        let joints = if finger == 0 { self.thumb } else { self.joints };
        let named = self.pattern.replace("{finger}", self.fingers[finger]);
        Some(named.replace("{joint}", joints[joint]))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A humanoid with all bones, each on a node of its own.
    fn whole(trunk: usize) -> Humanoid {
        let mut humanoid = Humanoid { convention: "", ..Humanoid::default() };
        let between = [Part::Spine, Part::Chest, Part::UpperChest];
        let bones = HumanBone::all().filter(|bone| !between.contains(&bone.part));
        humanoid.bones = bones.enumerate().map(|(node, bone)| (bone, node)).collect();
        humanoid.trunk = (100..100 + trunk).collect();
        humanoid
    }

    #[test]
    fn no_name_is_given_twice() {
        for names in &ALL {
            for trunk in 0..9 {
                let given: Vec<String> = names
                    .names_for(&whole(trunk))
                    .into_iter()
                    .filter_map(|(_, name)| name)
                    .collect();
                let distinct: BTreeSet<&String> = given.iter().collect();
                assert_eq!(distinct.len(), given.len(), "{}: {given:?}", names.name);
                assert!(given.iter().all(|name| !name.contains('{')), "{given:?}");
            }
        }
    }

    #[test]
    fn the_upper_joint_of_a_long_trunk_has_the_last_name() {
        let vrm = BoneNames::named("VRM-humanoid").unwrap();
        let words = |joints| vrm.trunk_of(joints);
        assert_eq!(words(1), [Some("spine")]);
        assert_eq!(words(2), [Some("spine"), Some("chest")]);
        let long = [Some("spine"), Some("chest"), None, None, Some("upperChest")];
        assert_eq!(words(5), long);
    }

    #[test]
    fn fingers_have_the_names_of_their_convention() {
        let name = |names: &str, bone: &str| {
            BoneNames::named(names).unwrap().name_of(HumanBone::named(bone).unwrap())
        };
        for (names, bone, want) in [
            ("mixamo", "leftThumbMetacarpal", Some("mixamorig:LeftHandThumb1")),
            ("mixamo", "rightLittleDistal", Some("mixamorig:RightHandPinky3")),
            ("unreal", "leftIndexProximal", Some("index_01_l")),
            ("vrm", "leftThumbMetacarpal", Some("leftThumbMetacarpal")),
            ("unity", "leftThumbMetacarpal", Some("LeftThumbProximal")),
            ("vroid", "rightMiddleIntermediate", Some("J_Bip_R_Middle2")),
            ("rigify", "leftLittleDistal", Some("DEF-f_pinky.03.L")),
            ("biped", "leftThumbMetacarpal", Some("Bip01 L Finger0")),
            ("biped", "leftIndexDistal", Some("Bip01 L Finger12")),
            ("daz", "rightMiddleProximal", Some("rMid1")),
            ("cmu", "rightMiddleProximal", None),
            ("cmu", "leftEye", None),
        ] {
            assert_eq!(name(names, bone).as_deref(), want, "{names} {bone}");
        }
    }
}
