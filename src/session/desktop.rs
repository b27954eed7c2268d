//! What belongs to the program's window rather than to a model: the command palette, the theme and the recent files.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Effect, FileSource, MeasureAction, Part, SelectionAction, Session};

/// Number of recent files that are kept.
const RECENT: usize = 10;

/// The colours of the panels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThemeChoice {
    /// Those of the system; dark if it has none.
    #[default]
    System,
    /// Light on dark.
    Dark,
    /// Dark on light.
    Light,
}

impl ThemeChoice {
    /// All choices.
    pub const ALL: [ThemeChoice; 3] = [ThemeChoice::System, ThemeChoice::Dark, ThemeChoice::Light];

    /// Returns the choice's name in states and settings.
    pub fn name(self) -> &'static str {
        match self {
            ThemeChoice::System => "system",
            ThemeChoice::Dark => "dark",
            ThemeChoice::Light => "light",
        }
    }
}

/// The state of the program's window that does not depend on the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Desktop {
    pub(super) palette: bool,
    theme: ThemeChoice,
    recent: Vec<PathBuf>,
}

/// A change of the window that does not depend on the model.
#[derive(Clone, Debug, PartialEq)]
pub enum DesktopAction {
    /// Opens or closes the command palette.
    TogglePalette,
    /// Sets the colours of the panels.
    SetTheme(ThemeChoice),
    /// Replaces the list of recent files, the latest first.
    SetRecent(Vec<PathBuf>),
    /// Copies the command that draws the shown picture without a window.
    CopyCommandLine,
    /// Asks where to write a file.
    Ask(FileQuestion),
    /// Writes a session file.
    SaveSession(PathBuf),
    /// The text of a session file has been read, or the reason why it can't be.
    SessionRead {
        /// The file.
        path: PathBuf,
        /// Its text.
        text: Result<String, String>,
    },
}

/// What a file is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileQuestion {
    /// A session file to write.
    SaveSession,
}

/// A request about the window; [`Effect::Desktop`] has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DesktopEffect {
    /// Copy the command line of the picture's size and scale ([`Session::command_line`]); answer with
    /// [`Action::Notice`](super::Action::Notice).
    CopyCommandLine,
    /// Give the frame of the window these colours.
    SetTheme(ThemeChoice),
    /// Ask where to write a file; answer with the action that the question is for.
    Ask(FileQuestion),
    /// Write a text to a file; answer with [`Action::Notice`](super::Action::Notice).
    Write {
        /// The file.
        path: PathBuf,
        /// Its text.
        text: String,
    },
    /// Read a session file; answer with [`DesktopAction::SessionRead`].
    Read(PathBuf),
}

impl Desktop {
    /// Whether the command palette is open.
    pub fn palette(&self) -> bool {
        self.palette
    }

    /// The colours of the panels.
    pub fn theme(&self) -> ThemeChoice {
        self.theme
    }

    /// The files that were opened last, the latest first. Some may no longer exist.
    pub fn recent(&self) -> &[PathBuf] {
        &self.recent
    }

    /// Puts a file that was opened at the start of the recent ones.
    pub(super) fn note_opened(&mut self, source: &FileSource) {
        if let FileSource::Path(path) = source {
            let path = absolute(path);
            self.recent.retain(|other| *other != path);
            self.recent.insert(0, path);
            self.recent.truncate(RECENT);
        }
    }
}

/// Returns a path that does not depend on the working directory, or the path itself if there is none.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

impl Session {
    /// The state of the window that does not depend on the model.
    pub fn desktop(&self) -> &Desktop {
        &self.desktop
    }

    /// Opens or closes a part. While panels are hidden, it shows them with the part.
    pub(super) fn toggle_part(&mut self, part: Part) {
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
        } else if self.loads.is_busy() || self.compared.pending().is_some() {
            self.loads.give_up_all();
            self.compared.give_up();
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
            DesktopAction::SetRecent(recent) => {
                desktop.recent = recent;
                desktop.recent.truncate(RECENT);
            }
            DesktopAction::CopyCommandLine if self.exhibit.stage.is_some() => {
                return vec![Effect::Desktop(DesktopEffect::CopyCommandLine)];
            }
            DesktopAction::Ask(question) if self.exhibit.stage.is_some() => {
                return vec![Effect::Desktop(DesktopEffect::Ask(question))];
            }
            DesktopAction::SaveSession(path) => {
                let folder = path.parent().unwrap_or(Path::new("")).to_owned();
                let text = self.saved_text(&folder);
                let write = |text| Effect::Desktop(DesktopEffect::Write { path, text });
                return text.map(write).into_iter().collect();
            }
            DesktopAction::SessionRead { path, text } => return self.open_saved(path, text),
            DesktopAction::CopyCommandLine | DesktopAction::Ask(_) => {}
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_file_is_first_and_none_is_listed_twice() {
        let mut desktop = Desktop::default();
        let path = |i: usize| PathBuf::from(format!("/rigs/{i}.glb"));
        (0..12).for_each(|i| desktop.note_opened(&FileSource::Path(path(i))));
        assert_eq!(desktop.recent(), (2..12).rev().map(path).collect::<Vec<_>>());
        desktop.note_opened(&FileSource::Path(path(5)));
        assert_eq!((desktop.recent()[0].clone(), desktop.recent().len()), (path(5), 10));
        desktop.note_opened(&FileSource::BuiltIn { name: "creature", bytes: &[] });
        assert_eq!(desktop.recent()[0], path(5));
    }
}
