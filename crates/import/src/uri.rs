//! URIs: data URIs, and regular files inside the model's folder. Nothing else is opened.

use std::path::{Component, Path, PathBuf};

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::{percent_decode, percent_decode_str};

use super::file;
use super::progress::Progress;
use rigview_model::quoted;

/// Base64 with optional padding, which some exporters omit.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The folder that relative URIs are resolved in, and the progress to report to.
#[derive(Clone, Debug)]
pub(super) struct Folder<'a> {
    /// The model's folder with links resolved; `None` for a file in memory.
    path: Option<PathBuf>,
    /// The progress of the import.
    pub progress: &'a Progress,
}

/// The content of a URI.
pub(super) struct Fetched<'a> {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether backslashes were read as slashes.
    pub backslashes: bool,
    /// The file, from which the bytes after these can be read; `None` for a data URI.
    pub file: Option<file::OpenFile<'a>>,
}

impl<'a> Folder<'a> {
    /// No folder: only data URIs are read.
    pub fn none(progress: &'a Progress) -> Self {
        Self { path: None, progress }
    }

    /// Returns the folder of a file.
    pub fn of(file: &Path, progress: &'a Progress) -> Self {
        // An empty parent is the working directory.
        let parent = match file.parent() {
            Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
            Some(parent) => parent,
            None => return Self::none(progress),
        };
        Self { path: parent.canonicalize().ok(), progress }
    }

    /// Reads at most `most` bytes of a URI.
    ///
    /// # Errors
    /// The reason in words, with the URI.
    pub fn fetch(&self, uri: &str, most: u64) -> Result<Fetched<'a>, String> {
        if let Some(rest) =
            uri.get(..5).filter(|s| s.eq_ignore_ascii_case("data:")).map(|_| &uri[5..])
        {
            return Ok(Fetched { bytes: decode_data(rest)?, backslashes: false, file: None });
        }
        if let Some(scheme) = scheme(uri) {
            let scheme = quoted(scheme);
            return Err(format!(
                "scheme {scheme} is not allowed: only files in the model's folder are read"
            ));
        }
        let name = percent_decode_str(uri)
            .decode_utf8()
            .map_err(|_| format!("uri {} is not UTF-8", quoted(uri)))?;
        let folder = self.path.as_deref().ok_or_else(|| {
            format!("uri {} is not allowed: the model is not in a folder", quoted(&name))
        })?;
        let (mut file, backslashes) = match open_inside(folder, &name, self.progress) {
            Err(_) if name.contains('\\') => {
                let slashes = name.replace('\\', "/");
                (open_inside(folder, &slashes, self.progress)?, true)
            }
            file => (file?, false),
        };
        Ok(Fetched { bytes: file.read(most)?, backslashes, file: Some(file) })
    }

    /// Returns the path of a file inside the folder that differs from a path in capitals only; `None` if there is none, or
    /// the path or a link leads out of the folder.
    #[cfg(feature = "fbx")]
    pub fn in_other_case(&self, path: &str) -> Option<String> {
        let folder = self.path.as_deref()?;
        let mut at = folder.to_owned();
        let mut found = Vec::new();
        for part in path.split('/') {
            let inside = at.canonicalize().ok().filter(|at| at.starts_with(folder))?;
            let entries = inside.read_dir().ok()?.take(ENTRIES).flatten();
            let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
            let alike = names.filter(|name| name.to_lowercase() == part.to_lowercase());
            // The part itself comes first, and otherwise one that does not depend on the order of the folder.
            let name = alike.min_by_key(|name| (name != part, name.clone()))?;
            at.push(&name);
            found.push(name);
        }
        Some(found.join("/"))
    }
}

/// Entries of a folder that are looked at, at most.
#[cfg(feature = "fbx")]
const ENTRIES: usize = 2000;

/// Opens a file inside a folder. Neither `..` nor links may lead out of it.
fn open_inside<'a>(
    folder: &Path,
    name: &str,
    progress: &'a Progress,
) -> Result<file::OpenFile<'a>, String> {
    let shown = quoted(name);
    if name.is_empty() {
        return Err("the uri is empty".into());
    }
    if name.contains('\0') {
        return Err(format!("uri {shown} contains a NUL"));
    }
    let relative = Path::new(name);
    if !relative.components().all(|c| !matches!(c, Component::RootDir | Component::Prefix(_))) {
        return Err(format!("uri {shown} is an absolute path, which is not allowed"));
    }
    if leaves(relative) {
        return Err(format!("uri {shown} leads outside the model's folder"));
    }
    // Resolves links first, and opens the resolved path: the one that was checked.
    let named = folder.join(relative);
    let path = named.canonicalize().map_err(|e| {
        // Records the missing file, so that a reload is triggered when it appears.
        progress.note(&named, None);
        format!("file {shown}: {}", file::in_words(&e))
    })?;
    if !path.starts_with(folder) {
        return Err(format!("file {shown} is a link that leads outside the model's folder"));
    }
    file::open(&path, progress).map_err(|e| format!("file {shown}: {e}"))
}

