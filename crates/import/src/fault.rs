//! Defects of a file: [`Warnings`] collects those that were repaired, an [`ImportError`] is any other.

use rigview_document::{At, DocumentError};
use rigview_model::{OverBudget, Warning, WarningCode, escaped_to};

/// Longest message or pointer, in characters; longer ones are cut.
pub(super) const LONGEST_TEXT: usize = 400;

/// Warnings per code that are listed for people, and for a check; further ones are only counted.
const FEW_OF_A_CODE: usize = 8;
const LISTED_OF_A_CODE: usize = 4_096;

/// Why a file can't be loaded.
///
/// Every variant prints as one line without control characters, with the place in the file at its
/// end. The texts in it may quote the file; the constructors escape and shorten them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The content is that of another kind of file.
    NotGltf {
        /// What the file is instead.
        what: String,
    },
    /// The file can't be opened or read.
    Io {
        /// The system's reason.
        what: String,
    },
    /// A buffer that the file names can't be read.
    Resource {
        /// The reason, with the URI.
        what: String,
        /// JSON pointer of the URI.
        pointer: String,
    },
    /// The GLB container is damaged.
    Container {
        /// What is wrong with it.
        what: String,
    },
    /// The document is not valid JSON, or not an object.
    Json {
        /// What is wrong with it.
        what: String,
    },
    /// A required property is missing.
    Missing {
        /// The glTF object that lacks it, in words.
        owner: String,
        /// The property.
        key: String,
        /// JSON pointer of the object.
        pointer: String,
    },
    /// An index names an object that does not exist.
    OutOfRange {
        /// The glTF object that has the index, in words.
        owner: String,
        /// What the index names: `mesh`, `accessor`.
        noun: String,
        /// The index.
        index: u64,
        /// Objects that exist.
        count: usize,
        /// JSON pointer of the index.
        pointer: String,
    },
    /// The file needs a version or an extension that is not supported.
    Unsupported {
        /// What it needs.
        what: String,
        /// JSON pointer of what states the need; empty for the container.
        pointer: String,
    },
    /// The file's data takes more memory than it may.
    OverBudget {
        /// What takes too much, in words; may be empty.
        owner: String,
        /// How much it takes, and the limit.
        over: OverBudget,
        /// JSON pointer of what takes too much; empty for the file as a whole.
        pointer: String,
    },
    /// The file breaks another rule of glTF.
    Invalid {
        /// Which, with the glTF object in words.
        what: String,
        /// JSON pointer of the place; empty for the file as a whole.
        pointer: String,
    },
    /// The load was cancelled.
    Cancelled,
    /// A failure that is not the file's.
    Other {
        /// What failed.
        what: String,
    },
}

impl std::fmt::Display for ImportError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.message())?;
        let pointer = self.pointer();
        if pointer.is_empty() { Ok(()) } else { write!(f, " at {pointer}") }
    }
}

impl ImportError {
    /// Creates an error for a file that can't be opened or read.
    pub fn io(what: impl AsRef<str>) -> Self {
        Self::Io { what: line(what) }
    }

    /// Creates an error for a failure that is not the file's.
    pub fn other(what: impl AsRef<str>) -> Self {
        Self::Other { what: line(what) }
    }

    /// Creates an error for something that takes more memory than it may. `owner` says what, in
    /// words; may be empty.
    pub fn over_budget(owner: &str, over: OverBudget) -> Self {
        Self::OverBudget { owner: line(owner), over, pointer: String::new() }
    }

    /// Creates an error for an object of the document that takes more memory than it may.
    pub(super) fn over_budget_at(at: &At, over: OverBudget) -> Self {
        Self::OverBudget { owner: line(at.title()), over, pointer: line(&at.pointer) }
    }

    /// Creates an error for a resource that a place of the document names and that can't be read.
    pub(super) fn unreadable_at(at: &At, what: impl AsRef<str>) -> Self {
        Self::Resource { what: line(at.entitled(what)), pointer: line(&at.pointer) }
    }

