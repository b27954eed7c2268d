//! File names with places for the model's name, the clip's name and the number of a frame.

use std::path::{Path, PathBuf};

use crate::session::Playback;

/// Returns the names of the model and the clip that are shown, for file names.
pub fn shown_names(playback: &Playback) -> [String; 2] {
    let document = playback.document();
    let name = document.map(|d| d.name.as_str()).unwrap_or_default();
    let stem = Path::new(name).file_stem().map(|s| s.to_string_lossy().into_owned());
    let clip = document.and_then(|d| d.clip_name(playback.clip_index()?)).unwrap_or("rest");
    [stem.unwrap_or_default(), clip.to_owned()]
}

/// Replaces {model} or {name}, {clip} and {frame} or {frame:4}, with up to 99 digits, in a file name.
pub fn filled(path: &Path, model: &str, clip: &str, frame: u64) -> PathBuf {
    with_frame(&with_names(path, model, clip), frame)
}

/// Replaces {model} or {name} and {clip} in a file name.
pub fn with_names(path: &Path, model: &str, clip: &str) -> PathBuf {
    let Some(text) = path.to_str().filter(|t| t.contains('{')) else { return path.to_owned() };
    let safe = |name: &str| -> String {
        let keep = |c: char| c.is_alphanumeric() || " -_.()".contains(c);
        name.chars().map(|c| if keep(c) { c } else { '_' }).collect()
    };
    let out = text.replace("{model}", &safe(model)).replace("{name}", &safe(model));
    PathBuf::from(out.replace("{clip}", &safe(clip)))
}

/// Replaces {frame} or {frame:4}, with up to 99 digits, in a file name.
pub fn with_frame(path: &Path, frame: u64) -> PathBuf {
    let Some(text) = path.to_str().filter(|t| t.contains("{frame")) else { return path.to_owned() };
    let mut out = text.replace("{frame}", &frame.to_string());
    let widths = if out.contains("{frame:") { 1..=99 } else { 0..=0 };
    for width in widths {
        out = out.replace(&format!("{{frame:{width}}}"), &format!("{frame:0width$}"));
    }
    PathBuf::from(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_frames_have_the_wanted_digits() {
        let of = |name: &str| filled(Path::new(name), "", "", 7).to_str().unwrap().to_owned();
        assert_eq!(of("{frame}-{frame:2}-{frame:10}"), "7-07-0000000007");
        assert_eq!(of("{frames}-{frame:0}-{frame:100}"), "{frames}-{frame:0}-{frame:100}");
    }

    #[test]
    fn names_in_a_file_name_cannot_leave_its_folder() {
        let path = filled(Path::new("out/{model}_{clip}_{frame:4}.png"), "fox", "../../a/b", 7);
        assert_eq!(path, Path::new("out/fox_.._.._a_b_0007.png"));
        assert_eq!(filled(Path::new("{name}.png"), "fox", "Run", 1), Path::new("fox.png"));
        assert_eq!(filled(Path::new("a.png"), "fox", "Run", 1), Path::new("a.png"));
    }
}
