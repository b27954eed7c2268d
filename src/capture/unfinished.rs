//! Registers unfinished files, so that a fatal signal can remove them.
//!
//! A signal handler must neither lock nor allocate, so the names are stored in a few fixed slots.

use std::path::Path;

#[cfg(unix)]
use std::ffi::{CString, c_char};
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;
#[cfg(unix)]
use std::sync::atomic::{AtomicPtr, Ordering};

/// Registered files at the same time; further ones are not removed by a signal.
#[cfg(unix)]
const SLOTS: usize = 8;

#[cfg(unix)]
static NAMES: [AtomicPtr<c_char>; SLOTS] = [const { AtomicPtr::new(std::ptr::null_mut()) }; SLOTS];

/// A file that a signal removes while this value is alive.
#[derive(Debug)]
pub(crate) struct Unfinished {
    #[cfg(unix)]
    slot: Option<usize>,
}

impl Unfinished {
    /// Registers a file.
    #[cfg(unix)]
    pub fn enter(path: &Path) -> Self {
        let Ok(name) = CString::new(path.as_os_str().as_bytes()) else {
            return Self { slot: None };
        };
        // Never freed, because a handler on another thread may be reading it.
        let name = name.into_raw();
        let free = |slot: &AtomicPtr<c_char>| {
            let (null, order) = (std::ptr::null_mut(), Ordering::SeqCst);
            slot.compare_exchange(null, name, order, order).is_ok()
        };
        Self { slot: NAMES.iter().position(free) }
    }

    /// Does nothing on systems without signals.
    #[cfg(not(unix))]
    pub fn enter(_: &Path) -> Self {
        Self {}
    }
}

#[cfg(unix)]
impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(slot) = self.slot {
            NAMES[slot].store(std::ptr::null_mut(), Ordering::SeqCst);
        }
    }
}

/// Removes all unfinished files. Async-signal-safe.
pub fn remove_unfinished() {
    #[cfg(unix)]
    for slot in &NAMES {
        let name = slot.swap(std::ptr::null_mut(), Ordering::SeqCst);
        if !name.is_null() {
            // SAFETY: names in slots are zero-terminated and never freed; unlink is async-signal-safe.
            unsafe { libc::unlink(name) };
        }
    }
}
