//! Handles panics, signals and failed allocations: each ends the program with one line on standard
//! error and exit code 5.

use std::alloc::{GlobalAlloc, Layout, System};
use std::any::Any;
use std::io::Write;
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicBool, Ordering};

use rigview_import::{escaped, is_checked, is_guarded, panic_text};

pub const EXIT_CODE: u8 = 5;

/// Allocations of at least this size may fail: codecs try them for what a broken file claims to contain.
const LARGE: usize = 1 << 30;

/// Set when a large allocation failed. If the program aborts afterwards, the standard library has
/// already printed the reason.
static LARGE_FAILED: AtomicBool = AtomicBool::new(false);

/// Installs the panic hook and the signal handlers. With `RUST_BACKTRACE=full`, panics print a
/// backtrace first and crashes dump core, for debugging.
pub fn install() {
    let debugging = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value == "full");
    let print_trace = debugging.then(std::panic::take_hook);
    std::panic::set_hook(Box::new(move |info| on_panic(info, print_trace.as_deref())));
    #[cfg(unix)]
    signals::install(debugging);
}

type Hook = dyn Fn(&PanicHookInfo<'_>) + Send + Sync;

/// Ends the program at once, whichever thread panics, because most threads are never joined. Panics
/// that are caught by `guarded` are left to it.
fn on_panic(info: &PanicHookInfo<'_>, print_trace: Option<&Hook>) {
    if is_guarded() {
        return;
    }
    if let Some(print_trace) = print_trace {
        print_trace(info);
    }
    let place = info.location().map(|at| format!(" at {}:{}", at.file(), at.line()));
    say(&internal_error(info.payload(), &place.unwrap_or_default()));
    end(EXIT_CODE);
}

pub fn internal_error(payload: &(dyn Any + Send), place: &str) -> String {
    let text: Vec<&str> = panic_text(payload).split_whitespace().collect();
    format!("internal error (a bug in rigview): {}{place}", text.join(" "))
}

/// Prints a line on standard error. Unlike `eprintln!`, does not panic if it is closed or full.
pub fn say(text: &str) {
    let line = format!("rigview: {}\n", escaped(text));
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Ends the program without running exit handlers: those of drivers crash while their threads run.
pub fn end(code: u8) -> ! {
    #[cfg(unix)]
    // SAFETY: ends the process.
    unsafe {
        libc::_exit(code.into())
    }
    #[cfg(not(unix))]
    std::process::exit(code.into())
}

/// The system's allocator. If an allocation fails and its caller does not handle that, ends the program with
/// one line instead of an abort.
#[derive(Debug)]
pub struct Memory;

// SAFETY: all calls are forwarded to the system's allocator unchanged.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of the system's allocator, which is the same.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.realloc(at, layout, size) }, size)
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

fn checked(at: *mut u8, size: usize) -> *mut u8 {
    if at.is_null() {
        failed(size);
    }
    at
}

#[cold]
fn failed(size: usize) {
    if is_checked() {
        return;
    }
    if size >= LARGE {
        LARGE_FAILED.store(true, Ordering::Relaxed);
        return;
    }
    #[cfg(unix)]
    signals::end(b"rigview: out of memory: close other programs, or raise the limit (ulimit -v)\n");
}

#[cfg(unix)]
mod signals {
    //! Signal handlers. They may only call async-signal-safe functions: no locks, no allocations.

    use std::ffi::c_int;
    use std::sync::atomic::Ordering;

    use super::{EXIT_CODE, LARGE_FAILED};

    pub fn install(debugging: bool) {
        // Makes a write beyond the file size limit (ulimit -f) an error instead of a signal.
        // SAFETY: this replaces no handler of the program.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
        if !debugging {
            for signal in [libc::SIGABRT, libc::SIGSEGV, libc::SIGBUS] {
                handle_crash(signal);
            }
        }
    }

    /// Installs the handler, unless the parent process has set the signal to be ignored.
    fn handle_crash(signal: c_int) {
        // SAFETY: zeroed structures are valid, and the handler is async-signal-safe.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &raw mut before);
            if before.sa_sigaction == libc::SIG_IGN {
                return;
            }
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_crash as *const () as usize;
            // The handler needs its own stack after a stack overflow.
            action.sa_flags = libc::SA_ONSTACK;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }

    extern "C" fn on_crash(signal: c_int) {
        end(match signal {
            libc::SIGABRT if LARGE_FAILED.load(Ordering::Relaxed) => b"",
            libc::SIGABRT => b"rigview: the program or a graphics driver aborted (SIGABRT)\n",
            _ => {
                b"rigview: the program or a graphics driver crashed; \
                  is the stack (ulimit -s) or memory (ulimit -v) limited?\n"
            }
        });
    }

    pub fn end(line: &[u8]) -> ! {
        // SAFETY: pointer and length describe the line.
        unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len()) };
        // SAFETY: ends the process.
        unsafe { libc::_exit(EXIT_CODE.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const CHILD: &str = "RIGVIEW_TEST_CRASH";

    /// Ends in the way that the environment variable names. Run by the test below, not by itself.
    #[test]
    #[ignore = "run by panics_and_crashes_end_with_one_line_and_code_5"]
    fn child() {
        let Ok(how) = std::env::var(CHILD) else { return };
        install();
        match how.as_str() {
            "thread" => {
                let thread = std::thread::spawn(|| panic!("two\nlines"));
                let _ = thread.join();
                std::thread::park();
            }
            "guarded" => {
                assert!(rigview_import::guarded(|| panic!("caught")).is_err());
                let nobody = || rayon::join(|| panic!("caught"), || ());
                assert!(rigview_import::guarded(nobody).is_err());
            }
            "abort" => std::process::abort(),
            _ => panic!("a {how}"),
        }
    }

    #[test]
    fn panics_and_crashes_end_with_one_line_and_code_5() {
        let program = std::env::current_exe().unwrap();
        for (how, code, says) in [
            ("thread", 5, "two lines"),
            ("panic", 5, "a panic"),
            ("abort", 5, "SIGABRT"),
            ("guarded", 0, ""),
        ] {
            if cfg!(not(unix)) && how == "abort" {
                continue;
            }
            let mut child = Command::new(&program);
            child.args(["--exact", "cli::crash::tests::child", "--ignored", "--nocapture"]);
            let done = child.env(CHILD, how).env("RUST_BACKTRACE", "1").output().unwrap();
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            assert_eq!(done.status.code(), Some(code), "{how}: {said}");
            assert!(said.contains(says), "{how}: {said}");
            let lines = usize::from(!says.is_empty());
            assert_eq!(said.lines().count(), lines, "{how}: {said}");
        }
    }
}
