//! Searches for models in files and folders, and steps to the next model of a folder.

use std::path::{Path, PathBuf};

use super::folder::natural_order;
use super::{Loads, is_environment};
use crate::notice::{Notice, Notices};
use crate::{Destination, Document, Effect, FileSource, Finds, LoadRequest, Search};

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
                notices.add(Notice::warning(format!("no other model in {}", wanted.place())));
                return None;
            };
            return Some(self.open(FileSource::Path(next), Destination::Shown));
        }
        let Finds { models, left_out } = finds;
        let Some(first) = models.first().cloned() else {
            let none = || format!("no model in {}", wanted.place());
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
