//! Searches for models in files and folders, and steps to the next model of a folder.

use std::path::{Path, PathBuf};

use super::folder::natural_order;
use super::{Loads, request};
use crate::session::notice::{Notice, Notices};
use crate::session::{Document, Effect, FileSource, Finds, LoadRequest, Search};

impl Loads {
    pub(super) fn search(&mut self, search: Search) -> Effect {
        self.give_up();
        self.search = Some(search.clone());
        Effect::Find(search)
    }

    /// Requests what a search has found. The result of a search that was superseded or given up is dropped.
    pub(super) fn found(
        &mut self,
        search: &Search,
        finds: Finds,
        notices: &mut Notices,
    ) -> Option<Effect> {
        let wanted = self.search.take_if(|s| s.is_same_as(search))?;
        if let Some((path, by)) = &wanted.beside {
            notices.dismiss();
            self.failure = None;
            let Some(next) = step_from(&finds.models, path, *by) else {
                notices.add(Notice::warning(format!("no other glTF file in {}", wanted.place())));
                return None;
            };
            return Some(self.open(FileSource::Path(next)));
        }
        let Finds { models, left_out } = finds;
        let Some(first) = models.first().cloned() else {
            let none = || format!("no model in {}", wanted.place());
            self.failure = None;
            notices.add(Notice::warning(summed_up(&left_out).unwrap_or_else(none)));
            return None;
        };
        // Notices about the same drop stay. Those about the drop before are already gone.
        let (source, count) = (FileSource::Path(first), models.len());
        let load = if wanted.for_clips {
            if count > 1 {
                let text = format!("1 of {count} files: only the clips of this file are taken");
                notices.add(Notice::warning(text));
            }
            self.open_clips(source)
        } else {
            if count > 1 {
                notices.add(Notice::done(format!("1 of {count}: PageDown opens the next")));
            }
            self.together = models;
            Effect::Load(self.load(LoadRequest { source, ..request() }))
        };
        if let Some(text) = summed_up(&left_out) {
            notices.add(Notice::warning(text));
        }
        Some(load)
    }

    /// Requests the n-th file after the one that is shown or was tried last.
    pub(super) fn step_files(
        &mut self,
        by: i64,
        shown: Option<&Document>,
        notices: &mut Notices,
    ) -> Option<Effect> {
        if let Some((_, steps)) = self.search.as_mut().and_then(|s| s.beside.as_mut()) {
            *steps += by;
            return None;
        }
        let last = self.pending.as_ref().map(|p| &p.source);
        let last = last.or(self.failure.as_ref().map(|f| &f.source));
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
            return Some(self.open(FileSource::Path(next)));
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let (places, beside) = (vec![folder], Some((path, by)));
        Some(self.search(Search { places, beside, ..Search::default() }))
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
