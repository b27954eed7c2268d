//! The input is what a sound document's accessors, compressed streams and pictures are made of.

#![no_main]

libfuzzer_sys::fuzz_target!(init: rigview_fuzz::forgive_caught_panics(), |input: &[u8]| {
    if let Some(glb) = rigview_fuzz::template::glb(input) {
        rigview_fuzz::load_and_pose(&glb);
    }
});
