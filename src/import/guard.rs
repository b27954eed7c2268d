//! Work that may panic on a broken file: other people's codecs, and the import as a whole.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Guarded calls that run on this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Runs work and catches its panic. While it runs, [`is_guarded`] holds on this thread, so that a
/// panic hook can tell a panic that is caught from one that ends the program.
///
/// # Errors
/// The panic's payload.
pub fn guarded<T>(work: impl FnOnce() -> T) -> std::thread::Result<T> {
    DEPTH.set(DEPTH.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    result
}

/// Whether a panic on this thread is caught by [`guarded`]. rayon hands panics of its threads to
/// the thread that waits for them.
pub fn is_guarded() -> bool {
    DEPTH.get() > 0 || rayon::current_thread_index().is_some()
}
