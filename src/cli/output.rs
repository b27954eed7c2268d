//! Where results go: standard output, or a file that is written whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::failure::Failure;
use crate::import::escaped;

/// Prints to standard output. Whoever closes it early has read enough.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    write(&mut out).and_then(|()| out.flush()).map_err(|e| match e.kind() {
        io::ErrorKind::BrokenPipe => Failure::ClosedOutput,
        _ => Failure::Output(format!("standard output: {e}")),
    })
}

/// One line of JSON in which no character is one that a terminal obeys.
pub fn json_line(value: &impl Serialize) -> Result<String, Failure> {
    let mut line = Vec::new();
    write_json_line(&mut line, value).map_err(|e| Failure::Output(e.to_string()))?;
    String::from_utf8(line).map_err(|e| Failure::Output(e.to_string()))
}

/// Writes such a line piece by piece: of a large model it is longer than the numbers take.
pub fn write_json_line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(Plain(out), value)?;
    out.write_all(b"\n")
}

/// Escapes in JSON what a terminal obeys. Every write is of whole characters.
struct Plain<'a>(&'a mut dyn Write);

impl Write for Plain<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.iter().all(|byte| *byte < 0x7f) {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        for c in text.chars() {
            // Outside of strings JSON has none of these, so the escape is always inside one.
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

/// Writes to a file, or to standard output for `-`. The file is there whole or not at all.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    if path == Path::new("-") {
        return print(write);
    }
    let failed = |e: io::Error| {
        let name = escaped(&path.to_string_lossy());
        Failure::Output(format!("{name}: can't be written: {}", escaped(&e.to_string())))
    };
    crate::capture::write_whole(path, write).map_err(failed)
}

/// Fills a file name's {model}, {clip} and {frame} or {frame:4} in.
pub fn filled(path: &Path, model: &str, clip: &str, frame: u64) -> PathBuf {
    let Some(text) = path.to_str().filter(|t| t.contains('{')) else { return path.to_owned() };
    let safe = |name: &str| -> String {
        let keep = |c: char| c.is_alphanumeric() || " -_.()".contains(c);
        name.chars().map(|c| if keep(c) { c } else { '_' }).collect()
    };
    let mut out = text.replace("{model}", &safe(model)).replace("{clip}", &safe(clip));
    out = out.replace("{frame}", &frame.to_string());
    for width in 1..=9 {
        out = out.replace(&format!("{{frame:{width}}}"), &format!("{frame:0width$}"));
    }
    PathBuf::from(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_file_name_cannot_leave_its_folder() {
        let path = filled(Path::new("out/{model}_{clip}_{frame:4}.png"), "fox", "../../a/b", 7);
        assert_eq!(path, Path::new("out/fox_.._.._a_b_0007.png"));
        assert_eq!(filled(Path::new("a.png"), "fox", "Run", 1), Path::new("a.png"));
    }

    #[test]
    fn json_has_no_character_that_a_terminal_obeys() {
        let line = json_line(&"a\u{1b}[2J\u{9b}\u{202e}\u{2066}b").unwrap();
        assert_eq!(line, "\"a\\u001b[2J\\u009b\\u202e\\u2066b\"\n");
    }
}
