//! The file that keeps compiled pipelines. A missing or corrupt file is ignored, and so is a folder that is not writable.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Returns the path of the file of a key in the user's cache folder, if there is one.
pub fn path(key: &str) -> Option<PathBuf> {
    Some(cache_folder()?.join("rigview").join(key))
}

/// Returns the user's cache folder, if there is one.
fn cache_folder() -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        Some(absolute("HOME")?.join("Library/Caches"))
    } else {
        // XDG Base Directory Specification.
        absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))
    }
}

/// Returns the contents of a file after its checksum; `None` if the checksum is wrong.
pub fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = fs::read(path).ok()?;
    let data = bytes.split_off(bytes.len().min(SUM));
    let whole = bytes == sum(&data);
    if !whole {
        log::debug!("{}: wrong checksum; ignored", path.display());
    }
    whole.then_some(data)
}

/// Writes a temporary file in the same folder and renames it when it is complete.
pub fn write(path: &Path, data: &[u8]) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&sum(data))?;
    file.write_all(data)?;
    file.persist(path)?;
    Ok(())
}

/// Bytes of the checksum.
const SUM: usize = 8;

/// Returns a checksum. Drivers may crash on corrupt data.
fn sum(data: &[u8]) -> [u8; SUM] {
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    hasher.finish().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_intact_file_is_read_and_a_corrupt_one_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep").join("file");
        assert_eq!(read(&path), None);
        write(&path, b"compiled").unwrap();
        assert_eq!(read(&path).as_deref(), Some(&b"compiled"[..]));
        let mut bytes = fs::read(&path).unwrap();
        for (at, length) in [(0, 16), (12, 16), (0, 0), (3, 9)] {
            bytes[at] ^= 1;
            fs::write(&path, &bytes[..length]).unwrap();
            assert_eq!(read(&path), None, "byte {at}, {length} bytes");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_created_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(write(&file.path().join("below"), b"compiled").is_err());
    }
}
