//! A device of the adapter of all tests.

use rigview::render::{AdapterChoice, Gpu};
use rigview_test_support::adapter;

/// The adapter of all tests.
pub fn adapter_choice() -> AdapterChoice {
    AdapterChoice { adapter: adapter(), backend: None }
}

/// Opens a device of [`adapter_choice`].
pub fn gpu() -> Gpu {
    Gpu::headless(&adapter_choice()).unwrap_or_else(|error| panic!("{error}"))
}
