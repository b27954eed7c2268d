//! Lines that stand below the results, where the test harness would hide or bury them.

use std::io::Write;
use std::sync::Mutex;

static CLOSING: Mutex<Closing> =
    Mutex::new(Closing { registered: false, lines: Vec::new(), skipped: Vec::new() });

struct Closing {
    registered: bool,
    lines: Vec<String>,
    skipped: Vec<&'static str>,
}

/// Prints a line once all tests are through.
pub fn say_at_the_end(line: String) {
    update(|closing| closing.lines.push(line));
}

/// Counts a test that found no shared files; the very last line says how many there were.
pub fn skipped(test: &'static str) {
    update(|closing| closing.skipped.push(test));
}

fn update(change: impl FnOnce(&mut Closing)) {
    let mut closing = CLOSING.lock().unwrap();
    change(&mut closing);
    if !closing.registered {
        // SAFETY: `print` takes nothing, returns nothing and lives as long as the program.
        let refused = unsafe { atexit(print) };
        assert_eq!(refused, 0, "no room for another exit handler");
        closing.registered = true;
    }
}

/// The harness ends the process itself, so nothing of Rust's own runs behind its last line.
extern "C" fn print() {
    let Ok(mut closing) = CLOSING.lock() else { return };
    closing.lines.sort();
    closing.skipped.sort_unstable();
    let mut out = std::io::stdout().lock();
    // Nobody is left to be told of a failure.
    for line in &closing.lines {
        let _ = writeln!(out, "{line}");
    }
    if !closing.skipped.is_empty() {
        let (count, names) = (closing.skipped.len(), closing.skipped.join(", "));
        let _ = writeln!(out, "{count} tests skipped, for want of the shared files: {names}");
    }
    let _ = out.flush();
}

unsafe extern "C" {
    fn atexit(handler: extern "C" fn()) -> std::ffi::c_int;
}
