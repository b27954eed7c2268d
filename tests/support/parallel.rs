//! Parallel runs of the program, limited to the number of cores.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Calls `work` for every item and returns the results in the items' order.
pub fn for_each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..cores() {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { return };
                    *results[at].lock().unwrap() = Some(work(item));
                }
            });
        }
    });
    results.into_iter().map(|result| result.into_inner().unwrap().unwrap()).collect()
}

/// A permit to run child processes, held while they run. Because the harness runs tests in parallel, time limits of
/// children would otherwise depend on the load. A thread that has one gets more at once: if several threads with one
/// waited for another one, none would end.
pub struct Turn(PhantomData<*const ()>);

static RUNNING: Mutex<usize> = Mutex::new(0);
static ENDED: Condvar = Condvar::new();

thread_local! {
    /// The number of permits of this thread.
    static HELD: Cell<usize> = const { Cell::new(0) };
}

impl Turn {
    /// Waits for a permit.
    pub fn wait() -> Self {
        if HELD.replace(HELD.get() + 1) == 0 {
            let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            let mut running = ENDED
                .wait_while(running, |running| *running >= cores())
                .unwrap_or_else(PoisonError::into_inner);
            *running += 1;
        }
        Self(PhantomData)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if HELD.replace(HELD.get() - 1) == 1 {
            *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
            ENDED.notify_one();
        }
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, |cores| cores.get())
}
