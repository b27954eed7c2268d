//! Writes what a session shows as the text of a session file.

use std::path::{Path, PathBuf};

use super::camera::SavedCamera;
use super::look::SavedLook;
use super::node::SavedNode;
use super::play::SavedPlay;
use super::retarget::SavedRetarget;
use super::{Resuming, SavedCompared, SavedEngine, SavedSession, VERSION, relative};
use crate::{Document, FileSource, Session};

/// Returns the text of a session file in a folder; `None` if no file is open.
pub(crate) fn saved_text(session: &Session, folder: &Path) -> Option<String> {
    let (document, stage) = session.playback().document().zip(session.playback().stage())?;
    let model = &*document.model;
    let node = |index: usize| SavedNode::of(model, index);
    let path = |source: &FileSource| match source {
        FileSource::Path(path) => Some(relative(path, folder)),
        FileSource::BuiltIn { .. } | FileSource::Mended { .. } => None,
    };
    // Of a mended copy, the file that it was made of is opened again, not beside itself.
    let is_mended = matches!(document.source, FileSource::Mended { .. });
    let opened = session.mending.of.as_ref().filter(|_| is_mended).unwrap_or(&document.source);
    let is_itself = |beside: &&Document| is_mended && beside.source == *opened;
    let beside = session.compared().document().filter(|beside| !is_itself(beside));
    // Of files that the opened session file names and that could not be read, the names are kept.
    let Resuming { clips, light, beside: second, .. } = &session.resuming;
    let missing_clips = clips.as_ref().filter(|_| document.borrowed.is_none());
    let borrowed = document.borrowed.as_ref();
    let compared = match (beside, second) {
        (Some(beside), _) => Some(&beside.source),
        (None, second) => second.as_ref().map(|(source, _)| source),
    };
    let mut look = SavedLook::of(session.look(), |path| relative(path, folder), model);
    if let Some(file) = light.as_ref().and_then(|(source, _)| path(source)) {
        look.keep_environment_file(file);
    }
    let saved = SavedSession {
        rigview_session: VERSION,
        file: path(opened),
        clips_from: match missing_clips {
            Some((source, _)) => path(source),
            None => borrowed.and_then(|borrowed| path(&borrowed.source)),
        },
        retarget: match missing_clips {
            Some((_, saved)) => saved.retarget.clone(),
            None => borrowed.map(|borrowed| SavedRetarget::of(&borrowed.retargeting.options)),
        },
        scene: Some(stage.scene),
        stood_up: stage.stood_up(),
        play: match missing_clips {
            Some((_, saved)) => saved.play.clone(),
            None => SavedPlay::of(session.playback()),
        },
        engine: SavedEngine::of(session.engine().form()),
        compared: (compared.and_then(path)).map(|file| SavedCompared::of(file, session.compared())),
        camera: SavedCamera::of(session.camera()),
        look,
        selected: session.selection().node().map(node),
        vertex: session.selection().vertex().map(|vertex| (vertex.drawn.primitive, vertex.index)),
        hidden: session.hidden().nodes().map(node).collect(),
        by_hand: session.playback().hand().named(model),
        solo: session.hidden().solo().map(node),
        parts: Some(session.window_parts().iter().collect()),
        folder: PathBuf::new(),
    };
    serde_json::to_string_pretty(&saved).ok().map(|text| text + "\n")
}
