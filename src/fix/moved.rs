//! How far the skin has moved: by one remedy, and by all that must stay within the bound.

use std::borrow::Cow;

use super::answer::FixError;
use crate::compare;
use crate::model::Model;

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
    /// Returns the total with one more remedy, which by itself moves the skin by `distance`.
    pub fn with(&self, after: &Model, distance: f64) -> Result<f64, FixError> {
        let since = self.from.as_ref().map_or(Ok(distance), |from| self::distance(from, after))?;
        Ok(self.before + since)
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

/// Returns the largest distance between two models at the skin, at rest and over all clips, in metres.
pub fn distance(a: &Model, b: &Model) -> Result<f64, FixError> {
    let distance = compare::largest_distance(a, b).map_err(FixError::Unmeasured)?;
    Ok(distance.unwrap_or(0.0))
}
