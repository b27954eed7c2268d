//! The rules of a file by itself: its header, its name, its length, and the module that it belongs to.

use std::collections::BTreeMap;

/// Names that say nothing of what a file is about.
const EMPTY_NAMES: [&str; 6] = ["common", "helper", "helpers", "manager", "misc", "utils"];

/// Upper limit of a file's lines without its unit tests. A subject that is read as a whole may take a thousand lines; past
/// that, files of this code fell apart along a noun.
const MAX_LINES: usize = 1000;

/// Checks a file, `file` being its path in the checkout.
pub fn violations(file: &str, source: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !source.starts_with("//! ") {
        found.push(format!("{file}:1: no `//!` header says what the file is for"));
    }
    if let Some(name) = file.split(['/', '.']).find(|name| EMPTY_NAMES.contains(name)) {
        found.push(format!("{file}: {name} is no noun: what is it about?"));
    }
    let lines = lines_before_tests(source);
    if lines > MAX_LINES {
        found.push(format!("{file}: {lines} lines, at most {MAX_LINES}: split it along a noun"));
    }
    found
}

fn lines_before_tests(source: &str) -> usize {
    source
        .find("\n#[cfg(test)]\nmod tests {")
        .map_or(source, |tests| &source[..tests])
        .lines()
        .count()
}

/// Whether a file is the root of a crate, or the module around it names it with `mod`. `sources` has all files by path.
pub fn is_declared(file: &str, sources: &BTreeMap<String, String>) -> bool {
    let module = file.strip_suffix("/mod.rs").or_else(|| file.strip_suffix(".rs"));
    let Some((folder, name)) = module.and_then(|module| module.rsplit_once('/')) else {
        return false;
    };
    // Roots of libraries and programs, and tests, benches and examples of one file.
    if ["lib", "main"].contains(&name) || ["tests", "benches", "examples"].contains(&folder) {
        return true;
    }
    let parents = ["lib.rs", "main.rs", "mod.rs"].map(|root| format!("{folder}/{root}"));
    let mut parents = parents.into_iter().chain([format!("{folder}.rs")]);
    parents.any(|parent| {
        sources.get(&parent).is_some_and(|text| {
            text.lines().any(|line| {
                // Of `pub(crate) mod name;`, what follows the visibility.
                let declared = line.trim().split_once("mod ").filter(|(visibility, _)| {
                    visibility.is_empty() || visibility.starts_with("pub")
                });
                declared.is_some_and(|(_, rest)| rest.trim_end_matches([';', '{', ' ']) == name)
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_file_passes() {
        assert_eq!(violations("src/session/camera.rs", "//! The camera.\nfn f() {}\n"), [""; 0]);
    }

    #[test]
    fn header_and_name() {
        assert_eq!(violations("src/session/utils.rs", "use x;\n"), {
            [
                "src/session/utils.rs:1: no `//!` header says what the file is for",
                "src/session/utils.rs: utils is no noun: what is it about?",
            ]
        });
    }

    #[test]
    fn length_is_counted_up_to_the_tests() {
        let code = |lines: usize| format!("//! x\n{}", "use x;\n".repeat(lines - 1));
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "use x;\n".repeat(800));
        assert_eq!(violations("src/a.rs", &(code(1000) + &tests)), [""; 0]);
        assert_eq!(violations("src/a.rs", &(code(1001) + &tests)), {
            ["src/a.rs: 1001 lines, at most 1000: split it along a noun"]
        });
    }

    #[test]
    fn files_that_no_module_names_are_found() {
        let files = [
            (
                "crates/a/src/lib.rs",
                "mod one;\n#[cfg(test)]\nmod three_tests;\npub(crate) mod two;\n",
            ),
            ("crates/a/src/one.rs", "mod inner;\n"),
            ("crates/a/src/one/inner.rs", ""),
            ("crates/a/src/one/lost.rs", ""),
            ("crates/a/src/two/mod.rs", ""),
            ("crates/a/src/three_tests.rs", ""),
            ("crates/a/src/gone.rs", ""),
            ("tests/b/main.rs", "mod c;"),
            ("tests/b/c.rs", ""),
            ("tests/alone.rs", ""),
        ];
        let files = files.map(|(file, text)| (file.to_owned(), text.to_owned()));
        let files = BTreeMap::from(files);
        let lost: Vec<_> = files.keys().filter(|file| !is_declared(file, &files)).collect();
        assert_eq!(lost, ["crates/a/src/gone.rs", "crates/a/src/one/lost.rs"]);
    }
}
