//! What a session asks of the desktop, and Escape.

use std::path::Path;

use crate::desktop::{RECENT, absolute};
use crate::saved::write::saved_text;
use crate::{
    DesktopAction, DesktopEffect, Effect, MeasureAction, SelectionAction, Session, WindowPart,
};

impl Session {
    /// Opens or closes a part. While panels are hidden, it shows them with the part.
    pub(super) fn toggle_part(&mut self, part: WindowPart) {
        self.parts.set(part, !(self.panels && self.parts.has(part)));
        self.panels = true;
    }

    /// Closes the palette or the help panel, or else cancels loads, or else removes messages, or else ends measuring, or else selects
    /// nothing.
    pub(super) fn escape(&mut self) {
        if self.desktop.palette {
            self.desktop.palette = false;
        } else if self.help {
            self.help = false;
        } else if self.loads.is_busy() {
            for destination in self.loads.give_up_all() {
                self.resuming.forget(destination);
            }
        } else if self.loads.failure().is_some() || self.notices.shown().is_some() {
            self.dismiss();
        } else if self.measure.is_on() {
            self.change_measure(MeasureAction::Toggle);
        } else {
            self.change_selection(SelectionAction::Select(None));
        }
    }

    pub(super) fn change_desktop(&mut self, action: DesktopAction) -> Vec<Effect> {
        let desktop = &mut self.desktop;
        match action {
            DesktopAction::TogglePalette => desktop.palette = !desktop.palette,
            DesktopAction::SetTheme(theme) => {
                desktop.theme = theme;
                return vec![Effect::Desktop(DesktopEffect::SetTheme(theme))];
            }
            DesktopAction::SetQuality(quality) => desktop.quality = quality,
            DesktopAction::SetWithoutDrops => desktop.without_drops = true,
            DesktopAction::SetRecent(recent) => {
                desktop.recent = recent;
                desktop.recent.truncate(RECENT);
            }
            DesktopAction::FindNode => {
                desktop.searches += 1;
                self.parts.set(WindowPart::Scene, true);
                self.panels = true;
            }
            DesktopAction::SetKeys(keys) => desktop.keys = keys,
            DesktopAction::LookForRecent => {
                let paths = desktop.recent.clone();
                return vec![Effect::Desktop(DesktopEffect::LookFor(paths))];
            }
            DesktopAction::SetMissing(missing) => desktop.missing = missing,
            DesktopAction::CopyCommandLine if self.playback.stage.is_some() => {
                return vec![Effect::Desktop(DesktopEffect::CopyCommandLine)];
            }
            DesktopAction::SaveSession(path) => {
                let whole = absolute(&path);
                let text = saved_text(self, whole.parent().unwrap_or(Path::new("")));
                let write = |text| Effect::Desktop(DesktopEffect::Write { path, text });
                return text.map(write).into_iter().collect();
            }
            DesktopAction::Record(path) if self.playback.stage.is_some() => {
                return self.record(path);
            }
            DesktopAction::CancelRecording => self.cancel_recording(),
            DesktopAction::Recorded { id, result } => self.recorded(id, result),
            DesktopAction::SessionRead { path, text } => return self.open_saved(path, text),
            DesktopAction::CopyCommandLine | DesktopAction::Record(_) => {}
        }
        Vec::new()
    }
}
