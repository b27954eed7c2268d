//! What `rigview test` prints: a progress bar, the cases that did not pass, and a summary.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::failure::Failure;
use crate::cli::output::print_beside;
use crate::suite::{CaseResult, Results, Status, case_lines};
use rigview_import::escaped;
use rigview_report::counted;

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
    /// The output that is standard output, if one is: lines are then printed on standard error.
    piped: Option<PathBuf>,
}

impl Tally {
    /// Creates a tally without results. `piped` is the output that is standard output.
    pub fn new(cases: usize, piped: Option<&Path>) -> Self {
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
        Self { results: vec![None; cases], printed: 0, bar, piped: piped.map(Path::to_owned) }
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
        let write = || print_beside(self.piped.as_deref(), |out| out.write_all(lines.as_bytes()));
        lines.is_empty() || self.bar.suspend(|| write().is_ok())
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

/// Prints what was blessed, the goldens of no case and, if there was a GPU, the count; of a part also of how many `cases`.
pub fn print_summary(
    ran: &Ran,
    stale: &[String],
    is_pruned: bool,
    cases: usize,
    piped: Option<&Path>,
) -> Result<(), Failure> {
    print_beside(piped, |out| {
        for line in &ran.blessed {
            writeln!(out, "blessed {}", escaped(line))?;
        }
        let word = if is_pruned { "removed" } else { "of no case (--prune removes it)" };
        for name in stale {
            writeln!(out, "golden {word}: {}", escaped(name))?;
        }
        if ran.no_gpu.is_none() {
            let Results { passed, failed, part, .. } = ran.results;
            write!(out, "{passed} passed, {failed} failed")?;
            if let Some([part, count]) = part {
                let ran = passed + failed;
                write!(out, " (part {part} of {count}: {ran} of {})", counted(cases, "case"))?;
            }
            writeln!(out)?;
        }
        Ok(())
    })
}
