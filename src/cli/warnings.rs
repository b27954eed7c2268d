//! Logs warnings about a file, with a limit per file however broken it is.

use log::Level;

use crate::import::Warning;

/// Limits per file: lines, and bytes of all lines.
const LINES: usize = 12;
const BYTES: usize = 4_000;

/// Limit of one line in bytes.
const LONGEST: usize = 1_000;

/// Bytes around the text of a line, and bytes reserved for the line that counts the rest.
const FRAME: usize = "rigview: error: \n".len();
const COUNT: usize = 120;

/// Logs a file's warnings, each after `prefix`.
pub fn warn_of(prefix: &str, warnings: &[Warning]) {
    print_capped(warnings.iter().map(|warning| {
        let level = if warning.is_hint() { Level::Info } else { Level::Warn };
        (level, format!("{prefix}{warning}"))
    }));
}

/// Logs lines about one file; beyond the limits, only counts them.
pub fn print_capped(lines: impl Iterator<Item = (Level, String)>) {
    let lines: Vec<_> = lines
        .filter(|(level, _)| log::log_enabled!(*level))
        .map(|(level, line)| (level, cut(line)))
        .collect();
    let size =
        |lines: &[(Level, String)]| lines.iter().map(|(_, l)| l.len() + FRAME).sum::<usize>();
    let mut shown = lines.len();
    if shown > LINES || size(&lines) > BYTES {
        shown = shown.min(LINES - 1);
        while size(&lines[..shown]) + COUNT > BYTES {
            shown -= 1;
        }
    }
    for (level, line) in &lines[..shown] {
        log::log!(*level, "{line}");
    }
    if let more @ 1.. = lines.len() - shown {
        log::warn!("and {more} more for this file");
    }
}

/// Shortens a line to the limit.
fn cut(mut line: String) -> String {
    if line.len() > LONGEST {
        let end = (0..=LONGEST - 3).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
        line.truncate(end);
        line += "...";
    }
    line
}
