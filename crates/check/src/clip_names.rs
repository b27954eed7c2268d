//! What the name of a clip says of its motion. Only these two lists are read from names; whatever else a file means is
//! declared in a contract.

use super::profiles::words;

/// Clips that go round or on for as long as they last. Their ends are compared although they rest there.
const GOES_ROUND: [&str; 13] = [
    "breathe", "crouch", "cycle", "dance", "fly", "idle", "jog", "loop", "run", "stand", "strafe",
    "swim", "walk",
];

/// Clips in which the body is on the ground, so that its hips are many times lower than at rest.
const LIES_DOWN: [&str; 11] =
    ["crawl", "dead", "death", "die", "dying", "fall", "lie", "lying", "prone", "roll", "sleep"];

/// Whether the name of a clip says that it loops or goes on.
pub(super) fn goes_round(name: &str) -> bool {
    has_word(name, &GOES_ROUND)
}

/// Whether the name of a clip says that the body lies down.
pub(super) fn lies_down(name: &str) -> bool {
    has_word(name, &LIES_DOWN)
}

/// Whether a name has a word of a list, with a number (`walk01`), or as what is being done (`walking`, `running`, `dancing`).
fn has_word(name: &str, list: &[&str]) -> bool {
    let is_one =
        |stem: &str| list.iter().any(|word| word.strip_suffix('e').unwrap_or(word) == stem);
    words(name).iter().any(|word| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let stem = word.strip_suffix("ing").or_else(|| word.strip_suffix("ed"));
        let undoubled = stem.and_then(|stem| {
            let short = stem.get(..stem.len().checked_sub(1)?)?;
            stem.strip_prefix(short)?.chars().next().filter(|last| short.ends_with(*last))?;
            Some(short)
        });
        list.contains(&word) || [stem, undoubled].into_iter().flatten().any(is_one)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_with_numbers_and_as_what_is_being_done() {
        for name in
            ["Walk_01", "Armature|Running", "idle02", "LoopedTurn", "BreathingIdle", "Dancing"]
        {
            assert!(goes_round(name), "{name}");
        }
        for name in ["Sleeping", "Death01", "Dying", "lying_back"] {
            assert!(lies_down(name), "{name}");
        }
        assert!(!goes_round("Attack") && !goes_round("Runner") && !lies_down("Walk"));
    }
}
