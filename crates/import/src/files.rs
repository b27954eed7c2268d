//! Where files come from: [`Files`] opens a file and the ones that it names, on disk or in memory. Nothing else of the
//! importer uses the file system.
//!
//! Files on disk are not trusted: only regular ones inside the model's folder are opened, nothing blocks, and no more is
//! read than asked for. URIs with a scheme other than `data:` are refused.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::{percent_decode, percent_decode_str};

use super::fault::ImportError;
use super::guard::reserve;
use super::progress::Progress;
use rigview_model::quoted;

/// Bytes read between two checks for cancellation.
const STEP: u64 = 8 << 20;

/// Base64 with optional padding, which some exporters omit.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A file to be loaded, and where the files are that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Files {
    /// A file on disk. The files that it names lie in its folder.
    Disk(PathBuf),
    /// A file in memory, for programs without a file system.
    Memory {
        /// Its name, which tells the format where the contents do not.
        name: Option<PathBuf>,
        /// Its contents.
        bytes: Vec<u8>,
        /// Other files by their paths relative to this one, with slashes, such as `textures/skin.png`.
        beside: BTreeMap<String, Vec<u8>>,
    },
}

impl Files {
    /// Returns a self-contained file in memory.
    pub fn bytes(bytes: Vec<u8>) -> Self {
        Self::Memory { name: None, bytes, beside: BTreeMap::new() }
    }

    /// Returns the name of the file, if it is known.
    pub(super) fn name(&self) -> Option<&Path> {
        match self {
            Self::Disk(path) => Some(path),
            Self::Memory { name, .. } => name.as_deref(),
        }
    }

    /// Opens the file.
    ///
    /// # Errors
    /// The reason in words.
    pub(super) fn open<'a>(&'a self, progress: &'a Progress) -> Result<OpenFile<'a>, String> {
        match self {
            Self::Disk(path) => open(path, progress),
            Self::Memory { bytes, .. } => Ok(OpenFile::in_memory(bytes, progress)),
        }
    }

    /// Returns the files that it may name.
    pub(super) fn beside<'a>(&'a self, progress: &'a Progress) -> Folder<'a> {
        let place = match self {
            Self::Memory { beside, .. } if beside.is_empty() => FolderPlace::Nowhere,
            Self::Memory { beside, .. } => FolderPlace::Memory(beside),
            Self::Disk(path) => match path.parent() {
                // An empty parent is the working directory.
                Some(parent) if parent.as_os_str().is_empty() => Some(Path::new(".")),
                parent => parent,
            }
            .and_then(|parent| parent.canonicalize().ok())
            .map_or(FolderPlace::Nowhere, FolderPlace::Disk),
        };
        Folder { place, progress }
    }
}

/// The folder that relative URIs are resolved in, and the progress to report to.
#[derive(Clone, Debug)]
pub(super) struct Folder<'a> {
    place: FolderPlace<'a>,
    /// The progress of the import.
    pub progress: &'a Progress,
}

#[derive(Clone, Debug)]
enum FolderPlace<'a> {
    /// There are no files but the one that is loaded.
    Nowhere,
    /// A folder with links resolved.
    Disk(PathBuf),
    /// Files in memory by their relative paths.
    Memory(&'a BTreeMap<String, Vec<u8>>),
}

/// The content of a URI.
pub(super) struct Fetched<'a> {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether backslashes were read as slashes.
    pub backslashes: bool,
    /// The file, from which the bytes after these can be read; `None` for a data URI.
    pub file: Option<OpenFile<'a>>,
}

