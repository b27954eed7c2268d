//! The source of a file's bytes.

use std::path::PathBuf;

/// The source of a file's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

impl FileSource {
    /// Returns the built-in rig.
    pub fn creature() -> Self {
        let bytes = include_bytes!("../../../assets/creature.glb");
        FileSource::BuiltIn { name: "creature", bytes }
    }

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
