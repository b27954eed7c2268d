//! Stores compiled pipelines on disk for later runs, if the driver provides them. A missing or corrupt file,
//! or one of another driver, is ignored, and so is a folder that is not writable.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The pipeline cache of a device, and a count of the pipelines built.
#[derive(Debug)]
pub struct PipelineCache {
    cache: Option<wgpu::PipelineCache>,
    path: Option<PathBuf>,
    /// Bytes in the file.
    stored: AtomicUsize,
    built: AtomicUsize,
}

impl PipelineCache {
    /// Opens the cache of a device and fills it from the file of its adapter.
    pub fn open(adapter: &wgpu::AdapterInfo, device: &wgpu::Device) -> Self {
        let key = wgpu::util::pipeline_cache_key(adapter)
            .filter(|_| device.features().contains(wgpu::Features::PIPELINE_CACHE));
        let path = key.and_then(|key| Some(cache_folder()?.join("rigview").join(key)));
        let data = path.as_deref().and_then(read);
        let stored = data.as_ref().map_or(0, Vec::len);
        let cache = path.is_some().then(|| {
            // SAFETY: the data was returned by `get_data` for an adapter with the same key; the checksum
            // detects a file that was changed since.
            unsafe {
                device.create_pipeline_cache(&wgpu::PipelineCacheDescriptor {
                    label: Some("pipeline cache"),
                    data: data.as_deref(),
                    fallback: true,
                })
            }
        });
        Self { cache, path, stored: AtomicUsize::new(stored), built: AtomicUsize::new(0) }
    }

    /// Builds a pipeline, using the cache.
    pub fn build(
        &self,
        device: &wgpu::Device,
        descriptor: &wgpu::RenderPipelineDescriptor<'_>,
    ) -> wgpu::RenderPipeline {
        self.built.fetch_add(1, Ordering::Relaxed);
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            cache: self.cache.as_ref(),
            ..descriptor.clone()
        })
    }

    /// Number of pipelines built so far.
    pub fn built(&self) -> usize {
        self.built.load(Ordering::Relaxed)
    }

    /// Writes the file, unless its size shows that nothing was added.
    pub fn keep(&self) {
        let data = self.cache.as_ref().and_then(wgpu::PipelineCache::get_data);
        let (Some(path), Some(data)) = (&self.path, data) else { return };
        if self.stored.swap(data.len(), Ordering::Relaxed) == data.len() {
            return;
        }
        match write(path, &data) {
            Ok(()) => log::debug!("{}: stored {} bytes of pipelines", path.display(), data.len()),
            Err(error) => log::debug!("{}: pipelines are not stored: {error}", path.display()),
        }
    }
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
fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = fs::read(path).ok()?;
    let data = bytes.split_off(bytes.len().min(SUM));
    let whole = bytes == sum(&data);
    if !whole {
        log::debug!("{}: wrong checksum; ignored", path.display());
    }
    whole.then_some(data)
}

/// Writes a temporary file in the same folder and renames it when it is complete.
fn write(path: &Path, data: &[u8]) -> io::Result<()> {
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
