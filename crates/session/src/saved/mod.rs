//! The session file (`.rigview.json`): what a session shows, to be shown again later. Paths in it are relative to its
//! folder.

mod camera;
mod look;
pub(super) mod node;
pub(super) mod play;
mod retarget;
pub(super) mod write;

use std::path::{Component, Path, PathBuf};

use camera::SavedCamera;
use look::SavedLook;
use node::SavedNode;
use play::SavedPlay;
use retarget::SavedRetarget;
use serde::{Deserialize, Serialize};

use crate::desktop::absolute;
use crate::{CompareMode, Compared, Destination, FileSource, WindowPart};
use rigview_look::{known, known_items};
use rigview_model::SkinForm;
use rigview_report::HandMadeNode;

/// The end of the name of a session file.
pub const SESSION_FILE: &str = ".rigview.json";

/// The version of the format that is written, and the latest that is read.
pub(super) const VERSION: u32 = 1;

/// What a session shows. Parts that a file leaves out are as after loading.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SavedSession {
    /// The version of the format; 0 for a file that is none.
    pub(super) rigview_session: u32,
    /// The model; `None` for the built-in rig.
    pub(super) file: Option<String>,
    /// The file whose clips replace the model's own.
    pub clips_from: Option<String>,
    /// How these clips are converted; `None` is the default.
    pub retarget: Option<SavedRetarget>,
    pub scene: Option<usize>,
    pub stood_up: bool,
    pub play: SavedPlay,
    /// How an engine would store the model.
    pub engine: SavedEngine,
    /// The file beside.
    pub compared: Option<SavedCompared>,
    pub camera: SavedCamera,
    pub look: SavedLook,
    pub selected: Option<SavedNode>,
    /// Primitive and index of the picked vertex of the selected node.
    pub vertex: Option<(usize, u32)>,
    pub hidden: Vec<SavedNode>,
    /// The values that were set by hand.
    pub by_hand: Vec<HandMadeNode>,
    pub solo: Option<SavedNode>,
    #[serde(deserialize_with = "known_items")]
    pub parts: Option<Vec<WindowPart>>,
    /// The folder of the file, which its paths are relative to.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// What a session file still asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Resuming {
    /// Until its model is shown.
    pub saved: Option<Box<SavedSession>>,
    /// Until the clips of this other file have been read.
    pub clips: Option<(FileSource, Box<SavedSession>)>,
    /// Until this environment has been read.
    pub light: Option<(FileSource, Box<SavedSession>)>,
    /// Until this second file has been read.
    pub beside: Option<(FileSource, Box<SavedSession>)>,
}

impl Resuming {
    /// The form of skins, if the session file is waiting for the model of this source.
    pub fn form_of(&self, source: &FileSource) -> Option<SkinForm> {
        let saved = self.saved.as_ref().filter(|saved| saved.source() == *source);
        saved.map(|saved| saved.engine.form())
    }

    /// Asks no more for what would be loaded there.
    pub fn forget(&mut self, destination: Destination) {
        match destination {
            Destination::Shown => self.saved = None,
            Destination::Clips => self.clips = None,
            Destination::Light => self.light = None,
            Destination::Beside => self.beside = None,
        }
    }
}

/// Whether a path is that of a session file.
pub(super) fn is_session_file(path: &Path) -> bool {
    path.to_string_lossy().to_lowercase().ends_with(SESSION_FILE)
}

impl SavedSession {
    /// Reads the text of a file in a folder.
    ///
    /// # Errors
    /// If it is no session file, or one of a later version; the message says which.
    pub fn read(text: &str, folder: &Path) -> Result<Self, String> {
        let saved: Self =
            serde_json::from_str(text).map_err(|e| format!("no session file: {e}"))?;
        match saved.rigview_session {
            0 => Err("no session file: \"rigview_session\" is missing".into()),
            1..=VERSION => Ok(Self { folder: folder.to_owned(), ..saved }),
            later => Err(format!(
                "a session file of version {later}; this rigview reads up to {VERSION}"
            )),
        }
    }

    /// The model's file.
    pub fn source(&self) -> FileSource {
        match &self.file {
            Some(file) => FileSource::Path(self.folder.join(file)),
            None => FileSource::creature(),
        }
    }
}

/// Returns a path as seen from a folder; an absolute one if they share no folder.
pub(super) fn relative(path: &Path, folder: &Path) -> String {
    let folder = absolute(folder);
    let folder = folder.canonicalize().unwrap_or(folder);
    let path = resolved(path);
    let shared = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let is_named = |c: &Component<'_>| matches!(c, Component::Normal(_));
    if !path.components().take(shared).any(|c| is_named(&c)) {
        return path.to_string_lossy().into_owned();
    }
    let up = folder.components().skip(shared).map(|_| "..".into());
    let down = path.components().skip(shared).map(|c| c.as_os_str().to_string_lossy());
    let parts: Vec<std::borrow::Cow<'_, str>> = up.chain(down).collect();
    parts.join("/")
}

