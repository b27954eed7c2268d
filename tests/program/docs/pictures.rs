//! Pictures of the book: each is drawn by a command that stands beside it, and they are small.

use super::links::{plain, targets};
use super::page::{Page, pages};
use crate::support::checkout;
use std::collections::BTreeSet;

/// Bytes of one picture of pixels, at most.
const MOST: u64 = 60_000;
/// Bytes of one plot, at most; as text it compresses to a fifth.
const MOST_OF_PLOT: u64 = 100_000;
/// Bytes of all pictures, at most.
const MOST_OF_ALL: u64 = 1_500_000;
/// Two versions side by side, which no command of one version draws; it is linked, not shown.
const SHEET: &str = "docs/pictures/before-after.png";

/// Returns the command lines of a page that write pictures of the book, as `tools/make-gallery` finds them: lines of
/// code, or comments.
fn commands(page: &Page) -> Vec<&str> {
    let is_command = |line: &&str| {
        let line = line.trim_start_matches("<!-- ").trim_start();
        line.starts_with("rigview ") && line.contains(" -o docs/pictures/")
    };
    page.text.lines().filter(is_command).collect()
}

/// Returns the files that the commands of a page write.
fn written(page: &Page) -> BTreeSet<String> {
    let output = |line: &str| {
        let rest = line.split(" -o ").nth(1)?;
        rest.split_whitespace().next().map(str::to_owned)
    };
    commands(page).into_iter().filter_map(output).collect()
}

#[test]
fn every_picture_has_its_command_beside_it_and_every_command_a_picture() {
    let mut faults = Vec::new();
    let mut used = BTreeSet::new();
    for page in pages() {
        let folder = page.folder();
        let shown: BTreeSet<String> = targets(&page)
            .into_iter()
            .filter(|(_, target)| target.contains("pictures/") && !SHEET.ends_with(target.as_str()))
            .map(|(_, target)| plain(&folder.join(target)).to_str().unwrap().to_owned())
            .collect();
        let written = written(&page);
        let name = &page.name;
        faults.extend(shown.difference(&written).map(|p| format!("{name}: no command writes {p}")));
        faults.extend(written.difference(&shown).map(|p| format!("{name}: {p} is not shown")));
        used.extend(shown);
    }
    for entry in std::fs::read_dir(checkout().join("docs/pictures")).unwrap() {
        let name = format!("docs/pictures/{}", entry.unwrap().file_name().to_str().unwrap());
        if !used.contains(&name) && name != SHEET {
            faults.push(format!("{name}: no page shows it"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn pictures_are_small() {
    let mut all = 0;
    for entry in std::fs::read_dir(checkout().join("docs/pictures")).unwrap() {
        let entry = entry.unwrap();
        let bytes = entry.metadata().unwrap().len();
        let path = entry.path();
        if path == checkout().join(SHEET) {
            continue;
        }
        let most = if path.extension().is_some_and(|e| e == "svg") { MOST_OF_PLOT } else { MOST };
        assert!(bytes <= most, "{}: {bytes} bytes, at most {most}", path.display());
        all += bytes;
    }
    assert!(all <= MOST_OF_ALL, "docs/pictures: {all} bytes");
}
