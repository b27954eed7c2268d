//! The window's memory does not grow while it plays.

use serde_json::json;

use super::session::{Session, small_model};

/// Maximum ratio of the memory after 2,000 frames to that after 200.
const MOST: f64 = 1.1;

#[test]
fn two_thousand_frames_of_playing_take_no_more_memory_than_two_hundred() {
    let folder = tempfile::tempdir().unwrap();
    let model = small_model(folder.path(), "small.gltf");
    // The picture is small and simple, because the test looks for memory that each frame leaks.
    let mut window = Session::open_quick(&[&model, "--size", "96x64"]);
    window.keys(&["U"]);
    window.step(json!({"frames": 200}));
    assert_eq!(window.state()["playing"], true);
    let early = window.resident_bytes();
    window.step(json!({"frames": 1800}));
    window.state();
    let late = window.resident_bytes();
    assert!((late as f64) < MOST * early as f64, "{early} bytes after 200 frames, then {late}");
    window.close();
}
