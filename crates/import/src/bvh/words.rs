//! Words between white space, and braces. Lines mean nothing, except that a name extends to the end of its line.

use crate::fault::ImportError;
use rigview_model::quoted;

/// The beginning of a comment, which extends to the end of its line.
pub(super) const COMMENT: &str = "//";

/// Reads words, and numbers the lines that they stand in.
pub(super) struct Words<'a> {
    pub text: &'a str,
    /// The offset of what is read next.
    pub at: usize,
}

impl<'a> Words<'a> {
    /// Skips white space and comments.
    pub fn skip_space(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let next = rest.trim_start();
            self.at += rest.len() - next.len();
            if !next.starts_with(COMMENT) {
                return;
            }
            self.at += next.find(['\n', '\r']).unwrap_or(next.len());
        }
    }

    /// Returns the next word without reading it; `None` at the end of the text.
    pub fn peek(&mut self) -> Option<&'a str> {
        self.skip_space();
        let rest = &self.text[self.at..];
        // A brace is a word of its own, also without white space around it.
        let end = match rest.starts_with(['{', '}']) {
            true => 1,
            false => {
                let is_end = |c: char| c.is_whitespace() || c == '{' || c == '}';
                rest.find(is_end).unwrap_or(rest.len())
            }
        };
        Some(&rest[..end]).filter(|word| !word.is_empty())
    }

    /// Reads the next word.
    pub fn next(&mut self) -> Option<&'a str> {
        let word = self.peek()?;
        self.at += word.len();
        Some(word)
    }

    /// Returns a name, which extends to the end of its line. It may begin on the next one.
    pub fn name(&mut self) -> &'a str {
        self.skip_space();
        let rest = &self.text[self.at..];
        let end = rest.find(['\n', '\r', '{']).unwrap_or(rest.len());
        self.at += end;
        let line = &rest[..end];
        let comment = line.match_indices(COMMENT).map(|(at, _)| at);
        // Names may contain slashes.
        let mut comment = comment.filter(|at| line[..*at].ends_with(char::is_whitespace));
        line[..comment.next().unwrap_or(end)].trim()
    }

    /// Returns an error at the present line.
    pub fn error(&self, what: impl AsRef<str>) -> ImportError {
        self.error_at(self.at, what)
    }

    /// Returns an error at the line of an offset.
    pub fn error_at(&self, at: usize, what: impl AsRef<str>) -> ImportError {
        ImportError::container(format!("BVH, line {}: {}", self.line_at(at), what.as_ref()))
    }

    /// Returns the number of the line at an offset, from 1.
    pub fn line_at(&self, at: usize) -> usize {
        self.text[..at].matches('\n').count() + 1
    }

    /// Whether the next word is this one, in upper or lower case.
    pub fn is_next(&mut self, word: &str) -> bool {
        self.peek().is_some_and(|next| next.eq_ignore_ascii_case(word))
    }

    /// Reads a word that must be next.
    pub fn expect(&mut self, word: &str) -> Result<(), ImportError> {
        match self.is_next(word) {
            true => {
                self.next();
                Ok(())
            }
            false => {
                let found = self.peek().map_or("the end of the file".to_owned(), quoted);
                Err(self.error(format!("{word} expected, not {found}")))
            }
        }
    }

    /// Reads the name of a header line with its colon. White space in and around it means nothing.
    pub fn expect_field(&mut self, name: &str) -> Result<(), ImportError> {
        self.skip_space();
        let rest = &self.text[self.at..];
        let letters = |text: &str| text.split_whitespace().collect::<String>();
        let label = rest.split(':').next().unwrap_or_default();
        if label.len() == rest.len() || !letters(label).eq_ignore_ascii_case(&letters(name)) {
            let found = self.peek().map_or("the end of the file".to_owned(), quoted);
            return Err(self.error(format!("{name}: expected, not {found}")));
        }
        self.at += label.len() + 1;
        Ok(())
    }

    /// Reads a number; NaN for one that is not finite.
    pub fn number(&mut self) -> Result<f64, ImportError> {
        let Some(word) = self.next() else {
            return Err(self.error("a number expected, not the end of the file"));
        };
        if is_no_number_of_windows(word) {
            return Ok(f64::NAN);
        }
        // A comma after a number separates it from the next, and one within it is a decimal point.
        let plain = word.trim_end_matches([',', ';']);
        let number = plain.parse().ok().or_else(|| plain.replace(',', ".").parse().ok());
        let number = number.or_else(|| of_fortran(plain));
        number.ok_or_else(|| self.error(format!("a number expected, not {}", quoted(word))))
    }
}

/// Reads a number with an exponent as Fortran prints it, such as `1.5D-03`.
fn of_fortran(word: &str) -> Option<f64> {
    let (digits, exponent) = word.split_once(['D', 'd'])?;
    format!("{}e{exponent}", digits.replace(',', ".")).parse().ok()
}

/// Whether a word is what programs for Windows print for a number that is not finite, such as `-1.#IND`.
fn is_no_number_of_windows(word: &str) -> bool {
    let kind = word.split_once('#').map(|(_, kind)| kind.to_ascii_lowercase());
    let kind = kind.unwrap_or_default();
    ["ind", "qnan", "snan", "inf"].iter().any(|name| kind.starts_with(name))
        || word.to_ascii_lowercase().contains("nan(")
}
