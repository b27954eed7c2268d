//! The names of files that are not finished, so that a signal that ends the program can remove them.
//!
//! A signal handler may neither lock nor allocate: the names lie in a few fixed slots.

use std::path::Path;

#[cfg(unix)]
use std::ffi::{CString, c_char};
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;
#[cfg(unix)]
use std::sync::atomic::{AtomicPtr, Ordering};

/// Files that are unfinished at the same time at most; further ones are not removed by a signal.
#[cfg(unix)]
const SLOTS: usize = 8;

#[cfg(unix)]
static NAMES: [AtomicPtr<c_char>; SLOTS] = [const { AtomicPtr::new(std::ptr::null_mut()) }; SLOTS];

/// A file name that a signal removes for as long as this value lives.
#[derive(Debug)]
pub(super) struct Unfinished {
    #[cfg(unix)]
    slot: Option<usize>,
}

impl Unfinished {
    /// Enters a name.
    #[cfg(unix)]
    pub fn enter(path: &Path) -> Self {
        let Ok(name) = CString::new(path.as_os_str().as_bytes()) else {
            return Self { slot: None };
        };
        // Never freed: a handler on another thread may be reading it.
        let name = name.into_raw();
        let free = |slot: &AtomicPtr<c_char>| {
            let (null, order) = (std::ptr::null_mut(), Ordering::SeqCst);
            slot.compare_exchange(null, name, order, order).is_ok()
        };
        Self { slot: NAMES.iter().position(free) }
    }

    /// Enters nothing: there are no signals here.
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

/// Removes all unfinished files. It may be called by a signal handler.
pub fn remove_unfinished() {
    #[cfg(unix)]
    for slot in &NAMES {
        let name = slot.swap(std::ptr::null_mut(), Ordering::SeqCst);
        if !name.is_null() {
            // SAFETY: a name in a slot ends with a zero and is never freed; unlink may be called
            // by a signal handler.
            unsafe { libc::unlink(name) };
        }
    }
}
