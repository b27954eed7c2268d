//! Reserves memory for what a file claims to contain, without ending the program if there is too little.

use std::cell::Cell;
use std::collections::TryReserveError;

thread_local! {
    static IS_CHECKED: Cell<bool> = const { Cell::new(false) };
}

/// Reserves room for exactly `count` more bytes. Meanwhile [`is_checked`] is true on this thread, so that an
/// allocator can distinguish failures that are handled from those that end the program.
///
/// # Errors
/// If there is too little memory.
pub(super) fn reserve(bytes: &mut Vec<u8>, count: usize) -> Result<(), TryReserveError> {
    IS_CHECKED.set(true);
    let reserved = bytes.try_reserve_exact(count);
    IS_CHECKED.set(false);
    reserved
}

/// Whether the import handles it if this thread's allocation fails.
pub fn is_checked() -> bool {
    IS_CHECKED.get()
}
