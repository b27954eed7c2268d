//! The side of the body that a joint belongs to, by the conventions of names.

use std::collections::HashMap;

/// A side of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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
    /// Returns the side in a joint's name: a word `left`, `right`, `l` or `r`, or a word that begins with
    /// `left`, `right`, `左` or `右`. Words end at other characters than letters, where a capital follows a small letter,
    /// and before a capital that a small letter follows: `mixamorig:LeftArm`, `upperarm_l`, `Arm.L.001`, `Bip01 R Thigh`,
    /// `rightHand`, `LThigh`. A name with both is in the middle.
    pub fn of_name(name: &str) -> Self {
        let mut sides = words(name).filter_map(|word| side_of_word(&word));
        let first = sides.next().unwrap_or_default();
        if sides.all(|side| side == first) { first } else { BodySide::Center }
    }
}

/// Returns the name of the joint on the other side of the body, with the words for the side exchanged. `None` for a name
/// without a side.
pub fn mirrored_name(name: &str) -> Option<String> {
    if BodySide::of_name(name) == BodySide::Center {
        return None;
    }
    let mut out = String::with_capacity(name.len() + 1);
    let mut rest = name;
    while !rest.is_empty() {
        let (word, behind) = rest.split_at(length_of_word(rest));
        match side_of_word(&word.to_lowercase()) {
            Some(side) => push_other_side(&mut out, word, side),
            None => out.push_str(word),
        }
        rest = behind;
    }
    Some(out)
}

/// Returns for each name the index of its namesake on the other side of the body ([`mirrored_name`]). Some exporters
/// number all nodes (`b_LeftArm_09`, `b_RightArm_06`), so a name without a partner is compared without the number at
/// its end, if that leaves no two names the same.
pub fn namesakes(names: &[Option<&str>]) -> Vec<Option<usize>> {
    let mut exact: HashMap<&str, usize> = HashMap::new();
    let mut bare: HashMap<&str, Option<usize>> = HashMap::new();
    for (index, name) in names.iter().enumerate() {
        let Some(name) = name else { continue };
        exact.entry(name).or_insert(index);
        bare.entry(without_number(name)).and_modify(|only| *only = None).or_insert(Some(index));
    }
    let partner = |name: &Option<&str>| {
        let other = mirrored_name((*name)?)?;
        let same = || bare.get(without_number(&other)).copied().flatten();
        exact.get(other.as_str()).copied().or_else(same)
    };
    names.iter().map(partner).collect()
}

/// Returns a name without a number that is separated from its other words, at its end.
fn without_number(name: &str) -> &str {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let words = bare.trim_end_matches(['_', '.', '-', ' ']);
    if words.len() < bare.len() && !words.is_empty() { words } else { name }
}

/// Returns the bytes of the word, or else of the one other character, that a name begins with.
fn length_of_word(name: &str) -> usize {
    if begins_with_short_side(name) {
        return 1;
    }
    let mut letters = name.char_indices();
    let Some((_, mut before)) = letters.next() else { return 0 };
    while let Some((at, letter)) = letters.next() {
        let after = letters.clone().next().map(|(_, after)| after);
        if !letter.is_alphabetic() || !before.is_alphabetic() || starts_word(before, letter, after)
        {
            return at;
        }
        before = letter;
    }
    name.len()
}

/// Whether a name begins with a side and another letter that stands for a word: `LUArm`.
pub(crate) fn begins_with_short_side(name: &str) -> bool {
    let mut letters = name.chars();
    matches!(letters.next(), Some('L' | 'R'))
        && letters.by_ref().take(2).filter(|letter| letter.is_uppercase()).count() == 2
        && letters.next().is_some_and(char::is_lowercase)
}

