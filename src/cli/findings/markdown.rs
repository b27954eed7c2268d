//! Findings as Markdown, for a job summary or a comment: totals, tables of errors and warnings, folded notes.

use std::io::{self, Write};

use super::checked::Checked;
use rigview_check::{Finding, Level};
use rigview_report::{MARKDOWN_BYTES, counted, markdown_text, plural};

/// Rows per table at most.
const ROWS: usize = 100;

/// Bytes per table at most, of which there are four.
const TABLE_BYTES: usize = MARKDOWN_BYTES / 4;

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
        let row = |(file, error): (&String, &String)| {
            format!("| {} | {} |", markdown_text(file), markdown_text(error))
        };
        write_rows(out, broken.into_iter().map(row), "file")?;
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
    let row = |finding: &&Finding| {
        let place = finding.pointer.as_deref().map(markdown_text).unwrap_or_default();
        let [file, message] = [&finding.file, &finding.message].map(|text| markdown_text(text));
        format!("| {file} | {} | {message} | {place} |", finding.code)
    };
    write_rows(out, found.iter().map(row), "finding")
}

/// Writes the rows of a table, and the number of those that do not fit in, as things of this name.
fn write_rows(
    out: &mut dyn Write,
    rows: impl ExactSizeIterator<Item = String>,
    thing: &str,
) -> io::Result<()> {
    let (all, mut listed, mut bytes) = (rows.len(), 0, 0);
    for row in rows.take(ROWS) {
        if bytes + row.len() + 1 > TABLE_BYTES {
            continue;
        }
        bytes += row.len() + 1;
        writeln!(out, "{row}")?;
        listed += 1;
    }
    if listed < all {
        let more = all - listed;
        writeln!(out, "\n… and {more} more {}", plural(more, thing))?;
    }
    writeln!(out)
}