/// Returns the absolute path of a file without symbolic links and `..` in its folder: the system resolves a `..` behind
/// a link's target, so that components may only be counted without them. A file that is a link keeps its name.
fn resolved(path: &Path) -> PathBuf {
    let path = absolute(path);
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    match folder.zip(path.file_name()) {
        Some((folder, name)) => folder.join(name),
        None => path,
    }
}

/// The second file and how both are shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SavedCompared {
    pub file: String,
    #[serde(rename = "together", deserialize_with = "known")]
    pub mode: CompareMode,
    wipe: f64,
}

impl SavedCompared {
    /// Returns what is saved of a comparison with a file.
    pub fn of(file: String, compared: &Compared) -> Self {
        Self { file, mode: compared.mode(), wipe: compared.wipe() }
    }

    /// The line's place as a share of the picture's width.
    pub fn wipe(&self) -> f64 {
        if self.wipe.is_finite() { self.wipe.clamp(0.0, 1.0) } else { 0.5 }
    }
}

/// The limits of skins; `None` where they are as in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SavedEngine {
    influences: Option<usize>,
    joints: Option<usize>,
    weight_bits: Option<u32>,
}

impl SavedEngine {
    pub fn of(form: SkinForm) -> Self {
        let file = SkinForm::default();
        Self {
            influences: (form.influences != file.influences).then_some(form.influences),
            joints: (form.joints != file.joints).then_some(form.joints),
            weight_bits: (form.weight_bits != file.weight_bits).then_some(form.weight_bits),
        }
    }

    /// Returns the form, with each limit in the range that the window offers.
    pub fn form(self) -> SkinForm {
        let file = SkinForm::default();
        SkinForm {
            influences: self.influences.map_or(file.influences, |most| most.clamp(1, 16)),
            joints: self.joints.map_or(file.joints, |most| most.max(1)),
            weight_bits: match self.weight_bits {
                Some(bits @ (8 | 16)) => bits,
                _ => file.weight_bits,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_folder_of_the_file() {
        let from = |path: &str| relative(Path::new(path), Path::new("/rigs/sets"));
        assert_eq!(from("/rigs/sets/fox.glb"), "fox.glb");
        assert_eq!(from("/rigs/sets/a/fox.glb"), "a/fox.glb");
        assert_eq!(from("/rigs/fox.glb"), "../fox.glb");
        assert_eq!(from("/other/fox.glb"), "/other/fox.glb");
    }

    #[cfg(unix)]
    #[test]
    fn paths_lead_to_the_file_through_links_and_parent_folders() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for folder in ["deep/real/sets", "models"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        std::fs::write(at("models/fox.glb"), "fox").unwrap();
        std::os::unix::fs::symlink(at("deep/real"), at("link")).unwrap();
        for sets in ["link/sets", "deep/../models", "link/sets/..", "link", ""] {
            for fox in ["models/fox.glb", "link/../../models/fox.glb", "deep/../models/fox.glb"] {
                let written = relative(&at(fox), &at(sets));
                let read = std::fs::read_to_string(at(sets).join(&written));
                assert_eq!(read.ok().as_deref(), Some("fox"), "{written} in {sets}");
                assert!(!Path::new(&written).is_absolute(), "{written} in {sets}");
            }
        }
    }

    #[test]
    fn what_is_no_session_file_is_refused_with_a_reason() {
        let read = |text: &str| SavedSession::read(text, Path::new("/rigs"));
        assert!(read("{").unwrap_err().starts_with("no session file: "));
        assert!(read("{}").unwrap_err().contains("\"rigview_session\" is missing"));
        assert!(read(r#"{"rigview_session": 2}"#).unwrap_err().contains("version 2"));
        let saved = read(r#"{"rigview_session": 1, "file": "../fox.glb"}"#).unwrap();
        assert_eq!(saved.source(), FileSource::Path("/rigs/../fox.glb".into()));
        let saved = read(r#"{"rigview_session": 1, "parts": ["scene", "hologram", 3]}"#).unwrap();
        assert_eq!(saved.parts, Some(vec![WindowPart::Scene]), "those of a later version");
        assert!(is_session_file(Path::new("a/b.rigview.json")));
        assert!(!is_session_file(Path::new("a/b.json")));
    }
}
