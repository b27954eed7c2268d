//! Performs the session's requests about the window that do not depend on the model.

use super::picture::picture_name;
use super::window::App;
use crate::session::{Action, DesktopEffect, NoticeKind, PictureSize};

impl App {
    pub(super) fn perform_desktop(&mut self, effect: DesktopEffect) {
        match effect {
            DesktopEffect::CopyCommandLine => self.copy_command_line(),
        }
    }

    /// Copies the command that draws the picture that F12 writes.
    fn copy_command_line(&mut self) {
        let Some(live) = &mut self.live else { return };
        let Some((size, scale)) = live.painter().map(|painter| painter.shown()) else { return };
        let output = picture_name(&self.session) + ".png";
        let Some(mut line) = self.session.command_line(PictureSize { size, scale }, &output) else {
            return;
        };
        line.add_adapter(
            self.start.adapter.adapter.as_deref(),
            self.start.adapter.backend.as_deref(),
        );
        live.input.egui_ctx().copy_text(line.text.clone());
        let (kind, text) = match &line.left_out[..] {
            [] => (NoticeKind::Done, format!("Copied: {}", line.text)),
            missing => {
                let missing = missing.join(", ");
                (NoticeKind::Warning, format!("Copied, but without {missing}: {}", line.text))
            }
        };
        self.act(Action::Notice(kind, text));
    }
}
