//! The checkout, and the shared folder with models, oracles and reference pictures that are too large for it.

use super::closing;
use std::path::{Path, PathBuf};

/// The checkout that the tests run in, which may differ from the one they were built in.
pub fn checkout() -> PathBuf {
    let built_in = || env!("CARGO_MANIFEST_DIR").into();
    let package: PathBuf = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(built_in).into();
    let root = package.ancestors().find(|folder| folder.join("Cargo.lock").is_file());
    root.expect("the package belongs to a workspace").to_owned()
}

/// Returns the shared folder: `RIGVIEW_SHARED`, which must exist if it is set, or `../shared` beside the
/// checkout. If there is none, counts `test` as skipped and returns `None`.
pub fn shared(test: &'static str) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("RIGVIEW_SHARED") {
        let folder = PathBuf::from(folder);
        assert!(folder.is_dir(), "RIGVIEW_SHARED: {} is no folder", folder.display());
        return Some(folder);
    }
    let beside = checkout().join("../shared");
    if !beside.is_dir() {
        closing::skipped(test);
        return None;
    }
    Some(beside)
}

/// Lists all glTF files below a folder, sorted.
pub fn models_below(folder: &Path) -> Vec<PathBuf> {
    let (mut models, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|e| e.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("gltf" | "glb") => models.push(path),
                _ => {}
            }
        }
    }
    models.sort();
    models
}
