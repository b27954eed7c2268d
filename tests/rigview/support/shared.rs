//! The checkout, and the files beside it: models, oracles and reference pictures that are too big for it.

use super::closing;
use std::path::{Path, PathBuf};

/// The checkout that the tests run in, which need not be the one they were built in.
pub fn checkout() -> PathBuf {
    let built_in = || env!("CARGO_MANIFEST_DIR").into();
    std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(built_in).into()
}

/// The shared folder: `RIGVIEW_SHARED`, which has to be there when it is set, or `../shared` of
/// the checkout. Where there is none, `test` counts as skipped and ends.
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

/// All glTF files below a folder, in order.
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
