//! Uploads of models: mip levels and copies of a large model take longer than a frame.

use super::results::Upload;
use super::{Jobs, Report, Reporter};
use crate::import::{ImportError, guarded};
use crate::model::{Model, Pixels};
use crate::render::{Gpu, GpuModel};
use crate::session::{LoadAction, LoadId, PreparedModel};

impl Jobs {
    /// Uploads a model that was read.
    pub fn upload(&self, gpu: Gpu, id: LoadId, mut model: Box<PreparedModel>) {
        let work = move |reporter: &Reporter| {
            let gpu_model = upload(&gpu, &mut model.loaded.model);
            reporter.report(Report::Uploaded(Box::new(Upload { id, model, gpu_model, gpu })));
        };
        if let Err(error) = self.spawn("upload", work) {
            let what = format!("can't start a thread to upload it: {error}");
            let result = Err(ImportError::other(what));
            self.report(Report::Answer(LoadAction::Loaded { id, result }.into()));
        }
    }
}

/// Uploads a model, and drops the pixels that the GPU has then. `None` if the upload fails; the model keeps its pixels.
fn upload(gpu: &Gpu, model: &mut Model) -> Option<GpuModel> {
    // wgpu panics when it runs out of memory. The window then tries once more with the memory that this freed.
    let gpu_model = guarded(|| {
        let gpu_model = GpuModel::new(gpu, model);
        gpu.flush();
        gpu_model
    });
    let gpu_model = gpu_model.ok()?;
    // If the device is lost, the images are read from the file again.
    for image in &mut model.images {
        if image.pixels.bytes() > 0 {
            image.pixels = Pixels::Header;
        }
    }
    Some(gpu_model)
}
