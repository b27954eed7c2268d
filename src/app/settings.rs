//! Restores the settings when the window opens, and keeps them when it closes.

use std::path::PathBuf;

use super::place::Place;
use super::stored::{Settings, read, set_aside, settings_path, write};
use super::window::App;
use crate::session::{Action, DesktopAction, NoticeKind, Part};

impl App {
    /// Returns the settings, and keeps the reason why they can't be read for a notice.
    pub(super) fn read_settings(&mut self) -> Settings {
        let Some(path) = settings_path(self.start.script.is_some()) else {
            return Settings::default();
        };
        read(&path).unwrap_or_else(|message| {
            self.act(Action::Notice(NoticeKind::Warning, message));
            Settings::default()
        })
    }

    /// Arranges the window as the last one was left.
    pub(super) fn restore_settings(&mut self, settings: Settings) {
        let Some(path) = settings_path(self.start.script.is_some()) else { return };
        self.act(Action::OpenParts(settings.parts()));
        self.act(DesktopAction::SetTheme(settings.theme));
        self.act(DesktopAction::SetRecent(settings.recent));
        let Some((live, arrangement)) = self.live.as_mut().zip(settings.arrangement) else {
            return;
        };
        if let Err(why) = live.panels.arrange(arrangement) {
            let message = set_aside(&path, &why);
            self.act(Action::Notice(NoticeKind::Warning, message));
        }
    }

    /// Writes the window's arrangement to the settings, if it is another one.
    pub(super) fn keep_settings(&mut self) {
        let path = settings_path(self.start.script.is_some());
        let Some((path, live)) = path.zip(self.live.as_ref()) else { return };
        let before = read(&path);
        let place = before.as_ref().ok().and_then(|settings| settings.window);
        let desktop = self.session.desktop();
        let is_text = |path: &&PathBuf| path.to_str().is_some();
        let settings = Settings {
            // The next window begins without a second model.
            parts: Some(self.session.parts().iter().filter(|p| *p != Part::Compared).collect()),
            arrangement: live.panels.arrangement(),
            theme: desktop.theme(),
            recent: desktop.recent().iter().filter(is_text).cloned().collect(),
            window: Place::of(&live.window, place),
        };
        if before.as_ref() != Ok(&settings)
            && let Err(error) = write(&path, &settings)
        {
            log::warn!("settings are not kept: {}: {error}", path.display());
        }
    }
}
