//! Labels of GPU resources, shown in validation messages and by graphics debuggers.

/// Characters of a name that a label shows.
const LONGEST_NAME: usize = 48;

/// Returns a label such as `mesh 3 "Body"`. Control characters of the name are escaped, and a long name
/// is cut.
pub fn debug_label(kind: &str, index: usize, name: Option<&str>) -> String {
    let Some(name) = name else { return format!("{kind} {index}") };
    let shown: String = name.chars().take(LONGEST_NAME).collect();
    let rest = if shown.len() < name.len() { "\u{2026}" } else { "" };
    format!("{kind} {index} \"{}{rest}\"", shown.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_escape_and_cut_names() {
        assert_eq!(debug_label("mesh", 3, Some("Body")), "mesh 3 \"Body\"");
        assert_eq!(debug_label("mesh", 0, None), "mesh 0");
        assert_eq!(debug_label("image", 1, Some("a\0\"\n")), "image 1 \"a\\0\\\"\\n\"");
        let long = debug_label("mesh", 2, Some(&"\u{e4}".repeat(60)));
        assert_eq!(long, format!("mesh 2 \"{}\u{2026}\"", "\u{e4}".repeat(48)));
    }
}
