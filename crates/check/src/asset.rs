//! A file that is checked.

use super::Finding;
use rigview_model::{Loaded, Model};

/// A file that is checked: its model, and what the import and the file system say of it.
#[derive(Clone, Debug)]
pub struct Asset<'a> {
    /// The name that findings give the file.
    pub file: &'a str,
    /// Its contents.
    pub model: &'a Model,
    /// Bytes of the file and of those that it names; `None` if unknown: then their limit is not checked.
    pub bytes: Option<u64>,
    /// The import's warnings.
    pub warnings: Vec<Finding>,
}

impl<'a> From<&'a Model> for Asset<'a> {
    fn from(model: &'a Model) -> Self {
        Self { file: "", model, bytes: None, warnings: Vec::new() }
    }
}

impl<'a> Asset<'a> {
    /// Returns a loaded file, which findings call `file`. `bytes` is the size of the file and of those that it
    /// names.
    pub fn of(file: &'a str, loaded: &'a Loaded, bytes: u64) -> Self {
        let Loaded { model, warnings, .. } = loaded;
        let format = &model.source.format;
        let warnings = warnings.iter().map(|warning| Finding::of_import(warning, format)).collect();
        Self { file, model, bytes: Some(bytes), warnings }
    }
}
