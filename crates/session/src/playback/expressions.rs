//! The weights of a VRM file's expressions.

use std::collections::BTreeMap;

use rigview_model::Model;

/// The weights of a VRM file's expressions by their index; empty if none was set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Expressions(Vec<f32>);

impl Expressions {
    /// The weights, of as many expressions as were needed.
    pub fn weights(&self) -> &[f32] {
        &self.0
    }

    /// The weight of an expression; 0 if it was not set.
    pub fn weight(&self, index: usize) -> f32 {
        self.0.get(index).copied().unwrap_or_default()
    }

    /// Whether a weight is not 0.
    pub fn is_set(&self) -> bool {
        self.0.iter().any(|weight| *weight != 0.0)
    }

    /// Sets all weights to 0.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Sets the weight of an expression, if the model has it.
    pub fn set(&mut self, model: &Model, index: usize, weight: f32) {
        let count = model.vrm.as_ref().map_or(0, |vrm| vrm.expressions.len());
        if index < count && weight.is_finite() {
            self.0.resize(count, 0.0);
            self.0[index] = weight.clamp(0.0, 1.0);
        }
    }

    /// Returns the weights that are not 0, by name.
    pub fn named(&self, model: &Model) -> BTreeMap<String, f32> {
        let set = expression_names(model).zip(&self.0).filter(|(_, weight)| **weight != 0.0);
        set.map(|(name, weight)| (name.clone(), *weight)).collect()
    }

    /// Sets weights by name. Returns the first name that the model lacks.
    pub fn set_named<'a>(
        &mut self,
        model: &Model,
        weights: impl IntoIterator<Item = (&'a String, &'a f32)>,
    ) -> Option<&'a str> {
        let mut missing = None;
        for (name, weight) in weights {
            match expression_names(model).position(|other| other == name) {
                Some(index) => self.set(model, index, *weight),
                None => missing = missing.or(Some(name.as_str())),
            }
        }
        missing
    }

    /// Keeps the weights in another version of the file, by their names.
    pub fn carry_over(&mut self, before: &Model, after: &Model) {
        let weights = self.named(before);
        self.clear();
        if !weights.is_empty() {
            let weight = |name: &String| weights.get(name).copied().unwrap_or_default();
            self.0 = expression_names(after).map(weight).collect();
        }
    }
}

/// Returns the names of a VRM file's expressions.
pub(crate) fn expression_names(model: &Model) -> impl Iterator<Item = &String> {
    model.vrm.iter().flat_map(|vrm| &vrm.expressions).map(|expression| &expression.name)
}
