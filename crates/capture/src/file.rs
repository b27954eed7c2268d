//! Writes files completely or not at all.
//!
//! On Linux, a file has no name until it is complete, so a killed program leaves nothing behind.
//! Elsewhere, and on file systems without that feature, it has a temporary name in the same folder, and is
//! removed on errors.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// Prefix of temporary file names; six random letters or digits follow.
const PREFIX: &str = ".rigview-";

/// Limit of chained symbolic links, the same as the kernel's.
const MOST_LINKS: usize = 40;

/// Writes a file, and moves it into place when it is complete. Follows symbolic links. Writes devices
/// and FIFOs directly.
///
/// # Errors
/// If the folder does not exist or is not writable, or `write` fails. An existing file is then
/// unchanged, and no new one is created.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    CompleteFile::write(path, write)?.commit()
}

/// Whether two paths lead to the same regular file.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    FileId::at(a).is_some_and(|a| FileId::at(b) == Some(a))
}

/// Identifies a regular file, whatever path leads to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileId(
    /// Device and inode.
    #[cfg(unix)]
    (u64, u64),
    #[cfg(not(unix))] PathBuf,
);

impl FileId {
    /// Returns the identity of the file at a path; `None` if no regular file is there.
    pub fn at(path: &Path) -> Option<Self> {
        let file = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(Self((file.dev(), file.ino())))
        }
        #[cfg(not(unix))]
        {
            let _ = file;
            path.canonicalize().ok().map(Self)
        }
    }
}

/// Whether two paths lead to the same folder.
pub fn is_same_folder(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// A completely written file that is not in place yet. Several can be completed before the first one is
/// moved into place.
#[derive(Debug)]
pub struct CompleteFile {
    place: PathBuf,
    bytes: Bytes,
}

/// Where the bytes of a complete file are stored.
#[derive(Debug)]
enum Bytes {
    /// Already in a device or FIFO.
    InPlace,
    /// In a file without a name.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    /// In a file with a temporary name.
    Named(NamedTempFile),
}

impl CompleteFile {
    /// Writes all bytes to a file that is not in place yet.
    ///
    /// # Errors
    /// As [`write_whole`].
    pub fn write(
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Self> {
        let place = match ResolvedPath::resolve(path)? {
            ResolvedPath::InPlace(mut file) => {
                let mut out = BufWriter::new(&mut file);
                write(&mut out).and_then(|()| out.flush())?;
                return Ok(Self { place: path.to_owned(), bytes: Bytes::InPlace });
            }
            ResolvedPath::File(place) => place,
        };
        let mut bytes = Bytes::new_in(folder_of(&place))?;
        if let Some(file) = bytes.file() {
            let mut out = BufWriter::new(&mut *file);
            write(&mut out).and_then(|()| out.flush())?;
            drop(out);
            if let Ok(before) = fs::metadata(&place) {
                // Keep the permissions of the replaced file if possible.
                let _ = file.set_permissions(before.permissions());
            }
        }
        Ok(Self { place, bytes })
    }

    /// Moves the file into place.
    ///
    /// # Errors
    /// If the system refuses; an existing file is then unchanged.
    pub fn commit(self) -> io::Result<()> {
        match self.bytes {
            Bytes::InPlace => Ok(()),
            #[cfg(target_os = "linux")]
            Bytes::Unnamed(file) => put_unnamed(file, &self.place),
            Bytes::Named(file) => file.persist(&self.place).map(|_| ()).map_err(|e| e.error),
        }
    }
}

impl Bytes {
    fn new_in(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Ok(file) = unnamed_in(folder) {
            return Ok(Bytes::Unnamed(file));
        }
        named_in(folder).map(Bytes::Named)
    }

    fn file(&mut self) -> Option<&mut File> {
        match self {
            Bytes::InPlace => None,
            #[cfg(target_os = "linux")]
            Bytes::Unnamed(file) => Some(file),
            Bytes::Named(file) => Some(file.as_file_mut()),
        }
    }
}

/// The target of a path, with symbolic links followed.
enum ResolvedPath {
    /// A device, FIFO or open descriptor, which is written directly.
    InPlace(File),
    /// A regular file, or a path that does not exist yet.
    File(PathBuf),
}

impl ResolvedPath {
    fn resolve(path: &Path) -> io::Result<Self> {
        let write_only = || File::options().write(true).open(path);
        if is_descriptor(path) {
            return Ok(ResolvedPath::InPlace(write_only()?));
        }
        match fs::metadata(path) {
            Ok(there) if there.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(there) if there.is_file() => {
                // Do not replace a file that is write-protected.
                write_only()?;
                Ok(ResolvedPath::File(fs::canonicalize(path)?))
            }
            Ok(_) => Ok(ResolvedPath::InPlace(write_only()?)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => followed(path).map(ResolvedPath::File),
            Err(e) => Err(e),
        }
    }
}

/// Whether a path names a descriptor of this process, such as `/dev/stdout`. Its file may have no name
/// any more.
fn is_descriptor(path: &Path) -> bool {
    let names = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd"];
    cfg!(unix) && names.iter().any(|name| path.starts_with(name))
}

/// Follows symbolic links whose last target does not exist.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = folder_of(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Creates a file without a name; it is deleted on close unless it gets one.
#[cfg(target_os = "linux")]
fn unnamed_in(folder: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // The umask applies, as for any new file.
    let mut options = File::options();
    options.read(true).write(true).mode(0o666).custom_flags(libc::O_TMPFILE);
    options.open(folder)
}

/// Gives an unnamed file its name. If a file of that name exists, the new one first gets a temporary
/// name, because no system call links over an existing file.
#[cfg(target_os = "linux")]
fn put_unnamed(mut file: File, place: &Path) -> io::Result<()> {
    use std::io::Seek;
    match link(&file, place) {
        Ok(()) => return Ok(()),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            let linked = temporary().make_in(folder_of(place), |path| link(&file, path));
            if let Ok(named) = linked {
                return named.persist(place).map(|_| ()).map_err(|e| e.error);
            }
        }
        Err(_) => {}
    }
    // Without /proc, or if the file system can't link, copy the bytes to a named file.
    let mut named = named_in(folder_of(place))?;
    file.rewind()?;
    io::copy(&mut file, named.as_file_mut())?;
    let _ = named.as_file().set_permissions(file.metadata()?.permissions());
    named.persist(place).map(|_| ()).map_err(|e| e.error)
}

/// Links an open file to a name.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    use std::os::unix::ffi::OsStrExt;
    let from = std::ffi::CString::new(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    let to = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    let (here, flags) = (libc::AT_FDCWD, libc::AT_SYMLINK_FOLLOW);
    // SAFETY: both names are zero-terminated and live until the call returns.
    match unsafe { libc::linkat(here, from.as_ptr(), here, to.as_ptr(), flags) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Creates a file with a temporary name and the permissions of any new file.
fn named_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    temporary().make_in(folder, |path| options.open(path))
}

/// Returns what creates something under an unused temporary name.
fn temporary() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).rand_bytes(6);
    builder
}
