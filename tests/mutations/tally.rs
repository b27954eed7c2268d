//! The system allocator, with a count per thread of the bytes it holds and has allocated.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Bytes held now, held at most, and allocated in total since the thread's last
    /// [`Tally::start`].
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// The counting allocator.
pub struct Counting;

fn taken(bytes: usize) {
    HELD.with(|held| {
        held.set(held.get() + bytes as isize);
        MOST.with(|most| most.set(most.get().max(held.get())));
    });
    ASKED.with(|asked| asked.set(asked.get() + bytes));
}

fn given_back(bytes: usize) {
    HELD.with(|held| held.set(held.get() - bytes as isize));
}

// SAFETY: every call is forwarded to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        taken(size);
        given_back(layout.size());
        // SAFETY: the caller upholds the contract.
        unsafe { System.realloc(at, layout, size) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        given_back(layout.size());
        // SAFETY: the caller upholds the contract.
        unsafe { System.dealloc(at, layout) }
    }
}

/// A running count of this thread.
pub struct Tally(());

impl Tally {
    /// Resets the counts.
    pub fn start() -> Self {
        HELD.set(0);
        MOST.set(0);
        ASKED.set(0);
        Self(())
    }

    /// Returns the bytes that the thread held at most since the start, and those it allocated in
    /// total.
    pub fn end(self) -> (usize, usize) {
        (MOST.get().max(0) as usize, ASKED.get())
    }
}