    /// Creates an error for something that a place of the document needs and that is not supported.
    pub(super) fn unsupported_at(at: &At, what: impl AsRef<str>) -> Self {
        Self::unsupported(&at.pointer, at.entitled(what))
    }

    /// Creates an error for a file of another kind.
    pub(super) fn not_gltf(what: impl AsRef<str>) -> Self {
        Self::NotGltf { what: line(what) }
    }

    /// Creates an error for a damaged GLB.
    pub(super) fn container(what: impl AsRef<str>) -> Self {
        Self::Container { what: line(what) }
    }

    /// Creates an error for a document that is not valid JSON.
    pub(super) fn json(what: impl AsRef<str>) -> Self {
        Self::Json { what: line(what) }
    }

    /// Creates an error for a version or extension that is not supported.
    pub(super) fn unsupported(pointer: &str, what: impl AsRef<str>) -> Self {
        Self::Unsupported { what: line(what), pointer: line(pointer) }
    }

    /// Creates an error for a file that breaks a rule of glTF.
    pub(super) fn invalid(pointer: &str, what: impl AsRef<str>) -> Self {
        Self::Invalid { what: line(what), pointer: line(pointer) }
    }

    /// Returns what is wrong in one line, without the place.
    pub fn message(&self) -> String {
        let of = |owner: &str, what: String| match owner {
            "" => line(what),
            owner => line(format!("{owner}: {what}")),
        };
        match self {
            Self::NotGltf { what }
            | Self::Io { what }
            | Self::Resource { what, .. }
            | Self::Container { what }
            | Self::Json { what }
            | Self::Unsupported { what, .. }
            | Self::Invalid { what, .. }
            | Self::Other { what } => what.clone(),
            Self::Missing { owner, key, .. } => of(owner, format!("{key} is missing")),
            Self::OutOfRange { owner, noun, index, count, .. } => {
                of(owner, format!("{noun} {index} of {count} is out of range"))
            }
            Self::OverBudget { owner, over, .. } => of(owner, over.to_string()),
            Self::Cancelled => "the load was given up".into(),
        }
    }

    /// Returns the JSON pointer of the place; empty for the file as a whole.
    pub fn pointer(&self) -> &str {
        match self {
            Self::Resource { pointer, .. }
            | Self::Missing { pointer, .. }
            | Self::OutOfRange { pointer, .. }
            | Self::Unsupported { pointer, .. }
            | Self::OverBudget { pointer, .. }
            | Self::Invalid { pointer, .. } => pointer,
            Self::NotGltf { .. }
            | Self::Io { .. }
            | Self::Container { .. }
            | Self::Json { .. }
            | Self::Cancelled
            | Self::Other { .. } => "",
        }
    }

    /// Replaces the JSON pointer of an error that has one.
    pub(super) fn move_to(&mut self, to: &str) {
        match self {
            Self::Resource { pointer, .. }
            | Self::Missing { pointer, .. }
            | Self::OutOfRange { pointer, .. }
            | Self::Unsupported { pointer, .. }
            | Self::OverBudget { pointer, .. }
            | Self::Invalid { pointer, .. } => *pointer = line(to),
            _ => {}
        }
    }
}

impl From<DocumentError> for ImportError {
    fn from(error: DocumentError) -> Self {
        match error {
            DocumentError::Json { what } => Self::json(what),
            DocumentError::Missing { owner, key, pointer } => {
                Self::Missing { owner: line(owner), key: line(key), pointer: line(pointer) }
            }
            DocumentError::OutOfRange { owner, noun, index, count, pointer } => {
                let (owner, noun, pointer) = (line(owner), line(noun), line(pointer));
                Self::OutOfRange { owner, noun, index, count, pointer }
            }
            DocumentError::Invalid { what, pointer } => Self::invalid(&pointer, what),
        }
    }
}

/// Escapes and shortens a text of the file.
fn line(text: impl AsRef<str>) -> String {
    escaped_to(text.as_ref(), LONGEST_TEXT)
}

