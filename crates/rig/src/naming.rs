//! How programs name the joints of a humanoid: one table, and the plain form in which names are compared.
//!
//! Twist, IK and helper joints are in no table, since another rig has no joint that does the same.

use crate::BodySide;
use crate::body_side::begins_with_short_side;
use rigview_model::BonePart as Part;

/// The names of one convention, in their plain form.
#[derive(Debug)]
pub(crate) struct Naming {
    /// Its name.
    pub name: &'static str,
    /// The spellings of each part, separated by spaces; the first one is the convention's own.
    pub parts: PartNames,
    /// The joints of the trunk between hips and neck. Their number and order are those of the rig.
    pub trunk: &'static [&'static str],
    /// Whether the neck and head are named like the trunk, so that the shoulders tell where it ends.
    pub numbers_the_neck: bool,
}

/// The names of parts, those of fingers and between hips and neck excepted; empty for a part without a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartNames {
    /// Hips, neck, head, jaw and eye.
    pub body: [&'static str; 5],
    /// Shoulder, upper arm, lower arm and hand.
    pub arm: [&'static str; 4],
    /// Upper leg, lower leg, foot and toes.
    pub leg: [&'static str; 4],
}

impl PartNames {
    /// Returns the parts that have a name.
    pub fn iter(&self) -> impl Iterator<Item = (Part, &'static str)> {
        let body = [Part::Hips, Part::Neck, Part::Head, Part::Jaw, Part::Eye].into_iter();
        let arm = [Part::Shoulder, Part::UpperArm, Part::LowerArm, Part::Hand].into_iter();
        let leg = [Part::UpperLeg, Part::LowerLeg, Part::Foot, Part::Toes].into_iter();
        let all = body.zip(self.body).chain(arm.zip(self.arm)).chain(leg.zip(self.leg));
        all.filter(|(_, name)| !name.is_empty())
    }
}

/// The table. Where two conventions explain as many names, the earlier one counts.
pub(crate) static NAMINGS: &[Naming] = &[
    Naming {
        name: "Mixamo",
        parts: PartNames {
            body: ["hips", "neck neck1", "head", "jaw", "eye"],
            arm: ["shoulder shoulder1", "arm", "forearm", "hand"],
            leg: ["upleg", "leg", "foot", "toebase toe toes"],
        },
        trunk: &["spine", "spine1", "spine2", "spine3", "spine4"],
        numbers_the_neck: false,
    },
    Naming {
        name: "Unreal",
        parts: PartNames {
            body: ["pelvis", "neck01 neck neck02", "head", "jaw", "eye"],
            arm: ["clavicle", "upperarm", "lowerarm", "hand"],
            leg: ["thigh", "calf", "foot", "ball"],
        },
        trunk: &["spine01", "spine02", "spine03", "spine04", "spine05"],
        numbers_the_neck: false,
    },
    // VRM, Unity, VRoid and rigs made in Blender by hand.
    Naming {
        name: "VRM and Unity",
        parts: PartNames {
            body: ["hips hip", "neck", "head", "jaw", "eye faceeye"],
            arm: ["shoulder clavicle", "upperarm", "lowerarm forearm", "hand palm"],
            leg: ["upperleg thigh", "lowerleg shin", "foot", "toes toe toebase"],
        },
        trunk: &["spine", "chest", "upperchest", "spine1", "spine2", "spine3", "abdomen", "torso"],
        numbers_the_neck: false,
    },
    Naming {
        name: "Rigify",
        parts: PartNames {
            body: ["spine", "", "", "jaw", "eye"],
            arm: ["shoulder", "upperarm", "forearm", "hand"],
            leg: ["thigh", "shin", "foot", "toe"],
        },
        trunk: &[
            "spine001", "spine002", "spine003", "spine004", "spine005", "spine006", "spine007",
        ],
        numbers_the_neck: true,
    },
    Naming {
        name: "3ds Max Biped",
        parts: PartNames {
            body: ["pelvis", "neck neck1", "head head1", "", ""],
            arm: ["clavicle", "upperarm", "forearm", "hand"],
            leg: ["thigh", "calf", "foot", "toe0"],
        },
        trunk: &["spine", "spine1", "spine2", "spine3", "spine4"],
        numbers_the_neck: false,
    },
    Naming {
        name: "Daz",
        parts: PartNames {
            body: ["hip", "necklower neck neck1", "head", "lowerjaw", "eye"],
            arm: ["collar shoulder", "shldr shldrbend upperarm", "forearm forearmbend", "hand"],
            leg: ["thigh thighbend", "shin", "foot", "toe toes"],
        },
        trunk: &[
            "abdomen",
            "abdomen2",
            "abdomenlower",
            "abdomenupper",
            "chest",
            "chestlower",
            "chestupper",
            "spine1",
            "spine2",
            "spine3",
            "spine4",
        ],
        numbers_the_neck: false,
    },
    Naming {
        name: "CMU",
        parts: PartNames {
            body: ["hips", "neck", "head", "", ""],
            arm: ["shoulder", "arm", "forearm", "hand"],
            leg: ["upleg", "leg", "foot", "toebase"],
        },
        trunk: &["lowerback", "spine", "spine1"],
        numbers_the_neck: false,
    },
    // Joints named by the place where they bend, as in SMPL and many rigs made in Maya.
    Naming {
        name: "joints by place",
        parts: PartNames {
            body: ["pelvis hips", "neck", "head", "jaw", ""],
            arm: ["collar clavicle", "shoulder", "elbow", "wrist"],
            leg: ["hip hipjoint", "knee", "ankle", "foot toe"],
        },
        trunk: &[
            "spine", "spine1", "spine2", "spine3", "chest", "chest1", "chest2", "chest3", "chest4",
        ],
        numbers_the_neck: false,
    },
    Naming {
        name: "AdvancedSkeleton",
        parts: PartNames {
            body: ["rootm", "neckm", "headm", "jawm", "eye"],
            arm: ["scapula", "shoulder", "elbow", "wrist"],
            leg: ["hip", "knee", "ankle", "toes"],
        },
        trunk: &["spine1m", "spine2m", "spine3m", "spine4m", "chestm"],
        numbers_the_neck: false,
    },
    Naming {
        name: "Auto-Rig Pro",
        parts: PartNames {
            body: ["rootx", "neckx", "headx", "jawx", "eye"],
            arm: ["shoulder", "armstretch arm", "forearmstretch forearm", "hand"],
            leg: ["thighstretch thigh", "legstretch leg", "foot", "toes01 toes"],
        },
        trunk: &["spine01x", "spine02x", "spine03x", "spine04x", "spine05x"],
        numbers_the_neck: false,
    },
    Naming {
        name: "OptiTrack",
        parts: PartNames {
            body: ["hip hips", "neck", "head", "", ""],
            // `F` for a forearm would be removed as a prefix.
            arm: ["shoulder", "uarm", "farm arm", "hand"],
            leg: ["thigh", "shin", "foot", "toe"],
        },
        trunk: &["ab", "spine", "chest"],
        numbers_the_neck: false,
    },
    Naming {
        name: "Kinect",
        parts: PartNames {
            body: ["spinebase hipcenter pelvis", "neck shouldercenter", "head", "", "eye"],
            arm: ["clavicle", "shoulder", "elbow", "wrist"],
            leg: ["hip", "knee", "ankle", "foot"],
        },
        trunk: &["spinemid", "spineshoulder", "spinenavel", "spinechest", "spine"],
        numbers_the_neck: false,
    },
    Naming {
        name: "Roblox R15",
        parts: PartNames {
            body: ["lowertorso", "", "head", "", ""],
            arm: ["", "upperarm", "lowerarm", "hand"],
            leg: ["upperleg", "lowerleg", "foot", ""],
        },
        trunk: &["uppertorso"],
        numbers_the_neck: false,
    },
    // The legs are children of a pelvis beside the trunk, which is not a bone.
    Naming {
        name: "Character Creator",
        parts: PartNames {
            body: ["hip", "necktwist01", "head", "jawroot", "eye"],
            arm: ["clavicle", "upperarm", "forearm", "hand"],
            leg: ["thigh", "calf", "foot", "toebase"],
        },
        trunk: &["waist", "spine01", "spine02"],
        numbers_the_neck: false,
    },
    Naming {
        name: "MakeHuman",
        parts: PartNames {
            body: ["root", "neck01", "head", "jaw", "eye"],
            arm: ["clavicle", "upperarm01", "lowerarm01", "wrist"],
            leg: ["upperleg01", "lowerleg01", "foot", ""],
        },
        trunk: &["spine01", "spine02", "spine03", "spine04", "spine05"],
        numbers_the_neck: false,
    },
    // Avatars of VRChat, as the CATS plugin for Blender names them.
    Naming {
        name: "CATS",
        parts: PartNames {
            body: ["hips", "neck", "head", "jaw", "eye"],
            arm: ["shoulder", "arm", "elbow", "wrist"],
            leg: ["leg", "knee", "ankle", "toe"],
        },
        trunk: &["spine", "chest", "upperchest"],
        numbers_the_neck: false,
    },
    // MikuMikuDance. The lower body, which carries the legs, is beside the upper one and no bone of its own.
    Naming {
        name: "MMD",
        parts: PartNames {
            body: ["腰 グルーブ センター", "首", "頭", "", "目"],
            arm: ["肩", "腕", "ひじ 肘", "手首"],
            leg: ["足", "ひざ 膝", "足首", "つま先 足先ex"],
        },
        trunk: &["上半身", "上半身1", "上半身2", "上半身3"],
        numbers_the_neck: false,
    },
];

/// First words of a name that only mark it as a joint or name the character, without digits.
const PREFIXES: [&str; 23] = [
    "mixamorig",
    "j",
    "c",
    "bip",
    "def",
    "bind",
    "bn",
    "bone",
    "jnt",
    "joint",
    "rig",
    "skin",
    "character",
    "valve",
    "biped",
    "cc",
    "base",
    "b",
    "org",
    "robot",
    // The average bodies of SMPL: `m_avg_L_Hip`.
    "avg",
    "m",
    "f",
];

/// Last words of a name that only mark it as a joint.
const SUFFIXES: [&str; 10] =
    ["jnt", "bone", "bind", "joint", "skin", "def", "bn", "bnd", "env", "sk"];

/// The joint of CMU's rigs between hips and leg, which is no bone: its last word is part of its name.
const HIP_JOINT: [&str; 2] = ["hip", "joint"];

/// A joint's name without what differs between files of one convention.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PlainName {
    /// The side that its words name.
    pub side: BodySide,
    /// Its other words in small letters, without a prefix.
    pub text: String,
}

impl PlainName {
    /// Takes a name apart: `upperarm` on the left of `upperarm_l`, `J_Bip_L_UpperArm`, `DEF-upper_arm.L` and
    /// `Armature|Bip01 L UpperArm`.
    pub(crate) fn new(name: &str) -> Self {
        let name = name.rsplit([':', '|']).next().unwrap_or(name);
        let mut words = words(name);
        let side = |word: &str| match word {
            "l" | "left" | "左" => Some(BodySide::Left),
            "r" | "right" | "右" => Some(BodySide::Right),
            _ => None,
        };
        let said = words.iter().find_map(|word| side(word)).unwrap_or_default();
        words.retain(|word| side(word).is_none());
        let is_prefix = |word: &String| {
            let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
            PREFIXES.contains(&bare) || bare.is_empty()
        };
        let first = words.iter().position(|word| !is_prefix(word)).unwrap_or(words.len());
        words.drain(..first);
        let is_suffix = |word: &String| SUFFIXES.contains(&word.as_str());
        if words.len() > 1 && words != HIP_JOINT && words.last().is_some_and(is_suffix) {
            words.pop();
        }
        name_finger(&mut words);
        Self { side: said, text: words.concat() }
    }

    /// Returns the finger that it names and the number of the joint in it; finger 0 is the thumb.
    pub(crate) fn finger(&self) -> Option<(usize, u32)> {
        const FINGERS: [(&str, usize); 14] = [
            ("thumb", 0),
            ("index", 1),
            ("middle", 2),
            ("mid", 2),
            ("ring", 3),
            ("little", 4),
            ("pinky", 4),
            ("pinkie", 4),
            ("親指", 0),
            ("人指", 1),
            ("人差指", 1),
            ("中指", 2),
            ("薬指", 3),
            ("小指", 4),
        ];
        let text = self.text.as_str();
        // Biped numbers its fingers: `Finger0` is the thumb, `Finger12` the third joint of the next one.
        if let Some(number) = text.strip_prefix("finger")
            && let [finger @ b'0'..=b'4', rest @ ..] = number.as_bytes()
        {
            return match rest {
                [] => Some((usize::from(finger - b'0'), 0)),
                [joint @ b'1'..=b'2'] => {
                    Some((usize::from(finger - b'0'), u32::from(joint - b'0')))
                }
                _ => None,
            };
        }
        let text =
            ["hand", "finger", "f"].iter().find_map(|p| text.strip_prefix(p)).unwrap_or(text);
        let (rest, finger) = FINGERS
            .iter()
            .find_map(|(word, finger)| text.strip_prefix(word).map(|rest| (rest, *finger)))?;
        let rest = rest.strip_prefix("finger").unwrap_or(rest);
        let joint = match rest {
            "metacarpal" if finger == 0 => 0,
            "" | "proximal" => 1,
            "intermediate" => 2,
            "distal" => 3,
            digits => digits.parse().ok().filter(|joint| *joint <= 3)?,
        };
        Some((finger, joint))
    }
}

/// Returns the words of a name in small letters. A word ends at other characters than letters and digits, where a
/// capital follows a small letter or a digit, before a capital that small letters follow, and after the side of `LUArm`.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().map(narrow).collect();
    let mut words: Vec<String> = Vec::new();
    let mut starts = true;
    for (at, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            starts = true;
            continue;
        }
        let before = at.checked_sub(1).map_or(' ', |before| letters[before]);
        let after = letters.get(at + 1).copied().unwrap_or(' ');
        let camel = letter.is_uppercase()
            && (before.is_lowercase()
                || before.is_numeric()
                || before.is_uppercase() && after.is_lowercase()
                || at == 1 && begins_with_short_side(name));
        if starts || camel {
            words.push(String::new());
        }
        starts = false;
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words.into_iter().flat_map(split_side).collect()
}

