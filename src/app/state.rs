//! The session's state as JSON, for scripts.

use serde_json::{Value, json};

use crate::anim::Repeat;
use crate::session::{FileSource, NoticeKind, Part, Session};

/// Returns clip, time, camera and messages, with the number of frames drawn and the window's size.
pub(super) fn state_of(session: &Session, frames: u64, size: [u32; 2]) -> Value {
    let document = session.exhibit().document();
    let clip = session.exhibit().clip_index();
    let at = session.exhibit().instant();
    let camera = session.sight().orbit_camera();
    let repeat = match session.exhibit().player().repeat() {
        Repeat::Loop => "loop",
        Repeat::Once => "once",
        Repeat::PingPong => "ping-pong",
    };
    let mut state = json!({
        "file": document.map(|d| match &d.source {
            FileSource::Path(path) => path.display().to_string(),
            FileSource::BuiltIn { name, .. } => (*name).to_owned(),
        }),
        "title": session.title(),
        "load": document.map(|d| d.load.0),
        "clips": document.map_or(0, |d| d.clips().len()),
        // All clips at once have no index in the file.
        "clip": clip.filter(|c| document.is_some_and(|d| *c < d.clips().len())),
        "clip_name": clip.and_then(|c| document?.clip_name(c)),
        "clips_from": document.and_then(|d| d.borrowed.as_ref()).map(|(file, _)| file.path_text()),
        "layers": session.exhibit().layers().len(),
        "fade": session.exhibit().fade_secs(),
        "time": at.time_secs,
        "duration": at.duration_secs,
        "frame": at.frame,
        "range": at.range_secs,
        "playing": session.exhibit().is_moving(),
        "speed": session.exhibit().player().speed,
        "repeat": repeat,
        "form": session.exhibit().form().name(),
        "loading": session.loads().pending().map(|l| l.source.name()),
        "error": session.loads().failure().map(|f| format!("{}: {}", f.file, f.message)),
        "notice": session.notice(),
        "notice_kind": session.notice_kind().map(NoticeKind::name),
        "scene": session.exhibit().stage().map(|stage| stage.scene),
        "warnings": document.map_or(0, |d| d.faults().count()),
        "camera": {
            "target": camera.target.to_array(),
            "distance": camera.distance,
            "azimuth": camera.azimuth.to_degrees(),
            "elevation": camera.elevation.to_degrees(),
            "orthographic": camera.orthographic,
            "file_camera": session.sight().file_camera(),
        },
        "skeleton": session.look().skeleton,
        "joint_names": session.look().joint_names,
        "grid": session.look().grid,
        "axes": session.look().axes,
        "bounds": session.look().bounds,
        "environment": session.look().lighting.environment.name(),
        "tone_map": session.look().tone_map.name(),
        "exposure": session.look().exposure,
        "pass": session.look().pass.name(),
        "joint": session.look().joint,
        "frames": frames,
        "size": size,
    });
    if let (Value::Object(state), Value::Object(more)) = (&mut state, panels_of(session)) {
        state.extend(more);
    }
    state
}

/// Returns what panels show: selection, hidden nodes, open parts.
fn panels_of(session: &Session) -> Value {
    json!({
        "selection": session.selection().node(),
        "vertex": session.selection().vertex().map(|v| json!({
            "node": v.node,
            "primitive": v.primitive,
            "index": v.vertex,
        })),
        "hidden": session.hidden().nodes().collect::<Vec<_>>(),
        "solo": session.hidden().solo(),
        "panels": session.panels(),
        "parts": session.parts().iter().map(Part::name).collect::<Vec<_>>(),
        "help": session.help(),
    })
}
