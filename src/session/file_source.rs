//! Where a file's bytes come from.

use std::path::PathBuf;

/// Where a file's bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileSource {
    /// On disk.
    Path(PathBuf),
    /// In the program: a whole `.glb` and its display name.
    BuiltIn {
        /// Shown in place of a file name.
        name: &'static str,
        /// The file.
        bytes: &'static [u8],
    },
}

impl FileSource {
    /// The file's path as it was given; the display name of a built-in file.
    pub fn path_text(&self) -> String {
        match self {
            FileSource::Path(path) => path.to_string_lossy().into_owned(),
            FileSource::BuiltIn { name, .. } => (*name).to_owned(),
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
        }
    }
}
