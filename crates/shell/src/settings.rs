//! Settings that outlive the window: the open parts and their arrangement, its place, recent files, in a file of the
//! user's configuration.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use rigview_capture::write_whole;
use rigview_look::{known, known_items};
use rigview_session::{MotionQuality, OpenWindowParts, ThemeChoice, WindowPart};

/// Where the window was, as it was last seen neither maximised nor full screen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowPlace {
    /// The upper left corner with the frame, in pixels; `None` where the system does not tell it.
    pub position: Option<[i32; 2]>,
    /// The size of the contents in points.
    pub size: [f64; 2],
    /// Whether it was maximised.
    pub maximised: bool,
}

/// What is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The open parts; `None` for those of a first start.
    #[serde(deserialize_with = "known_items")]
    pub parts: Option<Vec<WindowPart>>,
    /// The arrangement of the panels.
    pub arrangement: Option<serde_json::Value>,
    /// The colours of the panels.
    #[serde(deserialize_with = "known")]
    pub theme: ThemeChoice,
    /// How the picture is drawn while something moves.
    #[serde(deserialize_with = "known")]
    pub quality: MotionQuality,
    /// The keys that were chosen for shortcuts, by their titles.
    pub keys: BTreeMap<String, String>,
    /// The files that were opened last, the latest first.
    pub recent: Vec<PathBuf>,
    /// The place of the window; `None` for that of a first start.
    pub window: Option<WindowPlace>,
}

impl Settings {
    /// Returns the open parts.
    pub fn parts(&self) -> OpenWindowParts {
        let Some(open) = &self.parts else { return OpenWindowParts::default() };
        let mut parts = OpenWindowParts::default();
        WindowPart::ALL.into_iter().for_each(|part| parts.set(part, open.contains(&part)));
        parts
    }
}

/// Reads settings. A file that does not exist has none. A file that can't be read as settings is put aside.
///
/// # Errors
/// If the file was put aside or can't be read; the message says which.
pub fn read(path: &Path) -> Result<Settings, String> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Settings::default()),
        Err(e) => return Err(format!("Settings can't be read: {}: {e}", path.display())),
    };
    serde_json::from_slice(&bytes).map_err(|e| set_aside(path, &e.to_string()))
}

/// Renames a broken file, so that it is not overwritten. Returns a message.
pub fn set_aside(path: &Path, why: &str) -> String {
    let aside = path.with_extension("broken.json");
    match std::fs::rename(path, &aside) {
        Ok(()) => format!("Settings were broken ({why}); they are in {}", aside.display()),
        Err(e) => format!("Settings are broken ({why}): {}: {e}", path.display()),
    }
}

/// Writes settings, whole or not at all.
///
/// # Errors
/// If the file or its folder can't be written.
pub fn write(path: &Path, settings: &Settings) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let text = serde_json::to_string_pretty(settings)?;
    write_whole(path, |out| writeln!(out, "{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_back_and_broken_ones_are_put_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/settings.json");
        assert_eq!(read(&path), Ok(Settings::default()));
        let kept = Settings {
            parts: Some(vec![WindowPart::Scene]),
            arrangement: Some("picture".into()),
            theme: ThemeChoice::Light,
            quality: MotionQuality::Full,
            keys: [("Grid".to_owned(), "Shift+G".to_owned())].into(),
            recent: vec!["/rigs/fox.glb".into()],
            window: Some(WindowPlace {
                position: Some([30, 40]),
                size: [800.0, 600.0],
                maximised: false,
            }),
        };
        write(&path, &kept).unwrap();
        assert_eq!(read(&path).as_ref(), Ok(&kept));
        assert!(kept.parts().has(WindowPart::Scene) && !kept.parts().has(WindowPart::View));
        // A later version may have written names that this one does not know.
        let later = r#"{"parts": ["scene", "hologram"], "theme": "sepia", "quality": "cinema",
            "keys": {"Grid": "Shift+G"}}"#;
        std::fs::write(&path, later).unwrap();
        let known = Settings {
            parts: Some(vec![WindowPart::Scene]),
            keys: [("Grid".to_owned(), "Shift+G".to_owned())].into(),
            ..Settings::default()
        };
        assert_eq!(read(&path), Ok(known));
        std::fs::write(&path, "{\"parts\": 3").unwrap();
        let message = read(&path).unwrap_err();
        assert!(message.contains("settings.broken.json"), "{message}");
        assert_eq!(read(&path), Ok(Settings::default()));
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(read(&path).unwrap_err().contains("settings.broken.json"), "no text at all");
        assert!(!path.exists());
        std::fs::write(&path, "{\"parts\": 3").unwrap();
        read(&path).unwrap_err();
        let aside = folder.path().join("deep/settings.broken.json");
        assert_eq!(std::fs::read_to_string(aside).unwrap(), "{\"parts\": 3");
    }
}
