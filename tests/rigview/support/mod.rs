//! What the tests of the library share: that of all tests, and a device.

mod adapter;

pub use adapter::{adapter_choice, gpu};
pub use rigview_test_support::*;
