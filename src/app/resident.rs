//! What is resident on the GPU: the uploaded copy of the shown model, and models being uploaded.
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
    /// The model that frames are drawn from, and its uploaded copy.
    shown: Option<(Arc<Model>, GpuModel)>,
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
        Self { shown: None, awaits: false, results, sender, proxy }
    }

    /// The uploaded copy of the shown model.
    pub fn gpu_model(&self) -> Option<&GpuModel> {
        self.shown.as_ref().map(|(_, gpu_model)| gpu_model)
    }

    /// The address of the uploaded model, to compare with.
    pub fn model(&self) -> Option<*const Model> {
        self.shown.as_ref().map(|(model, _)| Arc::as_ptr(model))
    }

    /// Whether the former model was freed, so that no frame can be drawn until the next one is uploaded.
    pub fn awaits(&self) -> bool {
        self.awaits
    }

    /// Whether the former model should be freed before this one is uploaded.
    pub fn needs_room(gpu: &Gpu, model: &Model) -> bool {
        gpu.shares_memory() && bytes(model) > LARGE
    }

    /// Frees the copy of the shown model. The picture on screen stays until another model comes.
    pub fn make_room(&mut self) {
        self.shown = None;
        self.awaits = true;
    }

    /// Stops waiting for a model that does not come.
    pub fn give_up(&mut self) {
        self.awaits = false;
    }

    /// Drops the copies that were lost with the device.
    pub fn lose(&mut self) {
        self.shown = None;
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
                self.shown = Some((Arc::clone(model), gpu_model));
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

    /// Uploads a model now unless it is resident. The former copy is freed first.
    pub fn hold(&mut self, gpu: &Gpu, model: Option<&Arc<Model>>) {
        let fits = match (&self.shown, model) {
            (Some((uploaded, _)), Some(model)) => Arc::ptr_eq(uploaded, model),
            (None, None) => true,
            _ => false,
        };
        if !fits && !self.awaits {
            self.shown = None;
            self.shown = model.map(|m| (Arc::clone(m), GpuModel::new(gpu, m)));
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
