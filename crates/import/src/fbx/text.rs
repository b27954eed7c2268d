//! The sections of text FBX files. ufbx takes the end of a text for the end of all that is open in it, and a brace too many
//! for the end of the file, without a word.

use crate::fault::{ImportError, Warnings};
use rigview_model::{WarningCode, quoted};

/// Refuses a text whose braces are not balanced, since ufbx would leave out what follows, and warns of sections that are
/// absent.
pub(super) fn check(text: &[u8], warnings: &mut Warnings) -> Result<(), ImportError> {
    let mut sections = Sections::default();
    sections.read(text)?;
    let mut warn = |message: &str| warnings.add(WarningCode::FileDefect, "", message);
    if !sections.has_section {
        warn("the file has no section \"Objects\": it is empty or cut short");
    } else if sections.has_objects && !sections.has_connections {
        warn(
            "the file has no section \"Connections\", which says what belongs together: it may be cut short; copy or \
             export it again",
        );
    }
    Ok(())
}

/// What a text has, apart from its meaning.
#[derive(Default)]
struct Sections<'a> {
    /// The number of open braces.
    depth: usize,
    /// The name of the section that the text is in, and its first line.
    section: &'a [u8],
    section_line: usize,
    /// Whether there is a section of objects, and whether it has any.
    has_section: bool,
    has_objects: bool,
    has_connections: bool,
}

impl<'a> Sections<'a> {
    fn read(&mut self, text: &'a [u8]) -> Result<(), ImportError> {
        let (mut at, mut line, mut line_start) = (0, 1, 0);
        while let Some(byte) = text.get(at) {
            at += 1;
            match byte {
                b'\n' => (line, line_start) = (line + 1, at),
                // A text, without escapes for quotes, and a comment.
                b'"' | b';' => {
                    let end = if *byte == b'"' { b'"' } else { b'\n' };
                    let length = text[at..].iter().position(|other| *other == end);
                    let rest = &text[at..at + length.unwrap_or(text.len() - at)];
                    at += rest.len();
                    if *byte == b'"' {
                        line += rest.iter().filter(|other| **other == b'\n').count();
                        if length.is_none() {
                            return Err(self.cut_short(line));
                        }
                        at += 1;
                    }
                }
                b'{' => self.open(&text[line_start..at - 1], line),
                b'}' if self.depth == 0 => {
                    return Err(fault(
                        line,
                        "has a closing brace that nothing opens: it is one too many, or an opening one is missing \
                         before it; mend it or export the file again",
                    ));
                }
                b'}' => self.depth -= 1,
                0 if text[at..].iter().any(|b| *b != 0 && !b.is_ascii_whitespace()) => {
                    return Err(fault(
                        line,
                        "has a character of code 0, after which nothing is read; copy or export the file again",
                    ));
                }
                _ => {}
            }
        }
        if self.depth > 0 { Err(self.cut_short(line)) } else { Ok(()) }
    }

    /// Opens a brace after the beginning of its line.
    fn open(&mut self, before: &'a [u8], line: usize) {
        if self.depth == 0 {
            let name = before.split(|byte| *byte == b':').next().unwrap_or_default();
            (self.section, self.section_line) = (name.trim_ascii(), line);
            self.has_section |= self.section == b"Objects";
            self.has_connections |= self.section == b"Connections";
        }
        self.has_objects |= self.depth == 1 && self.section == b"Objects";
        self.depth += 1;
    }

    fn cut_short(&self, line: usize) -> ImportError {
        let section = quoted(&String::from_utf8_lossy(self.section));
        let what = format!(
            "ends within the section {section} of line {}: the file is cut short, or a closing brace is missing; copy or \
             export it again",
            self.section_line
        );
        fault(line, &what)
    }
}

fn fault(line: usize, what: &str) -> ImportError {
    ImportError::container(format!("the FBX file can't be read: line {line} {what}"))
}
