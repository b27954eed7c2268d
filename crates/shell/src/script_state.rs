//! The session's state as JSON, for scripts.

use serde_json::{Map, Value, json};

use rigview_look::Look;
use rigview_model::{DrawnPrimitive, FileVertex};
use rigview_session::{
    Anchor, BoxOf, FileSource, Hidden, Loads, NoticeKind, Selection, Session, ViewCamera,
    WindowPart,
};

/// The frames that a window has shown.
pub(super) struct ShownFrames {
    pub frames: u64,
    /// The number of frames that drew the model.
    pub drawn: u64,
    /// The window's size in pixels.
    pub size: [u32; 2],
    /// Whether the panels are dark.
    pub dark: bool,
    /// The CPU's milliseconds per frame, on average and at most, while they are measured.
    pub cpu_ms: Option<[f64; 2]>,
}

/// Returns clip, time, camera, selection and messages, with what was shown.
pub(super) fn state_of(session: &Session, shown: &ShownFrames) -> Value {
    let keys = subjects(session, shown).into_iter().flat_map(|subject| match subject {
        Value::Object(keys) => keys,
        _ => Map::new(),
    });
    Value::Object(keys.collect())
}

/// Returns an object per subject; no two have the same key.
fn subjects(session: &Session, shown: &ShownFrames) -> [Value; 14] {
    [
        file_state(session),
        playback_state(session),
        load_state(session.loads()),
        compared_state(session),
        selection_state(session.selection()),
        hidden_state(session.hidden()),
        posing_state(session),
        mending_state(session),
        camera_state(session.camera()),
        look_state(session.look()),
        aids_state(session),
        timeline_state(session),
        window_state(session),
        frames_state(shown),
    ]
}

fn file_state(session: &Session) -> Value {
    let document = session.playback().document();
    json!({
        "file": document.map(|d| match &d.source {
            FileSource::Path(path) => path.display().to_string(),
            source => source.name(),
        }),
        "title": session.playback().title(),
        "load": document.map(|d| d.load.0),
        "clips": document.map_or(0, |d| d.clips().len()),
        "clips_from": document.and_then(|d| d.borrowed.as_ref()).map(|b| b.source.path_text()),
        "scene": session.playback().stage().map(|stage| stage.scene),
        "warnings": document.map_or(0, |d| d.faults().count()),
    })
}

fn playback_state(session: &Session) -> Value {
    let playback = session.playback();
    let document = playback.document();
    let clip = playback.clip_index();
    let at = playback.instant();
    let repeat = playback.player().repeat().name();
    json!({
        // All clips at once have no index in the file.
        "clip": clip.filter(|c| document.is_some_and(|d| *c < d.clips().len())),
        "clip_name": clip.and_then(|c| document?.clip_name(c)),
        "layers": playback.layers().len(),
        "fade": playback.fade_secs(),
        "time": at.time_secs,
        "duration": at.duration_secs,
        "frame": at.frame,
        "range": at.range_secs,
        "playing": playback.is_moving(),
        "speed": playback.player().speed,
        "repeat": repeat,
        "form": playback.form().name(),
    })
}

fn timeline_state(session: &Session) -> Value {
    let (playback, timeline) = (session.playback(), session.timeline());
    let findings = playback.document().and_then(|document| timeline.findings(document));
    json!({
        "time_view": timeline.view_secs(playback),
        "time_unit": timeline.unit().name(),
        "fps": playback.fps(),
        "findings": findings.map(|found| found.iter().filter(|f| f.clip.is_some()).count()),
    })
}

fn load_state(loads: &Loads) -> Value {
    json!({
        "loading": loads.running().first().map(|load| load.source.name()),
        "error": loads.failure().map(|f| format!("{}: {}", f.file, f.message)),
    })
}

/// The second file, how both are shown, and the instant at which they differ most; in metres and seconds.
fn compared_state(session: &Session) -> Value {
    let compared = session.compared();
    let worst = compared.difference().map(|difference| match difference.worst_clip() {
        Some(clip) => json!({
            "clip": clip.a,
            "time": clip.time,
            "joint": clip.joint,
            "distance": clip.distance,
        }),
        None => json!({
            "clip": null,
            "time": 0.0,
            "joint": difference.rest.node,
            "distance": difference.rest.distance,
        }),
    });
    let document = compared.document();
    json!({
        "compared": document.map(|document| json!({
            "file": document.source.path_text(),
            "mode": compared.mode().name(),
            "wipe": compared.wipe(),
            "clip_name": compared.playback().clip_index().and_then(|c| document.clip_name(c)),
            "time": compared.playback().time_secs(),
            "worst": worst,
        })),
    })
}

fn selection_state(selection: &Selection) -> Value {
    json!({
        "selection": selection.node(),
        "hovered": selection.hovered(),
        "vertex": selection.vertex().map(vertex_state),
    })
}

fn hidden_state(hidden: &Hidden) -> Value {
    json!({ "hidden": hidden.nodes().collect::<Vec<_>>(), "solo": hidden.solo() })
}

