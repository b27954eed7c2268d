//! The rules of a file by itself: its header, name and length, and what only the command line
//! may do.

use super::paths;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Names that say nothing of what a file is about.
const EMPTY_NAMES: [&str; 6] = ["common", "helper", "helpers", "manager", "misc", "utils"];

/// Past this a file falls apart along a noun. Its unit tests don't count.
const MOST_LINES: usize = 700;

const PRINTING: [&str; 5] = ["dbg", "eprint", "eprintln", "print", "println"];

/// Checks a file of the program or of its tests, `file` being its path in the repository.
pub fn violations(file: &str, source: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !source.starts_with("//! ") {
        found.push(format!("{file}:1: no `//!` header says what the file is for"));
    }
    if let Some(name) = file.split(['/', '.']).find(|name| EMPTY_NAMES.contains(name)) {
        found.push(format!("{file}: {name} is no noun: what is it about?"));
    }
    let lines = lines_before_tests(source);
    if lines > MOST_LINES {
        found.push(format!("{file}: {lines} lines, at most {MOST_LINES}: split it along a noun"));
    }
    if file.starts_with("src/") && !file.starts_with("src/cli/") && file != "src/main.rs" {
        found.extend(printing(source).map(|(line, name)| {
            format!("{file}:{line} uses {name}!: only cli prints, the rest returns or logs")
        }));
    }
    found
}

/// The modules that files declare; each file is read once.
#[derive(Default)]
pub struct Declared {
    modules: HashMap<PathBuf, BTreeMap<Vec<String>, bool>>,
}

impl Declared {
    /// Whether the module around a file names it with `mod`; `root` is what the crate begins with.
    pub fn has(&mut self, file: &Path, root: &Path) -> bool {
        let folder = file.parent().unwrap();
        let whole_folder = file.ends_with("mod.rs");
        let name = if whole_folder { folder.file_name() } else { file.file_stem() };
        let around = if whole_folder { folder.parent().unwrap() } else { folder };
        let parents = [around.join("mod.rs"), around.with_extension("rs"), root.to_owned()];
        // The root is the parent of what stands beside it, and of nothing deeper.
        let mut parents =
            parents.into_iter().filter(|parent| parent != root || root.parent() == Some(around));
        let name = [name.unwrap().to_string_lossy().into_owned()];
        parents.any(|parent| self.of(parent).contains_key(&name[..]))
    }

    fn of(&mut self, file: PathBuf) -> &BTreeMap<Vec<String>, bool> {
        self.modules.entry(file).or_insert_with_key(|file| {
            let source = std::fs::read_to_string(file).unwrap_or_default();
            paths::names(&source, &[], &BTreeSet::new()).modules
        })
    }
}

fn lines_before_tests(source: &str) -> usize {
    let lines: Vec<&str> = source.lines().collect();
    let tests = lines.windows(2).position(|pair| {
        pair[0].trim_end() == "#[cfg(test)]"
            && pair[1].starts_with("mod ")
            && pair[1].ends_with('{')
    });
    tests.unwrap_or(lines.len())
}

fn printing(source: &str) -> impl Iterator<Item = (usize, &'static str)> {
    // Most files have none of these words and need not be parsed.
    let has_some = PRINTING.into_iter().any(|name| source.contains(name));
    let names = has_some.then(|| paths::names(source, &[], &BTreeSet::new()));
    names.into_iter().flat_map(|names| names.macros).filter_map(|(line, called)| {
        let name = PRINTING.into_iter().find(|name| *name == called)?;
        Some((line, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_file_passes() {
        let source =
            "//! What it is for.\n// println!(\"no code\")\nfn f() { log::info!(\"x\") }\n";
        assert_eq!(violations("src/session/camera.rs", source), [""; 0]);
    }

    #[test]
    fn header_and_name() {
        assert_eq!(violations("src/session/utils.rs", "use x;\n"), {
            [
                "src/session/utils.rs:1: no `//!` header says what the file is for",
                "src/session/utils.rs: utils is no noun: what is it about?",
            ]
        });
        assert_eq!(violations("src/misc/mod.rs", "//! x\n").len(), 1);
    }

    #[test]
    fn length_is_counted_up_to_the_tests() {
        let code = |lines: usize| format!("//! x\n{}", "use x;\n".repeat(lines - 1));
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "use x;\n".repeat(800));
        assert_eq!(violations("src/a.rs", &(code(700) + &tests)), [""; 0]);
        assert_eq!(violations("src/a.rs", &(code(701) + &tests)), {
            ["src/a.rs: 701 lines, at most 700: split it along a noun"]
        });
    }

    #[test]
    fn only_the_command_line_prints() {
        let source = "//! x\nfn f() {\n    eprintln!(\"x\");\n}\n";
        assert_eq!(violations("src/session/x.rs", source), {
            ["src/session/x.rs:3 uses eprintln!: only cli prints, the rest returns or logs"]
        });
        assert_eq!(violations("src/cli/x.rs", source), [""; 0]);
        assert_eq!(violations("tests/rigview/x.rs", source), [""; 0]);
    }
}
