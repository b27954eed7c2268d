//! Pictures of the view, saved to a file or copied to the clipboard.

use super::picture::{color_image, picture_name, save_picture};
use super::window::App;
use crate::capture::Picture;
use crate::session::{Action, NoticeKind};

impl App {
    /// Draws the view as the window shows it, without the panels. Returns `None` while there is no device.
    fn still(&mut self, bare: bool) -> Option<Result<Picture, String>> {
        let still = self.live.as_mut()?.still(&self.session, bare)?;
        Some(still.map_err(|e| e.to_string()))
    }

    pub(super) fn save_picture(&mut self, bare: bool) {
        let Some(still) = self.still(bare) else { return };
        let saved = still.and_then(|picture| save_picture(&picture, &picture_name(&self.session)));
        self.report_picture(saved.map(|path| format!("Saved {}", path.display())));
    }

    pub(super) fn copy_picture(&mut self) {
        let (Some(still), Some(live)) = (self.still(false), &self.live) else { return };
        let copied = still.map(|picture| {
            live.input.egui_ctx().copy_image(color_image(&picture));
            "The picture is on the clipboard".to_owned()
        });
        self.report_picture(copied);
    }

    fn report_picture(&mut self, outcome: Result<String, String>) {
        self.act(match outcome {
            Ok(done) => Action::Notice(NoticeKind::Done, done),
            Err(why) => Action::Notice(NoticeKind::Warning, format!("No picture: {why}")),
        });
    }
}
