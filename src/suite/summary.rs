//! Results in words, a line each.

use super::results::{CaseResult, CheckResult, Kind, Status};

impl Kind {
    /// Returns the name as in manifests.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Picture => "picture",
            Kind::Pose => "pose",
            Kind::Check => "check",
        }
    }
}

/// Returns what is wrong with a case, a line for each check that did not pass. Empty if it passed.
pub fn case_lines(case: &CaseResult) -> Vec<String> {
    let checks = case.checks.iter().filter(|check| check.status != Status::Passed);
    case.message.iter().cloned().chain(checks.map(check_in_words)).collect()
}

/// Returns a check's kind, instant and message.
pub fn check_in_words(check: &CheckResult) -> String {
    let kind = check.kind.name();
    let said = check.message.as_deref().unwrap_or("failed");
    match check.time {
        Some(time) => format!("{kind} at {time} s: {said}"),
        None => format!("{kind}: {said}"),
    }
}
