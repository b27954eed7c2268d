//! Results as JUnit XML, which CI servers read.

use std::io::{self, Write};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::markdown::check_in_words;
use super::results::{CaseResult, CheckResult, Results, Status};

/// Writes results as one test suite of this name. `secs` are the running times of the cases; cases without one
/// have no time.
///
/// # Errors
/// If `out` can't be written.
pub fn write_junit(
    results: &Results,
    name: &str,
    secs: &[Option<f64>],
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut suite = TestSuite::new(name);
    let secs = secs.iter().copied().chain(std::iter::repeat(None));
    for (case, secs) in results.cases.iter().zip(secs) {
        let mut entry = TestCase::new(case.name.as_str(), status(case));
        entry.set_classname(case.file.as_str());
        if let Some(secs) = secs {
            entry.set_time(Duration::from_secs_f64(secs));
        }
        suite.add_test_case(entry);
    }
    let mut report = Report::new("rigview test");
    report.add_test_suite(suite);
    report.serialize(out).map_err(io::Error::other)
}

fn status(case: &CaseResult) -> TestCaseStatus {
    let kind = match case.status {
        Status::Passed => return TestCaseStatus::success(),
        Status::Failed => NonSuccessKind::Failure,
        Status::Error => NonSuccessKind::Error,
    };
    let mut status = TestCaseStatus::non_success(kind);
    let checks: Vec<&CheckResult> =
        case.checks.iter().filter(|check| check.status != Status::Passed).collect();
    let kinds: Vec<&str> = checks.iter().map(|check| check.kind.name()).collect();
    let lines: Vec<String> =
        case.message.iter().cloned().chain(checks.into_iter().map(check_in_words)).collect();
    status.set_type(kinds.first().copied().unwrap_or("case"));
    status.set_message(lines.first().map(String::as_str).unwrap_or_default());
    status.set_description(lines.join("\n"));
    status
}
