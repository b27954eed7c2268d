//! Reads shown files again after their images were lost with the device.

use crate::session::{Document, Effect, LoadId, Session};

impl Session {
    /// Records that the images of a shown model were lost.
    pub(super) fn lose_images(&mut self, load: LoadId) {
        let both = [&mut self.exhibit.document, &mut self.compared.exhibit.document];
        for document in both.into_iter().flatten().filter(|document| document.load == load) {
            document.lacks_images = !document.model.images.is_empty();
        }
    }

    /// Requests the shown models without images again, unless another load may replace them. To be called after every
    /// action: that load may fail or be cancelled.
    pub(in crate::session) fn restore_images(&mut self) -> Vec<Effect> {
        let lacking = |document: &&Document| document.lacks_images;
        let mut effects = Vec::new();
        if self.loads.pending().is_none()
            && let Some(document) = self.exhibit.document().filter(lacking)
        {
            effects.extend(self.loads.reload(Some(document)));
        }
        if self.compared.pending().is_none()
            && let Some(document) = self.compared.document().filter(lacking)
        {
            let source = document.source.clone();
            effects.push(self.read_beside(source, false));
        }
        effects
    }
}
