//! Naming profiles: the joints or morph targets that well-known conventions require.

use std::collections::HashSet;

use super::rig::Rig;
use super::{Code, Finding};

rigview_anim::named_enum! {
    /// A naming convention of joints or morph targets, with its name in contracts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Profile {
        /// Mixamo's skeleton, as exported without fingers, with or without the prefix `mixamorig:`.
        Mixamo = "mixamo",
        /// The mannequin of Unreal Engine 4 and 5, without fingers, twist and IK bones, in any case.
        UnrealMannequin = "unreal-mannequin",
        /// The bones that VRM requires of a humanoid. Nodes may be named by VRM (`leftUpperArm`), Unity
        /// (`LeftUpperArm`) or VRoid (`J_Bip_L_UpperArm`).
        VrmHumanoid = "vrm-humanoid",
        /// ARKit's 52 face shapes, as morph targets of any mesh, with `Left` or `_L`.
        Arkit52 = "arkit-52",
    }
}

impl Profile {
    /// Returns the names that must exist.
    pub fn required(self) -> Vec<&'static str> {
        let names = match self {
            Self::Mixamo => MIXAMO,
            Self::UnrealMannequin => UNREAL,
            Self::VrmHumanoid => VRM,
            Self::Arkit52 => ARKIT,
        };
        names.split(' ').collect()
    }

    /// Returns the form in which names are compared.
    fn plain(self, name: &str) -> String {
        match self {
            Self::Mixamo => without_mixamo_prefix(name).to_owned(),
            Self::UnrealMannequin => name.to_lowercase(),
            Self::VrmHumanoid => words(name).concat(),
            Self::Arkit52 => words(name.rsplit(['.', ':', '|']).next().unwrap_or(name)).concat(),
        }
    }

    /// Returns a finding per required name that is missing, or a single one if all are.
    pub(super) fn findings(self, rig: &Rig) -> Vec<Finding> {
        let shapes = rig.model.meshes.iter().flat_map(|mesh| &mesh.target_names);
        let there: HashSet<String> = match self {
            Self::Arkit52 => shapes.map(|name| self.plain(name)).collect(),
            _ => rig.joints.iter().filter_map(|j| rig.name(*j)).map(|n| self.plain(n)).collect(),
        };
        let required = self.required();
        let missing: Vec<&str> =
            required.iter().copied().filter(|name| !there.contains(&self.plain(name))).collect();
        let kind = if self == Self::Arkit52 { "morph target" } else { "joint" };
        let profile = self.name();
        if missing.len() == required.len() {
            let text =
                format!("none of the {} {kind}s of profile {profile} exists", required.len());
            let finding = Finding::new(Code::Contract, text).of(Some(profile));
            return vec![finding.measured(missing.len() as f64, "missing").limited(0.0)];
        }
        let missing = missing.into_iter().map(|name| {
            let text = format!("{kind} \"{name}\" of profile {profile} is missing");
            Finding::new(Code::Contract, text).of(Some(name))
        });
        missing.collect()
    }
}

/// Returns a name without Mixamo's namespace: `mixamorig:Hips`, `mixamorig1:Hips`, `mixamorigHips`,
/// `mixamorig_Hips`.
fn without_mixamo_prefix(name: &str) -> &str {
    name.strip_prefix("mixamorig").map_or(name, |rest| {
        rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches([':', '_'])
    })
}

/// Returns the words of a joint's or shape's name in lower case, sides written out and first: `left`,
/// `upper`, `arm` of `LeftUpperArm`, `J_Bip_L_UpperArm`, `upperArm.L` and `DEF-upper_arm.L`. Words that only
/// say that it is a joint are left out.
pub(super) fn words(name: &str) -> Vec<String> {
    const NOISE: &str = "j c bip bip01 bip001 bind bn bone def jnt joint mixamorig rig skin";
    let mut all: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        let starts = !before.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase());
        if c.is_alphanumeric() {
            if starts || all.is_empty() {
                all.push(String::new());
            }
            if let Some(word) = all.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
        before = c;
    }
    let side = |word: &String| match word.as_str() {
        "l" | "left" => Some("left"),
        "r" | "right" => Some("right"),
        _ => None,
    };
    let sides: Vec<String> = all.iter().filter_map(side).map(str::to_owned).collect();
    let rest = all.into_iter().filter(|word| side(word).is_none());
    let rest = rest.filter(|word| !NOISE.split(' ').any(|noise| noise == word.as_str()));
    sides.into_iter().chain(rest).collect()
}

