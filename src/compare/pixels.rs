//! Images whose pixels are compared after all, because only their bytes differ.

use super::change::{Change, ChangeKind, Kind};
use super::images::{image_changes, image_pairs};
use super::models::ModelDifference;
use crate::model::Model;

impl ModelDifference {
    /// Whether an image of both models has other bytes, which may be the same pixels. If so, decode the images and call
    /// [`ModelDifference::with_images`].
    pub fn needs_pixels(&self) -> bool {
        let is_content = |change: &Change| {
            let is_changed = (change.kind, change.change) == (Kind::Image, ChangeKind::Changed);
            is_changed && change.what.ends_with("content")
        };
        self.structure.iter().any(is_content)
    }

    /// Returns the difference with the images compared again, whose pixels are now known.
    pub fn with_images(mut self, a: &Model, b: &Model) -> Self {
        let is_image = |change: &Change| change.kind == Kind::Image;
        let Some(at) = self.structure.iter().position(is_image) else { return self };
        self.structure.retain(|change| !is_image(change));
        self.structure.splice(at..at, image_changes(a, b, &image_pairs(a, b)));
        self
    }
}
