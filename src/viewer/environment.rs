//! Environments that a person opens: a picture of all around that lights what is shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Effect, FileSource, LoadFailure, LoadId, Viewer};
use crate::import::ImportError;
use crate::look::EnvironmentSource;
use crate::model::Environment;

/// Whether a file's name is that of an environment's picture: `.hdr` or `.exr`.
pub(super) fn is_environment(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("hdr") || e.eq_ignore_ascii_case("exr"))
}

impl Viewer {
    /// Asks for it to be read, in place of another that is.
    pub(super) fn load_environment(&mut self, path: PathBuf) -> Effect {
        let id = self.loads.next_id();
        self.loads.environment = Some((id, path.clone()));
        Effect::LoadEnvironment { id, path }
    }

    /// Lights the scene by it alone, or says why it can't be read.
    pub(super) fn environment_loaded(
        &mut self,
        id: LoadId,
        result: Result<Environment, ImportError>,
    ) {
        let Some((_, path)) = self.loads.environment.take_if(|(own, _)| *own == id) else { return };
        match result {
            Ok(environment) => {
                self.look.lighting.environment = EnvironmentSource::Picture(Arc::new(environment));
                self.look.lighting.key_light = false;
            }
            Err(error) => {
                let source = FileSource::Path(path);
                let (file, message) = (source.name(), error.to_string());
                self.loads.failure = Some(LoadFailure { file, message, source, files: Vec::new() });
            }
        }
    }
}
