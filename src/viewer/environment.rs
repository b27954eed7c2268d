//! Environments that a person chooses: built in, or a picture of all around that is opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::notice::Notice;
use super::{Effect, FileSource, LoadFailure, LoadId, Viewer};
use crate::import::ImportError;
use crate::look::{EnvironmentSource, Lighting};
use crate::model::Environment;

/// The environments of a session beside the built-in ones.
#[derive(Debug)]
pub(super) struct Environments {
    /// The file that is being read.
    pub pending: Option<(LoadId, PathBuf)>,
    /// The one that was read last: it stays to be chosen again.
    file: Option<EnvironmentSource>,
}

impl Environments {
    /// Those of a session that begins in this light.
    pub fn of(lighting: &Lighting) -> Self {
        let source = &lighting.environment;
        let is_file = !EnvironmentSource::NAMES.contains(&source.name());
        Self { pending: None, file: is_file.then(|| source.clone()) }
    }
}

/// Whether a file's name is that of an environment's picture: `.hdr` or `.exr`.
pub(super) fn is_environment(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("hdr") || e.eq_ignore_ascii_case("exr"))
}

impl Viewer {
    /// All environments that can be chosen: the built-in ones, then the file that was opened last.
    pub fn environments(&self) -> Vec<EnvironmentSource> {
        let built_in = EnvironmentSource::NAMES.into_iter().filter_map(EnvironmentSource::named);
        built_in.chain(self.environments.file.clone()).collect()
    }

    /// Asks for it to be read, in place of another that is.
    pub(super) fn load_environment(&mut self, path: PathBuf) -> Effect {
        let id = self.loads.next_id();
        self.environments.pending = Some((id, path.clone()));
        Effect::LoadEnvironment { id, path }
    }

    /// Lights the scene by it alone, or says why it can't be read.
    pub(super) fn environment_loaded(
        &mut self,
        id: LoadId,
        result: Result<Environment, ImportError>,
    ) {
        let Some((_, path)) = self.environments.pending.take_if(|(own, _)| *own == id) else {
            return;
        };
        match result {
            Ok(environment) => {
                let lit = if self.document.is_some() || self.loads.pending.is_some() {
                    format!("Lit by {}", environment.name)
                } else {
                    format!("{} lights the model that is opened next", environment.name)
                };
                let source = EnvironmentSource::Picture(Arc::new(environment));
                self.environments.file = Some(source.clone());
                self.look.lighting.light_by(source);
                self.say(Notice::done(lit));
            }
            Err(error) => {
                let source = FileSource::Path(path);
                let (file, message) = (source.name(), error.to_string());
                self.loads.failure = Some(LoadFailure { file, message, source, files: Vec::new() });
            }
        }
    }
}
