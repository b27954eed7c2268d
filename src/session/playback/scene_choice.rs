//! The shown scene of a file, and how it stands.

use super::Playback;
use crate::model::Stage;
use crate::report::lies_on_its_back;

impl Playback {
    pub(super) fn select_scene(&mut self, scene: usize) {
        let (Some(document), Some(stage)) = (&self.document, &mut self.stage) else { return };
        let model = &document.model;
        if scene >= model.scenes.len() || scene == stage.scene {
            return;
        }
        let stood_up = stage.stood_up();
        *stage = Stage::new(model, scene);
        self.lies_on_its_back = lies_on_its_back(model, stage);
        stage.stand_up(model, stood_up);
        self.measure();
        self.pose();
    }

    pub(super) fn toggle_stood_up(&mut self) {
        let (Some(document), Some(stage)) = (&self.document, &mut self.stage) else { return };
        stage.stand_up(&document.model, !stage.stood_up());
        self.measure();
        self.pose();
    }
}
