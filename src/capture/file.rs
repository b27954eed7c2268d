//! Files that are there whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a file beside its place and puts it there when it is complete.
///
/// # Errors
/// When the folder is not there or can't be written to, or `write` fails; then there is no file.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if path.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rigview-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: the process's mask takes away what is to be taken away.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    let mut out = BufWriter::new(file.as_file_mut());
    write(&mut out).and_then(|()| out.flush())?;
    drop(out);
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}