fn posing_state(session: &Session) -> Value {
    let model = session.playback().document().map(|document| &document.model);
    let (posing, history) = (session.posing(), session.history());
    json!({
        "pose_edits": model.map_or(Vec::new(), |model| session.playback().hand().named(model)),
        "base": session.playback().base().name(),
        "tool": posing.tool().name(),
        "tool_axes": posing.axes().name(),
        "skin_form": [session.engine().form().influences, session.engine().form().weight_bits as usize],
        "joints_beyond": session.engine().beyond().joints.len(),
        "skin_error": session.engine().error().and_then(|error| error.as_ref().ok()),
        "undo": history.undo_count(),
        "redo": history.redo_count(),
    })
}

/// The codes that are mended in the copy, and what the copy changes.
fn mending_state(session: &Session) -> Value {
    let mending = session.mending();
    let codes: Vec<&str> = mending.remedies().iter().map(|remedy| remedy.code()).collect();
    let file = mending.result().and_then(|result| result.as_ref().ok());
    json!({
        "mended": (!codes.is_empty()).then(|| json!({
            "codes": codes,
            "fixed": file.map(|file| &file.fixed),
            "left": file.map(|file| &file.left),
            "distance_mm": file.map(|file| file.distance_mm),
        })),
    })
}

fn camera_state(view_camera: &ViewCamera) -> Value {
    let camera = view_camera.orbit_camera();
    json!({
        "camera": {
            "target": camera.target.to_array(),
            "distance": camera.distance,
            "azimuth": camera.azimuth.to_degrees(),
            "elevation": camera.elevation.to_degrees(),
            "orthographic": camera.orthographic,
            "file_camera": view_camera.file_camera(),
            "follows": view_camera.follows(),
            "turn_speed": view_camera.turn_speed().map(f64::to_degrees),
        },
    })
}

fn look_state(look: &Look) -> Value {
    json!({
        "skeleton": look.skeleton,
        "joint_names": look.joint_names,
        "trail": look.trail,
        "joint_style": look.bones.name(),
        "joints_in_front": look.bones.in_front,
        "onion_skin": look.aids.onion.map(|onion| onion.count),
        "grid": look.grid,
        "axes": look.axes,
        "bounds": look.bounds,
        "environment": look.lighting.environment.name(),
        "tone_map": look.tone_map.name(),
        "exposure": look.exposure,
        "pass": look.pass.name(),
        "joint": look.joint,
    })
}

fn aids_state(session: &Session) -> Value {
    let (aids, measure) = (session.look().aids, session.measuring());
    let size = |of| session.bounds_of(of).map(|bounds| bounds.size().to_array());
    json!({
        "in_place": session.playback().plays_in_place(),
        "root_path": aids.root_path,
        "weight_marks": aids.weight_marks.then(|| session.weight_faults().len()),
        "normals": aids.vectors.normals,
        "tangents": aids.vectors.tangents,
        "boxes": BoxOf::ALL.map(size),
        "joint_weights": session.shown_weights(),
        "hovered_weight": session.hovered_weight(),
        "measuring": measure.is_on(),
        "measured_points": measure.anchors().iter().map(anchor_state).collect::<Vec<_>>(),
        "measured": session.measured().map(|measured| measured.metres),
    })
}

fn anchor_state(anchor: &Anchor) -> Value {
    match anchor {
        Anchor::Node(node) => json!({ "node": node }),
        Anchor::Vertex(vertex) => vertex_state(*vertex),
    }
}

fn vertex_state(vertex: FileVertex) -> Value {
    let DrawnPrimitive { node, primitive } = vertex.drawn;
    json!({ "node": node, "primitive": primitive, "index": vertex.index })
}

fn window_state(session: &Session) -> Value {
    let recording = session.desktop().recording().map(|recording| {
        let [frames, of] = recording.progress.frames();
        json!({ "file": recording.path, "frames": frames, "of": of })
    });
    json!({
        "recording": recording,
        "panels": session.panels(),
        "parts": session.window_parts().iter().map(WindowPart::name).collect::<Vec<_>>(),
        "help": session.help(),
        "palette": session.desktop().palette(),
        "theme": session.desktop().theme().name(),
        "quality": session.desktop().quality().name(),
        "recent": session.desktop().recent(),
        "notice": session.notice(),
        "notice_kind": session.notice_kind().map(NoticeKind::name),
    })
}

fn frames_state(shown: &ShownFrames) -> Value {
    json!({
        "frames": shown.frames,
        "drawn": shown.drawn,
        "size": shown.size,
        "theme_shown": if shown.dark { "dark" } else { "light" },
        "cpu_ms": shown.cpu_ms,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use rigview_session::SessionOptions;

    #[test]
    fn no_key_hides_another_and_the_page_names_each() {
        let page = include_str!("../../../../docs/script.md");
        let session = Session::new(SessionOptions::default());
        let mut seen = HashSet::new();
        let shown = ShownFrames { frames: 0, drawn: 0, size: [1, 1], dark: true, cpu_ms: None };
        for subject in subjects(&session, &shown) {
            for key in subject.as_object().unwrap().keys() {
                assert!(seen.insert(key.clone()), "two subjects have the key {key}");
                assert!(page.contains(&format!("`{key}`")), "docs/script.md lacks `{key}`");
            }
        }
    }
}
