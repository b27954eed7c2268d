//! The session as a script sees it: one JSON object.

use serde_json::{Value, json};

use crate::anim::Repeat;
use crate::viewer::{FileSource, NoticeKind, Viewer};

/// Where clip, time, camera and messages stand, after so many frames in a window of this size.
pub(super) fn state_of(viewer: &Viewer, frames: u64, size: [u32; 2]) -> Value {
    let document = viewer.document();
    let clip = viewer.clip_index();
    let at = viewer.instant();
    let camera = viewer.sight().orbit_camera();
    let repeat = match viewer.player().repeat() {
        Repeat::Loop => "loop",
        Repeat::Once => "once",
        Repeat::PingPong => "ping-pong",
    };
    json!({
        "file": document.map(|d| match &d.source {
            FileSource::Path(path) => path.display().to_string(),
            FileSource::BuiltIn { name, .. } => (*name).to_owned(),
        }),
        "title": viewer.title(),
        "load": document.map(|d| d.load.0),
        "clips": document.map_or(0, |d| d.clips().len()),
        // All at once have no number of their own.
        "clip": clip.filter(|c| document.is_some_and(|d| *c < d.clips().len())),
        "clip_name": clip.and_then(|c| document?.clip_name(c)),
        "clips_from": document.and_then(|d| d.borrowed.as_ref()).map(|(file, _)| file.path_text()),
        "layers": viewer.layers().len(),
        "fade": viewer.fade_secs(),
        "time": at.time_secs,
        "duration": at.duration_secs,
        "frame": at.frame,
        "range": at.range_secs,
        "playing": viewer.is_moving(),
        "speed": viewer.player().speed,
        "repeat": repeat,
        "form": viewer.form().name(),
        "loading": viewer.loading().map(|l| l.source.name()),
        "error": viewer.failure().map(|f| format!("{}: {}", f.file, f.message)),
        "notice": viewer.notice(),
        "notice_kind": viewer.notice_kind().map(NoticeKind::name),
        "scene": viewer.stage().map(|stage| stage.scene),
        "warnings": document.map_or(0, |d| d.faults().count()),
        "camera": {
            "target": camera.target.to_array(),
            "distance": camera.distance,
            "azimuth": camera.azimuth.to_degrees(),
            "elevation": camera.elevation.to_degrees(),
            "orthographic": camera.orthographic,
            "file_camera": viewer.sight().file_camera(),
        },
        "skeleton": viewer.look().skeleton,
        "joint_names": viewer.look().joint_names,
        "grid": viewer.look().grid,
        "axes": viewer.look().axes,
        "bounds": viewer.look().bounds,
        "environment": viewer.look().lighting.environment.name(),
        "tone_map": viewer.look().tone_map.name(),
        "exposure": viewer.look().exposure,
        "pass": viewer.look().pass.name(),
        "joint": viewer.look().joint,
        "panels": viewer.panels(),
        "help": viewer.help(),
        "frames": frames,
        "size": size,
    })
}
