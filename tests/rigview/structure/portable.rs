//! Checks that code for some systems only, with interfaces of Unix or paths such as `/proc`, is behind a `cfg`.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Folders that other systems do not have.
const FOLDERS: [&str; 8] =
    ["/dev/", "/etc/", "/home/", "/proc/", "/run/", "/tmp", "/usr/", "/var/"];

/// Files that may name such paths, each with the reason why that is right on all systems.
const APART: &[(&str, &str)] = &[
    (
        "crates/capture/src/file.rs",
        "`cfg!(unix)` stands before the comparison with the names of descriptors",
    ),
    (
        "crates/render/src/text/system_fonts.rs",
        "folders are compared with them, so that none is read twice",
    ),
    ("src/cli/drivers.rs", "the module is there on Linux only"),
    ("src/cli/limits.rs", "`cfg!(not(target_os = \"linux\"))` returns before /proc is read"),
];

/// Checks a file, `file` being its path in the checkout.
pub fn violations(file: &str, source: &str) -> Vec<String> {
    let tokens: TokenStream = source.parse().unwrap_or_else(|e| panic!("{file}: {e}"));
    let mut found = Vec::new();
    search(tokens, &mut |line, what| {
        let is_path = what.starts_with('"');
        if !(is_path && APART.iter().any(|(apart, _)| *apart == file)) {
            found.push(format!("{file}:{line}: {what} without a cfg for the systems that have it"));
        }
    });
    found
}

/// Calls `report` with line and name of everything that only some systems have, outside what a `cfg` marks.
fn search(tokens: TokenStream, report: &mut impl FnMut(usize, String)) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if let Some(marks) = attribute(&tokens[at..]) {
            at += 2;
            if marks {
                at += marked(&tokens[at..]);
            }
            continue;
        }
        match token {
            TokenTree::Group(group) => search(group.stream(), report),
            TokenTree::Ident(ident) if *ident == "libc" && is_path(&tokens[at + 1..]) => {
                report(ident.span().start().line, "libc".into());
            }
            TokenTree::Ident(ident) if *ident == "os" && is_path(&tokens[at + 1..]) => {
                report(ident.span().start().line, "std::os".into());
            }
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                let path = text.trim_matches('"');
                if text.starts_with('"') && FOLDERS.iter().any(|folder| path.starts_with(folder)) {
                    report(literal.span().start().line, text);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Whether these tokens begin with `::`.
fn is_path(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [TokenTree::Punct(a), TokenTree::Punct(b), ..] if a.as_char() == ':' && b.as_char() == ':')
}

/// `None` if the tokens do not begin with an attribute; else whether it limits what follows to some systems, or to
/// tests.
fn attribute(tokens: &[TokenTree]) -> Option<bool> {
    let [TokenTree::Punct(hash), TokenTree::Group(group), ..] = tokens else { return None };
    if hash.as_char() != '#' || group.delimiter() != Delimiter::Bracket {
        return None;
    }
    let text = group.stream().to_string();
    let words = ["unix", "windows", "target_os", "target_env", "test"];
    let mut found = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    Some(
        text.starts_with("cfg")
            && !text.starts_with("cfg_attr")
            && found.any(|word| words.contains(&word)),
    )
}

/// Returns the number of tokens that an attribute before them marks: further attributes, and then all up to a
/// semicolon or a block.
fn marked(tokens: &[TokenTree]) -> usize {
    let mut at = 0;
    while attribute(&tokens[at..]).is_some() {
        at += 2;
    }
    let end = |token: &TokenTree| match token {
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    };
    let length = tokens[at..].iter().position(end).map_or(tokens.len() - at, |index| index + 1);
    at + length
}

#[cfg(test)]
mod tests {
    use super::violations;

    #[test]
    fn unmarked_interfaces_and_paths_are_found() {
        for bad in [
            "fn f() { libc::getpid() }",
            "use std::os::unix::fs::MetadataExt;",
            "#[cfg(feature = \"x\")] fn f() { libc::x() }",
            "const A: &str = \"/usr/share\";",
            "#[cfg(unix)] fn f() {} fn g() { libc::x() }",
        ] {
            assert_eq!(violations("a.rs", bad).len(), 1, "{bad}");
        }
        for good in [
            "#[cfg(unix)] mod a { fn f() { libc::x() } }",
            "fn f() { #[cfg(unix)] std::os::unix::x(); }",
            "#[cfg(test)] mod tests { fn f() { g(\"/tmp/x\") } }",
            "#[cfg(target_os = \"linux\")] /// Text.\n #[inline] fn f() { libc::x() }",
            "// libc::x\nfn f() { g(\"a/usr/\") }",
        ] {
            assert!(violations("a.rs", good).is_empty(), "{good}");
        }
        assert!(violations("src/cli/limits.rs", "const A: &str = \"/proc/self\";").is_empty());
    }
}
