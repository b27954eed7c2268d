//! One window for all files: a second start of the program hands its files to the window that is already open.
//!
//! The first window of a display listens on a Unix socket in XDG_RUNTIME_DIR, which only the user can reach. A
//! lock on a file beside it tells whether that window still runs; the system releases the lock when it ends. A message is the
//! absolute paths of the files, each followed by a NUL; the answer is `ok`.

use std::path::PathBuf;

#[cfg(unix)]
pub(super) use socket::listen;

/// Hands files to the open window of this display, which opens them and asks for the focus. Returns `false` if there
/// is no such window, or the system has no means for this.
pub fn hand_over(files: &[PathBuf]) -> bool {
    #[cfg(unix)]
    return socket::hand_over(files).unwrap_or_else(|error| {
        log::debug!("no open window: {error}");
        false
    });
    #[cfg(not(unix))]
    {
        let _ = files;
        log::warn!("--reuse is not available on this system; a new window opens");
        false
    }
}

#[cfg(unix)]
mod socket {
    use std::fs::{self, File};
    use std::io::{self, Read, Write};
    use std::net::Shutdown;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use crate::workers::Reporter;
    use rigview_shell::Report;

    /// How long one side waits for the other.
    const PATIENCE: Duration = Duration::from_secs(3);

    /// Bytes of a message, at most.
    const MOST_BYTES: u64 = 1 << 20;

    const OK: &[u8] = b"ok";

    pub(super) fn hand_over(files: &[PathBuf]) -> io::Result<bool> {
        let Some(place) = socket_path() else { return Ok(false) };
        let mut window = UnixStream::connect(place.with_extension("socket"))?;
        window.set_read_timeout(Some(PATIENCE))?;
        window.set_write_timeout(Some(PATIENCE))?;
        let mut message = Vec::new();
        for file in files {
            message.extend_from_slice(std::path::absolute(file)?.as_os_str().as_bytes());
            message.push(0);
        }
        window.write_all(&message)?;
        window.shutdown(Shutdown::Write)?;
        let mut answer = Vec::new();
        window.take(OK.len() as u64).read_to_end(&mut answer)?;
        Ok(answer == OK)
    }

    /// Takes the files of later starts, until the returned value is dropped. `None` if another window does already, or
    /// there is no place for the socket.
    pub fn listen(reporter: Reporter) -> Option<Listening> {
        let place = socket_path()?;
        let started = start(&place, reporter);
        started.inspect_err(|error| log::debug!("{}: {error}", place.display())).ok().flatten()
    }

    fn start(place: &Path, reporter: Reporter) -> io::Result<Option<Listening>> {
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(place.with_extension("lock"))?;
        if lock.try_lock().is_err() {
            return Ok(None);
        }
        let path = place.with_extension("socket");
        let _ = fs::remove_file(&path);
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        std::thread::Builder::new().name("reuse".into()).spawn(move || {
            for start in listener.incoming().flatten() {
                if let Err(error) = take(start, &reporter) {
                    log::debug!("files of another start are lost: {error}");
                }
            }
        })?;
        Ok(Some(Listening { path, _lock: lock }))
    }

    fn take(mut start: UnixStream, reporter: &Reporter) -> io::Result<()> {
        start.set_read_timeout(Some(PATIENCE))?;
        start.set_write_timeout(Some(PATIENCE))?;
        let mut message = Vec::new();
        (&start).take(MOST_BYTES).read_to_end(&mut message)?;
        if message.last().is_some_and(|byte| *byte != 0) {
            return Err(io::Error::other("the message is cut off"));
        }
        let paths = message.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        let files = paths.map(|path| std::ffi::OsString::from_vec(path.to_vec()).into()).collect();
        if !reporter.report(Report::HandedOver(files)) {
            return Err(io::Error::other("the window has been closed"));
        }
        start.write_all(OK)
    }

    /// A listening window. Dropping it removes the socket.
    pub struct Listening {
        path: PathBuf,
        _lock: File,
    }

    impl Drop for Listening {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.path);
        }
    }

    /// Returns the path of the socket without its extension. `None` if there is no folder that only the user can
    /// reach.
    fn socket_path() -> Option<PathBuf> {
        let folder = PathBuf::from(std::env::var_os("XDG_RUNTIME_DIR")?);
        let metadata = fs::metadata(&folder).ok()?;
        // SAFETY: the call has no preconditions.
        let user = unsafe { libc::geteuid() };
        let is_private = metadata.uid() == user && metadata.mode() & 0o077 == 0;
        if !folder.is_absolute() || !is_private {
            return None;
        }
        let display = ["WAYLAND_DISPLAY", "DISPLAY"].into_iter().find_map(std::env::var_os);
        let display = display.unwrap_or_default().to_string_lossy().into_owned();
        let display: String =
            display.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        Some(folder.join(format!("rigview-{display}")))
    }
}
