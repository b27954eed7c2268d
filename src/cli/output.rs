//! Writes results to standard output, or to a file that is written completely or not at all, and progress to standard error.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::failure::{Failure, Result, shown, usage_error};
use rigview_capture::{filled, is_same_file};
use rigview_import::{Progress, escaped};

/// Writes to standard output. A reader that closes it early has read enough: the command goes on, since its exit code and
/// its files do not depend on what is read.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result {
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()).map_err(standard_output_failed) {
        Err(Failure::ClosedOutput) => Ok(()),
        done => done,
    }
}

/// Prints what a command says about the file that it has written: to standard output, or to standard error if the file
/// itself goes to standard output.
pub fn print_beside(
    written: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result {
    if written != Some(Path::new("-")) {
        return print(write);
    }
    let mut out = BufWriter::new(io::stderr().lock());
    write(&mut out).and_then(|()| out.flush()).map_err(|e| Failure::Output(e.to_string()))
}

pub fn standard_output_failed(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::ClosedOutput,
        _ => Failure::Output(format!("standard output: {error}")),
    }
}

pub fn json_line(value: &impl Serialize) -> Result<String> {
    let mut line = Vec::new();
    write_json_line(&mut line, value).map_err(|e| Failure::Output(e.to_string()))?;
    String::from_utf8(line).map_err(|e| Failure::Output(e.to_string()))
}

/// Writes one line of JSON without terminal control characters. Nothing is buffered, because the text
/// of a large model takes several times the memory of its numbers.
pub fn write_json_line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(Plain(out), value)?;
    out.write_all(b"\n")
}

/// Escapes terminal control characters in JSON. Every write must consist of whole characters.
struct Plain<'a>(&'a mut dyn Write);

impl Write for Plain<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.iter().all(|byte| *byte < 0x7f) {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        for c in text.chars() {
            // JSON contains these only inside strings, where the escape is valid.
            match c {
                '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                    write!(self.0, "\\u{:04x}", c as u32)?;
                }
                _ => self.0.write_all(c.encode_utf8(&mut [0; 4]).as_bytes())?,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Endings of names of pictures that are no PNG.
const OTHER_PICTURES: [&str; 12] =
    ["avif", "bmp", "exr", "gif", "hdr", "jpeg", "jpg", "pdf", "svg", "tif", "tiff", "webp"];

/// Writes to a file, or to standard output for `-`. The file is written completely or not at all.
pub fn write_whole(
    path: &Path,
    inputs: &Inputs,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result {
    if path == Path::new("-") {
        return print(write);
    }
    inputs.refuse(path)?;
    rigview_capture::write_whole(path, write).map_err(|e| not_written(path, &e))
}

/// Converts an error of an output file. A FIFO that is closed early counts as closed output.
pub fn not_written(path: &Path, error: &io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Failure::ClosedOutput;
    }
    let name = shown(path);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    let why = match folder {
        Some(folder) => format!("there is no folder {}", folder.display()),
        None => error.to_string(),
    };
    Failure::Output(format!("{name}: can't be written: {}", escaped(&why)))
}

pub fn expect_png(path: &Path) -> Result {
    expect_png_of("-o", path)
}

pub fn expect_png_of(option: &str, path: &Path) -> Result {
    refuse_endings(option, path, &OTHER_PICTURES, ["PNG", "png"])
}

/// Rejects an option's name with one of these endings. `written` is what the command writes, and `fitting` the ending to
/// use.
pub fn refuse_endings(
    option: &str,
    path: &Path,
    endings: &[&str],
    [written, fitting]: [&str; 2],
) -> Result {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if !endings.contains(&ending.as_str()) {
        return Ok(());
    }
    let fitting = path.with_extension(fitting);
    let [name, fitting] = [path, &fitting].map(shown);
    usage_error(format!("{option} {name}: this command writes {written}; name it {fitting}"))
}

/// The files that a command reads, so that its output does not overwrite them.
#[derive(Debug, Default)]
pub struct Inputs {
    /// Files read by the import: those on the command line, and those that they reference.
    pub progress: Progress,
    pub files: Vec<PathBuf>,
}

/// Whether two outputs are one file, which need not exist yet.
pub fn is_same_output(a: &Path, b: &Path) -> bool {
    resolved(a) == resolved(b) || is_same_file(a, b)
}

/// Returns the name of a file without its extension, for placeholders.
pub fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns a path with its folder as it is on the disk, so that all spellings of a file that need not exist yet are equal.
/// A link to a file has a path of its own.
pub fn resolved(path: &Path) -> PathBuf {
    if path == Path::new("-") {
        return path.to_owned();
    }
    let Ok(absolute) = std::path::absolute(path) else { return path.to_owned() };
    let mut folders = absolute.ancestors().skip(1);
    let on_disk = folders.find_map(|folder| {
        let below = absolute.strip_prefix(folder).ok()?;
        Some(folder.canonicalize().ok()?.join(below))
    });
    on_disk.unwrap_or(absolute)
}

impl Inputs {
    pub fn with(side_files: impl IntoIterator<Item = Option<PathBuf>>) -> Self {
        let files = side_files.into_iter().flatten().collect();
        Self { progress: Progress::default(), files }
    }

    /// Rejects an output that is one of the inputs, even under another name.
    pub fn refuse(&self, output: &Path) -> Result {
        let read = self.progress.files().into_iter().map(|file| file.path);
        let mut read = read.chain(self.files.iter().cloned());
        let same = read.find(|input| is_same_file(input, output));
        same.map_or(Ok(()), |input| usage_error(overwrites(output, &input)))
    }
}

pub fn overwrites(output: &Path, input: &Path) -> String {
    let [output, input] = [output, input].map(shown);
    format!("{output}: this would overwrite the input {input}; choose another output")
}

/// Rejects a name of an option with a placeholder that is none.
pub fn check_placeholders(option: &str, path: &Path) -> Result {
    let name = path.file_name().unwrap_or_default();
    if !filled(Path::new(name), "", "", 0).to_string_lossy().contains(['{', '}']) {
        return Ok(());
    }
    let shown = shown(path);
    usage_error(format!(
        "{option} {shown}: no such placeholder; there are {{model}}, {{name}}, {{clip}}, {{frame}} and {{frame:4}}"
    ))
}

/// Returns a progress bar on standard error for a number of things; a hidden one if standard error is no
/// terminal, or only errors are printed.
pub fn progress_bar(count: u64, things: &str) -> ProgressBar {
    if !io::stderr().is_terminal() || !log::log_enabled!(log::Level::Warn) {
        return ProgressBar::hidden();
    }
    let style = format!("{{bar:40}} {{pos}}/{{len}} {things}, {{eta}} left");
    let style = ProgressStyle::with_template(&style);
    ProgressBar::new(count).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_no_terminal_control_characters() {
        let line = json_line(&"a\u{1b}[2J\u{9b}\u{202e}\u{2066}b").unwrap();
        assert_eq!(line, "\"a\\u001b[2J\\u009b\\u202e\\u2066b\"\n");
    }

    #[test]
    fn all_spellings_of_a_file_that_is_not_there_are_one_path() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        let path = |text: &str| folder.path().join(text);
        for (one, other) in
            [("x.png", "./x.png"), ("x.png", "a/../x.png"), ("new/x.png", "a/../new/./x.png")]
        {
            assert!(is_same_output(&path(one), &path(other)), "{one} {other}");
        }
        assert!(!is_same_output(&path("x.png"), &path("a/x.png")));
        assert!(!is_same_output(Path::new("-"), Path::new("./-")));
    }
}
