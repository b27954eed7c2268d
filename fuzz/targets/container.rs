//! The input is a whole file.

#![no_main]

libfuzzer_sys::fuzz_target!(init: rigview_fuzz::forgive_caught_panics(), |bytes: &[u8]| rigview_fuzz::load_and_pose(bytes));
