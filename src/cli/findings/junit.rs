//! Findings as JUnit XML: a test suite per file, a test case per finding. Errors are failures; other
//! findings are cases that pass, with their message as output.

use std::collections::HashMap;
use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::checked::Checked;
use rigview_check::{Finding, Level};
use rigview_import::escaped;

/// Writes the findings of all files. A file without findings has a case "check" that passes.
pub fn write(out: &mut dyn Write, files: &[Checked]) -> io::Result<()> {
    let mut report = Report::new("rigview check");
    for file in files {
        let name = escaped(&file.file);
        let mut suite = TestSuite::new(&name);
        let mut seen = HashMap::new();
        for finding in &file.findings {
            suite.add_test_case(case(finding, &name, &mut seen));
        }
        if let Some(error) = &file.error {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_message(error).set_type("load");
            suite.add_test_case(named("load", status, &name));
        } else if file.findings.is_empty() {
            suite.add_test_case(named("check", TestCaseStatus::success(), &name));
        }
        report.add_test_suite(suite);
    }
    report.serialize(out).map_err(io::Error::other)
}

/// Returns the test case of a finding. Services join cases of one name, so further ones get a number.
fn case(finding: &Finding, file: &str, seen: &mut HashMap<String, usize>) -> TestCase {
    let mut name = finding.code.to_string();
    for part in [&finding.clip, &finding.object, &finding.pointer].into_iter().flatten() {
        name += &format!(" {}", escaped(part));
    }
    let number = seen.entry(name.clone()).or_default();
    *number += 1;
    if *number > 1 {
        name += &format!(" ({number})");
    }
    let message = escaped(&finding.message);
    if finding.level == Level::Error {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_message(&message).set_type(finding.code.as_ref());
        return named(&name, status, file);
    }
    let mut case = named(&name, TestCaseStatus::success(), file);
    case.set_system_out(format!("{}: {message}", finding.level.name()));
    case
}

fn named(name: &str, status: TestCaseStatus, file: &str) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(file);
    case
}
