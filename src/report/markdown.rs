//! Text in Markdown.

/// Escapes text for a line or a table cell of Markdown. The result contains no markup and no mention of a user, and
/// can't end the cell.
pub fn markdown_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            // Elsewhere than at the start of a line it is an arrow or "more than".
            '>' if out.is_empty() => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A mention would notify somebody.
            '@' => out.push_str("&#64;"),
            '\n' | '\r' => out.push(' '),
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
        assert_eq!(text, "a\\|b &lt;b>&#64;x \\*y\\* \\[z\\](\\#)");
        assert_eq!(markdown_text("> false -> true"), "&gt; false -> true");
    }
}
