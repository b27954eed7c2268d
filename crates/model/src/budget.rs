//! The memory that everything derived from one file may take together.
//!
//! A file of a few bytes can name a product that fills any memory: morph targets times nodes,
//! primitives times instances, frames times joints. Code that creates such data charges its size here first.

use std::sync::atomic::{AtomicU64, Ordering};

/// The limit of bytes derived from a file, and the bytes already taken.
#[derive(Debug)]
pub struct Budget {
    limit: AtomicU64,
    taken: AtomicU64,
}

/// A product that does not fit in the budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{count} entries of {size} bytes bring the data of the file over the limit of {} MiB", limit >> 20)]
pub struct OverBudget {
    /// Entries asked for.
    pub count: u64,
    /// Bytes per entry.
    pub size: u64,
    /// Bytes that all data of the file may take.
    pub limit: u64,
}

impl Budget {
    /// Bytes that a file's data may take unless the import is asked for another limit.
    pub const DEFAULT: u64 = 1 << 30;

    /// Bytes that each byte of a file adds to the limit.
    const PER_FILE_BYTE: u64 = 4;

    /// Creates an unused budget.
    pub const fn new(limit: u64) -> Self {
        Self { limit: AtomicU64::new(limit), taken: AtomicU64::new(0) }
    }

    /// Returns the limit in bytes.
    pub fn limit(&self) -> u64 {
        self.limit.load(Ordering::Relaxed)
    }

    /// Raises the limit for `bytes` of a file, because larger files may need more memory.
    pub fn grow(&self, bytes: usize) {
        let more = (bytes as u64).saturating_mul(Self::PER_FILE_BYTE);
        let grown = |limit: u64| Some(limit.saturating_add(more));
        let _ = self.limit.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown);
    }

    /// Returns the bytes that are left.
    pub fn left(&self) -> u64 {
        self.limit().saturating_sub(self.taken.load(Ordering::Relaxed))
    }

    /// Reserves `count` entries of `size` bytes that stay in memory with the model.
    ///
    /// # Errors
    /// If less is left; then nothing is reserved.
    pub fn take(&self, count: usize, size: usize) -> Result<(), OverBudget> {
        let bytes = (count as u64).saturating_mul(size as u64);
        let take = |taken: u64| taken.checked_add(bytes).filter(|total| *total <= self.limit());
        match self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
            Ok(_) => Ok(()),
            Err(_) => Err(self.over(count, size)),
        }
    }

    /// Checks that there is room for `count` entries of `size` bytes that are soon freed again.
    ///
    /// # Errors
    /// If less is left.
    pub fn holds(&self, count: usize, size: usize) -> Result<(), OverBudget> {
        if (count as u64).saturating_mul(size as u64) <= self.left() {
            Ok(())
        } else {
            Err(self.over(count, size))
        }
    }

    fn over(&self, count: usize, size: usize) -> OverBudget {
        OverBudget { count: count as u64, size: size as u64, limit: self.limit() }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(Self::DEFAULT)
    }
}

impl Clone for Budget {
    fn clone(&self) -> Self {
        let taken = AtomicU64::new(self.taken.load(Ordering::Relaxed));
        Self { limit: AtomicU64::new(self.limit()), taken }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_takes_nothing() {
        let budget = Budget::new(100);
        assert_eq!(budget.take(9, 10), Ok(()));
        let over = budget.take(usize::MAX, usize::MAX).unwrap_err();
        assert_eq!((over.limit, budget.left()), (100, 10));
        assert!(budget.holds(1, 10).is_ok() && budget.holds(1, 11).is_err());
        assert!(budget.take(1, 10).is_ok() && budget.take(1, 1).is_err());
    }
}
