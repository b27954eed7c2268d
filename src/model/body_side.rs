//! The side of the body that a joint belongs to, by the conventions of names.

/// A side of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodySide {
    /// In the middle, or unknown.
    #[default]
    Center,
    /// The body's own left.
    Left,
    /// The body's own right.
    Right,
}

impl BodySide {
    /// Returns the side that a joint's name says: by a word `left`, `right`, `l` or `r`, or a word that begins with
    /// `left` or `right`. Words end at other characters than letters, and where a capital follows a small letter:
    /// `mixamorig:LeftArm`, `upperarm_l`, `Arm.L.001`, `Bip01 R Thigh`, `rightHand`. A name that says both is in the
    /// middle.
    pub fn of_name(name: &str) -> Self {
        let mut sides = words(name).filter_map(|word| side_of_word(&word));
        let first = sides.next().unwrap_or_default();
        if sides.all(|side| side == first) { first } else { BodySide::Center }
    }
}

fn side_of_word(word: &str) -> Option<BodySide> {
    match word {
        "l" => Some(BodySide::Left),
        "r" => Some(BodySide::Right),
        _ if word.starts_with("left") => Some(BodySide::Left),
        _ if word.starts_with("right") => Some(BodySide::Right),
        _ => None,
    }
}

/// Returns the words of a name in small letters.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        if before.is_lowercase() && letter.is_uppercase() || !letter.is_alphabetic() {
            words.push(String::new());
        }
        if letter.is_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_common_rigs_say_their_side() {
        for name in [
            "mixamorig:LeftArm",
            "upperarm_l",
            "Arm.L.001",
            "Bip01 L Thigh",
            "leftHand",
            "L_Foot",
            "hand-l",
            "LEFT_EYE",
        ] {
            assert_eq!(BodySide::of_name(name), BodySide::Left, "{name}");
        }
        for name in [
            "mixamorig:RightArm",
            "thigh_r",
            "Leg.R",
            "Bip01 R Thigh",
            "b_RightLeg01_015",
            "rightfoot",
        ] {
            assert_eq!(BodySide::of_name(name), BodySide::Right, "{name}");
        }
        for name in
            ["Hips", "Spine1", "lower", "arm", "root", "", "Tail_l_r", "R2L", "bone.001", "Ärmel"]
        {
            assert_eq!(BodySide::of_name(name), BodySide::Center, "{name}");
        }
    }
}
