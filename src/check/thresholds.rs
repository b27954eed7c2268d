//! The numbers up to which rules find nothing.

use std::collections::BTreeMap;

use super::Code;

/// The thresholds that a contract changes; all others are those of [`Code::threshold`].
#[derive(Clone, Debug, Default)]
pub(super) struct Thresholds(BTreeMap<Code, f64>);

impl Thresholds {
    /// Changes a threshold.
    ///
    /// # Errors
    /// If the rule measures nothing, or the number is negative or not finite.
    pub fn set(&mut self, code: Code, threshold: f64) -> Result<(), String> {
        if code.threshold().is_none() {
            return Err(format!("{code} measures nothing, so it has no threshold"));
        }
        if !(threshold >= 0.0 && threshold.is_finite()) {
            return Err(format!("the threshold of {code} must be a number from 0"));
        }
        self.0.insert(code, threshold);
        Ok(())
    }

    /// Returns the number up to which a rule finds nothing; 0 for rules that measure nothing.
    pub fn of(&self, code: Code) -> f64 {
        let usual = || code.threshold().map_or(0.0, |(limit, _)| limit);
        self.0.get(&code).copied().unwrap_or_else(usual)
    }
}
