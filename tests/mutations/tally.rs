//! The system's allocator, counting for each thread what it holds and what it asks for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Bytes held now, at most, and asked for in all, since the thread's last start.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// The allocator.
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

// SAFETY: everything is the system allocator's answer to the same question.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        taken(size);
        given_back(layout.size());
        // SAFETY: the caller's.
        unsafe { System.realloc(at, layout, size) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        given_back(layout.size());
        // SAFETY: the caller's.
        unsafe { System.dealloc(at, layout) }
    }
}

/// A count that has begun on this thread.
pub struct Tally(());

impl Tally {
    /// Begins at nothing.
    pub fn start() -> Self {
        HELD.set(0);
        MOST.set(0);
        ASKED.set(0);
        Self(())
    }

    /// Bytes that the thread held at most since then, and asked for in all.
    pub fn end(self) -> (usize, usize) {
        (MOST.get().max(0) as usize, ASKED.get())
    }
}