/// Returns the plain form of a wide letter or digit, as Japanese names have them.
fn narrow(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        _ => letter,
    }
}

/// Replaces the numbers of MakeHuman's fingers, `finger2-3`, by the finger's name.
fn name_finger(words: &mut [String]) {
    const FINGERS: [&str; 5] = ["thumb", "index", "middle", "ring", "pinky"];
    if let [.., finger, joint] = words
        && joint.len() == 1
        && let Some([number @ b'1'..=b'5']) = finger.strip_prefix("finger").map(str::as_bytes)
    {
        *finger = FINGERS[usize::from(number - b'1')].to_owned();
    }
}

/// Splits a word such as `leftarm`.
fn split_side(word: String) -> impl Iterator<Item = String> {
    let side = ["left", "right", "左", "右"].into_iter().find(|side| word.starts_with(side));
    let rest = side.map(|side| word[side.len()..].to_owned()).filter(|rest| !rest.is_empty());
    match (side, rest) {
        (Some(side), Some(rest)) => [Some(side.to_owned()), Some(rest)],
        _ => [Some(word), None],
    }
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_joint_have_one_plain_name() {
        for (name, side, text) in [
            ("mixamorig:LeftUpLeg", BodySide::Left, "upleg"),
            ("mixamorig12:LeftUpLeg", BodySide::Left, "upleg"),
            ("mixamorigRightHandThumb1", BodySide::Right, "handthumb1"),
            ("mixamorig1Hips", BodySide::Center, "hips"),
            ("upperarm_l", BodySide::Left, "upperarm"),
            ("J_Bip_L_UpperArm", BodySide::Left, "upperarm"),
            ("J_Bip_C_UpperChest", BodySide::Center, "upperchest"),
            ("DEF-upper_arm.L", BodySide::Left, "upperarm"),
            ("DEF-upper_armL", BodySide::Left, "upperarm"),
            ("DEF-upper_arm.L.001", BodySide::Left, "upperarm001"),
            ("Bip01 L UpperArm", BodySide::Left, "upperarm"),
            ("ValveBiped.Bip01_L_UpperArm", BodySide::Left, "upperarm"),
            ("Armature|Bip001_R_Toe0", BodySide::Right, "toe0"),
            ("Bip01", BodySide::Center, ""),
            ("lShldr", BodySide::Left, "shldr"),
            ("LHipJoint", BodySide::Left, "hipjoint"),
            ("leftarm", BodySide::Left, "arm"),
            ("CC_Base_L_Upperarm", BodySide::Left, "upperarm"),
            ("upperarm_twist_01_l", BodySide::Left, "upperarmtwist01"),
            ("L_Knee_jnt", BodySide::Left, "knee"),
            ("left_upLeg_joint", BodySide::Left, "upleg"),
            ("spine_skin", BodySide::Center, "spine"),
            ("LUArm", BodySide::Left, "uarm"),
            ("LThigh", BodySide::Left, "thigh"),
            ("ROOT", BodySide::Center, "root"),
            ("Root_M", BodySide::Center, "rootm"),
            ("thigh_stretch.l", BodySide::Left, "thighstretch"),
            ("m_avg_L_Hip", BodySide::Left, "hip"),
            ("Robot_LeftUpLeg", BodySide::Left, "upleg"),
            ("左ひじ", BodySide::Left, "ひじ"),
            ("腕.R", BodySide::Right, "腕"),
            ("左足先ＥＸ", BodySide::Left, "足先ex"),
            ("上半身２", BodySide::Center, "上半身2"),
        ] {
            let plain = PlainName::new(name);
            assert_eq!((plain.side, plain.text.as_str()), (side, text), "{name}");
        }
    }

    #[test]
    fn fingers_are_numbered_from_the_thumb() {
        for (name, want) in [
            ("LeftHandThumb1", Some((0, 1))),
            ("LeftHandIndex4", None),
            ("index_02_l", Some((1, 2))),
            ("index_metacarpal_l", None),
            ("leftLittleDistal", Some((4, 3))),
            ("leftThumbMetacarpal", Some((0, 0))),
            ("J_Bip_R_Middle3", Some((2, 3))),
            ("DEF-f_pinky.03.L", Some((4, 3))),
            ("Bip01 L Finger0", Some((0, 0))),
            ("Bip01 L Finger12", Some((1, 2))),
            ("lMid2", Some((2, 2))),
            ("LThumb", Some((0, 1))),
            ("左親指０", Some((0, 0))),
            ("右人指３", Some((1, 3))),
            ("finger1-2.L", Some((0, 2))),
            ("finger5-3.R", Some((4, 3))),
            ("LeftHand", None),
            ("LeftFingerBase", None),
            ("Ringer", None),
        ] {
            assert_eq!(PlainName::new(name).finger(), want, "{name}");
        }
    }

    #[test]
    fn no_convention_has_a_name_twice() {
        for naming in NAMINGS {
            let names = naming.parts.iter().flat_map(|(_, names)| names.split(' '));
            let mut all: Vec<&str> = names.chain(naming.trunk.iter().copied()).collect();
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count, "{}", naming.name);
        }
    }
}
