//! Restores the settings when the window opens, and keeps them when it closes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::live::Live;
use super::place::Place;
use super::stored::{Settings, read, set_aside, settings_path, write};
use super::window::App;
use crate::session::{Action, DesktopAction, NoticeKind, Part, Parts, ThemeChoice};

/// The settings that are written as soon as they change; the place of the window is written when it closes.
#[derive(Debug, PartialEq)]
pub(super) struct Kept {
    parts: Parts,
    theme: ThemeChoice,
    keys: BTreeMap<String, String>,
    recent: Vec<PathBuf>,
    arrangement: Option<serde_json::Value>,
}

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
        self.act(DesktopAction::SetKeys(settings.keys));
        self.arrange(&path, settings.arrangement);
        self.kept = self.present();
    }

    fn arrange(&mut self, path: &Path, arrangement: Option<serde_json::Value>) {
        let Some((live, arrangement)) = self.live.as_mut().zip(arrangement) else {
            return;
        };
        if let Err(why) = live.panels.arrange(arrangement) {
            let message = set_aside(path, &why);
            self.act(Action::Notice(NoticeKind::Warning, message));
        }
    }

    fn present(&self) -> Option<Kept> {
        let (live, desktop) = (self.live.as_ref()?, self.session.desktop());
        Some(Kept {
            parts: self.session.parts(),
            theme: desktop.theme(),
            keys: desktop.keys().clone(),
            recent: desktop.recent().to_vec(),
            arrangement: live.panels.arrangement(),
        })
    }

    /// Writes the settings if they have changed since they were read or written, so that a window that ends otherwise
    /// than by being closed does not lose them. A drag is waited for.
    pub(super) fn keep_changes(&mut self) {
        let Some(kept) = &self.kept else { return };
        let held = |live: &Live| live.input.egui_ctx().input(|input| input.pointer.any_down());
        if self.live.as_ref().is_none_or(held) {
            return;
        }
        let present = self.present();
        if present.as_ref() != Some(kept) {
            self.kept = present;
            self.keep_settings();
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
            keys: desktop.keys().clone(),
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
