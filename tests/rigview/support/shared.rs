//! The checkout, and the files beside it: models, oracles and reference pictures that are too big for it.

use super::closing;
use std::path::PathBuf;

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
