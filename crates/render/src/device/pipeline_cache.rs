//! Builds pipelines, and stores what the driver compiled for later runs, if it provides that.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::pipeline_file;

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
        let path = key.and_then(|key| pipeline_file::path(&key));
        let data = path.as_deref().and_then(pipeline_file::read);
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
        match pipeline_file::write(path, &data) {
            Ok(()) => log::debug!("{}: stored {} bytes of pipelines", path.display(), data.len()),
            Err(error) => log::debug!("{}: pipelines are not stored: {error}", path.display()),
        }
    }
}
