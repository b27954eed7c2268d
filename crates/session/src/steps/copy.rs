//! Writes copies of the shown file.

use std::path::PathBuf;

use crate::copies::{CopyAction, CopyContents, CopyOf, CopyRequest};
use crate::notice::Notice;
use crate::{Effect, FileQuestion, Session};
use rigview_report::NodePose;

/// The name of a clip that a pose becomes, as of `rigview bake --pose`.
const POSE: &str = "Pose";

impl Session {
    /// Takes a step in writing a copy.
    pub(super) fn change_copies(&mut self, action: CopyAction) -> Vec<Effect> {
        match action {
            CopyAction::Ask(CopyOf::Mended) if self.mending.glb().is_none() => {
                if self.playback.document().is_some() {
                    let text = "Nothing is fixed: choose Fix in the list of findings";
                    self.notices.replace(Notice::warning(text));
                }
            }
            CopyAction::Ask(of) => return self.ask(FileQuestion::SaveCopy(of)),
            CopyAction::Write(of, path) => return self.write_copy(of, path),
            CopyAction::Written(path, result) => {
                self.copies.running = self.copies.running.saturating_sub(1);
                self.notices.replace(match result {
                    Ok(()) => Notice::saved(&path),
                    Err(why) => Notice::warning(format!("No file was saved: {why}")),
                });
            }
        }
        Vec::new()
    }

    fn write_copy(&mut self, of: CopyOf, path: PathBuf) -> Vec<Effect> {
        let Some(contents) = self.contents_of(of) else { return Vec::new() };
        self.copies.running += 1;
        vec![Effect::WriteCopy(CopyRequest { path, inputs: self.shown_files(), contents })]
    }

    fn contents_of(&self, of: CopyOf) -> Option<CopyContents> {
        let clip = match of {
            CopyOf::Mended => return self.mending.glb().cloned().map(CopyContents::Glb),
            CopyOf::PoseAsClip => Some(POSE.to_owned()),
            CopyOf::PoseAsRest => None,
        };
        let source = self.playback.document()?.source.clone();
        let nodes: Vec<NodePose> = self.playback.pose_file()?.pose.nodes;
        Some(CopyContents::Posed { source, nodes, clip })
    }
}
