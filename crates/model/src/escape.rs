//! Makes text from a file safe to print: without terminal control characters, and of limited
//! length.

use std::borrow::Cow;
use std::fmt::Write;

/// Longest name in a message, in characters.
const LONGEST_NAME: usize = 80;

/// Escapes control characters and bidirectional overrides (U+0000-1F, 7F-9F, 202A-202E, 2066-2069)
/// as `\u001b`, so that names from a file can be printed.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        push_escaped(&mut out, c);
    }
    out
}

/// Like [`escaped`], cut after `longest` characters.
pub fn escaped_to(text: &str, longest: usize) -> String {
    let mut out = String::new();
    let mut rest = text.chars();
    for c in rest.by_ref().take(longest) {
        push_escaped(&mut out, c);
    }
    if rest.next().is_some() {
        out.push_str("...");
    }
    out
}

/// Returns a name in quotes, escaped and cut.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", escaped_to(name, LONGEST_NAME))
}

/// Returns a name unchanged, or its first hundred characters and dots. A file may have names of any length, and
/// findings and rows repeat them.
pub fn short_name(name: &str) -> Cow<'_, str> {
    const LONGEST: usize = 100;
    match name.char_indices().nth(LONGEST) {
        None => Cow::Borrowed(name),
        Some((end, _)) => Cow::Owned(format!("{}...", &name[..end])),
    }
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '\u{0}'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => {
            // Writing to a String can't fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        }
        _ => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let text = "a\u{1b}[31m\n\u{85}\u{202e}\u{2066}\u{7f}é❤";
        assert_eq!(escaped(text), r"a\u001b[31m\u000a\u0085\u202e\u2066\u007fé❤");
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(quoted(&"x".repeat(1 << 20)).len(), 80 + "\"...\"".len());
        assert_eq!(quoted("Hips"), "\"Hips\"");
        assert_eq!(short_name(&"ä".repeat(100)), "ä".repeat(100));
        assert_eq!(short_name(&"ä".repeat(101)), "ä".repeat(100) + "...");
    }
}
