//! Models on their way to the GPU, on threads of their own: mip levels and copies of a large one
//! take longer than a frame.

use std::sync::mpsc::{Receiver, Sender, channel};

use winit::event_loop::EventLoopProxy;

use super::Wake;
use crate::import::Loaded;
use crate::model::{Model, Pixels};
use crate::render::{Gpu, GpuModel};
use crate::viewer::LoadId;

/// Starts uploads and collects what came of them.
pub(super) struct Uploads {
    results: Receiver<Uploaded>,
    sender: Sender<Uploaded>,
    proxy: EventLoopProxy<Wake>,
}

/// A model that was read, and its twin.
pub(super) struct Uploaded {
    /// Which load it is of.
    pub id: LoadId,
    /// The model, without the pixels that the twin has.
    pub loaded: Loaded,
    /// None where the upload failed: the model has its pixels then.
    pub twin: Option<GpuModel>,
    /// The device that the twin is on.
    pub gpu: Gpu,
}

impl Uploads {
    pub fn new(proxy: EventLoopProxy<Wake>) -> Self {
        let (sender, results) = channel();
        Self { results, sender, proxy }
    }

    /// Uploads a model in the background; the loop is woken when it is there.
    pub fn start(&self, gpu: Gpu, id: LoadId, loaded: Loaded) {
        let (sender, proxy) = (self.sender.clone(), self.proxy.clone());
        let work = move || {
            let mut uploaded = Uploaded { id, loaded, twin: None, gpu };
            uploaded.upload();
            // Nobody listens any more when the window has been closed.
            let _ = sender.send(uploaded);
            let _ = proxy.send_event(Wake::Loaded);
        };
        if let Err(error) = std::thread::Builder::new().name("upload".into()).spawn(work) {
            log::error!("no thread to upload a model on: {error}");
        }
    }

    /// The next upload that has ended.
    pub fn poll(&self) -> Option<Uploaded> {
        self.results.try_recv().ok()
    }
}

/// About how many bytes a model takes on the GPU.
pub(super) fn bytes(model: &Model) -> usize {
    let pixels = model.images.iter().map(|image| image.pixels.bytes());
    let primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let vertices = primitives.map(|p| size_of_val(&p.vertices[..]) + size_of_val(&p.indices[..]));
    pixels.chain(vertices).sum()
}

impl Uploaded {
    fn upload(&mut self) {
        let Self { loaded, gpu, .. } = self;
        // Out of memory, wgpu panics: the window then tries once more, with what it freed.
        let make = || {
            let twin = GpuModel::new(gpu, &loaded.model);
            gpu.flush();
            twin
        };
        self.twin = crate::import::guarded(make).ok();
        if self.twin.is_some() {
            // What lies on the GPU is read again from the file when a device is lost.
            for image in &mut self.loaded.model.images {
                if image.pixels.bytes() > 0 {
                    image.pixels = Pixels::Header;
                }
            }
        }
    }
}
