//! File names with places for the model's name, the clip's name and the number of a frame.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rigview_session::Playback;

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
    let named = with_model(path, model);
    PathBuf::from(replaced(named.into_os_string(), "{clip}", &safe(clip)))
}

/// Replaces {model} or {name} in a file name.
pub fn with_model(path: &Path, model: &str) -> PathBuf {
    let model = safe(model);
    let out = replaced(path.as_os_str().to_owned(), "{model}", &model);
    PathBuf::from(replaced(out, "{name}", &model))
}

/// Returns a name without characters that have a meaning in paths.
fn safe(name: &str) -> String {
    let keep = |c: char| c.is_alphanumeric() || " -_.()".contains(c);
    name.chars().map(|c| if keep(c) { c } else { '_' }).collect()
}

/// Replaces {frame} or {frame:4}, with up to 99 digits, in a file name.
pub fn with_frame(path: &Path, frame: u64) -> PathBuf {
    let mut out = replaced(path.as_os_str().to_owned(), "{frame}", &frame.to_string());
    let widths = if find(&out, "{frame:").is_some() { 1..=99 } else { 0..=0 };
    for width in widths {
        out = replaced(out, &format!("{{frame:{width}}}"), &format!("{frame:0width$}"));
    }
    PathBuf::from(out)
}

/// Replaces a placeholder in a path, which need not be UTF-8.
fn replaced(mut text: OsString, place: &str, with: &str) -> OsString {
    let mut out = OsString::new();
    while let Some([before, after]) = find(&text, place) {
        out.push(before);
        out.push(with);
        text = after;
    }
    out.push(text);
    out
}

/// Returns what is before and after the first occurrence of a placeholder.
fn find(text: &OsStr, place: &str) -> Option<[OsString; 2]> {
    let (bytes, place) = (text.as_encoded_bytes(), place.as_bytes());
    let start = bytes.windows(place.len()).position(|part| part == place)?;
    let part = |bytes: &[u8]| {
        // SAFETY: the bytes are those of an `OsStr` up to ASCII text, or from its end on.
        unsafe { OsStr::from_encoded_bytes_unchecked(bytes) }.to_owned()
    };
    Some([part(&bytes[..start]), part(&bytes[start + place.len()..])])
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
    /// Also where the path has bytes that are not UTF-8.
    #[test]
    #[cfg(unix)]
    fn placeholders_are_replaced_beside_any_bytes() {
        use std::os::unix::ffi::OsStrExt;
        let of = |bytes: &'static [u8]| Path::new(OsStr::from_bytes(bytes));
        let path = filled(of(b"n\xff/\xfe{name}\xfd_{clip}_{frame:3}.png"), "fox", "Run", 7);
        assert_eq!(path, of(b"n\xff/\xfefox\xfd_Run_007.png"));
    }
}