const MIXAMO: &str = "\
    Hips Spine Spine1 Spine2 Neck Head LeftShoulder LeftArm LeftForeArm LeftHand \
    RightShoulder RightArm RightForeArm RightHand LeftUpLeg LeftLeg LeftFoot LeftToeBase \
    RightUpLeg RightLeg RightFoot RightToeBase";

const UNREAL: &str = "\
    root pelvis spine_01 spine_02 spine_03 neck_01 head clavicle_l upperarm_l lowerarm_l \
    hand_l clavicle_r upperarm_r lowerarm_r hand_r thigh_l calf_l foot_l ball_l thigh_r \
    calf_r foot_r ball_r";

const VRM: &str = "\
    hips spine head leftUpperArm leftLowerArm leftHand rightUpperArm rightLowerArm rightHand \
    leftUpperLeg leftLowerLeg leftFoot rightUpperLeg rightLowerLeg rightFoot";

const ARKIT: &str = "\
    browDownLeft browDownRight browInnerUp browOuterUpLeft browOuterUpRight cheekPuff \
    cheekSquintLeft cheekSquintRight eyeBlinkLeft eyeBlinkRight eyeLookDownLeft \
    eyeLookDownRight eyeLookInLeft eyeLookInRight eyeLookOutLeft eyeLookOutRight \
    eyeLookUpLeft eyeLookUpRight eyeSquintLeft eyeSquintRight eyeWideLeft eyeWideRight \
    jawForward jawLeft jawOpen jawRight mouthClose mouthDimpleLeft mouthDimpleRight \
    mouthFrownLeft mouthFrownRight mouthFunnel mouthLeft mouthLowerDownLeft \
    mouthLowerDownRight mouthPressLeft mouthPressRight mouthPucker mouthRight mouthRollLower \
    mouthRollUpper mouthShrugLower mouthShrugUpper mouthSmileLeft mouthSmileRight \
    mouthStretchLeft mouthStretchRight mouthUpperUpLeft mouthUpperUpRight noseSneerLeft \
    noseSneerRight tongueOut";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_have_the_numbers_of_their_conventions() {
        let counts: Vec<usize> = Profile::ALL.iter().map(|p| p.required().len()).collect();
        assert_eq!(counts, [22, 23, 15, 52]);
        for profile in Profile::ALL {
            let plain: HashSet<_> = profile.required().iter().map(|n| profile.plain(n)).collect();
            assert_eq!(plain.len(), profile.required().len(), "{profile:?}");
        }
    }

    #[test]
    fn names_of_other_programs_count() {
        for (profile, name, other) in [
            (Profile::Mixamo, "LeftArm", "mixamorig:LeftArm"),
            (Profile::Mixamo, "LeftArm", "mixamorig12:LeftArm"),
            (Profile::UnrealMannequin, "upperarm_l", "UpperArm_L"),
            (Profile::VrmHumanoid, "leftUpperArm", "J_Bip_L_UpperArm"),
            (Profile::VrmHumanoid, "leftUpperArm", "upper_arm.L"),
            (Profile::VrmHumanoid, "hips", "Bip01 Hips"),
            (Profile::Arkit52, "eyeBlinkLeft", "eyeBlink_L"),
            (Profile::Arkit52, "jawOpen", "face_blendShape.jawOpen"),
        ] {
            assert_eq!(profile.plain(name), profile.plain(other), "{other}");
        }
        assert_ne!(Profile::Mixamo.plain("LeftArm"), Profile::Mixamo.plain("leftArm"));
    }
}
