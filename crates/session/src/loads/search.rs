//! Searches for models in files and folders, and steps to the next model of a folder.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::loads::{Loads, is_environment};
use crate::notice::{Notice, Notices};
use crate::{Destination, Document, Effect, FileSource, LoadRequest};
use rigview_import::{FileKind, escaped, file_kind, has_ending, is_model_name};

/// Maximum depth of subfolders that are searched.
const DEEPEST: usize = 8;

/// Maximum number of directory entries per search, because a whole disk may be dropped.
const MOST_ENTRIES: usize = 100_000;

/// Endings of the names of files that have a motion for the model of another file.
const MOTION_ENDINGS: [&str; 2] = ["bvh", "vrma"];

/// A search for models. It runs on another thread, because it can take long on a slow disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// The files, and the folders to search.
    pub places: Vec<PathBuf>,
    /// A file and a number of files to step on from it (backwards if negative). Subfolders are then skipped.
    pub beside: Option<(PathBuf, i64)>,
    /// Where the models go.
    pub destination: Destination,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finds {
    /// The models in order, without duplicates.
    pub models: Vec<PathBuf>,
    /// A message per place that has no model. Files that models refer to are not mentioned.
    pub left_out: Vec<String>,
}

impl Search {
    /// Runs the search. Unreadable entries of folders are skipped.
    pub fn run(&self) -> Finds {
        let mut finds = Finds::default();
        let mut files = Vec::new();
        let mut entries = MOST_ENTRIES;
        let depth = if self.beside.is_some() { 0 } else { DEEPEST };
        for place in &self.places {
            if place.is_dir() {
                let before = finds.models.len();
                look_in(place, depth, &mut entries, &mut finds.models);
                if finds.models.len() == before && self.beside.is_none() {
                    finds.left_out.push(why_none(place));
                }
            } else {
                match judged(place) {
                    Ok(()) => finds.models.push(place.clone()),
                    Err((rank, why)) => files.push((rank, why, place)),
                }
            }
        }
        if finds.models.is_empty() {
            // Opening a file gives the best message about why it is not a model.
            files.sort_by_key(|(rank, ..)| *rank);
            let json = files.iter().filter(|(rank, ..)| *rank == Rank::Json).count();
            finds.models.extend(files.iter().take(json.max(1)).map(|(.., place)| (*place).clone()));
        }
        for (rank, why, place) in files {
            if rank == Rank::Foreign && !finds.models.contains(place) {
                // A path that does not exist may differ in its folder.
                let name = place.file_name().filter(|_| place.exists());
                let name = name.unwrap_or(place.as_os_str()).to_string_lossy();
                finds.left_out.push(format!("{} is left out: {why}", escaped(&name)));
            }
        }
        let mut seen = HashSet::new();
        finds.models.retain(|model| seen.insert(model.clone()));
        finds
    }

    /// Returns the model and the motions among files that were opened together: one model, and motions alone besides.
    pub(super) fn model_with_motions(&self, files: &[PathBuf]) -> Option<(PathBuf, Vec<PathBuf>)> {
        let are_chosen = files.iter().all(|file| self.places.contains(file));
        let (motions, models): (Vec<_>, Vec<_>) =
            files.iter().cloned().partition(|file| has_ending(file, &MOTION_ENDINGS));
        let model = models.first().filter(|_| are_chosen && models.len() == 1)?;
        (!motions.is_empty()).then(|| (model.clone(), motions))
    }

    /// The first place, for messages. A window does not show which folder a relative path begins in.
    pub(crate) fn place_text(&self) -> String {
        let Some(place) = self.places.first() else { return String::new() };
        let whole = std::path::absolute(place);
        escaped(&whole.as_ref().unwrap_or(place).to_string_lossy())
    }

    /// Whether this is the same search, regardless of the number of steps.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        (&self.places, self.destination) == (&other.places, other.destination)
            && self.beside.is_some() == other.beside.is_some()
    }
}

