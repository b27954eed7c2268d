//! The source of a file's bytes.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::import::{
    ImportError, ImportOptions, Loaded, Progress, escaped, load_bytes_with_progress,
    load_with_progress,
};

/// The source of a file's bytes.
#[derive(Clone, PartialEq, Eq)]
pub enum FileSource {
    /// A path on disk.
    Path(PathBuf),
    /// A `.glb` that is part of the program, with a display name.
    BuiltIn {
        /// Shown in place of a file name.
        name: &'static str,
        /// The file.
        bytes: &'static [u8],
    },
    /// A mended copy in memory.
    Mended {
        /// The name of the file that was mended, without its folder.
        of: String,
        /// The copy.
        glb: Arc<[u8]>,
    },
}

impl fmt::Debug for FileSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileSource::Path(path) => f.debug_tuple("Path").field(path).finish(),
            FileSource::BuiltIn { name, .. } => f.debug_tuple("BuiltIn").field(name).finish(),
            FileSource::Mended { of, .. } => f.debug_tuple("Mended").field(of).finish(),
        }
    }
}

impl FileSource {
    /// Returns the built-in rig.
    pub fn creature() -> Self {
        let bytes = include_bytes!("../../../assets/creature.glb");
        FileSource::BuiltIn { name: "creature", bytes }
    }

    /// Reads the file, and reports to `progress`.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn load(
        &self,
        options: &ImportOptions,
        progress: &Progress,
    ) -> Result<Loaded, ImportError> {
        match self {
            FileSource::Path(path) => load_with_progress(path, options, progress),
            FileSource::BuiltIn { bytes, .. } => {
                load_bytes_with_progress(bytes.to_vec(), options, progress)
            }
            FileSource::Mended { glb, .. } => {
                load_bytes_with_progress(glb.to_vec(), options, progress)
            }
        }
    }

    /// The file's path as it was given; the display name of a file in memory.
    pub fn path_text(&self) -> String {
        match self {
            FileSource::Path(path) => path.to_string_lossy().into_owned(),
            FileSource::BuiltIn { .. } | FileSource::Mended { .. } => self.name(),
        }
    }

    /// Returns the message about an error of this file, to follow its name. If the file can't be opened, the message names
    /// its folder, and what can be done about a file that does not exist.
    pub fn message(&self, error: &ImportError) -> String {
        match (error, self) {
            (ImportError::Io { .. }, FileSource::Path(path)) => {
                let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                let folder = whole.parent().unwrap_or(&whole).to_string_lossy();
                let remedy = match path.exists() {
                    true => "",
                    false => "; if it was moved or renamed, open it from where it is now",
                };
                format!("{error} (in {}){remedy}", escaped(&folder))
            }
            _ => error.to_string(),
        }
    }

    /// The file's name without its folder.
    pub fn name(&self) -> String {
        match self {
            FileSource::Path(path) => match path.file_name() {
                Some(name) => name.to_string_lossy().into_owned(),
                None => path.display().to_string(),
            },
            FileSource::BuiltIn { name, .. } => (*name).to_owned(),
            FileSource::Mended { of, .. } => format!("{of}, fixed"),
        }
    }
}
