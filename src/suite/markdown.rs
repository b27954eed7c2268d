//! Results in words and as Markdown, for the summary of a CI job or a comment on a change.

use std::collections::HashSet;
use std::fmt::Write;

use super::results::{CaseResult, CheckResult, Results, Status};
use rigview_report::{MARKDOWN_BYTES, markdown_text};

/// Cases that the table lists at most.
const LISTED: usize = 100;

/// Checks of a case that are listed at most.
const LINES: usize = 10;

/// Returns the results as a table of the cases that did not pass.
pub fn markdown(results: &Results) -> String {
    let mut out = format!("### rigview: {} passed, {} failed\n", results.passed, results.failed);
    let bad: Vec<_> = results.cases.iter().filter(|case| case.status != Status::Passed).collect();
    if bad.is_empty() {
        return out;
    }
    out += "\n| case | file | what differs |\n|---|---|---|\n";
    let mut listed = 0;
    for case in bad.iter().take(LISTED) {
        let row = row(case);
        if out.len() + row.len() > MARKDOWN_BYTES {
            continue;
        }
        out += &row;
        listed += 1;
    }
    if listed < bad.len() {
        let _ = writeln!(out, "\nand {} more", bad.len() - listed);
    }
    out
}

/// Returns the row of a case, with the first lines of what is wrong with it.
fn row(case: &CaseResult) -> String {
    let lines = case_lines(case);
    let mut said: Vec<String> = lines.iter().take(LINES).map(|line| markdown_text(line)).collect();
    if lines.len() > LINES {
        said.push(format!("and {} more", lines.len() - LINES));
    }
    let (name, file) = (markdown_text(&case.name), markdown_text(&case.file));
    format!("| {name} | {file} | {} |\n", said.join("<br>"))
}

/// Returns what is wrong with a case, a line for each check that did not pass. The worst instant of a motion may be one whose
/// pose is checked by itself, and is said once. Empty if it passed.
pub fn case_lines(case: &CaseResult) -> Vec<String> {
    let checks = case.checks.iter().filter(|check| check.status != Status::Passed);
    let mut said = HashSet::new();
    let lines = case.message.iter().cloned().chain(checks.map(check_in_words));
    lines.filter(|line| said.insert(line.clone())).collect()
}

/// Returns a check's kind, instant and message.
pub fn check_in_words(check: &CheckResult) -> String {
    let kind = check.kind.name();
    let said = check.message.as_deref().unwrap_or("failed");
    match check.time {
        Some(time) => format!("{kind} at {} s: {said}", (1e3 * time).round() / 1e3),
        None => format!("{kind}: {said}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::judge::open_check;
    use crate::suite::results::{CaseResult, Kind};

    #[test]
    fn names_are_not_read_as_markup() {
        let case = CaseResult {
            name: "a|b*c".into(),
            file: "<img>.glb".into(),
            status: Status::Error,
            clip: None,
            message: Some("line\nbreak".into()),
            checks: vec![],
            motion: None,
            commands: None,
        };
        let text =
            markdown(&Results { passed: 1, failed: 1, cases: vec![case], ..Results::default() });
        assert!(text.starts_with("### rigview: 1 passed, 1 failed\n"), "{text}");
        assert!(text.contains("| a\\|b\\*c | &lt;img>.glb | line\\\\u000abreak |"), "{text}");
        let none = markdown(&Results { passed: 2, ..Results::default() });
        assert_eq!(none, "### rigview: 2 passed, 0 failed\n");
    }

    #[test]
    fn what_two_checks_say_of_one_instant_is_a_line() {
        let check = |time: f64, said: &str| CheckResult {
            status: Status::Failed,
            message: Some(said.into()),
            ..open_check(Kind::Pose, Some(time))
        };
        let case = CaseResult {
            name: "a".into(),
            file: "a.glb".into(),
            status: Status::Failed,
            clip: None,
            message: None,
            checks: vec![check(0.5, "is off"), check(59.0 / 30.0, "is off"), check(0.5, "is off")],
            motion: None,
            commands: None,
        };
        assert_eq!(case_lines(&case), ["pose at 0.5 s: is off", "pose at 1.967 s: is off"]);
    }

    /// A comment has a limit, also for many cases of many instants with long names.
    #[test]
    fn what_is_too_long_for_a_comment_is_counted() {
        let check = |time: f64| CheckResult {
            status: Status::Failed,
            message: Some("is off by far | ".repeat(10)),
            ..open_check(Kind::Pose, Some(time))
        };
        let case = |name: String| CaseResult {
            name,
            file: "a.glb".into(),
            status: Status::Failed,
            clip: None,
            message: None,
            checks: (0..40).map(|time| check(f64::from(time))).collect(),
            motion: None,
            commands: None,
        };
        let cases: Vec<_> = (0..300).map(|number| case(format!("case {number}"))).collect();
        let text = markdown(&Results { failed: 300, cases, ..Results::default() });
        assert!(text.len() < 65_536 && text.contains("<br>and 30 more |"), "{}", text.len());
        let rows = text.lines().filter(|line| line.starts_with("| case ")).count();
        assert!(text.ends_with(&format!("\nand {} more\n", 300 - (rows - 1))), "{rows}");
    }
}
