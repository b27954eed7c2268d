//! Models in folders: found by their names' endings, in the order in which a person counts.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

/// Folders below one that are looked into.
const DEEPEST: usize = 8;

/// Entries that are looked at: somebody may drop their whole disk.
const MOST_ENTRIES: usize = 100_000;

/// A search for models. It may take a while on a slow disk, so it is for another thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// Files, which are all taken, and folders, which are looked into.
    pub places: Vec<PathBuf>,
    /// Not what is found first is wanted, but what stands so many files behind this one (or
    /// before); then folders below a folder don't count.
    pub beside: Option<(PathBuf, i64)>,
}

impl Search {
    /// The models that there are. What can't be read is passed over.
    pub fn run(&self) -> Vec<PathBuf> {
        let mut models = Vec::new();
        let mut entries = MOST_ENTRIES;
        let depth = if self.beside.is_some() { 0 } else { DEEPEST };
        for place in &self.places {
            if place.is_dir() {
                look_in(place, depth, &mut entries, &mut models);
            } else {
                models.push(place.clone());
            }
        }
        models
    }
}

/// Adds the models of a folder, then those of each folder in it.
fn look_in(folder: &Path, depth: usize, entries: &mut usize, models: &mut Vec<PathBuf>) {
    let mut folders = vec![(folder.to_owned(), depth)];
    while let Some((folder, depth)) = folders.pop() {
        let Ok(list) = folder.read_dir() else { continue };
        let (mut files, mut below) = (Vec::new(), Vec::new());
        for entry in list.flatten() {
            let Some(left) = entries.checked_sub(1) else { break };
            *entries = left;
            // Links to folders are not followed: they may lead round in a circle.
            let is_folder = entry.file_type().is_ok_and(|t| t.is_dir());
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            match entry.path() {
                _ if hidden => {}
                path if is_folder && depth > 0 => below.push(path),
                path if is_model(&path) && path.is_file() => files.push(path),
                _ => {}
            }
        }
        files.sort_by(|a, b| natural_order(a, b));
        models.extend(files);
        // The last one of the list is looked into next.
        below.sort_by(|a, b| natural_order(b, a));
        folders.extend(below.into_iter().map(|path| (path, depth - 1)));
    }
}

fn is_model(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("glb") || extension.eq_ignore_ascii_case("gltf")
}

/// Orders paths by their last parts, without regard to case, and runs of digits by the number that
/// they are: `walk2` before `walk10`.
pub(super) fn natural_order(a: &Path, b: &Path) -> Ordering {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let (left, right) = (name(a), name(b));
    let (mut left, mut right) = (left.as_str(), right.as_str());
    while let (Some(x), Some(y)) = (left.chars().next(), right.chars().next()) {
        let order;
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (x, y);
            (x, left) = number(left);
            (y, right) = number(right);
            order = x.len().cmp(&y.len()).then_with(|| x.cmp(y));
        } else {
            order = x.cmp(&y);
            (left, right) = (&left[x.len_utf8()..], &right[y.len_utf8()..]);
        }
        if order.is_ne() {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| a.cmp(b))
}

/// The digits that a text begins with, without zeros before them, and the rest.
fn number(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (text[..end].trim_start_matches('0'), &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_ordered_as_numbers() {
        let mut names =
            ["walk10.glb", "Walk2.glb", "walk.glb", "a.glb", "walk02b.glb", "歩2.glb", "歩10.glb"];
        names.sort_by(|a, b| natural_order(Path::new(a), Path::new(b)));
        assert_eq!(
            names,
            ["a.glb", "walk.glb", "Walk2.glb", "walk02b.glb", "walk10.glb", "歩2.glb", "歩10.glb"]
        );
    }

    #[test]
    fn folders_are_looked_into_and_only_models_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(path("b/c")).unwrap();
        std::fs::create_dir_all(path(".hidden")).unwrap();
        for name in ["2.glb", "10.GLB", "x.png", "b/c/1.gltf", "b/1.glb", ".hidden/1.glb"] {
            std::fs::write(path(name), "").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), path("b/round")).unwrap();
        let places = vec![folder.path().to_owned(), path("x.png")];
        let found = Search { places, beside: None }.run();
        let expected = ["2.glb", "10.GLB", "b/1.glb", "b/c/1.gltf", "x.png"].map(path);
        assert_eq!(found, expected);
        let places = vec![folder.path().to_owned()];
        let found = Search { places, beside: Some((path("2.glb"), 1)) }.run();
        assert_eq!(found, ["2.glb", "10.GLB"].map(path));
    }
}