impl<'a> Folder<'a> {
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
        let (mut file, backslashes) = match self.open(&name) {
            Err(_) if name.contains('\\') => (self.open(&name.replace('\\', "/"))?, true),
            file => (file?, false),
        };
        Ok(Fetched { bytes: file.read(most)?, backslashes, file: Some(file) })
    }

    /// Opens a file inside the folder. Neither `..` nor links may lead out of it.
    fn open(&self, name: &str) -> Result<OpenFile<'a>, String> {
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
        match &self.place {
            FolderPlace::Nowhere => {
                Err(format!("uri {shown} is not allowed: the model is not in a folder"))
            }
            FolderPlace::Memory(files) => match files.get(&plain_path(name)) {
                Some(bytes) => Ok(OpenFile::in_memory(bytes, self.progress)),
                None => Err(format!("file {shown}: not found")),
            },
            FolderPlace::Disk(folder) => {
                // Resolves links first, and opens the resolved path: the one that was checked.
                let named = folder.join(relative);
                let path = named.canonicalize().map_err(|e| {
                    // Records the missing file, so that a reload is triggered when it appears.
                    self.progress.note(ReadFile { path: named, metadata: None });
                    format!("file {shown}: {}", in_words(&e))
                })?;
                if !path.starts_with(folder) {
                    return Err(format!(
                        "file {shown} is a link that leads outside the model's folder"
                    ));
                }
                open(&path, self.progress).map_err(|e| format!("file {shown}: {e}"))
            }
        }
    }

    /// Returns the path of a file inside the folder that differs from a path in capitals only; `None` if there is none, or
    /// the path or a link leads out of the folder.
    #[cfg(feature = "fbx")]
    pub fn in_other_case(&self, path: &str) -> Option<String> {
        /// Entries of a folder that are looked at, at most.
        const ENTRIES: usize = 2000;
        let folder = match &self.place {
            FolderPlace::Nowhere => return None,
            FolderPlace::Memory(files) => {
                let alike = files.keys().filter(|key| key.to_lowercase() == path.to_lowercase());
                return alike.min_by_key(|key| (*key != path, *key)).cloned();
            }
            FolderPlace::Disk(folder) => folder,
        };
        let mut at = folder.clone();
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

/// Returns a relative path without `.` and `..`, as files in memory are named. It must not lead above its start.
fn plain_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts.join("/")
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

/// Reads a whole regular file of at most `most` bytes.
///
/// # Errors
/// When it is not a regular file, is larger, or can't be read.
pub fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, ImportError> {
    let wrong = |what: String| ImportError::io(what);
    let progress = Progress::default();
    let mut file = open(path, &progress).map_err(wrong)?;
    if file.len > most {
        return Err(wrong(format!(
            "it has {} bytes, which is too many: at most {most} are read",
            file.len
        )));
    }
    file.read(most).map_err(wrong)
}

/// An open regular file, or one in memory.
pub(super) struct OpenFile<'a> {
    content: Content<'a>,
    progress: &'a Progress,
    /// Its length in bytes.
    pub len: u64,
}

/// What is left to be read of a file.
enum Content<'a> {
    Disk(File),
    Memory(&'a [u8]),
}

/// Opens a regular file without blocking, and records it in the progress.
///
/// # Errors
/// The reason in words.
pub(super) fn open<'a>(path: &Path, progress: &'a Progress) -> Result<OpenFile<'a>, String> {
    let mut options = File::options();
    options.read(true);
    // Opening a FIFO without a writer would block.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path).map_err(|e| {
        progress.note(ReadFile { path: path.to_owned(), metadata: None });
        in_words(&e)
    })?;
    // Checks the opened file, not the path, which may name another file by now.
    let metadata = file.metadata().map_err(|e| in_words(&e))?;
    let (kind, len) = (metadata.file_type(), metadata.len());
    progress.note(ReadFile { path: path.to_owned(), metadata: Some(metadata) });
    match kind {
        t if t.is_dir() => Err("it is a folder, not a regular file".into()),
        t if !t.is_file() => Err("not a regular file (a pipe, socket or device)".into()),
        _ => Ok(OpenFile { content: Content::Disk(file), progress, len }),
    }
}

impl<'a> OpenFile<'a> {
    /// Returns a file in memory.
    fn in_memory(bytes: &'a [u8], progress: &'a Progress) -> Self {
        Self { content: Content::Memory(bytes), progress, len: bytes.len() as u64 }
    }

    /// Reads the next `most` bytes, or fewer if the file ends.
    ///
    /// # Errors
    /// When reading fails, memory is short, or the load was cancelled.
    pub fn read(&mut self, most: u64) -> Result<Vec<u8>, String> {
        let there = usize::try_from(most.min(self.len)).map_err(|_| "it is too large")?;
        let mut bytes = Vec::new();
        reserve(&mut bytes, there).map_err(|_| format!("no memory for {there} bytes"))?;
        self.read_onto(&mut bytes, most)?;
        Ok(bytes)
    }

