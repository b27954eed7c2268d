//! Reads shown files again after their images were lost with the device.

use crate::session::{Destination, Document, Effect, LoadId, Session};

impl Session {
    /// Records that the images of a shown model were lost.
    pub(super) fn lose_images(&mut self, load: LoadId) {
        let both = [&mut self.playback.document, &mut self.compared.playback.document];
        for document in both.into_iter().flatten().filter(|document| document.load == load) {
            document.lacks_images = !document.model.images.is_empty();
        }
    }

    /// Requests the shown models without images again, unless another load may replace them. To be called after every
    /// action: that load may fail or be cancelled.
    pub(super) fn restore_images(&mut self) -> Vec<Effect> {
        let lacking = |document: &&Document| document.lacks_images;
        let mut effects = Vec::new();
        let both = [
            (Destination::Shown, self.playback.document()),
            (Destination::Beside, self.compared.document()),
        ];
        for (destination, document) in both {
            if self.loads.pending(destination).is_none()
                && let Some(document) = document.filter(lacking)
            {
                let again = self.loads.read_again(document.source.clone(), destination);
                effects.push(Effect::Load(again));
            }
        }
        effects
    }
}
