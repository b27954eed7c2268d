//! Limits of time and memory that end the program, for commands that other programs start on any file.

use std::path::Path;
use std::time::{Duration, Instant};

use super::crash::{end, say};
use super::failure::Failure;
use crate::import::ImportError;
use crate::suite::resident_bytes;

/// Interval at which the memory is looked at.
const POLL: Duration = Duration::from_millis(20);

/// Bytes of address space beyond the limit: stacks of threads, which are mostly never touched.
const UNTOUCHED: u64 = 1 << 30;

/// What a command may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Wall time from the start of the command.
    pub time: Duration,
    /// Resident memory in bytes.
    pub memory: u64,
}

impl Limits {
    /// Enforces the limits from now on: beyond one of them the program ends with one line about `file` and the exit
    /// code of a file that can't be loaded, whatever its threads are doing.
    pub fn enforce(self, file: &Path) {
        #[cfg(unix)]
        limit_data(self.memory.saturating_add(UNTOUCHED));
        let file = file.to_owned();
        let watching =
            std::thread::Builder::new().name("limits".into()).spawn(move || self.watch(&file));
        if watching.is_err() {
            // SAFETY: this only sets a timer, whose signal ends the process.
            #[cfg(unix)]
            unsafe {
                libc::alarm(self.time.as_secs_f64().ceil().clamp(1.0, 1e9) as libc::c_uint);
            }
        }
    }

    fn watch(self, file: &Path) {
        let started = Instant::now();
        loop {
            let left = self.time.saturating_sub(started.elapsed());
            if left.is_zero() {
                let limit = self.time.as_secs_f64();
                over(file, format!("not done after {limit} s; raise --time-limit"));
            }
            if resident_bytes(std::process::id()).is_some_and(|bytes| bytes > self.memory) {
                let limit = self.memory >> 20;
                over(
                    file,
                    format!("it takes more than {limit} MiB of memory; raise --memory-limit"),
                );
            }
            std::thread::sleep(POLL.min(left));
        }
    }
}

/// Ends the program.
fn over(file: &Path, what: String) -> ! {
    let failure = Failure::load(file, ImportError::other(what));
    say(&failure.to_string());
    end(failure.code())
}

/// Limits the memory that the process may reserve, so that a single huge allocation fails before it is used.
#[cfg(unix)]
fn limit_data(bytes: u64) {
    // SAFETY: the structure is plain data, and both calls only read or write it.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        if libc::getrlimit(libc::RLIMIT_DATA, &raw mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max.min(bytes as libc::rlim_t);
            libc::setrlimit(libc::RLIMIT_DATA, &raw const limit);
        }
    }
}
