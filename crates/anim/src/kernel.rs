//! Selects the fastest kernel at run time.

use super::lanes::{Portable, Work};

/// Computes `work` with AVX2 where the processor has it, else with [`Portable`].
pub fn run(work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    if super::avx2::is_available() {
        return super::avx2::run(work);
    }
    work.run::<Portable>();
}
