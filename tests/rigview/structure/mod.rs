//! The rules of the code that no compiler holds: what every file looks like ([`files`]), what only some systems have
//! ([`portable`]), and that `docs/architecture.md` tells the truth about the crates. Cargo holds which crate uses which.

mod files;
mod portable;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::support::checkout;

#[test]
fn every_file_has_a_header_a_noun_and_a_length() {
    let found = sources(&["src", "crates", "tests", "benches", "examples"])
        .into_iter()
        .flat_map(|(file, text)| files::violations(&file, &text));
    assert_none(found.collect());
}

/// Code that no `mod` names is not even compiled: its tests would pass by not being there.
#[test]
fn every_file_belongs_to_a_module() {
    let sources = sources(&["src", "crates", "tests"]);
    let found = sources.keys().filter(|file| !files::is_declared(file, &sources));
    assert_none(found.map(|file| format!("{file}: no `mod` names it")).collect());
}

/// Code that only some systems have is marked as such, and no path of one system is assumed on all.
#[test]
fn what_only_one_system_has_is_marked() {
    let found = sources(&["src", "crates"])
        .into_iter()
        .flat_map(|(file, text)| portable::violations(&file, &text));
    assert_none(found.collect());
}

/// The table of crates in the architecture page has a row per crate, with the crates that its manifest names.
#[test]
fn the_table_of_crates_is_that_of_the_manifests() {
    let page = text(&checkout().join("docs/architecture.md"));
    let rows = page.lines().filter_map(|line| {
        let [_, name, uses, ..] = line.split('|').collect::<Vec<_>>()[..] else { return None };
        let name = name.trim().strip_prefix('`')?.strip_suffix('`')?;
        Some((name.to_owned(), quoted_words(uses)))
    });
    let rows: BTreeMap<_, _> = rows.collect();
    let folder = checkout().join("crates");
    for entry in folder.read_dir().unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let manifest = text(&folder.join(&name).join("Cargo.toml"));
        let uses = rows.get(&name).unwrap_or_else(|| panic!("no row for the crate `{name}`"));
        assert_eq!(uses, &used_crates(&manifest), "the row of `{name}`");
    }
}

fn quoted_words(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns the crates of the workspace that a manifest depends on, other than for tests.
fn used_crates(manifest: &str) -> BTreeSet<String> {
    let (mut used, mut section) = (BTreeSet::new(), "");
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if section == "[dependencies]"
            && let Some(rest) = line.strip_prefix("rigview-")
        {
            used.extend(rest.split(['.', ' ']).next().map(str::to_owned));
        }
    }
    used
}

/// Reads all Rust files below some folders of the checkout. Keys are paths with slashes, relative to it.
fn sources(folders: &[&str]) -> BTreeMap<String, String> {
    let root = checkout();
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut sources = BTreeMap::new();
    while let Some(folder) = open.pop() {
        let Ok(entries) = folder.read_dir() else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let file = path.strip_prefix(&root).unwrap().iter();
                let file: Vec<_> = file.map(|part| part.to_string_lossy()).collect();
                sources.insert(file.join("/"), text(&path));
            }
        }
    }
    assert!(!sources.is_empty(), "no source under {}", root.display());
    sources
}

fn text(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn assert_none(found: Vec<String>) {
    assert!(found.is_empty(), "{} broken rules:\n{}", found.len(), found.join("\n"));
}