/// The warnings of one import, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    listed: Vec<Warning>,
    /// Warnings per code, including those that are not listed.
    counts: Vec<(WarningCode, usize)>,
}

impl Warnings {
    /// Adds a warning at a place of the document.
    pub fn add_at(&mut self, at: &At, code: WarningCode, what: impl AsRef<str>) {
        // Skips the text of warnings that are only counted: it takes longer than the check itself.
        let message = if self.lists(code) { at.entitled(what) } else { String::new() };
        self.add(code, &at.pointer, message);
    }

    /// Adds a warning at a JSON pointer. Only the first few of a code are listed. Both texts may
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

    /// Whether the next warning of a code will be listed, not only counted.
    pub fn lists(&self, code: WarningCode) -> bool {
        let count = self.counts.iter().find(|(c, _)| *c == code).map_or(0, |(_, count)| *count);
        count < LISTED_OF_A_CODE
    }

    /// Adds an error that was worked around as a warning.
    pub fn add_error(&mut self, code: WarningCode, error: &ImportError) {
        self.add(code, error.pointer(), error.message());
    }

    /// Appends the warnings that another thread collected.
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

    /// Returns the index of a code in `counts`, adding it if needed.
    fn counter(&mut self, code: WarningCode) -> usize {
        self.counts.iter().position(|(c, _)| *c == code).unwrap_or_else(|| {
            self.counts.push((code, 0));
            self.counts.len() - 1
        })
    }

    /// The number of warnings so far that [`Warnings::finish`] will list.
    pub fn count(&self, all: bool) -> usize {
        self.counts.iter().map(|(_, count)| (*count).min(most_of_a_code(all))).sum()
    }

    /// Returns the list, with a last line for each code that has more warnings than are listed: a few, or `all` that
    /// memory allows.
    pub fn finish(mut self, all: bool) -> Vec<Warning> {
        let most = most_of_a_code(all);
        let mut seen = vec![0; self.counts.len()];
        self.listed.retain(|warning| {
            let at = self.counts.iter().position(|(code, _)| *code == warning.code);
            let seen = &mut seen[at.unwrap_or_default()];
            *seen += 1;
            *seen <= most
        });
        for (code, count) in self.counts {
            if let more @ 1.. = count.saturating_sub(most) {
                let message = format!("and {more} more of this kind");
                self.listed.push(Warning { code, pointer: String::new(), message });
            }
        }
        self.listed
    }
}

fn most_of_a_code(all: bool) -> usize {
    if all { LISTED_OF_A_CODE } else { FEW_OF_A_CODE }
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
        let list = warnings.finish(false);
        assert_eq!(list.len(), FEW_OF_A_CODE + 2);
        assert_eq!(list[FEW_OF_A_CODE].message, "odd\\u000a");
        assert_eq!(list.last().map(|w| w.message.as_str()), Some("and 992 more of this kind"));
    }

    #[test]
    fn a_check_gets_them_all() {
        let mut warnings = Warnings::default();
        (0..1000).for_each(|i| warnings.add(WarningCode::NotFinite, "", i.to_string()));
        assert_eq!(warnings.finish(true).len(), 1000);
    }

    #[test]
    fn appended_warnings_equal_those_of_one_list() {
        let (mut one, mut two, mut all) = <(Warnings, Warnings, Warnings)>::default();
        for i in 0..30 {
            let half = if i < 12 { &mut one } else { &mut two };
            for warnings in [half, &mut all] {
                let code = if i % 3 == 0 { WarningCode::NotFinite } else { WarningCode::Count0 };
                warnings.add(code, "", i.to_string());
            }
        }
        one.append(two);
        assert_eq!(one.finish(false), all.finish(false));
    }

    #[test]
    fn an_error_says_what_and_where() {
        let error = ImportError::invalid("/nodes/0", "mesh 3 of 1");
        assert_eq!(error.to_string(), "mesh 3 of 1 at /nodes/0");
        assert_eq!(ImportError::not_gltf("empty").to_string(), "empty");
    }
}
