//! Findings as Markdown, for a job summary or a comment: totals, tables of errors and warnings, folded notes.

use std::io::{self, Write};

use super::checked::Checked;
use crate::check::{Finding, Level};
use crate::report::{counted, markdown_text, plural};

/// Rows per level at most: services limit the length of a comment (GitHub's is 65,536 characters).
const ROWS: usize = 100;

/// Writes the findings of all files.
pub fn write(out: &mut dyn Write, files: &[Checked]) -> io::Result<()> {
    let of = |level: Level| -> Vec<&Finding> {
        let all = files.iter().flat_map(|file| &file.findings);
        all.filter(|finding| finding.level == level).collect()
    };
    let [errors, warnings, notes] = [Level::Error, Level::Warning, Level::Note].map(of);
    writeln!(
        out,
        "### rigview check: {}, {}, {} in {}\n",
        counted(errors.len(), "error"),
        counted(warnings.len(), "warning"),
        counted(notes.len(), "note"),
        counted(files.len(), "file")
    )?;
    let broken: Vec<_> = files.iter().filter_map(|f| Some((&f.file, f.error.as_ref()?))).collect();
    if !broken.is_empty() {
        writeln!(out, "**Files that can't be loaded**\n\n| file | reason |\n| --- | --- |")?;
        for (file, error) in broken {
            writeln!(out, "| {} | {} |", markdown_text(file), markdown_text(error))?;
        }
        writeln!(out)?;
    }
    for (title, found) in [("Errors", errors), ("Warnings", warnings)] {
        if !found.is_empty() {
            writeln!(out, "**{title}**\n")?;
            write_table(out, &found)?;
        }
    }
    if !notes.is_empty() {
        let count = counted(notes.len(), "note");
        writeln!(out, "<details><summary>{count}</summary>\n")?;
        write_table(out, &notes)?;
        writeln!(out, "</details>")?;
    }
    Ok(())
}

fn write_table(out: &mut dyn Write, found: &[&Finding]) -> io::Result<()> {
    writeln!(out, "| file | code | finding | place |\n| --- | --- | --- | --- |")?;
    for finding in found.iter().take(ROWS) {
        let place = finding.pointer.as_deref().map(markdown_text).unwrap_or_default();
        let [file, message] = [&finding.file, &finding.message].map(|text| markdown_text(text));
        writeln!(out, "| {file} | {} | {message} | {place} |", finding.code)?;
    }
    if let Some(more @ 1..) = found.len().checked_sub(ROWS) {
        writeln!(out, "\n… and {more} more {}", plural(more, "finding"))?;
    }
    writeln!(out)
}
