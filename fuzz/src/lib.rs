//! Code shared by the fuzz targets: loads a file as the program does, and poses its model as a viewer does.

pub mod template;

use rigview_import::{ImportOptions, load_bytes};
use rigview_model::{Stage, clip_hull};

/// Limit for decoded bytes: small enough that a run takes milliseconds, large enough that
/// allocations by a number that the file claims still show.
const DECODED_LIMIT: u64 = 16 << 20;

/// Replaces the fuzzer's panic hook, so that panics which the importer catches are not findings.
/// Uncaught ones still end the run.
pub fn forgive_caught_panics() {
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
}

/// Loads a file with all its images. If it loads, poses its first scenes by its first clips.
pub fn load_and_pose(bytes: &[u8]) {
    let options = ImportOptions { decoded_limit: DECODED_LIMIT, ..ImportOptions::DEFAULT };
    let Ok(loaded) = load_bytes(bytes.to_vec(), &options) else { return };
    let model = loaded.model;
    for scene in 0..model.scenes.len().min(2) {
        let mut stage = Stage::new(&model, scene);
        for clip in model.clips.iter().take(2) {
            let _ = clip_hull(&model, &mut stage, Some(clip), None);
            stage.pose(&model, Some(clip), f64::from(clip.duration_secs()) + 1.0);
            let _ = stage.bounds(&model);
        }
    }
}
