//! What is resident on the GPU: the uploaded copies of the shown models, and models being uploaded.
//!
//! Uploads run on threads of their own: mip levels and copies of a large model take longer than a frame.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use winit::event_loop::EventLoopProxy;

use super::wake::Wake;
use crate::import::{Loaded, guarded};
use crate::model::{Model, Pixels};
use crate::render::{Gpu, GpuModel};
use crate::session::LoadId;

/// Minimum size in bytes of a model for which the former model is freed first, if the GPU uses the program's own
/// memory.
const LARGE: usize = 32 << 20;

/// The models on the GPU.
pub(super) struct Resident {
    /// The models that frames are drawn from, and their uploaded copies.
    models: Vec<(Arc<Model>, Arc<GpuModel>)>,
    /// Whether the former model was freed for one that is still to come.
    awaits: bool,
    results: Receiver<Upload>,
    sender: Sender<Upload>,
    proxy: EventLoopProxy<Wake>,
}

/// An upload that has ended.
pub(super) struct Upload {
    /// The load.
    pub id: LoadId,
    /// The model, without the pixels that the GPU has now.
    pub loaded: Box<Loaded>,
    pub uploaded: Uploaded,
}

/// The uploaded copy of a model.
pub(super) struct Uploaded {
    /// `None` if the upload failed; the model then still has its pixels.
    gpu_model: Option<GpuModel>,
    /// The device that the copy is on.
    gpu: Gpu,
}

impl Resident {
    pub fn new(proxy: EventLoopProxy<Wake>) -> Self {
        let (sender, results) = channel();
        Self { models: Vec::new(), awaits: false, results, sender, proxy }
    }

    /// The uploaded copy of a model.
    pub fn gpu_model(&self, model: Option<&Arc<Model>>) -> Option<&Arc<GpuModel>> {
        let mut copies = self.models.iter();
        let (_, gpu_model) =
            copies.find(|(uploaded, _)| model.is_some_and(|m| Arc::ptr_eq(uploaded, m)))?;
        Some(gpu_model)
    }

    /// The addresses of the uploaded models, to compare with.
    pub fn addresses(&self) -> Vec<*const Model> {
        self.models.iter().map(|(model, _)| Arc::as_ptr(model)).collect()
    }

    /// Whether the former model was freed, so that no frame can be drawn until the next one is uploaded.
    pub fn awaits(&self) -> bool {
        self.awaits
    }

    /// Whether the former model should be freed before this one is uploaded.
    pub fn needs_room(gpu: &Gpu, model: &Model) -> bool {
        gpu.shares_memory() && bytes(model) > LARGE
    }

    /// Frees the copy of a model. The picture on screen stays until another model comes.
    pub fn make_room(&mut self, model: Option<&Arc<Model>>) {
        self.models
            .retain(|(uploaded, _)| !model.is_some_and(|model| Arc::ptr_eq(uploaded, model)));
        self.awaits = true;
    }

    /// Stops waiting for a model that does not come.
    pub fn give_up(&mut self) {
        self.awaits = false;
    }

    /// Drops the copies that were lost with the device.
    pub fn lose(&mut self) {
        self.models.clear();
        self.awaits = false;
    }

    /// Uploads a model in the background and wakes the event loop when done.
    pub fn start(&self, gpu: Gpu, id: LoadId, loaded: Box<Loaded>) {
        let (sender, proxy) = (self.sender.clone(), self.proxy.clone());
        let work = move || {
            let upload = upload(gpu, id, loaded);
            // Both fail only when the window has been closed.
            let _ = sender.send(upload);
            let _ = proxy.send_event(Wake::Loaded);
        };
        if let Err(error) = std::thread::Builder::new().name("upload".into()).spawn(work) {
            log::error!("can't start a thread to upload a model: {error}");
        }
    }

    /// The next upload that has ended.
    pub fn poll(&self) -> Option<Upload> {
        self.results.try_recv().ok()
    }

    /// Takes the uploaded copy of a model. Returns false if the copy is on a lost device, so that the model's images
    /// must be read again.
    pub fn adopt(&mut self, gpu: &Gpu, model: &Arc<Model>, uploaded: Uploaded) -> bool {
        match uploaded.gpu_model {
            Some(gpu_model) if gpu.is(&uploaded.gpu) => {
                self.models.push((Arc::clone(model), Arc::new(gpu_model)));
                self.awaits = false;
                true
            }
            Some(_) => false,
            None => {
                self.awaits = false;
                true
            }
        }
    }

    /// Frees the copies of all other models, then uploads these models unless they are resident.
    pub fn hold(&mut self, gpu: &Gpu, models: &[&Arc<Model>]) {
        if self.awaits {
            return;
        }
        let is_wanted = |uploaded: &Arc<Model>| models.iter().any(|m| Arc::ptr_eq(uploaded, m));
        self.models.retain(|(uploaded, _)| is_wanted(uploaded));
        for model in models {
            if self.gpu_model(Some(model)).is_none() {
                self.models.push((Arc::clone(model), Arc::new(GpuModel::new(gpu, model))));
            }
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

/// Estimates the bytes that a model takes on the GPU.
fn bytes(model: &Model) -> usize {
    let pixels = model.images.iter().map(|image| image.pixels.bytes());
    let primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let vertices = primitives.map(|p| size_of_val(&p.vertices[..]) + size_of_val(&p.indices[..]));
    pixels.chain(vertices).sum()
}
