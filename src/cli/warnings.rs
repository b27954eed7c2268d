//! Logs warnings about files, with a limit for all files of a run, however broken they are. Worker processes gather their
//! log instead, for the process that started them.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use log::{Level, LevelFilter, Record};
use serde::{Deserialize, Serialize};

use rigview_import::Warning;

/// Limits of a run: lines, and bytes of all lines.
const LINES: usize = 12;
const BYTES: usize = 4_000;

const LONGEST: usize = 1_000;

/// Bytes around the text of a line, and bytes reserved for the line that counts the rest.
const FRAME: usize = "rigview: error: \n".len();
const COUNT: usize = 120;

struct Left {
    lines: usize,
    bytes: usize,
    /// Whether the last line was logged.
    told: bool,
}

static LEFT: Mutex<Left> = Mutex::new(Left { lines: LINES, bytes: BYTES, told: false });

/// The target of lines about options, which concern the whole run.
const OPTIONS: &str = "rigview::options";

static PRINTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// A line of a worker's log.
#[derive(Debug, Serialize, Deserialize)]
pub struct LogLine {
    level: String,
    /// Whether it is about an option, and is to be printed once.
    is_of_option: bool,
    text: String,
}

/// The lines that a worker has gathered; `None` in other processes.
static GATHERED: Mutex<Option<Vec<LogLine>>> = Mutex::new(None);

/// Gathers the log from now on. Messages for developers are left out.
pub fn gather() {
    log::set_max_level(log::max_level().min(LevelFilter::Info));
    *GATHERED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::new());
}

pub fn take_gathered() -> Vec<LogLine> {
    let mut gathered = GATHERED.lock().unwrap_or_else(PoisonError::into_inner);
    gathered.as_mut().map(std::mem::take).unwrap_or_default()
}

/// Gathers a line of the log. Returns whether it did; otherwise the line is to be printed.
pub fn keep(record: &Record) -> bool {
    let mut gathered = GATHERED.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(lines) = gathered.as_mut() else { return false };
    let text = cut(record.args().to_string());
    let is_of_option = record.target() == OPTIONS;
    lines.push(LogLine { level: record.level().to_string(), is_of_option, text });
    true
}

fn is_gathering() -> bool {
    GATHERED.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// Whether a line about an option was not printed before, as it is now.
fn is_new(text: &str) -> bool {
    PRINTED.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned())
}

/// Logs what a worker has gathered about a file, each line after `prefix`. What is said of an option is logged for the first
/// file only.
pub fn print_gathered(prefix: &str, lines: &[LogLine]) {
    let lines = lines.iter().filter(|line| !line.is_of_option || is_new(&line.text));
    print_capped(lines.map(|line| {
        let level = line.level.parse().unwrap_or(Level::Warn);
        (level, format!("{prefix}{}", line.text))
    }));
}

pub fn warn_of(prefix: &str, warnings: &[Warning]) {
    print_capped(warnings.iter().map(|warning| {
        let level = if warning.is_hint() { Level::Info } else { Level::Warn };
        (level, format!("{prefix}{warning}"))
    }));
}

/// Warns of options, as far as they were given, that have no effect for a reason: once in a run, however many files it has.
pub fn warn_of_no_effect(options: &[(&str, bool)], why: &str) {
    for (option, _) in options.iter().filter(|(_, is_given)| *is_given) {
        let text = format!("{option} has no effect: {why}");
        if is_gathering() || is_new(&text) {
            log::warn!(target: OPTIONS, "{text}");
        }
    }
}

/// Logs lines about one file; beyond the limits of the run, only counts them. Of files after that, nothing is logged.
pub fn print_capped(lines: impl Iterator<Item = (Level, String)>) {
    let lines: Vec<_> = lines
        .filter(|(level, _)| log::log_enabled!(*level))
        .map(|(level, line)| (level, cut(line)))
        .collect();
    if is_gathering() {
        // The process that prints them keeps to the limits.
        lines.iter().for_each(|(level, line)| log::log!(*level, "{line}"));
        return;
    }
    let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
    let (shown, end) = left.take(&lines);
    for (level, line) in &lines[..shown] {
        log::log!(*level, "{line}");
    }
    match end {
        Some(End::OfFile) => log::warn!("and {} more for this file", lines.len() - shown),
        Some(End::OfRun) => log::warn!("warnings of further files are left out"),
        None => {}
    }
}

/// A line after which warnings are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    OfFile,
    OfRun,
}

impl Left {
    /// Returns how many of these lines are logged, and what is said of the others.
    fn take(&mut self, lines: &[(Level, String)]) -> (usize, Option<End>) {
        let size =
            |lines: &[(Level, String)]| lines.iter().map(|(_, l)| l.len() + FRAME).sum::<usize>();
        if lines.is_empty() || self.told {
            return (0, None);
        }
        if self.lines == 0 {
            self.told = true;
            return (0, Some(End::OfRun));
        }
        // A line and some bytes stay for the one that counts the rest.
        let fits =
            |shown: usize| shown < self.lines && size(&lines[..shown]) + 2 * COUNT <= self.bytes;
        let shown = (0..=lines.len()).rev().find(|shown| fits(*shown)).unwrap_or(0);
        if shown < lines.len() {
            self.lines = 0;
            return (shown, Some(End::OfFile));
        }
        self.lines -= shown;
        self.bytes -= size(lines);
        (shown, None)
    }
}

fn cut(mut line: String) -> String {
    if line.len() > LONGEST {
        let end = (0..=LONGEST - 3).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
        line.truncate(end);
        line += "...";
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_share_the_limits_and_the_rest_is_counted_once() {
        let lines = |count: usize, length: usize| vec![(Level::Warn, "x".repeat(length)); count];
        let mut left = Left { lines: LINES, bytes: BYTES, told: false };
        assert_eq!(left.take(&lines(5, 10)), (5, None));
        assert_eq!(left.take(&lines(3, 10)), (3, None));
        assert_eq!(left.take(&lines(9, 10)), (3, Some(End::OfFile)));
        assert_eq!(left.take(&lines(0, 10)), (0, None));
        assert_eq!(left.take(&lines(2, 10)), (0, Some(End::OfRun)));
        assert_eq!(left.take(&lines(2, 10)), (0, None));
        let mut left = Left { lines: LINES, bytes: BYTES, told: false };
        assert_eq!(left.take(&lines(10, 1_000)), (3, Some(End::OfFile)));
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        assert_eq!(cut("ä".repeat(LONGEST / 2)), "ä".repeat(LONGEST / 2));
        let line = cut("ä".repeat(LONGEST));
        assert!(line.len() <= LONGEST && line.ends_with("ä..."), "{line}");
    }
}
