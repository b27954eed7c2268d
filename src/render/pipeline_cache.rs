//! The pipelines that drivers have compiled, kept on disk for the next start where the adapter can give
//! them out. A file that is missing, broken or another driver's is as good as none, and a folder that
//! can't be written to is no fault.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The device's cache, and how many pipelines were built.
#[derive(Debug)]
pub struct PipelineCache {
    cache: Option<wgpu::PipelineCache>,
    path: Option<PathBuf>,
    /// What the file holds.
    stored: AtomicUsize,
    built: AtomicUsize,
}

impl PipelineCache {
    /// The cache of a device, with what the file of its adapter holds.
    pub fn open(adapter: &wgpu::AdapterInfo, device: &wgpu::Device) -> Self {
        let key = wgpu::util::pipeline_cache_key(adapter)
            .filter(|_| device.features().contains(wgpu::Features::PIPELINE_CACHE));
        let path = key.and_then(|key| Some(cache_folder()?.join("rigview").join(key)));
        let data = path.as_deref().and_then(read);
        let stored = data.as_ref().map_or(0, Vec::len);
        let cache = path.is_some().then(|| {
            // SAFETY: the data is what `get_data` gave for an adapter of this key, as far as a file can
            // tell: the sum over it is right.
            unsafe {
                device.create_pipeline_cache(&wgpu::PipelineCacheDescriptor {
                    label: Some("rigview"),
                    data: data.as_deref(),
                    fallback: true,
                })
            }
        });
        Self { cache, path, stored: AtomicUsize::new(stored), built: AtomicUsize::new(0) }
    }

    /// Builds a pipeline by way of the cache.
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

    /// Pipelines built so far.
    pub fn built(&self) -> usize {
        self.built.load(Ordering::Relaxed)
    }

    /// Writes the file, if there is more to keep than it holds.
    pub fn keep(&self) {
        let data = self.cache.as_ref().and_then(wgpu::PipelineCache::get_data);
        let (Some(path), Some(data)) = (&self.path, data) else { return };
        if self.stored.swap(data.len(), Ordering::Relaxed) == data.len() {
            return;
        }
        match write(path, &data) {
            Ok(()) => log::debug!("{}: {} bytes of pipelines", path.display(), data.len()),
            Err(error) => log::debug!("{}: pipelines are not kept: {error}", path.display()),
        }
    }
}

/// The folder of the user's caches, if there is one.
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

/// What a file holds behind the sum over it; none if the sum is wrong.
fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = fs::read(path).ok()?;
    let data = bytes.split_off(bytes.len().min(SUM));
    let whole = bytes == sum(&data);
    if !whole {
        log::debug!("{}: broken, so it is not read", path.display());
    }
    whole.then_some(data)
}

/// Writes a file beside its place and puts it there when it is complete.
fn write(path: &Path, data: &[u8]) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&sum(data))?;
    file.write_all(data)?;
    file.persist(path)?;
    Ok(())
}

/// Bytes of the sum.
const SUM: usize = 8;

/// Drivers need not survive bytes that are not theirs.
fn sum(data: &[u8]) -> [u8; SUM] {
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    hasher.finish().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_back_whole_and_a_broken_one_not_at_all() {
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
    fn a_folder_that_can_not_be_made_is_an_error_and_no_panic() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(write(&file.path().join("below"), b"compiled").is_err());
    }
}
