//! Counts in words, and text in Markdown.

use rigview_model::escaped;

/// Returns the count with its noun: `1 joint`, `2 joints`.
pub fn counted(n: usize, noun: &str) -> String {
    format!("{n} {}", plural(n, noun))
}

/// Returns the noun for `n` things: `joint`, `joints`, `vertices`.
pub fn plural(n: usize, noun: &str) -> String {
    match (n, noun) {
        (1, _) => noun.to_owned(),
        (_, "mesh") => "meshes".to_owned(),
        (_, "vertex") => "vertices".to_owned(),
        _ => format!("{noun}s"),
    }
}

/// Bytes of Markdown that fit into a comment of code hosting services, with a reserve: GitHub's limit is 65,536 characters.
pub const MARKDOWN_BYTES: usize = 60_000;

/// Escapes text for a line or a table cell of Markdown. The result contains no markup, no control characters, no change
/// of text direction and no mention of a user, and can't end the cell.
pub fn markdown_text(text: &str) -> String {
    let text = escaped(text);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            // Elsewhere than at the start of a line it is an arrow or "more than".
            '>' if out.is_empty() => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A mention would notify somebody.
            '@' => out.push_str("&#64;"),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '{' | '}' | '~' | '#' | '!' => {
                out.extend(['\\', c]);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_form_no_markup() {
        let text = markdown_text("a|b\n<b>@x *y* [z](#)");
        assert_eq!(text, "a\\|b\\\\u000a&lt;b>&#64;x \\*y\\* \\[z\\](\\#)");
        assert_eq!(markdown_text("a\u{1b}[1m\u{202e}"), "a\\\\u001b\\[1m\\\\u202e");
        assert_eq!(markdown_text("> false -> true"), "&gt; false -> true");
    }
}
