//! The input is a file: its container, its JSON, and all that the JSON says.

#![no_main]

libfuzzer_sys::fuzz_target!(init: rigview_fuzz::forgive_caught_panics(), |bytes: &[u8]| rigview_fuzz::load_and_pose(bytes));
