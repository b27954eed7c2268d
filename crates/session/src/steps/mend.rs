//! Mends the shown file in a copy that is shown beside it, and writes copies.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::copies::{CopyAction, CopyContents, CopyOf, CopyRequest};
use crate::mending::MendRequest;
use crate::notice::Notice;
use crate::posing::history::Edit;
use crate::{
    Destination, Effect, FileQuestion, FileSource, LoadId, MendAction, MendedFile, Session,
};
use rigview_fix::{FixOptions, Remedy, Unmended, largest_distance_text};
use rigview_report::{NodePose, counted};

impl Session {
    /// Changes what is mended.
    pub(super) fn change_mending(&mut self, action: MendAction) -> Vec<Effect> {
        match action {
            MendAction::Toggle(remedy) => self.take_remedies(|remedies| {
                if !remedies.remove(&remedy) {
                    remedies.insert(remedy);
                }
            }),
            MendAction::TakeSafe => {
                self.take_remedies(|remedies| remedies.extend(FixOptions::default().remedies))
            }
            MendAction::Take(id, result) => self.take_mended(id, result),
            MendAction::Show => self.show_mended(),
        }
    }

    /// Changes the remedies, as one step of the history.
    fn take_remedies(&mut self, change: impl FnOnce(&mut BTreeSet<Remedy>)) -> Vec<Effect> {
        let Some(document) = self.playback.document() else { return Vec::new() };
        // A copy that has changed places with the file is mended no further; the file is.
        if !matches!(document.source, FileSource::Mended { .. }) {
            self.mending.of = Some(document.source.clone());
        }
        let before = self.mending.remedies.clone();
        change(&mut self.mending.remedies);
        let after = self.mending.remedies.clone();
        self.chosen.history.end();
        self.chosen.history.add(Edit::Mend { before, after });
        self.mend()
    }

    /// Requests the copy that the remedies make; without any, the copy is closed.
    pub(super) fn mend(&mut self) -> Vec<Effect> {
        (self.mending.running, self.mending.result) = (None, None);
        let remedies = self.mending.remedies.clone();
        let Some(source) = self.mending.of.clone().filter(|_| !remedies.is_empty()) else {
            return self.close_mended();
        };
        let id = self.loads.next_id();
        self.mending.running = Some(id);
        vec![Effect::Mend(MendRequest { id, source, remedies })]
    }

    /// Makes the copy again if the file that it was made of was read again, whichever of both is the first model.
    pub(super) fn mend_again(&mut self, read: &FileSource) -> Vec<Effect> {
        if self.mending.of.as_ref() == Some(read) && !self.mending.remedies.is_empty() {
            self.mend()
        } else {
            Vec::new()
        }
    }

    fn take_mended(&mut self, id: LoadId, result: Result<MendedFile, String>) -> Vec<Effect> {
        if self.mending.running != Some(id) {
            return Vec::new();
        }
        self.mending.running = None;
        if let Ok(file) = &result {
            // What fixed nothing was not taken, so that it can be tried again and is no step of the history.
            let helps =
                |remedy: &Remedy| file.fixed.iter().any(|fixed| fixed.code == remedy.code());
            self.mending.remedies.retain(helps);
            self.chosen.history.correct_mending(&self.mending.remedies);
        }
        self.notices.replace(match &result {
            Ok(file) => summary(file),
            Err(why) => Notice::warning(format!("Nothing is fixed: {why}")),
        });
        self.mending.result = Some(result);
        match self.mending.glb() {
            Some(_) => self.show_mended(),
            None => self.close_mended(),
        }
    }

    /// Shows the copy beside the file; in place of a former copy if that has changed places with the file.
    fn show_mended(&mut self) -> Vec<Effect> {
        let file = self.mending.of.as_ref().zip(self.mending.glb());
        let Some((of, glb)) = file else { return Vec::new() };
        let source = FileSource::Mended { of: of.name(), glb: glb.clone() };
        let shown = self.playback.document().map(|document| &document.source);
        vec![Effect::Load(match shown {
            Some(shown) if *shown == source => return Vec::new(),
            Some(FileSource::Mended { .. }) => self.loads.read_again(source, Destination::Shown),
            _ => self.loads.open(source, Destination::Beside),
        })]
    }

    /// Ends the comparison with the copy.
    fn close_mended(&mut self) -> Vec<Effect> {
        let is_mended = |source: &FileSource| matches!(source, FileSource::Mended { .. });
        if self.compared.document().is_some_and(|beside| is_mended(&beside.source)) {
            self.close_beside()
        } else {
            Vec::new()
        }
    }
}

/// Says what was mended.
fn summary(file: &MendedFile) -> Notice {
    let MendedFile { fixed, left, distance_mm, .. } = file;
    let mut text = match fixed.len() {
        0 if !left.is_empty() => return Notice::warning(not_fixed(left)),
        0 => "Nothing to fix".to_owned(),
        n => {
            let moves = largest_distance_text(fixed, *distance_mm);
            format!("{} in a copy; {moves}", counted(n, "repair"))
        }
    };
    match &left[..] {
        [] => return Notice::done(text),
        [only] => text += &format!("; left {}: {}", only.code, only.reason),
        [first, ..] => {
            text += &format!("; {} left, such as {}: {}", left.len(), first.code, first.reason);
        }
    }
    Notice::warning(text)
}

/// Says why nothing was mended.
fn not_fixed(left: &[Unmended]) -> String {
    match left {
        [first, _, ..] => {
            let count = counted(left.len(), "finding");
            format!("Not fixed: {count}, such as {}: {}", first.code, first.reason)
        }
        _ => {
            let reasons = left.iter().map(|left| format!("{}: {}", left.code, left.reason));
            format!("Not fixed: {}", reasons.collect::<String>())
        }
    }
}

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
