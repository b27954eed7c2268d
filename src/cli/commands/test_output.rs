//! What `rigview test` prints: a progress bar, the cases that did not pass, and a summary.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::failure::Failure;
use crate::cli::output::print;
use crate::import::escaped;
use crate::suite::{CaseResult, Results, Status, case_lines};

/// What a run gave.
#[derive(Default)]
pub struct Ran {
    pub results: Results,
    /// Running time of each case in seconds.
    pub secs: Vec<Option<f64>>,
    pub blessed: Vec<String>,
    pub unwritten: Vec<String>,
    pub no_gpu: Option<String>,
}

/// Collects results, and prints them as they come: a progress bar on a terminal, and a line for each case that
/// did not pass, in the order of the manifest.
pub struct Tally {
    results: Vec<Option<CaseResult>>,
    printed: usize,
    bar: ProgressBar,
}

impl Tally {
    /// Creates a tally without results.
    pub fn new(cases: usize) -> Self {
        let target = match std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(cases as u64), target);
        if let Ok(style) =
            ProgressStyle::with_template("{wide_bar} {pos} of {len} cases, {eta} left")
        {
            bar.set_style(style);
        }
        Self { results: vec![None; cases], printed: 0, bar }
    }

    /// Adds the result of a case. Returns `false` if standard output is closed.
    pub fn add(&mut self, index: usize, result: CaseResult) -> bool {
        self.results[index] = Some(result);
        self.bar.inc(1);
        let mut lines = String::new();
        while let Some(Some(result)) = self.results.get(self.printed) {
            lines += &failure_lines(result);
            self.printed += 1;
        }
        lines.is_empty()
            || self.bar.suspend(|| print(|out| out.write_all(lines.as_bytes())).is_ok())
    }

    /// Returns the results in the order of the manifest, without those that were not run.
    pub fn finish(self) -> Vec<CaseResult> {
        self.bar.finish_and_clear();
        self.results.into_iter().flatten().collect()
    }
}

/// Returns the lines for a case that did not pass.
pub fn failure_lines(case: &CaseResult) -> String {
    let word = match case.status {
        Status::Passed => return String::new(),
        Status::Failed => "failed",
        Status::Error => "error",
    };
    let lines = case_lines(case);
    let line = |what: &String| format!("{word} {}: {}\n", escaped(&case.name), escaped(what));
    lines.iter().map(line).collect()
}

/// Prints what was blessed, the goldens of no case and, if there was a GPU, the count.
pub fn print_summary(ran: &Ran, stale: &[String], is_pruned: bool) -> Result<(), Failure> {
    print(|out| {
        for line in &ran.blessed {
            writeln!(out, "blessed {}", escaped(line))?;
        }
        let word = if is_pruned { "removed" } else { "of no case (--prune removes it)" };
        for name in stale {
            writeln!(out, "golden {word}: {}", escaped(name))?;
        }
        if ran.no_gpu.is_none() {
            writeln!(out, "{} passed, {} failed", ran.results.passed, ran.results.failed)?;
        }
        Ok(())
    })
}
