//! Environments that a person opens: a picture of all around that lights what is shown.

use std::sync::Arc;

use super::{Effect, FileSource, LoadFailure, LoadId, LoadRequest, Viewer};
use crate::import::ImportError;
use crate::look::EnvironmentSource;
use crate::model::Environment;

impl Viewer {
    /// Asks for it to be read. One that is being read is given up.
    pub(super) fn load_environment(&mut self, source: FileSource) -> Effect {
        self.last_id = LoadId(self.last_id.0 + 1);
        let request = LoadRequest { id: self.last_id, source };
        self.pending_environment = Some(request.clone());
        (self.failure, self.notice) = (None, None);
        Effect::LoadEnvironment(request)
    }

    /// Lights the scene by it alone, or says why it can't be read.
    pub(super) fn environment_loaded(
        &mut self,
        id: LoadId,
        result: Result<Environment, ImportError>,
    ) {
        let Some(pending) = self.pending_environment.take_if(|p| p.id == id) else { return };
        match result {
            Ok(environment) => {
                self.look.lighting.environment = EnvironmentSource::Picture(Arc::new(environment));
                // It has lights of its own.
                self.look.lighting.key_light = false;
            }
            Err(error) => {
                let file = pending.source.name();
                self.failure = Some(LoadFailure { file, message: error.to_string() });
            }
        }
    }
}
