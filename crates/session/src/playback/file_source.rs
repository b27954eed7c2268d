//! The source of a file's bytes.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rigview_import::{
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
        let bytes = include_bytes!("../../../../assets/creature.glb");
        FileSource::BuiltIn { name: "creature", bytes }
    }

    /// Whether both are versions of one file: two copies are that if they were made of files with the same name.
    pub(crate) fn is_version_of(&self, other: &Self) -> bool {
        match (self, other) {
            (FileSource::Mended { of, .. }, FileSource::Mended { of: other, .. }) => of == other,
            _ => self == other,
        }
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
                let remedy = if path.exists() {
                    ""
                } else {
                    "; if it was moved or renamed, open it from where it is now"
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

    /// The file's name beside that of another file: where both have the same name, with the folders from which on their paths
    /// differ, as in `v1/hero.glb` beside `v2/hero.glb`. Folders between the first and the last are left out.
    pub fn name_beside(&self, other: &FileSource) -> String {
        match (self, other) {
            (FileSource::Path(path), FileSource::Path(other))
                if path.file_name() == other.file_name() =>
            {
                differing_end(path, other).unwrap_or_else(|| self.name())
            }
            _ => self.name(),
        }
    }
}

/// Returns the end of a path that begins where it differs from another one; `None` if it has no name, or begins before.
fn differing_end(path: &Path, other: &Path) -> Option<String> {
    let names = |path: &Path| -> Vec<String> {
        let names = path.components().rev().filter(|part| *part != Component::CurDir);
        names.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
    };
    let (path, other) = (names(path), names(other));
    let same = path.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (name, folder) = (path.first()?, path.get(same)?);
    let between = if same > 1 { "/\u{2026}/" } else { "/" };
    Some(format!("{folder}{between}{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_name_are_told_apart_by_their_folders() {
        let beside = |a: &str, b: &str| {
            let (a, b) = (FileSource::Path(a.into()), FileSource::Path(b.into()));
            [a.name_beside(&b), b.name_beside(&a)]
        };
        assert_eq!(beside("rigs/v1/hero.glb", "rigs/v2/hero.glb"), ["v1/hero.glb", "v2/hero.glb"]);
        assert_eq!(
            beside("/a/v1/out/lod/hero.glb", "/a/v2/out/lod/hero.glb"),
            ["v1/\u{2026}/hero.glb", "v2/\u{2026}/hero.glb"]
        );
        // The path of one ends before it differs.
        assert_eq!(beside("hero.glb", "./old/hero.glb"), ["hero.glb", "old/hero.glb"]);
        assert_eq!(beside("a/hero.glb", "b/foe.glb"), ["hero.glb", "foe.glb"]);
        assert_eq!(beside("a/hero.glb", "a/hero.glb"), ["hero.glb", "hero.glb"]);
    }
}