/// The kind of a file that is not clearly a model. The best kind is first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// JSON under another name. It is opened if there is no other model.
    Json,
    /// Another format, or unreadable. A message mentions it.
    Foreign,
    /// A picture or buffer that a model may refer to.
    Side,
}

/// Returns an error with the kind and a reason if a file is not a model.
fn judged(file: &Path) -> Result<(), (Rank, String)> {
    match file_kind(file) {
        FileKind::Glb | FileKind::Model => Ok(()),
        FileKind::Json if is_model_name(file) => Ok(()),
        FileKind::Json => Err((Rank::Json, String::new())),
        // The importer gives the best message about a file of the right name.
        FileKind::Other { .. } if is_model_name(file) && file.exists() => Ok(()),
        FileKind::Other { why, side: true } => Err((Rank::Side, why)),
        FileKind::Other { why, side: false } => Err((Rank::Foreign, why)),
    }
}

/// Returns a message about a folder without models.
fn why_none(folder: &Path) -> String {
    let name = escaped(&folder.to_string_lossy());
    match folder.read_dir() {
        Ok(mut list) => match list.next() {
            Some(_) => format!("no model (.glb, .gltf, .vrm, .fbx, .bvh) in {name}"),
            None => format!("the folder {name} is empty"),
        },
        Err(error) => format!("the folder {name} can't be read: {error}"),
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
            // Links to folders are not followed, because they can form a circle.
            let is_folder = entry.file_type().is_ok_and(|t| t.is_dir());
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            match entry.path() {
                _ if hidden => {}
                path if is_folder && depth > 0 => below.push(path),
                path if is_model_name(&path) && path.is_file() => files.push(path),
                _ => {}
            }
        }
        files.sort_by(|a, b| natural_order(a, b));
        models.extend(files);
        // The list is a stack: its last folder is searched next.
        below.sort_by(|a, b| natural_order(b, a));
        folders.extend(below.into_iter().map(|path| (path, depth - 1)));
    }
}

/// Compares the file names of two paths, ignoring case. Runs of digits are compared as numbers: `walk2` before
/// `walk10`.
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

/// Splits a text into its leading digits, without leading zeros, and the rest.
fn number(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (text[..end].trim_start_matches('0'), &text[end..])
}

impl Loads {
    pub(super) fn search(&mut self, search: Search) -> Effect {
        self.give_up(search.destination);
        self.search = Some(search.clone());
        Effect::Find(search)
    }

    /// Requests what a search has found. The result of a search that was superseded or given up is dropped.
    pub(crate) fn found(
        &mut self,
        search: &Search,
        finds: Finds,
        shown: Option<&Document>,
        notices: &mut Notices,
    ) -> Option<LoadRequest> {
        let wanted = self.search.take_if(|s| s.is_same_as(search))?;
        if let Some((path, by)) = &wanted.beside {
            notices.dismiss();
            self.failure = None;
            let Some(next) = step_from(&finds.models, path, *by) else {
                notices.add(Notice::warning(format!("no other model in {}", wanted.place_text())));
                return None;
            };
            return Some(self.open(FileSource::Path(next), Destination::Shown));
        }
        let Finds { models, left_out } = finds;
        let Some(first) = models.first().cloned() else {
            let none = || format!("no model in {}", wanted.place_text());
            self.failure = None;
            notices.add(Notice::warning(summed_up(&left_out).unwrap_or_else(none)));
            return None;
        };
        let is_shown = wanted.destination == Destination::Shown;
        if let Some((model, motions)) = wanted.model_with_motions(&models).filter(|_| is_shown) {
            summed_up(&left_out).into_iter().for_each(|text| notices.add(Notice::warning(text)));
            return self.open_with_motion(model, motions, notices);
        }
        // Notices about the same drop stay. Those about the drop before are already gone.
        let (count, destination) = (models.len(), wanted.destination);
        let taken = if destination == Destination::Beside && shown.is_none() { 2 } else { 1 };
        let note = match destination {
            _ if count <= taken => None,
            Destination::Shown | Destination::Light => {
                Some(Notice::done(format!("1 of {count}: PageDown opens the next")))
            }
            Destination::Clips => {
                let text = format!("1 of {count} files: only the clips of this file are taken");
                Some(Notice::warning(text))
            }
            Destination::Beside => {
                let name = FileSource::Path(models[taken].clone()).name();
                let text = format!("{name} is left out: two files are compared at a time");
                Some(Notice::warning(text))
            }
        };
        note.into_iter().for_each(|note| notices.add(note));
        let load = match models.get(1).filter(|_| taken == 2) {
            Some(second) => {
                let both = [first, second.clone()].map(FileSource::Path);
                self.open_both(both, Destination::Beside)
            }
            None if shown.is_none() => self.open(FileSource::Path(first), Destination::Shown),
            None => self.open(FileSource::Path(first), destination),
        };
        if destination == Destination::Shown {
            self.together = models;
        }
        if let Some(text) = summed_up(&left_out) {
            notices.add(Notice::warning(text));
        }
        Some(load)
    }

