//! Limits of time and memory that end the program, for commands that other programs start on any file.

use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::crash::{end, say};
use super::failure::Failure;
use rigview_import::ImportError;

/// Interval at which the memory is looked at.
const POLL: Duration = Duration::from_millis(20);

/// Bytes of address space beyond the limit: stacks of threads, which are mostly never touched.
const UNTOUCHED: u64 = 1 << 30;

/// What a command may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Wall time from the start; `None` is any.
    pub time: Option<Duration>,
    /// Resident memory in bytes; `None` is any.
    pub memory: Option<u64>,
}

/// Returns a time limit.
pub fn of_secs(secs: f64) -> Duration {
    // A century is as good as no limit, and fits all clocks.
    Duration::from_secs_f64(secs.min(3e9))
}

/// Says that a limit of time was passed, and which option raises it.
pub fn late(limit: Duration, option: &str) -> String {
    format!("not done after {} s; raise {option}", limit.as_secs_f64())
}

/// Says that a limit of memory in bytes was passed.
pub fn too_large(limit: u64) -> String {
    format!("it takes more than {} MiB of memory; raise --memory-limit", limit >> 20)
}

/// A limit that was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// The limit of time.
    Time,
    /// The limit of memory; the resident bytes.
    Memory(u64),
}

/// Limits that are watched; dropping it ends that.
#[derive(Debug)]
pub struct Watch(
    #[expect(dead_code, reason = "the thread ends when the sender is dropped")] Sender<()>,
);

impl Limits {
    /// Enforces the limits from now on: beyond one of them the program ends with one line about `file` and the exit
    /// code of a file that can't be loaded, whatever its threads are doing. `option` is that of the time.
    pub fn enforce(self, file: &Path, option: &'static str) {
        if self.time.is_none() && self.memory.is_none() {
            return;
        }
        #[cfg(unix)]
        self.memory.into_iter().for_each(|memory| limit_data(memory.saturating_add(UNTOUCHED)));
        let file = file.to_owned();
        let watched = self.watch(Duration::ZERO, move |passed| {
            let what = match passed {
                Passed::Time => late(self.time.unwrap_or_default(), option),
                Passed::Memory(_) => too_large(self.memory.unwrap_or_default()),
            };
            end_over(&Failure::load(&file, ImportError::other(what)))
        });
        match (watched, self.time) {
            // Watched to the end of the program.
            (Ok(watch), _) => std::mem::forget(watch),
            #[cfg(unix)]
            (Err(_), Some(time)) => {
                // SAFETY: this only sets a timer, whose signal ends the process.
                unsafe {
                    libc::alarm(time.as_secs_f64().ceil().clamp(1.0, 1e9) as libc::c_uint);
                }
            }
            (Err(_), _) => {}
        }
    }

    /// Calls `over` on another thread once a limit has been exceeded for longer than `grace`, unless the watch is
    /// dropped before.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn watch(
        self,
        grace: Duration,
        over: impl FnOnce(Passed) + Send + 'static,
    ) -> io::Result<Watch> {
        let (watch, dropped) = channel();
        let watching = std::thread::Builder::new().name("limits".into());
        watching.spawn(move || {
            if let Some(passed) = self.passed(grace, &dropped) {
                over(passed);
            }
        })?;
        Ok(Watch(watch))
    }

    /// Waits until a limit has been passed; `None` once the watch is dropped.
    fn passed(self, grace: Duration, dropped: &Receiver<()>) -> Option<Passed> {
        let started = Instant::now();
        let mut too_large_since = None;
        loop {
            let time = self.time.map_or(Duration::MAX, |time| time.saturating_add(grace));
            let left = time.saturating_sub(started.elapsed());
            if left.is_zero() {
                return Some(Passed::Time);
            }
            let bytes = resident_bytes(std::process::id());
            match bytes.filter(|bytes| self.memory.is_some_and(|memory| *bytes > memory)) {
                Some(bytes) => {
                    let since = too_large_since.get_or_insert_with(Instant::now);
                    if since.elapsed() >= grace {
                        return Some(Passed::Memory(bytes));
                    }
                }
                None => too_large_since = None,
            }
            match dropped.recv_timeout(POLL.min(left)) {
                Err(RecvTimeoutError::Timeout) => {}
                _ => return None,
            }
        }
    }
}

/// Returns the resident memory of a process in bytes, where the system tells.
pub fn resident_bytes(process: u32) -> Option<u64> {
    if cfg!(not(target_os = "linux")) {
        return None;
    }
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

/// Ends the program because of a passed limit.
pub fn end_over(failure: &Failure) -> ! {
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_a_process_is_known() {
        let bytes = resident_bytes(std::process::id()).unwrap();
        assert!(bytes > 1 << 20, "{bytes}");
        assert_eq!(resident_bytes(u32::MAX), None);
    }
}