    /// Appends to `bytes` until it is `end` long or the file ends.
    ///
    /// # Errors
    /// Like [`OpenFile::read`].
    pub fn read_onto(&mut self, bytes: &mut Vec<u8>, end: u64) -> Result<(), String> {
        let missing = end.min(self.len).saturating_sub(bytes.len() as u64);
        let missing_here = usize::try_from(missing).map_err(|_| "it is too large")?;
        reserve(bytes, missing_here).map_err(|_| format!("no memory for {end} bytes"))?;
        self.progress.will_read(missing);
        let mut left = missing;
        while left > 0 {
            self.progress.check().map_err(|e| e.message())?;
            let step = left.min(STEP);
            let read = match &mut self.content {
                Content::Disk(file) => file.by_ref().take(step).read_to_end(bytes),
                Content::Memory(rest) => rest.take(step).read_to_end(bytes),
            };
            let read = read.map_err(|e| in_words(&e))? as u64;
            self.progress.has_read(if read < step { left } else { step });
            left = if read < step { 0 } else { left - step };
        }
        Ok(())
    }
}

/// Returns a system error in words, without its number where possible.
pub(super) fn in_words(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "not found".into(),
        ErrorKind::PermissionDenied => "no permission to read it".into(),
        _ => error.to_string(),
    }
}

/// The state of a file at the time when an import opened it or found it missing.
#[derive(Clone, Debug)]
pub struct ReadFile {
    /// The path.
    pub path: PathBuf,
    /// The file's metadata; `None` if it did not exist.
    metadata: Option<Metadata>,
}

impl ReadFile {
    /// Reads the current state of a file.
    pub fn now(path: &Path) -> Self {
        Self { path: path.to_owned(), metadata: std::fs::metadata(path).ok() }
    }

    /// Whether the file existed.
    pub fn is_there(&self) -> bool {
        self.metadata.is_some()
    }
}

/// Two states are equal if the file was neither replaced nor written to in between, judging by its
/// length and modification time.
impl PartialEq for ReadFile {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.metadata, &other.metadata) {
            (None, None) => true,
            (Some(a), Some(b)) => {
                (a.len(), a.modified().ok()) == (b.len(), b.modified().ok()) && same_file(a, b)
            }
            _ => false,
        };
        same && self.path == other.path
    }
}

/// Compares the inodes: a file renamed over another may have the same length and time.
#[cfg(unix)]
fn same_file(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn same_file(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetch(uri: &str) -> Result<Vec<u8>, String> {
        let progress = Progress::default();
        Files::bytes(Vec::new()).beside(&progress).fetch(uri, u64::MAX).map(|f| f.bytes)
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
        let files = Files::Disk(inner.join("model.gltf"));
        let folder = files.beside(&progress);
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
    #[cfg(feature = "fbx")]
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
        let files = Files::Disk(inner.join("model.fbx"));
        let folder = files.beside(&progress);
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
        let files = Files::Disk(inner.join("model.gltf"));
        let folder = files.beside(&progress);
        assert_eq!(folder.fetch("in", 9).unwrap().bytes, b"data");
        assert!(folder.fetch("out", 9).err().unwrap().contains("outside"));
        assert!(folder.fetch("loop", 9).is_err());
    }

    #[test]
    fn a_file_that_was_written_or_deleted_is_unequal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let gone = ReadFile::now(&path);
        std::fs::write(&path, "one").unwrap();
        let first = ReadFile::now(&path);
        assert!(first == ReadFile::now(&path) && gone == gone.clone());
        assert!(first != gone && !gone.is_there());
        std::fs::write(&path, "longer").unwrap();
        assert!(first != ReadFile::now(&path));
    }

    #[test]
    fn files_in_memory_are_found_by_their_relative_paths() {
        let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
        let beside = BTreeMap::from([file("a b.bin", "hello"), file("sub/c.png", "x")]);
        let files = Files::Memory { name: None, bytes: Vec::new(), beside };
        let progress = Progress::default();
        let folder = files.beside(&progress);
        let read = |uri: &str| folder.fetch(uri, 4).map(|f| f.bytes);
        for good in ["a%20b.bin", "./a b.bin", "sub/../a b.bin"] {
            assert_eq!(read(good).unwrap(), b"hell", "{good}");
        }
        assert_eq!(read("sub\\c.png").unwrap(), b"x");
        let mut opened = folder.fetch("a b.bin", 2).unwrap().file.unwrap();
        assert_eq!(opened.read(9).unwrap(), b"llo");
        for bad in ["none", "../a b.bin", "/a b.bin", "http://127.0.0.1/x", ""] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
