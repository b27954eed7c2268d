//! Several places at once: files and folders that were dropped or named together, and the steps from
//! one model to the next.

use std::path::{Path, PathBuf};

use super::environment::is_environment;
use super::folder::natural_order;
use super::loading::Loads;
use super::notice::Notice;
use super::{Effect, FileSource, Finds, Search, Viewer};

impl Viewer {
    /// Opens what can be found in these places.
    pub(super) fn open_all(&mut self, places: Vec<PathBuf>) -> Vec<Effect> {
        let (mut environments, places): (Vec<PathBuf>, Vec<PathBuf>) =
            places.into_iter().partition(|path| is_environment(path));
        self.dismiss();
        let environment = environments.pop().map(|path| self.load_environment(path));
        if let Some(other) = environments.first() {
            let name = FileSource::Path(other.clone()).name();
            self.say(Notice::warning(format!("{name} is left out: one environment at a time")));
        }
        let search = match places.is_empty() {
            true => Vec::new(),
            false => self.search(Search { places, ..Search::default() }),
        };
        environment.into_iter().chain(search).collect()
    }

    /// Plays the clips of the first model that can be found in these places.
    pub(super) fn take_clips_of_all(&mut self, places: Vec<PathBuf>) -> Vec<Effect> {
        if self.document.is_none() {
            return self.open_all(places);
        }
        self.awaiting = None;
        self.dismiss();
        self.search(Search { places, for_clips: true, ..Search::default() })
    }

    fn search(&mut self, search: Search) -> Vec<Effect> {
        self.give_up();
        self.loads.search = Some(search.clone());
        vec![Effect::Find(search)]
    }

    pub(super) fn found(&mut self, search: &Search, finds: Finds) -> Vec<Effect> {
        // What was given up or superseded is no longer wanted.
        let Some(wanted) = self.loads.search.take_if(|s| s.is_same_as(search)) else {
            return Vec::new();
        };
        if let Some((path, by)) = &wanted.beside {
            return match step_from(&finds.models, path, *by) {
                Some(next) => self.open(FileSource::Path(next)),
                None => {
                    self.dismiss();
                    self.no_model(format!("no other glTF file in {}", wanted.place()))
                }
            };
        }
        let Finds { models, left_out } = finds;
        let Some(first) = models.first().cloned() else {
            let none = || format!("no glTF file in {}", wanted.place());
            return self.no_model(summed_up(&left_out).unwrap_or_else(none));
        };
        let (source, count) = (FileSource::Path(first), models.len());
        // The notices of this drop stay, those of the one before are gone already.
        let load = if wanted.for_clips {
            if count > 1 {
                let text = format!("1 of {count} files: the clips of one are taken at a time");
                self.say(Notice::warning(text));
            }
            self.load_clips(source)
        } else {
            if count > 1 {
                self.say(Notice::done(format!("1 of {count}: PageDown opens the next")));
            }
            self.loads.together = models;
            self.load(source, false, false)
        };
        if let Some(text) = summed_up(&left_out) {
            self.say(Notice::warning(text));
        }
        vec![load]
    }

    /// Says that there is nothing to open.
    fn no_model(&mut self, text: String) -> Vec<Effect> {
        self.loads.failure = None;
        self.say(Notice::warning(text));
        Vec::new()
    }

    /// The file after the one that is shown or was last tried.
    pub(super) fn step_files(&mut self, by: i64) -> Vec<Effect> {
        if let Some((_, steps)) = self.loads.search.as_mut().and_then(|s| s.beside.as_mut()) {
            *steps += by;
            return Vec::new();
        }
        let Loads { pending, failure, together, .. } = &self.loads;
        let last = pending.as_ref().map(|p| &p.source).or(failure.as_ref().map(|f| &f.source));
        let last = last.or(self.document.as_ref().map(|d| &d.source));
        let Some(FileSource::Path(path)) = last.cloned() else { return Vec::new() };
        if together.len() > 1 && together.contains(&path) {
            let count = together.len();
            let Some(next) = step_from(together, &path, by) else { return Vec::new() };
            let number = together.iter().position(|model| *model == next).map_or(0, |at| at + 1);
            let effects = self.open(FileSource::Path(next));
            self.say(Notice::done(format!("{number} of {count}: PageUp and PageDown open others")));
            return effects;
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let (places, beside) = (vec![folder], Some((path, by)));
        self.search(Search { places, beside, ..Search::default() })
    }
}

/// The first of several lines, and how many more there are.
fn summed_up(lines: &[String]) -> Option<String> {
    let first = lines.first()?;
    Some(match lines.len() - 1 {
        0 => first.clone(),
        1 => format!("{first}; and 1 more is left out"),
        more => format!("{first}; and {more} more are left out"),
    })
}

/// What stands so many places behind a path in a list, round and round; none where there is no
/// other. One that is not in the list stands where its name would.
fn step_from(models: &[PathBuf], path: &Path, by: i64) -> Option<PathBuf> {
    let count = i64::try_from(models.len()).ok().filter(|count| *count > 0)?;
    // What lies in the working directory is named with and without its dot.
    let is_it = |model: &PathBuf| model == path || model.strip_prefix(".") == Ok(path);
    let at = match models.iter().position(is_it) {
        Some(at) => at as i64,
        None => {
            let before = models.iter().filter(|m| natural_order(m, path).is_lt()).count() as i64;
            // On from a gap, the first step leads to what is behind it.
            if by > 0 { before - 1 } else { before }
        }
    };
    let next = &models[(at + by).rem_euclid(count) as usize];
    (!is_it(next)).then(|| next.clone())
}
