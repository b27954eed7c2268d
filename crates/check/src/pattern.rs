//! Patterns of names, as contracts and the command line have them.

use globset::{Glob, GlobMatcher};
use serde::{Deserialize, Deserializer};

use rigview_model::quoted;

/// Limits of a glob: bytes, and characters with a meaning. Beyond, its compilation would take memory and stack without
/// a bound.
const LONGEST: usize = 1_000;
const MOST_SIGNS: usize = 64;

/// A name, or a glob over names. A name that is also a valid glob matches itself.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    /// `None` for a plain name.
    glob: Option<GlobMatcher>,
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// If the text is no glob, or one that is too long or has too many `*`, `?`, `[` and `{`.
    pub fn new(text: &str) -> Result<Self, String> {
        let signs = text.chars().filter(|c| matches!(c, '*' | '?' | '[' | '{' | '\\')).count();
        if signs > 0 && (signs > MOST_SIGNS || text.len() > LONGEST) {
            return Err(format!(
                "glob {} is too long: it may have {LONGEST} bytes and {MOST_SIGNS} of * ? [ {{",
                quoted(text)
            ));
        }
        let is_plain = signs == 0 && !text.contains([']', '}']);
        let glob = (!is_plain).then(|| Glob::new(text)).transpose();
        let glob = glob.map_err(|e| format!("{} is no glob: {}", quoted(text), e.kind()))?;
        Ok(Self { text: text.to_owned(), glob: glob.map(|glob| glob.compile_matcher()) })
    }

    /// Returns the pattern as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a name is meant.
    pub fn matches(&self, name: &str) -> bool {
        self.text == name || self.glob.as_ref().is_some_and(|glob| glob.is_match(name))
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_have_a_limit_and_names_have_none() {
        for text in [
            "{".repeat(400) + &"}".repeat(400),
            "*".repeat(300),
            "a*".to_owned() + &"b".repeat(2000),
        ] {
            let error = Pattern::new(&text).unwrap_err();
            assert!(error.contains("too long") && error.len() < 250, "{error}");
        }
        let name = "x".repeat(5000);
        assert!(Pattern::new(&name).unwrap().matches(&name));
        assert!(Pattern::new("Walk*").unwrap().matches("Walk_2"));
        assert!(!Pattern::new("Walk*").unwrap().matches("Run"));
        assert!(Pattern::new("Arm[L]").unwrap().matches("Arm[L]"));
        assert!(Pattern::new("Arm[").unwrap_err().contains("is no glob"));
    }

    #[test]
    fn the_largest_globs_compile() {
        let text = "{a,".repeat(MOST_SIGNS) + &"}".repeat(MOST_SIGNS);
        assert!(Pattern::new(&text).is_ok_and(|pattern| pattern.matches("a")));
        assert!(Pattern::new(&"*".repeat(MOST_SIGNS)).is_ok_and(|pattern| pattern.matches("a")));
        let classes = "[!a-z]".repeat(MOST_SIGNS);
        assert!(Pattern::new(&classes).is_ok());
    }
}
