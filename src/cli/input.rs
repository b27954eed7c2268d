//! Model files that commands read: a path, or `-` for standard input.

use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use rigview_import::{
    ImageDecoding, ImportError, ImportOptions, Loaded, Progress, load_bytes_with_progress,
    load_with_progress, read_file, read_stream,
};

const STANDARD_INPUT: &str = "-";

pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT)
}

/// Returns all bytes of standard input, which is read once.
pub fn standard_input() -> Result<&'static [u8], ImportError> {
    static BYTES: OnceLock<Result<Vec<u8>, ImportError>> = OnceLock::new();
    let bytes = BYTES.get_or_init(|| read_stream(&mut std::io::stdin().lock()));
    bytes.as_deref().map_err(ImportError::clone)
}

/// Reads the bytes of a file of any kind, or of standard input for `-`: at most this many.
pub fn input_bytes(path: &Path, most: u64) -> Result<Vec<u8>, ImportError> {
    if !is_standard_input(path) {
        return read_file(path, most);
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes);
    if read.map_err(|error| ImportError::io(error.to_string()))? as u64 > most {
        Err(ImportError::io(format!("it has too many bytes: at most {most} are read")))
    } else {
        Ok(bytes)
    }
}

/// Returns options of the import: how pictures are read, and the metres per unit of BVH files.
pub fn import_options(images: ImageDecoding, bvh_scale: Option<f32>) -> ImportOptions<'static> {
    ImportOptions { images, bvh_scale, ..ImportOptions::default() }
}

/// Loads a file, or standard input for `-`, which must be self-contained.
pub fn load_input(
    path: &Path,
    options: &ImportOptions,
    progress: &Progress,
) -> Result<Loaded, ImportError> {
    if is_standard_input(path) {
        load_bytes_with_progress(standard_input()?.to_vec(), options, progress)
    } else {
        load_with_progress(path, options, progress)
    }
}

/// Reads a whole file, or standard input for `-`, of at most `most` bytes.
pub fn read_input(path: &Path, most: u64) -> Result<Vec<u8>, ImportError> {
    if !is_standard_input(path) {
        return read_file(path, most);
    }
    let bytes = standard_input()?;
    match bytes.len() as u64 > most {
        true => Err(ImportError::other(format!(
            "it has {} bytes, which is too many: at most {most} are read",
            bytes.len()
        ))),
        false => Ok(bytes.to_vec()),
    }
}
