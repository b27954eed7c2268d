//! Catches what may go wrong on a broken file: panics of third-party codecs and of the import itself, and reservations of
//! more memory than there is. Hooks can ask whether a failure on their thread is caught.

use std::any::Any;
use std::cell::Cell;
use std::collections::TryReserveError;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Nested guarded calls on this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static RESERVES: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` and catches its panic. Meanwhile [`is_guarded`] is true on this thread, so that a
/// panic hook can distinguish panics that are caught from those that end the program.
///
/// # Errors
/// The panic's payload.
pub fn guarded<T>(work: impl FnOnce() -> T) -> std::thread::Result<T> {
    DEPTH.set(DEPTH.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    result
}

/// Returns the text of a panic's payload.
pub fn panic_text(payload: &(dyn Any + Send)) -> &str {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text,
        (None, None) => "no message",
    }
}

/// Whether a panic on this thread is caught. rayon forwards panics of its threads to the thread
/// that waits for them, so those count as caught.
pub fn is_guarded() -> bool {
    DEPTH.get() > 0 || rayon::current_thread_index().is_some()
}

/// Reserves room for exactly `count` more bytes. Meanwhile [`is_checked`] is true on this thread, so that an
/// allocator can distinguish failures that are handled from those that end the program.
///
/// # Errors
/// If there is too little memory.
pub(super) fn reserve(bytes: &mut Vec<u8>, count: usize) -> Result<(), TryReserveError> {
    RESERVES.set(true);
    let reserved = bytes.try_reserve_exact(count);
    RESERVES.set(false);
    reserved
}

/// Whether the import handles it if this thread's allocation fails.
pub fn is_checked() -> bool {
    RESERVES.get()
}
