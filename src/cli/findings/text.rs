//! Findings for people: grouped by file, the worst first.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};

use super::checked::Checked;
use rigview_check::Level;
use rigview_import::escaped;
use rigview_report::{counted, plural};

/// Findings of one code that are listed per file; errors are all listed.
const LISTED: usize = 4;

/// Writes all files with findings, and the totals. In colour, if standard output is a terminal and NO_COLOR is
/// not set.
pub fn write(out: &mut dyn Write, files: &[Checked]) -> io::Result<()> {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let paint = Paint(io::stdout().is_terminal() && !no_color);
    for file in files {
        write_file(out, file, paint)?;
    }
    let count = |level: Level| {
        files.iter().flat_map(|file| &file.findings).filter(|f| f.level == level).count()
    };
    let [errors, warnings, notes] = [Level::Error, Level::Warning, Level::Note].map(count);
    write!(
        out,
        "{}, {}, {} in {}",
        counted(errors, "error"),
        counted(warnings, "warning"),
        counted(notes, "note"),
        counted(files.len(), "file")
    )?;
    match errors + warnings + notes {
        0 => writeln!(out),
        _ => writeln!(out, "; `rigview check --explain CODE` says why, and what to do"),
    }
}

fn write_file(out: &mut dyn Write, file: &Checked, paint: Paint) -> io::Result<()> {
    let name = escaped(&file.file);
    if let Some(error) = &file.error {
        writeln!(out, "{}\n  can't be loaded: {error}\n", paint.bold(&name))?;
    }
    if file.findings.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}", paint.bold(&name))?;
    let mut sorted: Vec<_> = file.findings.iter().collect();
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    let mut listed: HashMap<_, usize> = HashMap::new();
    for finding in &sorted {
        let number = listed.entry((finding.level, &*finding.code)).or_default();
        *number += 1;
        if finding.level != Level::Error && *number > LISTED {
            continue;
        }
        let level = paint.level(finding.level);
        let (code, message) = (&finding.code, escaped(&finding.message));
        write!(out, "  {level} {code}: {message}")?;
        match &finding.pointer {
            Some(pointer) => writeln!(out, " {}", paint.dim(&format!("at {}", escaped(pointer))))?,
            None => writeln!(out)?,
        }
    }
    let mut more: Vec<_> = listed
        .into_iter()
        .filter(|((level, _), number)| *level != Level::Error && *number > LISTED)
        .collect();
    more.sort_by_key(|((level, code), _)| (std::cmp::Reverse(*level), *code));
    for ((level, code), number) in more {
        let left = number - LISTED;
        writeln!(out, "  and {left} more {} {code}", plural(left, level.name()))?;
    }
    writeln!(out)
}

/// Whether to colour text (ECMA-48, select graphic rendition).
#[derive(Clone, Copy)]
struct Paint(bool);

impl Paint {
    fn paint(self, style: &str, text: &str) -> String {
        if self.0 { format!("\u{1b}[{style}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Returns the level, padded to a column.
    fn level(self, level: Level) -> String {
        let style = match level {
            Level::Error => "1;31",
            Level::Warning => "1;33",
            Level::Note => "1;36",
        };
        self.paint(style, &format!("{:7}", level.name()))
    }
}
