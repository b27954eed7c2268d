//! Lines that are printed after the results, because the test harness hides the output of passing tests.

use std::io::Write;
use std::sync::Mutex;

static CLOSING: Mutex<Closing> =
    Mutex::new(Closing { registered: false, lines: Vec::new(), skipped: Vec::new() });

struct Closing {
    registered: bool,
    lines: Vec<String>,
    skipped: Vec<&'static str>,
}

/// Prints a line when all tests have ended.
pub fn say_at_the_end(line: String) {
    update(|closing| closing.lines.push(line));
}

/// Counts a test that found no shared files; the last line of the output gives the number.
pub fn skipped(test: &'static str) {
    update(|closing| closing.skipped.push(test));
}

fn update(change: impl FnOnce(&mut Closing)) {
    let mut closing = CLOSING.lock().unwrap();
    change(&mut closing);
    if !closing.registered {
        // SAFETY: `print` takes and returns nothing and exists as long as the program.
        let refused = unsafe { atexit(print) };
        assert_eq!(refused, 0, "no room for another exit handler");
        closing.registered = true;
    }
}

/// Prints the lines. Called by `atexit`, because the harness exits the process and no Rust code runs after it.
extern "C" fn print() {
    let Ok(mut closing) = CLOSING.lock() else { return };
    closing.lines.sort();
    closing.skipped.sort_unstable();
    let mut out = std::io::stdout().lock();
    // Errors can't be reported any more.
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
