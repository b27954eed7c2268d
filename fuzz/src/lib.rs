//! The code under test: the importer and the two rooms it uses, built without the rest of the program, and
//! a function that loads and poses a file.

#![allow(dead_code, reason = "the rest of the program is not here to use it")]

#[path = "../../src/anim/mod.rs"]
pub mod anim;
#[path = "../../src/import/mod.rs"]
pub mod import;
#[path = "../../src/model/mod.rs"]
pub mod model;
pub mod template;

use import::{ImportOptions, load_bytes};
use model::{Stage, clip_hull};

/// Maximum number of bytes that a file may decode to. It is low, so that a run takes milliseconds, and an
/// allocation by a number that the file claims still exceeds the fuzzer's limit.
const DECODED_LIMIT: u64 = 16 << 20;

/// Installs a panic hook that ignores panics in codecs that the importer catches. Only an uncaught panic is a
/// finding.
pub fn forgive_caught_panics() {
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
}

/// Loads a file with all its images. If it loads, poses each scene with each clip.
pub fn load_and_pose(bytes: &[u8]) {
    let options = ImportOptions { decoded_limit: DECODED_LIMIT, ..ImportOptions::DEFAULT };
    let Ok(loaded) = load_bytes(bytes.to_vec(), &options) else { return };
    let model = loaded.model;
    for scene in 0..model.scenes.len().min(2) {
        let mut stage = Stage::new(&model, scene);
        for clip in model.clips.iter().take(2) {
            let _ = clip_hull(&model, &mut stage, Some(clip));
            stage.pose(&model, Some(clip), f64::from(clip.duration_secs()) + 1.0);
            let _ = stage.bounds(&model);
        }
    }
}
