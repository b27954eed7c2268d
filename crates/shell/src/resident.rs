//! What is resident on the GPU: the uploaded copies of the shown models, and the models of a frame.

use std::sync::Arc;

use super::heat::HeatModel;
use rigview_capture::session_frame;
use rigview_look::{Look, View};
use rigview_model::Model;
use rigview_render::{Frame, Gpu, GpuModel};
use rigview_session::{Document, Session};

/// Minimum size in bytes of a model for which the former model is freed first, if the GPU uses the program's own
/// memory.
const LARGE: usize = 32 << 20;

/// The models on the GPU.
#[derive(Default)]
pub(super) struct Resident {
    /// The models that frames are drawn from, and their uploaded copies.
    models: Vec<(Arc<Model>, Arc<GpuModel>)>,
    /// Whether the former model was freed for one that is still to come.
    awaits: bool,
}

impl Resident {
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

    /// Takes the uploaded copy of a model.
    pub fn adopt(&mut self, model: &Arc<Model>, gpu_model: GpuModel) {
        self.models.push((Arc::clone(model), Arc::new(gpu_model)));
        self.awaits = false;
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

/// Estimates the bytes that a model takes on the GPU.
fn bytes(model: &Model) -> usize {
    let pixels = model.images.iter().map(|image| image.pixels.bytes());
    let primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let vertices = primitives.map(|p| size_of_val(&p.vertices[..]) + size_of_val(&p.indices[..]));
    pixels.chain(vertices).sum()
}

/// The session of a frame, and the uploaded copies of its models, as far as there are any.
#[derive(Clone, Copy)]
pub(super) struct FrameModels<'a> {
    pub session: &'a Session,
    pub gpu_model: Option<&'a Arc<GpuModel>>,
    /// The uploaded copy of the model that is compared.
    pub beside: Option<&'a Arc<GpuModel>>,
    /// The model in the colours of its distance from the one that is compared.
    pub heat: Option<&'a HeatModel>,
}

impl<'a> FrameModels<'a> {
    /// Returns the session with the uploaded copies of its models.
    pub fn new(session: &'a Session, resident: &'a Resident) -> Self {
        let copy = |document: Option<&'a Document>| resident.gpu_model(Some(&document?.model));
        let (a, b) = (session.playback().document(), session.compared().document());
        Self { session, gpu_model: copy(a), beside: copy(b), heat: None }
    }

    /// Returns the frame of the first model in a view and a look; `None` if no model is uploaded.
    pub fn frame(self, view: &'a View, look: &'a Look) -> Option<Frame<'a>> {
        session_frame(self.session, self.gpu_model?, view, look)
    }
}
