//! Where the settings file is.

use std::path::PathBuf;

/// The environment variable with the path of the file, instead of the system's place for configurations. An empty one
/// turns settings off.
const VARIABLE: &str = "RIGVIEW_SETTINGS";

/// Returns the path of the settings file: that of the environment variable, or else the system's place for
/// configurations. A window that a script drives has only the former, so that scripts do the same everywhere. `None` if
/// there are no settings.
pub fn settings_path(scripted: bool) -> Option<PathBuf> {
    match std::env::var_os(VARIABLE) {
        Some(path) => Some(PathBuf::from(path)).filter(|path| !path.as_os_str().is_empty()),
        None if scripted => None,
        None => {
            let folders = directories::ProjectDirs::from("", "", "rigview")?;
            Some(folders.config_dir().join("settings.json"))
        }
    }
}
