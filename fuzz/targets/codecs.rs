//! The input is the data of an accessor, compressed stream or image in a valid document.

#![no_main]

libfuzzer_sys::fuzz_target!(init: rigview_fuzz::forgive_caught_panics(), |input: &[u8]| {
    if let Some(glb) = rigview_fuzz::template::glb(input) {
        rigview_fuzz::load_and_pose(&glb);
    }
});
