//! What is wrong with a file: a [`Warning`] where it was repaired, an [`ImportError`] where not.

use super::escape::escaped_to;
use super::warning_code::WarningCode;

/// Characters that a message or pointer keeps.
const LONGEST_TEXT: usize = 400;

/// Warnings of one code that are listed one by one; the rest is counted.
const LISTED_OF_A_CODE: usize = 8;

/// Something of a file that was repaired, left out or read otherwise than written.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Warning {
    /// The kind of warning.
    pub code: WarningCode,
    /// Where in the file: a JSON pointer; empty for the file as a whole.
    pub pointer: String,
    /// One line with the names and numbers, without the pointer.
    pub message: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.message)?;
        if self.pointer.is_empty() { Ok(()) } else { write!(f, " at {}", self.pointer) }
    }
}

impl Warning {
    /// Whether nothing is wrong: it is only worth knowing.
    pub fn is_hint(&self) -> bool {
        self.code.is_hint()
    }

    /// Replaces the JSON pointer.
    pub(super) fn move_to(&mut self, pointer: &str) {
        self.pointer = escaped_to(pointer, LONGEST_TEXT);
    }
}

/// Why a file can't be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ImportError {
    /// What is wrong, one line.
    pub what: String,
    /// Where: a JSON pointer; empty for the file as a whole.
    pub pointer: String,
}

impl std::fmt::Display for ImportError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.what)?;
        if self.pointer.is_empty() { Ok(()) } else { write!(f, " at {}", self.pointer) }
    }
}

impl ImportError {
    /// An error at a JSON pointer (empty: the whole file). Both texts may quote the file: they are
    /// escaped and cut here.
    pub(super) fn new(pointer: &str, what: impl AsRef<str>) -> Self {
        Self {
            what: escaped_to(what.as_ref(), LONGEST_TEXT),
            pointer: escaped_to(pointer, LONGEST_TEXT),
        }
    }

    /// The same at another JSON pointer.
    pub(super) fn moved_to(self, pointer: &str) -> Self {
        Self { pointer: escaped_to(pointer, LONGEST_TEXT), ..self }
    }
}

/// The warnings of one import, in the order in which they are found.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    listed: Vec<Warning>,
    /// How often each code was warned of.
    counts: Vec<(WarningCode, usize)>,
}

impl Warnings {
    /// Adds one at a JSON pointer. Of many with one code the first few are kept. Both texts may
    /// quote the file: they are escaped and cut here.
    pub fn add(&mut self, code: WarningCode, pointer: &str, message: impl AsRef<str>) {
        let at = self.counter(code);
        self.counts[at].1 += 1;
        if self.counts[at].1 <= LISTED_OF_A_CODE {
            self.listed.push(Warning {
                code,
                pointer: escaped_to(pointer, LONGEST_TEXT),
                message: escaped_to(message.as_ref(), LONGEST_TEXT),
            });
        }
    }

    /// Whether the next one of a code is listed, not only counted.
    pub fn lists(&self, code: WarningCode) -> bool {
        let count = self.counts.iter().find(|(c, _)| *c == code).map_or(0, |(_, count)| *count);
        count < LISTED_OF_A_CODE
    }

    /// Adds an error that was lived with.
    pub fn add_error(&mut self, code: WarningCode, error: &ImportError) {
        self.add(code, &error.pointer, &error.what);
    }

    /// Adds what was found meanwhile elsewhere.
    pub fn append(&mut self, later: Self) {
        for warning in later.listed {
            let Warning { code, pointer, message } = warning;
            let at = self.counter(code);
            self.counts[at].1 += 1;
            if self.counts[at].1 <= LISTED_OF_A_CODE {
                self.listed.push(Warning { code, pointer, message });
            }
        }
        for (code, count) in later.counts {
            let at = self.counter(code);
            self.counts[at].1 += count.saturating_sub(LISTED_OF_A_CODE);
        }
    }

    /// Where the count of a code is.
    fn counter(&mut self, code: WarningCode) -> usize {
        self.counts.iter().position(|(c, _)| *c == code).unwrap_or_else(|| {
            self.counts.push((code, 0));
            self.counts.len() - 1
        })
    }

    /// How many are listed so far.
    pub fn count(&self) -> usize {
        self.listed.len()
    }

    /// The list, with a line at the end for each code that was cut short.
    pub fn finish(mut self) -> Vec<Warning> {
        for (code, count) in self.counts {
            if let more @ 1.. = count.saturating_sub(LISTED_OF_A_CODE) {
                let message = format!("and {more} more of this kind");
                self.listed.push(Warning { code, pointer: String::new(), message });
            }
        }
        self.listed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_warnings_of_one_kind_are_counted_not_listed() {
        let mut warnings = Warnings::default();
        for i in 0..1000 {
            warnings.add(WarningCode::NotFinite, &format!("/nodes/{i}"), "odd");
        }
        warnings.add(WarningCode::Count0, "", "odd\n");
        let list = warnings.finish();
        assert_eq!(list.len(), LISTED_OF_A_CODE + 2);
        assert_eq!(list[LISTED_OF_A_CODE].message, "odd\\u000a");
        assert_eq!(list.last().map(|w| w.message.as_str()), Some("and 992 more of this kind"));
    }

    #[test]
    fn warnings_of_several_places_are_as_if_of_one() {
        let (mut one, mut two, mut all) = <(Warnings, Warnings, Warnings)>::default();
        for i in 0..30 {
            let half = if i < 12 { &mut one } else { &mut two };
            for warnings in [half, &mut all] {
                let code = if i % 3 == 0 { WarningCode::NotFinite } else { WarningCode::Count0 };
                warnings.add(code, "", i.to_string());
            }
        }
        one.append(two);
        assert_eq!(one.finish(), all.finish());
    }

    #[test]
    fn an_error_says_what_and_where() {
        let error = ImportError::new("/nodes/0", "mesh 3 of 1");
        assert_eq!(error.to_string(), "mesh 3 of 1 at /nodes/0");
        assert_eq!(ImportError::new("", "empty").to_string(), "empty");
    }
}