/// Whether `..` in a path leads above its start.
fn leaves(path: &Path) -> bool {
    let mut depth = 0i64;
    path.components().any(|component| {
        match component {
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            _ => {}
        }
        depth < 0
    })
}

/// Returns the scheme of a URI. A drive letter counts as one.
fn scheme(uri: &str) -> Option<&str> {
    let (scheme, _) = uri.split_once(':')?;
    let mut bytes = scheme.bytes();
    let first = bytes.next()?.is_ascii_alphabetic();
    let rest = bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    (first && rest).then_some(scheme)
}

/// Decodes a data URI, given without its `data:`.
fn decode_data(rest: &str) -> Result<Vec<u8>, String> {
    let (media, payload) =
        rest.split_once(',').ok_or("the data URI has no comma before its payload")?;
    let payload = payload.as_bytes();
    if !media.trim_end().to_ascii_lowercase().ends_with(";base64") {
        return Ok(percent_decode(payload).collect());
    }
    let decoded = if payload.contains(&b'%') {
        BASE64.decode(percent_decode(payload).collect::<Vec<u8>>())
    } else {
        BASE64.decode(payload)
    };
    decoded.map_err(|e| format!("the data URI is not base64: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetch(uri: &str) -> Result<Vec<u8>, String> {
        Folder::none(&Progress::default()).fetch(uri, u64::MAX).map(|f| f.bytes)
    }

    #[test]
    fn data_uris_are_base64_or_percent_encoded() {
        assert_eq!(fetch("data:application/octet-stream;base64,AAEC").unwrap(), [0, 1, 2]);
        assert_eq!(fetch("data:;base64,AAE").unwrap(), [0, 1]);
        assert_eq!(fetch("data:application/octet-stream,%00%01a").unwrap(), [0, 1, b'a']);
        for bad in ["data:;base64,A*==", "data:;base64", "data:;base64,AAEC%ff"] {
            assert!(fetch(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_files_below_the_folder_are_opened() {
        let outer = tempfile::tempdir().unwrap();
        std::fs::write(outer.path().join("secret"), "secret").unwrap();
        let inner = outer.path().join("in ner");
        std::fs::create_dir_all(inner.join("sub")).unwrap();
        std::fs::write(inner.join("sub/a b"), "hello").unwrap();
        let progress = Progress::default();
        let folder = Folder::of(&inner.join("model.gltf"), &progress);
        let read = |uri: &str| folder.fetch(uri, 4).map(|f| f.bytes);
        for good in ["sub/a b", "sub/a%20b", "./sub/../sub/a b", "sub\\a%20b"] {
            assert_eq!(read(good).unwrap(), b"hell", "{good}");
        }
        let absolute = inner.join("sub/a b").display().to_string();
        for bad in [
            "../secret",
            "%2e%2e/secret",
            "sub/../../secret",
            "..\\secret",
            "../in ner/sub/a b",
            &absolute,
            "file:sub/a b",
            "http://127.0.0.1/x",
            "C:\\x",
            "",
            ".",
            "sub",
            "sub%00/a b",
            "none",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn names_that_differ_in_capitals_are_found_inside_only() {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("inner");
        std::fs::create_dir_all(inner.join("Textures")).unwrap();
        for file in ["Textures/BASE.png", "Textures/base.png", "a.PNG"] {
            std::fs::write(inner.join(file), "").unwrap();
        }
        std::fs::write(outer.path().join("secret.png"), "").unwrap();
        std::os::unix::fs::symlink("..", inner.join("up")).unwrap();
        let progress = Progress::default();
        let folder = Folder::of(&inner.join("model.fbx"), &progress);
        for (path, found) in [
            ("A.png", Some("a.PNG")),
            ("textures/base.png", Some("Textures/base.png")),
            ("TEXTURES/Base.png", Some("Textures/BASE.png")),
            ("b.png", None),
            ("../SECRET.png", None),
            ("up/SECRET.png", None),
        ] {
            assert_eq!(folder.in_other_case(path).as_deref(), found, "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_inside_only() {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(outer.path().join("secret"), "secret").unwrap();
        std::fs::write(inner.join("data"), "data").unwrap();
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, inner.join(name)).unwrap();
        link("../secret", "out");
        link("data", "in");
        link("loop", "loop");
        let progress = Progress::default();
        let folder = Folder::of(&inner.join("model.gltf"), &progress);
        assert_eq!(folder.fetch("in", 9).unwrap().bytes, b"data");
        assert!(folder.fetch("out", 9).err().unwrap().contains("outside"));
        assert!(folder.fetch("loop", 9).is_err());
    }
}
