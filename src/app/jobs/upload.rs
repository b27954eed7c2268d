//! Uploads of models: mip levels and copies of a large model take longer than a frame.

use super::results::{Upload, Uploaded};
use super::{Jobs, Report};
use crate::import::{Loaded, guarded};
use crate::model::Pixels;
use crate::render::{Gpu, GpuModel};
use crate::session::LoadId;

impl Jobs {
    /// Uploads a model.
    pub fn upload(&self, gpu: Gpu, id: LoadId, loaded: Box<Loaded>) {
        let work = move |reporter: &super::Reporter| {
            reporter.report(Report::Uploaded(Box::new(upload(gpu, id, loaded))));
        };
        if let Err(error) = self.spawn("upload", work) {
            log::error!("can't start a thread to upload a model: {error}");
        }
    }
}

fn upload(gpu: Gpu, id: LoadId, mut loaded: Box<Loaded>) -> Upload {
    // wgpu panics when it runs out of memory. The window then tries once more with the memory that this freed.
    let make = || {
        let gpu_model = GpuModel::new(&gpu, &loaded.model);
        gpu.flush();
        gpu_model
    };
    let gpu_model = guarded(make).ok();
    if gpu_model.is_some() {
        // If the device is lost, the images are read from the file again.
        for image in &mut loaded.model.images {
            if image.pixels.bytes() > 0 {
                image.pixels = Pixels::Header;
            }
        }
    }
    Upload { id, loaded, uploaded: Uploaded { gpu_model, gpu } }
}