/// Whether the side of a name is a capital letter right before another one, which may begin an abbreviation or another word:
/// `LThigh`, but also `LEDstrip` and `RBody`.
pub fn begins_with_side_or_letter(name: &str) -> bool {
    let mut letters = name.chars();
    matches!(letters.next(), Some('L' | 'R'))
        && letters.next().is_some_and(char::is_uppercase)
        && !["LEFT", "RIGHT"].iter().any(|side| name.starts_with(side))
}

/// Whether a letter after another one begins a word: a capital after a small letter, or before one.
fn starts_word(before: char, letter: char, after: Option<char>) -> bool {
    letter.is_uppercase() && (before.is_lowercase() || after.is_some_and(char::is_lowercase))
}

/// Appends a word that begins with a side, with the other side in the same capitals.
fn push_other_side(out: &mut String, word: &str, side: BodySide) {
    let is_japanese = word.starts_with(['左', '右']);
    let [own, other] = match (side, is_japanese) {
        (BodySide::Left, false) => ["left", "right"],
        (_, false) => ["right", "left"],
        (BodySide::Left, true) => ["左", "右"],
        (_, true) => ["右", "左"],
    };
    let (own, other) = if word.len() == 1 { (&own[..1], &other[..1]) } else { (own, other) };
    let (said, behind) = word.split_at(own.len().min(word.len()));
    let all_capitals = said.len() > 1 && said.chars().all(char::is_uppercase);
    let first_capital = said.starts_with(char::is_uppercase);
    for (i, letter) in other.chars().enumerate() {
        let is_capital = all_capitals || first_capital && i == 0;
        out.push(if is_capital { letter.to_ascii_uppercase() } else { letter });
    }
    out.push_str(behind);
}

fn side_of_word(word: &str) -> Option<BodySide> {
    match word {
        "l" => Some(BodySide::Left),
        "r" => Some(BodySide::Right),
        _ if word.starts_with("left") || word.starts_with('左') => Some(BodySide::Left),
        _ if word.starts_with("right") || word.starts_with('右') => Some(BodySide::Right),
        _ => None,
    }
}

/// Returns the words of a name in small letters.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut rest = name;
    std::iter::from_fn(move || {
        let (word, behind) = rest.split_at(length_of_word(rest));
        rest = behind;
        (!word.is_empty()).then(|| word.to_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_side_has_the_same_name_but_for_the_side() {
        for (left, right) in [
            ("mixamorig:LeftArm", "mixamorig:RightArm"),
            ("upperarm_l", "upperarm_r"),
            ("Arm.L.001", "Arm.R.001"),
            ("Bip01 L Thigh", "Bip01 R Thigh"),
            ("leftHand", "rightHand"),
            ("LEFT_EYE", "RIGHT_EYE"),
            ("LThigh", "RThigh"),
            ("LUArm", "RUArm"),
            ("左腕", "右腕"),
            ("足.L", "足.R"),
            ("Skeleton_arm_joint_L__4_", "Skeleton_arm_joint_R__4_"),
        ] {
            assert_eq!(mirrored_name(left).as_deref(), Some(right));
            assert_eq!(mirrored_name(right).as_deref(), Some(left));
        }
        for name in ["Hips", "Tail_l_r", "", "Ärmel"] {
            assert_eq!(mirrored_name(name), None, "{name}");
        }
    }

    #[test]
    fn namesakes_are_found_although_every_node_has_a_number() {
        let names =
            ["root", "b_LeftArm_09", "b_RightArm_06", "Leg.L", "Leg.R", "Toe_1_L", "Eye_L_1"];
        let names: Vec<_> = names.into_iter().map(Some).chain([None]).collect();
        let expected = [None, Some(2), Some(1), Some(4), Some(3), None, None, None];
        assert_eq!(namesakes(&names), expected);
        // Two names that differ by their number only have no partner but the exact one.
        let names = ["LeftArm_1", "LeftArm_2", "RightArm_2", "RightArm_3"].map(Some);
        assert_eq!(namesakes(&names), [None, Some(2), Some(1), None]);
    }

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
            "LThigh",
            "左ひじ",
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
