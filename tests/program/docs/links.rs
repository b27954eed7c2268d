//! Links of the pages, and the summary that lists the pages.

use super::page::{Page, pages};
use crate::support::checkout;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Pages beside the book whose links are checked too.
const OTHERS: [&str; 3] = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"];

/// Returns the targets of a page's links and pictures, with their line numbers from 1.
pub fn targets(page: &Page) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (i, line) in page.prose().iter().enumerate() {
        for piece in line.split("](").skip(1) {
            let target = piece.split([')', ' ']).next().unwrap_or_default();
            found.push((i + 1, target.to_owned()));
        }
    }
    found
}

/// Resolves `.` and `..` of a path that need not exist.
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.pop() => {}
            other => plain.push(other),
        }
    }
    plain
}

/// Returns what is wrong with a link of a page.
fn fault(page: &Page, target: &str) -> Option<String> {
    if target.starts_with("http") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = match file {
        "" => PathBuf::from(&page.name),
        file => plain(&page.folder().join(file)),
    };
    if !checkout().join(&path).exists() {
        return Some("there is no such file".into());
    }
    let is_book = page.name.starts_with("docs/");
    if is_book && !path.starts_with("docs") {
        return Some(
            "the file is outside of docs/, so the built book lacks it; name it as code".into(),
        );
    }
    if anchor.is_empty() || path.extension().is_none_or(|e| e != "md") {
        return None;
    }
    let anchors = Page::read(path.to_str().unwrap()).anchors();
    let missing = !anchors.iter().any(|known| known == anchor);
    missing.then(|| format!("no heading has this anchor; the page has {}", anchors.join(", ")))
}

#[test]
fn every_link_leads_somewhere() {
    let others = OTHERS.iter().map(|name| Page::read(name));
    let mut faults = Vec::new();
    for page in pages().into_iter().chain(others) {
        for (line, target) in targets(&page) {
            if let Some(fault) = fault(&page, &target) {
                faults.push(format!("{}:{line}: {target}: {fault}", page.name));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_summary_lists_every_page_once() {
    let summary = Page::read("docs/SUMMARY.md");
    let listed: Vec<String> =
        targets(&summary).into_iter().map(|(_, target)| format!("docs/{target}")).collect();
    let once: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), once.len(), "a page is listed twice");
    let pages: BTreeSet<String> = pages().into_iter().map(|page| page.name).collect();
    let missing: Vec<_> = pages.difference(&once).collect();
    let dead: Vec<_> = once.difference(&pages).collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md lacks {missing:?}");
    assert!(dead.is_empty(), "docs/SUMMARY.md lists what does not exist: {dead:?}");
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let page = |text: &str| Page { name: "docs/x.md".into(), text: text.into() };
    let faults = |text: &str| {
        let page = page(text);
        targets(&page).iter().filter_map(|(_, target)| fault(&page, target)).count()
    };
    assert_eq!(
        faults("[a](architecture.md#decisions) [b](https://example.org) `[c](nothing.md)`"),
        0
    );
    assert_eq!(faults("[a](architecture.md#no-such-heading)"), 1);
    assert_eq!(faults("![a](pictures/nothing.png)"), 1);
    assert_eq!(faults("[a](../Cargo.toml)"), 1);
}
