//! How far the skin has moved: by one remedy, and by all that must stay within the bound.

use std::borrow::Cow;

use super::answer::FixError;
use rigview_compare::{self, Distances};
use rigview_model::Model;

/// How far bounded remedies have moved the skin together, in metres.
#[derive(Default)]
pub struct Moved<'a> {
    /// The document before those since the last unbounded one, with which the later ones can't be compared.
    from: Option<Cow<'a, Model>>,
    /// How far those before that moved it.
    before: f64,
    pub total: f64,
}

impl<'a> Moved<'a> {
    /// Returns the totals with one more remedy, which by itself moves the skin by `distances`.
    pub fn with(&self, after: &Model, distances: &Distances) -> Result<Distances, FixError> {
        let mut since = match &self.from {
            Some(from) => self::distances(from, after)?,
            None => distances.clone(),
        };
        since.at_rest += self.before;
        since.clips.values_mut().for_each(|distance| *distance += self.before);
        Ok(since)
    }

    /// Adds a remedy of a document.
    pub fn by_one(&mut self, document: Cow<'a, Model>, distance: f64, total: f64) {
        if distance > 0.0 {
            self.from.get_or_insert(document);
        }
        self.total = total;
    }

    pub fn start_anew(&mut self) {
        self.from = None;
        self.before = self.total;
    }
}

/// Returns the largest distances between two models at the skin, at rest and in each clip.
pub fn distances(a: &Model, b: &Model) -> Result<Distances, FixError> {
    let distances = rigview_compare::distances(a, b).map_err(FixError::Unmeasured)?;
    Ok(distances.unwrap_or_default())
}