    /// Requests a model, and after it the first of the motions that were opened with it, to play on the model.
    fn open_with_motion(
        &mut self,
        model: PathBuf,
        motions: Vec<PathBuf>,
        notices: &mut Notices,
    ) -> Option<LoadRequest> {
        let count = motions.len();
        let motion = FileSource::Path(motions.into_iter().next()?);
        if count > 1 {
            let text = format!("1 of {count} motions: only {} plays", motion.name());
            notices.add(Notice::warning(text));
        }
        self.together.clear();
        Some(self.open_both([FileSource::Path(model), motion], Destination::Clips))
    }

    /// Requests the n-th file after the one that is shown or was tried last.
    pub(crate) fn step_files(
        &mut self,
        by: i64,
        shown: Option<&Document>,
        notices: &mut Notices,
    ) -> Option<Effect> {
        if let Some((_, steps)) = self.search.as_mut().and_then(|s| s.beside.as_mut()) {
            *steps += by;
            return None;
        }
        let last = self.pending(Destination::Shown).map(|p| &p.source);
        let failed = self.failure.as_ref().filter(|f| f.destination == Destination::Shown);
        let last = last.or(failed.map(|f| &f.source));
        let Some(FileSource::Path(path)) = last.or(shown.map(|d| &d.source)).cloned() else {
            return None;
        };
        if self.together.len() > 1 && self.together.contains(&path) {
            let count = self.together.len();
            let next = step_from(&self.together, &path, by)?;
            let at = self.together.iter().position(|model| *model == next);
            let number = at.map_or(0, |at| at + 1);
            (self.failure, *notices) = (None, Notices::default());
            let text = format!("{number} of {count}: PageUp and PageDown open others");
            notices.add(Notice::done(text));
            return Some(Effect::Load(self.open(FileSource::Path(next), Destination::Shown)));
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let (places, beside) = (vec![folder], Some((path, by)));
        Some(self.search(Search { places, beside, ..Search::default() }))
    }

    /// Requests the models among some files and folders, and the last environment among them.
    pub(crate) fn open_all(
        &mut self,
        places: Vec<PathBuf>,
        destination: Destination,
        notices: &mut Notices,
    ) -> Vec<Effect> {
        let (mut environments, places): (Vec<PathBuf>, Vec<PathBuf>) =
            places.into_iter().partition(|path| is_environment(path));
        let environment = environments.pop().map(FileSource::Path);
        let environment = environment.map(|file| self.open(file, Destination::Light));
        if let Some(other) = environments.first() {
            let name = FileSource::Path(other.clone()).name();
            let text = format!("{name} is left out: one environment at a time");
            notices.add(Notice::warning(text));
        }
        let search = Search { places, destination, ..Search::default() };
        let search = (!search.places.is_empty()).then(|| self.search(search));
        environment.map(Effect::Load).into_iter().chain(search).collect()
    }
}

/// Returns the n-th path after another in a list, wrapping around; `None` if that is the same path. A path that
/// is not in the list counts from where its name would be.
fn step_from(models: &[PathBuf], path: &Path, by: i64) -> Option<PathBuf> {
    let count = i64::try_from(models.len()).ok().filter(|count| *count > 0)?;
    // Files of the working directory are named with or without a leading `./`.
    let is_it = |model: &PathBuf| model == path || model.strip_prefix(".") == Ok(path);
    let at = match models.iter().position(is_it) {
        Some(at) => at as i64,
        None => {
            let before = models.iter().filter(|m| natural_order(m, path).is_lt()).count() as i64;
            // From a gap, the first step leads to the next path.
            if by > 0 { before - 1 } else { before }
        }
    };
    let next = &models[(at + by).rem_euclid(count) as usize];
    (!is_it(next)).then(|| next.clone())
}

/// Returns the first of several lines with the number of the others.
fn summed_up(lines: &[String]) -> Option<String> {
    let first = lines.first()?;
    Some(match lines.len() - 1 {
        0 => first.clone(),
        1 => format!("{first}; and 1 more is left out"),
        more => format!("{first}; and {more} more are left out"),
    })
}

#[cfg(test)]
mod folder_tests {
    use crate::loads::search::*;

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
        for name in ["2.glb", "10.GLB", "x.png", "b/c/1.gltf", "b/1.vrm", ".hidden/1.glb"] {
            std::fs::write(path(name), "").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), path("b/round")).unwrap();
        // A file that is dropped together with its folder counts once.
        let places = vec![folder.path().to_owned(), path("2.glb")];
        let found = Search { places, ..Search::default() }.run();
        let expected = ["2.glb", "10.GLB", "b/1.vrm", "b/c/1.gltf"].map(path);
        assert_eq!(found.models, expected);
        let places = vec![folder.path().to_owned()];
        let beside = Some((path("2.glb"), 1));
        let found = Search { places, beside, ..Search::default() }.run();
        assert_eq!(found.models, ["2.glb", "10.GLB"].map(path));
    }

    #[test]
    fn of_several_files_only_models_are_opened_and_the_others_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("empty")).unwrap();
        for (name, content) in [
            ("data.bin", &b"{\0\0\0"[..]),
            ("skin.png", b"\x89PNG\r\n"),
            ("notes.json", b"{}"),
            ("walk.gltf", b"{}"),
            ("run", b"glTF\x02\0\0\0"),
            ("old.ply", b"ply\nformat ascii 1.0\n"),
        ] {
            std::fs::write(path(name), content).unwrap();
        }
        let run = |names: &[&str]| {
            let places = names.iter().map(|name| path(name)).collect();
            let Finds { models, left_out } = Search { places, ..Search::default() }.run();
            let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
            (models.iter().map(name).collect::<Vec<_>>(), left_out)
        };
        let side = ["data.bin", "skin.png", "notes.json", "walk.gltf", "run"];
        assert_eq!(run(&side), (vec!["walk.gltf".into(), "run".into()], vec![]));
        let (models, left_out) = run(&["old.ply", "gone.glb", "empty", "walk.gltf"]);
        assert_eq!(models, ["walk.gltf"]);
        for (line, says) in left_out.iter().zip(["/empty is empty", "a PLY model", "not found"]) {
            assert!(line.contains(says), "{left_out:?}");
        }
        assert_eq!(left_out.len(), 3);
        // Without a model, one of the files is opened to get a message.
        assert_eq!(run(&["data.bin", "old.ply"]).0, ["old.ply"]);
        assert_eq!(run(&["skin.png", "notes.json"]).0, ["notes.json"]);
        assert_eq!(run(&["gone.glb"]).0, ["gone.glb"]);
        assert_eq!(run(&["empty"]).0, [""; 0]);
    }
}
